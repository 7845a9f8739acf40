"""Long beams and large bending: a chain of beams, each small in its own frame, clamped to the section before it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from latchwork.contact.curves import Curve
from latchwork.contact.shapes.base import numeric
from latchwork.errors import ModelError
from latchwork.flexible.beam import Beam, beam_of, integral_names
from latchwork.flexible.end_conditions import polynomial_shapes
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.point import Point
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.tidy import tidy

if TYPE_CHECKING:
    from latchwork.model.model import Model

MAX_SEGMENTS = 500


@dataclass(frozen=True, eq=False)
class SegmentedBeam:
    """Equal beams in a row; s runs through all of them."""

    name: str
    segments: tuple[Beam, ...]
    length: Expr
    recipe: dict[str, Any] = field(default_factory=dict, repr=False)  # what it was made of, for files

    def __repr__(self) -> str:
        return self.name

    @property
    def frame(self) -> Frame:
        return self.segments[0].frame

    @property
    def root(self) -> Point:
        return self.segments[0].root

    @property
    def q(self) -> tuple[Expr, ...]:
        """Elastic coordinates of all segments."""
        return tuple(q for segment in self.segments for q in segment.q)

    @property
    def stations(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arc lengths of the points and of the frames that were made along the beam, by their names."""
        found: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        for k, segment in enumerate(self.segments):
            for table, own in zip(found, segment.stations, strict=True):
                joints = {segment.tip.name, segment.tip_frame.name} if k + 1 < len(self.segments) else set()
                start = k * segment.length
                table |= {name: start + s for name, s in own.items() if name not in joints}
        return found

    @property
    def tip(self) -> Point:
        """The point at s = L."""
        return self.segments[-1].tip

    @property
    def tip_frame(self) -> Frame:
        """The frame of the section at s = L."""
        return self.segments[-1].tip_frame

    def at(self, s: Any, name: str | None = None) -> Point:
        """The point of the axis at arc length s, a number."""
        segment, local = self._place(s)
        return segment.at(local, name)

    def frame_at(self, s: Any, name: str | None = None) -> Frame:
        """The frame of the section at arc length s, a number."""
        segment, local = self._place(s)
        return segment.frame_at(local, name)

    def curve(self, side: int = 1, height: Any = 0.0, ends: bool = True) -> Curve:
        """Refused: each segment has a curve of its own."""
        raise ModelError(f"the curve of the segmented beam '{self.name}' would have corners where segments join. Give "
                         f"contacts the curves of its segments, {self.name}.segments[0].curve(), or points of it, "
                         "beam.at(s).")  # fmt: skip

    def _place(self, s: Any) -> tuple[Beam, Expr]:
        g, n = self.frame.graph, len(self.segments)
        x = tidy([Expr(g, operand(g, s)) / self.length])[0]
        if not x.is_constant or not -1e-12 <= float(x) <= 1.0 + 1e-12:
            raise ModelError(f"a place on the segmented beam '{self.name}' is an arc length from 0 to {self.length} "
                             f"that is fixed; got s = {s}. What slides along a beam takes one without "
                             "segments.")  # fmt: skip
        k = min(int(float(x) * n * (1 + 1e-14)), n - 1)
        return self.segments[k], (float(x) * n - k) * self.segments[k].length


def beam_or_segments(model: Model, name: str, frame: Frame, root: Point, length: Any, segments: Any, modes: Any,
                     **options: Any) -> Beam | SegmentedBeam:  # fmt: skip
    """One beam, with three shapes unless more are asked for; or a chain of segments, with two each."""
    if segments == 1 and not isinstance(segments, bool):
        return beam_of(model, name, frame, root, length, modes=3 if modes is None else modes, **options)
    return segmented_beam(model, name, frame, root, length, segments, 2 if modes is None else modes, **options)


def segmented_beam(model: Model, name: str, frame: Frame, root: Point, length: Any, segments: int,
                   modes: Any, shapes: Any, **options: Any) -> SegmentedBeam:  # fmt: skip
    """n beams of length L/n with cubic shapes, as finite elements have them, unless more modes are asked for."""
    if not isinstance(segments, int) or isinstance(segments, bool) or not 1 <= segments <= MAX_SEGMENTS:
        raise ModelError(f"beam '{name}' is to have {segments!r} segments. Give a whole number, 1 to {MAX_SEGMENTS}.")
    if shapes not in ("clamped-free", "clamped"):
        raise ModelError(f"the segments of beam '{name}' are clamped to each other; its shapes are {shapes!r}. Leave "
                         "shapes out, and hold the far end by a joint or constraint at its tip.")  # fmt: skip
    g = model.graph
    part = Expr(g, operand(g, length)) / float(segments)
    shared = None if any(_varies(each) for each in options.values()) else integral_names(model, name)
    made: list[Beam] = []
    for k in range(segments):
        at, point = (frame, root) if k == 0 else (made[-1].tip_frame, made[-1].tip)
        own = {key: _shifted(value, k, part) for key, value in options.items()}
        count = modes if isinstance(modes, int) else modes.get("y", modes.get("z", 2))
        made.append(beam_of(model, f"{name}_{k + 1}", at, point, part, modes=modes,
                            shapes=polynomial_shapes("clamped-free", count), integrals=shared, **own))  # fmt: skip
    return SegmentedBeam(name, tuple(made), Expr(g, operand(g, length)))


def _varies(value: Any) -> bool:
    """Whether a section, or that of one direction, is a function of s."""
    if isinstance(value, dict):
        return any(_varies(each) for each in value.values())
    return callable(value) and not isinstance(value, Expr)


def _shifted(value: Any, k: int, part: Expr) -> Any:
    """A function of s along the whole beam, as one along its k-th part."""
    if isinstance(value, dict):
        return {key: _shifted(each, k, part) for key, each in value.items()}
    if not _varies(value):
        return value
    start = k * (numeric(part) or 0.0)  # a length without a value is refused where the section is read
    return lambda s: value(start + s)
