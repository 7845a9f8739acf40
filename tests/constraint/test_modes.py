"""Modes: constraints embedded by recombination in machine code, against NumPy, against Python, against each other."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from constrained_models import bead_on_turning_hoop, four_bar, hoop_start, pushed_disk, slider_crank
from latchwork.constraint import selection_kernel
from latchwork.constraint.embedded.executors import embedded, look
from latchwork.constraint.embedded.mode import mode_of, selected_mode
from latchwork.constraint.embedded.projection import settle
from latchwork.constraint.rows import rows_of
from latchwork.constraint.selection_kernel import selected_speeds
from latchwork.constraint.singular import choose_regular
from latchwork.constraint.terms import terms_of
from latchwork.hybrid.input_laws import driven
from latchwork.hybrid.mode_dynamics import Recombined, settling
from latchwork.integrate.methods import integrate
from latchwork.program.codegen.emit import emit
from latchwork.program.native import interpret, invoke

MODELS = {
    "slider-crank": (lambda: slider_crank((0.8, 1.3)), {"q1": 0.4}, {"u1": 1.5}),
    "four-bar": (four_bar, {"q_crank": 0.7, "q_rocker": 1.9, "q_coupler": -0.2}, {"u_crank": 2.0}),
    "disk": (pushed_disk, {}, {"u1": 1.0}),
    "hoop": (bead_on_turning_hoop, hoop_start(), {}),
}


def started(name):
    """A constrained mechanism, a consistent state (t, q, u, r, p), and its mode."""
    make, q, u = MODELS[name]
    constrained = make().constrained(at=q)
    start = constrained.start(q, u)
    x = constrained.arguments(start.q, start.u)
    rest = tuple(s.name for s in (*constrained.unconstrained.r, *constrained.unconstrained.p))
    return constrained, x, mode_of(constrained.terms, constrained.selection, x, rest)


def reduced(constrained, mode, x):
    """(t, q, u_ind, work, rest) of (t, q, u, rest)."""
    n = 1 + len(constrained.unconstrained.q) + len(constrained.unconstrained.u)
    return np.concatenate([x[:1], mode.reduced(np.append(x[1:n], 0.0)), x[n:]])


def scattered(name, count=40):
    """Terms of a constrained mechanism, and states scattered about a consistent one."""
    constrained, x, mode = started(name)
    n_q, n, _ = constrained.terms.sizes
    rng = np.random.default_rng(3)
    for _ in range(count):
        moved = x.copy()
        moved[1 : 1 + n_q + n] += rng.normal(size=n_q + n)
        yield constrained.terms, moved, mode.rest


@pytest.mark.parametrize("name", MODELS)
def test_survey_chooses_as_the_selection_does(name):
    """One call finds the rows, speeds, lengths and pivot that NumPy finds, wherever it finds any."""
    found = 0
    for terms, x, rest in scattered(name):
        quick = selected_speeds(terms, x)
        if quick is not None:
            found += 1
            chosen, regular = choose_regular(terms, x)
            mode, same = mode_of(terms, chosen, regular, rest), selected_mode(terms, quick, x, rest)
            assert regular is x
            assert quick.selection == chosen
            assert quick.pivot == pytest.approx(mode.usual_pivot, rel=1e-12)
            assert np.array_equal(same.numbers, mode.numbers)
            assert np.array_equal(same.weights, mode.weights)
            assert np.array_equal(same.typical, mode.typical)
            assert np.array_equal(same.course, mode.course)
    assert found > 30


@pytest.mark.parametrize("name", MODELS)
def test_speeds_are_selected_without_rows_as_well(name):
    """Where no row holds, all speeds are independent, with the weights that NumPy finds."""
    for terms, x, rest in scattered(name, 5):
        none = terms_of(rows_of(terms.rows.equations, []))
        quick, (chosen, regular) = selected_speeds(none, x), choose_regular(none, x)
        mode, same = mode_of(none, chosen, regular, rest), selected_mode(none, quick, x, rest)
        assert same.selection == mode.selection
        assert same.usual_pivot == mode.usual_pivot
        assert np.array_equal(same.weights, mode.weights)
        assert (same.numbers.shape, same.typical.shape) == (mode.numbers.shape, mode.typical.shape)


@pytest.mark.parametrize("name", MODELS)
def test_modes_of_one_frame_do_not_touch_each_other(name):
    """Two modes of the same rows, chosen at other states, give what each gives alone."""
    constrained, x, mode = started(name)
    row = reduced(constrained, mode, x)
    alone = mode(row)
    terms, moved, rest = next(scattered(name, 1))
    other = mode_of(terms, mode.selection, moved, rest)
    other(reduced(constrained, other, moved))
    assert np.array_equal(mode(row), alone)
    assert mode_of(constrained.terms, mode.selection, x, mode.rest)(row) == pytest.approx(alone, rel=0, abs=0)


@pytest.mark.parametrize("name", MODELS)
def test_selection_is_the_same_in_python_and_in_machine_code(name, monkeypatch):
    """The kernel gives the same bits either way."""
    states = list(scattered(name, 5))
    native = [selected_speeds(terms, x) for terms, x, _ in states]
    monkeypatch.setattr(
        selection_kernel,
        "_run",
        lambda *given: interpret(selection_kernel.select_speeds_kernel, *selection_kernel.arguments(*given)),
    )
    for (terms, x, _), expected in zip(states, native, strict=True):
        same = selected_speeds(terms, x)
        assert (same is None) == (expected is None)
        if same is not None:
            assert same.selection == expected.selection
            assert same.pivot == expected.pivot
            assert np.array_equal(same.typical, expected.typical)


@pytest.mark.parametrize("name", MODELS)
def test_a_stage_ends_where_its_states_are_read(name):
    """The end of a mode, in one call, is the state as it is read later; and every row is said to hold."""
    constrained, x, mode = started(name)
    dynamics = Recombined(driven(constrained.unconstrained, None)[0], mode, None)
    row = reduced(constrained, mode, x)
    n = 1 + len(constrained.unconstrained.q) + len(mode.selection.independent) + 1
    full, belongs = dynamics.end(row[0], row[1:n], row[n:])
    assert belongs
    assert np.array_equal(full, dynamics.full(row[:1], row[None, 1:n], row[None, n:])[0][0])
    assert dynamics.pivot(np.concatenate([row[:1], full[:-1], row[n:]])) == pytest.approx(mode.usual_pivot, rel=1e-12)
    rng = np.random.default_rng(5)
    far = row[1:n] + rng.normal(size=n - 1)
    held = dynamics.end(row[0], far, row[n:])
    assert not held[1] or np.isfinite(held[0]).all()


@pytest.mark.parametrize("name", seeds([name for name in MODELS if name != "four-bar"], MODELS))
def test_recombination_is_the_embedding(name):
    """Machine code gives the u̇ of NumPy, of the symbolic M̃ and f̃, and of the direct derivation."""
    constrained, x, mode = started(name)
    n_q, n = len(constrained.unconstrained.q), len(constrained.unconstrained.u)
    q, u = x[1 : 1 + n_q], x[1 + n_q : 1 + n_q + n]
    udot = constrained.udot(q, u)
    ind = list(constrained.selection.independent)
    rates = mode(reduced(constrained, mode, x))
    assert rates[n_q:-1] == pytest.approx(udot[ind], rel=1e-12, abs=1e-12)
    direct = constrained.equations.udot(q, u[ind])
    assert direct == pytest.approx(udot[ind], rel=1e-11, abs=1e-11)
    values = constrained.equations.evaluate([*constrained.M, *constrained.f], q, u[ind])
    k = len(ind)
    assert np.linalg.solve(values[: k * k].reshape(k, k), values[k * k :]) == pytest.approx(udot[ind], rel=1e-11)


@pytest.mark.parametrize("name", MODELS)
def test_all_speeds_meet_the_rows(name):
    """Expanded speeds satisfy B u + C = 0 and B u̇ + c = 0; λ balances M u̇ = f + Bᵀ λ."""
    constrained, x, mode = started(name)
    row = reduced(constrained, mode, x)[None]
    (u,), (udot,) = mode.expanded(row)
    place, motion = constrained.terms.place(x), constrained.terms.motion(x)
    assert place.B @ u + place.C == pytest.approx(0.0, abs=1e-12)
    assert place.B @ udot + motion.c == pytest.approx(0.0, abs=1e-11)
    lam = mode.multipliers(row)[0]
    assert motion.M @ udot == pytest.approx(motion.f + place.B.T @ lam, abs=1e-11)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("method", [lw.RK4(0.01), lw.DormandPrince()])
def test_python_and_machine_code_agree(name, method):
    """Steps of a mode have the same bits as Python and as machine code."""
    constrained, x, mode = started(name)
    row = reduced(constrained, mode, x)
    n = mode.width
    runs = [
        integrate(mode, row[1 : 1 + n], 0.0, 0.05, row[1 + n :], method, call=call, settle=settling(mode))
        for call in (interpret, invoke)
    ]
    assert runs[0].x.tobytes() == runs[1].x.tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_machine_code_of_the_programs_changes_no_bit(name):
    """A mode whose rows arrived after everything was compiled steps with the bits of one that is compiled itself."""
    constrained, x, mode = started(name)
    row = reduced(constrained, mode, x)
    n = mode.width
    before = integrate(mode, row[1 : 1 + n], 0.0, 1.0, row[1 + n :], lw.RK4(0.001), settle=settling(mode))
    for function in constrained.terms.functions:
        assert function.compiled(wait=True)
    after = integrate(mode, row[1 : 1 + n], 0.0, 1.0, row[1 + n :], lw.RK4(0.001), settle=settling(mode))
    assert before.x.tobytes() == after.x.tobytes()


@pytest.mark.parametrize("name", MODELS)
def test_integrated_speeds_number_n_less_rank(name):
    """The state of a mode is (q, u_ind, work) with n − rank speeds."""
    constrained, x, mode = started(name)
    B = constrained.terms.place(x).B
    assert mode.width == len(constrained.unconstrained.q) + B.shape[1] - np.linalg.matrix_rank(B) + 1


def test_a_slider_crank_keeps_its_energy_and_its_slot():
    """Positions stay on Φ = 0 to rounding, energy to the tolerance."""
    model = slider_crank((0.8, 1.3))
    run = lw.simulate(model, until=20.0, q={"q1": 0.4}, u={"u1": 1.5}, method=lw.DormandPrince(rtol=1e-11, atol=1e-12))
    assert np.abs(run[model.constraints[0].zero[0]]).max() < 1e-12
    assert run.audit.energy_error < 1e-8


def test_a_crank_that_turns_needs_other_speeds_now_and_then():
    """A four-bar spun a hundred times: reselection leaves no trace in the motion."""
    model = four_bar()
    q = {"q_crank": 0.7, "q_rocker": 1.9, "q_coupler": -0.2}
    run = lw.simulate(model, until=10.0, q=q, u={"u_crank": 60.0}, method=lw.DormandPrince(rtol=1e-11, atol=1e-12))
    assert abs(run["q_crank"][-1]) > 200.0
    assert max(np.abs(run[e]).max() for e in model.constraints[0].zero) < 1e-12
    assert run.audit.energy_error < 1e-5 * run.energy.max()


def test_rolling_is_the_closed_form():
    """A disk pushed by F rolls with ẍ = F / (m + J / r²)."""
    run = lw.simulate(pushed_disk(), until=2.0, inputs={"F": 3.0})
    assert run["x"][-1] == pytest.approx(0.5 * 3.0 / (2.0 + 0.7 / 0.25) * 4.0, rel=1e-9)
    assert run["u1 + r*u2"] == pytest.approx(0.0, abs=1e-14)
    assert run.audit.energy_error < 1e-9


def test_a_moving_constraint_does_work():
    """A bead on a hoop that is turned: θ̈ = Ω² sin θ cos θ − g/R sin θ, and the energy audit books the hoop's work."""
    rate, radius = 3.0, 0.4
    tight = lw.DormandPrince(rtol=1e-11)
    run = lw.simulate(bead_on_turning_hoop(rate, radius), until=3.0, q=hoop_start(), method=tight)
    angle = lw.Model("angle")
    th = angle.coordinate("th")
    A = angle.frame.rotated("A", rate * angle.time, angle.frame.z)
    bead = angle.origin.at("P", radius * lw.sin(th) * A.x - radius * lw.cos(th) * A.z)
    angle.particle("bead", bead, 1.3)
    angle.gravity(-9.81 * angle.frame.z)
    exact = lw.simulate(angle, until=3.0, q=[0.7], method=tight)
    assert run["z"][-1] == pytest.approx(-radius * math.cos(exact["th"][-1]), abs=1e-8)
    assert run.audit.work == pytest.approx(exact.audit.work, abs=1e-8)
    assert run.audit.energy_error < 1e-8


