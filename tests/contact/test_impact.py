"""Impacts at one instant: closed forms, the impulse path integrated independently, and laws on random contacts."""

from __future__ import annotations

import ctypes
import itertools
import math
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from latchwork.contact.impact import jam as jams
from latchwork.contact.impact.notes import add_note, note_group
from latchwork.contact.impact.problem import GROUPS, ImpactProblem, NoteCode, Order, Status
from latchwork.contact.impact.resolution import LAWS, Impact, jam, laid_out, resolve
from latchwork.contact.impact.sequential import resolve_impact
from latchwork.contact.impact.spatial import slip_in_space, stop_in_space
from latchwork.errors import ContactError, EvaluationError
from latchwork.program.codegen.c_expressions import c_name
from latchwork.program.codegen.c_kernels import c_functions
from latchwork.program.native import invoke
from latchwork.program.records.memory import copied, lay_out
from latchwork.program.records.view import address_of

COMPILER = shutil.which("gcc") or shutil.which("clang")
ALL = list(LAWS)
WAYS = [False, None, True]


def contact(W, v, e=0.5, mu=0.3, mu_d=None):
    """One contact."""
    mu_d = mu if mu_d is None else mu_d
    return Impact(("touch",), np.array(W), np.array(v, float), (len(v) - 1,), np.full(1, e), [mu], [mu_d])


def between(M, J, u, e, mu=0.0, tangents=0):
    """Contacts of equal coefficients from M, the rows J and the speeds u."""
    k = len(J) // (1 + tangents)
    names = tuple(f"c{i}" for i in range(k))
    W = J @ np.linalg.solve(M, J.T)
    return Impact(names, W, J @ u, (tangents,) * k, np.full(k, e), np.full(k, mu), np.full(k, mu))


def rod(angle):
    """W of the lower end of a rod of mass 1 and length 2 at an angle to the plane: normal, tangent."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1 + 3 * c * c, -3 * s * c], [-3 * s * c, 1 + 3 * s * s]])


def line(masses, e, u):
    """Balls in a row that touch, the first to hit the second."""
    J = np.eye(len(masses))[1:] - np.eye(len(masses))[:-1]
    return between(np.diag(np.array(masses, float)), J, np.array(u, float), e), J


def random_impact(rng, most=3, free=8):
    """Contacts with coefficients at their limits as often as between; W regular."""
    k = int(rng.integers(1, most + 1))
    tangents = tuple(int(d) for d in rng.integers(0, 3, size=k))
    J = rng.normal(size=(k + sum(tangents), k + sum(tangents) + free)) * 10.0 ** rng.uniform(-2, 2)
    v = J @ rng.normal(size=J.shape[1])
    e, mu = rng.choice([0.0, 1.0, 0.3, 0.8], size=k), rng.choice([0.0, 0.2, 0.7, 10.0], size=k)
    return Impact(tuple("abc"[:k]), J @ J.T, v, tangents, e, mu, mu * rng.choice([1.0, 0.7]))


def admissible(impact, out):
    """The worst of: approach after, pull, friction outside its cone, energy gained; each relative, at most zero."""
    speed, push = np.abs(impact.v).max(), np.abs(out.impulses).max() + 1e-300
    cones = [np.linalg.norm(out.impulses[r][1:]) - m * out.impulses[r][0]
             for r, m in zip(impact.rows, impact.mu_s, strict=True)]
    approach, pull = -out.v[impact.normals].min() / speed, -out.impulses[impact.normals].min() / push
    return max(approach, pull, max(cones) / push, out.energy / (push * speed))


def keller(W, v, e, mu, law):
    """Λ by integrating dv/dp = W (1, −μ v_t/|v_t|) with SciPy, events at v_n = 0, |v_t| = 0 and the end of the law."""
    d = len(v) - 1
    held = -np.linalg.solve(W[1:, 1:], W[1:, 0])

    def rho(v_t, stuck):
        return held if stuck else -mu * v_t / np.linalg.norm(v_t)

    def march(y, stuck, goal):
        def rate(p, y):
            r = rho(y[1 : 1 + d], stuck)
            return np.concatenate((W @ np.concatenate(([1.0], r)), [y[0]], r))

        def stops(p, y):
            return np.linalg.norm(y[1 : 1 + d]) - 1e-11 if not stuck else 1.0

        def ends(p, y):
            return goal(p, y)

        stops.terminal = ends.terminal = True
        ends.direction = 1.0
        return solve_ivp(rate, (y[0], 1e3), y[1], method="DOP853", rtol=1e-13, atol=1e-14, events=[ends, stops])

    def reach(p, y, stuck, goal):
        found = march((p, y), stuck, goal)
        if len(found.t_events[0]):
            return found.t_events[0][0], found.y_events[0][0], stuck
        if np.linalg.norm(held) <= mu:
            return reach(found.t_events[1][0], found.y_events[1][0], True, goal)
        y = found.y_events[1][0].copy()
        y[1 : 1 + d] = 1e-9 * np.sign(W[1:, 0])  # one tangent: slip turns round
        return reach(found.t_events[1][0], y, False, goal)

    p, y, stuck = reach(0.0, np.concatenate((v, np.zeros(1 + d))), False, lambda p, y: y[0])
    if law == "poisson":
        goal = lambda q, z: q - (1 + e) * p  # noqa: E731
    else:
        goal = lambda q, z: z[1 + d] - (1 - e * e) * y[1 + d]  # noqa: E731
    p, y, stuck = reach(p, y, stuck, goal)
    return np.concatenate(([p], y[2 + d :]))


@pytest.mark.parametrize("law", ALL)
@pytest.mark.parametrize(("slip", "mu"), [(3.0, 0.1), (3.0, 10.0), (-3.0, 0.1), (0.0, 0.4)])
def test_ball_with_spin(law, slip, mu):
    """W_nt = 0: every law gives Λ_n = (1 + e) m v and Λ_t = −min(μ Λ_n, 2/7 m |slip|) against the slip."""
    out = resolve(contact(np.diag([0.5, 0.5 * 3.5]), [-2.0, slip], 0.6, mu), [law])
    push = 1.6 * 2.0 * 2.0
    expected = [push, -np.sign(slip) * min(mu * push, 2.0 * 2.0 / 7.0 * abs(slip))]
    np.testing.assert_allclose(out.impulses, expected, atol=1e-14)
    assert out.law == (law,)


@pytest.mark.parametrize("law", ALL)
def test_ball_in_space(law):
    """Two tangents, isotropic: friction is against the slip, whatever its direction."""
    out = resolve(contact(np.diag([1.0, 3.5, 3.5]), [-1.0, 3.0, 4.0], 0.5, 0.2), [law])
    np.testing.assert_allclose(out.impulses, [1.5, -0.3 * 0.6, -0.3 * 0.8], atol=1e-13)


@pytest.mark.parametrize("law", ["poisson", "energetic"])
@pytest.mark.parametrize("angle", [0.3, 0.8, 1.2])
@pytest.mark.parametrize(("slip", "mu"), [(0.4, 0.3), (-0.4, 0.3), (3.0, 0.5), (0.2, 2.0), (-0.3, 0.9)])
def test_rod_follows_routh(law, angle, slip, mu):
    """Slip, stick and reversal of a rod's end agree with the impulse path integrated step by step."""
    W, v = rod(angle), np.array([-1.0, slip])
    out = resolve(contact(W, v, 0.6, mu), [law])
    np.testing.assert_allclose(out.impulses, keller(W, v, 0.6, mu, law), rtol=0, atol=2e-9)


