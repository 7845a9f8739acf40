"""Closed loops with passive joints: forward(inverse(u̇*)) = u̇*, the least inputs by a dense reference, bounds kept."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import latchwork as lw
from controlled_models import delta, five_bar, stewart

GAINS = (100.0, 20.0)


@cache
def mechanism(name: str) -> tuple[lw.Model, Any, dict[str, float]]:
    """A mechanism, the law that moves it, and a position near which it can be assembled."""
    if name == "five-bar":
        model = five_bar()
        tracks: dict[Any, Any] = {model.points["left_end"]: (0.05, 0.45, 0.0)}
        near = {"q_left": 2.2, "q_right": 0.9, "p_left": -1.2, "p_right": 1.2}
    elif name == "delta":
        model = delta()
        tracks = {"x": 0.05, "y": -0.02, "z": -0.4}
        near = {"z": -0.45, "q0": 0.3, "q1": 0.2, "q2": 0.35}
    else:
        model = stewart()
        tracks = {model.points["platform_o"]: (0.02, 0.0, 0.55), model.frames["platform"]: model.frame}
        near = {"q_platform_pz": 0.5, **{f"q_ram{i}": 0.6 for i in range(6)}}
    return model, lw.control.Projected(tracks=tracks, gains=GAINS), near


def dense(model: lw.Model, x: np.ndarray, inputs: tuple[str, ...]) -> dict[str, np.ndarray]:
    """M, f, B, c and G of the whole equations, by a way of their own: u̇ = u̇₀ + U r by the KKT matrix."""
    constrained = model.constrained()
    terms, equations = constrained.terms, constrained.unconstrained
    n_r = len(equations.r)
    first = 1 + len(equations.q) + len(equations.u)
    quiet = x.copy()
    quiet[first : first + n_r] = 0.0
    motion, B = terms.motion(quiet), terms.place(quiet).B
    columns = []
    for name in inputs:
        loud = quiet.copy()
        loud[first + [s.name for s in equations.r].index(name)] = 1.0
        columns.append(terms.motion(loud).f - motion.f)
    n, m = len(motion.f), len(B)
    kkt = np.block([[motion.M, -B.T], [B, np.zeros((m, m))]])
    right = np.column_stack([np.append(motion.f, -motion.c), *[np.append(g, np.zeros(m)) for g in columns]])
    solved = np.linalg.lstsq(kkt, right, rcond=1e-12)[0]
    return {"udot": solved[:n, 0], "U": solved[:n, 1:]}


@pytest.mark.parametrize("name", ["five-bar", "delta", "Stewart"])
@pytest.mark.parametrize("seed", range(3))
def test_inverse_and_forward_dynamics_agree_and_inputs_are_least(name, seed):
    """J u̇ = a with the least r: against the KKT matrix and its pseudoinverse, at random speeds."""
    model, law, near = mechanism(name)
    constrained = model.constrained()
    equations = constrained.unconstrained
    rng = np.random.default_rng(seed)
    start = constrained.start(near, dict(zip(equations.u_names, rng.normal(size=len(equations.u)), strict=True)))
    found = law.at(model, start.q, start.u)
    x = constrained.arguments(start.q, start.u)
    reference = dense(model, x, tuple(found.inputs))
    r = np.array(list(found.inputs.values()))
    udot = reference["udot"] + reference["U"] @ r
    assert np.array(list(found.udot.values())) == pytest.approx(udot, rel=1e-9, abs=1e-9 * abs(udot).max())
    assert found.gives_way == ()
    wanted = reference["U"] @ r
    least = np.linalg.pinv(reference["U"], rcond=1e-10) @ wanted
    assert r == pytest.approx(least, rel=1e-9, abs=1e-9 * abs(r).max())


def test_a_platform_follows_a_way_in_space():
    """The Stewart platform along a minimum-jerk way, turned meanwhile: errors stay at what the method allows."""
    model, _, near = mechanism("Stewart")
    t = model.time
    height = lw.control.minimum_jerk(t, 0.0, 0.4, 0.5, 0.6)
    law = lw.control.Projected(tracks={model.points["platform_o"]: (0.0, 0.0, height),
                                       model.frames["platform"]: model.frame}, gains=(400.0, 40.0))  # fmt: skip
    start = model.constrained().start(near)
    run = lw.simulate(model, 0.4, start.q, controllers=[law])
    off = run["q_platform_pz"] - run[height]
    begin = run["q_platform_pz"][0] - 0.5
    assert off == pytest.approx(begin * (1.0 + 20.0 * run.t) * np.exp(-20.0 * run.t), abs=1e-6)


def test_bounds_are_kept_as_a_quadratic_program_would():
    """Least inputs within bounds, on the delta: SciPy's SLSQP finds the same."""
    model, law, near = mechanism("delta")
    start = model.constrained().start(near, {"vx": 0.2, "vz": -0.3})
    free = law.at(model, start.q, start.u)
    most = 0.6 * max(abs(each) for each in free.inputs.values())
    bounded = lw.control.Projected(tracks=law.tracks, gains=GAINS, bounds=dict.fromkeys(free.inputs, (-most, most)))
    found = bounded.at(model, start.q, start.u)
    r = np.array(list(found.inputs.values()))
    assert abs(r).max() <= most * (1.0 + 1e-12)
    assert "at their bounds" in found.gives_way[0]
    x = model.constrained().arguments(start.q, start.u)
    reference = dense(model, x, tuple(found.inputs))
    goal = reference["udot"] + reference["U"] @ np.array(list(free.inputs.values()))
    J = np.eye(6)[:3]
    M = model.constrained().terms.motion(x).M
    W = np.linalg.inv(J @ np.linalg.inv(M) @ J.T)

    def cost(inputs: np.ndarray) -> float:
        off = J @ (reference["udot"] + reference["U"] @ inputs - goal)
        return float(off @ W @ off)

    best = minimize(cost, np.zeros(3), bounds=[(-most, most)] * 3, method="L-BFGS-B",
                    options={"ftol": 1e-15, "gtol": 1e-12})  # fmt: skip
    assert cost(r) <= best.fun * (1.0 + 1e-6)
    assert r == pytest.approx(best.x, abs=1e-4 * most)
