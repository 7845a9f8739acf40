"""The contact problem with friction whose limits are given: |λ| ≤ limit, with or without contacts beside it."""

from __future__ import annotations

import numpy as np
import pytest

from latchwork.contact.complementarity.solution import NamedContactProblem, State, feasible, settle

PROBLEMS = 120


def random_problem(rng, frictions, contacts):
    """Contacts, then frictions, on random masses; limits and loads within eight orders of each other."""
    count = contacts + frictions
    rows, freedoms = 2 * count, int(rng.integers(max(1, frictions), 2 * count + 3))
    J, wide = rng.normal(size=(rows, freedoms)), float(rng.choice([0.5, 2.0, 4.0]))
    J[2 * contacts :: 2] = 0.0  # friction has no normal row
    b = J @ rng.normal(size=freedoms) * 10.0 ** rng.uniform(-wide, wide)
    limits = 10.0 ** rng.uniform(-wide, wide, count)
    mu = np.where(np.arange(count) < contacts, rng.uniform(0.0, 0.6, count), limits)
    share = np.where(rng.random(count) < 0.5, 1.0, rng.uniform(0.3, 1.0, count))
    slip = tuple(None if rng.random() < 0.6 else np.array([rng.choice([-1.0, 1.0])]) for _ in range(count))
    names, fixed = tuple(f"c{i}" for i in range(count)), (False,) * contacts + (True,) * frictions
    return NamedContactProblem(names, J @ J.T, b, (1,) * count, mu, mu * share, slip, (None,) * count, fixed)


@pytest.mark.parametrize("seed", range(PROBLEMS))
def test_every_law_of_limited_friction_holds(seed):
    """It slides against its slip with the dynamic limit, sticks within the static one, or begins along a."""
    rng = np.random.default_rng(seed)
    frictions, contacts = int(rng.integers(1, 8)), int(rng.integers(0, 3))
    problem = random_problem(rng, frictions, contacts)
    found = settle(problem)
    felt = found.lam.copy()
    felt[2 * contacts :: 2] = 0.0
    a, sizes = problem.A @ felt + problem.b, np.abs(problem.A) @ np.abs(felt) + np.abs(problem.b)
    for i in range(contacts, contacts + frictions):
        row, slip, static, dynamic = 2 * i + 1, problem.slip[i], problem.mu_s[i], problem.mu_d[i]
        small = 1e-7 * max(sizes[row], 1e-4 * sizes.max())
        if slip is not None:
            assert found.lam[row] == pytest.approx(-dynamic * slip[0], rel=1e-9)
        elif found.states[i] is State.STICK:
            assert abs(a[row]) <= small
            assert abs(found.lam[row]) <= static * (1.0 + 1e-7)
        else:
            assert abs(found.lam[row]) == pytest.approx(dynamic, rel=1e-9)
            assert a[row] * found.lam[row] <= small * dynamic


def pair(limit, load):
    """A friction and a stop on one coordinate, pressed against the stop."""
    J = np.array([[1.0], [0.0], [1.0]])  # the stop; no normal row; the friction
    none = (None, None)
    return NamedContactProblem(("stop", "friction"), J @ J.T, J @ [-load], (0, 1), np.array([0.0, limit]),
                          np.array([0.0, limit]), none, none, (False, True))  # fmt: skip


def test_a_stop_carries_the_load_that_friction_could_share():
    """Redundant: the share in which friction carries the least."""
    found = settle(pair(0.5, 10.0))
    assert found.states == (State.SLIDE, State.STICK)
    assert found.lam[0] == pytest.approx(10.0)
    assert found.lam[2] == pytest.approx(0.0, abs=1e-12)


def test_friction_holds_what_pulls_away_from_a_stop():
    """A pull below the limit is held; one above it is not."""
    states = [State.SLIDE, State.STICK]
    assert feasible(pair(0.5, -0.4), states, (None, None)) is not None
    assert feasible(pair(0.5, -0.6), states, (None, None)) is None


@pytest.mark.parametrize("limit", [1e-8, 1e-3, 1.0, 1e3, 1e8, 1e15])
def test_a_limit_far_from_the_forces_at_work(limit):
    """A brake far above all loads holds exactly what is needed, beside a friction that is far below."""
    J = np.array([[0.0, 0.0], [1.0, 0.2], [0.0, 0.0], [0.0, 1.0]])
    none = (None, None)
    limits = np.array([limit, 1e-3])
    found = settle(NamedContactProblem(("brake", "other"), J @ J.T, J @ [1.0, 2.0], (1, 1), limits, limits, none, none,
                                  (True, True)))  # fmt: skip
    assert abs(found.lam[3]) == pytest.approx(1e-3, rel=1e-9)
    needed = -(1.4 + 0.2 * found.lam[3]) / 1.04
    assert found.lam[1] == pytest.approx(needed if abs(needed) <= limit else -limit, rel=1e-9)
