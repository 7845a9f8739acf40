"""Reference frames: a tree of rotations, each a simple turn about a shared axis or a matrix of direction cosines.

A vector's measure numbers travel between frames along the tree, one turn at a time; successive turns about one axis are
merged (``cos(q1 + q2)``), and components along a turn's axis pass untouched, so that zeros stay structural.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from latchwork.errors import ModelError, answering, listed, must_be_name
from latchwork.mechanics.algebra import (
    NULL,
    UNITS,
    Square,
    Triple,
    add3,
    cross3,
    dot3,
    matvec,
    scale3,
    similar,
    transpose,
    turn,
    turn_square,
)
from latchwork.symbolic.derivative import rates, tangents
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import MINUS_ONE, ONE, TWO, ZERO

if TYPE_CHECKING:
    from latchwork.mechanics.tree import Tree
    from latchwork.mechanics.vector import Vector

AXES = "xyz"
OPPOSITE: Square = ((MINUS_ONE, ZERO, ZERO), (ZERO, MINUS_ONE, ZERO), (ZERO, ZERO, MINUS_ONE))


@dataclass(frozen=True)
class Turn:
    """A simple rotation: the child is the parent turned by ``angle`` about their common axis 0, 1 or 2."""

    axis: int
    angle: int


@dataclass(frozen=True)
class Cosines:
    """Direction cosines: ``a_parent = matrix · a_child``; ``spin`` holds ω of the child in the parent, child measures,

    in terms of q̇ (worked out from the matrix, or from what the matrix was made of).
    """

    matrix: Square
    spin: Triple


Edge = Turn | Cosines
Step = Turn | tuple[Square, bool]


@answering
class Frame:
    """A reference frame; ``frame.x``, ``frame.y``, ``frame.z`` are its unit vectors."""

    def __init__(self, tree: Tree, name: str, parent: Frame | None = None, edge: Edge | None = None,
                 recipe: dict[str, Any] | None = None) -> None:  # fmt: skip
        self.tree = tree
        self.graph: Graph = tree.graph
        self.name = name
        self.parent = parent
        self.edge = edge
        self.recipe = recipe or {}
        self.depth: int = 0 if parent is None else parent.depth + 1
        self.spun: Vector | None = None
        self._spin: Triple | None = None
        self._paths: dict[Frame, tuple[Step, ...]] = {}
        self.axis_homes: tuple[Frame, ...] = tuple(
            parent.axis_homes[k] if parent is not None and isinstance(edge, Turn) and edge.axis == k else self
            for k in range(3)
        )
        tree.register_frame(self)

    def __repr__(self) -> str:
        return self.name

    # --- unit vectors -------------------------------------------------------------------------------------------

    def vector(self, x: Any = 0.0, y: Any = 0.0, z: Any = 0.0) -> Vector:
        """x·frame.x + y·frame.y + z·frame.z."""
        from latchwork.mechanics.vector import Vector

        g = self.graph
        return Vector(self.tree, {self: (operand(g, x), operand(g, y), operand(g, z))})

    @property
    def x(self) -> Vector:
        return self._unit(0)

    @property
    def y(self) -> Vector:
        return self._unit(1)

    @property
    def z(self) -> Vector:
        return self._unit(2)

    def _unit(self, axis: int) -> Vector:
        from latchwork.mechanics.vector import Vector

        return Vector(self.tree, {self: UNITS[axis]})

    # --- children -----------------------------------------------------------------------------------------------

    def rotated(self, name: str, angle: Any, axis: Vector) -> Frame:
        """A frame turned from this one by ``angle`` about ``axis``, a vector fixed in this frame."""
        if not hasattr(axis, "parts"):
            raise ModelError(f"frame '{name}' turns about a vector; got {axis!r}. For example {self.name}.z.")
        direction = axis.components(self)
        recipe = {"rotate": {"angle": Expr(self.graph, operand(self.graph, angle)), "axis": axis}}
        a = operand(self.graph, angle)
        if direction in UNITS:
            return Frame(self.tree, name, self, Turn(UNITS.index(direction), a), recipe)
        if direction in OPPOSITE:
            return Frame(self.tree, name, self, Turn(OPPOSITE.index(direction), self.graph.neg(a)), recipe)
        return Frame(self.tree, name, self, _rodrigues(self.graph, a, direction, name), recipe)

    def body_fixed(self, name: str, sequence: str, *angles: Any) -> Frame:
        """Three turns about the *new* axes, e.g. ``N.body_fixed("B", "zxz", q1, q2, q3)``."""
        return self._sequence(name, sequence, angles, {"body": {"sequence": sequence, "angles": _list(self, angles)}})

    def space_fixed(self, name: str, sequence: str, *angles: Any) -> Frame:
        """Three turns about the axes of *this* frame; the same as body-fixed turns in reverse order."""
        recipe = {"space": {"sequence": sequence, "angles": _list(self, angles)}}
        turned = sequence[::-1] if isinstance(sequence, str) else sequence
        return self._sequence(name, turned, angles[::-1], recipe)

    def _sequence(self, name: str, sequence: str, angles: tuple[Any, ...], recipe: dict[str, Any]) -> Frame:
        must_be_name(name, "a frame")
        if not isinstance(sequence, str) or not 1 <= len(sequence) == len(angles) or set(sequence) - set(AXES):
            raise ModelError(
                f"frame '{name}': a sequence is made of x, y, z with one angle each; got {sequence!r} with "
                f"{len(angles)} angles. For example N.body_fixed('B', 'zxz', q1, q2, q3)."
            )
        frame = self
        for i, (axis, angle) in enumerate(zip(sequence, angles, strict=True)):
            last = i == len(sequence) - 1
            edge = Turn(AXES.index(axis), operand(self.graph, angle))
            label = name if last else name + "'" * (i + 1)
            frame = Frame(self.tree, label, frame, edge, recipe if last else {"within": name})
        return frame

    def quaternion(self, name: str, e0: Any, e1: Any, e2: Any, e3: Any) -> Frame:
        """Orientation by Euler parameters, scalar first, of unit length: runs start so, audits say how far they stray.

        R = (e0² + e1² - e2² - e3², ...) and ω = 2 (e0 ė - ė0 e - e × ė) in the new frame.
        """
        e = tuple(operand(self.graph, value) for value in (e0, e1, e2, e3))
        recipe = {"quaternion": _list(self, (e0, e1, e2, e3))}
        return Frame(self.tree, name, self, _euler_parameters(self.graph, e), recipe)

    def cosines(self, name: str, matrix: Any) -> Frame:
        """Orientation by direction cosines: ``matrix[i][j]`` = (axis i of this frame) · (axis j of the new one)."""
        advice = "Give three rows of three."
        rows = [[operand(self.graph, value) for value in listed(row, "a row of direction cosines", advice)]
                for row in listed(matrix, f"direction cosines of '{name}'", advice)]  # fmt: skip
        if len(rows) != 3 or any(len(row) != 3 for row in rows):
            raise ModelError(f"frame '{name}': direction cosines are three rows of three; got {len(rows)} rows.")
        square: Square = tuple(tuple(row) for row in rows)  # type: ignore[assignment]
        recipe = {"cosines": [[Expr(self.graph, value) for value in row] for row in rows]}
        return Frame(self.tree, name, self, Cosines(square, _spin_of(self.graph, square)), recipe)

    def spinning(self, name: str, x: Any = 0.0, y: Any = 0.0, z: Any = 0.0) -> Frame:
        """A frame of which only the spin in this one is known, ω = x self.x + y self.y + z self.z.

        For wheels and rotors whose angle is left out of the coordinates: their orientation must not matter, so what is
        fixed in the body (its inertia) is written in this frame.
        """
        spin = tuple(operand(self.graph, value) for value in (x, y, z))
        return Frame(self.tree, name, self, Cosines(UNITS, spin), {"spinning": _list(self, (x, y, z))})  # type: ignore[arg-type]

    # --- orientation and angular velocity -----------------------------------------------------------------------

    def ancestry(self) -> list[Frame]:
        """This frame, its parent, ... up to the Newtonian frame."""
        chain, frame = [], self
        while frame is not None:
            chain.append(frame)
            frame = frame.parent  # type: ignore[assignment]
        return chain

    def path(self, other: Frame) -> tuple[Step, ...]:
        """The steps that carry measure numbers from this frame to another, turns about one axis merged."""
        found = self._paths.get(other)
        if found is None:
            found = self._paths[other] = _merge(self.graph, _steps(self, other))
        return found

    def carry(self, a: Triple, other: Frame) -> Triple:
        """Measure numbers in this frame to measure numbers in another."""
        if other is self or a == (ZERO, ZERO, ZERO):
            return a
        g = self.graph
        for step in self.path(other):
            if isinstance(step, Turn):
                a = turn(g, step.axis, step.angle, a)
            else:
                a = matvec(g, step[0], a)
        return a

    def carry_square(self, m: Square, other: Frame) -> Square:
        """Nine measure numbers in this frame to those in another: R m Rᵀ; what is symmetric stays so."""
        for step in self.path(other) if m != (NULL, NULL, NULL) else ():
            if isinstance(step, Turn):
                m = turn_square(self.graph, step.axis, step.angle, m)
            else:
                m = similar(self.graph, step[0], m)
        return m

    def direction_cosines(self, other: Frame) -> list[list[Expr]]:
        """R with R[i][j] = (axis i of this frame) · (axis j of the other): a_self = R a_other."""
        self.tree.must_be_frame(other, f"what the axes of '{self.name}' are compared with")
        columns = [other.carry(unit, self) for unit in UNITS]
        return [[Expr(self.graph, columns[j][i]) for j in range(3)] for i in range(3)]

    def angular_velocity(self, other: Frame | None = None) -> Vector:
        """ω of this frame in another (default: the Newtonian frame), in terms of q̇."""
        from latchwork.mechanics.vector import Vector

        other = self.tree.newtonian if other is None else other
        self.tree.must_be_frame(other, f"what '{self.name}' turns in")
        top = common_ancestor(self, other)
        total = Vector(self.tree, {})
        for frame, sign in ((self, 1.0), (other, -1.0)):
            while frame is not top:
                assert frame.parent is not None
                total = total + sign * frame.relative_spin()
                frame = frame.parent
        return total

    def spin_measures(self) -> Triple:
        """Measure numbers in this frame of its ω in the Newtonian frame, in terms of q̇; worked out outward, once."""
        chain = [frame for frame in self.ancestry() if frame._spin is None]
        for frame in reversed(chain):
            parent = frame.parent
            base = NULL if parent is None or parent._spin is None else parent.carry(parent._spin, frame)
            frame._spin = add3(self.graph, base, relative_spin(frame)) if parent is not None else NULL
        assert self._spin is not None
        return self._spin

    def relative_spin(self) -> Vector:
        """ω of this frame in its parent, in terms of q̇, written in this frame."""
        from latchwork.mechanics.vector import Vector

        return Vector(self.tree, {self: relative_spin(self)})

    def spin(self, reference: Frame, omega: Vector) -> None:
        """Declare the angular velocity of this frame in ``reference`` (the Newtonian frame).

        It is used when equations are derived, and checked there against the coordinates at random states.
        """
        self.tree.must_be_newtonian(reference, f"the angular velocity of '{self.name}'")
        if not hasattr(omega, "parts"):
            raise ModelError(f"the angular velocity of '{self.name}' is {omega!r}. Give a vector, such as u1*N.z.")
        self.spun = omega


# --- how frames are oriented --------------------------------------------------------------------------------------


def relative_spin(frame: Frame) -> Triple:
    """Measure numbers in ``frame`` of its angular velocity in its parent, in terms of q̇."""
    edge = frame.edge
    if isinstance(edge, Turn):
        rate = tangents(frame.graph, [edge.angle], rates(frame.graph, [edge.angle]))[0]
        return scale3(frame.graph, rate, UNITS[edge.axis])
    assert isinstance(edge, Cosines)
    return edge.spin


def common_ancestor(a: Frame, b: Frame) -> Frame:
    """The deepest frame above both."""
    a.tree.must_own(b)
    while a is not b:
        if a.depth >= b.depth:
            assert a.parent is not None, "frames of one model share a root"
            a = a.parent
        else:
            assert b.parent is not None
            b = b.parent
    return a


def _steps(start: Frame, end: Frame) -> list[Step]:
    top = common_ancestor(start, end)
    up: list[Step] = []
    frame = start
    while frame is not top:
        up.append(frame.edge if isinstance(frame.edge, Turn) else (frame.edge.matrix, False))  # type: ignore[union-attr]
        frame = frame.parent  # type: ignore[assignment]
    down: list[Step] = []
    frame = end
    while frame is not top:
        edge = frame.edge
        if isinstance(edge, Turn):
            down.append(Turn(edge.axis, start.graph.neg(edge.angle)))
        else:
            down.append((transpose(edge.matrix), True))  # type: ignore[union-attr]
        frame = frame.parent  # type: ignore[assignment]
    return up + down[::-1]


def _merge(g: Graph, steps: list[Step]) -> tuple[Step, ...]:
    """R(k, a) R(k, b) = R(k, a + b); turns by nothing vanish; a matrix met by its transpose vanishes."""
    merged: list[Step] = []
    for step in steps:
        last = merged[-1] if merged else None
        if isinstance(step, Turn) and isinstance(last, Turn) and last.axis == step.axis:
            merged.pop()
            step = Turn(step.axis, g.add(last.angle, step.angle))
        if not (isinstance(step, Turn) and step.angle == ZERO):
            merged.append(step)
    return tuple(merged)


def _rodrigues(g: Graph, angle: int, axis: Triple, name: str) -> Cosines:
    """R = c U + s [λ×] + (1 - c) λ λᵀ, ω = θ̇ λ, for a unit vector λ fixed in both frames."""
    if rates(g, list(axis)) and any(tangents(g, list(axis), rates(g, list(axis)))[k] != ZERO for k in range(3)):
        raise ModelError(f"frame '{name}': the axis of a simple rotation must be fixed in the parent; it varies.")
    norm = g.sqrt(dot3(g, axis, axis))
    axis = tuple(g.div(component, norm) for component in axis)  # type: ignore[assignment]
    c, s = g.cos(angle), g.sin(angle)
    columns = []
    for unit in UNITS:
        along = scale3(g, g.mul(g.sub(ONE, c), dot3(g, axis, unit)), axis)
        columns.append(add3(g, add3(g, scale3(g, c, unit), scale3(g, s, cross3(g, axis, unit))), along))
    rate = tangents(g, [angle], rates(g, [angle]))[0]
    return Cosines(transpose((columns[0], columns[1], columns[2])), scale3(g, rate, axis))


def _euler_parameters(g: Graph, e: tuple[int, ...]) -> Cosines:
    e0, v = e[0], (e[1], e[2], e[3])
    rate = tangents(g, list(e), rates(g, list(e)))
    d0, d = rate[0], (rate[1], rate[2], rate[3])
    spin = add3(g, scale3(g, e0, d), add3(g, scale3(g, g.neg(d0), v), cross3(g, d, v)))

    def entry(i: int, j: int) -> int:
        if i == j:  # 1 - 2 (e_k² + e_l²)
            k, m = (i + 1) % 3, (i + 2) % 3
            return g.sub(ONE, g.mul(TWO, g.add(g.mul(v[k], v[k]), g.mul(v[m], v[m]))))
        k = 3 - i - j
        sign = g.neg(e0) if (j - i) % 3 == 1 else e0
        return g.mul(TWO, g.add(g.mul(v[i], v[j]), g.mul(sign, v[k])))

    matrix: Square = tuple(tuple(entry(i, j) for j in range(3)) for i in range(3))  # type: ignore[assignment]
    return Cosines(matrix, scale3(g, TWO, spin))


def _spin_of(g: Graph, matrix: Square) -> Triple:
    """ω_child = (c3 · ċ2, ...) from Rᵀ Ṙ = [ω×], with columns c of R."""
    columns = transpose(matrix)
    flat = [value for column in columns for value in column]
    rate = tangents(g, flat, rates(g, flat))
    dots: list[Triple] = [(rate[3 * k], rate[3 * k + 1], rate[3 * k + 2]) for k in range(3)]
    return dot3(g, columns[2], dots[1]), dot3(g, columns[0], dots[2]), dot3(g, columns[1], dots[0])


def _list(frame: Frame, values: tuple[Any, ...]) -> list[Expr]:
    return [Expr(frame.graph, operand(frame.graph, value)) for value in values]
