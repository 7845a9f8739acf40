"""A constraint that is stated twice, the copy in other units: the same motion, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork import cos, sin

FACTORS = [1e-6, 1e-3, 0.25, 1.0, 7.0, 1e3, 1e6]
METHOD = lw.DormandPrince(rtol=1e-10, atol=1e-12)


def linkage(seed: int, factor: float | None) -> lw.Model:
    """A closed chain of three to five random bars between two pins; the last is stated again, times a factor."""
    rng = np.random.default_rng(seed)
    bars = int(rng.integers(3, 6))
    lengths, base = rng.uniform(0.6, 1.4, bars), float(rng.uniform(0.8, 1.4))
    model = lw.Model("linkage")
    angles = model.coordinates(*(f"q{i}" for i in range(bars)))
    N, place = model.frame, model.origin
    gap = [-base, 0.0]
    for i, (angle, length) in enumerate(zip(angles, lengths.tolist(), strict=True)):
        bar = N.rotated(f"A{i}", angle, N.z)
        model.body(f"bar{i}", frame=bar, center=place.at(f"C{i}", 0.5 * length * bar.x), mass=length,
                   inertia=lw.inertia(bar, zz=length**3 / 12.0))  # fmt: skip
        place = place.at(f"P{i}", length * bar.x)
        gap = [gap[0] + length * cos(angle), gap[1] + length * sin(angle)]
    model.gravity(-9.81 * N.y)
    model.constraint("pin", gap)
    if factor is not None:
        model.constraint("copy", [factor * item for item in gap])
    return model


def start(seed: int) -> dict[str, float]:
    """Coordinates on Φ = 0."""
    rng = np.random.default_rng(seed)
    model = linkage(seed, None)
    guess = dict(zip(model.equations().q_names, rng.uniform(-1.5, 1.5, 5).tolist(), strict=False))
    return dict(model.constrained(at=guess).assemble(guess))


@pytest.mark.parametrize("seed", seeds(range(2), range(200)))
def test_a_copy_in_other_units_leaves_the_motion_as_it_is(seed):
    """Rows times 1e-6 to 1e6 beside the rows themselves change no coordinate by 1e-9 in a second."""
    q = start(seed)
    alone = lw.simulate(linkage(seed, None), until=1.0, q=q, every=0.25, method=METHOD)
    for factor in FACTORS[seed % 2 :: 2]:
        copied = lw.simulate(linkage(seed, factor), until=1.0, q=q, every=0.25, method=METHOD)
        assert copied.x == pytest.approx(alone.x, rel=0.0, abs=1e-9)
