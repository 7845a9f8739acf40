"""Models of ``sympy.physics.mechanics`` taken over: a ``KanesMethod`` or a ``System``, before or after its equations.

Nothing that SymPy derives is used. Coordinates, speeds, parameters and specified inputs keep their names, frames and
points their place in SymPy's trees; dependent speeds are expressed by the independent ones, so that M and f are the
minimal ones; auxiliary speeds are zero.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.errors import ModelError
from latchwork.formats.sympy_frames import TOLERANCE, Frames
from latchwork.formats.sympy_kinematics import definitions, solved
from latchwork.formats.sympy_model import Imported, SympyModel
from latchwork.formats.sympy_points import Points
from latchwork.formats.sympy_symbols import Names, Symbols
from latchwork.kane.sample import numbers
from latchwork.kane.speeds import Kinematics, solve_speeds
from latchwork.mechanics.frame import Frame
from latchwork.symbolic.derivative import dt, tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import rebuild


@dataclass(frozen=True)
class Description:
    """What a SymPy model says: expressions that vanish, bodies, and pairs (point or frame, vector) of loads."""

    name: str
    frame: Any
    q: Sequence[Any]
    u: Sequence[Any]
    dependent: Sequence[Any]
    auxiliary: Sequence[Any]
    kinematics: Sequence[Any]
    velocity: Sequence[Any]
    configuration: Sequence[Any]
    acceleration: Sequence[Any]
    bodies: Sequence[Any]
    loads: Sequence[Any]


def from_kanes_method(kane: Any) -> SympyModel:
    """A ``sympy.physics.mechanics.KanesMethod`` as a model; ``kanes_equations()`` need not have been called."""
    if not kane.mass_matrix_kin:
        raise ModelError("the KanesMethod has no kinematical differential equations. Give it kd_eqs=[...].")
    implicit = copy.copy(kane)
    implicit.explicit_kinematics = False
    q, u = list(kane.q), list(kane.u)
    rates = kane.q.diff(_time())
    count = len(u) - len(kane._udep)
    derived = kane._k_dnh is not kane._k_nh
    return build(
        Description(
            name="KanesMethod",
            frame=kane._inertial,
            q=q,
            u=u[:count],
            dependent=u[count:],
            auxiliary=list(kane._uaux),
            kinematics=list(implicit.mass_matrix_kin * rates - implicit.forcing_kin),
            velocity=list(kane._k_nh * kane.u + kane._f_nh) if kane._udep else [],
            configuration=list(kane._f_h),
            acceleration=list(kane._k_dnh * kane.u.diff(_time()) + kane._f_dnh) if derived and kane._udep else [],
            bodies=list(kane.bodies or []),
            loads=list(kane.loads or []),
        )
    )


def from_system(system: Any) -> SympyModel:
    """A ``sympy.physics.mechanics.System`` as a model; ``form_eoms()`` need not have been called."""
    actuated = [load for actuator in system.actuators for load in actuator.to_loads()]
    return build(
        Description(
            name="System",
            frame=system.frame,
            q=list(system.q),
            u=list(system.u_ind),
            dependent=list(system.u_dep),
            auxiliary=list(system.u_aux),
            kinematics=list(system.kdes),
            velocity=list(system.velocity_constraints),
            configuration=list(system.holonomic_constraints),
            acceleration=[],
            bodies=list(system.bodies),
            loads=[*system.loads, *actuated],
        )
    )


def build(given: Description) -> SympyModel:
    """The model: symbols, kinematics, bodies and loads with the frames and points they need."""
    _must_be_whole(given)
    model = SympyModel(given.name)
    symbols = Symbols(model)
    dependent = _take_speeds(model, symbols, given)
    kinematics = solve_speeds(model.system())
    _must_follow(model, symbols, given, kinematics)
    frames = Frames(model, symbols, given.frame, kinematics)
    points = Points(frames)
    bodies = Names()
    for body in given.bodies:
        _take_body(model, points, bodies, body)
    for load in given.loads:
        _take_load(model, points, load)
    points.declare()
    frames.declare()
    _must_meet(frames, points, model)
    configuration = tuple(symbols.motion(given.configuration, "a configuration constraint"))
    names = {"symbols": symbols.names, "frames": frames.names, "points": points.names, "bodies": bodies}
    model.imported = Imported(
        names={kind: dict(table.original) for kind, table in names.items()},
        symbols=dict(symbols.known),
        dependent=dependent,
        configuration=configuration,
    )
    return model


def _must_be_whole(given: Description) -> None:
    if not given.bodies:
        raise ModelError(
            f"the {given.name} has no bodies. Give it bodies=[...] and forcelist=[...], or call kanes_equations(bodies, "
            "loads) before it is handed over."
        )
    for u in (*given.u, *given.dependent):
        if u.is_Derivative:
            raise ModelError(
                f"the speed {u} of the {given.name} is a derivative, not a symbol of its own. Introduce a dynamicsymbol "
                "for it and say in the kinematical differential equations what it is."
            )


# --- kinematics ---------------------------------------------------------------------------------------------------


def _take_speeds(model: SympyModel, symbols: Symbols, given: Description) -> dict[str, Expr]:
    """Coordinates and speeds with q̇ = W u + X; returns the dependent speeds in terms of the others."""
    g = model.graph
    q = [symbols.coordinate(item) for item in given.q]
    u = [model.speed(symbols.name(item)) for item in given.u]
    left = [Expr(g, g.symbol(symbols.name(item), "speed")) for item in given.dependent]
    for item, made in zip((*given.u, *given.dependent), (*u, *left), strict=True):
        symbols.speed(item, made)
    symbols.zero(given.auxiliary)
    rows = [e.node for e in symbols.motion(given.kinematics, "a kinematical differential equation")]
    velocity = [e.node for e in symbols.motion(given.velocity, "a velocity constraint")]
    found = None if left else definitions(g, rows, [each.node for each in u])
    if found is not None:
        model.defined({Expr(g, leaf): Expr(g, node) for leaf, node in found.items()})
        return {}
    rates, system = [dt(each).node for each in q], model.symbols_only()
    solution = solved(system, rows, rates, "the kinematical differential equations")
    rows = rebuild(g, velocity, dict(zip(rates, solution, strict=True)))
    leaves = [each.node for each in left]
    eliminated = solved(system, rows, leaves, "the velocity constraints") if left else []
    model.directly([Expr(g, node) for node in rebuild(g, solution, dict(zip(leaves, eliminated, strict=True)))])
    for item, node in zip(given.dependent, eliminated, strict=True):
        symbols.speed(item, Expr(g, node))
    return {each.name: Expr(g, node) for each, node in zip(left, eliminated, strict=True)}


def _must_follow(model: SympyModel, symbols: Symbols, given: Description, kinematics: Kinematics) -> None:
    """Acceleration constraints that were given hold along the motion that the velocity constraints allow."""
    if not given.acceleration:
        return
    g, t = model.graph, symbols.time
    along = kinematics.along | {u.node: dt(u).node for u in model.system().u}
    moving = [*given.u, *given.dependent]
    rates = tangents(g, [symbols.known[u].node for u in moving], along)
    local = copy.copy(symbols)
    local.known = symbols.known | {u.diff(t): Expr(g, rate) for u, rate in zip(moving, rates, strict=True)}
    rows = [e.node for e in local.motion(given.acceleration, "an acceleration constraint")]
    values = numbers(model.system(), rebuild(g, rows, kinematics.replaced))
    if not np.abs(values).max() < TOLERANCE:
        raise ModelError(
            f"the acceleration constraints of the {given.name} are not the time derivatives of its velocity constraints: "
            f"they are off by {np.abs(values).max():.3g} at a random state. Leave them out; they are worked out."
        )


# --- bodies and loads ---------------------------------------------------------------------------------------------


def _take_body(model: SympyModel, points: Points, names: Names, body: Any) -> None:
    """A rigid body or a particle; one that is fixed in N has no part in the motion and is left out."""
    from sympy.physics.mechanics import RigidBody

    rigid, frames = isinstance(body, RigidBody), points.frames
    if rigid and body.frame is frames.newtonian:
        return
    what = f"the mass of body '{body.name}'"
    (mass,) = frames.symbols.motion([body.mass], what)
    _must_be_constant([mass], what)
    name, center = names.new(body.name, "body"), points.point(body.masscenter)
    if not rigid:
        model.particle(name, center, mass)
        return
    what = f"the inertia of body '{body.name}'"
    inertia = frames.dyadic(body.central_inertia, what)
    _must_be_constant([Expr(model.graph, x) for square in inertia.parts.values() for row in square for x in row], what)
    model.body(name, frames.frame(body.frame), center, mass, inertia)


def _must_be_constant(values: Sequence[Expr], what: str) -> None:
    varying = {s.name for value in values for s in value.free_symbols if s.kind != "parameter"}
    if varying:
        raise ModelError(
            f"{what} varies with {', '.join(sorted(varying))}. Bodies here have constant mass and inertia; write the "
            "inertia in a frame in which it is constant."
        )


def _take_load(model: SympyModel, points: Points, load: Any) -> None:
    """A force (point, vector) or a torque (frame, vector)."""
    from sympy.physics.mechanics import Point, ReferenceFrame

    location, value = load
    frames = points.frames
    what = f"the load on '{getattr(location, 'name', location)}'"
    if isinstance(location, Point):
        model.force(points.point(location), frames.vector(value, what, frames.symbols.loads))
    elif isinstance(location, ReferenceFrame):
        model.torque(frames.frame(location), frames.vector(value, what, frames.symbols.loads))
    else:
        raise ModelError(f"{what} acts on {location!r}. Loads act on a Point or a ReferenceFrame.")


def _must_meet(frames: Frames, points: Points, model: SympyModel) -> None:
    """Vectors that are dotted are written in frames whose orientation to each other is known."""
    velocity = {point: points.velocity[item] for item, point in points.made.items()}
    pairs: list[tuple[str, Iterable[Frame]]] = []
    for body in model.bodies.values():
        if body.frame is not None and body.inertia is not None:
            omega = frames.omega(frames.items[body.frame])
            pairs.append((f"body '{body.name}'", [*omega.parts, *(frame for pair in body.inertia.parts for frame in pair)]))
    for load in model.loads:
        pairs += [(f"the force on '{p.name}'", [*velocity[p].parts, *R.parts]) for p, R in load.forces]
        pairs += [(f"the torque on '{f.name}'", [*frames.omega(frames.items[f]).parts, *T.parts]) for f, T in load.torques]
    for what, used in pairs:
        homes = sorted({frames.home(frame).name for frame in used})
        if len(homes) > 1:
            raise ModelError(
                f"{what} needs frames whose orientation to each other SymPy does not know: {', '.join(homes)}. "
                "Orient them, or write the vectors in frames that are oriented."
            )


def _time() -> Any:
    from sympy.physics.mechanics import dynamicsymbols

    return dynamicsymbols._t
