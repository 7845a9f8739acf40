"""Meters of a run: energies, momenta, forces, reactions, loads and motors, by name and in expressions.

    energy, kinetic_energy, potential_energy, work      scalars
    momentum, angular_momentum                          vectors, Σ m v and its moment about O with Σ I ω
    force(NAME)              the multiplier of a constraint's row, or the normal force of a contact
    reaction(NAME)           the force that a joint, constraint or contact exerts, a vector
    reaction_torque(NAME)    its torque about where it acts
    load(NAME)               the force or torque of a load
    motor(NAME)              what drives a joint along its axis: the sum of the loads between its two sides

``run["magnitude(reaction(crank))"]``, ``run.plot("energy", "motor(shoulder)")``. What has no place in the equations,
forces and reactions, stands in expressions as a symbol, and gets its numbers from the run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

from latchwork.constraint.forces import KIND, PREFIX, REACTION, force_of, reaction_of
from latchwork.kane.equations import Equations
from latchwork.kane.units import Label, is_si, label_of
from latchwork.mechanics.joints import Link
from latchwork.mechanics.loads import Force, Load, Torque
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.units import Unit, read

if TYPE_CHECKING:
    from latchwork.hybrid.trajectory import Samples

ENERGIES: dict[str, Callable[[Equations], Any]] = {
    "energy": lambda eq: eq.kinetic_energy + eq.potential_energy,
    "kinetic_energy": lambda eq: eq.kinetic_energy,
    "potential_energy": lambda eq: eq.potential_energy,
}
MOMENTA: dict[str, Callable[[Equations], Any]] = {
    "momentum": lambda eq: eq.linear_momentum(),
    "angular_momentum": lambda eq: eq.angular_momentum(),
}
WORK = "work"
NAMES = (*ENERGIES, *MOMENTA, WORK)
SI = {**dict.fromkeys((*ENERGIES, WORK), "J"), "momentum": "kg m/s", "angular_momentum": "kg m^2/s"}
DESCRIPTIONS = {
    "energy": "kinetic and potential energy", "kinetic_energy": "kinetic energy", "work": "of other loads",
    "potential_energy": "potential energy", "momentum": "linear momentum", "angular_momentum": "about O",
}  # fmt: skip


def meter(equations: Equations, name: str, samples: Samples | None = None) -> Any:
    """The expression or vector behind the name of a meter, or None."""
    if name == WORK:
        return None if samples is None else samples.driven.work
    make = {**ENERGIES, **MOMENTA}.get(name)
    return None if make is None else make(equations)


def exerting(equations: Equations, samples: Samples | None) -> dict[str, dict[str, Callable[[], Any]]]:
    """By name, what can be asked of everything that exerts a force: force, reaction, reaction_torque, load, motor."""
    system = equations.system
    found: dict[str, dict[str, Callable[[], Any]]] = {}
    for link in system.links:
        found.setdefault(link.name, {})["motor"] = partial(motor, equations, link)
    for load in (*system.loads, *equations.added):
        if load.name:
            found.setdefault(load.name, {}).setdefault("load", partial(load_vector, load))
    if samples is not None:
        for name in _rows(samples):
            found.setdefault(name, {})["force"] = partial(force_of, system.graph, name)
        for name in (*[link.name for link in system.links], *_held(samples)):
            own = found.setdefault(name, {})
            own["reaction"] = partial(reaction_of, system.tree, name, "force")
            own["reaction_torque"] = partial(reaction_of, system.tree, name, "torque")
    return found


def motor(equations: Equations, link: Link) -> Expr:
    """Σ T · axis, or Σ F · axis where the joint slides, of the loads that act between the two sides of a joint."""
    total = Expr(equations.system.graph, equations.system.graph.constant(0.0))
    if link.axis is None:
        return total
    for load in (*equations.system.loads, *equations.added):
        turns = isinstance(load, Torque) and (load.frame, load.reaction) == (link.frame, link.inboard)
        slides = isinstance(load, Force) and (load.point, load.reaction) == (link.origin, link.base)
        if turns or slides:
            total = total + load_vector(load).dot(link.axis)
    return total


def load_vector(load: Load) -> Vector:
    """The force of a load where it acts first, or its torque where it has no force."""
    pairs: list[tuple[Any, Vector]] = [*load.forces, *load.torques]
    return pairs[0][1]


def _rows(samples: Samples) -> Iterable[str]:
    """Names of rows of constraints, of contacts, and of their features."""
    from latchwork.hybrid.mode_dynamics import Recombined

    names = [name for contact in samples.contacts for name in (contact.name, contact.whole.name, *contact.names)]
    modes = [segment.dynamics for segment in samples.path.segments] if samples.path is not None else []
    for dynamics in modes:
        if isinstance(dynamics, Recombined):
            names += dynamics.mode.terms.rows.names
    return dict.fromkeys(names)


def _held(samples: Samples) -> Iterable[str]:
    """Names of constraints, and of contacts and their features."""
    from latchwork.hybrid.mode_dynamics import Recombined

    names = [name for contact in samples.contacts for name in (contact.name, *contact.names)]
    modes = [segment.dynamics for segment in samples.path.segments] if samples.path is not None else []
    for dynamics in modes:
        if isinstance(dynamics, Recombined):
            names += dynamics.mode.terms.rows.slices
    return dict.fromkeys(names)


def label(samples: Samples, what: Any) -> Label:
    """The unit and the description of anything that a run can be asked for; empty where they are not known."""
    from latchwork.hybrid.symbol_lookup import look_up

    equations = samples.equations
    system = equations.system
    if isinstance(what, str):
        own = {symbol.name for symbol in equations.arguments} | system.tree.points.keys()
        if what in NAMES and what not in own:
            return Label(SI[what] if is_si(system, equations.kinetic_energy) else "", DESCRIPTIONS[what])
        what = look_up(equations, what, samples)
    return label_of(system, what, _exerted_units(samples))


def _exerted_units(samples: Samples) -> dict[int, Unit]:
    """Newtons and newton metres for the placeholders of reactions, and of contacts, where units are those of SI."""
    equations, found = samples.equations, {}
    graph = equations.system.graph
    contacts = {PREFIX + name for contact in samples.contacts for name in (contact.name, *contact.names)}
    for node, symbol in graph.symbols.items():
        if symbol.kind == KIND and symbol.name.startswith(REACTION):
            found[node] = read("N m" if symbol.name.rsplit(".", 2)[1] == "torque" else "N")
        elif symbol.kind == KIND and symbol.name in contacts:
            found[node] = read("N")
    return found if found and is_si(equations.system, equations.kinetic_energy) else {}