@pytest.mark.parametrize("law", ["poisson", "energetic"])
@pytest.mark.parametrize("seed", range(12))
def test_turning_slip_follows_keller(law, seed):
    """Slip that turns in the plane agrees with the impulse path integrated in plain velocities."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 5))
    W, v = A @ A.T / 5, np.array([-1.0, *rng.normal(size=2)])
    held = np.linalg.norm(np.linalg.solve(W[1:, 1:], W[1:, 0]))
    mu = held * 1.2  # it may stop, and then it sticks
    out = resolve(contact(W, v, 0.7, mu), [law])
    np.testing.assert_allclose(out.impulses, keller(W, v, 0.7, mu, law), rtol=0, atol=5e-9)


@pytest.mark.parametrize("law", ["poisson", "energetic"])
@pytest.mark.parametrize("seed", range(12))
def test_grazing_slip_hardly_turns(law, seed):
    """An approach far slower than the slip turns it by as little: v_n⁺ = −e v_n⁻ up to that part."""
    rng = np.random.default_rng([seed, 3])
    A = rng.normal(size=(3, 5))
    v = np.array([-(10.0 ** rng.uniform(-7, -5)), *rng.normal(size=2)])
    out = resolve(contact(A @ A.T / 5, v, 0.3, 0.1), [law])
    assert out.v[0] == pytest.approx(-0.3 * v[0], rel=abs(v[0]))


@pytest.mark.parametrize("mu", [0.05, 0.2])
def test_rod_by_newton_slips_to_one_side(mu):
    """Kane's rule in closed form: Λ_n = −(1 + e) v_n/(W_nn ∓ μ W_nt), for the one sign that v_t⁺ has."""
    W = rod(0.8)
    out = resolve(contact(W, [-1.0, 2.0], 0.5, mu), ["newton"])
    push = 1.5 / (W[0, 0] - mu * W[0, 1])
    np.testing.assert_allclose(out.impulses, [push, -mu * push], rtol=1e-14)
    assert out.v[1] > 0.0


def test_newtons_gain_is_noticed():
    """Kane's paradox: Newton's law with stick gains energy, so the energetic law acts, and a note says how much."""
    W = np.array([[1.0, 0.8], [0.8, 1.0]])
    given = contact(W, [-1.0, -0.8], 0.9, 5.0)
    out = resolve(given, ["newton"])
    plain = np.linalg.solve(W, [1.9, 0.8])
    assert 0.5 * plain @ np.array([-1.0 + 0.9, -0.8 + 0.0]) > 0.1
    assert out.law == ("energetic",)
    assert "would have gained" in out.notes[0]
    assert "'touch'" in out.notes[0]
    np.testing.assert_array_equal(out.impulses, resolve(given, ["energetic"]).impulses)


@pytest.mark.parametrize("e", [0.0, 0.7])
def test_jam_comes_back(e):
    """Painlevé: slip drives a resting end in, stops, and what was absorbed comes back times e²."""
    W, mu, v_t = np.array([[1.0, 2.0], [2.0, 5.0]]), 0.8, 0.5
    into, slows = W[0, 0] - mu * W[0, 1], W[0, 1] - mu * W[1, 1]
    assert into < 0
    p1 = -v_t / slows
    stuck = W[0, 0] - W[0, 1] ** 2 / W[1, 1]
    deep = into * p1
    absorbed = 0.5 * into * p1**2 - 0.5 * deep**2 / stuck
    back = e * np.sqrt(-2 * absorbed * stuck)
    out = jam(contact(W, [0.0, v_t], e, mu), 0, ["newton"])
    np.testing.assert_allclose(out.v, [back, 0.0], atol=1e-14)
    assert out.energy < 0.0


