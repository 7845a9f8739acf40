"""Forces of what holds in a mode as arrows: where they act and how they point, by one program of the state and λ.

    of a contact      R = λ_0 n + Σ λ_i t_i       on the first of its shapes, where they touch
    of a constraint   R = Σ λ_i d_i               where its first row pulls, if that is known
    of a command      the force or torque of its input, where it acts: those that turn are marked TURNS
    of a target       nothing, where it is: marked AIM
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from latchwork.constraint.joints.spot import Spot
from latchwork.hybrid.trajectory import quantity
from latchwork.kane.equations import Equations
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.realtime.holding import COMMANDED
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import reachable, rebuild
from latchwork.view.live.holding import Known

Array = np.ndarray
TURNS, AIM = " ↻", "◎ "  # behind the names of torques, in front of those of targets
Rows = Sequence[tuple[str, int]]  # names, and how many numbers of λ each has


@dataclass(frozen=True, eq=False)
class Arrows:
    """The arrows of one mode: names, and six numbers each (place, force) as a function of the state and λ."""

    names: tuple[str, ...]
    closed: tuple[str, ...]
    known: Known
    program: Function
    length: int  # of λ

    def numbers(self, t: float, x: Array, rest: Array, lam: Array) -> Array:
        """Place and force of every arrow; nothing where λ is not that of this mode."""
        if len(lam) != self.length or not self.names:
            return np.zeros(6 * len(self.names))
        return self.program(np.concatenate([self.known.state(t, x, rest, self.closed), lam]))


def arrows_of(known: Known, rows: Rows, targets: Sequence[Point] = ()) -> Arrows:
    """The arrows of what holds, in the order of its forces, of commands, and of targets."""
    equations = known.equations
    g = equations.system.graph
    lam = [Expr(g, g.symbol(f"arrow {i}", "multiplier")) for i in range(sum(count for _, count in rows))]
    found: dict[str, tuple[Vector, Vector]] = {}
    first = 0
    for name, count in rows:
        made = _exerted(known, name, lam[first : first + count])
        first += count
        if made is not None:
            found[name] = made
        elif name.endswith(COMMANDED):
            found |= _commanded(equations, name.removesuffix(COMMANDED), lam[first - 1])
    found |= {f"{AIM}{point.name}": (point.position(), 0.0 * equations.system.tree.newtonian.x) for point in targets}
    nodes = [node for pair in found.values() for vector in pair for node in quantity(equations, vector)[0]]
    closed = rebuild(g, equations.in_states(nodes), known.driven.laws)
    program = Function(lower(g, closed, (*known.arguments, *lam)))
    return Arrows(tuple(found), tuple(name for name, _ in rows), known, program, len(lam))


def _exerted(known: Known, name: str, lam: Sequence[Expr]) -> tuple[Vector, Vector] | None:
    """Where and what a contact or a constraint exerts; nothing where that is not known."""
    touch = known.touches.get(name)
    if touch is not None:
        ways = (touch.feature.normal, *touch.tangents)[: len(lam)]
        tracked = touch.feature.tracked
        if isinstance(touch.feature.on, Frame) or not touch.feature.has_wrench:
            return None
        place = _place(touch.feature.on) if tracked is None else tracked.host
        return place, _sum([way * force for way, force in zip(ways, lam, strict=False)])
    constraint = known.constraints.get(name)
    if constraint is None or len(constraint.pulls) != len(lam):
        return None
    pulls = [(pull, force) for pull, force in zip(constraint.pulls, lam, strict=True) if pull is not None]
    pulls = [(pull, force) for pull, force in pulls if not isinstance(pull.on, Frame)]
    return (_place(pulls[0][0].on), _sum([pull.direction * force for pull, force in pulls])) if pulls else None


def _commanded(equations: Equations, name: str, value: Expr) -> dict[str, tuple[Vector, Vector]]:
    """The first force or torque that an input makes, with a value of it, where it acts."""
    system, g = equations.system, equations.system.graph
    node = next((symbol.node for symbol in system.r if symbol.name == name), None)
    for load in system.loads:
        for at, vector in (*getattr(load, "forces", ()), *getattr(load, "torques", ())):
            place = at.position() if isinstance(at, Point) else _origin(system, at)
            if node is None or place is None or node not in reachable(g, _nodes(vector)):
                continue
            parts = {frame: tuple(rebuild(g, list(part), {node: value.node})) for frame, part in vector.parts.items()}
            return {name + (TURNS if isinstance(at, Frame) else ""): (place, Vector(vector.tree, parts))}  # type: ignore[arg-type]
    return {}


def _nodes(vector: Vector) -> list[int]:
    return [node for part in vector.parts.values() for node in part]


def _origin(system: Any, frame: Frame) -> Vector | None:
    """Where the joint of a frame is."""
    found = [link.origin.position() for link in system.links if link.frame is frame]
    return found[0] if found else None


def _place(on: Any) -> Vector:
    if isinstance(on, Spot):
        return on.point.position() + on.arm
    assert isinstance(on, Point), "a force acts at a point"
    return on.position()


def _sum(vectors: Sequence[Vector]) -> Vector:
    return reduce(lambda a, b: a + b, vectors)
