"""Modes that slide: friction along with multipliers, redundant rows that share, against NumPy and closed forms."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import latchwork as lw
from campaign import seeds
from constrained_models import slider_crank
from latchwork.constraint.embedded.mode import mode_of
from latchwork.constraint.embedded.redundant_forces import least_norm_share, share_at
from latchwork.constraint.embedded.slider import ENFORCED
from latchwork.constraint.residuals import closeness, must_hold
from latchwork.constraint.rows import rows_of
from latchwork.constraint.selection import Selection, select
from latchwork.constraint.terms import terms_of
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.guard_table import guard_table
from latchwork.hybrid.mode_dynamics import settling
from latchwork.integrate.methods import integrate
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.program.native import interpret, invoke
from latchwork.symbolic.expr import operand
from sliding_models import Sliding, fresh, incline, sliding_case, swinging_cart, with_sliders

CASES = (1, 2, 10, 13, 16, 17, 19, 20, 21, 22, 23, 37, 41, 54, 62, 68, 69, 73, 74, 83, 88, 91, 99, 107, 124, 128, 203)
SEEDS = seeds(CASES[:10], CASES)
TIGHT = lw.DormandPrince(rtol=1e-11, atol=1e-12)


def near(reference, size=1e-10):
    return pytest.approx(reference, rel=size, abs=size * (1.0 + np.abs(reference).max(initial=0.0)))


@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("other", [False, True])
@pytest.mark.parametrize("seed", SEEDS)
def test_accelerations_and_multipliers_are_those_of_the_whole_system(seed, other, shared):
    """[M' −Gᵀ; B 0][u̇; λ] = [f'; −c] with λ_red = R λ_kept, solved whole by NumPy, for any rows and speeds chosen."""
    problem = sliding_case(seed, other, shared)
    udot, lam = problem.kkt()
    mode, row = problem.mode, problem.row
    assert mode.expanded(row)[1][0] == near(udot)
    assert mode.multipliers(row)[0] == near(lam)
    n_q = mode.terms.sizes[0]
    assert mode(row[0])[n_q:-1] == near(udot[list(mode.selection.independent)])


@pytest.mark.parametrize("seed", SEEDS)
def test_power_is_that_of_loads_friction_and_moving_rows(seed):
    """K + V changes by a·u̇ + b, Σ λ_i G_i·u and Σ N_h g_h·u, where λ·(B u) = −λ·C."""
    problem = sliding_case(seed, False, True)
    terms, x = problem.mode.terms, problem.x
    (udot, lam), motion, place = problem.kkt(), terms.motion(x), terms.place(x)
    u = x[1 + terms.sizes[0] :][: terms.sizes[1]]
    normal = problem.N0 + problem.N1 @ udot
    parts = [motion.a @ udot, motion.b, -lam @ place.C, lam @ problem.E @ u, normal @ problem.g @ u]
    size = 1.0 + sum(map(abs, parts)) + np.abs(motion.M @ udot) @ np.abs(u)
    assert problem.mode(problem.row[0])[-1] == pytest.approx(sum(parts), abs=1e-10 * size)


@pytest.mark.parametrize("seed", SEEDS)
def test_guards_see_friction(seed):
    """Guards of (u̇, λ) are given those of the mode that slides."""
    problem = sliding_case(seed, False, True)
    mode, terms = problem.mode, problem.mode.terms
    g, system = terms.rows.equations.system.graph, terms.rows.equations.system
    lam = [lw.Expr(g, g.symbol(f"multiplier {name}", "multiplier")) for name in terms.rows.names]
    seen = [*system.u_rates, *lam]
    none = [operand(g, 0.0)] * len(seen)
    program = Function(lower(g, [*[e.node for e in seen], *none], (*terms.base.arguments, *seen)))
    guards = mode.watching(guard_table(ContactStates([]), [], len(seen), {}, program))
    assert guards(problem.row[0])[: len(seen)] == near(np.concatenate(problem.kkt()))


@pytest.mark.parametrize("seed", seeds(CASES[:6:2], CASES[:12:2]))
@pytest.mark.parametrize("shared", [False, True])
def test_python_and_machine_code_agree(seed, shared):
    """Steps of a mode that slides have the same bits as Python and as machine code, compiled or not."""
    problem = sliding_case(seed, False, shared, fresh)
    mode, row = problem.mode, problem.row[0]
    n = mode.width

    def run(call):
        return integrate(mode, row[1 : 1 + n], 0.0, 0.01, row[1 + n :], lw.RK4(0.005), call=call, settle=settling(mode))

    bits = [run(call).x.tobytes() for call in (interpret, invoke)]
    for function in mode.programs:
        assert function.compiled(wait=True)
    assert bits[0] == bits[1] == run(invoke).x.tobytes()


# --- sharing ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(20))
def test_the_share_of_least_norm(seed):
    """With R = B_red B_kept⁺, [λ_kept; R λ_kept] is the least-norm λ of its Bᵀ λ, as the pseudoinverse has it."""
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(6, 3)) @ rng.normal(size=(3, 7))
    selection = select(B, np.eye(7))
    R, lam = least_norm_share(B, selection), np.zeros(6)
    lam[list(selection.kept)] = rng.normal(size=3)
    lam[list(selection.redundant)] = R[:, :-1] @ lam[list(selection.kept)]
    assert not R[:, -1].any()
    assert np.linalg.pinv(B.T, rcond=1e-10) @ (B.T @ lam) == pytest.approx(lam, abs=1e-10)


@pytest.mark.parametrize("seed", range(20))
def test_a_share_survives_other_rows(seed):
    """λ = [1; R] λ_kept + [0; c] in terms of other rows kept; of least norm where these carried nothing."""
    rng = np.random.default_rng(seed)
    B = rng.normal(size=(5, 2)) @ rng.normal(size=(2, 6))
    old, new = (Selection(kept, (0, 1), (2, 3, 4, 5), tuple(i for i in range(5) if i not in kept))
                for kept in ((0, 1), (1, 3)))  # fmt: skip
    share, lam = rng.normal(size=(3, 3)), np.zeros(5)
    lam[:2] = rng.normal(size=2)
    lam[2:] = share @ [*lam[:2], 1.0]
    assert share_at(B, share, old, new) @ [lam[1], lam[3], 1.0] == pytest.approx(lam[[0, 2, 4]], rel=1e-9, abs=1e-9)
    assert share_at(B, None, old, new) == pytest.approx(least_norm_share(B, new))
    assert share_at(B, share, old, old) is share


def test_equal_rows_share_equally_without_friction():
    """Three equal rows of a slope: each carries a third of m g cos φ, and nothing moves otherwise."""
    constrained = incline(0.3, copies=3).constrained()
    x = constrained.arguments([0.0, 0.0], [1.0, math.tan(0.3)])
    plain = mode_of(constrained.terms, constrained.selection, x, ())
    fair = replace(plain, share=least_norm_share(plain.numbers, plain.selection))
    row = np.concatenate([x[:3], x[3:][list(plain.selection.independent)], [0.0]])
    assert fair.multipliers(row[None])[0] == pytest.approx(2.0 * 9.81 * math.cos(0.3) / 3.0, rel=1e-13)
    assert fair(row).tobytes() == plain(row).tobytes()


def test_a_share_that_does_not_fit_is_refused():
    """One row of [R c] for each redundant row."""
    constrained = incline(0.3, copies=3).constrained()
    x = constrained.arguments([0.0, 0.0], [0.0, 0.0])
    with pytest.raises(lw.ConstraintError, match=r"of shape \(1, 1\); 2 rows are redundant, 1 are kept\. Give one row"):
        mode_of(constrained.terms, constrained.selection, x, (), share=np.ones((1, 1)))


# --- closed forms -----------------------------------------------------------------------------------------------------


def on_slope(angle, mu, way):
    """E = −μ d·B_t of a block that slides up (1) or down (−1), for every row of the slope."""
    along = [-way * math.cos(angle), -way * math.sin(angle)]
    return Sliding(lambda terms: dict.fromkeys(range(len(terms.rows)), (mu, along)), fair=True)


@pytest.mark.parametrize("copies", [1, 3])
@pytest.mark.parametrize(("angle", "mu", "way"), [(0.5, 0.3, -1), (0.5, 0.3, 1), (math.pi / 4, 1.0, -1),
                                                  (math.pi / 4, 1.0, 1), (1.2, 0.1, -1)])  # fmt: skip
def test_a_block_slides_on_an_incline(angle, mu, way, copies):
    """a = −g (sin φ + d μ cos φ) along the slope, N = m g cos φ shared by equal rows; K + V changes by the work."""
    c, s = math.cos(angle), math.sin(angle)
    start = 20.0 * way
    run = lw.simulate(incline(angle, copies), until=0.7, u={"u_x": start * c, "u_y": start * s}, method=TIGHT,
                      design=on_slope(angle, mu, way))  # fmt: skip
    a = -9.81 * (s + way * mu * c)
    assert run["x"][-1] == pytest.approx((start * 0.7 + 0.5 * a * 0.49) * c, rel=1e-10)
    lam = [run.reactions()[f"slope{i}"].lam for i in range(copies)]
    assert np.array(lam) == pytest.approx(2.0 * 9.81 * c / copies, rel=1e-11)
    assert run.audit.work == pytest.approx(-mu * 2.0 * 9.81 * c * abs(start * 0.7 + 0.5 * a * 0.49), rel=1e-9)
    assert run.audit.energy_error < 1e-9 * run.energy.max()


def friction_on_the_floor(mu, way):
    """The cart that may lift, as a mode: E = −μ d·B_t on its row; and the one that cannot, N by Newton's law."""
    lifting, kept = swinging_cart(True).constrained(), swinging_cart(False).equations()
    rowed = with_sliders(lifting.terms, [[-way, 0.0, 0.0]], [(0, mu, None)])
    (_, th), (_, w) = kept.q, kept.u
    force = [0.0, 0.8 * lw.sin(th), 4.0 * 9.81 + 0.8 * w**2 * lw.cos(th)]
    return lifting, rowed, with_sliders(terms_of(rows_of(kept, ())), [[-way, 0.0]], [(ENFORCED, mu, force)])


