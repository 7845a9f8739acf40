"""The body connection array, and what each body brings."""

from __future__ import annotations

import pytest

import latchwork as lw
import paper_models
from latchwork.mechanics.topology import body_connection, joints_between, own_coordinates


def branched() -> lw.Model:
    """A trunk with two arms of two bodies each, described out of order, and a free body."""
    model = lw.Model("branched")
    trunk = model.planar("trunk")
    left, right = (model.revolute(name, trunk, at=trunk.origin) for name in ("left", "right"))
    hand = model.universal("hand", left)
    tool = model.weld("tool", right)
    other = model.free("other")
    for link in (hand, trunk, left, right, tool, other):
        model.body(link.name, link.frame, link.origin, 1.0, lw.inertia(link.frame, 1.0, 1.0, 1.0))
    return model


def absolute_angles() -> lw.Model:
    """A double pendulum whose frames are both turned from N."""
    model = lw.Model("absolute angles")
    q1, q2 = model.coordinates("q1", "q2")
    N, O = model.frame, model.origin
    A, B = N.rotated("A", q1, N.z), N.rotated("B", q2, N.z)
    joint = O.at("joint", 2.0 * A.x)
    model.body("first", A, O.at("Ao", A.x), 1.0, lw.inertia(A, zz=1.0))
    model.body("second", B, joint.at("Bo", B.x), 1.0, lw.inertia(B, zz=1.0))
    return model


def mutual() -> lw.Model:
    """Each mass centre is located through the other body."""
    model = lw.Model("mutual")
    q1, q2 = model.coordinates("q1", "q2")
    N, O = model.frame, model.origin
    A, B = N.rotated("A", q1, N.z), N.rotated("B", q2, N.z)
    Bo = O.at("Bo", A.x)
    model.body("first", A, Bo.at("Ao", A.y), 1.0)
    model.body("second", B, Bo, 1.0)
    return model


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (paper_models.disk_on_a_ramp, (0,)),
        (paper_models.two_revolutes, (0, 1)),
        (paper_models.revolute_and_prismatic, (0, 1, 1)),
        (branched, (3, 0, 2, 2, 4, 0)),
        (absolute_angles, (0, 1)),
        (mutual, (2, 0)),
    ],
)
def test_body_connection(model, expected):
    """L(k) is the nearest body inboard of body k, whatever the order in which bodies are numbered."""
    assert body_connection(model().system()) == expected


def test_several_bodies_in_one_frame_form_a_chain():
    """Bodies fixed in the same frame hang on one another in the order they were given."""
    model = lw.Model("stack")
    A = model.frame.rotated("A", model.coordinate("q1"), model.frame.z)
    for name in "abc":
        model.body(name, A, model.origin, 1.0)
    assert body_connection(model.system()) == (0, 1, 2)


def test_particles_hang_on_the_body_they_are_fixed_in():
    """A particle located in a body's frame hangs on that body."""
    model = absolute_angles()
    tip = model.points["joint"].at("tip", 2.0 * model.frames["B"].x)
    model.particle("load", tip, 1.0)
    assert body_connection(model.system()) == (0, 1, 2)


def test_each_coordinate_belongs_to_the_body_it_moves_first():
    """A body's coordinates are those that do not move the body it hangs on."""
    system = branched().system()
    assert [[q.name for q in own] for own in own_coordinates(system)] == [
        ["q_hand_rx", "q_hand_ry"],
        ["q_trunk_px", "q_trunk_py", "q_trunk_rz"],
        ["q_left"],
        ["q_right"],
        [],
        [q.name for q in system.links[-1].q],
    ]


def test_joints_between_bodies():
    """Every body of a tree of joints is carried by one; frames alone give none."""
    found = [[link.joint.name for link in links] for links in joints_between(branched().system())]
    assert found == [["universal"], ["planar"], ["revolute"], ["revolute"], ["weld"], ["free"]]
    assert joints_between(paper_models.two_revolutes().system()) == ((), ())
