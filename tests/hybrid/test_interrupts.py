"""Ctrl-C ends a run and keeps what was computed; whatever runs, it is heard."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import latchwork as lw
from latchwork import dt
from latchwork.hybrid import batch, interrupted, smooth_batch
from latchwork.program.interrupt import listening

AT, END = 1.0, 5000.0


@pytest.fixture(autouse=True)
def usual():
    """SIGINT does what it usually does."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pendulum() -> lw.Model:
    """A rod that swings, and can be driven."""
    model = lw.Model("pendulum")
    arm = model.revolute("arm", q=["q"], u=["u"])
    model.torque(arm, model.input("T", 0.0) * model.frame.z)
    model.particle("bob", arm.origin.at("tip", -0.8 * arm.frame.y), 2.0)
    model.gravity(-9.81 * model.frame.y)
    return model


def rod() -> lw.Model:
    """The same as a particle that is kept at a distance."""
    model = lw.Model("rod")
    x, y = model.coordinates("x", "y")
    model.speeds(u=dt(x), v=dt(y))
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("bob", P, 2.0)
    model.gravity(-9.81 * model.frame.y)
    model.distance("rod", model.origin, P, 0.8)
    return model


def ball() -> lw.Model:
    """A ball that bounces for ever."""
    model = lw.Model("ball")
    (y,) = model.coordinates("y")
    model.speeds(v=dt(y))
    N = model.frame
    P = model.origin.at("P", y * N.y)
    body = model.body("ball", frame=N, center=P, mass=1.0, inertia=lw.inertia(N))
    model.gravity(-9.81 * N.y)
    model.contact("floor", body.circle(0.1, P), lw.Line(model.origin, N.x, N.y), restitution=1.0)
    return model


def ruled() -> lw.Model:
    """The same with a rule, for which it runs piece by piece."""
    model = ball()
    model.rule("far", 1e3 - model.symbols["y"], reset={model.symbols["v"]: 0.0})
    return model


RUNS: dict[str, tuple[Callable[[], lw.Model], dict[str, Any]]] = {
    "adaptive": (pendulum, {}),
    "samples": (pendulum, {"every": 0.5, "keep": "samples"}),
    "fixed": (pendulum, {"method": lw.RK4(1e-4)}),
    "seldom": (pendulum, {"method": lw.RK4(1e-4, every=1000)}),
    "stiff": (pendulum, {"method": lw.SciPy("LSODA")}),
    "constrained": (rod, {}),
    "null space": (rod, {"design": lw.NullSpace()}),
    "differences": (rod, {"design": lw.Multipliers(), "method": lw.BackwardDifferences(1e-2)}),
    "driven": (pendulum, {"inputs": {"T": lw.Table([0.0, 0.5, 4000.0], [0.0, 0.5, 0.0], "held")}}),
    "one mode to the next": (ball, {}),
    "piece by piece": (ruled, {}),
    "time stepping": (ball, {"thick": lw.TimeStepping(0.02, always=True)}),
}


class Interrupting:
    """Progress that presses Ctrl-C at a time."""

    def __init__(self, at: float = AT) -> None:
        self.at, self.pressed = at, 0

    def __call__(self, t: float) -> None:
        if t >= self.at and not self.pressed:
            self.pressed += 1
            signal.raise_signal(signal.SIGINT)


def start_of(model: lw.Model) -> dict[str, float]:
    return {"pendulum": {"q": 1.0}, "rod": {"x": 0.8, "y": 0.0}, "ball": {"y": 1.1}}[model.name]


@pytest.mark.parametrize("name", RUNS)
def test_an_interrupted_run_is_the_beginning_of_the_whole(name):
    """`lw.Interrupted` is a KeyboardInterrupt that carries the run; its states are those of a run up to there."""
    build, options = RUNS[name]
    model = build()
    pressing = Interrupting()
    with pytest.raises(KeyboardInterrupt, match=r"interrupted at t = .*computed until then is in \.run") as caught:
        lw.simulate(model, END, start_of(model), progress=pressing, **options)
    assert isinstance(caught.value, lw.Interrupted)
    run = caught.value.run
    assert pressing.pressed == 1
    assert AT <= run.t[-1] < END
    whole = lw.simulate(build(), float(run.t[-1]), start_of(model), **options)
    t = 0.9 * run.t[-1]
    assert run.at([t]).x[0] == pytest.approx(whole.at([t]).x[0], abs=1e-6)
    assert [(event.kind, event.t) for event in run.events if event.t < t] == [
        (event.kind, event.t) for event in whole.events if event.t < t
    ]


@pytest.mark.parametrize("name", ["adaptive", "one mode to the next", "constrained", "time stepping"])
def test_a_simulation_goes_on_after_an_interrupt(name):
    """It stands where it was interrupted; advanced again, it comes to where it would have come."""
    build, options = RUNS[name]
    model = build()
    options.pop("every", None)
    sim = lw.Simulation(model, start_of(model), progress=Interrupting(), **options)
    with pytest.raises(lw.Interrupted, match=r"sim\.advance\(until\) goes on") as caught:
        sim.advance(END)
    assert caught.value.run.t[-1] == sim.t < END
    until = sim.t + 1.0
    sim.advance(until)
    whole = lw.simulate(build(), until, start_of(model), **options)
    assert sim.run.t[-1] == until
    assert sim.run.x[-1] == pytest.approx(whole.x[-1], abs=1e-6)