@pytest.mark.parametrize("mu", [0.2, 0.9])
def test_a_contact_held_by_coordinates_is_the_one_held_by_a_row(mu):
    """A cart with a pendulum: friction with N = N0 + N1·u̇ and no row at all, or with the multiplier of its floor."""
    lifting, (rows, sliders), (terms, held) = friction_on_the_floor(mu, 1.0)
    x = lifting.arguments([0.1, 0.0, 0.7], [2.0, 0.0, -3.0])
    rowed = mode_of(rows, lifting.selection, x, (), sliders)
    free = Selection((), (), (0, 1), ())
    coordinates = mode_of(terms, free, np.array([0.0, 0.1, 0.7, 2.0, -3.0]), (), held)
    one, other = rowed(np.array([0.0, 0.1, 0.0, 0.7, 2.0, -3.0, 0.0])), coordinates([0.0, 0.1, 0.7, 2.0, -3.0, 0.0])
    assert other == pytest.approx(np.delete(one, 1), rel=1e-12)
    normal = rowed.multipliers(np.array([[0.0, 0.1, 0.0, 0.7, 2.0, -3.0, 0.0]]))[0, 0]
    assert normal == pytest.approx(4.0 * 9.81 + 0.8 * (other[3] * math.sin(0.7) + 9.0 * math.cos(0.7)), rel=1e-12)
    assert other[-1] == pytest.approx(-mu * normal * 2.0, rel=1e-12)


