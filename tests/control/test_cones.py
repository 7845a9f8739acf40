"""Friction cones inside the law: forces stay in them, by the least inputs; what gives way is said."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.optimize import minimize

import latchwork as lw
from controlled_models import arm, hand, on_branch, slider_crank

Cone, Press, Projected = lw.control.Cone, lw.control.Press, lw.control.Projected
STICKS = {"q1": 0.3, "q2": -math.asin(0.6 + math.sin(0.3)) - 0.3}  # the end of the arm on the table


def holding() -> dict[str, float]:
    """Torques of the arm on the table that press with 10 N, without friction, at rest."""
    c1, c12 = math.cos(STICKS["q1"]), math.cos(STICKS["q1"] + STICKS["q2"])
    second = 9.81 * 0.25 * c12 - 10.0 * 0.5 * c12
    return {"T1": 9.81 * (0.5 * c1 + 0.5 * c1) - 10.0 * 0.5 * c1 + second, "T2": second}


def lifting(model: lw.Model, **options: Any) -> Any:
    tracks = {model.points["ball_o"]: (0.0, 0.01, 0.02), model.frames["ball"]: model.frame}
    return Projected(tracks=tracks, gains=(200.0, 30.0), **options)


def dense(sim: lw.Simulation, inputs: list[str]) -> tuple[np.ndarray, ...]:
    """u̇₀, λ₀ without inputs, and U, V by the KKT matrix of the mode."""
    sim.advance(sim.t + 1e-9)
    terms, row = sim.dynamics.mode.terms, sim.state.row
    names, n = [s.name for s in sim.equations.r], len(sim.equations.u)
    first = 1 + len(sim.equations.q) + n
    row[first : first + len(names)] = 0.0
    motion, B = terms.motion(row), terms.place(row).B
    columns = []
    for name in inputs:
        loud = row.copy()
        loud[first + names.index(name)] = 1.0
        columns.append(np.append(terms.motion(loud).f - motion.f, np.zeros(len(B))))
    kkt = np.block([[motion.M, -B.T], [B, np.zeros((len(B), len(B)))]])
    found = np.linalg.solve(kkt, np.column_stack([np.append(motion.f, -motion.c), *columns]))
    return found[:n, 0], found[n:, 0], found[:n, 1:], found[n:, 1:]


def test_in_the_plane_the_cone_is_kept_exactly():
    """Where the least torques would slip, the force lies on the edge: against the two linear problems by NumPy."""
    model = arm(friction=0.9)
    start: dict[str, Any] = {"q": STICKS, "inputs": holding()}
    press = [Press("table", 10.0)]
    loose = Projected(forces=press)
    free = loose.at(model, STICKS, inputs=start["inputs"])
    lean = abs(free.forces["table[1]"] / free.forces["table[0]"])
    friction = 0.5 * lean
    law = Projected(forces=press, cones=[Cone("table", friction)])
    found = law.at(model, STICKS, inputs=start["inputs"])
    assert found.forces["table[0]"] == pytest.approx(10.0, abs=1e-9)
    assert abs(found.forces["table[1]"]) == pytest.approx(10.0 * friction, rel=1e-9)
    assert found.gives_way == ("forces in table are at the edge of their cones",)
    sim = lw.Simulation(model, **start, controllers=[law])
    _, lam, _, V = dense(sim, ["T1", "T2"])
    side = math.copysign(10.0 * friction, found.forces["table[1]"])
    exact = np.linalg.solve(V, np.array([10.0, side]) - lam)
    assert list(found.inputs.values()) == pytest.approx(exact, rel=1e-8)


@pytest.mark.parametrize("friction", [0.3, 0.45])
def test_in_space_it_is_the_cone_itself(friction):
    """Least torques that move the ball inside round cones: against SciPy's nonlinear program."""
    model, q, inputs = hand()
    law = lifting(model, cones=[Cone(f"finger{i}", friction, least=0.5) for i in range(3)])
    found = law.at(model, q, inputs=inputs)
    r = np.array(list(found.inputs.values()))
    sim = lw.Simulation(model, q, inputs=inputs, controllers=[law])
    udot, lam, U, V = dense(sim, list(found.inputs))
    tracked = [sim.equations.u_names.index(name) for name in sim.equations.u_names if "ball" in name]
    J = np.eye(len(udot))[tracked]
    off = J @ (np.array(list(found.udot.values())) - udot)

    def room(inputs: np.ndarray) -> np.ndarray:
        forces = (lam + V @ inputs).reshape(3, 3)
        return np.append((friction * forces[:, 0]) ** 2 - forces[:, 1] ** 2 - forces[:, 2] ** 2, forces[:, 0] - 0.5)

    squeeze = np.array([inputs[name] for name in found.inputs])
    kept = [{"type": "eq", "fun": lambda x: J @ U @ x - off, "jac": lambda x: J @ U}, {"type": "ineq", "fun": room}]
    best = minimize(lambda x: x @ x, squeeze, jac=lambda x: 2.0 * x, method="SLSQP", options={"ftol": 1e-15},
                    constraints=kept).x  # fmt: skip
    assert np.linalg.norm(r) == pytest.approx(np.linalg.norm(best), rel=1e-7)
    assert r == pytest.approx(best, abs=1e-3 * abs(best).max())
    for i in range(3):
        normal, first, second = (found.forces[f"finger{i}[{j}]"] for j in range(3))
        assert math.hypot(first, second) <= friction * normal * (1.0 + 1e-8)
        assert normal >= 0.5 * (1.0 - 1e-9)
    wanted = lifting(model).at(model, q, inputs=inputs).udot
    ball = [name for name in wanted if "ball" in name]
    assert [found.udot[name] for name in ball] == pytest.approx([wanted[name] for name in ball], abs=1e-8)


