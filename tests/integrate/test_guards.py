"""The guard watch: falling zeros found where they are, and nothing else found."""

from __future__ import annotations

import math

import numpy as np
import pytest

from latchwork.errors import IntegrationError
from latchwork.integrate import guard_location
from latchwork.integrate.methods import RK4, DormandPrince, Radau, integrate
from latchwork.program.function import Function
from latchwork.program.native import interpret, invoke
from random_programs import program_of

G = 9.81
METHODS = pytest.mark.parametrize("method", [RK4(0.01), DormandPrince(), Radau()],
                                  ids=["RK4", "Dormand-Prince", "Radau"])  # fmt: skip


def ball() -> Function:
    """``ẏ = v, v̇ = −g`` with g held."""
    return Function(program_of("t y v g", (), [("neg", 3)], (2, 4)))


def floor() -> Function:
    """The height y above the floor, and its rate v."""
    return Function(program_of("t y v g", (), [], (1, 2)))


def levels(*heights: float) -> Function:
    """The heights above some levels, and their rates."""
    rows = [("sub", 1, 4 + i) for i in range(len(heights))]
    first = 4 + len(heights)
    return Function(program_of("t y v g", heights, rows, (*range(first, first + len(heights)), *[2] * len(heights))))


def clock(name: str) -> Function:
    """A state that stands still, watched by a function of t: (t − 1)², (t − 1)² + c or (t − 1)² − c, c held."""
    rows = {
        "touch": [("sub", 0, 3), ("mul", 5, 5), ("mul", 4, 5)],
        "above": [("sub", 0, 3), ("mul", 5, 5), ("mul", 4, 5), ("add", 6, 2)],
        "below": [("sub", 0, 3), ("mul", 5, 5), ("mul", 4, 5), ("sub", 6, 2)],
    }[name]
    return Function(program_of("t x c", (1.0, 2.0), rows, (6 if name == "touch" else 8, 7)))


def still() -> Function:
    """``ẋ = 0``."""
    return Function(program_of("t x c", (0.0,), [], (3,)))


@METHODS
@pytest.mark.parametrize("speed", [0.0, 3.0, -2.0])
def test_a_ball_flies_as_long_as_the_closed_form_says(method, speed):
    """t = (v + √(v² + 2 g y)) / g to 1e-12, at a state that is not above the floor, the last sample."""
    run = integrate(ball(), [1.3, speed], 0.0, 5.0, [G], method, guards=floor())
    true = (speed + math.sqrt(speed**2 + 2.0 * G * 1.3)) / G
    assert run.event.t == pytest.approx(true, abs=1e-12)
    assert run.event.guards == (0,)
    assert run.t[-1] == run.event.t
    assert run.x[-1].tobytes() == run.event.x.tobytes()
    assert -1e-11 < run.event.x[0] <= 0.0


@METHODS
@pytest.mark.parametrize("speed", [0.0, 3.0, -2.0])
def test_a_guard_without_rates_is_found_as_well(method, speed):
    """The height alone, its rate given as 0, as of a force: the same instant to 1e-12."""
    blind = Function(program_of("t y v g", (0.0,), [], (1, 4)))
    run = integrate(ball(), [1.3, speed], 0.0, 5.0, [G], method, guards=blind)
    true = (speed + math.sqrt(speed**2 + 2.0 * G * 1.3)) / G
    assert run.event.t == pytest.approx(true, abs=1e-12)


@pytest.mark.parametrize("dip", [0.3, 0.04])
def test_a_dip_of_a_guard_without_rates_is_seen(dip):
    """(t − 1)² − c within one step, by its values alone."""
    rows = [("sub", 0, 3), ("mul", 5, 5), ("sub", 6, 2)]
    blind = Function(program_of("t x c", (1.0, 0.0), rows, (7, 4)))
    run = integrate(still(), [0.0], 0.0, 1.9, [dip], DormandPrince(first_step=1.9), guards=blind)
    assert run.event.t == pytest.approx(1.0 - math.sqrt(dip), abs=1e-11)
    assert run.stats.steps == 1


