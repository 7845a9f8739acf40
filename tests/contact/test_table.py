"""The whole table: every two shapes that meet, each on a body that moves."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from contact_scenes import Sampler, Scene, World
from latchwork.contact.narrow_phase.pairs import pairs

FIVE = np.array([[1.1, 0], [-1, 0.2], [0.1, 1], [0.2, -0.9], [-0.6, -0.7]])


def boundary(w, i):
    F, p, q = w.frame(i), w.at(i, -1.0), w.at(i, 1.0)
    return lw.Boundary([lw.Segment(p, q, F.y), lw.Arc(w.at(i, 1.0, 2.0), 2.0, -F.y, 1.0, inside=True)])


MAKE = {
    "Point": lambda w, i: w.at(i, 0.3, 0.2),
    "Circle": lambda w, i: w.bodies[i].circle(0.2 + 0.1 * i, w.at(i, 0.3, 0.2)),
    "Sphere": lambda w, i: w.bodies[i].sphere(0.3 + 0.1 * i),
    "Capsule": lambda w, i: w.bodies[i].capsule(w.at(i, -0.4, 0.1), w.at(i, 0.8), 0.2),
    "Cylinder": lambda w, i: w.bodies[i].cylinder(w.at(i, -0.4, 0.1), w.at(i, 0.8), 0.2),
    "Cone": lambda w, i: w.bodies[i].cone(w.at(i, -0.4, 0.1), w.at(i, 0.8), 0.3),
    "Rim": lambda w, i: w.bodies[i].rim(w.frame(i).x + w.frame(i).z, 0.5, tube=0.1),
    "Line": lambda w, i: lw.Line(w.at(i, 0.2, 0.4), w.frame(i).x, w.frame(i).y, belt=0.5),
    "Plane": lambda w, i: lw.Plane(w.at(i, 0.2, 0.4), w.frame(i).y),
    "Segment": lambda w, i: lw.Segment(w.at(i, -1.0, 0.2), w.at(i, 1.0, 0.2), w.frame(i).y),
    "Polyline": lambda w, i: lw.Polyline([w.at(i, *x) for x in ((-1.0, 0.0), (0.0, 0.0), (0.5, 1.0), (2.0, 1.0))]),
    "Arc": lambda w, i: lw.Arc(w.at(i, 0.1), 0.9 + 0.5 * i, w.frame(i).x, 2.0, belt=1.0),
    "Boundary": boundary,
    "Box": lambda w, i: w.bodies[i].box((0.8, 0.5)),
    "Hull": lambda w, i: w.bodies[i].hull(FIVE),
}  # fmt: skip


TRACKED = {"Curve", "Surface"}
CLOSED = [pair for pair in pairs() if pair not in {("Point", "Point"), ("Rim", "Rim")} and not TRACKED & {*pair}]


def test_every_shape_is_made():
    """The table below has every shape of the table of pairs, but for those whose closest points are tracked."""
    assert MAKE.keys() | TRACKED == {name for pair in pairs() for name in pair}


@pytest.mark.parametrize(("a", "b"), CLOSED)
def test_rates_normals_and_order(a, b):
    """ġ = n · (v_on − v_other), |n| = 1; the material points are apart by the gap along n, or one place; b against a
    has the same gaps, and its normals turned around."""
    w = World()
    made = Scene(w, MAKE[a](w, 0), MAKE[b](w, 1))
    sampler, turned, rng = Sampler(made), Sampler(made, swap=True), np.random.default_rng(1)
    for _ in range(5):
        state = sampler.state(rng)
        found, back = sampler.numbers(*state)[0], turned.numbers(*state)[0]
        assert len(found) == len(back)
        for f in found:
            assert f.approach == pytest.approx(f.rate, abs=1e-9)
            assert np.linalg.norm(f.normal) == pytest.approx(1.0, abs=1e-9)
            along = f.apart @ f.normal
            assert f.apart == pytest.approx(along * f.normal, abs=1e-9)
            assert min(abs(along - f.gap), abs(along)) == pytest.approx(0.0, abs=1e-9)
        gaps, normals = (np.array([getattr(f, what) for f in found]) for what in ("gap", "normal"))
        for g in back:
            same = np.abs(gaps - g.gap) < 1e-12
            assert same.any()
            assert np.abs(normals[same] + g.normal).max(axis=1).min() < 1e-9