def test_no_jam_without_cause():
    """A resting contact whose slip lifts it, or that does not slip, does nothing."""
    W = np.array([[1.0, 2.0], [2.0, 5.0]])
    assert not jam(contact(W, [0.0, -0.5], 0.5, 0.8), 0, ["newton"]).impulses.any()
    assert not jam(contact(W, [0.0, 0.0], 0.5, 0.8), 0, ["newton"]).impulses.any()
    assert not resolve(contact(W, [0.0, 0.5], 0.5, 0.8), ["energetic"]).impulses.any()


@pytest.mark.parametrize("law", ALL)
@pytest.mark.parametrize("way", [False, None])
def test_cradle(law, way):
    """In sequence and as they come, a blow travels through balls at rest: the last leaves alone."""
    given, J = line([1, 1, 1, 1], 1.0, [1, 0, 0, 0])
    out = resolve(given, [law] * 3, way)
    np.testing.assert_allclose(np.array([1.0, 0, 0, 0]) + J.T @ out.impulses, [0, 0, 0, 1], atol=1e-14)


def test_stack_of_two_balls():
    """A light ball on a heavy one, e = 1: it leaves with (3 m − m')/(m + m') times the speed of the fall."""
    M, J = np.diag([3.0, 0.5]), np.array([[1.0, 0.0], [-1.0, 1.0]])
    u = np.array([-2.0, -2.0])
    out = resolve(between(M, J, u, 1.0), ["newton"] * 2)
    assert (u + np.linalg.solve(M, J.T @ out.impulses))[1] == pytest.approx(2.0 * (9.0 - 0.5) / 3.5, abs=1e-13)


def block(mu):
    """A block of mass 2, 2 wide and 1 high, falling flat on its two corners while it slides; M, J, u and the impact."""
    M, u = np.diag([2.0, 2.0, 2.0 * 1.25 / 3]), np.array([0.2, -1.0, 0.0])
    J = np.array([[0, 1, -1], [1, 0, 0.5], [0, 1, 1], [1, 0, 0.5]], float)
    return M, J, u, between(M, J, u, 0.4, mu, 1)


@pytest.mark.parametrize(("law", "mu"), [*itertools.product(ALL, [0.0, 0.1]), ("newton", 5.0), ("smith", 5.0)])
@pytest.mark.parametrize("way", [None, True])
def test_block_lands_flat(law, mu, way):
    """A block falling flat rebounds flat with e times its speed, at once or as they come; friction slows it."""
    M, J, u, given = block(mu)
    after = u + np.linalg.solve(M, J.T @ resolve(given, [law] * 2, way).impulses)
    np.testing.assert_allclose(after, [max(0.0, 0.2 - 1.4 * mu), 0.4, 0.0], atol=1e-12)


@pytest.mark.parametrize("law", ["poisson", "energetic"])
def test_block_that_stops_returns_its_impulses(law):
    """By impulses, the corner pressed harder returns more: Λ_n = (1 + e) Λ_c; what stuck goes on sticking."""
    _, _, _, given = block(5.0)
    out, pressed = (resolve(i, [law] * 2, True) for i in (given, replace(given, e=np.zeros(2))))
    np.testing.assert_allclose(out.impulses[[0, 2]], 1.4 * pressed.impulses[[0, 2]], rtol=1e-12)
    np.testing.assert_allclose(out.v[[1, 3]], 0.0, atol=1e-12)


@pytest.mark.parametrize("e", [1.0, 0.9])
@pytest.mark.parametrize("way", WAYS)
def test_billiard_break(e, way):
    """Sixteen balls: momentum is kept, energy is lost by e < 1 only, and the rack stays symmetric as they come."""
    rack = [(np.sqrt(3) * row, 2.0 * i - row) for row in range(5) for i in range(row + 1)]
    at = np.array([(-2.0, 0.0), *rack])
    pairs = [(i, j) for i, j in itertools.combinations(range(16), 2) if np.linalg.norm(at[i] - at[j]) < 2.001]
    J = np.zeros((len(pairs), 32))
    for row, (i, j) in enumerate(pairs):
        n = (at[j] - at[i]) / 2
        J[row, 2 * i : 2 * i + 2], J[row, 2 * j : 2 * j + 2] = -n, n
    u = np.zeros(32)
    u[0] = 5.0
    given = between(np.eye(32), J, u, e)
    out = resolve(given, ["newton"] * len(pairs), way)
    after = (u + J.T @ out.impulses).reshape(16, 2)
    np.testing.assert_allclose(after.sum(axis=0), [5.0, 0.0], atol=1e-12)
    assert 0.5 * (after**2).sum() - 12.5 == pytest.approx(out.energy, abs=1e-11)
    assert out.energy == pytest.approx(0.0, abs=1e-11) if e == 1.0 else out.energy < 0.0
    assert admissible(given, out) < 1e-10
    assert way is False or np.allclose(after[1:, 1].sum(), 0.0, atol=1e-11)


