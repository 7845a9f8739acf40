"""One table of tolerances: each is a part of the model's own length, speed or time, and scales with it."""

from __future__ import annotations

import pytest

from latchwork.constraint.scales import Scales, power_of_four
from latchwork.contact.tolerances import TABLE, tolerances_in
from latchwork.program.records.memory import values


def test_a_model_of_length_time_and_mass_one_has_the_numbers_of_the_table():
    """Fields of the record are rows of the table, in its order."""
    assert values(tolerances_in(Scales())) == tuple(row.value for row in TABLE.values())


@pytest.mark.parametrize("name", TABLE)
def test_tolerances_have_the_dimension_they_say(name):
    """Lengths scale with L, times with T, speeds with L/T: by powers of four, without rounding."""
    length, time = TABLE[name].dimension
    scaled = getattr(tolerances_in(Scales(4.0**-9, 4.0**5, 4.0)), name)
    assert scaled == TABLE[name].value * 4.0 ** (-9 * length + 5 * time)


@pytest.mark.parametrize(("value", "rounded"), [(1.0, 1.0), (0.5, 1.0), (1.999, 1.0), (2.0, 4.0), (0.499, 0.25)])
def test_scales_are_rounded_to_powers_of_four(value, rounded):
    """1 stands for all from 1/2 on and below 2; and so on for every power of four."""
    assert [power_of_four(value * 4.0**k) for k in (-15, 0, 10)] == [rounded * 4.0**k for k in (-15, 0, 10)]