@pytest.mark.parametrize("module", [batch, interrupted], ids=["many", "one"])
def test_an_interrupt_from_elsewhere_is_heard(monkeypatch, module):
    """Ctrl-C while machine code runs, by itself or in threads, without end: it comes back and stops."""
    monkeypatch.setattr(module, "listening", pressed)
    if module is interrupted:
        with pytest.raises(lw.Interrupted, match="'pendulum' was interrupted"):
            lw.simulate(pendulum(), 1e9, {"q": 1.0}, method=lw.RK4(1e-4, max_steps=10**14, every=10**5))
        return
    for method in (lw.RK4(1e-5, max_steps=10**12), lw.DormandPrince(max_step=1e-5, max_steps=10**12)):
        with pytest.raises(lw.Interrupted, match=r"0 of 40 runs of 'pendulum' came to their end") as caught:
            lw.simulate_many(pendulum(), {"q": np.linspace(0.1, 1.0, 40)}, 1e4, method=method)
        assert np.isnan(caught.value.run.x[:, -1]).all()
        assert caught.value.run.failed == dict.fromkeys(range(40), "it was interrupted")


@contextmanager
def pressed() -> Iterator[None]:
    """Listening, and soon Ctrl-C, from another thread."""
    with listening():
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        yield


def test_runs_that_came_to_their_end_are_kept(monkeypatch):
    """Of many, those that were done before an interrupt have the numbers that they have alone."""
    usual, made = smooth_batch.integrate, []

    def integrate(*args: Any, **more: Any) -> Any:
        made.append(1)
        if len(made) == 3:
            signal.raise_signal(signal.SIGINT)
        return usual(*args, **more)

    monkeypatch.setattr(smooth_batch, "integrate", integrate)
    monkeypatch.setattr(smooth_batch, "parallel", lambda work, parts, threads: [work(part) for part in parts])
    with pytest.raises(lw.Interrupted, match="3 of 6 runs") as caught:
        lw.simulate_many(pendulum(), {"q": np.linspace(0.1, 0.6, 6)}, 0.5)
    monkeypatch.undo()
    runs, whole = caught.value.run, lw.simulate_many(pendulum(), {"q": np.linspace(0.1, 0.6, 6)}, 0.5)
    kept = [i for i in range(6) if i not in runs.failed]
    assert kept == [0, 1, 2]
    assert np.array_equal(runs.x[kept], whole.x[kept])


def test_interrupts_that_nothing_heard_in_time_are_raised():
    """One that comes in the last moment is not lost, and the whole run is kept."""
    sim = lw.Simulation(pendulum(), {"q": 1.0}, progress=Interrupting(0.9999))
    with pytest.raises(lw.Interrupted, match="at t = 1") as caught:
        sim.advance(1.0)
    assert caught.value.run.t[-1] == 1.0


def test_a_second_interrupt_ends_at_once():
    """Pressed again before the first was answered, it is Python's own; the last whole state is gone on from."""

    def press_twice(t: float) -> None:
        signal.raise_signal(signal.SIGINT)

    sim = lw.Simulation(pendulum(), {"q": 1.0})
    sim.advance(1.0)
    sim.progress = lambda t: [press_twice(t), press_twice(t)]
    with pytest.raises(lw.Interrupted, match=r"interrupted at t = 1\.") as caught:
        sim.advance(END)
    assert caught.value.run.t[-1] == sim.run.t[-1] == 1.0
    sim.progress = None
    sim.advance(2.0)
    whole = lw.Simulation(pendulum(), {"q": 1.0})
    whole.advance(1.0)
    whole.advance(2.0)
    assert np.array_equal(sim.run.x, whole.run.x)


def test_handlers_of_others_are_left_alone():
    """Whoever handles interrupts himself goes on to do so; afterwards all is as it was."""
    heard: list[int] = []

    def own(number: int, frame: object) -> None:
        heard.append(number)

    signal.signal(signal.SIGINT, own)
    lw.simulate(pendulum(), 4.0, {"q": 1.0}, progress=Interrupting())
    assert heard == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is own
    signal.signal(signal.SIGINT, signal.default_int_handler)
    lw.simulate(pendulum(), 1.0, {"q": 1.0})
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_run_in_a_thread_is_not_interrupted_by_one_here():
    """Only the run of the main thread stops; another goes on to its end."""
    found: list[lw.Trajectory] = []
    other = threading.Thread(target=lambda: found.append(lw.simulate(pendulum(), 5.0, {"q": 1.0})))
    model = pendulum()
    with pytest.raises(lw.Interrupted, match="interrupted at"):
        lw.simulate(model, END, {"q": 1.0}, progress=lambda t: [other.is_alive() or other.ident or other.start(),
                                                                Interrupting()(t)])  # fmt: skip
    other.join()
    assert found[0].t[-1] == 5.0
