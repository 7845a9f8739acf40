"""The largest least margin of planes: a small linear program, against scipy's."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

from latchwork.contact.complementarity import linear_program
from latchwork.contact.complementarity.linear_program import NO_POINT, POINT, UNENDED, widest
from latchwork.program.native import interpret, invoke


def by_scipy(g, H, w, V):
    """The same program solved by HiGHS: m, none where there is no z."""
    r = H.shape[1]
    A = np.column_stack((-np.vstack((H, V)), np.append(np.ones(len(g)), np.zeros(len(w)))))
    bounds = [(None, None)] * r + [(None, 1.0)]
    found = linprog(np.append(np.zeros(r), -1.0), A, np.append(g, w), bounds=bounds, method="highs")
    return -float(found.fun) if found.status == 0 else None


def largest_margin(g, H, w, V, run=invoke):
    """z and m by the kernel; none where no z has w + V z ≥ 0."""
    r, columns = H.shape[1], len(g) + len(w)
    T, basis, y = np.empty((r + 2) * (columns + r + 3)), np.empty(r + 1, dtype=np.int64), np.empty(r + 1)
    found = run(widest, r, len(g), len(w), g, H, w, V, T, basis, y)
    assert found in (POINT, NO_POINT)
    return (y[:r], float(y[r])) if found == POINT else None


def program(rng, kind):
    """Planes and sides in up to seven directions: at random, through common points, or one direction for nothing."""
    r, planes, sides = int(rng.integers(1, 8)), int(rng.integers(1, 80)), int(rng.integers(0, 5))
    g, H, w, V = (rng.normal(size=shape) for shape in (planes, (planes, r), sides, (sides, r)))
    if kind == "in common":
        g, H = np.round(g), np.round(H)
    if kind == "for nothing":
        H[:, -1], V[:, -1] = 0.0, 0.0
    return g, H, w, V


@pytest.mark.parametrize("kind", ["at random", "in common", "for nothing"])
def test_margins_are_those_of_another_solver(kind):
    """On 150 programs of each kind: the same margin, with a z that has it; or none in both."""
    rng, met = np.random.default_rng(7), set()
    for _ in range(150):
        g, H, w, V = program(rng, kind)
        found, expected = largest_margin(g, H, w, V), by_scipy(g, H, w, V)
        assert (found is None) == (expected is None)
        met.add(found is None)
        if found is not None:
            z, m = found
            near = 1e-9 * (1.0 + np.abs(z).max())
            assert m == pytest.approx(expected, abs=near)
            assert (g + H @ z).min() >= m - near
            assert (w + V @ z).min(initial=0.0) >= -near
            assert m <= 1.0 + near
    assert met == {False, True}


def test_two_feet_of_a_table_carry_alike():
    """Loads 1 + z and 1 - z are widest where both are 1; one side keeps z above a half; two contradict each other."""
    g, H = np.array([0.9, 0.9]), np.array([[1.0], [-1.0]])
    none, one = (np.zeros(0), np.zeros((0, 1))), (np.array([-0.5]), np.array([[1.0]]))
    (z,), m = largest_margin(g, H, *none)
    assert (z, m) == pytest.approx((0.0, 0.9))
    (z,), m = largest_margin(g, H, *one)
    assert (z, m) == pytest.approx((0.5, 0.4))
    assert largest_margin(g, H, np.array([-0.5, -0.5]), np.array([[1.0], [-1.0]])) is None
    assert largest_margin(g + 5.0, H, *none)[1] == 1.0


def test_the_kernel_is_the_same_in_python_and_in_machine_code():
    """Ten programs: the same numbers to the last bit, either way."""
    rng = np.random.default_rng(3)
    for _ in range(10):
        g, H, w, V = program(rng, "in common")
        ways = [largest_margin(g, H, w, V, run) for run in (invoke, interpret)]
        assert str(ways[0]) == str(ways[1])
        if ways[0] is not None:
            assert ways[0][0].tolist() == ways[1][0].tolist()


def test_what_does_not_end_is_no_answer(monkeypatch):
    """Out of steps, a program gives neither a point nor that there is none."""
    monkeypatch.setattr(linear_program, "MAX_PIVOTS", 1)
    g, H, w, V = program(np.random.default_rng(7), "at random")
    T, basis, y = np.empty((H.shape[1] + 2) * (len(g) + len(w) + H.shape[1] + 3)), np.empty(9, np.int64), np.empty(9)
    assert interpret(widest, H.shape[1], len(g), len(w), g, H, w, V, T, basis, y) == UNENDED
