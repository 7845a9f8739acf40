"""Makers of constraints, by the names they have in a model: each gives rows and the force or torque behind every row.

A model's methods of these names add what they make to the model; what is made here can be embedded by itself.
"""

from __future__ import annotations

from latchwork.constraint.joints.closure import close
from latchwork.constraint.joints.couplings import cam, couple, gear, mesh, only, prescribe, rack, screw, slide, turn
from latchwork.constraint.joints.guides import curve, distance, implicit, plane, slot
from latchwork.constraint.joints.rolling import roll, wheel_foot
from latchwork.constraint.joints.sides import Side

__all__ = [
    "Side", "cam", "close", "couple", "curve", "distance", "gear", "implicit", "mesh", "only", "plane", "prescribe",
    "rack", "roll", "screw", "slide", "slot", "turn", "wheel_foot",
]  # fmt: skip