@METHODS
def test_bounces_follow_from_one_another(method):
    """Restarted with the speed turned around, each flight takes e times the one before; none triggers at once."""
    t, x, times = 0.0, np.array([1.0, 0.0]), []
    for _ in range(8):
        event = integrate(ball(), x, t, 10.0, [G], method, guards=floor()).event
        t, x = event.t, event.x * [1.0, -0.7]
        times.append(t)
    first = math.sqrt(2.0 / G)
    assert times == pytest.approx(first + 2.0 * first * np.cumsum([0.0, *0.7 ** np.arange(1, 8)]), abs=1e-11)


@pytest.mark.parametrize("method", [RK4(5.0), DormandPrince(first_step=5.0)], ids=["RK4", "Dormand-Prince"])
def test_a_dip_inside_one_step_is_seen(method):
    """(t − 1)² − c is positive at both ends of a single step; the event is at 1 − √c."""
    run = integrate(still(), [0.0], 0.0, 5.0, [0.04], method, guards=clock("below"))
    assert run.event.t == pytest.approx(0.8, abs=1e-11)
    assert run.stats.steps == 1


@pytest.mark.parametrize("method", [RK4(5.0), DormandPrince(first_step=5.0)], ids=["RK4", "Dormand-Prince"])
def test_a_hop_inside_one_step_ends_on_the_floor(method):
    """From the floor up and back within one step: the event is the landing, not the start."""
    run = integrate(ball(), [0.0, 2.0], 0.0, 5.0, [G], method, guards=floor())
    assert run.event.t == pytest.approx(4.0 / G, abs=1e-11)


def cornered() -> Function:
    """The larger of h + s t − c t² and k t − m, and its rate: a gap that ends where its domain does."""
    rows = [("mul", 4, 0), ("sub", 3, 7), ("mul", 0, 8), ("add", 2, 9), ("mul", 5, 0), ("sub", 11, 6), ("max", 10, 12),
            ("sub", 8, 7), ("le", 12, 10), ("select", 15, 14, 5)]  # fmt: skip
    return Function(program_of("t x h s c k m", (), rows, (13, 16)))


@pytest.mark.parametrize("seed", range(3))
def test_a_dip_beside_a_corner_is_seen(seed):
    """h + s t − c t² falls through zero, then k t − m takes it up again: found in one step, of 1000 each."""
    rng = np.random.default_rng([seed, 1])
    at, s, c = rng.uniform(0.02, 0.9, 1000), rng.uniform(-0.2, 0.0, 1000), rng.uniform(0.2, 3.0, 1000)
    corner = at + rng.uniform(0.001, 0.3, 1000) * (1.0 - at)
    end = corner + rng.uniform(0.02, 0.9, 1000) * (1.0 - corner)
    h = c * at**2 - s * at
    k = (c * corner**2 - s * corner - h) / (end - corner)
    rest = Function(program_of("t x h s c k m", (0.0,), [], (7,)))
    runs = [integrate(rest, [0.0], 0.0, 1.0, given, RK4(1.0), guards=cornered())
            for given in np.column_stack([h, s, c, k, k * end])]  # fmt: skip
    assert [run.event.t for run in runs] == pytest.approx(at, abs=1e-9)


@METHODS
@pytest.mark.parametrize(("name", "c"), [("touch", 0.0), ("above", 1e-9)])
def test_grazing_is_no_event(method, name, c):
    """A guard that comes down to zero, or nearly, and rises again does not trigger."""
    assert integrate(still(), [0.0], 0.0, 3.0, [c], method, guards=clock(name)).event is None