def test_no_rows_at_all_is_a_mode_that_runs():
    """The cart whose coordinates hold it loses what friction takes."""
    *_, (terms, held) = friction_on_the_floor(0.2, 1.0)
    x = np.array([0.0, 0.1, 0.7, 5.0, -3.0])
    mode = mode_of(terms, Selection((), (), (0, 1), ()), x, (), held)
    run = integrate(mode, [*x[1:], 0.0], 0.0, 0.8, [], TIGHT, settle=settling(mode))
    _, th, v, w = run.x[:, :-1].T
    energy = 2.0 * v**2 + 0.32 * w**2 + 0.8 * v * w * np.cos(th) - 9.81 * 0.8 * np.cos(th)
    assert energy - energy[0] == pytest.approx(run.x[:, -1], abs=1e-8)
    assert run.x[-1, -1] < -10.0
    assert mode.multipliers([[*x, 0.0]]).shape == (1, 0)
    must_hold(mode, x)
    assert closeness(mode, x) == "What holds there is no row."


def test_no_freedom_left_is_a_mode_that_slides():
    """Driven by x = sin 2t and y = 0: the driver's λ is m ẍ and what friction takes, d μ m g."""
    model = lw.Model("driven")
    x, y = model.coordinates("x", "y")
    model.particle("P", model.origin.at("P", x * model.frame.x + y * model.frame.y), 1.5)
    model.gravity(-9.81 * model.frame.y)
    model.constraint("drive", x - lw.sin(2.0 * model.time))
    model.constraint("floor", y)
    run = lw.simulate(model, until=0.7, method=TIGHT, design=Sliding(lambda terms: {1: (0.4, [-1.0, 0.0])}))
    assert run.path.segments[0].dynamics.mode.selection.independent == ()
    force = -6.0 * np.sin(2.0 * run.t) + 0.4 * 1.5 * 9.81
    assert run.reactions()["drive"].lam[:, 0] == pytest.approx(force, rel=1e-9)
    assert run.audit.energy_error < 1e-9
    assert run.audit.work == pytest.approx(0.75 * (4.0 * math.cos(1.4) ** 2 - 4.0), rel=1e-8)