@pytest.mark.parametrize("law", ALL)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(25))
def test_admissible(law, way, seed):
    """Nothing approaches after, nothing pulls, friction stays in its cone, and no energy is gained."""
    given = random_impact(np.random.default_rng(seed))
    out = resolve(given, [law] * len(given.names), way)
    assert admissible(given, out) < 1e-9


@pytest.mark.parametrize("law", ["newton", "smith"])
@pytest.mark.parametrize("seed", range(60))
def test_ratio_of_speeds(law, seed):
    """v_n⁺ = −e v_n⁻ of a single contact, unless the energetic law had to act."""
    given = random_impact(np.random.default_rng(seed), most=1)
    out = resolve(given, [law])
    asked = -given.e[0] * given.v[0] if given.v[0] < 0 else given.v[0]
    assert out.law != (law,) or out.v[0] == pytest.approx(asked, abs=1e-10 * np.abs(given.v).max())
    assert out.law in (("",), (law,), ("energetic",))


@pytest.mark.parametrize("law", ALL)
@pytest.mark.parametrize("seed", range(10))
def test_scales(law, seed):
    """Speeds times a and W times b: impulses times a/b, for bodies of grams and of tons."""
    g = random_impact(np.random.default_rng(seed))
    laws = [law] * len(g.names)
    small = resolve(Impact(g.names, 1e9 * g.W, 1e-4 * g.v, g.tangents, g.e, g.mu_s, g.mu_d), laws)
    plain = resolve(g, laws)
    np.testing.assert_allclose(small.impulses * 1e13, plain.impulses, atol=1e-8 * np.abs(plain.impulses).max())


@pytest.mark.parametrize("seed", range(40))
def test_smith_satisfies_its_equation(seed):
    """Λ_t = −μ Λ_n φ(v_t⁻, v_t⁺) where it does not stick."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 6))
    W, v, mu = A @ A.T, np.array([-1.0, *(3 * rng.normal(size=2))]), 0.3
    push = LAWS["smith"].one(W, v, 0.5, mu, mu)
    a, b = v[1:], v[1:] + W[1:] @ push
    mean = (np.linalg.norm(a) * a + np.linalg.norm(b) * b) / (a @ a + b @ b)
    stuck = np.linalg.norm(b) < 1e-12
    assert stuck or np.linalg.norm(push[1:] + mu * push[0] * mean) < 1e-11 * push[0]


@pytest.mark.parametrize("seed", range(40))
def test_newton_slips_along_what_slips_after(seed):
    """Λ_t = −μ Λ_n v_t⁺/|v_t⁺| with two tangents, or v_t⁺ = 0 in the cone."""
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 6))
    W, v, mu = A @ A.T, np.array([-1.0, *(3 * rng.normal(size=2))]), 0.3
    push = LAWS["newton"].one(W, v, 0.5, mu, mu)
    b = v[1:] + W[1:] @ push
    size = np.linalg.norm(b)
    assert size < 1e-12 or np.linalg.norm(push[1:] + mu * push[0] * b / size) < 1e-11 * push[0]


@pytest.mark.parametrize("seed", range(30))
def test_redundant_contacts_at_once(seed):
    """More contacts than freedoms: 0 ≤ Λ_n ⟂ v_n⁺ + e v_n⁻ ≥ 0 without friction, to rounding."""
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(6, 3))
    J *= np.sign(J @ [0.2, 0.3, 1.0])[:, None]
    given = between(np.eye(3), J, np.array([-0.2, -0.3, -1.0]), 0.5)
    out = resolve(given, ["newton"] * 6, True)
    above = out.v + 0.5 * np.minimum(given.v, 0.0)
    assert min(above.min(), out.impulses.min()) > -1e-12
    assert np.abs(above * out.impulses).max() < 1e-11


def test_sequence_takes_the_strongest_first():
    """Two free pairs at different speeds are independent; of two on one ball the faster acts first."""
    given, J = line([1, 1, 1], 0.0, [3, 0, -1])
    out = resolve(given, ["newton"] * 2)
    # 3, 0 → 1.5, 1.5; then 1.5, −1 → 0.25, 0.25; then on, to the common 2/3
    assert out.v == pytest.approx([0.0, 0.0], abs=1e-10)
    assert np.array([3.0, 0, -1]) + J.T @ out.impulses == pytest.approx([2 / 3] * 3, abs=1e-10)


def test_a_sequence_without_end_is_finished():
    """A light ball goes to and fro between two heavy ones for long: the rest is taken up at once, with a note."""
    given, J = line([1, 1e-4, 1], 0.0, [1, 0, -1])
    out = resolve(given, ["newton"] * 2)
    assert np.array([1.0, 0, -1]) + J.T @ out.impulses == pytest.approx([0.0] * 3, abs=1e-12)
    assert "did not end" in out.notes[0]


@pytest.mark.parametrize("way", WAYS)
def test_closing_walls_are_refused(way):
    """A ball between two walls that close cannot take it up: both are named, with their speeds."""
    J = np.array([[1.0], [-1.0]])
    given = Impact(("left", "right"), J @ J.T, np.array([-1.0, 0.5]), (0, 0), np.ones(2), np.zeros(2), np.zeros(2))
    with pytest.raises(ContactError, match=r"'left', 'right' cannot be taken up: \[-1.   0.5\] m/s"):
        resolve(given, ["newton"] * 2, way)


def test_capture_closes():
    """What would part slower than the capture speed does not part; what is faster does."""
    given = contact([[1.0]], [-0.01], 0.5)
    assert resolve(given, ["newton"], capture=0.01).v == pytest.approx([0.0], abs=1e-17)
    assert resolve(given, ["newton"], capture=0.001).v == pytest.approx([0.005])


def test_what_cannot_move_is_named():
    """An approach that no impulse changes is refused with the contact's name."""
    with pytest.raises(ContactError, match="'touch' approaches at 1 m/s, and no impulse there changes that"):
        resolve(contact([[0.0, 0.0], [0.0, 1.0]], [-1.0, 0.0]), ["newton"])


