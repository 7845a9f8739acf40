"""Records of an integration: what is stepped, watched and projected, how steps are controlled, and where they go.

    Integration
      equations    ẋ = f(t, x), a program on its slots
      fused        a whole step as one program, where there is one
      guards       g(t, x) with their rates, armed or not, and the step under watch
      projection   what brings a state back onto Φ = 0, B u + C = 0 after a step, where there is one
      collocation  stages, J and factors, where steps are implicit
      control      the method, its tolerances, and where the steps have come to
      page         rows of t, x, ẋ and the quartic term of dense output

They hold addresses: `workspace` and `problem` lay them out, `stepper` has the kernels that run on them.
"""

from __future__ import annotations

from latchwork.program.kernel import executor, f64, f64p, i32p, i64, i64p
from latchwork.program.records.record import array, pointer, record

NOT_BELOW, STRICT, PATIENT, SPENT = -1, 0, 1, 2  # kinds of guards: must not be below zero; armed where they are not;
# anywhere; only above zero


@record
class StateFunction:
    """A program on its slots, ``run(code, slots, out)``: inputs t, x and the inputs, ``rest``, stand first in them."""

    run: executor
    code: i32p
    slots: f64p
    rest_at: i64  # where the inputs begin, behind the states
    fresh: f64p  # slots before a run,
    size: i64  # so many of them; 0 where runs leave them as they were


@record
class WatchedStep:
    """A step from (x0, ẋ0) to (x1, ẋ1), the quartic term of its dense output, and guards with their rates along it."""

    n: i64
    m: i64  # guards at most
    kept: i64  # parts of a step at which all guards are kept
    x0: f64p = array("n")
    dx0: f64p = array("n")
    x1: f64p = array("n")
    dx1: f64p = array("n")
    bend: f64p = array("n")
    x: f64p = array("n")  # a point in between
    g0: f64p = array("2 * m")  # guards, then rates: at the start,
    g1: f64p = array("2 * m")  # at the end,
    middle: f64p = array("2 * m")  # in the middle,
    g: f64p = array("2 * m")  # at x
    quarters: f64p = array("2 * m")  # guards at one quarter, then at three
    brackets: f64p = array("2 * m")  # of the instants found: from, to
    looks: i64  # evaluations of guards in between
    known: i64  # parts of the step at which all guards are known,
    theta: f64p = array("kept")
    guard: f64p = array("2 * kept * m")  # and these with their rates


@record
class Guards:
    """m guards: their program gives values, then rates. See `guard_location`."""

    m: i64
    program: StateFunction
    arms: i64  # 1 where `begin` arms them by kind and height, 0 where they are armed as given
    kinds: i64p
    heights: f64p
    floors: f64p  # what is little of each
    armed: i64p
    hit: i64p  # those that took part in the event
    first: f64p  # values, then rates, where the run began
    step: WatchedStep = pointer()


@record
class Projection:
    """What brings (t, x) back to where it belongs: ``run(code, slots, state)``, t in slots[0].

    Behind the state it writes 1 where it changed something; then 1 where the equations ask to be written in other
    speeds, 2 where the state is none that can be reached. ``judge(code, slots, out)`` tells how good the speeds are.
    """

    given: i64  # whether there is one
    program: StateFunction
    judge: executor
    state: f64p


@record
class StepControl:
    """The method; then how far its steps have come."""

    fixed: i64  # whether steps are
    implicit: i64  # whether they are, see `radau`
    stages: i64
    tableau: f64p  # as `Tableau.packed`
    step: f64  # the fixed one, or the longest
    every: i64  # a row for each so many fixed steps
    rtol: f64
    atol: f64p  # of each state,
    absolute: f64p  # as of the full states
    units: f64p  # of the full states
    unit: f64  # of time
    first: f64  # the first step, 0 where it is chosen
    max_steps: i64  # tried, at most,
    tried: i64  # of which so many were before this began
    longest: f64  # step that the run allows
    grid: f64  # where fixed steps are counted from when a run begins anywhere
    origin: f64  # fixed steps end at origin + i step
    since: f64  # where the run began
    t: f64  # reached
    h: f64  # the step to try
    error: f64  # of the step before
    made: i64  # steps from the origin; a step that is cut short counts where it ends
    steps: i64  # accepted
    rejected: i64
    evaluations: i64  # of the equations
    component: i64  # state whose derivative is not finite, or −1


@record
class Collocation:
    """Stages of an implicit step, x + z_i, and what Newton's method finds them by; see `radau`."""

    n: i64
    is_known: i64  # whether J is,
    is_current: i64  # at the state where steps are
    h: f64  # the step that the factors are of
    before: f64  # the last step accepted, 0 for none,
    error: f64  # and its error
    convergence: f64  # of Newton's method: how sizes of corrections follow each other
    J: f64p = array("n * n")
    real: f64p = array("n * n")  # factors, of γ/h − J,
    pair: f64p = array("4 * n * n")  # and of the same for the pair α ± iβ
    real_order: f64p = array("n")
    pair_order: f64p = array("2 * n")
    rate: f64p = array("n")  # f(t, x)
    z: f64p = array("3 * n")
    w: f64p = array("3 * n")  # T⁻¹ z
    f: f64p = array("3 * n")  # at the stages
    last: f64p = array("3 * n")  # z of the step before
    stage: f64p = array("3 * n")  # scratch


@record
class Page:
    """Rows of t, x, ẋ and bend, filled from the first."""

    room: i64  # rows
    free: i64  # the first that no solution keeps
    t: f64p
    x: f64p
    dx: f64p
    bend: f64p


@record
class Integration:
    """An initial value problem while it is stepped; rows ``first`` to ``last`` of the page are its own."""

    n: i64
    x: f64p  # x, then the stages k_0 = ẋ, k_1, ...
    scratch: f64p  # n numbers
    n_rest: i64  # inputs, behind the states
    kept: i64p  # where the states stand in full ones
    equations: StateFunction
    is_fused: i64  # whether a step is one program
    fused: StateFunction
    guards: Guards
    projection: Projection
    control: StepControl
    collocation: Collocation = pointer()
    page: Page = pointer()
    first: i64
    last: i64