# --- other rows and speeds in a run -----------------------------------------------------------------------------------


MU, LENGTHS = 0.15, (0.9, 0.8)


def in_the_slot(terms):
    """E = −μ v / √(1 + v²) B_t of the second rod's end, whose speed along the slot is v = B_t u; on every row."""
    (q1, q2), u = terms.rows.equations.q, terms.rows.equations.u
    a, b = LENGTHS
    along = [-a * lw.sin(q1) - b * lw.sin(q1 + q2), -b * lw.sin(q1 + q2)]
    v = along[0] * u[0] + along[1] * u[1]
    return {i: (-MU * v / lw.sqrt(1.0 + v**2), along) for i in range(len(terms.rows))}


def by_kkt(terms, t, x):
    """(q̇, u̇) of the same mechanism with one row, by NumPy."""
    q1, q2, u1, u2 = x
    at = np.array([t, *x, 1.0, 9.81])
    motion, B = terms.motion(at), terms.place(at).B
    a, b = LENGTHS
    along = np.array([-a * math.sin(q1) - b * math.sin(q1 + q2), -b * math.sin(q1 + q2)])
    v = along @ [u1, u2]
    G = B - MU * v / math.sqrt(1.0 + v**2) * along
    A = np.block([[motion.M, -G.T], [B, np.zeros((1, 1))]])
    return [u1, u2, *np.linalg.solve(A, [*motion.f, -motion.c[0]])[:2]]


@cache
def stepped_by_scipy(*start):
    """Where the crank is after 0.6 s, more than a turn."""
    terms = slider_crank(LENGTHS).constrained(at={"q1": 0.4}).terms
    return solve_ivp(lambda t, x: by_kkt(terms, t, x), (0.0, 0.6), start, "DOP853", rtol=1e-12, atol=1e-12).y[:, -1]


@pytest.mark.parametrize("copies", [1, 2])
def test_friction_survives_other_rows_and_speeds(copies):
    """A crank that turns needs other speeds now and then; its friction stays that of NumPy's KKT, stepped by SciPy."""
    model = slider_crank(LENGTHS, copies=copies)
    run = lw.simulate(model, until=0.6, q={"q1": 0.4}, u={"u1": 12.0}, method=TIGHT, design=Sliding(in_the_slot, True))
    chosen = [segment.dynamics.mode.selection for segment in run.path.segments]
    assert len({selection.dependent for selection in chosen}) > 1
    assert [*run.q[-1], *run.u[-1]] == pytest.approx(stepped_by_scipy(*run.q[0], *run.u[0]), rel=1e-6, abs=1e-6)
    assert run.audit.energy_error < 1e-7 * np.abs(run.energy).max()


# --- what is refused --------------------------------------------------------------------------------------------------


def test_designs_that_know_no_friction_refuse_it():
    """Designs that integrate all speeds name what they cannot do."""
    constrained = incline(0.5).constrained()
    x = constrained.arguments([0.0, 0.0], [0.0, 0.0])
    terms, sliders = with_sliders(constrained.terms, [[0.1, 0.2]], [(0, 1.0, None)])
    mode = mode_of(terms, constrained.selection, x, (), sliders)
    with pytest.raises(lw.ConstraintError, match=r"knows no sliding friction; 1 rows and 0 held .* Use lw.Embedded"):
        lw.NullSpace().mode(mode)