@pytest.mark.parametrize(("laws", "match"), [(["newtn"], "Did you mean 'newton'"), ([], "Give one law for each")])
def test_laws_are_checked(laws, match):
    """An unknown law, or too few, is refused."""
    with pytest.raises(ContactError, match=match):
        resolve(contact([[1.0]], [-1.0]), laws)


def test_numbers_are_checked():
    """Numbers that are not finite do not enter."""
    with pytest.raises(EvaluationError, match="Give finite numbers of shape"):
        contact([[np.nan]], [-1.0])


@pytest.mark.parametrize("law", ALL)
@pytest.mark.parametrize("seed", range(15))
def test_uneven_bodies(law, seed):
    """W with directions a million times as stiff as others, friction from 0.001 to 100: still admissible."""
    rng = np.random.default_rng(seed)
    A = np.diag(10.0 ** rng.uniform(-2, 2, 3)) @ rng.normal(size=(3, 4))
    v = A @ rng.normal(size=4)
    v[0] = -abs(v[0])
    given = contact(A @ A.T, v, rng.choice([0.0, 0.001, 1.0]), rng.choice([0.001, 0.5, 10.0, 100.0]))
    assert admissible(given, resolve(given, [law])) < 1e-9


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("seed", range(12))
def test_redundant_contacts_with_friction(way, seed):
    """More rows than freedoms, with friction, by mixed laws: still admissible."""
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(8, 4))
    v, mu = J @ rng.normal(size=4), rng.choice([0.0, 0.3, 1.0], size=3)
    given = Impact(("a", "b", "c"), J @ J.T, v, (2, 1, 2), np.full(3, 0.5), mu, mu)
    assert admissible(given, resolve(given, ["newton", "smith", "energetic"], way)) < 1e-9


@pytest.mark.parametrize("way", [None, True])
def test_capture_of_several(way):
    """A block that would rebound slower than the capture speed stays, on both corners."""
    _, _, _, given = block(0.1)
    out = resolve(given, ["newton"] * 2, way, capture=0.5)
    np.testing.assert_allclose(out.v[[0, 2]], 0.0, atol=1e-12)


@pytest.mark.parametrize("law", ["poisson", "energetic"])
@pytest.mark.parametrize("seed", range(6))
def test_impulses_stay_finite_where_the_place_is_held(law, seed):
    """A bob on a rod: W has rank two, slip and approach end together, and rounding of v decides nothing."""
    rng = np.random.default_rng([seed, 41])
    J = rng.normal(size=(3, 2))
    J[0] *= 0.5
    u = rng.normal(size=2)
    u *= -np.sign(J[0] @ u)
    W, v = J @ J.T, J @ u
    found = [LAWS[law].one(W, v + 1e-13 * noise, 1.0, 3.0, 3.0) for noise in rng.normal(size=(6, 3))]
    assert all(impulse is not None and np.abs(impulse).max() < 1e3 for impulse in found)
    after = np.array([v + W @ impulse for impulse in found])
    assert np.ptp(after, axis=0) == pytest.approx(np.zeros(3), abs=1e-6)


# --- one kernel -------------------------------------------------------------------------------------------------------


def box(mu=0.1):
    """A box that lands on one corner after the other."""
    J = np.array([[0.0, 1.0, 0.2], [1.0, 0.0, 0.1], [0.0, 1.0, -0.2], [1.0, 0.0, 0.1]])
    return between(np.diag([2.0, 2.0, 1.0 / 30.0]), J, np.array([0.3, -1.0, 4.0]), 0.0, mu, 1)


def crate(u, e=0.5, mu=0.3, mu_d=None):
    """A box in space, 1 by 0.6 by 0.4 and of mass 3, with all four corners of its underside on a plane."""
    sides, rows = np.array([1.0, 0.6, 0.4]), []
    M = np.diag([3.0, 3.0, 3.0, *(3.0 / 12.0 * (sides @ sides - sides**2))])
    for x, y in itertools.product((-0.5, 0.5), (-0.3, 0.3)):
        rows += [np.concatenate((d, np.cross([x, y, -0.2], d))) for d in np.eye(3)[[2, 0, 1]]]
    given = between(M, np.array(rows), np.array(u, float), e, mu, 2)
    return given if mu_d is None else replace(given, mu_d=np.full(4, mu_d))


def random_group(rng):
    """Contacts of mixed laws, some redundant, some with directions far stiffer than others."""
    k = int(rng.integers(1, 5))
    tangents = tuple(int(d) for d in rng.integers(0, 3, size=k))
    rows = k + sum(tangents)
    J = rng.normal(size=(rows, max(2, rows + int(rng.integers(-3, 6))))) * 10.0 ** rng.uniform(-1, 1, size=(rows, 1))
    e, mu = rng.choice([0.0, 0.5, 1.0], size=k), rng.choice([0.0, 0.3, 2.0], size=k)
    given = Impact(tuple("abcd"[:k]), J @ J.T, J @ rng.normal(size=J.shape[1]), tangents, e, mu, 0.8 * mu)
    return given, [str(law) for law in rng.choice(ALL, size=k)]


