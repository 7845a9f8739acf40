"""How good a choice of dependent speeds is: against D itself, and where B1 is singular."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork.constraint.selection import Selection, conditioning, select, worst_entry


@pytest.mark.parametrize("seed", range(20))
def test_conditioning_is_the_largest_entry_of_D(seed):
    """In units of kinetic energy; the choice by complete pivoting is never much above one, and the first speeds may be.
    As Python the kernel gives the same bits."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 9))
    m = int(rng.integers(1, n))
    B, A = rng.normal(size=(m, n)) * 10.0 ** rng.uniform(-3, 3, size=n), rng.normal(size=(n, n))
    M = A @ A.T + np.diag(10.0 ** rng.uniform(-4, 4, size=n))
    first = Selection(tuple(range(m)), tuple(range(m)), tuple(range(m, n)), ())
    for chosen in (select(B, M), first):
        D = np.linalg.solve(B[:, chosen.dependent], B[:, chosen.independent])
        weights = np.sqrt(np.maximum(M.diagonal(), 1e-12 * M.diagonal().max()))
        expected = np.abs(D * weights[list(chosen.dependent)][:, None] / weights[list(chosen.independent)]).max()
        found = conditioning(B, M, chosen)
        assert found == pytest.approx(expected, rel=1e-9)
        room = [np.empty(m * m), np.empty(m), np.empty(m)]
        assert worst_entry(n, m, n - m, chosen.packed, B.ravel(), M.ravel(), *room) == found
    assert conditioning(B, M, select(B, M)) < 2.0**m


def test_speeds_that_determine_nothing():
    """A singular B1 is as bad as can be; where all or none are dependent, there is nothing to be judged."""
    B, M = np.array([[1.0, 2.0, 0.0], [2.0, 4.0, 1.0]]), np.eye(3)
    assert conditioning(B, M, Selection((0, 1), (0, 1), (2,), ())) == np.inf
    assert conditioning(B, M, Selection((0, 1), (0, 2), (1,), ())) == pytest.approx(2.0)
    assert conditioning(np.eye(3), M, Selection((0, 1, 2), (0, 1, 2), (), ())) == 1.0
    assert conditioning(np.zeros((0, 3)), M, Selection((), (), (0, 1, 2), ())) == 1.0


@pytest.mark.parametrize("size", [1.0, 4.0**-15, 4.0**10])
def test_rows_that_are_rounding(size):
    """A row that is rounding beside another of its constraint holds nothing, in any units of length; one that stands
    alone holds what it says, however short it is beside others."""
    model = lw.Model("dust")
    x, y, z = model.coordinates("x", "y", "z")
    model.speeds(u=lw.dt(x), v=lw.dt(y), w=lw.dt(z))
    N = model.frame
    model.particle("P", model.origin.at("P", x * N.x + y * N.y + z * N.z), 1.0)
    model.gravity(-9.81 * size * (N.y + N.z))
    model.constraint("held", [x - 0.1 * size, math.cos(math.pi / 2.0) * y])
    model.constraint("short", 1e-17 * z)
    run = lw.simulate(model, 0.2, q={"x": 0.1 * size})
    assert run.x[-1, :3] / size == pytest.approx([0.1, -0.5 * 9.81 * 0.2**2, 0.0], rel=1e-9, abs=1e-12)
