"""Orientation and direction without angles: their errors obey φ̈ + G_D φ̇ + G_P sin φ = 0, from any attitude."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import latchwork as lw

GAINS = (30.0, 7.0)


def satellite() -> lw.Model:
    """A free body with three torques in its own axes and unequal moments of inertia."""
    model = lw.Model("satellite")
    body = model.free("body")
    model.body("body", body, body.origin, 2.0, lw.inertia(body.frame, 0.3, 0.5, 0.7))
    T = model.inputs(Tx=0.0, Ty=0.0, Tz=0.0)
    frame = body.frame
    model.torque(frame, T[0] * frame.x + T[1] * frame.y + T[2] * frame.z)
    return model


def turned(axis: np.ndarray, angle: float) -> dict[str, float]:
    e = np.append(math.cos(angle / 2), math.sin(angle / 2) * axis / np.linalg.norm(axis))
    return dict(zip(("q_body_e0", "q_body_e1", "q_body_e2", "q_body_e3"), e.tolist(), strict=True))


def pendulum(t: np.ndarray, angle: float) -> np.ndarray:
    """φ̈ + G_D φ̇ + G_P sin φ = 0 from rest, by SciPy."""
    return solve_ivp(lambda _, y: [y[1], -GAINS[1] * y[1] - GAINS[0] * math.sin(y[0])], (0.0, float(t[-1])),
                     [angle, 0.0], t_eval=t, rtol=1e-12, atol=1e-13, method="DOP853").y[0]  # fmt: skip


@pytest.mark.parametrize("angle", [0.4, 1.9, 3.0])
@pytest.mark.parametrize("seed", range(2))
def test_an_orientation_is_turned_back_about_one_axis(angle, seed):
    """About any axis, from nearly half a turn too: where angles of a sequence would be singular."""
    model, axis = satellite(), np.random.default_rng(seed).normal(size=3)
    law = lw.control.Projected(tracks={model.frames["body"]: model.frame}, gains=GAINS)
    run = lw.simulate(model, 1.5, turned(axis, angle), controllers=[law],
                      method=lw.DormandPrince(rtol=1e-11, atol=1e-13))  # fmt: skip
    along = sum(run[f"q_body_e{i + 1}"] * axis[i] for i in range(3)) / np.linalg.norm(axis)
    assert 2.0 * np.arctan2(along, run["q_body_e0"]) == pytest.approx(pendulum(run.t, angle), abs=1e-8)


@pytest.mark.parametrize("measures", [(1.0, 0.0, 0.0), (0.6, 0.0, 0.8), (1.0, -2.0, 2.0)])
def test_a_direction_is_turned_onto_another(measures):
    """The angle between b and d obeys the same equation; it may spin about b, and inertia makes it do so."""
    model = satellite()
    body, N = model.frames["body"], model.frame
    goal = 0.5 * N.x - 0.3 * N.y + 0.7 * N.z
    law = lw.control.Projected(tracks={body.vector(*measures): goal}, gains=GAINS)
    run = lw.simulate(model, 1.5, turned(np.array([0.3, -1.0, 0.4]), 2.2), controllers=[law],
                      method=lw.DormandPrince(rtol=1e-11, atol=1e-13))  # fmt: skip
    cosine = run[body.vector(*measures).dot(goal)] / math.hypot(*measures) / math.sqrt(0.83)
    assert cosine == pytest.approx(np.cos(pendulum(run.t, math.acos(cosine[0]))), abs=1e-8)


def test_a_direction_follows_one_that_turns():
    """d = cos t N.x + sin t N.y: no error is left behind, for its own rate is fed forward."""
    model = satellite()
    body, N, t = model.frames["body"], model.frame, model.time
    goal = lw.cos(t) * N.x + lw.sin(t) * N.y
    law = lw.control.Projected(tracks={body.x: goal}, gains=(400.0, 40.0))
    run = lw.simulate(model, 2.0, controllers=[law], method=lw.DormandPrince(rtol=1e-10, atol=1e-12))
    off = run[body.x.cross(goal).dot(N.z)]
    assert abs(off[run.t > 1.0]).max() < 1e-6


def test_in_the_plane_one_row_is_left():
    """The last link of an arm points up, wherever its end goes."""
    model = lw.Model("arm")
    links = [model.revolute("upper", q=["q1"], u=["u1"])]
    for i, name in ((2, "fore"), (3, "hand")):
        at = links[-1].origin.at(f"end{i}", 0.4 * links[-1].frame.x)
        links.append(model.revolute(name, links[-1], at=at, q=[f"q{i}"], u=[f"u{i}"]))
    for i, link in enumerate(links):
        model.body(link.name, link, link.origin.at(f"c{i}", 0.2 * link.frame.x), 1.0, lw.inertia(link.frame, zz=0.02))
        model.actuate(link, model.input(f"T{i + 1}"))
    law = lw.control.Projected(tracks={"q1": 0.2, "q2": 0.4, links[2].frame.x: model.frame.y}, gains=(100.0, 20.0))
    run = lw.simulate(model, 1.5, controllers=[law])
    assert run.q[-1] == pytest.approx([0.2, 0.4, math.pi / 2 - 0.6], abs=1e-4)


@pytest.mark.parametrize(("what", "reference", "words"), [
    (lambda body, N: body.x, 1.0, r"the reference of the direction .* is 1.0. Give a vector"),
    (lambda body, N: body.x + N.y, "N", r"does not stand still in one frame"),
])  # fmt: skip
def test_directions_that_are_none_are_refused(what, reference, words):
    """A number for a direction, and a direction that belongs to two bodies."""
    model = satellite()
    body, N = model.frames["body"], model.frame
    aim = N.x if reference == "N" else reference
    with pytest.raises(lw.ModelError, match=words):
        lw.simulate(model, 0.1, controllers=[lw.control.Projected(tracks={what(body, N): aim}, gains=GAINS)])
