"""Impacts at one instant: closed forms, the impulse path integrated independently, and laws on random contacts."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from latchwork.contact.impact import resolution as impact_module
from latchwork.contact.impact.planar import found as given_by
from latchwork.contact.impact.resolution import LAWS, Impact, jam, resolve
from latchwork.contact.impact.sequential import in_turn, take_turns
from latchwork.contact.impact.spatial import slip_in_space, stop_in_space
from latchwork.errors import ContactError, EvaluationError

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


# --- one after the other ----------------------------------------------------------------------------------------------


def of_known_laws(seed):
    """Some contacts, of laws that machine code knows; W regular."""
    rng = np.random.default_rng(seed)
    impact = random_impact(rng, most=3)
    while len(impact.names) == 1:
        impact = random_impact(rng, most=3)
    return impact, ["newton" if across == 2 else str(rng.choice(["newton", "smith"])) for across in impact.tangents]


def box(mu=0.1):
    """A box that lands on one corner after the other."""
    J = np.array([[0.0, 1.0, 0.2], [1.0, 0.0, 0.1], [0.0, 1.0, -0.2], [1.0, 0.0, 0.1]])
    return between(np.diag([2.0, 2.0, 1.0 / 30.0]), J, np.array([0.3, -1.0, 4.0]), 0.0, mu, 1)


@pytest.mark.parametrize("way", [False, None])
@pytest.mark.parametrize("seed", range(25))
def test_turns_in_machine_code_are_those_of_acts(seed, way, monkeypatch):
    """Contacts that act alone: impulses, speeds, laws and notes as where every act is made by itself."""
    impact, laws = of_known_laws(seed)
    quick = resolve(impact, laws, way, capture=1e-3)
    monkeypatch.setattr(impact_module, "in_turn", lambda *given: (0, []))
    slow = resolve(impact, laws, way, capture=1e-3)
    assert quick.impulses == pytest.approx(slow.impulses, rel=1e-8, abs=1e-10 * np.abs(slow.impulses).max())
    assert quick.v == pytest.approx(slow.v, abs=1e-9 * np.abs(impact.v).max())
    assert (quick.law, len(quick.notes)) == (slow.law, len(slow.notes))


def test_turns_of_a_box(monkeypatch):
    """It takes dozens of them, and Python makes none; as Python the kernel gives the same bits."""
    impact = box()
    acts = []
    plain = impact_module.act_of
    monkeypatch.setattr(impact_module, "act_of", lambda *given: acts.append(given) or plain(*given))
    out = resolve(impact, ["newton", "newton"])
    assert acts == []
    assert (out.v[impact.normals] > -1e-9).all()
    whole = np.zeros(4)
    made, felt = in_turn(impact, ["newton", "newton"], False, 0.0, 400, whole)
    assert made > 10
    assert np.concatenate([act.impulse for act in felt]) == pytest.approx(whole)
    laws, tangents, v, python = np.zeros(2, np.int64), np.ones(2, np.int64), np.empty(4), np.zeros(4)
    numbers = np.concatenate([impact.e, impact.mu_s, impact.mu_d])
    again = take_turns(2, 4, tangents, laws, impact.W.ravel(), impact.v, numbers, 0.0, 1, 400, v, python)
    assert again == made
    assert np.array_equal(python, whole)


def test_turns_are_not_taken_where_contacts_act_together():
    """Corners that land at the same time feel each other; balls that hit others far away do not."""
    together = replace(box(), v=np.array([-1.0, 0.0, -1.0, 0.0]))
    assert in_turn(together, ["newton"] * 2, None, 0.0, 400, np.zeros(4))[0] == 0
    apart = replace(together, W=np.eye(4))
    assert in_turn(apart, ["newton"] * 2, None, 0.0, 400, np.zeros(4))[0] == 2
    assert in_turn(together, ["newton"] * 2, True, 0.0, 400, np.zeros(4))[0] == 0
    assert in_turn(together, ["newton", "poisson"], False, 0.0, 400, np.zeros(4))[0] == 0


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