@METHODS
def test_two_guards_at_one_instant(method):
    """Guards that fall together are one event; one that falls later is not part of it."""
    run = integrate(ball(), [1.0, 0.0], 0.0, 5.0, [G], method, guards=levels(0.25, 0.2499, 0.25))
    assert run.event.guards == (0, 2)
    assert run.event.t == pytest.approx(math.sqrt(1.5 / G), abs=1e-12)


@METHODS
def test_the_first_of_two_events_in_a_step_is_taken(method):
    """Levels passed within the same step trigger in the order of time, not of number."""
    run = integrate(ball(), [1.0, 0.0], 0.0, 5.0, [G], method, guards=levels(0.9, 0.9001))
    assert run.event.guards == (1,)


@METHODS
@pytest.mark.parametrize(("speed", "at"), [(2.0, 4.0 / G), (-2.0, 0.0), (0.0, 0.0)])
def test_a_guard_that_starts_at_zero(method, speed, at):
    """Moving away it triggers when it is back; moving into, at once; at rest, as soon as it falls."""
    run = integrate(ball(), [0.0, speed], 0.0, 5.0, [G], method, guards=floor())
    assert run.event.t == pytest.approx(at, abs=1e-11)


@METHODS
def test_rest_on_a_guard_is_no_event(method):
    """A guard that is zero and stays zero does not trigger."""
    assert integrate(ball(), [0.0, 0.0], 0.0, 1.0, [0.0], method, guards=floor()).event is None


@METHODS
def test_below_zero_a_guard_may_rise_but_not_fall(method):
    """Slightly below zero: rising is legal, falling an event at once, turning before zero an event at the turn."""
    rising = integrate(ball(), [-1e-9, 2.0], 0.0, 5.0, [G], method, guards=floor())
    assert rising.event.t == pytest.approx(4.0 / G, abs=1e-8)
    assert integrate(ball(), [-1e-9, -2.0], 0.0, 5.0, [G], method, guards=floor()).event.t == 0.0
    turned = integrate(ball(), [-1.0, 2.0], 0.0, 5.0, [G], method, guards=floor())
    assert turned.event.t == pytest.approx(2.0 / G, abs=0.011)
    assert turned.event.x[0] < -0.7


@METHODS
def test_a_guard_that_is_not_armed_waits_until_it_was_above_zero(method):
    """From below: silent on the way up, an event on the way down; without reaching zero, never."""
    up = integrate(ball(), [-0.1, 2.0], 0.0, 5.0, [G], method, guards=floor(), armed=[False])
    assert up.event.t == pytest.approx((2.0 + math.sqrt(4.0 - 0.2 * G)) / G, abs=1e-11)
    assert integrate(ball(), [-0.1, 1.0], 0.0, 1.0, [G], method, guards=floor(), armed=[False]).event is None


@METHODS
@pytest.mark.parametrize("speed", [0.3, 0.9])
def test_a_guard_with_a_height_is_armed_above_it(method, speed):
    """A hop of v²/2g above the height 0.02 ends at the floor, one below it at the level −0.01 that stands in till then.

    The second guard is dismissed where the first is armed, also where a hop is inside one step.
    """
    above = speed**2 / (2.0 * G) > 0.02
    run = integrate(ball(), [0.0, speed], 0.0, 5.0, [G], method, guards=levels(0.0, -0.01), armed=[False, True],
                    heights=[0.02, -0.03])  # fmt: skip
    level = 0.0 if above else -0.01
    assert run.event.t == pytest.approx((speed + math.sqrt(speed**2 - 2.0 * G * level)) / G, abs=1e-11)
    assert run.event.guards == ((0,) if above else (1,))
    on = integrate(ball(), run.event.x, run.event.t, 1.0, [G], method, guards=levels(0.0, -0.01),
                   armed=[False, False], heights=[0.02, -0.03])  # fmt: skip
    assert on.event is None


