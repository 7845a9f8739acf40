"""A mechanism before it runs: its start, and other states near by, which tell what moves and how far it may go."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from latchwork.contact.law import Contact
from latchwork.errors import LatchworkError
from latchwork.hybrid.contacts.broad_phase import every_contact
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.simulate import simulate
from latchwork.hybrid.simulation import Simulation
from latchwork.hybrid.start import start_of
from latchwork.hybrid.trajectory import Samples
from latchwork.kane.equations import Equations
from latchwork.mechanics.point import Point, anchor
from latchwork.model import Model

Array = np.ndarray
OTHERS = 24  # states besides the start
SWING, SHAKE = np.pi, 0.35  # rad: how far angles are turned, and where a loop is closed
SAME = 1e-9  # in units of the model: points that are off by less are where they were
LOOKED = 4.0  # s of a run that are looked at
SLIDER_REACH = 0.35  # of the size at the start: how far what slides is moved, where nothing says how far it goes


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
        angles = turning(self)
        reach = np.array([turned if k in angles else slid for k in range(len(q))])
        x = np.repeat(first, OTHERS + 1, axis=0)
        x[1:, : len(q)] += reach * rng.uniform(-1.0, 1.0, (OTHERS, len(q)))
        for columns in _quaternions(self.equations):
            x[:, columns] /= np.linalg.norm(x[:, columns], axis=1, keepdims=True)
        return self.with_states(np.append(0.0, rng.uniform(0.0, 9.0, OTHERS)), x)

    def with_states(self, t: Array, x: Array) -> Posture:
        return replace(self, states=Samples(self.driven, t, x, self.rest))


def posture(model: Model, q: Any, u: Any, inputs: Any = None) -> Posture:
    """The start of a model, assembled where it has constraints; parameters that contacts track are left out."""
    sim = Simulation(model, q, u, inputs=inputs)
    tracked = any(feature.tracked is not None for contact in sim.state.contacts.members for feature in contact.features)
    equations = model.equations() if tracked else sim.equations
    driven = replace(sim.driven, equations=equations, arguments=(
        sim.driven.arguments[0], *equations.q, *equations.u, sim.driven.work, *sim.driven.rest))  # fmt: skip
    numbers = sim.q | sim.u
    q, u = ({name: numbers[name] for name in names} for names in (equations.q_names, equations.u_names))
    given = {name: value for name, value in (inputs or {}).items() if isinstance(value, (int, float))}
    rest = start_of(equations, q, u, given, None, 0.0).x[1 + len(q) + len(u) :]
    rest = driven.rest_at(np.append(rest, np.zeros(len(driven.rest) - len(rest))), 0.0)
    states = Samples(driven, np.zeros(1), np.array([[*q.values(), *u.values(), 0.0]]), rest)
    points = tuple(point for point in equations.system.tree.points.values() if anchor(point) is None)
    return Posture(driven, every_contact(model), points, states)


def _quaternions(equations: Equations) -> list[list[int]]:
    """The coordinates of each quaternion, by number."""
    names = equations.q_names
    return [[names.index(e.name) for e in four] for four in equations.system.quaternions]


def turning(start: Posture) -> set[int]:
    """Which coordinates are angles, by number: a full turn more brings every point back. Quaternions count too."""
    count = len(start.equations.q)
    x = np.repeat(start.states.x[:1], count + 1, axis=0)
    x[1:, :count] += 2.0 * np.pi * np.eye(count)
    places = np.array(start.with_states(np.zeros(count + 1), x).states.each(*start.points))
    off = np.abs(places - places[:, :1]).max(axis=(0, 2))[1:]
    of_quaternions = {k for columns in _quaternions(start.equations) for k in columns}
    return {k for k in range(count) if off[k] < SAME or k in of_quaternions}


def travels(start: Posture) -> bool:
    """Whether the whole mechanism can be moved in two directions or more, each by a coordinate of its own."""
    bodies, count = start.equations.system.bodies, len(start.equations.q)
    if not bodies:
        return False
    x = np.repeat(start.states.x[:1], count + 1, axis=0)
    x[1:, :count] += np.eye(count)
    places = np.array(start.with_states(np.zeros(count + 1), x).states.each(*(body.center for body in bodies)))
    moved = places[:, 1:] - places[:, :1]  # (bodies, coordinates, 3)
    together = (np.abs(moved - moved[:1]) < SAME).all(axis=(0, 2)) & (np.linalg.norm(moved[0], axis=1) > SAME)
    ways = moved[0][[k for k in np.flatnonzero(together) if k not in turning(start)]]
    return len(ways) > 1 and bool(np.linalg.svd(ways, compute_uv=False)[1] > SAME)


def spread(start: Posture, model: Model, bounded: bool) -> Posture:
    """States that show where a mechanism may be taken: full turns, some way along; where loops are closed, a run."""
    size = float(np.ptp(np.array(start.at(0.0).each(*start.points)), axis=0).max())
    near = start.moved(SHAKE if model.constraints else SWING, 0.0 if bounded else SLIDER_REACH * (size or 1.0))
    if not model.constraints or model.contacts or model.collisions:
        return near
    try:
        run = simulate(start.equations, LOOKED, start.states.q[0], start.states.u[0], constraints=model.constraints)
    except LatchworkError:
        return near
    seen = run.at(np.linspace(0.0, LOOKED, OTHERS))
    return near.with_states(np.concatenate([near.t, seen.t]), np.concatenate([near.states.x, seen.x]))


def exact_states(model: Model, poses: Posture) -> Array | None:
    """Of the states that `spread` gives, those in which the constraints hold: the start, and those of the run."""
    return np.array([0, *range(OTHERS + 1, len(poses.t))]) if model.constraints else None
