"""The plastic impact in one call: as by NumPy where it acts, the same bits in Python, and no energy gained."""

from __future__ import annotations

import numpy as np
import pytest

from constrained_models import bead_on_turning_hoop, four_bar, hoop_start, pushed_disk, slider_crank
from latchwork.constraint import plastic_impact
from latchwork.constraint.consistency import assemble_u, residual_of
from latchwork.constraint.plastic_impact import struck
from latchwork.program.native import interpret

MODELS = {
    "slider-crank": (lambda: slider_crank((0.8, 1.3)), {"q1": 0.4}),
    "four-bar": (four_bar, {"q_crank": 0.7, "q_rocker": 1.9, "q_coupler": -0.2}),
    "disk": (pushed_disk, {}),
    "hoop": (bead_on_turning_hoop, hoop_start()),
}


def states(name, count=20):
    """Terms of a mechanism, and consistent positions with speeds that are not."""
    make, q = MODELS[name]
    constrained = make().constrained(at=q)
    start = constrained.start(q, {})
    x, (n_q, n, _) = constrained.arguments(start.q, start.u), constrained.terms.sizes
    rng = np.random.default_rng(4)
    for _ in range(count):
        moved = x.copy()
        moved[1 + n_q : 1 + n_q + n] += rng.normal(size=n)
        yield constrained.terms, moved


@pytest.mark.parametrize("name", MODELS)
def test_speeds_and_impulses_are_those_of_the_general_way(name):
    """B u + C = 0 after it, with the same impulses and the change of kinetic energy."""
    acted = 0
    for terms, x in states(name):
        n_q, n, _ = terms.sizes
        quick = struck(terms, x)
        if quick is not None:
            acted += 1
            moved, impulses = assemble_u(terms, x)
            u, old, M = moved[1 + n_q : 1 + n_q + n], x[1 + n_q : 1 + n_q + n], terms.motion(x).M
            assert quick.u == pytest.approx(u, rel=1e-11, abs=1e-12)
            assert quick.impulses == pytest.approx(impulses, rel=1e-9, abs=1e-11)
            assert quick.gained == pytest.approx(0.5 * (u @ M @ u - old @ M @ old), rel=1e-9, abs=1e-12)
            assert quick.off == pytest.approx(residual_of(terms, x), rel=1e-9, abs=1e-15)
    assert acted > 0


@pytest.mark.parametrize("name", MODELS)
def test_the_kernel_is_the_same_in_python(name, monkeypatch):
    """Machine code and Python give the same bits."""
    found = [struck(terms, x) for terms, x in states(name, 4)]
    monkeypatch.setattr(plastic_impact, "briefly", interpret)
    for one, (terms, x) in zip(found, states(name, 4), strict=True):
        other = struck(terms, x)
        assert (one is None) == (other is None)
        if one is not None:
            assert np.array_equal(one.u, other.u)
            assert one.gained == other.gained


def test_rows_that_depend_on_each_other_are_left_to_the_general_way():
    """The same row twice has no impulses of its own."""
    model, q = slider_crank((0.8, 1.3), copies=2), {"q1": 0.4}
    constrained = model.constrained(at=q)
    start = constrained.start(q, {})
    assert struck(constrained.terms, constrained.arguments(start.q, start.u)) is None