@pytest.mark.parametrize("method", [RK4(0.5), DormandPrince(), Radau()], ids=["RK4", "Dormand-Prince", "Radau"])
@pytest.mark.parametrize(("level", "speed", "armed", "height"), [(1e-6, 0.0, True, -4e-6), (0.0, 0.01, False, 1e-6)])
def test_a_guard_that_dips_before_it_rises_beyond_its_height_is_looked_at(method, level, speed, armed, height):
    """max(y + level, t² − t/10) of a ball that falls from rest, or hops above the height, is far above at the end of
    the first step: it has been below zero in between, from t = (v + √(v² + 2 g level)) / g on."""
    rows = [("add", 1, 4), ("sub", 0, 5), ("mul", 0, 8), ("max", 7, 9), ("mul", 6, 0), ("sub", 11, 5), ("lt", 7, 9),
            ("select", 13, 12, 2)]  # fmt: skip
    dips = Function(program_of("t y v g", (level, 0.1, 2.0), rows, (10, 14)))
    run = integrate(ball(), [0.0, speed], 0.0, 1.0, [G], method, guards=dips, armed=[armed], heights=[height])
    assert run.event.t == pytest.approx((speed + math.sqrt(speed**2 + 2.0 * G * level)) / G, abs=1e-12)


@METHODS
def test_going_on_through_an_event(method):
    """Without a turn, the guard left out of ``armed`` lets the ball through the floor; armed, it stops at once."""
    event = integrate(ball(), [1.0, 0.0], 0.0, 5.0, [G], method, guards=floor()).event
    through = integrate(ball(), event.x, event.t, 1.0, [G], method, guards=floor(), armed=[False])
    assert through.event is None
    assert integrate(ball(), event.x, event.t, 1.0, [G], method, guards=floor()).event.t == event.t


@METHODS
def test_python_and_machine_code_give_the_same_bits(method):
    """Event, samples and dense output of the kernels run as Python are equal bit for bit to their machine code."""
    runs = [
        integrate(ball(), [0.02, 0.5], 0.1, 2.0, [G], method, call=call, guards=levels(-0.01, 0.01))
        for call in (invoke, interpret)
    ]
    native, meant = ([run.t.tobytes(), run.x.tobytes(), run.dx.tobytes(), run.bend.tobytes()] for run in runs)
    assert native == meant
    assert runs[0].event.t == runs[1].event.t
    assert runs[0].event.guards == runs[1].event.guards == (1,)


def probes(monkeypatch, *given, **options):
    """How often all guards are evaluated within steps of a run."""
    times, probe = [], guard_location.probe
    with monkeypatch.context() as patched:
        patched.setattr(guard_location, "probe", lambda *args: (times.append(1), probe(*args))[1])
        integrate(*given, **options, call=interpret)
    return len(times)


def test_parts_of_a_step_are_probed_once_for_all_guards(monkeypatch):
    """Five guards with the same dip between samples take as many evaluations as one."""
    def dips(count):
        rows = [("sub", 0, 3), ("mul", 5, 5), ("mul", 4, 5), ("sub", 6, 2)]
        return Function(program_of("t x c", (1.0, 2.0), rows, (*[8] * count, *[7] * count)))

    few, many = (probes(monkeypatch, still(), [0.0], 0.0, 3.0, [-1e-3], RK4(3.0), guards=dips(k)) for k in (1, 5))
    assert 3 < few == many


def test_what_falls_later_is_not_located(monkeypatch):
    """Where a level is met in a step, each lower one that is met later in it costs a few evaluations, no location."""
    start = ball(), [1.0, 0.0], 0.0, 5.0, [G], RK4(0.3)
    one = probes(monkeypatch, *start, guards=levels(0.9))
    more = probes(monkeypatch, *start, guards=levels(0.9, 0.85, 0.8, 0.75))
    assert 5 < one <= more < 2 * one


