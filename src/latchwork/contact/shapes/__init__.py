"""Shapes that may touch, each fixed in a body or in N."""

from latchwork.contact.shapes.base import Shape
from latchwork.contact.shapes.boundary import Boundary
from latchwork.contact.shapes.flat import Line, Plane, Polyline, Segment
from latchwork.contact.shapes.round import Arc, Capsule, Circle, Cone, Cylinder, Rim, Sphere
from latchwork.contact.shapes.solid import Box, Hull

__all__ = [
    "Arc", "Boundary", "Box", "Capsule", "Circle", "Cone", "Cylinder", "Hull", "Line", "Plane", "Polyline", "Rim",
    "Segment", "Shape", "Sphere",
]  # fmt: skip
