"""Rows of constraints, made at random for a mechanism at a state: regular, repeated, contradictory, vanishing.

Each recipe adds one constraint that the state meets, or seems to, and says what must come of it: the mechanism
``runs``, it is ``refused``, or ``either`` may be.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

import latchwork as lw
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.traverse import rebuild
from random_trees import Built, State, triple

KINDS = "revolute prismatic cylindrical universal gimbal ball planar free".split()


@dataclass(eq=False)
class Bench:
    """A mechanism at a state, to which rows are added that the state meets."""

    rng: random.Random
    built: Built
    state: State
    names: list[str] = field(default_factory=list)
    scalars: list[lw.Expr] = field(default_factory=list)  # rows that hold, to make others of
    outcome: str = "runs"

    @cached_property
    def equations(self) -> lw.Equations:
        return self.model.equations()

    @property
    def model(self) -> lw.Model:
        return self.built.model

    @property
    def simple(self) -> list[tuple[lw.Expr, lw.Expr]]:
        """Coordinates whose rates are speeds."""
        pairs = [(q, u) for link in self.built.links for q, u in zip(link.q, link.u, strict=False)
                 if len(link.q) == len(link.u)]  # fmt: skip
        return pairs or [(link.q[0], link.u[0]) for link in self.built.links if link.q and link.joint.slides]

    def value(self, what: lw.Expr) -> float:
        """A number at the state."""
        equations = self.equations
        g = equations.system.graph
        nodes = rebuild(g, [what.node], equations.derivation.kinematics.replaced)
        x = np.concatenate([[self.state.t], *self.state.q, *self.state.u, [self.state.r]])
        inputs = (*equations.arguments[: len(x)], *equations.system.p)
        p = [equations.system.values[s] for s in equations.system.p]
        return float(Function(lower(g, nodes, inputs))(np.concatenate([x, p]))[0])

    def add(self, recipe: str, *what: Any, met: bool = True) -> None:
        """A constraint; what is met may be used again."""
        self.model.constraint(f"{recipe}{len(self.names)}", list(what))
        self.names.append(recipe)
        if met:
            self.scalars += what

    def point(self, i: int) -> lw.Point:
        return self.built.point((i, triple(self.rng)), f"P{len(self.names)}_{i}")

    def two(self) -> tuple[lw.Point, lw.Point]:
        a = self.rng.randrange(len(self.built.frames))
        b = self.rng.choice([i for i in range(-1, len(self.built.frames)) if i != a])
        return self.point(a), self.point(b)


# --- rows that are regular almost everywhere --------------------------------------------------------------------------


def gear(b: Bench) -> None:
    """Two coordinates, or two speeds, in a ratio."""
    (q, u), (p, v) = b.rng.choice(b.simple), b.rng.choice(b.simple)
    ratio = b.rng.choice([-2.0, 0.5, 1.5])
    if b.rng.random() < 0.3:
        b.add("gear", u - ratio * v)
    else:
        e = q - ratio * p
        b.add("gear", e - b.value(e))


def loop(b: Bench) -> None:
    """A point of a body that stays at a point of another, in all directions or some."""
    P, Q = b.two()
    r = P.position(Q)
    measures = [e - b.value(e) for e in r.measures(b.model.frame)]
    b.add("loop", *b.rng.sample(measures, b.rng.choice([1, 2, 3])))


def distance(b: Bench) -> None:
    """Two points at a distance, or at its square."""
    P, Q = b.two()
    r = P.position(Q)
    e = r.dot(r) if b.rng.random() < 0.5 else r.magnitude()
    b.add("distance", e - b.value(e))


def rolling(b: Bench) -> None:
    """A point of a body does not move along a direction of another body."""
    P, _ = b.two()
    axis = b.built.frame(b.rng.randrange(-1, len(b.built.frames))).x
    slip = P.velocity(b.model.frame).dot(axis)
    if not slip.free_symbols:  # 0 = 0 holds nothing
        b.outcome = "refused"
    b.add("rolling", slip)


def prescribed(b: Bench) -> None:
    """A coordinate or a speed that follows time."""
    (q, u), t = b.rng.choice(b.simple), b.model.time
    law = 0.2 * lw.sin(b.rng.uniform(0.5, 3.0) * t)
    b.outcome = "either"
    b.add("prescribed", u - law if b.rng.random() < 0.5 else q - b.value(q) - law)


def moving(b: Bench) -> None:
    """A point that is carried along a direction."""
    e = b.two()[0].position(b.model.origin).dot(b.model.frame.y)
    b.outcome = "either"
    b.add("moving", e - b.value(e) - 0.3 * b.model.time)


# --- rows that repeat others ------------------------------------------------------------------------------------------


def copy(b: Bench) -> None:
    """A row once more, written otherwise: scaled by anything between 1e-6 and 1e6."""
    e = b.rng.choice(b.scalars)
    b.add("copy", b.rng.choice([1.0, -3.0, 1e6, 1e-6]) * e)


def total(b: Bench) -> None:
    """A sum of rows with coefficients; a motion row makes it one."""
    b.add("total", sum((b.rng.uniform(-2.0, 2.0) * _rate(b, e) for e in b.scalars), start=b.scalars[0] * 0.0))


def _rate(b: Bench, e: lw.Expr) -> lw.Expr:
    return e if any(map(_moves, b.scalars)) is _moves(e) else lw.dt(e)


def _moves(e: lw.Expr) -> bool:
    return any(symbol.kind in ("speed", "rate") for symbol in e.free_symbols)


def units(b: Bench) -> None:
    """A gear, or a distance, in units that differ from those of the others by 1e6."""
    (q, _), (p, _), (P, Q) = b.rng.choice(b.simple), b.rng.choice(b.simple), b.two()
    e = q - 0.7 * p if b.rng.random() < 0.5 else P.position(Q).magnitude()
    b.add("units", b.rng.choice([1e6, 1e-6]) * (e - b.value(e)))


REGULAR = (gear, loop, distance, rolling, prescribed, moving, units)
REPEATED: tuple[Callable[[Bench], None], ...] = (copy, total)


# --- rows that contradict others: at the start, or later --------------------------------------------------------------


def other_value(b: Bench) -> None:
    """What is held at one value, at another one as well."""
    q, _ = b.rng.choice(b.simple)
    b.outcome = "refused"
    b.add("other_value", q - b.value(q), 2.0 * (q - b.value(q) - 0.01), met=False)


def other_speed(b: Bench) -> None:
    """A speed that is prescribed twice."""
    _, u = b.rng.choice(b.simple)
    b.outcome = "refused"
    b.add("other_speed", u - 1.0, 3.0 * u - 3.001, met=False)


def other_acceleration(b: Bench) -> None:
    """A speed that is prescribed twice, the same at the start."""
    (_, u), t = b.rng.choice(b.simple), b.model.time
    b.outcome = "refused"
    b.add("other_acceleration", u - 0.5 * t, u - 0.7 * t, met=False)


def parting(b: Bench) -> None:
    """A coordinate that is prescribed twice: the same at the start with two derivatives, then not."""
    (q, _), t = b.rng.choice(b.simple), b.model.time
    b.outcome = "refused"
    b.add("parting", q - b.value(q) - 0.3 * t, q - b.value(q) - 0.3 * lw.sin(t), met=False)


def clock(b: Bench) -> None:
    """A row that no motion can meet: it holds at the start, and time carries it away."""
    b.outcome = "refused"
    b.add("clock", b.rng.choice([b.model.time, b.model.time**3, lw.sin(b.model.time)]), met=False)


def out_of_reach(b: Bench) -> None:
    """A point that is carried along faster and faster, until nothing reaches as far."""
    e = b.two()[0].position(b.model.origin).dot(b.model.frame.x)
    b.outcome = "either"
    b.add("out_of_reach", e - b.value(e) - 40.0 * b.model.time**2, met=False)


# --- rows that vanish where they are met ------------------------------------------------------------------------------


def square(b: Bench) -> None:
    """The square of a row: its derivative vanishes where it is met."""
    (q, _), k = b.rng.choice(b.simple), b.rng.choice([2, 3])
    b.outcome = "either"
    b.add("square", (q - b.value(q)) ** k, met=False)


def squares(b: Bench) -> None:
    """A sum of squares: one row that holds two coordinates."""
    (q, _), (p, _) = b.rng.choice(b.simple), b.rng.choice(b.simple)
    b.outcome = "either"
    b.add("squares", (q - b.value(q)) ** 2 + (p - b.value(p)) ** 2, met=False)


def crossing(b: Bench) -> None:
    """A product of two rows, both zero: two branches of motion cross."""
    (q, _), (p, _) = b.rng.choice(b.simple), b.rng.choice(b.simple)
    b.outcome = "either"
    b.add("crossing", (q - b.value(q)) * (p - b.value(p)), met=False)


def corner(b: Bench) -> None:
    """A distance of nothing: it has no derivative."""
    P, _ = b.two()
    Q = P.at(f"{P.name}_again", b.built.frames[0].x * 0.0)
    r = P.position(Q) + (b.simple[0][0] - b.value(b.simple[0][0])) * b.model.frame.x
    b.outcome = "either"
    b.add("corner", r.magnitude(), met=False)


def pole(b: Bench) -> None:
    """A row that has no value where the run starts."""
    q, u = b.rng.choice(b.simple)
    b.outcome = "either"
    b.add("pole", u / (q - b.value(q)) if b.rng.random() < 0.5 else lw.log(q - b.value(q)), met=False)


CONTRADICTORY = (other_value, other_speed, other_acceleration, parting, clock, out_of_reach)
VANISHING = (square, squares, crossing, corner, pole)