@METHODS
def test_watching_changes_nothing(method):
    """Until the event the samples are those of a run without guards; with none in sight, all of them."""
    free = integrate(ball(), [1.0, 0.0], 0.0, 0.4, [G], method)
    seen = integrate(ball(), [1.0, 0.0], 0.0, 0.4, [G], method, guards=levels(-9.0))
    cut = integrate(ball(), [1.0, 0.0], 0.0, 0.4, [G], method, guards=levels(0.5))
    assert seen.x.tobytes() == free.x.tobytes()
    assert seen.stats == free.stats
    assert cut.x[:-1].tobytes() == free.x[: len(cut.x) - 1].tobytes()
    t = np.linspace(0.0, cut.event.t, 50)
    assert cut.at(t) == pytest.approx(free.at(t), abs=1e-14)


def test_recording_every_few_steps_keeps_the_event():
    """The last sample is the event, whatever was skipped."""
    run = integrate(ball(), [1.0, 0.0], 0.0, 5.0, [G], RK4(0.01, every=7), guards=floor())
    assert run.t[-1] == run.event.t == pytest.approx(math.sqrt(2.0 / G), abs=1e-12)
    assert len(run.t) == 45 // 7 + 2


@METHODS
def test_a_guard_that_is_not_a_number_is_named(method):
    """√y below zero: the run stops and says which guard."""
    root = Function(program_of("t y v g", (), [("sqrt", 1), ("neg", 4)], (3, 4, 2, 5)))
    with pytest.raises(IntegrationError, match=r"a guard is not a number \(number 1\)"):
        integrate(ball(), [1.0, 0.0], 0.0, 5.0, [G], method, guards=root)


def test_guards_must_fit():
    """A program with other inputs, or without rates, is refused."""
    with pytest.raises(IntegrationError, match="do not fit"):
        integrate(ball(), [1.0, 0.0], 0.0, 1.0, [G], RK4(0.1), guards=Function(program_of("t y v g", (), [], (1,))))


@METHODS
def test_samples_are_those_of_the_full_run(method):
    """With ``samples`` only those times and the end are kept, bit for bit what the full run gives there."""
    times = np.linspace(0.0, 30.0, 7)[:-1]
    full = integrate(ball(), [1.0, 0.0], 0.0, 30.0, [G], method)
    few = integrate(ball(), [1.0, 0.0], 0.0, 30.0, [G], method, samples=times)
    assert few.t.tolist() == [*times, 30.0]
    assert few.x.tobytes() == full.at(few.t).tobytes()
    assert few.stats == full.stats
    cut = integrate(ball(), [1.0, 0.0], 0.0, 30.0, [G], method, samples=times, guards=floor())
    assert cut.t.tolist() == [0.0, cut.event.t]
    with pytest.raises(IntegrationError, match="Samples must be times that grow"):
        integrate(ball(), [1.0, 0.0], 0.0, 1.0, [G], method, samples=[0.5, 0.1])


@METHODS
@pytest.mark.parametrize("seed", range(12))
def test_levels_of_a_random_oscillation_are_found(method, seed):
    """A cos(w t + p) falls through a level where w t + p = acos(level / A); levels out of reach are never met."""
    random = np.random.default_rng(seed)
    A, w, p, part = (
        random.uniform(0.2, 2.0),
        random.uniform(0.5, 5.0),
        random.uniform(0.0, 6.0),
        random.uniform(-1.0, 1),
    )
    swing = Function(program_of("t x v w", (), [("mul", 3, 3), ("mul", 4, 1), ("neg", 5)], (2, 6)))
    start = [A * math.cos(p), -A * w * math.sin(p)]
    for level in (A * part, -1.000001 * A):
        above = Function(program_of("t x v w", (level,), [("sub", 1, 4)], (5, 2)))
        event = integrate(swing, start, 0.0, 15.0 / w, [w], method, guards=above, armed=[start[0] >= level]).event
        true = [] if level < -A else [(math.acos(part) - p) % (2.0 * math.pi) / w]
        assert ([] if event is None else [event.t]) == pytest.approx(true, abs=1e-6)
