"""Shapes that may touch, each fixed in a body or in N."""

from latchwork.contact.shapes.base import Shape
from latchwork.contact.shapes.flat import Line, Plane, Polyline, Segment
from latchwork.contact.shapes.round import Arc, Capsule, Circle, Rim, Sphere

__all__ = ["Arc", "Capsule", "Circle", "Line", "Plane", "Polyline", "Rim", "Segment", "Shape", "Sphere"]
