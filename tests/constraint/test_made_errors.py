"""Makers refuse what has no meaning, and say what to do."""

from __future__ import annotations

import pytest

import latchwork as lw
from constraint.made import two_bodies
from latchwork import ConstraintError, ModelError, sin


def planar(model: lw.Model) -> lw.Point:
    x = model.coordinate("x")
    return model.origin.at("R", x * model.frame.x + 2.0 * model.frame.z)


REFUSED = {
    "no such joint": (lambda m, a, b: m.close("hinge", "k", a, b), "'k' cannot be closed by a joint of type 'hinge'"),
    "free": (lambda m, a, b: m.close("free", "k", a, b), "'k' cannot be closed by a joint of type 'free'"),
    "needless axis": (lambda m, a, b: m.close("ball", "k", a, b, axis=a.frame.x), "a ball joint, which has no axis"),
    "one axis of two": (lambda m, a, b: m.close("universal", "k", a, b, axis=a.frame.x), "which has two axes; got a.x"),
    "three axes": (lambda m, a, b: m.close("revolute", "k", a, b, axis=[a.frame.x] * 3), "'k' has 3 axes"),
    "moving axis": (lambda m, a, b: m.close("revolute", "k", a, b, axis=b.frame.x), "moves with .* as seen from 'a'"),
    "no vector": (lambda m, a, b: m.slot("k", m.points["P"], 3.0), "the axis of 'k' is 3.0"),
    "zero axis": (lambda m, a, b: m.slot("k", m.points["P"], 0 * m.frame.x), "is the zero vector"),
    "point elsewhere": (lambda m, a, b: m.close("ball", "k", a, b, at=m.points["Q"]), "the way from 'a_o' to 'Q' of"),
    "no point": (lambda m, a, b: m.close("ball", "k", a.frame, b), "'k' meets the frame 'a' at no point"),
    "not a body": (lambda m, a, b: m.close("ball", "k", "a", b), "a frame, link or rigid body of 'two bodies'"),
    "held already": (
        lambda m, a, b: m.close("ball", "k", a, a, at=a.origin, to=a.origin), "'k' holds already: none of its 3 rows"),
    "out of reach": (
        lambda m, a, b: m.slot("k", planar(m), m.frame.x), r"row 1 of 'k' along .* asks that 2 = 0, and no coordinate"),
    "length": (lambda m, a, b: m.distance("k", a, b, 0), "the length of 'k' is 0. Give a positive one"),
    "length by q": (lambda m, a, b: m.distance("k", a, b, a.q[0]), "the length of 'k' contains q_a_px"),
    "text": (lambda m, a, b: m.distance("k", a, b, "long"), "the length of 'k' is 'long'"),
    "gear of a ball": (
        lambda m, a, b: m.gear("k", a, m.links["crank"], 2), "one coordinate and one axis; got 'a', which is free"),
    "gear with itself": (
        lambda m, a, b: m.gear("k", m.links["crank"], m.links["crank"], 2), "Write it in 'q_crank', of another joint"),
    "gear of nothing": (lambda m, a, b: m.gear("k", m.links["crank"], m.links["slider"], 0), "by the law 0"),
    "rack that turns": (
        lambda m, a, b: m.rack("k", m.links["crank"], m.links["crank"], 1), "slides along one axis; got 'crank'"),
    "nut that slides": (
        lambda m, a, b: m.screw("k", m.links["slider"], m.links["slider"], 1), "turns about one axis; got 'slider'"),
    "cam by another": (
        lambda m, a, b: m.cam("k", m.links["slider"], m.links["crank"], a.q[0] * 2), "which contains q_a_px"),
    "no law": (lambda m, a, b: m.prescribe("k", a.q[0], sin(b.q[0])), r"law sin\(q_b_px\), which contains q_b_px"),
    "nothing to prescribe": (lambda m, a, b: m.prescribe("k", 3.0, 1.0), "'k' prescribes 3.0"),
    "no parameter": (
        lambda m, a, b: m.curve("k", m.points["P"], m.time, m.frame.x), "Give a coordinate of its own"),
    "no path": (
        lambda m, a, b: m.curve("k", m.points["P"], m.coordinate("s"), m.frame.x), "does not depend on 's'"),
    "no function": (
        lambda m, a, b: m.implicit("k", m.points["P"], lambda x, y, z: 1.0), "depends on no place. Use x, y or z"),
    "function of q": (
        lambda m, a, b: m.implicit("k", m.points["P"], lambda x, y, z: x * a.q[0]), "function of 'k' contains q_a_px"),
    "no contact": (lambda m, a, b: m.roll("k", a, 0.3, along=m.frame.x), "the contact of 'k' is 0.3"),
    "no direction": (lambda m, a, b: m.roll("k", a, m.frame.z, along=[1.0]), "'k' rolls along 1.0"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case):
    """What is wrong with which constraint, the values seen, what to do."""
    model = two_bodies()
    make, message = REFUSED[case]
    with pytest.raises(ModelError, match=message):
        make(model, model.links["a"], model.links["b"])
    assert model.constraints == ()


def test_names_are_given_once():
    """A second constraint of a name is refused."""
    model = two_bodies()
    model.distance("rod", model.links["a"], model.links["b"], 1.0)
    with pytest.raises(ModelError, match="has a constraint named 'rod' already"):
        model.distance("rod", model.links["a"], model.links["b"], 1.0)


def test_made_by_itself():
    """Makers work without adding to a model: for what is embedded by itself."""
    model = two_bodies()
    rod = lw.makers.distance("rod", model.points["P"], model.points["Q"], 1.0)
    assert isinstance(rod.pulls[0], lw.Pull)
    assert model.constraints == ()
    with pytest.raises(ConstraintError, match="Give a positive one"):
        lw.makers.distance("rod", model.points["P"], model.points["Q"], -1.0)


def test_a_vector_in_a_plane_has_two_rows():
    """Measures of a vector that are zero anyway make no rows."""
    model = lw.Model("plane")
    x, y = model.coordinates("x", "y")
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("p", P, 1.0)
    model.constraint("pin", P.position())
    assert model.constrained().independent == ()
    with pytest.raises(ConstraintError, match="constraint 'none' has 0 expressions"):
        model.constraint("none", 0 * P.position())
