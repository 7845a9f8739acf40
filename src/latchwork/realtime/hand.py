"""Hands: for every body a force at its mass centre and a torque, as held inputs of the equations of a run.

They are added to the equations of the run, F_r + v_r · R + ω_r · T, and the model stays as it was. What moves nothing
(a force across a plane mechanism) is in no equation and is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from latchwork.hybrid.input_laws import Column, Driven, power_of
from latchwork.hybrid.online_contacts import driven_by, get_ready
from latchwork.hybrid.simulation import Simulation
from latchwork.kane.equations import Equations
from latchwork.mechanics.body import Body
from latchwork.mechanics.loads import Force, Load, Torque
from latchwork.mechanics.vector import Vector
from latchwork.realtime.board import Array, Triple
from latchwork.symbolic.expr import Expr

PARTS = ("force x", "force y", "force z", "torque x", "torque y", "torque z")


class Hands:
    """The wrenches of hands on the bodies of a simulation, by body."""

    def __init__(self, sim: Simulation) -> None:
        bodies, old = sim.equations.system.bodies, sim.equations
        symbols = {body.name: _symbols(old, body) for body in bodies}
        loads = [load for body in bodies for load in _loads(body, symbols[body.name])]
        held = any(point.without_normal and not point.is_bounded for point in sim.state.contacts.contact_points)
        equations = _with_all(old.with_loads(*loads), symbols.values()) if held else old.with_loads(*loads)
        places = {symbol: i for i, symbol in enumerate(equations.r)}
        self._places = {name: [(k, places[s]) for k, s in enumerate(six) if s in places]
                        for name, six in symbols.items()}  # fmt: skip
        self._all = [place for found in self._places.values() for _, place in found]
        self._on: str | None = None
        self._unsure = False
        _drive(sim, equations)

    def acts_on(self, body: str) -> bool:
        """Whether a hand can move a body at all."""
        return bool(self._places[body])

    def put(self, sim: Simulation, body: str | None, force: Triple, torque: Triple) -> None:
        """From now on a force at the mass centre of one body, and a torque on it; nothing on all others."""
        if body is None and self._on is None and not self._unsure:
            return
        rest = sim.state.rest.copy()
        if self._unsure:
            rest[self._all] = 0.0
        elif self._on is not None and self._on != body:
            rest[[place for _, place in self._places[self._on]]] = 0.0
        if body is not None:
            self.write(rest, body, force, torque)
        sim.state, self._on, self._unsure = sim.state.but(rest=rest), body, False

    def on(self, rest: Array, body: str, force: Triple, torque: Triple) -> Array:
        """What is held, with another wrench: this one on a body, none on all others."""
        found, six = rest.copy(), (*force, *torque)
        found[self._all] = 0.0
        for k, place in self._places[body]:
            found[place] = six[k]
        return found

    def write(self, rest: Array, body: str, force: Triple, torque: Triple) -> None:
        """Put a wrench on a body into what is held."""
        six = (*force, *torque)
        for k, place in self._places[body]:
            rest[place] = six[k]

    def forget(self) -> None:
        """The simulation is another one now: what it had put on which body is not known."""
        self._unsure = True


def _symbols(equations: Equations, body: Body) -> list[Expr]:
    g = equations.system.graph
    parts = PARTS[:3] if body.frame is None else PARTS
    return [Expr(g, g.symbol(f"hand on {body.name}: {part}", "input", value=0.0)) for part in parts]


def _loads(body: Body, symbols: Sequence[Expr]) -> list[Load]:
    """A force at the mass centre, measured in N, and a torque."""
    N = body.center.tree.newtonian

    def vector(three: Sequence[Expr]) -> Vector:
        return N.x * three[0] + N.y * three[1] + N.z * three[2]

    force = Force(body.center, vector(symbols[:3]), name=f"hand on {body.name}")
    return [force] if body.frame is None else [force, Torque(body.frame, vector(symbols[3:]))]


def _with_all(equations: Equations, symbols: Iterable[Sequence[Expr]]) -> Equations:
    """The equations with all symbols as inputs: forces of contacts that the coordinates hold mention more of them."""
    system = equations.system
    missing = tuple(s for six in symbols for s in six if s not in system.r)
    if not missing:
        return equations
    values = {**system.values, **dict.fromkeys(missing, 0.0)}
    system = replace(system, r=system.r + missing, values=values)
    return Equations(replace(equations.derivation, system=system), equations.added)


def _drive(sim: Simulation, equations: Equations) -> None:
    """Let a simulation run by equations that have more inputs, all of them 0."""
    old = sim.driven
    n_r, more = len(old.equations.r), len(equations.r) - len(old.equations.r)
    arguments = old.arguments[: -len(old.rest) or None] if old.rest else old.arguments
    held = (*equations.r, *old.rest[n_r:])
    columns = tuple(Column(c.table, tuple(p if p < n_r else p + more for p in c.places)) for c in old.columns)
    rest = np.concatenate([sim.state.rest[:n_r], np.zeros(more), sim.state.rest[n_r:]])
    driven = Driven(equations, old.laws, power_of(equations), old.work, (*arguments, *held), columns, old.measure)
    sim.state = driven_by(sim.world, sim.state.but(rest=rest), driven)
    get_ready(sim.world, sim.state, sim.state.contacts.contact_points)

