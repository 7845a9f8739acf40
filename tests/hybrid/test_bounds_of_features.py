"""What moves along the very bound of two features meets them: none is passed through between two domains."""

from __future__ import annotations

import pytest

import latchwork as lw


def disk_over(shape) -> lw.Trajectory:
    """A disk of 0.1 m let fall from 0.5 m above the origin."""
    model = lw.Model("falls")
    link, N, O = model.planar("d"), model.frame, model.origin
    body = model.body("d", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    model.gravity(-9.81 * N.y)
    ground = shape(N, lambda x, y, name: O.at(name, x * N.x + y * N.y))
    model.contact("ground", body.circle(0.1), ground, restitution=0.3)
    return lw.simulate(model, until=1.0, q=[0.0, 0.6, 0.0])


SHAPES = {
    "joint of two edges": lambda N, at: lw.Polyline([at(-2.0, 0.0, "a"), at(0.0, 0.0, "b"), at(2.0, 0.0, "c")]),
    "edge of a table": lambda N, at: lw.Polyline([at(-2.0, 0.0, "a"), at(0.0, 0.0, "b"), at(0.0, -1.0, "c")]),
    "end of a segment": lambda N, at: lw.Segment(at(-2.0, 0.0, "a"), at(0.0, 0.0, "b"), N.y),
    "end of a thin wall": lambda N, at: lw.Segment(at(-2.0, 0.0, "a"), at(0.0, 0.0, "b")),
    "smooth joint": lambda N, at: lw.Boundary([lw.Segment(at(-2.0, 0.0, "a"), at(0.0, 0.0, "b"), N.y),
                                               lw.Arc(at(0.0, 1.0, "C"), 1.0, -N.y, 1.0, inside=True)]),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_a_disk_lands_on_the_bound(name):
    """It bounces, comes to rest at y = 0.1, and nothing has sunk in."""
    run = disk_over(SHAPES[name])
    assert run["q_d_py"][-1] == pytest.approx(0.1, abs=1e-9)
    assert run.audit.least_gap > -1e-9
    assert run.modes[-1].names


def test_a_point_falls_into_a_corner():
    """Into the very vertex of a V, where both edges end."""
    model = lw.Model("V")
    link, N, O = model.planar("p"), model.frame, model.origin
    model.body("p", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.01))
    model.gravity(-9.81 * N.y)
    ground = lw.Polyline([O.at(f"V{i}", x * N.x + abs(x) * N.y) for i, x in enumerate((-1.0, 0.0, 1.0))])
    model.contact("V", link.origin, ground)
    assert lw.simulate(model, until=1.0, q=[0.0, 0.5, 0.0])["q_p_py"][-1] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("place", [(0.5, 0.0), (0.5, 0.5)])
def test_a_ball_lands_on_the_edge_of_a_box(place):
    """Right above an edge, and above a corner, of a box that does not move."""
    model = lw.Model("ball")
    N, O = model.frame, model.origin
    link = model.free("b")
    ball = model.body("b", link, link.origin, 1.0, lw.inertia(link.frame, 0.01, 0.01, 0.01))
    model.gravity(-9.81 * N.z)
    model.contact("box", ball.sphere(0.1), lw.Box(O, (1.0, 1.0, 1.0), N), restitution=0.3)
    run = lw.simulate(model, until=1.0, q={"q_b_px": place[0], "q_b_py": place[1], "q_b_pz": 1.0})
    assert run["q_b_pz"][-1] == pytest.approx(0.6, abs=1e-9)


def test_a_step_as_high_as_the_disk():
    """A disk rolls against a step as high as its radius: it meets the corner and the wall at once, at x = −r."""
    model = lw.Model("step")
    link, N, O = model.planar("d"), model.frame, model.origin
    body = model.body("d", link, link.origin, 1.0, lw.inertia(link.frame, zz=0.045))
    model.gravity(-9.81 * N.y)
    corners = [(-3.0, 0.0), (0.0, 0.0), (0.0, 0.3), (3.0, 0.3)]
    ground = lw.Polyline([O.at(f"S{i}", x * N.x + y * N.y) for i, (x, y) in enumerate(corners)])
    model.contact("g", body.circle(0.3), ground)
    run = lw.simulate(model, until=1.0, q=[-1.0, 0.3, 0.0], u=[3.0, 0.0, 0.0])
    assert run.events[0].t == pytest.approx(0.7 / 3.0, abs=1e-9)
    assert run["q_d_px"].max() < -0.3 + 1e-9
