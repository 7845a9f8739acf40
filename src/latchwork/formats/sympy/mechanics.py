"""Models of ``sympy.physics.mechanics`` taken over: a ``KanesMethod`` or a ``System``, before or after its equations.

Nothing that SymPy derives is used. Coordinates, speeds, parameters and specified inputs keep their names, frames and
points their place in SymPy's trees; dependent speeds are expressed by the independent ones, so that M and f are the
minimal ones; auxiliary speeds are zero.
"""

from __future__ import annotations

import copy
from typing import Any

from latchwork.errors import ModelError
from latchwork.formats.sympy.accelerations import must_follow_velocities
from latchwork.formats.sympy.bodies import must_meet, take_body, take_load
from latchwork.formats.sympy.frames import Frames
from latchwork.formats.sympy.kinematics import Description, must_follow, take_speeds
from latchwork.formats.sympy.model import Imported, SympyModel
from latchwork.formats.sympy.points import Points
from latchwork.formats.sympy.symbols import Names, Symbols
from latchwork.kane.speeds import solve_speeds


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
    dependent = take_speeds(model, symbols, given)
    kinematics = solve_speeds(model.system())
    must_follow(model, symbols, given, kinematics)
    frames = Frames(model, symbols, given.frame, kinematics)
    points = Points(frames)
    bodies = Names()
    for body in given.bodies:
        take_body(model, points, bodies, body)
    for load in given.loads:
        take_load(model, points, load)
    points.declare()
    frames.declare()
    must_meet(frames, points, model)
    must_follow_velocities(given, points)
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
            f"the {given.name} has no bodies. Give it bodies=[...] and forcelist=[...], or call "
            "kanes_equations(bodies, loads) before it is handed over."
        )
    for u in (*given.u, *given.dependent):
        if u.is_Derivative:
            raise ModelError(
                f"the speed {u} of the {given.name} is a derivative, not a symbol of its own. Introduce a "
                "dynamicsymbol for it and say in the kinematical differential equations what it is."
            )


def _time() -> Any:
    from sympy.physics.mechanics import dynamicsymbols

    return dynamicsymbols._t
