"""The words of a model file for constraints, one row each."""

from __future__ import annotations

from latchwork.formats.model_file.grammar import Field, Listed, Shape

POINT = Field("point", "the point that is guided", needed=True)
GUIDE = {
    "on": Field("frame", "what guides it: a frame, joint or body; N unless given"),
    "at": Field("point", "a point fixed there; the joint's origin, the body's mass centre or O unless given"),
}
RATIO = Field("scalar", "how far or how fast the first moves for each unit of the second", needed=True)


def joint(about: str) -> Field:
    """A joint that must be given."""
    return Field("joint", about, needed=True)


CLOSE = Shape("close", {
    "type": Field("joint type", "which row of the table of joints; any but free", needed=True),
    "a": Field("frame", "one side: a frame, joint or body", needed=True),
    "b": Field("frame", "the other side", needed=True),
    "at": Field("point", "a point fixed in a; its origin or mass centre unless given"),
    "to": Field("point", "a point fixed in b, which the joint brings to the other"),
    "axis": Field(Listed("vector", or_one=True), "its axis, fixed in a; or two: one fixed in a, one in b"),
})  # fmt: skip
ROLL = Shape("roll", {
    "body": Field("frame", "what rolls: a frame, joint or body", needed=True),
    "center": Field("point", "a point fixed in it; its origin or mass centre unless given"),
    "contact": Field("vector", "from that point to where it touches", needed=True),
    "along": Field(Listed("vector", or_one=True), "directions in which it does not slip", needed=True),
    "on": Field("frame", "what it rolls on; N unless given"),
    "at": Field("point", "a point of what it rolls on"),
    "normal": Field("vector", "normal of the plane through that point, on which it then stays"),
})  # fmt: skip
DISTANCE = Shape("distance", {
    "between": Field(Listed("point", count=2), "the two points", needed=True),
    "length": Field("scalar", "their distance, in t and parameters", needed=True),
})  # fmt: skip
SLOT = Shape("slot", {"point": POINT, "axis": Field("vector", "direction of the line", needed=True), **GUIDE})
PLANE = Shape("plane", {"point": POINT, "normal": Field("vector", "normal of the plane", needed=True), **GUIDE})
CURVE = Shape("curve", {
    "point": POINT,
    "parameter": Field("scalar", "a coordinate of the curve's own", needed=True),
    "path": Field("vector", "from `at` to the curve, in terms of that coordinate", needed=True),
    **GUIDE,
})  # fmt: skip
IMPLICIT = Shape("implicit", {
    "point": POINT,
    "zero": Field("scalar", "what must be zero, in x, y, z: measures of the point from `at`", needed=True),
    **GUIDE,
})  # fmt: skip
GEAR = Shape("gear", {
    "a": joint("the joint that is moved"),
    "b": joint("the joint that moves it"),
    "ratio": RATIO,
    "offset": Field("scalar", "coordinate of a where that of b is 0; 0 unless given"),
})  # fmt: skip
MESH = Shape("mesh", {
    "a": Field("frame", "the first wheel", needed=True),
    "b": Field("frame", "the second wheel", needed=True),
    "ratio": RATIO,
    "axis": Field(Listed("vector", or_one=True), "their axes, fixed in the carrier; one or two", needed=True),
    "carrier": Field("frame", "what both turn on; N unless given"),
})  # fmt: skip
RACK = Shape("rack", {
    "rack": joint("the joint that slides"),
    "pinion": joint("the joint that turns"),
    "radius": Field("scalar", "pitch radius of the pinion", needed=True),
})  # fmt: skip
SCREW = Shape("screw", {
    "nut": joint("the joint that slides"),
    "spindle": joint("the joint that turns; the same where it is cylindrical"),
    "pitch": Field("scalar", "how far it slides in one turn", needed=True),
})  # fmt: skip
CAM = Shape("cam", {
    "follower": joint("the joint that follows"),
    "cam": joint("the joint that drives it"),
    "profile": Field("scalar", "coordinate of the follower, in that of the cam", needed=True),
})  # fmt: skip
PRESCRIBE = Shape("prescribe", {
    "what": Field("scalar", "a coordinate, a speed, or an expression in them", needed=True),
    "law": Field("scalar", "what it is, in t and parameters", needed=True),
})  # fmt: skip
WORDS = {
    "zero": Field(Listed("expression", or_one=True), "what must be zero: in q and t, or linear in u"),
    "close": Field(CLOSE, "a loop closed by a joint"),
    "roll": Field(ROLL, "rolling without slip"),
    "distance": Field(DISTANCE, "two points at a distance"),
    "slot": Field(SLOT, "a point on a line"),
    "plane": Field(PLANE, "a point in a plane"),
    "curve": Field(CURVE, "a point on a curve that is given by a parameter"),
    "implicit": Field(IMPLICIT, "a point on a curve or surface that is given by an equation"),
    "gear": Field(GEAR, "two joints that move in proportion"),
    "mesh": Field(MESH, "two wheels on a carrier that turn in proportion"),
    "rack": Field(RACK, "a rack on a pinion"),
    "screw": Field(SCREW, "a screw"),
    "cam": Field(CAM, "a follower on a cam"),
    "prescribe": Field(PRESCRIBE, "motion that follows a law"),
}
CONSTRAINT = Shape("constraint", WORDS, one_of=tuple(WORDS))
