"""One stepper: the same steps as Python and machine code, in one call or many, in runs and ticks, in other kernels."""

from __future__ import annotations

import numpy as np
import pytest

from latchwork.errors import IntegrationError
from latchwork.integrate import problem as problems
from latchwork.integrate.dense_output import Solution
from latchwork.integrate.integration import PATIENT, Integration
from latchwork.integrate.methods import RK4, DormandPrince, Radau, integrate
from latchwork.integrate.problem import Problem, Settle, StateScales, problem
from latchwork.integrate.reusable_integration import ReusableIntegration, SharedWorkspace
from latchwork.integrate.status import Status
from latchwork.integrate.stepper import begin, steps
from latchwork.program.function import Function
from latchwork.program.kernel import divide, f64, f64p, fabs, i32p, i64, kernel, sqrt
from latchwork.program.native import interpret, invoke
from latchwork.program.records.memory import block_of, lay_out, size_of
from latchwork.program.records.record import pointer, record
from random_programs import program_of

METHODS = [RK4(0.037), RK4(0.037, every=3), DormandPrince(rtol=1e-5), DormandPrince(first_step=0.3, rtol=1e-3),
           Radau(rtol=1e-5), Radau(first_step=0.1, rtol=1e-4)]  # fmt: skip


@kernel
def onto_circle(code: i32p, z: f64p, state: f64p) -> None:
    """Back onto ``w x² + v² = 1``; other speeds are asked for while v is near 1."""
    x, v = state[0], state[1]
    r = sqrt(z[3] * x * x + v * v)
    state[2] = 1.0 if r != 1.0 else 0.0
    state[3] = 1.0 if v > 0.99 else 0.0
    state[0], state[1] = divide(x, r), divide(v, r)


@kernel
def near_circle(code: i32p, z: f64p, state: f64p) -> None:
    """A state that is off the circle by more than 1e-7 cannot be reached."""
    r = sqrt(z[3] * state[0] * state[0] + state[1] * state[1])
    state[2] = 0.0
    state[3] = 2.0 if fabs(r - 1.0) > 1e-7 else 0.0


def oscillator() -> Function:
    """``ẋ = v, v̇ = −w x`` with w held."""
    return Function(program_of("t x v w", (), [("mul", 1, 3), ("neg", 4)], (2, 5)))


def levels(*heights: float) -> Function:
    """How far x is above some levels, and the rates."""
    rows = [("sub", 1, 4 + i) for i in range(len(heights))]
    first = 4 + len(heights)
    return Function(program_of("t x v w", heights, rows, (*range(first, first + len(heights)), *[2] * len(heights))))


def settle(run) -> Settle:
    return Settle(run, oscillator(), 3)


def given(watched: bool, projected: bool) -> dict:
    """Guards, and a projection, or not."""
    return {"guards": levels(-0.6, -0.7) if watched else None, "settle": settle(onto_circle) if projected else None}


def everything(run: Solution) -> list:
    event = None if run.event is None else (run.event.t, run.event.guards, run.event.x.tobytes())
    return [run.t.tobytes(), run.x.tobytes(), run.dx.tobytes(), run.bend.tobytes(), run.stats, event]


COMBINED = [(watched, projected) for watched in (False, True) for projected in (False, True)]


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize(("watched", "projected"), COMBINED)
def test_python_and_machine_code_give_the_same_bits(method, watched, projected):
    """A swing until x falls below a level, or until other speeds are asked for: every number of it."""
    runs = [integrate(oscillator(), [1.0, 0.0], 0.0, 6.0, [1.0], method, call=call, **given(watched, projected))
            for call in (invoke, interpret)]  # fmt: skip
    assert everything(runs[0]) == everything(runs[1])
    if projected:
        assert np.hypot(*runs[0].x.T) == pytest.approx(1.0, abs=1e-3 if watched else 1e-15)  # events lie within a step
    if watched:
        assert runs[0].event.guards == (0,)
        assert runs[0].event.x[0] == pytest.approx(-0.6, abs=1e-10)
    elif projected:
        assert runs[0].event.guards == ()
        assert runs[0].event.x[1] > 0.99
    else:
        assert runs[0].t[-1] == 6.0


@pytest.mark.parametrize("method", METHODS, ids=str)
@pytest.mark.parametrize(("watched", "projected"), COMBINED)
def test_one_step_a_call_is_a_run(method, watched, projected, monkeypatch):
    """However often the stepper comes back, it makes the same steps."""
    whole, parts = ([1.0, 0.0], 0.0, 6.0, [1.0], method), given(watched, projected)
    run, calls = integrate(oscillator(), *whole, **parts), []
    monkeypatch.setattr(problems, "OPERATIONS_PER_CALL", 0)
    monkeypatch.setattr(problems, "FEWEST", 1)
    again = integrate(oscillator(), *whole, calls.append, **parts)
    assert everything(again) == everything(run)
    assert len(calls) >= run.stats.steps > 3


@pytest.mark.parametrize(("watched", "projected"), COMBINED)
@pytest.mark.parametrize("origin", [0.0, 0.1])
def test_ticks_are_the_steps_of_a_run(watched, projected, origin):
    """A tick with the same held numbers has the bits of a fixed step, until a guard falls or speeds change."""
    parts, h, w = given(watched, projected), 0.037, np.array([1.0])
    run = integrate(oscillator(), [1.0, 0.0], origin, origin + 6.0, w, RK4(h), **parts)
    m = 2 if watched else 0
    workspace = SharedWorkspace(RK4(h), 2, m, StateScales(1.0, np.ones(2)))
    again = ReusableIntegration(workspace, oscillator(), parts["guards"], parts["settle"], 1, np.arange(2),
                                [PATIENT] * m, [0.0] * m, [1.0] * m)  # fmt: skip
    assert again.begin(origin, np.array([1.0, 0.0]), w, origin) == Status.FULL
    for i in range(1, len(run.t) - 1):  # the last is cut short by the end, or by the event
        assert again.tick(w) == Status.FULL
        assert (again.record.control.t, workspace.x.tobytes()) == (run.t[i], run.x[i].tobytes())
    if watched:
        assert again.tick(w) == Status.EVENT


