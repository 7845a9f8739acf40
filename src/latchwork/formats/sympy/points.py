"""Points of a SymPy model: located where their velocity follows from their position, else with a declared velocity."""

from __future__ import annotations

from typing import Any

from latchwork.errors import ModelError
from latchwork.formats.sympy.frames import Frames, agree, has_long_rates, lineage, parents
from latchwork.formats.sympy.symbols import Names
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.derivative import tangents


class Points:
    """Points by what they are in SymPy; of those that hang together by positions, one is the root of the others."""

    def __init__(self, frames: Frames) -> None:
        self.frames, self.tree = frames, frames.tree
        self.names = Names({"O"})
        self.made: dict[Any, Point] = {}
        self._above: dict[Any, Any] = {}
        self.velocity: dict[Any, Vector] = {}

    def point(self, item: Any) -> Point:
        """A point, the points it is located by first."""
        if item not in self._above:
            self._above |= parents(self._root(item), lambda point: point._pos_dict)
        for child in lineage(item, self._above, self.made):
            self.made[child] = self._root_point(child) if self._above[child] is None else self._located(child)
        return self.made[item]

    def at_rest(self, item: Any) -> bool:
        """Whether SymPy says that a point does not move in N."""
        velocity = self._declared(item)
        return velocity is not None and not velocity.args

    def _declared(self, item: Any) -> Any:
        return item._vel_dict.get(self.frames.newtonian)

    def _root(self, item: Any) -> Any:
        """The nearest point at rest, or else with the shortest velocity, among those whose positions hang together."""
        moving = [point for point in parents(item, lambda point: point._pos_dict) if self._declared(point) is not None]
        if not moving:
            raise ModelError(
                f"point '{item.name}' has no velocity in '{self.frames.newtonian.name}', nor has any point it is "
                f"located by. Set one: {item.name}.set_vel({self.frames.newtonian.name}, ...)."
            )
        fixed = [point for point in moving if self.at_rest(point)]
        return fixed[0] if fixed else min(moving, key=lambda point: _length(self._declared(point)))

    def _root_point(self, item: Any) -> Point:
        if self.at_rest(item) and self.tree.origin not in self.made.values():
            self.names.original["O"] = item.name
            return self.tree.origin
        return self.tree.origin.at(self.names.new(item.name, "P"), Vector(self.tree, {}))

    def _located(self, item: Any) -> Point:
        parent = self._above[item]
        offset = self.frames.vector(item._pos_dict[parent], f"the position of point '{item.name}'")
        return self.made[parent].at(self.names.new(item.name, "P"), offset)

    # --- velocities ---------------------------------------------------------------------------------------------

    def declare(self) -> None:
        """Declare the velocities that do not follow from positions, or are shorter as SymPy has them."""
        checked, pairs = [], []
        for item, point in self.made.items():
            worked = self._worked_out(item, point)
            given = self._declared(item)
            self.velocity[item] = worked if given is None else self._in_speeds(given, item)
            if given is not None and point is not self.tree.origin:
                checked.append(item)
                pairs.append((self.velocity[item], worked))
        long = has_long_rates(self.frames.kinematics, self.tree.graph)
        for item, same in zip(checked, agree(self.frames.model.system(), pairs), strict=True):
            located = same and self._above[item] is not None
            if long or not located:
                self.made[item].moves(self.tree.newtonian, self.velocity[item], located=located)

    def _in_speeds(self, velocity: Any, item: Any) -> Vector:
        return self.frames.in_speeds(self.frames.vector(velocity, f"the velocity of point '{item.name}'"))

    def _worked_out(self, item: Any, point: Point) -> Vector:
        """v of the point it is located by, plus Σ ṗ_F + ω_F × p_F."""
        if self._above[item] is None:
            return Vector(self.tree, {})
        total = self.velocity[self._above[item]]
        for frame, part in point.offset.parts.items():
            rate = tangents(self.tree.graph, list(part), self.frames.kinematics.along)
            total = total + Vector(self.tree, {frame: (rate[0], rate[1], rate[2])})
            omega = self.frames.omega(self.frames.items[frame]).to(frame)
            total = total + omega.cross(Vector(self.tree, {frame: part}))
        return total


def _length(velocity: Any) -> int:
    return sum(1 + int(entry.count_ops()) for measures, _ in velocity.args for entry in measures if entry != 0)