def test_no_freedom_left_is_a_legal_mode():
    """Everything prescribed: the run follows the law, with no speed integrated."""
    model = lw.Model("driven")
    x = model.coordinate("x")
    model.particle("P", model.origin.at("P", x * model.frame.x), 1.0)
    model.constraint("drive", x - lw.sin(2.0 * model.time))
    run = lw.simulate(model, until=1.0)
    assert run["x"][-1] == pytest.approx(math.sin(2.0), abs=1e-12)
    assert run.path.segments[0].dynamics.mode.selection.independent == ()
    assert run[lw.dt(run.equations.u[0])][-1] == pytest.approx(-4.0 * math.sin(2.0), abs=1e-9)


def test_rows_know_the_parameters():
    """Lengths that are parameters, changed for the run: positions stay on Φ = 0."""
    model = lw.Model("pendulum")
    (length,) = model.parameters(L=1.0)
    x, y = model.coordinates("x", "y")
    model.particle("P", model.origin.at("P", x * model.frame.x + y * model.frame.y), 1.0)
    model.gravity(-9.81 * model.frame.y)
    model.constraint("rod", x * x + y * y - length**2)
    run = lw.simulate(model, until=5.0, q={"x": 2.5}, parameters={"L": 2.5})
    assert run.audit.constraint_error < 1e-12
    assert len(run.path.segments) > 1