@pytest.mark.parametrize(("watched", "projected"), COMBINED)
def test_fixed_steps_of_a_grid_are_the_same_wherever_a_run_begins(watched, projected):
    """A run that is taken up between two times of the grid goes on to the next of them, and then by whole steps."""
    parts, h, w = given(watched, projected), 0.037, np.array([1.0])
    m = 2 if watched else 0
    workspace = SharedWorkspace(RK4(h), 2, m, StateScales(1.0, np.ones(2)))
    again = ReusableIntegration(workspace, oscillator(), parts["guards"], parts["settle"], 1, np.arange(2),
                                [PATIENT] * m, [0.0] * m, [1.0] * m)  # fmt: skip
    assert again.begin(0.1, np.array([0.6, 0.8]), w, 0.0) == Status.FULL
    assert again.steps(0.5, np.inf) == Status.END
    assert again.solution(Status.END).t.tolist() == [0.1, *[i * h for i in range(3, 14)], 0.5]
    assert again.begin(5 * h, np.array([0.6, 0.8]), w, 0.0) == Status.FULL
    assert again.steps(8 * h, np.inf) == Status.END
    assert again.solution(Status.END).t.tolist() == [5 * h, 6 * h, 7 * h, 8 * h]


def test_a_state_that_cannot_be_reached_shortens_a_step():
    """Steps that leave the circle by too much are taken back until they do not; fixed steps cannot be."""
    loose = DormandPrince(rtol=1e-3, first_step=1.0)
    run = integrate(oscillator(), [1.0, 0.0], 0.0, 2.0, [1.0], loose, settle=settle(near_circle))
    free = integrate(oscillator(), [1.0, 0.0], 0.0, 2.0, [1.0], loose)
    assert abs(np.hypot(*run.x.T) - 1.0).max() <= 1e-7 < abs(np.hypot(*free.x.T) - 1.0).max()
    assert run.stats.rejected > free.stats.rejected
    with pytest.raises(IntegrationError, match=r"stopped at t = 0\.0: a step led past an almost singular"):
        integrate(oscillator(), [1.0, 0.0], 0.0, 2.0, [1.0], RK4(0.5), settle=settle(near_circle))


@record
class Two:
    """Two integrations, one inside and one elsewhere."""

    inner: Integration
    other: Integration = pointer()


@kernel
def by_turns(two: Two, state: f64p, held: f64p, most: i64) -> f64:
    """Steps of both by turns, each from the same state; how far the second has come."""
    first, second = begin(two.inner, 0.0, state, held, 0.0), begin(two.other, 0.0, state, held, 0.0)
    started = first == Status.FULL and second == Status.FULL
    while started and (first == Status.FULL or second == Status.FULL):
        first = steps(two.inner, 1.0, most)
        second = steps(two.other, 1.0, most)
    return two.other.control.t if started else -1.0


def begun(method: RK4 | DormandPrince) -> Problem:
    made = problem(oscillator(), [1.0, 0.0], 0.0, 1.0, [2.0], invoke, None)
    made.workspace.turn(200)
    method.put(made.integration.control)
    made.workspace.atol[:], made.integration.control.longest = 1e-9, 1e300
    return made


@pytest.mark.parametrize("call", [invoke, interpret], ids=["machine code", "python"])
def test_another_kernel_steps_two_integrations_by_turns(call):
    """Integrations are what their records say: each ends with the bits of its own run."""
    one, other = begun(RK4(0.03)), begun(DormandPrince(atol=1e-9))
    two = lay_out(Two)
    block_of(two)[: size_of(Integration)] = block_of(one.integration)
    two.other = other.integration
    assert call(by_turns, two, np.array([1.0, 0.0]), np.array([2.0]), 3) == 1.0
    for made, method in ((one, RK4(0.03)), (other, DormandPrince(atol=1e-9))):
        run = integrate(oscillator(), [1.0, 0.0], 0.0, 1.0, [2.0], method)
        assert made.workspace.x.tobytes() == run.x[-1].tobytes()
        assert made.workspace.rows[0][: len(run.t)].tobytes() == run.t.tobytes()


@pytest.mark.parametrize("method", [RK4(0.01), DormandPrince(rtol=1e-9)], ids=str)
def test_a_full_page_is_not_passed(method):
    """On three rows there is room for two steps behind the first; what is behind them is left alone."""
    made = begun(method)
    times, x, dx, bend = (np.full(shape, -7.0) for shape in (5, (5, 2), (5, 2), (5, 2)))
    page = made.workspace.page
    page.room, page.t, page.x, page.dx, page.bend = 3, times, x, dx, bend
    assert Status(invoke(begin, made.integration, 0.0, made.x, made.rest, 0.0)) is Status.FULL
    assert invoke(steps, made.integration, 1.0, 100) == Status.FULL
    assert invoke(steps, made.integration, 1.0, 100) == Status.FULL
    assert (made.integration.first, made.integration.last, made.integration.control.steps) == (0, 2, 2)
    assert [array[3:].min() for array in (times, x, dx, bend)] == [array[3:].max() for array in (times, x, dx, bend)]
    assert (times[3], bend[4, 1]) == (-7.0, -7.0)
    page.room, made.integration.last = 200, -1
    page.t, page.x, page.dx, page.bend = made.workspace.rows
    assert invoke(steps, made.integration, 1.0, 150) == Status.END