def both_ways(kernel, impact, laws, way, capture, *more):
    """The record after a kernel has run as machine code and as Python: the same bytes."""
    room = laid_out(impact, laws, way, capture)
    room.arrays["chosen"][:] = 1
    start = copied(room.problem)
    python, native = copied(start), copied(start)
    assert kernel(python, *more) == invoke(kernel, native, *more)
    for name in ("impulses", "after", "acted"):
        assert bytes(getattr(python, name)) == bytes(getattr(native, name)), name
    assert (python.energy, python.notes, python.groups) == (native.energy, native.notes, native.groups)
    assert [repr(each) for each in python.note] == [repr(each) for each in native.note]
    return native


@pytest.mark.parametrize("seed", range(120))
def test_python_and_machine_code_give_the_same_bits(seed):
    """Random contacts of all laws, in the plane and in space, alone and in groups, redundant ones too."""
    rng = np.random.default_rng([seed, 5])
    impact, laws = random_group(rng)
    both_ways(resolve_impact, impact, laws, WAYS[seed % 3], float(rng.choice([0.0, 0.1])))


@pytest.mark.parametrize("law", ALL)
@pytest.mark.parametrize("way", WAYS)
def test_aligned_contacts_give_the_same_bits(law, way):
    """Corners that land together, or one after the other, in the plane and in space."""
    for given in (crate([0, 0, -1, 0, 0, 0]), crate([2, 0.5, -1, 0, 0.1, 0], 0.0), box(), block(0.1)[3]):
        both_ways(resolve_impact, given, [law] * len(given.names), way, 1e-3)


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
def test_c_gives_the_same_bits(tmp_path):
    """The same kernel as C99: an export resolves impacts as a run does."""
    entry = f"int64_t entry(void *p);\nint64_t entry(void *p) {{ return {c_name(resolve_impact)}(p); }}\n"
    headers = [f"#include <{name}.h>" for name in ("stdint", "math", "string")]
    (tmp_path / "impact.c").write_text("\n".join([*headers, *c_functions([resolve_impact]), entry]))
    command = [COMPILER, "-O1", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-ffp-contract=off", "-shared",
               "-fPIC", "-o", str(tmp_path / "impact.so"), str(tmp_path / "impact.c"), "-lm"]  # fmt: skip
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""
    run = ctypes.CDLL(str(tmp_path / "impact.so")).entry
    run.argtypes, run.restype = [ctypes.c_void_p], ctypes.c_int64
    for seed in range(60):
        impact, laws = random_group(np.random.default_rng([seed, 9]))
        start = laid_out(impact, laws, WAYS[seed % 3], 0.01).problem
        first, second = copied(start), copied(start)
        assert run(address_of(first)) == invoke(resolve_impact, second)
        assert bytes(first.impulses) == bytes(second.impulses)


@pytest.mark.parametrize("seed", range(30))
def test_powers_of_four_give_the_same_bits(seed):
    """Nothing has a unit: W times 4^a and v times 4^b give impulses times 4^(b − a), bit for bit."""
    impact, laws = random_group(np.random.default_rng([seed, 11]))
    expected = resolve(impact, laws, WAYS[seed % 3], 0.01)
    for a, b in ((9, -6), (-13, 2), (4, 10)):
        other = replace(impact, W=impact.W * 4.0**a, v=impact.v * 4.0**b)
        out = resolve(other, laws, WAYS[seed % 3], 0.01 * 4.0**b)
        assert np.array_equal(out.impulses * 4.0 ** (a - b), expected.impulses)
        assert out.law == expected.law


@pytest.mark.parametrize("seed", range(10))
def test_jams_give_the_same_bits(seed):
    """Jams, alone and together, and contacts that stop."""
    rng = np.random.default_rng([seed, 6])
    impact, laws = random_group(rng)
    impact.v[impact.normals] = 0.0
    both_ways(jams.resolve_jam, impact, laws, None, 0.0, 0)
    for kernel in (jams.jam_together, jams.driven_in, jams.caught):
        both_ways(kernel, impact, laws, None, 0.0)
    both_ways(jams.stop_slow, impact, laws, None, 0.0, 0.5)


@pytest.mark.parametrize("slip", [[0, 0], [0.2, 0], [0, -0.3], [0.3, 0.3]])
@pytest.mark.parametrize("law", ["newton", "smith"])
def test_a_box_lands_evenly(law, slip):
    """Four corners share a normal impulse of which three are enough: opposite ones differ by the friction that tips it,
    and nothing turns."""
    given = crate([*slip, -1, 0, 0, 0], 0.5, 0.4)
    out = resolve(given, [law] * 4, None)
    normal = out.impulses[given.normals]
    assert normal.sum() == pytest.approx(3.0 * 1.5, rel=1e-12)
    assert normal[0] + normal[3] == pytest.approx(normal[1] + normal[2], rel=1e-9)
    assert np.ptp(out.v.reshape(4, 3), axis=0) == pytest.approx(np.zeros(3), abs=1e-12)


@pytest.mark.parametrize("law", ["poisson", "energetic"])
def test_a_box_returns_its_impulses_evenly(law):
    """By impulses the corners in front, pressed harder, return more; left and right ones alike."""
    out = resolve(crate([0.2, 0, -1, 0, 0, 0], 0.5, 0.4), [law] * 4, None)
    push, after = out.impulses.reshape(4, 3)[:, 0], out.v.reshape(4, 3)
    assert push[[0, 2]] == pytest.approx(push[[1, 3]], rel=1e-12)
    assert after[[0, 2]] == pytest.approx(after[[1, 3]], abs=1e-12)
    assert push[2] > 1.05 * push[0]