def test_redundant_copies_change_nothing():
    """Five copies of a constraint give the motion of one; four are named as redundant."""
    one, five = slider_crank((0.8, 1.3)), slider_crank((0.8, 1.3), copies=5)
    assert len(five.constrained(at={"q1": 0.4}).redundant) == 4
    runs = [lw.simulate(model, until=3.0, q={"q1": 0.4}, u={"u1": 1.0}, every=0.1) for model in (one, five)]
    assert runs[1].x == pytest.approx(runs[0].x, abs=1e-7)


def test_what_is_given_by_name_is_kept():
    """The crank's angle and speed stay as given; the others follow, and the run says so."""
    run = lw.simulate(four_bar(), until=0.1, q={"q_crank": 0.7, "q_rocker": 2.0}, u={"u_crank": 2.0})
    assert run["q_crank"][0] == 0.7
    assert run["u_crank"][0] == 2.0
    changed = {name for name, _, _ in run.start.changes}
    assert "q_crank" not in changed
    assert {"u_rocker", "u_coupler"} <= changed
    assert re.search(r"^u_rocker: \S+ instead of 0$", str(run.start), re.MULTILINE)


@pytest.mark.parametrize("given", [None, {"q_crank": 0.0}])
def test_coordinates_that_nobody_gave_start_where_a_loop_closes(given):
    """At zero a four-bar is stretched out, and singular: it starts from elsewhere, the same way every time."""
    runs = [lw.simulate(four_bar(), until=0.1, q=given) for _ in range(2)]
    assert runs[0].start.q.tolist() == runs[1].start.q.tolist()
    assert runs[0].start.residual < 1e-12
    assert (runs[0]["q_crank"][0] == 0.0) == (given is not None)
    with pytest.raises(lw.ConstraintError, match="cannot be assembled"):
        lw.simulate(four_bar(), until=0.1, q=[0.0, 0.0, 0.0])
    with pytest.raises(lw.ConstraintError, match="cannot be assembled"):
        lw.simulate(four_bar(rods=(0.1, 0.2, 0.1)), until=0.1, q=given)


