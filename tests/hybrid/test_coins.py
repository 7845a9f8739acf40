"""Coins that fall over, and lie flat: there a rim touches all round, at no one place."""

from __future__ import annotations

import math
from itertools import product

import pytest

import latchwork as lw
from campaign import rows

R, M = 0.0125, 0.0075


def dropped(tilt: float, restitution: float = 0.0, tube: float = 0.0, **speeds: float) -> lw.Trajectory:
    """A coin let go a centimetre above a table, its axle so far off the vertical."""
    model = lw.Model("coin")
    link, N, O = model.free("c"), model.frame, model.origin
    inertia = lw.inertia(link.frame, xx=0.25 * M * R * R, yy=0.25 * M * R * R, zz=0.5 * M * R * R)
    coin = model.body("coin", link, link.origin, M, inertia)
    model.gravity(-9.81 * N.z)
    rim = coin.rim(link.frame.z, R, tube=tube)
    model.contact("table", rim, lw.Plane(O, N.z), friction=0.4, restitution=restitution)
    q = [0.0, 0.0, R * math.sin(tilt) + tube + 0.01, math.cos(tilt / 2), math.sin(tilt / 2), 0.0, 0.0]
    return lw.simulate(model, until=1.0, q=q, u={f"u_c_{name}": speed for name, speed in speeds.items()})


@pytest.mark.parametrize(
    ("tilt", "restitution"),
    rows([(0.0, 0.0), (0.001, 0.3), (0.3, 0.0), (1.05, 0.3), (1.4, 0.0)],
         product([0.0, 0.001, 0.3, 1.05, 1.4], [0.0, 0.3])),
)  # fmt: skip
def test_a_coin_comes_to_lie_flat(tilt, restitution):
    """It ends at the height of the table, all three places carry, and nothing has sunk in."""
    run = dropped(tilt, restitution)
    assert run["q_c_pz"][-1] == pytest.approx(0.0, abs=1e-9)
    assert run.modes[-1].names == ("table: flat 1: stick", "table: flat 2: stick", "table: flat 3: stick")
    carried = [run.reactions()[f"table: flat {i}"].force[-1][2] for i in (1, 2, 3)]
    assert carried == pytest.approx([M * 9.81 / 3.0] * 3)
    assert run.audit.least_gap > -1e-9


def test_a_tyre_lies_on_its_side():
    """With a tube about it, its middle ends that much above the table."""
    assert dropped(0.5, tube=0.002)["q_c_pz"][-1] == pytest.approx(0.002, abs=1e-9)


def test_a_flat_coin_slides_and_stops():
    """Thrown flat along the table it goes v²/(2 μ g), from where it lands with a plastic impact that takes μ m √(2 g h)
    of its momentum."""
    run = dropped(0.0, vx=0.5)
    left = 0.5 - 0.4 * math.sqrt(2.0 * 9.81 * 0.01)
    fallen = math.sqrt(2.0 * 0.01 / 9.81)
    assert run["q_c_px"][-1] == pytest.approx(0.5 * fallen + left**2 / (2.0 * 0.4 * 9.81), rel=1e-6)
