"""Control: move and press a constrained mechanism, whatever holds it just now."""

from __future__ import annotations

from latchwork.control.c_export import export_c
from latchwork.control.command import Command
from latchwork.control.cone import Cone
from latchwork.control.controllability import Controllability, controllability, controllability_along
from latchwork.control.law import Law
from latchwork.control.linear_quadratic import Regulator, feed_forward, lqr, stabilised
from latchwork.control.press import Press
from latchwork.control.projected import Impedance, Projected
from latchwork.control.references import minimum_jerk, spline
from latchwork.control.sampled import Sampled
from latchwork.control.sensors import accelerometer, gyro

__all__ = [
    "Command",
    "Cone",
    "Controllability",
    "Impedance",
    "Law",
    "Press",
    "Projected",
    "Regulator",
    "Sampled",
    "accelerometer",
    "controllability",
    "controllability_along",
    "export_c",
    "feed_forward",
    "gyro",
    "lqr",
    "minimum_jerk",
    "spline",
    "stabilised",
]
