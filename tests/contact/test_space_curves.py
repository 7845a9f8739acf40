"""Rims, borders of surfaces and straight edges: their tracked features agree with the material points that touch."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork.constraint.joints.spot import velocity
from latchwork.constraint.rows import rows_of
from latchwork.contact.closest_point.newton import finder
from latchwork.contact.closest_point.search import seed
from latchwork.contact.closest_point.states import tracked_equations
from shape_collisions_in_space import meeting

STATE = [0.4, 1.2, 0.7, *np.array([0.9, 0.1, -0.3, 0.2]) / np.linalg.norm([0.9, 0.1, -0.3, 0.2]),
         -0.1, 0.2, 0.1, *np.array([0.8, -0.2, 0.1, 0.4]) / np.linalg.norm([0.8, -0.2, 0.1, 0.4])]  # fmt: skip


def seeded(pair, most=12):
    """Equations of a pair, and some of its tracked features with a state at which they are where they belong."""
    model = meeting(*pair).model
    equations = model.equations()
    x = [0.0, *STATE, *np.zeros(len(equations.u_names))]
    for feature in [feature for feature in model.contacts[0].features if feature.tracked is not None][:most]:
        for s in seed(finder(feature, equations.arguments), x)[:1]:
            names = [*equations.q_names, *(symbol.name for symbol in feature.tracked.symbols)]
            yield equations, feature, dict(zip(names, [*STATE, *s], strict=True))


@pytest.mark.parametrize("pair", [("tyre", "capsule"), ("rim", "box"), ("tyre", "tyre"), ("sphere", "surface"),
                                  ("capsule", "surface"), ("tyre", "surface")])  # fmt: skip
def test_rate_of_the_gap_is_the_normal_velocity(pair):
    """On r = 0 the row of the gap is n · (v_a − v_b) of the material points, and |n| = 1."""
    found = 0
    for equations, feature, q in seeded(pair):
        followed = tracked_equations(equations, [feature])
        relative = feature.normal.dot(velocity(feature.on) - velocity(feature.other))
        rows = rows_of(followed, [lw.Constraint("gap", feature.gap), lw.Constraint("way", relative)])
        still = dict.fromkeys(followed.u_names, 0.0)
        B = followed.evaluate(rows.B, q, still)
        assert B[0] == pytest.approx(B[1], abs=1e-9)
        assert np.linalg.norm(followed.evaluate(feature.normal, q, still)) == pytest.approx(1.0, abs=1e-12)
        found += 1
    assert found


def test_a_ball_lies_on_the_axis_of_a_ring():
    """A ball of radius r on a ring of radius R rests with its centre √(r² − R²) above it, held all round."""
    model = lw.Model("ring")
    N, O = model.frame, model.origin
    link = model.free("b")
    ball = model.body("b", link, link.origin, 1.0, lw.inertia(link.frame, 0.1, 0.1, 0.1)).sphere(0.5)
    model.gravity(-9.81 * N.z)
    model.contact("ring", ball, lw.Rim(O, N.z, 0.3, body=N))
    run = lw.simulate(model, until=1.0, q=[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    assert run["q_b_pz"][-1] == pytest.approx(0.4, abs=1e-9)
    assert run.events[0].t == pytest.approx(np.sqrt(2.0 * 0.6 / 9.81), abs=1e-9)
    assert run.modes[-1].names == tuple(f"ring: flat {k}: slide" for k in (1, 2, 3))


@pytest.mark.parametrize("angle", [1.0, 2.0, np.pi])
def test_a_disk_lies_in_an_arc_of_its_own_radius(angle):
    """Dropped into it, it comes to rest where it fits; a ring of its radius is a pin, and refused."""
    model = lw.Model("cup")
    N, O, link = model.frame, model.origin, model.planar("A")
    disk = model.body("A", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.5)).circle(1.0)
    model.gravity(-9.81 * N.y)
    start = -np.sin(0.5 * angle) * N.x - np.cos(0.5 * angle) * N.y
    model.contact("cup", disk, lw.Arc(O, 1.0, start=start, angle=angle, inside=True), friction=0.5)
    run = lw.simulate(model, until=1.0, q=[0.0, 2.0, 0.0])
    assert run.events[0].t == pytest.approx(np.sqrt(4.0 / 9.81), abs=1e-9)
    assert run.x[-1][:6] == pytest.approx(np.zeros(6), abs=1e-9)
    with pytest.raises(lw.ModelError, match=r"lw.Circle and lw.Arc of the same radius, 1, .*That is a pin"):
        model.contact("ring", disk, lw.Arc(O, 1.0, inside=True))


def test_a_point_passes_a_ring():
    """A rim is a circle, and nothing is inside it: a ball that is smaller falls through, one beside it does not."""
    model = lw.Model("hoop")
    N, O = model.frame, model.origin
    link = model.free("b")
    ball = model.body("b", link, link.origin, 1.0, lw.inertia(link.frame, 0.1, 0.1, 0.1)).sphere(0.1)
    model.gravity(-9.81 * N.z)
    model.contact("hoop", ball, lw.Rim(O, N.z, 0.3, body=N, tube=0.05), restitution=1.0)
    through = lw.simulate(model, until=0.6, q=[0.05, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    assert not through.events
    struck = lw.simulate(model, until=0.6, q=[0.3, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    assert struck.events[0].t == pytest.approx(np.sqrt(2.0 * 0.85 / 9.81), abs=1e-9)
    assert struck["q_b_pz"].min() == pytest.approx(0.15, abs=1e-9)
