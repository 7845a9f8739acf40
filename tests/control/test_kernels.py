"""The kernels of laws: as Python and as machine code the same bits; bounded least squares against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import lsq_linear

import latchwork as lw
from controlled_models import arm, on_branch, slider_crank
from latchwork.control.bounded_least_squares import least_within, work_size
from latchwork.hybrid.closed_loop import commands, forces, run
from latchwork.program.native import briefly, interpret
from latchwork.realtime.exhibit import exhibit_of
from latchwork.realtime.hand import Hands
from latchwork.realtime.past import Past
from latchwork.realtime.stepped import stepped


def closed_dynamics(model: lw.Model, law: lw.control.Projected, **start: dict[str, float]) -> lw.Simulation:
    sim = lw.Simulation(model, **start, controllers=[law])
    sim.advance(1e-3)
    return sim


@pytest.mark.parametrize("kernel", [commands, run, forces])
@pytest.mark.parametrize("which", ["held", "free", "bounded"])
def test_python_and_machine_code_have_the_same_bits(kernel, which):
    """Command, right-hand side and multipliers of a closed loop, held by a slot, free, and at a bound."""
    gains = {"gains": (25.0, 10.0)}
    if which == "free":
        sim = closed_dynamics(arm(contacts=False), lw.control.Projected(tracks={"q1": 0.3, "q2": 0.2}, **gains))
    else:
        press = [lw.control.Press("slot", 2.0, gains=(1.0, 3.0), filter=0.1)]
        bounds = {"f1": (-1.0, 1.0)} if which == "bounded" else None
        law = lw.control.Projected(tracks={"q1": 1.0}, forces=press, bounds=bounds, **gains)
        sim = closed_dynamics(slider_crank(), law, **on_branch(0.6, 0.4))
    mode, state = sim.dynamics.mode, sim.state
    row = np.concatenate([[state.t], sim.dynamics.reduced(state.x), state.rest_now])
    results = []
    for call in (briefly, interpret):
        z, out = mode.workspace(), np.zeros(40)
        z[: len(row)] = row
        call(kernel, mode.code, z, out)
        results.append(out.tobytes())
    assert results[0] == results[1]


@pytest.mark.parametrize("seed", range(12))
def test_bounded_least_squares_are_those_of_scipy(seed):
    """min ‖A x − b‖ within bounds, random and with equal bounds, zeros and columns of one length."""
    rng = np.random.default_rng(seed)
    n, rows = int(rng.integers(1, 9)), 12
    A = rng.integers(-2, 3, (rows, n)).astype(float) if seed % 3 == 0 else rng.normal(size=(rows, n))
    A += 1e-3 * np.vstack([np.eye(n), np.zeros((rows - n, n))])
    b = 3.0 * rng.normal(size=rows)
    low, high = -rng.uniform(0.0, 1.0, n), rng.uniform(0.1, 1.0, n)
    x, side, work = np.zeros(n), np.zeros(n, dtype=np.int64), np.zeros(1 + work_size(rows, n))
    assert briefly(least_within, rows, n, A, b, low, high, x, side, work) == 1
    best = lsq_linear(A, b, (low, high), method="bvls", tol=1e-14)
    assert np.linalg.norm(A @ x - b) <= np.linalg.norm(A @ best.x - b) * (1.0 + 1e-9)
    assert ((x >= low) & (x <= high)).all()


def test_a_law_on_the_table_does_not_know_of_the_hand_and_is_rewound():
    """An exhibit with a law: it goes to its goal, gives way to a hand, and a rewind repeats the same bits."""
    sim = stepped(exhibit_of("aghili_control"), 1e-3)
    hands, past = Hands(sim), Past(sim, 1e-3)
    for _ in range(1500):
        past.make(sim)
    rest = sim.q["q1"]
    assert rest == pytest.approx(np.pi / 3, abs=1e-2)
    hands.put(sim, "C", (20.0, 0.0, 0.0), (0.0, 0.0, 0.0))
    for _ in range(500):
        past.make(sim)
    pushed = sim.x.copy()
    assert sim.q["q1"] < rest - 0.05
    assert past.back(sim, 300) == 300
    for _ in range(300):
        past.make(sim)
    assert np.array_equal(sim.x, pushed)


def test_laws_are_exchanged_in_a_run():
    """Sampled laws take turns; what acts continuously belongs to the start, and is refused later."""
    model = arm(contacts=False)
    sim = lw.Simulation(model, {"q1": 0.3}, controllers=[])
    for goal in (0.5, -0.2):
        law = lw.control.Projected(tracks={"q1": goal, "q2": 0.1}, gains=(100.0, 20.0))
        sim.control(lw.control.Sampled(law, 5e-3))
        sim.advance(sim.t + 1.0)
        assert sim.q["q1"] == pytest.approx(goal, abs=1e-2)
        assert sim.value("q1 + q2") == pytest.approx(sim.q["q1"] + sim.q["q2"])
    with pytest.raises(lw.ModelError, match="runs already: laws that act continuously"):
        sim.control(law)