def test_a_box_that_friction_can_hold_stops():
    """μ_s Σ Λ_n is enough to stop it, though not at the lightest corner for an even share: it sticks, and slower
    friction does not act."""
    given = crate([0.3, 0.3, -1, 0, 0, 0], 0.5, 0.3, 0.21)
    out = resolve(given, ["newton"] * 4, None)
    assert out.v.reshape(4, 3) == pytest.approx(np.tile([0.5, 0.0, 0.0], (4, 1)), abs=1e-11)
    assert admissible(given, out) < 1e-9


@pytest.mark.parametrize("capture", [0.0, 1e-3])
@pytest.mark.parametrize("law", ["poisson", "energetic"])
def test_a_stack_rebounds_whole(law, capture):
    """Two boxes that fall together: impulses in proportion leave the upper one at rest on the lower; that does not
    part, so nothing is captured."""
    J = np.array([[0, 1, -1, 0, 0, 0], [0, 1, 1, 0, 0, 0], [0, -1, 1, 0, 1, -1], [0, -1, -1, 0, 1, 1]], float)
    u = np.array([0, -1, 0, 0, -1, 0], float)
    given = between(np.diag([1.0, 1.0, 5.0 / 12.0] * 2), J, u, 0.5)
    out = resolve(given, [law] * 4, True, capture)
    assert out.v == pytest.approx([0.5, 0.5, 0.0, 0.0], abs=1e-12)


def test_what_hardly_pushes_decides_nothing():
    """The energetic law takes the least e of those that push; a push of rounding alone is none."""
    J = np.array([[1.0, 0.0], [0.6, 0.8], [0.6, -0.8]])
    given = replace(between(np.eye(2), J, np.array([-1.0, 0.0]), 0.5), e=np.array([0.5, 0.5, 0.5]))
    free = Impact((*given.names, "aside"), np.block([[given.W, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]]),
                  np.append(given.v, 1e-18), (0,) * 4, np.append(given.e, 0.0), np.zeros(4), np.zeros(4))  # fmt: skip
    out, alone = resolve(free, ["energetic"] * 4, True), resolve(given, ["energetic"] * 3, True)
    assert out.v[:3] == pytest.approx(alone.v, abs=1e-14)
    assert out.law[3] == ""


def test_balls_of_a_rack_stay_symmetric_with_friction():
    """Six balls struck at the head, rough: what is on one side is on the other as well."""
    at = np.array([(-2.0, 0.0), *((np.sqrt(3) * row, 2.0 * i - row) for row in range(3) for i in range(row + 1))])
    pairs = [(i, j) for i, j in itertools.combinations(range(7), 2) if np.linalg.norm(at[i] - at[j]) < 2.001]
    J = np.zeros((2 * len(pairs), 21))
    for row, (i, j) in enumerate(pairs):
        n = (at[j] - at[i]) / 2
        for k, d in enumerate((n, np.array([-n[1], n[0]]))):
            J[2 * row + k, 3 * i : 3 * i + 3] = [*-d, -k]
            J[2 * row + k, 3 * j : 3 * j + 3] = [*d, -k]
    u, M = np.zeros(21), np.diag([1.0, 1.0, 0.5] * 7)
    u[0] = 5.0
    given = between(M, J, u, 0.0, 2.0, 1)
    out = resolve(given, ["newton"] * len(pairs), True)
    after = (u + np.linalg.solve(M, J.T @ out.impulses)).reshape(7, 3)
    assert after[[2, 4]] * [1, -1, -1] == pytest.approx(after[[3, 6]], abs=1e-10)
    assert admissible(given, out) < 1e-9


def test_more_than_there_is_room_for_is_refused():
    """A record laid out for two contacts takes no three, and says so."""
    problem = lay_out(ImpactProblem, most_contacts=2, most_rows=4, contacts=3, rows=3)
    assert resolve_impact(problem) == invoke(resolve_impact, problem) == Status.NO_ROOM


def test_fewer_than_there_is_room_for():
    """A record laid out for more gives the same bits: nothing depends on what it was laid out for."""
    given = crate([0.2, 0.1, -1, 0, 0, 0.3])
    expected = resolve(given, ["newton"] * 4, None)
    way = int(Order.AS_THEY_COME)
    problem = lay_out(ImpactProblem, most_contacts=9, most_rows=30, contacts=4, rows=12, at_once=way)
    np.asarray(problem.tangents)[:4] = 2
    np.asarray(problem.W)[:144], np.asarray(problem.v)[:12] = given.W.ravel(), given.v
    for name in ("e", "mu_s", "mu_d"):
        np.asarray(getattr(problem, name))[:4] = getattr(given, name)
    assert invoke(resolve_impact, problem) == Status.RESOLVED
    assert np.array_equal(np.asarray(problem.impulses)[:12], expected.impulses)


def test_numbers_that_overflow_are_named():
    """Impulses beyond all numbers are refused with the contact's name."""
    with pytest.raises(ContactError, match="the impulses of an impact at 'touch' are no finite numbers"):
        resolve(contact([[1e-300]], [-1e300]), ["newton"])


