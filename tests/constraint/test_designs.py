"""Every design by numbers gives the accelerations of embedding, as machine code and as Python."""

from __future__ import annotations

import numpy as np
import pytest

from campaign import seeds
from latchwork.constraint.designs.table import DESIGNS
from latchwork.constraint.selection import select
from latchwork.constraint.solve import accelerations
from latchwork.errors import ConstraintError
from random_constraints import EXACT, KINDS, random_problem, reference, run

SEEDS = seeds(range(5), range(60))
names = {"ids": lambda item: item.name}


CASES = [(design, kind) for design in EXACT for kind in KINDS
         if (design.name, kind) != ("augmented Lagrangian", "nearly singular")]  # fmt: skip


@pytest.mark.parametrize(("design", "kind"), CASES, ids=lambda item: getattr(item, "name", item))
def test_designs_agree_with_embedding(design, kind):
    """The same u̇ whichever way it is computed; what is lost is the condition of the rows times rounding."""
    for seed in SEEDS:
        problem = random_problem(kind, seed)
        expected = accelerations(*problem, select(problem.B, problem.M))
        error = np.abs(design.accelerations(*problem) - expected).max() / max(1.0, np.abs(expected).max())
        assert error < 1e-14 * max(problem.condition, 100.0) * squared(design, problem)


def squared(design, problem):
    """Designs that form BᵀB or B M⁻¹ Bᵀ lose the condition twice."""
    form = ("multipliers", "augmented", "null space by zero")
    return max(problem.condition, 1.0) if design.name.startswith(form) else 1.0


@pytest.mark.parametrize("kind", ["independent", "redundant", "none left", "no rows"])
@pytest.mark.parametrize("design", EXACT, **names)
def test_designs_agree_with_numpy(design, kind):
    """The kernel is the design as NumPy would write it, to 1e-12 where rows are well conditioned."""
    for seed in SEEDS:
        problem = random_problem(kind, seed)
        expected = reference(design, problem)
        error = np.abs(design.accelerations(*problem) - expected).max() / max(1.0, np.abs(expected).max())
        assert error < 1e-13 * max(problem.condition, 10.0) * squared(design, problem)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("design", DESIGNS.values(), **names)
def test_machine_code_is_python_bit_for_bit(design, kind):
    """Both runs of a kernel give the same bits and keep within their workspace."""
    for seed in range(2):
        problem = random_problem(kind, seed)
        settings = design.settings(len(problem.f))
        native, beyond = run(design, problem, settings, "native")
        python, _ = run(design, problem, settings, "python", spare=0)
        assert native.tobytes() == python.tobytes()
        assert np.isnan(beyond).all()


@pytest.mark.parametrize("design", EXACT, **names)
def test_result_does_not_depend_on_the_metric(design):
    """u̇ is the same whatever weights are given to the speeds, and in whatever units rows and speeds are measured."""
    for seed in SEEDS:
        M, f, B, c = random_problem("independent", seed)
        n, m = len(f), len(c)
        rng = np.random.default_rng(seed)
        expected = design.accelerations(M, f, B, c)
        weights = np.diag(M) * rng.uniform(0.2, 5.0, n)
        weighted = design.accelerations(M, f, B, c, settings=design.settings(n, weights=weights))
        d, e = 10.0 ** rng.uniform(-3, 3, n), 10.0 ** rng.uniform(-3, 3, m)
        units = design.accelerations(M * np.outer(d, d), f * d, B * np.outer(e, d), c * e) * d
        assert weighted == pytest.approx(expected, rel=1e-8, abs=1e-9)
        assert units == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("design", EXACT, **names)
def test_rows_that_vanish_are_left_out(design):
    """A row of zeros, as at a singular position, changes nothing."""
    M, f, B, c = random_problem("independent", 3)
    more = np.vstack([B, np.zeros(len(f))]), np.append(c, 0.0)
    assert design.accelerations(M, f, *more) == pytest.approx(design.accelerations(M, f, B, c), rel=1e-10)


@pytest.mark.parametrize("design", EXACT, **names)
def test_every_design_can_be_stabilised(design):
    """With Baumgarte's terms, B u̇ + c = −2αψ − β²Φ."""
    M, f, B, c = random_problem("independent", 1)
    rng = np.random.default_rng(0)
    psi, phi = rng.normal(size=(2, len(c)))
    settings = design.settings(len(f), alpha=3.0, beta=5.0)
    udot = design.accelerations(M, f, B, c, psi, phi, settings)
    assert B @ udot + c == pytest.approx(-6.0 * psi - 25.0 * phi, rel=1e-9)


def test_settings_are_checked():
    """An unknown setting and weights that are no metric are refused."""
    design = DESIGNS["operator Mc'' by SVD"]
    assert design.settings(2, gamma=3.0)[4] == 3.0
    with pytest.raises(ConstraintError, match=r"no setting 'gama' .*Did you mean 'gamma'"):
        design.settings(2, gama=3.0)
    with pytest.raises(ConstraintError, match=r"weights .* for 2 speeds. Give 2 positive numbers"):
        design.settings(2, weights=[1.0, -1.0])
