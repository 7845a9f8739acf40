"""A mechanism before it runs: its start, and other states near by, which tell what moves and how far it may go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from latchwork.contact.law import Contact
from latchwork.hybrid.driven import Driven
from latchwork.hybrid.simulation import Simulation
from latchwork.hybrid.start import start_of
from latchwork.hybrid.trajectory import Samples, quantity
from latchwork.kane.equations import Equations
from latchwork.mechanics.point import Point, anchor
from latchwork.model import Model
from latchwork.symbolic.traverse import reachable

Array = np.ndarray
OTHERS = 24  # states besides the start
SWING, SHAKE = np.pi, 0.35  # rad: how far angles are turned, and where a loop is closed
FAR = 0.8  # of the size at the start: how far what slides is moved, where nothing says how far it goes


@dataclass(frozen=True, eq=False)
class Posture:
    """States of a mechanism, the first of them its start; numbers of r and p behind."""

    driven: Driven
    contacts: tuple[Contact, ...]
    points: tuple[Point, ...]  # those that the model had
    states: Samples

    @property
    def equations(self) -> Equations:
        return self.driven.equations

    @property
    def t(self) -> Array:
        return self.states.t

    @property
    def rest(self) -> Array:
        """What is held: r, p, and the numbers of tables."""
        return self.states.rest

    @property
    def start(self) -> Array:
        """(q, u) at the start."""
        return np.asarray(self.states.x[0, :-1])

    def at(self, t: Any) -> Samples:
        """The start, whatever the time."""
        return Samples(self.driven, np.asarray(0.0), self.states.x[0], self.states.rest)

    def with_rest(self, rest: Array) -> Posture:
        """The same states with other parameters."""
        return replace(self, states=replace(self.states, rest=rest))

    def moved(self, turned: float, slid: float) -> Posture:
        """The start, and random states around it: what turns by an angle, what slides by a length."""
        first, q = self.states.x[:1], self.equations.q
        rng = np.random.default_rng(1)
        angles = turning(self.equations)
        reach = np.array([turned if k in angles else slid for k in range(len(q))])
        x = np.repeat(first, OTHERS + 1, axis=0)
        x[1:, : len(q)] += reach * rng.uniform(-1.0, 1.0, (OTHERS, len(q)))
        names = self.equations.q_names
        for four in self.equations.system.quaternions:
            columns = [names.index(e.name) for e in four]
            x[:, columns] /= np.linalg.norm(x[:, columns], axis=1, keepdims=True)
        return replace(self, states=Samples(self.driven, np.append(0.0, rng.uniform(0.0, 9.0, OTHERS)), x, self.rest))


def posture(model: Model, q: Any, u: Any, inputs: Any = None) -> Posture:
    """The start of a model, assembled where it has constraints; parameters that contacts track are left out."""
    sim = Simulation(model, q, u, inputs=inputs)
    tracked = any(feature.tracked is not None for contact in model.contacts for feature in contact.features)
    equations = model.equations() if tracked else sim.equations
    driven = replace(sim.driven, equations=equations, arguments=(
        sim.driven.arguments[0], *equations.q, *equations.u, sim.driven.work, *sim.driven.held))  # fmt: skip
    own = [*equations.q_names, *equations.u_names]
    given = {name: value for name, value in (inputs or {}).items() if isinstance(value, (int, float))}
    rest = start_of(equations, sim.q, sim.u, given, None, 0.0, True).x[1 + len(own) :]
    rest = driven.rest_at(np.append(rest, np.zeros(len(driven.held) - len(rest))), 0.0)
    numbers = sim.q | sim.u
    states = Samples(driven, np.zeros(1), np.array([[*(numbers[name] for name in own), 0.0]]), rest)
    points = tuple(point for point in equations.system.tree.points.values() if anchor(point) is None)
    return Posture(driven, tuple(model.contacts), points, states)


def turning(equations: Equations) -> set[int]:
    """Which coordinates turn a frame, by number."""
    g, frames = equations.system.graph, equations.system.tree.frames.values()
    found = set(reachable(g, [node for frame in frames for node in quantity(equations, frame)[0]]))
    return {k for k, symbol in enumerate(equations.q) if symbol.node in found}


def spread(start: Posture, loops: bool, bounded: bool) -> Posture:
    """States that show where a mechanism may be taken: full turns unless loops are closed, and some way along."""
    points = [body.center for body in start.equations.system.bodies]
    size = float(np.ptp(np.array(start.at(0.0).each(*points)), axis=0).max())
    return start.moved(SHAKE if loops else SWING, 0.0 if bounded else FAR * (size or 1.0))