def test_notes_have_room_for_all():
    """Every contact with every note, and more groups than are kept: nothing is lost but groups beyond the last."""
    problem = lay_out(ImpactProblem, most_contacts=3, most_rows=3, contacts=3, rows=3)
    for code, contact_at in itertools.product(range(3), range(3)):
        add_note(problem, code, contact_at, 0, 0.0)
    for size in range(1, 2**3):
        members = [i for i in range(3) if size >> i & 1]
        problem.members = len(members)
        np.asarray(problem.member)[: len(members)] = members
        for code in range(3, 6):
            note_group(problem, code, 0, 0.0)
    add_note(problem, int(NoteCode.UNENDING), 0, 0, 0.0)
    assert problem.notes == 9 + 3 * 7 + 1
    assert len(problem.note) >= 9 + 3 * GROUPS + 1


def given_by(kernel, W, v, *numbers):
    """Λ of a kernel; none where it gives none."""
    impulse = np.zeros(len(v))
    return impulse if invoke(kernel, W.copy(), v.copy(), *numbers, impulse) else None


def turning(W: np.ndarray, v: np.ndarray, rise: float, mu: float, angle: float) -> float:
    """s × (D v_t⁺), which vanishes where what slips after the impact slips along s."""
    s = np.array([math.cos(angle), math.sin(angle)])
    after = (W[0, 0] - mu * W[0, 1:] @ s) * v[1:] + rise * (W[1:, 0] - mu * W[1:, 1:] @ s)
    return float(s[0] * after[1] - s[1] * after[0])


def slip_by_roots(W: np.ndarray, v: np.ndarray, rise: float, mu: float) -> np.ndarray | None:
    """Λ_t = −μ Λ_n s of least energy: `turning` is a quartic in exp(iθ), whose roots NumPy finds."""
    c = np.fft.fft([turning(W, v, rise, mu, k * math.pi / 4.0) for k in range(8)]) / 8.0
    found = []
    for z in np.roots([c[2], c[1], c[0], c[-1], c[-2]]):
        if abs(abs(z) - 1.0) > 1e-3:
            continue
        angle, last = float(np.angle(z)), float(np.angle(z)) + 1e-4
        for _ in range(20):
            here, there = turning(W, v, rise, mu, angle), turning(W, v, rise, mu, last)
            if here == there:
                break
            last, angle = angle, angle - here * (angle - last) / (here - there)
        s = np.array([math.cos(angle), math.sin(angle)])
        lift = W[0, 0] - mu * W[0, 1:] @ s
        impulse = np.concatenate(([1.0], -mu * s)) * rise / lift
        after = v + W @ impulse
        aside = abs(s[0] * after[2] - s[1] * after[1]) / np.abs(after).max()
        if lift > 1e-8 * W[0, 0] and after[1:] @ s > 0.0 and aside < 1e-8:
            found.append((float(impulse @ (v + after)), impulse))
    return min(found, key=lambda item: item[0])[1] if found else None


@pytest.mark.parametrize("mu", [0.0, 0.1, 0.5, 2.0])
def test_slip_in_space_is_that_of_the_polynomial(mu):
    """The direction found all around is the root of least energy; as Python the kernels give the same bits."""
    for seed in range(75):
        rng = np.random.default_rng(seed)
        J = rng.normal(size=(3, 6)) * 10.0 ** rng.uniform(-2, 2, size=(3, 1))
        W, v, rise = J @ J.T, rng.normal(size=3) * 10.0 ** rng.uniform(-3, 1), 10.0 ** rng.uniform(-2, 1)
        expected = slip_by_roots(W, v, rise, mu) if mu > 0.0 else np.array([rise / W[0, 0], 0.0, 0.0])
        found = given_by(slip_in_space, W, v, rise, mu)
        assert (found is None) == (expected is None)
        if found is not None:
            assert found == pytest.approx(expected, rel=1e-7, abs=1e-9 * np.abs(expected).max())
        held = given_by(stop_in_space, W, v, rise)
        if held is not None:
            assert v + W @ held == pytest.approx([v[0] + rise, 0.0, 0.0], abs=1e-8 * max(rise, np.abs(v).max()))
    python = np.zeros(3)
    assert slip_in_space(W.ravel(), v, rise, mu, python) == (found is not None)
    assert found is None or np.array_equal(python, found)


def test_stop_in_space_leaves_what_is_close_to_singular():
    """A place that moves along one line, or in one plane, takes more care; so does one that does not move."""
    v = np.array([-1.0, 0.3, 0.2])
    for J in (np.outer([1.0, 2.0, -1.0], [1.0, 0.5]), np.array([[1.0, 0.0], [0.2, 1.0], [1.2, 1.0]]), np.zeros((3, 3))):
        assert given_by(stop_in_space, J @ J.T, v, 1.0) is None


@pytest.mark.parametrize("apart", [1e-12, 1e-10, 1e-9, 1e-7])
@pytest.mark.parametrize("law", ALL)
def test_two_places_that_are_nearly_one_are_parted_by_the_faster(law, apart):
    """Rows that are one but for rounding, speeds that are not: none approaches after, and no energy is gained."""
    W, v = np.full((2, 2), 1.0), np.array([-1.0, -1.0 - apart])
    impact = Impact(("a", "b"), W, v, (0, 0), np.zeros(2), [0.0, 0.0], [0.0, 0.0])
    out = resolve(impact, [law, law], True)
    assert admissible(impact, out) <= 1e-11
    assert out.impulses.sum() == pytest.approx(1.0 + apart, abs=1e-11 + 1e-3 * apart)
