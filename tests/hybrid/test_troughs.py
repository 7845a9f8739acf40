"""A disk in a trough that is tighter than itself: it touches two places of one curve."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.optimize import brentq

import latchwork as lw

R, MIDDLE = 0.5, -math.pi / 8  # the disk, and the lowest place of y = 0.2 sin 4x, whose radius there is 0.3125


def rolled(ranges: dict[str, tuple[float, float]], friction: float | None) -> lw.Trajectory:
    """A disk let go beside the trough, over parts of the curve, a contact for each."""
    model = lw.Model("trough")
    link, N, O = model.planar("A"), model.frame, model.origin
    body = model.body("disk", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    model.gravity(-9.81 * N.y)
    for name, part in ranges.items():
        curve = lw.Curve(O, lambda x: x * N.x + 0.2 * lw.sin(4.0 * x) * N.y, part)
        model.contact(name, lw.Circle(link.origin, R, body=body), curve, friction=friction)
    return lw.simulate(model, until=1.5, q=[MIDDLE - 0.45, 0.85, 0.0])


@pytest.mark.parametrize("friction", [None, 0.3])
def test_a_disk_rests_on_both_halves_of_a_trough(friction):
    """It ends on two places, δ off the middle with δ² (1 + 1/f′²) = R², f = −0.2 cos 4δ, whose forces carry it."""
    run = rolled({"left": (-3.0, MIDDLE), "right": (MIDDLE, 3.0)}, friction)
    slope = lambda d: 0.8 * math.sin(4.0 * d)  # noqa: E731
    d = brentq(lambda d: d * d * (1.0 + 1.0 / slope(d) ** 2) - R * R, 1e-3, 0.38)
    x, y = run["q_A_px"], run["q_A_py"]
    assert [x[-1], y[-1]] == pytest.approx([MIDDLE, d / slope(d) - 0.2 * math.cos(4.0 * d)], abs=1e-8)
    s = np.linspace(-1.5, 0.5, 20001)
    assert min(np.hypot(s - a, 0.2 * np.sin(4.0 * s) - b).min() for a, b in zip(x, y, strict=True)) > R - 1e-9


def test_two_places_of_one_curve_are_refused():
    """Where a closed contact meets its curve at a second place, the run says so and does not sink in."""
    with pytest.raises(lw.IntegrationError, match="'ground' is closed, and its shapes meet at a second place"):
        rolled({"ground": (-3.0, 3.0)}, None)
