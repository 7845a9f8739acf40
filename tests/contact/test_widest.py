"""The largest least margin of planes: a small linear program, against scipy's."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from latchwork.contact.complementarity import linear_program
from latchwork.contact.complementarity.linear_program import NO_POINT, POINT, UNENDED, widest
from latchwork.contact.directions import all_round
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


def crates(count, push, mu):
    """Forces of cubes of weight 9.81 in a row that touch, the first of them pushed, as planes: four feet of each, and
    the corners of the faces between; λ_n ≥ 0 and μ λ_n ≥ d · λ_t all round, λ = λ₀ + N z."""
    ends = list(product((-0.5, 0.5), repeat=2))
    places = [((b,), (x, y, -0.5), (2, 0, 1)) for b in range(count) for x, y in ends]
    places += [((b, b + 1), (0.5, y, z), (0, 1, 2)) for b in range(count - 1) for y, z in ends]
    J, load = np.zeros((6 * count, 3 * len(places))), np.zeros(6 * count)
    load[2::6], load[0] = -9.81, push
    for i, (cubes, x, axes) in enumerate(places):
        for r, d in enumerate(np.eye(3)[list(axes)]):
            for b in cubes:
                side, arm = 1.0 if b == cubes[-1] else -1.0, np.array(x) - [b - cubes[0], 0.0, 0.0]
                J[6 * b : 6 * b + 6, 3 * i + r] = side * np.concatenate([d, np.cross(arm, d)])
    _, s, Vt = np.linalg.svd(J)
    lam, cone = np.linalg.lstsq(J, -load, rcond=None)[0], np.zeros((17, 3))
    cone[0, 0], cone[1:, 0], cone[1:, 1:] = 1.0, mu, -np.reshape(all_round(16), (16, 2))
    planes = np.kron(np.eye(len(places)), cone)
    return planes @ lam / np.abs(lam).max(), np.ascontiguousarray(planes @ Vt[int((s > 1e-9).sum()) :].T)


@pytest.mark.parametrize("count", [2, 3])
def test_crates_in_a_row_carry_as_another_solver_says(count):
    """Many planes through one point, of which many steps lead nowhere: the margin, with a z that has it."""
    for push, mu in product((0.0, 1.0, 3.0, 4.9, 6.0, 9.0, 9.81), (0.25, 0.5, 1.0)):
        g, H = crates(count, push, mu)
        z, m = largest_margin(g, H, np.zeros(0), np.zeros((0, H.shape[1])))
        assert m == pytest.approx(by_scipy(g, H, np.zeros(0), np.zeros((0, H.shape[1]))), abs=1e-9)
        assert (g + H @ z).min() >= m - 1e-9


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