def test_what_cannot_be_had_gives_way_and_is_named():
    """Bounds and cones at once: motors that are too weak to squeeze keep the cones, and the ball's motion is lost."""
    model, q, inputs = hand()
    cones = [Cone(f"finger{i}", 0.4, least=0.5) for i in range(3)]
    free = lifting(model, cones=cones).at(model, q, inputs=inputs)
    most = 0.7 * max(map(abs, free.inputs.values()))
    law = lifting(model, cones=cones, bounds=dict.fromkeys(free.inputs, (-most, most)))
    found = law.at(model, q, inputs=inputs)
    assert max(map(abs, found.inputs.values())) <= most * (1.0 + 1e-9)
    for i in range(3):
        normal, first, second = (found.forces[f"finger{i}[{j}]"] for j in range(3))
        assert math.hypot(first, second) <= 0.4 * normal * (1.0 + 1e-6)
    assert "at their bounds" in found.gives_way[0]
    assert "at the edge of their cones, and ball" in found.gives_way[0]


def test_a_hand_with_cones_alone_holds_what_it_lifts():
    """No force is asked for: that the ball is moved and cones are kept is enough to squeeze it."""
    model, q, inputs = hand()
    law = lifting(model, cones=[Cone(f"finger{i}", 0.4, least=1.0) for i in range(3)])
    run = lw.simulate(model, 0.7, q, inputs=inputs, controllers=[law])
    assert [span.names for span in run.modes] == [("finger0: stick", "finger1: stick", "finger2: stick")]
    lean, forces = [], run.reactions()
    for i in range(3):
        lam = forces[f"finger{i}"].lam
        lean.append((np.hypot(lam[:, 1], lam[:, 2]) / lam[:, 0]).max())
    assert 0.39 < max(lean) < 0.4 * (1.0 + 1e-6)
    assert run["ball_o"][-1] == pytest.approx([0.0, 0.01, 0.02], abs=1e-3)


def test_a_constraint_may_be_pressed_only():
    """The rod of the slider-crank stays on one side of its slot: λ ≥ 1 by the least torques, without a contact."""
    model, state = slider_crank(), on_branch(0.6, 0.4)
    law = Projected(tracks={"q1": 1.0}, gains=(25.0, 10.0))
    free = law.at(model, **state)
    least = free.forces["slot"] + 4.0
    found = Projected(tracks={"q1": 1.0}, gains=(25.0, 10.0), cones=[Cone("slot", 0.0, least=least, rows=["slot"])])
    kept = found.at(model, **state)
    assert kept.forces["slot"] == pytest.approx(least, rel=1e-9)
    assert kept.udot["u1"] == pytest.approx(free.udot["u1"], abs=1e-9)
    same = Projected(tracks={"q1": 1.0}, gains=(25.0, 10.0), forces=[Press("slot", least)]).at(model, **state)
    assert kept.inputs == pytest.approx(same.inputs, rel=1e-9)


@pytest.mark.parametrize(("cone", "words"), [
    (lambda: Cone("tabel", 0.5), r"'tabel', whose cone a law is to keep, .*'table'"),
    (lambda: Cone("table", -0.5), r"the friction of the cone in 'table' is -0.5"),
    (lambda: Cone("table", 0.5, least=-1.0), r"the least force of the cone in 'table' is -1.0"),
    (lambda: Cone("table", 0.5, rows=[]), r"has the rows .*Name the one that is normal"),
    (lambda: "table", r"the cones of law 'control' are .*lw.control.Cone"),
])  # fmt: skip
def test_cones_that_are_none_are_refused(cone, words):
    """Names, numbers, kinds."""
    with pytest.raises(lw.ModelError, match=words):
        Projected(tracks={"q1": 0.0}, gains=(1.0, 1.0), cones=[cone()]).at(arm(), {"q1": 0.8, "q2": -1.4})


def test_a_constraint_does_not_say_which_row_is_normal():
    """It is asked for."""
    law = Projected(tracks={"q1": 1.0}, gains=(1.0, 1.0), cones=[Cone("slot", 0.3)])
    with pytest.raises(lw.ModelError, match=r"which of them is normal is not known"):
        law.at(slider_crank(), **on_branch(0.5))