def test_no_multiplier_is_computed_in_a_step():
    """The code of a right-hand side and of settling knows no multipliers; that of guards does."""
    assert "multipliers" not in str(emit([embedded, settle]))
    assert "multipliers" in str(emit([look]))


def crate_on_its_corners(every: bool) -> tuple[Any, list[Any]]:
    """Rows of the four lower corners of a free box: their heights, or all that a corner can do; flat on the floor,
    turned about the vertical and moving along it as numbers say."""
    model = lw.Model("crate")
    N, O, link = model.frame, model.origin, model.free("B")
    sides, m = (0.4, 0.3, 0.2), 1.7
    x, y, z = (m * sum(side * side for side in sides if side is not own) / 12.0 for own in sides)
    model.body("B", link, link.origin, m, lw.inertia(link.frame, x, y, z))
    model.gravity(-9.81 * N.z)
    rows = []
    for a, b in ((-1, -1), (-1, 1), (1, -1), (1, 1)):
        place = link.origin.at(f"P{a}{b}", 0.5 * (a * 0.4 * link.frame.x + b * 0.3 * link.frame.y - 0.2 * link.frame.z))
        along = place.position(O)
        rows.append(lw.Constraint(f"corner {a} {b}", along if every else along.dot(N.z)))
    equations = model.equations()
    terms, rng, states = terms_of(rows_of(equations, rows)), np.random.default_rng(4), []
    for _ in range(20):
        half, u = rng.uniform(-3.0, 3.0), np.zeros(6)
        if not every:
            u[[0, 1]] = rng.normal(size=2)
            u[5] = rng.normal()
        q = [*rng.normal(size=2), 0.1, math.cos(half), 0.0, 0.0, math.sin(half)]
        states.append(np.array([0.0, *q, *u, *[s.value for s in equations.p]]))
    return terms, states


