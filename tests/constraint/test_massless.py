"""Massless speeds: held by the constraints, they take no part in judging rank."""

from __future__ import annotations

import numpy as np
import pytest

from latchwork.constraint.selection import must_agree, select
from latchwork.constraint.solve import accelerations, multipliers
from latchwork.errors import ConstraintError
from random_constraints import EXACT, random_problem

M = np.diag([0.0, 1.0, 1.0])
B = np.array([[1.0, 0.0, 1e-3], [1.0, 0.0, 2e-3]])


def test_rows_that_share_a_massless_speed_are_not_redundant():
    """u0 + 0.001 u2 = 0 and u0 + 0.002 u2 = 0 are two rows; the massless speed is dependent."""
    assert select(B, M).kept == (0, 1)
    assert select(B, M).dependent == (0, 2)
    assert select(np.array([[1.0, 0.2, 3.0]]), M).dependent == (0,)


def test_rows_that_share_a_massless_speed_may_contradict():
    """Two copies that ask for different speeds are refused; two rows that differ are met."""
    must_agree(["a", "b"], B, np.array([0.0, 1e-3]), M, "")
    with pytest.raises(ConstraintError, match=r"'a', 'b' cannot hold together"):
        must_agree(["a", "b"], B[[0, 0]], np.array([0.0, 1e-3]), M, "")


def massless(seed):
    """A random problem whose first speed carries no inertia, and its u̇ and λ from the bordered system."""
    M, f, B, c = random_problem("independent", seed)
    M[0], M[:, 0] = 0.0, 0.0
    whole = np.block([[M, -B.T], [B, np.zeros((len(c), len(c)))]])
    return (M, f, B, c), np.split(np.linalg.solve(whole, np.concatenate([f, -c])), [len(f)])


@pytest.mark.parametrize("design", EXACT, ids=lambda item: item.name)
def test_designs_with_a_massless_speed(design):
    """Every design gives the u̇ of the bordered system."""
    for seed in range(8):
        problem, (udot, _) = massless(seed)
        assert design.accelerations(*problem) == pytest.approx(udot, rel=1e-9, abs=1e-9)


def test_embedding_and_multipliers_with_a_massless_speed():
    """So do embedding and the multipliers that belong to it."""
    for seed in range(8):
        (M, f, B, c), (udot, lam) = massless(seed)
        found = accelerations(M, f, B, c, select(B, M))
        assert found == pytest.approx(udot, rel=1e-9, abs=1e-9)
        assert multipliers(B, M @ found - f, M) == pytest.approx(lam, rel=1e-8, abs=1e-8)
