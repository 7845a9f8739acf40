"""Laws that are sampled: hold, delay, quanta, bounds, noise, several rates; their memory is part of the state."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

import latchwork as lw


def cart() -> lw.Model:
    """A mass on a rail, with a force and a second one."""
    model = lw.Model("cart")
    F, G = model.inputs(F=0.0, G=0.0)
    rail = model.prismatic("rail", axis=model.frame.x, q=["x"], u=["v"])
    model.particle("cart", rail.origin, 2.0)
    model.force(rail.origin, F * model.frame.x)
    model.force(rail.origin, G * model.frame.x)
    return model


def feedback(t: float, q: dict[str, float], u: dict[str, float], memory: dict[str, Any]) -> dict[str, float]:
    memory["looks"] = memory.get("looks", 0) + 1
    memory["sum"] = memory.get("sum", 0.0) + q["x"]
    return {"F": -8.0 * q["x"] - 3.0 * u["v"] - 0.1 * memory["sum"]}


def simulation(*controllers: Any, method: Any = None, **options: Any) -> lw.Simulation:
    return lw.Simulation(cart(), {"x": 1.0}, controllers=controllers, method=method or lw.RK4(1e-3), **options)


def test_inputs_are_held_between_looks():
    """ẍ = F/m with F of the last look: the exact sampled system."""
    run = lw.simulate(cart(), 0.5, {"x": 1.0}, controllers=[lw.control.Sampled(feedback, 0.1, inputs=["F"])])
    x, v, total = 1.0, 0.0, 0.0
    for _ in range(5):
        total += x
        a = (-8.0 * x - 3.0 * v - 0.1 * total) / 2.0
        x, v = x + 0.1 * v + 0.005 * a, v + 0.1 * a
    assert (run["x"][-1], run["v"][-1]) == pytest.approx((x, v), abs=1e-9)


def test_a_delay_is_waited_for():
    """Inputs of a look act later, by more than a period as well."""
    law = lw.control.Sampled(lambda t, q, u, memory: {"F": 1.0 + t}, 0.1, inputs=["F"], delay=0.15)
    run = lw.simulate(cart(), 0.4, controllers=[law]).at([0.14, 0.16, 0.24, 0.26, 0.36])
    assert run["F"].tolist() == pytest.approx([0.0, 1.0, 1.0, 1.1, 1.2])


def test_in_pieces_rewound_ticked_and_from_a_checkpoint_it_has_the_same_bits():
    """Memory, noise and waiting commands are part of the state."""
    law = lw.control.Sampled(feedback, 0.01, inputs=["F"], noise=1e-3, delay=4e-3, seed=5)
    whole = simulation(law)
    whole.advance(0.5)
    pieces = simulation(law)
    pieces.advance(0.2)
    kept, written = pieces.state, pickle.dumps(pieces.state)
    pieces.advance(0.5)
    assert np.array_equal(whole.x, pieces.x)
    assert whole.state == pieces.state
    pieces.state = kept
    pieces.advance(0.5)
    assert np.array_equal(whole.x, pieces.x)
    other = simulation(law)
    other.state = pickle.loads(written)
    other.advance(0.5)
    assert np.array_equal(whole.x, other.x)
    ticked = simulation(law)
    for _ in range(500):
        ticked.tick(1e-3)
    assert np.array_equal(whole.x, ticked.x)
    assert ticked.state.controllers.states[0].memory == whole.state.controllers.states[0].memory == {
        "looks": 50, "sum": pytest.approx(whole.state.controllers.states[0].memory["sum"])}  # fmt: skip


def test_a_function_cannot_change_the_past():
    """It gets a copy of its memory: a state that was kept stays as it was."""
    sim = simulation(lw.control.Sampled(feedback, 0.01, inputs=["F"], memory={"deep": [1, 2]}))
    sim.advance(0.1)
    before = sim.state.controllers.states[0].memory
    shown = repr(before)
    sim.advance(0.2)
    assert repr(before) == shown


def test_several_rates_and_the_order_of_looks():
    """Two controllers on grids of their own; at one instant both see the state before either acts."""
    seen: list[tuple[str, float]] = []

    def fast(t: float, q: Any, u: Any, memory: Any) -> dict[str, float]:
        seen.append(("fast", t))
        return {"F": -q["x"]}

    def slow(t: float, q: Any, u: Any, memory: Any) -> dict[str, float]:
        seen.append(("slow", t))
        return {"G": -u["v"]}

    sim = simulation(lw.control.Sampled(fast, 0.01, inputs=["F"]), lw.control.Sampled(slow, 0.025, inputs=["G"]))
    sim.advance(0.1)
    assert [t for name, t in seen if name == "slow"] == pytest.approx([0.0, 0.025, 0.05, 0.075])
    assert [t for name, t in seen if name == "fast"] == pytest.approx(np.arange(10) * 0.01)


def test_quanta_bounds_and_resolution():
    """Inputs are rounded, then bounded; an encoder shows steps."""
    readings: list[float] = []

    def law(t: float, q: Any, u: Any, memory: Any) -> dict[str, float]:
        readings.append(q["x"])
        return {"F": 1.234 - t, "G": 9.0}

    options = {"quantum": {"F": 0.1}, "bounds": {"G": (-2.0, 2.0)}, "resolution": {"x": 0.01}}
    sampled = lw.control.Sampled(law, 0.02, inputs=["F", "G"], **options)
    run = lw.simulate(cart(), 0.05, {"x": 0.123}, controllers=[sampled])
    assert readings[0] == pytest.approx(0.12, abs=1e-15)
    assert run.at([0.001, 0.045])["F"].tolist() == pytest.approx([1.2, 1.2])
    assert set(run["G"].tolist()) == {2.0}


def test_noise_is_drawn_by_seed():
    """Another seed, another run; the same seed, the same."""
    ends = []
    for seed in (1, 1, 2):
        sim = simulation(lw.control.Sampled(feedback, 0.01, inputs=["F"], noise={"x": 0.01}, seed=seed))
        sim.advance(0.1)
        ends.append(sim.x.tolist())
    assert ends[0] == ends[1] != ends[2]


def test_sensors_read_accelerations_and_forces():
    """An accelerometer on a pendulum at rest shows −g; a force in a constraint is that of the last sample."""
    model = lw.Model("pendulum")
    (T,) = model.inputs(T=0.0)
    arm = model.revolute("arm", q=["q"], u=["u"])
    P = arm.origin.at("P", -1.0 * arm.frame.y)
    model.particle("bob", P, 3.0)
    model.gravity(-9.81 * model.frame.y)
    model.actuate(arm, T)
    lock = model.constraint("lock", arm.q[0] - 0.3)
    seen: dict[str, float] = {}

    def law(t: float, q: Any, u: Any, memory: Any, sensors: dict[str, float]) -> dict[str, float]:
        seen.update(sensors)
        return {"T": 0.0}

    sensors = {**lw.control.accelerometer("a", model, P, arm), **lw.control.gyro("w", arm), "held": lock.force}
    lw.simulate(model, 0.01, {"q": 0.3}, controllers=[lw.control.Sampled(law, 0.005, inputs=["T"], sensors=sensors)])
    assert (seen["a_x"], seen["a_y"]) == pytest.approx((9.81 * np.sin(0.3), 9.81 * np.cos(0.3)))
    assert seen["w_z"] == pytest.approx(0.0, abs=1e-12)
    assert abs(seen["held"]) == pytest.approx(3.0 * 9.81 * np.sin(0.3))


def test_expressions_act_continuously_or_are_sampled():
    """The same law: closed in the equations, ẍ = −4x − 4ẋ; and held, close to it for short periods."""
    model = cart()
    law = lw.control.Law({"F": -8.0 * model.symbols["x"] - 8.0 * model.symbols["v"]})
    run = lw.simulate(model, 1.0, {"x": 1.0}, controllers=[law], method=lw.DormandPrince(rtol=1e-11, atol=1e-13))
    assert run["x"] == pytest.approx((1.0 + 2.0 * run.t) * np.exp(-2.0 * run.t), abs=1e-9)
    assert run["F"] == pytest.approx(-8.0 * run["x"] - 8.0 * run["v"])
    held = lw.simulate(model, 1.0, {"x": 1.0}, controllers=[lw.control.Sampled(law, 1e-3)])
    assert held["x"][-1] == pytest.approx(run["x"][-1], abs=1e-3)


# --- wrong use --------------------------------------------------------------------------------------------------------


def test_a_law_that_gives_nan_ends_the_run_and_keeps_it():
    """The error names law, input, time and state, and holds the run so far."""
    law = lw.control.Sampled(lambda t, q, u, memory: {"F": float("nan") if t > 0.05 else 1.0}, 0.01, inputs=["F"],
                             name="broken")  # fmt: skip
    with pytest.raises(lw.ControlError, match=r"'broken' of 'cart' at t = 0.06, .*gives 'F' the value nan") as raised:
        lw.simulate(cart(), 1.0, controllers=[law])
    assert raised.value.run.t[-1] == pytest.approx(0.06)


def test_a_function_that_fails_ends_the_run_and_keeps_it():
    """Its own error is the cause."""
    law = lw.control.Sampled(lambda t, q, u, memory: {"F": q["nothing"]}, 0.01, inputs=["F"], name="typo")
    with pytest.raises(lw.ControlError, match=r"'typo' .* it failed with KeyError: 'nothing'"):
        lw.simulate(cart(), 1.0, controllers=[law])


WRONG = [
    ({"controllers": [lambda t, q, u, memory: {}]}, r"no controller of 'cart'.*A Python function is sampled"),
    ({"controllers": 5}, r"Give a list: controllers="),
    ({"controllers": [lw.control.Law({"f": 1.0})]},
     r"'f', which controller 'law' commands, is no input of 'cart'. Did you mean 'F'"),
    ({"controllers": [lw.control.Law({"F": 1.0}), lw.control.Law({"F": 2.0}, name="other")]},
     r"input 'F' of 'cart' is commanded by 'law' and by 'other'"),
    ({"controllers": [lw.control.Law({"F": 1.0})], "inputs": {"F": 2.0}}, r"given in inputs, and commanded by 'law'"),
    ({"controllers": [lw.control.Law({"F": 1.0}), lw.control.Law({"G": 2.0})]}, r"two controllers named law"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "words"), WRONG)
def test_wrong_controllers_are_refused_by_name(options, words):
    """What is wrong with which named thing."""
    with pytest.raises(lw.LatchworkError, match=words):
        lw.simulate(cart(), 1.0, **options)


@pytest.mark.parametrize(("arguments", "words"), [
    ({"period": 0.0, "inputs": ["F"]}, r"the period of 'feedback' is 0.0"),
    ({"period": 0.1}, r"commands no inputs"),
    ({"period": 0.1, "inputs": ["F"], "delay": -1.0}, r"the delay of 'feedback' is -1.0"),
    ({"period": float("nan"), "inputs": ["F"]}, r"the period of 'feedback' is nan"),
])  # fmt: skip
def test_wrong_samplings_are_refused(arguments, words):
    """Times that are none, and functions without inputs."""
    with pytest.raises(lw.ModelError, match=words):
        lw.control.Sampled(feedback, **arguments)