@pytest.mark.parametrize("every", [False, True], ids=["heights", "all of each corner"])
def test_redundant_rows_are_chosen_as_the_selection_does(every):
    """Four corners on a floor: three heights hold, or all six speeds. One call of a kernel keeps the rows and speeds
    that singular values and pivots in NumPy do, and says the position is regular where a step aside says so."""
    terms, states = crate_on_its_corners(every)
    for x in states:
        quick, (chosen, regular) = selected_speeds(terms, x), choose_regular(terms, x)
        mode = mode_of(terms, chosen, regular, ())
        assert regular is x
        assert chosen.rank == (6 if every else 3)
        assert quick.selection == chosen
        assert quick.pivot == pytest.approx(mode.usual_pivot, rel=1e-12)
        assert np.array_equal(quick.B, mode.numbers)
        assert quick.lengths == pytest.approx(mode.lengths, rel=1e-14)


def test_redundant_rows_that_disagree_take_more_care():
    """One of four corners is to rise while the others stay: no choice is made in passing, and the slow one refuses."""
    terms, states = crate_on_its_corners(False)
    moving = lw.Constraint("lift", terms.rows.constraints[3].zero[0] - 0.5 * terms.rows.equations.system.t)
    lifted = terms_of(rows_of(terms.rows.equations, [*terms.rows.constraints[:3], moving]))
    assert selected_speeds(lifted, states[0]) is None
    assert selected_speeds(terms, states[0]) is not None
