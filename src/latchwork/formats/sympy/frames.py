"""Frames of a SymPy model, made as vectors need them, with the angular velocities SymPy has for them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from latchwork.errors import ModelError
from latchwork.formats.sympy.model import SympyModel
from latchwork.formats.sympy.orientation import as_quaternion, as_sequence, as_turn
from latchwork.formats.sympy.symbols import Names, Symbols
from latchwork.kane.sample import numbers
from latchwork.kane.speeds import Kinematics
from latchwork.mechanics.algebra import UNITS
from latchwork.mechanics.frame import Cosines, Frame
from latchwork.mechanics.system import System
from latchwork.mechanics.vector import Dyadic, Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import SYMBOL

TOLERANCE = 1e-9  # of velocities at random states of order one

Convert = Callable[[list[Any], str], list[Expr]]


def parents(root: Any, neighbours: Callable[[Any], Mapping[Any, Any]]) -> dict[Any, Any]:
    """{item: its parent} of everything that hangs together with the root, nearest first; the root has None."""
    found, queue = {root: None}, [root]
    for item in queue:
        fresh = [other for other in neighbours(item) if other not in found]
        found |= dict.fromkeys(fresh, item)
        queue += fresh
    return found


def lineage(item: Any, above: Mapping[Any, Any], known: Mapping[Any, Any]) -> list[Any]:
    """The item and what stands above it, as far as that is not known yet; the topmost first."""
    chain = []
    while item is not None and item not in known:
        chain.append(item)
        item = above[item]
    return chain[::-1]


def agree(system: System, pairs: Iterable[tuple[Vector, Vector]]) -> list[bool]:
    """Which pairs of vectors, in terms of speeds, are equal at random states."""
    N = system.tree.newtonian
    nodes = [node for pair in pairs for v in pair for node in v.components(N)]
    if not nodes:
        return []
    values = numbers(system, nodes).reshape(-1, len(nodes) // 6, 2, 3)
    gap = np.abs(values[:, :, 0] - values[:, :, 1]).max(axis=(0, 2))
    return list(gap <= TOLERANCE * (1.0 + np.abs(values).max(axis=(0, 2, 3))))


def has_long_rates(kinematics: Kinematics, graph: Graph) -> bool:
    """Whether some q̇ is anything but one of the speeds: then velocities are shorter as they were declared."""
    return any(node < 0 or graph.nodes[node][0] != SYMBOL for node in kinematics.q_rates)


class Frames:
    """Frames by what they are in SymPy, and vectors written in them."""

    def __init__(self, model: SympyModel, symbols: Symbols, newtonian: Any, kinematics: Kinematics) -> None:
        self.model, self.symbols, self.newtonian, self.kinematics = model, symbols, newtonian, kinematics
        self.tree = model.origin.tree
        self.names = Names({"N"})
        self.names.original["N"] = newtonian.name
        self.made: dict[Any, Frame] = {newtonian: model.frame}
        self.items: dict[Frame, Any] = {model.frame: newtonian}
        self._oriented = parents(newtonian, lambda frame: frame._dcm_dict)
        self._spun = parents(newtonian, lambda frame: frame._ang_vel_dict)
        self._omega = {newtonian: Vector(self.tree, {})}

    # --- vectors ------------------------------------------------------------------------------------------------

    def vector(self, value: Any, what: str, convert: Convert | None = None) -> Vector:
        """A vector in the frames it is written in."""
        total = Vector(self.tree, {})
        for measures, frame in value.args:
            x, y, z = (convert or self.symbols.motion)(list(measures), what)
            total = total + self.frame(frame).vector(x, y, z)
        return total

    def dyadic(self, value: Any, what: str) -> Dyadic:
        """A dyadic in the frames it is written in."""
        total = Dyadic(self.tree, {})
        for scalar, left, right in value.args:
            (measure,) = self.symbols.motion([scalar], what)
            total = total + (self.vector(left, what) * measure).outer(self.vector(right, what))
        return total

    def in_speeds(self, v: Vector) -> Vector:
        """q̇ replaced by W u + X."""
        return v.rebuilt(self.kinematics.replaced)

    # --- frames -------------------------------------------------------------------------------------------------

    def frame(self, item: Any) -> Frame:
        """A frame, its parents in SymPy's tree first."""
        if item not in self._oriented:
            self._oriented |= parents(item, lambda frame: frame._dcm_dict)
        for child in lineage(item, self._oriented, self.made):
            self.made[child] = self._spinning(child) if self._oriented[child] is None else self._turned(child)
            self.items[self.made[child]] = child
        return self.made[item]

    def home(self, frame: Frame) -> Frame:
        """The frame at the top of those that a frame is oriented by: N, or one of which only the spin is known."""
        while frame.parent is not None and (frame not in self.items or self._oriented[self.items[frame]] is not None):
            frame = frame.parent
        return frame

    def _turned(self, item: Any) -> Frame:
        """A frame by its direction cosines in its parent: a turn, a sequence, Euler parameters, or the nine of them."""
        parent, matrix = self.made[self._oriented[item]], self._oriented[item].dcm(item)
        name, what = self.names.new(item.name, "F"), f"the orientation of frame '{item.name}'"
        turn = as_turn(matrix)
        if turn is not None:
            (angle,) = self.symbols.motion([turn[1]], what)
            return parent.rotated(name, angle, Vector(self.tree, {parent: UNITS[turn[0]]}))
        sequence = as_sequence(matrix)
        if sequence is not None:
            return parent.body_fixed(name, sequence[0], *self.symbols.motion(list(sequence[1]), what))
        quaternion = as_quaternion(matrix)
        if quaternion is not None:
            e = tuple(self.symbols.motion(list(quaternion), what))
            self.model.keep_unit(e)
            return parent.quaternion(name, *e)
        entries = self.symbols.motion(list(matrix), what)
        return parent.cosines(name, [entries[3 * i : 3 * i + 3] for i in range(3)])

    def _spinning(self, item: Any) -> Frame:
        """A frame of which SymPy knows only the angular velocity, written in frames that are oriented or in itself."""
        what, parent = f"the angular velocity of frame '{item.name}'", self._spun.get(item)
        if parent is None:
            raise ModelError(
                f"frame '{item.name}' hangs in the air: SymPy knows neither its orientation nor its angular velocity "
                f"in '{self.newtonian.name}'. Orient it, or set its angular velocity."
            )
        omega = item._ang_vel_dict[parent]
        written = [frame for _, frame in omega.args]
        if written == [item] and parent is self.newtonian:
            measures = self.symbols.motion(list(omega.args[0][0]), what)
            return self.tree.newtonian.spinning(self.names.new(item.name, "F"), *measures)
        if any(frame in parents(item, lambda frame: frame._dcm_dict) for frame in written):
            raise ModelError(
                f"{what} is written along axes whose orientation SymPy does not know: {omega}. Orient "
                f"'{item.name}', or write its angular velocity in '{self.newtonian.name}' along other axes."
            )
        base = self.frame(parent)
        return base.spinning(self.names.new(item.name, "F"), *self.vector(omega, what).measures(base))

    # --- angular velocities -------------------------------------------------------------------------------------

    def omega(self, item: Any) -> Vector:
        """ω in N in terms of speeds: SymPy's along the shortest way, or what follows from the orientation."""
        above = self._spun if item in self._spun else self._oriented
        for child in lineage(item, above, self._omega):
            base = self._omega[above[child]] if above[child] is not None else Vector(self.tree, {})
            if child in self._spun:
                spin = self.vector(child._ang_vel_dict[above[child]], f"the angular velocity of frame '{child.name}'")
            else:
                spin = self.frame(child).angular_velocity(self.frame(above[child]))
            self._omega[child] = base + self.in_speeds(spin)
        return self._omega[item]

    def declare(self) -> None:
        """Declare the angular velocities that do not follow from orientations, or are shorter as SymPy has them."""
        checked, pairs = [], []
        queue = list(self.made)
        for item in queue:
            parent = self._oriented[item]
            if parent is not None:
                spin = self.omega(item) - self.omega(parent)
                checked.append((item, spin))
                pairs.append((spin, self.in_speeds(self.made[item].angular_velocity(self.made[parent]))))
            queue += [other for other in self.made if other not in queue]
        long = has_long_rates(self.kinematics, self.tree.graph)
        for (item, spin), same in zip(checked, agree(self.model.system(), pairs), strict=True):
            frame = self.made[item]
            if long or not same:
                frame.spin(self.tree.newtonian, self.omega(item))
            elif isinstance(frame.edge, Cosines):
                frame.edge = Cosines(frame.edge.matrix, spin.components(frame))
