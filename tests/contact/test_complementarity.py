"""Contacts at one state: which open, slide and stick. Every verdict is checked by laws apart from the solver."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from campaign import seeds
from latchwork.contact.complementarity.solution import ContactSolution, NamedContactProblem, feasible, hold_on, settle
from latchwork.errors import EvaluationError, Jammed, Unsettled
from resting_laws import (
    OPEN,
    SLIDE,
    STICK,
    broken_laws,
    pile,
    plane_block,
    resting,
    solutions,
    space_box,
    stack,
)

G = 9.81
approx = pytest.approx
CORNERS = {1: [(0.0, -0.5)], 2: [(-1.0, -0.5), (1.0, -0.5)], 4: [(-1.0, -0.5), (-0.3, -0.5), (0.4, -0.5), (1.0, -0.5)]}


def checked(r: NamedContactProblem, guess=None) -> ContactSolution:
    """The verdict, every law of which holds."""
    verdict = settle(r, guess)
    assert broken_laws(r, verdict) == []
    return verdict


@pytest.mark.parametrize("corners", [2, 4])
@pytest.mark.parametrize(("part", "state"), [(0.0, STICK), (0.5, STICK), (0.999, STICK), (1.001, SLIDE), (1.5, SLIDE)])
def test_block_on_an_incline(corners, part, state):
    """A block sticks while tan θ ≤ mu, however many corners share its weight, and slides at g (sin θ − mu cos θ)."""
    mu, slope = 0.4, np.arctan(0.4 * part)
    J, f, Minv = plane_block(CORNERS[corners], slope)
    verdict = checked(resting(J, f, Minv, mu, [1] * corners))
    assert verdict.states == (state,) * corners
    expected = 0.0 if state is STICK else -G * (np.sin(slope) - mu * np.cos(slope))
    assert verdict.a[1::2] == approx(expected, abs=1e-9)
    assert verdict.lam[0::2].sum() == approx(G * np.cos(slope))


def test_static_friction_holds_until_its_own_limit():
    """Between mu_d and mu_s a block at rest sticks; beyond mu_s it slides with mu_d."""
    for tangent, state in ((0.45, STICK), (0.51, SLIDE)):
        slope = np.arctan(tangent)
        J, f, Minv = plane_block(CORNERS[2], slope)
        verdict = checked(resting(J, f, Minv, 0.5, [1, 1], 0.3))
        assert verdict.states == (state, state)
    assert verdict.a[1] == approx(-G * (np.sin(slope) - 0.3 * np.cos(slope)))


@pytest.mark.parametrize("tangents", [1, 2])
def test_one_that_must_slide_slides_at_the_limit(tangents):
    """At tan θ = mu, where sticking and sliding meet, a contact that has left its cone slides in the way given."""
    mu = 0.4
    slope = np.arctan(mu)
    down = np.array([-1.0, 0.0][:tangents])
    if tangents == 1:
        J, f, Minv = plane_block([(0.0, 0.0)], slope)
    else:
        J, f, Minv = space_box([(0.0, 0.0, 0.0)], force=(-G * np.sin(slope), 0.0, -G * np.cos(slope)))
    for nudge in (1.0, 1.0 - 1e-8, 1.0 + 1e-8):
        verdict = checked(resting(J, f, Minv, mu * nudge, [tangents], must=[down]))
        assert verdict.states == (SLIDE,)
        assert verdict.directions[0] == approx(down, abs=1e-6)
    assert checked(resting(J, f, Minv, mu, [tangents])).states == (STICK,)


def test_one_that_must_slide_and_cannot_sticks_with_a_note():
    """A contact said to slide that is well inside its cone sticks, and the verdict says so."""
    J, f, Minv = plane_block(CORNERS[1], 0.05)
    verdict = settle(resting(J, f, Minv, 0.5, [1], must=[np.array([1.0])]))
    assert verdict.states == (STICK,)
    assert "'c0' was to slide" in verdict.notes[0]


def test_sliding_up_an_incline():
    """A block that slides uphill is braked by friction along its slip: a_t = −g (sin θ + mu cos θ)."""
    J, f, Minv = plane_block(CORNERS[2], 0.3)
    verdict = checked(resting(J, f, Minv, 0.2, [1, 1], slip=[np.array([1.0])] * 2))
    assert verdict.states == (SLIDE, SLIDE)
    assert verdict.a[1] == approx(-G * (np.sin(0.3) + 0.2 * np.cos(0.3)))


def test_a_block_tips_over_its_corner():
    """A push above the edge of the base opens the far corner and leaves the near one: P h > m g w."""
    J, f, Minv = plane_block([(-0.2, -1.0), (0.2, -1.0)], side=3.0)
    verdict = checked(resting(J, f, Minv, 0.9, [1, 1]))
    assert verdict.states == (OPEN, STICK)
    h2 = 1.0 + 0.2**2 + 1.0
    assert verdict.a[0] == approx(0.4 * (3.0 * 1.0 - G * 0.2) / h2)


@pytest.mark.parametrize(("mu_wall", "least"), [(0.0, 1 / (2 * 0.4)), (0.4, (1 - 0.4**2) / (2 * 0.4))])
def test_ladder_against_a_wall(mu_wall, least):
    """A ladder stands while tan α ≥ (1 − mu mu_wall)/(2 mu): of its forces, not unique, some are within both cones."""
    for part, states in ((1.002, {STICK}), (0.998, {SLIDE})):
        alpha = np.arctan(least * part)
        c, s = np.cos(alpha), np.sin(alpha)  # half length 1; foot at (c, −s), top at (−c, s) against a wall at the left
        J = [[0, 1, c], [1, 0, s], [1, 0, -s], [0, 1, -c]]
        r = resting(J, np.array([0.0, -G, 0.0]), np.diag([1.0, 1.0, 3.0]), [0.4, mu_wall], [1, 1])
        verdict = checked(r)
        assert {verdict.states[0]} == states
        assert verdict.states[1] is (SLIDE if mu_wall == 0.0 else verdict.states[0])


@pytest.mark.parametrize("P", [2.0, 3.0, 11.9, 13.0, 40.0])
def test_two_blocks_with_the_lower_one_pushed(P):
    """The lower slides when P > mu_f (m₁+m₂) g; the upper stays on it while that acceleration is below mu g."""
    m1, m2, floor, between = 1.0, 1.5, 0.1, 0.4
    lower, upper = [(-5.0, -0.1), (5.0, -0.1)], [(-1.0, -0.1), (1.0, -0.1)]
    J = np.zeros((8, 6))
    J[:4, :3] = plane_block(lower)[0]
    J[4:, 3:] = plane_block(upper)[0]
    J[4:, :3] = -plane_block([(-1.0, 0.1), (1.0, 0.1)])[0]
    f = np.array([P, -m1 * G, 0.0, 0.0, -m2 * G, 0.0])
    Minv = np.diag(1 / np.array([m1, m1, 9.0, m2, m2, 0.5]))
    verdict = checked(resting(J, f, Minv, [floor, floor, between, between], [1] * 4))
    together = (P - floor * (m1 + m2) * G) / (m1 + m2)
    apart = (P - floor * (m1 + m2) * G - between * m2 * G) / m1
    expected = max(0.0, together) if together <= between * G else apart
    assert verdict.a[1] == approx(expected, abs=1e-9)
    assert verdict.states[0] is (SLIDE if together > 0 else STICK)
    assert verdict.states[2] is (SLIDE if together > between * G else STICK)


@pytest.mark.parametrize(("part", "state"), [(0.99, STICK), (1.01, SLIDE)])
def test_sphere_on_an_incline(part, state):
    """A solid sphere rolls without slip while tan θ ≤ 7/2 mu; then its contact slips at g (sin θ − 7/2 mu cos θ)."""
    mu, R = 0.2, 0.3
    slope = np.arctan(3.5 * mu * part)
    way = np.array([0.6, 0.8])
    J, f, Minv = space_box(
        [(0.0, 0.0, -R)], inertia=[0.4 * R**2] * 3, force=(*(G * np.sin(slope) * way), -G * np.cos(slope))
    )
    verdict = checked(resting(J, f, Minv, mu, [2]))
    assert verdict.states == (state,)
    if state is SLIDE:
        assert verdict.directions[0] == approx(way)
        assert verdict.a[1:] == approx(G * (np.sin(slope) - 3.5 * mu * np.cos(slope)) * way)


@pytest.mark.parametrize(("part", "state"), [(0.999, STICK), (1.001, SLIDE)])
def test_box_on_four_corners(part, state):
    """Twelve rows on six freedoms: a box in space sticks to its limit and then slides straight down."""
    slope = np.arctan(0.4 * part)
    force = (-0.6 * G * np.sin(slope), -0.8 * G * np.sin(slope), -G * np.cos(slope))
    J, f, Minv = space_box([(x, y, -0.5) for x in (-1, 1) for y in (-0.7, 0.7)], force=force)
    verdict = checked(resting(J, f, Minv, 0.4, [2] * 4))
    assert verdict.states == (state,) * 4
    if state is SLIDE:
        assert np.array(verdict.directions) == approx(np.array([[-0.6, -0.8]] * 4))


@pytest.mark.parametrize("part", [0.9, 1.0 - 1e-9, 1.0 + 1e-9])
@pytest.mark.parametrize("leaving", [1, 4])
def test_corners_of_a_box_that_must_slide(part, leaving):
    """Corners that have left their cones slide, or are at the limit without motion while the others hold the box."""
    slope = np.arctan(0.4 * part)
    J, f, Minv = space_box(
        [(x, y, -0.5) for x in (-1, 1) for y in (-0.7, 0.7)], force=(-G * np.sin(slope), 0.0, -G * np.cos(slope))
    )
    down = np.array([-1.0, 0.0])
    must = [down] * leaving + [None] * (4 - leaving)
    verdict = settle(resting(J, f, Minv, 0.4, [2] * 4, must=must))
    expected = (STICK,) * 4 if (part, leaving) == (0.9, 4) else (SLIDE,) * leaving + (STICK,) * (4 - leaving)
    assert verdict.states == expected
    assert verdict.a == approx(0.0, abs=1e-6)
    assert bool(verdict.notes) is (STICK in expected[:leaving])


def test_box_spun_on_four_corners():
    """A moment M about the normal of a square box slides every corner across its radius: I α = M − mu m g r."""
    corners = [(x, y, -0.1) for x in (-1, 1) for y in (-1, 1)]
    J, f, Minv = space_box(corners, inertia=(1.0, 1.0, 2.0), moment=(0.0, 0.0, 8.0))
    verdict = checked(resting(J, f, Minv, 0.3, [2] * 4))
    alpha = (8.0 - 0.3 * G * np.sqrt(2)) / 2.0
    for (x, y, _), d, a in zip(corners, verdict.directions, verdict.a.reshape(4, 3), strict=True):
        assert d == approx(np.array([-y, x]) / np.sqrt(2), abs=1e-8)
        assert a[1:] == approx(alpha * np.array([-y, x]))


def painleve(theta: float, spin: float, mu: float, way: float) -> tuple[NamedContactProblem, float, float]:
    """A slender rod (half length 1, mass 1) whose lower tip slides; with b and p of ``a_n = p λ_n + b``.

    [Génot, Brogliato 1999]: p = 1 + 3 cos θ (cos θ − mu sin θ), b = −g + θ̇² sin θ, for slip towards −x here.
    """
    c, s = np.cos(theta), np.sin(theta)
    J = [[0, 1, -c], [1, 0, s]]
    jdot = np.array([spin**2 * s, spin**2 * c])
    r = resting(J, np.array([0.0, -G, 0.0]), np.diag([1.0, 1.0, 3.0]), mu, [1], slip=[np.array([way])], jdot=jdot)
    return r, 1 + 3 * c * (c + way * mu * s), -G + spin**2 * s


def test_painleve_begins_at_four_thirds():
    """For a slender rod p can fall below zero only if mu > 4/3."""
    angles = np.linspace(0.01, 1.56, 2000)
    least = {mu: min(painleve(angle, 0.0, mu, -1.0)[1] for angle in angles) for mu in (1.33, 1.34)}
    assert least[1.33] > 0 > least[1.34]


def test_painleve_consistent():
    """p > 0: it slides on with λ = −b/p where b < 0, and lifts off where b > 0."""
    r, p, b = painleve(0.3, 1.0, 1.6, -1.0)
    assert (p > 0, b < 0) == (True, True)
    verdict = checked(r)
    assert verdict.states == (SLIDE,)
    assert verdict.lam[0] == approx(-b / p)
    r, p, b = painleve(0.3, 8.0, 1.6, -1.0)
    assert (p > 0, b > 0) == (True, True)
    assert checked(r).states == (OPEN,)


def test_painleve_inconsistent():
    """p < 0, b < 0: no finite force; the rod jams, and the error names it. Towards the other side it slides."""
    r, p, b = painleve(1.0, 1.0, 1.6, -1.0)
    assert (p < 0, b < 0) == (True, True)
    with pytest.raises(Jammed, match=r"'c0' \(mu = 1\.6, -8\.969 m/s²\)") as caught:
        settle(r)
    assert caught.value.contacts == ("c0",)
    assert checked(painleve(1.0, 1.0, 1.6, 1.0)[0]).states == (SLIDE,)


def test_painleve_indeterminate():
    """p < 0 < b: both are lawful; the guess is kept, closed if there is none, and a note says so."""
    r, p, b = painleve(1.0, 8.0, 1.6, -1.0)
    assert (p < 0, b > 0) == (True, True)
    for guess, state in ((None, SLIDE), ((SLIDE,), SLIDE), ((OPEN,), OPEN)):
        verdict = checked(r, guess)
        assert verdict.states == (state,)
        assert "both lawful; the present states are kept" in verdict.notes[0]
    assert settle(r).lam[0] == approx(-b / p)


def random_problem(seed: int, most: int, space: bool) -> NamedContactProblem:
    """Rows at random on too few, enough or too many freedoms; some smooth, some sliding, some with mu_d < mu_s."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, most + 1))
    tangents = [int(t) for t in rng.choice([0, 1, 2], k, p=[0.1, 0.2, 0.7] if space else [0.15, 0.85, 0.0])]
    n = k + sum(tangents)
    d = int(rng.integers(max(1, n // 3), n + 2))
    mu = rng.uniform(0.0, 1.0 if space else 1.5, k) * (rng.random(k) < 0.9)
    ways = [rng.normal(size=t) for t in tangents]
    slip = [way / np.linalg.norm(way) if len(way) and rng.random() < 0.3 else None for way in ways]
    return resting(
        rng.normal(size=(n, d)), rng.normal(size=d), np.eye(d), mu, tangents, mu * rng.choice([1.0, 0.7], k), slip
    )


@pytest.mark.parametrize("part", seeds(range(2), range(40)))
def test_verdict_is_among_all_solutions(part):
    """Of 50 random problems in the plane: the verdict is one of all solutions; without any, it is refused."""
    for seed in range(50 * part, 50 * part + 50):
        r = random_problem(seed, 4 if seed % 12 == 0 else 3, space=False)
        every = solutions(r)
        if not every:
            with pytest.raises((Jammed, Unsettled), match="contacts"):
                settle(r)
            continue
        verdict = checked(r)
        signs = [0.0 if d is None else float(d[0]) for d in verdict.directions]
        assert tuple(zip(verdict.states, signs, strict=True)) in every


def jams(r: NamedContactProblem) -> bool:
    """Whether it is refused for contacts that slide; else every law holds."""
    try:
        checked(r)
    except Jammed as error:
        return all(r.slip[r.names.index(name)] is not None for name in error.contacts)
    return False


def test_random_problems_in_space():
    """Of 120 random problems in space two at most are refused, for their sliding contacts; all others obey the laws."""
    assert sum(jams(random_problem(seed, 6, space=True)) for seed in range(120)) <= 2


@pytest.mark.parametrize("part", [1e-2, 1e-3, 1e-4, 1e-5])
def test_slip_that_hardly_begins(part):
    """Beside one that slides, one in space that is beyond its cone by a small part slides, and is found at once."""
    for seed in range(30):
        rng = np.random.default_rng(seed)
        J, (n, m), turns = rng.normal(size=(6, 9)), rng.uniform(1.0, 3.0, 2), rng.uniform(0.0, 6.28, 2)
        d, e = (np.array([np.cos(turn), np.sin(turn)]) for turn in turns)
        lam = np.array([n, *(-0.5 * n * d), m, *(-(1.0 + part) * 0.5 * m * e)])
        b = -(J @ J.T @ lam)
        b[1:3] += 0.3 * d
        mu = np.array([0.5, 0.5])
        verdict = checked(
            NamedContactProblem(("a", "b"), J @ J.T, b, (2, 2), mu, mu, (d, None), (None, None)), [SLIDE, STICK]
        )
        assert verdict.states == (SLIDE, SLIDE)
        assert verdict.iterations <= 3


def cone_projection(x: np.ndarray, mu: float) -> np.ndarray:
    """The nearest point with |λ_t| ≤ mu λ_n."""
    normal, size = x[0], np.linalg.norm(x[1:])
    if size <= mu * normal:
        return x
    if mu * size <= -normal:
        return np.zeros(3)
    share = (normal + mu * size) / (1 + mu**2)
    return np.concatenate(([share], mu * share * x[1:] / size))


def iterated(r: NamedContactProblem, sweeps: int = 3000) -> np.ndarray:
    """Accelerations by plain projections, λ ← P(λ − ρ (a + mu |a_t| n)) contact by contact: slow, another way."""
    lam = np.zeros(len(r.b))
    for _ in range(sweeps):
        for i, at in enumerate(range(0, len(lam), 3)):
            a = r.A[at : at + 3] @ lam + r.b[at : at + 3]
            a[0] += r.mu_s[i] * np.linalg.norm(a[1:])
            rho = 0.6 / np.linalg.norm(r.A[at : at + 3, at : at + 3], 2)
            lam[at : at + 3] = cone_projection(lam[at : at + 3] - rho * a, r.mu_s[i])
    return r.A @ lam + r.b


@pytest.mark.parametrize("seed", seeds(range(3), range(20)))
def test_accelerations_agree_with_projections(seed):
    """In space, on three legs with moderate friction, a is what plain projections converge to."""
    rng = np.random.default_rng(seed)
    corners = [(x + 0.1 * rng.normal(), y + 0.1 * rng.normal(), -0.3) for x, y in ((-1, -1), (1, -1), (0, 1))]
    J, f, Minv = space_box(corners, force=(*rng.normal(scale=3, size=2), -G), moment=rng.normal(scale=4, size=3))
    r = resting(J, f, Minv, 0.25, [2] * len(corners))
    assert checked(r).a == approx(iterated(r), abs=1e-7)


@pytest.mark.parametrize("tangents", [1, 2])
@pytest.mark.parametrize("ratio", [1.0, 0.8])
def test_leaving_the_cone(tangents, ratio):
    """Of many contacts one reaches the limit of its cone and must slide: it does, within rounding of the limit too."""
    for seed in range(60):
        rng = np.random.default_rng(seed)
        k = int(rng.integers(1, 4))
        J, f = rng.normal(size=(k * (1 + tangents), 14)), rng.normal(size=14)
        held = settle(resting(J, f, np.eye(14), 0.6, [tangents] * k))
        if held.states[0] is not STICK:
            continue
        normal, friction = held.lam[0], held.lam[1 : 1 + tangents]
        size = np.linalg.norm(friction)
        must = [-friction / size] + [None] * (k - 1)
        for nudge in (1.0, 1 - 1e-8, 1 + 1e-8):
            mu = np.array([size / normal * nudge] + [0.6] * (k - 1))
            mu_d = mu * np.array([ratio] + [1.0] * (k - 1))
            r = resting(J, f, np.eye(14), mu, [tangents] * k, mu_d, must=must)
            verdict = settle(r)
            assert broken_laws(r, verdict, 2e-6) == []
            assert verdict.states[0] is SLIDE


def test_what_goes_on_is_kept():
    """Whenever the present states, all closed and stuck where they do not slide, are lawful they are the verdict."""
    kept = 0
    for seed in range(40):
        r = random_problem(seed, 2, space=False)
        present = tuple(
            (SLIDE, 0.0 if slip is None else float(slip[0])) if slip is not None or not t or mu == 0.0 else (STICK, 0.0)
            for slip, t, mu in zip(r.slip, r.tangents, r.mu_s, strict=True)
        )
        present = tuple((s, 0.0 if mu == 0.0 else d) for (s, d), mu in zip(present, r.mu_s, strict=True))
        if present in solutions(r):
            kept += 1
            assert checked(r).states == tuple(state for state, _ in present)
    assert kept > 5


def test_ties_everywhere():
    """Rows and forces of −1, 0 and 1 make every test of a pivot a tie: the verdict is still one of all solutions."""
    for seed in range(25):
        rng = np.random.default_rng(seed)
        k, d = int(rng.integers(1, 4)), int(rng.integers(1, 5))
        J, f = rng.integers(-1, 2, (2 * k, d)), rng.integers(-1, 2, d)
        r = resting(J, f, np.eye(d), rng.choice([0.0, 0.5, 1.0], k), [1] * k)
        verdict = checked(r)
        signs = [0.0 if way is None else float(way[0]) for way in verdict.directions]
        assert tuple(zip(verdict.states, signs, strict=True)) in solutions(r)


def test_units_do_not_matter():
    """Other units of mass, length and time change the numbers and nothing else."""
    for seed in range(60):
        r = random_problem(seed, 4, space=seed % 2 == 0)
        if jams(r):
            continue
        verdict = settle(r)
        for m, l, t in ((1e6, 1.0, 1.0), (1e-5, 1e3, 1e-3), (3.0, 1e-6, 1e4)):
            again = checked(replace(r, A=r.A / m, b=r.b * l / t**2))
            assert again.states == verdict.states
            assert again.a * t**2 / l == approx(verdict.a, abs=1e-6 * np.abs(r.b).max())


def test_masses_of_all_sizes():
    """Bodies of a gram, a kilogram and a tonne, apart from each other, each slide or stick as they would alone."""
    masses = (1e-3, 1.0, 1e3)
    parts = [plane_block(CORNERS[2], slope, m, m) for m, slope in zip(masses, (0.37, 0.39, 0.37), strict=True)]
    J = np.zeros((12, 9))
    for i, part in enumerate(parts):
        J[4 * i : 4 * i + 4, 3 * i : 3 * i + 3] = part[0]
    f = np.concatenate([part[1] for part in parts])
    Minv = np.diag(np.concatenate([part[2].diagonal() for part in parts]))
    verdict = checked(resting(J, f, Minv, 0.4, [1] * 6))
    assert verdict.states == (STICK, STICK, SLIDE, SLIDE, STICK, STICK)


COLLAPSING = [pytest.param(mu, mu_d, False, marks=pytest.mark.campaign) for mu, mu_d in ((0.1, 0.1), (0.3, 0.2))]


@pytest.mark.parametrize(("mu", "mu_d", "held"), [(0.5, 0.5, True), (0, 0, True), *COLLAPSING])
def test_piles(mu, mu_d, held):
    """Fifty disks packed with more than a hundred contacts, at rest or collapsing: every law holds."""
    J, f, Minv = pile(5, 10, 1, held=held)
    k = len(J) // 2
    assert k > 100
    verdict = checked(resting(J, f, Minv, mu, [1] * k, mu_d))
    assert (OPEN in verdict.states) is not held


def test_pile_in_motion():
    """Sliding contacts among those that stick, pushed at random."""
    J, f, Minv = pile(4, 6, 3)
    rng = np.random.default_rng(3)
    slip = [np.array([rng.choice([-1.0, 1.0])]) if rng.random() < 0.5 else None for _ in range(len(J) // 2)]
    push = 5 * rng.normal(size=len(f))
    assert SLIDE in checked(resting(J, f + push, Minv, 0.3, [1] * len(slip), 0.2, slip)).states


@pytest.mark.parametrize("push", [0.0, 1.0, 6.0, 30.0])
def test_stack_of_boxes_in_space(push):
    """Three boxes with twelve corners; the top one is pushed and twisted: it stays, or slides, or tips."""
    J, f, Minv = stack(3)
    f = f + np.eye(18)[12] * push + np.eye(18)[17] * push
    verdict = checked(resting(J, f, Minv, 0.5, [2] * 12, 0.4))
    assert (verdict.states == (STICK,) * 12) is (push < 5.0)


def test_smooth_contacts_slide_without_direction():
    """Without friction a closed contact slides, whether it has tangents or not."""
    J, f, Minv = plane_block(CORNERS[2])
    both = checked(resting(J, f, Minv, 0.0, [1, 1]))
    bare = checked(resting(J[::2], f, Minv, 0.5, [0, 0]))
    assert both.states == bare.states == (SLIDE, SLIDE)
    assert both.directions == bare.directions == (None, None)
    assert both.lam[::2] == approx(bare.lam)


def test_nothing_at_rest():
    """No contacts have an empty verdict."""
    assert settle(resting(np.zeros((0, 3)), np.zeros(3), np.eye(3), 0.0, [])).states == ()


@pytest.mark.parametrize("less", [0.0, 1e-12, 1e-10, 1e-8, 1e-3])
def test_a_contact_that_leaves_its_cone_and_carries_nothing_opens(less):
    """A ball A is pushed along a floor against a ball B, mu = 1 everywhere, and slides as it turns backwards; B rolls.

    With λ_t = λ_n between them both have a = P − m g, whatever λ is, as long as P ≥ m g. Where P falls below that they
    part: a closed contact that slides would have a singular A, and forces of rounding.
    """
    r, J = 0.25, 1.0 / 24.0
    rows = np.array([[0, 1, 0, 0, 0, 0], [1, 0, -r, 0, 0, 0], [0, 0, 0, 0, 1, 0], [0, 0, 0, 1, 0, -r],
                     [-1, 0, 0, 1, 0, 0], [0, -1, r, 0, 1, r]], dtype=float)  # fmt: skip
    f = np.array([G * (1.0 - less), -G, 0.0, 0.0, -G, 0.0])
    given = resting(rows, f, np.diag([1.0, 1.0, 1.0 / J] * 2), 1.0, [1, 1, 1])
    left = replace(given, slip=(np.array([1.0]), None, None), must_slip=(None, None, np.array([1.0])))
    verdict = checked(left, (SLIDE, STICK, STICK))
    assert verdict.states == (SLIDE, STICK, OPEN)
    assert verdict.lam[4:].tolist() == [0.0, 0.0]


def test_contacts_that_contradict_each_other():
    """A body that cannot move, and a contact that would need it to, is refused with its name and acceleration."""
    r = resting(np.zeros((1, 1)), np.zeros(1), np.eye(1), 0.0, [0], jdot=np.array([-2.0]))
    with pytest.raises(Unsettled, match=r"found for 'c0': their free accelerations along the normals are \[-2\.0\]"):
        settle(r)


def test_shapes_are_checked():
    """Rows that do not match the contacts are refused."""
    with pytest.raises(EvaluationError, match=r"1 contacts with 2 rows have A of shape \(3, 3\)"):
        settle(resting(np.eye(3), np.zeros(3), np.eye(3), 0.5, [1]))


def test_numbers_are_checked():
    """An acceleration that is not a number is refused with the contact's name."""
    with pytest.raises(EvaluationError, match="contacts 'c1' have accelerations that are not finite"):
        settle(resting(np.eye(2), np.zeros(2), np.eye(2), 0.5, [0, 0], jdot=np.array([0.0, np.nan])))


@pytest.mark.parametrize(("part", "holds"), [(0.0, True), (0.9, True), (0.999, True), (1.001, False)])
@pytest.mark.parametrize("space", [False, True])
def test_feasible_finds_forces_inside_the_cones(part, holds, space):
    """Forces that hold all corners exist up to tan θ = mu, and the margin found shrinks as the limit nears."""
    mu, slope = 0.4, np.arctan(0.4 * part)
    if space:
        corners = [(x, y, -0.5) for x in (-1, 1) for y in (-0.7, 0.7)]
        J, f, Minv = space_box(corners, force=(-0.6 * np.sin(slope), -0.8 * np.sin(slope), -np.cos(slope)))
    else:
        J, f, Minv = plane_block(CORNERS[4], slope, g=1.0)
    r = resting(J, f, Minv, mu, [1 + space] * 4)
    lam = feasible(r, [STICK] * 4, [None] * 4)
    assert (lam is not None) is holds
    if lam is not None:
        forces = lam.reshape(4, -1)
        margin = (mu * forces[:, 0] - np.linalg.norm(forces[:, 1:], axis=1)).min()
        assert r.A @ lam == approx(-r.b, abs=1e-9)
        assert margin > 0.3 * mu * (1 - part) / 4
        assert forces[:, 0].min() > 0


def test_what_carries_nothing_does_not_keep_a_load_at_the_edge():
    """A block of weight 1 that sticks in a corner of floor and wall, pushed against both, and another that slides down
    a wall with no force on it: the first shares its load well inside its cones, as it does alone."""
    J = np.array([[0.0, 1.0, 0.3], [1.0, 0.0, 0.5], [1.0, 0.0, -0.25], [0.0, -1.0, 0.4]])
    f, Minv = np.array([-0.8, -1.0, 0.02]), np.diag([1.0, 1.0, 6.0])
    alone = resting(J, f, Minv, 0.25, [1, 1])
    held = hold_on(alone, (STICK, STICK), (None, None), [1.0, 1.0])
    other = np.array([[1.0, 0.0, 0.1], [0.0, -1.0, 0.2]])
    rows = np.block([[J, np.zeros((4, 3))], [np.zeros((2, 3)), other]])
    beside = resting(rows, np.append(f, [0.0, -1.0, 0.0]), np.kron(np.eye(2), Minv), 0.25, [1, 1, 1],
                     slip=(None, None, np.array([1.0])))  # fmt: skip
    both = hold_on(beside, (STICK, STICK, SLIDE), (None, None, np.array([1.0])), [1.0] * 3)
    assert both.lam[:4] == approx(held.lam, abs=1e-9)
    assert both.lam[4:].tolist() == [0.0, 0.0]
    assert np.all(0.25 * both.lam[0:4:2] - np.abs(both.lam[1:4:2]) > 0.01)


def test_feasible_widest_margin():
    """A block on two corners: mu λ_n − |λ_t| is the same at both, half of what both have together."""
    mu, slope = 0.5, 0.3
    J, f, Minv = plane_block(CORNERS[2], slope, g=1.0)
    lam = feasible(resting(J, f, Minv, mu, [1, 1]), [STICK] * 2, [None] * 2)
    assert lam is not None
    assert mu * lam[::2] - np.abs(lam[1::2]) == approx((mu * np.cos(slope) - np.sin(slope)) / 2)


def test_feasible_of_sliding_contacts():
    """Sliding corners go on while none of them must pull: a braking block does not tip if mu h < w."""
    for mu, holds in ((1.9, True), (2.1, False)):
        J, f, Minv = plane_block(CORNERS[2])
        way = np.array([1.0])
        r = resting(J, f, Minv, mu, [1, 1], slip=[way, way])
        assert (feasible(r, [SLIDE] * 2, [way, way]) is not None) is holds
        assert feasible(r, [OPEN] * 2, [None, None]) is None
