"""What u̇ of a flexible arm costs, in operations."""

from __future__ import annotations

import pytest

import latchwork as lw

COUNTS = {1: (27, 20, 0), 2: (127, 60, 0), 3: (216, 111, 0), 4: (327, 179, 0),
          5: (469, 265, 0), 6: (637, 370, 0), 7: (865, 510, 0), 8: (1134, 676, 0)}  # fmt: skip


@pytest.mark.parametrize("modes", COUNTS)
def test_operations_of_an_arm_by_its_modes(modes):
    """Multiplications, additions and sines of u̇: a hub, a beam and a payload."""
    model = lw.Model("arm")
    hub = model.revolute("hub")
    model.body("hub", hub, hub.origin, 1.0, lw.inertia(hub.frame, zz=0.1))
    beam = model.beam("b", hub, hub.origin, 2.0, EI=400.0, rho_A=1.5, modes=modes)
    model.particle("payload", beam.tip, 0.8)
    operations = model.equations().operations
    assert (operations.multiplies, operations.adds, operations.trig) == COUNTS[modes]


def test_operations_of_thirty_segments():
    """u̇ of a rope of thirty segments, with 60 coordinates that are all coupled: of the third power of their number."""
    model = lw.Model("rope")
    model.beam("rope", model.frame, model.origin, 1.0, EI=1.0, rho_A=1.0, segments=30)
    model.gravity(-9.81 * model.frame.y)
    operations = model.equations().operations
    assert (operations.multiplies, operations.adds, operations.trig) == (74572, 63389, 58)
