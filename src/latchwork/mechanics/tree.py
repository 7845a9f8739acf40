"""The geometry of one model: its graph, its tree of frames and its tree of points, and the names they go by."""

from __future__ import annotations

from typing import TYPE_CHECKING

from latchwork.errors import ExpressionError, ModelError, another, must_be, must_be_name
from latchwork.symbolic.graph import Graph

if TYPE_CHECKING:
    from latchwork.mechanics.frame import Frame
    from latchwork.mechanics.point import Point


class Tree:
    """Frames and points in the order they were made: a parent always stands before its children."""

    def __init__(self, graph: Graph) -> None:
        from latchwork.mechanics.frame import Frame
        from latchwork.mechanics.point import Point

        self.graph = graph
        self.frames: dict[str, Frame] = {}
        self.points: dict[str, Point] = {}
        self.newtonian = Frame(self, "N")
        self.origin = Point(self, "O")

    def register_frame(self, frame: Frame) -> None:
        self._register(self.frames, frame.name, frame, "frame")

    def register_point(self, point: Point) -> None:
        self._register(self.points, point.name, point, "point")

    def _register(self, table: dict, name: str, item: object, what: str) -> None:
        must_be_name(name, f"a {what}")
        if name in table:
            raise ModelError(f"the model '{self.graph.name}' has a {what} named '{name}' already. Choose another name.")
        table[name] = item

    def must_be_frame(self, frame: object, what: str) -> None:
        must_be(frame, type(self.newtonian), what, "Give a frame, such as model.frame, link.frame or body.frame.")

    def must_be_point(self, point: object, what: str) -> None:
        must_be(point, type(self.origin), what, "Give a point, such as model.origin, link.origin or body.center.")

    def must_own(self, item: Frame | Point) -> None:
        if item.tree is not self:
            what = type(item).__name__.lower()
            raise ExpressionError(
                f"{what} '{item.name}' belongs to {another(item.tree.graph.name, self.graph.name)}: one "
                f"vector cannot hold {what}s of two models. Create the {what}s in the same model."
            )

    def must_be_newtonian(self, frame: Frame, what: str) -> None:
        self.must_be_frame(frame, f"the frame in which {what} is declared")
        if frame is not self.newtonian:
            raise ModelError(
                f"{what} can only be declared in the Newtonian frame '{self.newtonian.name}', not in '{frame.name}'. "
                "Add the motion of the frame in between and declare the sum."
            )
