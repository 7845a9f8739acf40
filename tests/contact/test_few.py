"""A few contacts in the plane, as one kernel: the same verdicts as the methods for many contacts give."""

from __future__ import annotations

import numpy as np
import pytest

from latchwork.contact.complementarity import planar_contacts
from latchwork.contact.complementarity.planar_contacts import settle_together
from latchwork.contact.complementarity.solution import ContactProblem, State, settle, settle_all
from latchwork.errors import Jammed, Unsettled
from latchwork.program.native import interpret
from resting_laws import OPEN, broken_laws

approx = pytest.approx


def crowd(rng: np.random.Generator) -> tuple[ContactProblem, list[State] | None]:
    """Two to four contacts, rough or smooth, at rest or sliding, some of which depend on each other; and a guess."""
    k = int(rng.integers(2, 5))
    tangents = tuple(int(t) for t in rng.integers(0, 2, k))
    n = k + sum(tangents)
    J = rng.normal(size=(n, int(rng.integers(max(1, n - 1), n + 3))))
    A = J @ J.T * 10.0 ** rng.uniform(-2, 2)
    b = rng.normal(size=n) * 10.0 ** rng.uniform(-2, 2)
    mu_s = np.where(rng.random(k) < 0.2, 0.0, rng.uniform(0.05, 1.2, k))
    mu_d = mu_s * np.where(rng.random(k) < 0.5, 1.0, 0.7)
    slip = tuple(np.array([rng.choice([-1.0, 1.0])]) if t and rng.random() < 0.4 else None for t in tangents)
    guess = None if rng.random() < 0.3 else [rng.choice(list(State)) for _ in range(k)]
    return ContactProblem(tuple(f"c{i}" for i in range(k)), A, b, tangents, mu_s, mu_d, slip, (None,) * k), guess


def test_a_few_contacts_settle_as_many_do():
    """Where the kernel has an answer, it is that of the methods for many contacts, in as many tries; and lawful."""
    rng, answered = np.random.default_rng(14), 0
    for _ in range(1500):
        r, guess = crowd(rng)
        verdict = settle_together(r, guess)
        if verdict is None:
            continue
        expected, answered = settle_all(r, guess), answered + 1
        assert broken_laws(r, verdict) == []
        assert (verdict.states, verdict.notes, verdict.iterations) == (
            expected.states, expected.notes, expected.iterations)  # fmt: skip
        assert verdict.lam == approx(expected.lam, rel=1e-7, abs=1e-9 * np.abs(expected.lam).max())
        assert verdict.a == approx(expected.a, rel=1e-7, abs=1e-9 * np.abs(r.b).max())
        assert [d is None for d in verdict.directions] == [d is None for d in expected.directions]
        for d, wanted in zip(verdict.directions, expected.directions, strict=True):
            assert d is None or d == approx(wanted)
    assert answered > 900


def test_what_takes_care_is_refused_alike():
    """Settling a few contacts refuses what the methods for many contacts refuse."""
    rng, refusals = np.random.default_rng(15), 0
    for _ in range(600):
        r, guess = crowd(rng)
        try:
            settle_all(r, guess)
        except (Jammed, Unsettled) as refused:
            refusals += 1
            with pytest.raises(type(refused), match=r"c[0-9]"):
                settle(r, guess)
    assert refusals > 5


def test_the_kernel_is_the_same_in_python_and_in_machine_code(monkeypatch):
    """The same bits either way, and the same refusals."""
    rng = np.random.default_rng(16)
    given = [crowd(rng) for _ in range(60)]
    native = [settle_together(*each) for each in given]
    monkeypatch.setattr(planar_contacts, "briefly", interpret)
    for each, expected in zip(given, native, strict=True):
        same = settle_together(*each)
        assert (same is None) == (expected is None)
        if same is not None:
            assert (same.states, same.iterations) == (expected.states, expected.iterations)
            assert np.array_equal(same.lam, expected.lam)
            assert np.array_equal(same.a, expected.a)


def test_contacts_in_space_and_those_that_must_slide_take_more_care():
    """Two tangents, contacts that have left their cones, and numbers that are not finite are left to others."""
    k, none = 2, (None, None)
    rough = ContactProblem(("a", "b"), np.eye(4), -np.ones(4), (1, 1), np.ones(k), np.ones(k), none, none)
    assert settle_together(rough, [OPEN, OPEN]) is not None
    must = ContactProblem(("a", "b"), np.eye(4), -np.ones(4), (1, 1), np.ones(k), np.ones(k), none, (np.ones(1), None))
    assert settle_together(must, None) is None
    space = ContactProblem(("a", "b"), np.eye(6), -np.ones(6), (2, 2), np.ones(k), np.ones(k), none, none)
    assert settle_together(space, None) is None
    lost = ContactProblem(("a", "b"), np.eye(4), np.full(4, np.nan), (1, 1), np.ones(k), np.ones(k), none, none)
    assert settle_together(lost, None) is None
