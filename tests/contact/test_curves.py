"""Curves and surfaces that are refused, with the place and the reason; and chains of curves."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork import cos, log, sin, sqrt
from latchwork.contact.closest_point.newton import finder
from latchwork.contact.closest_point.samples import joined
from latchwork.contact.closest_point.states import tracked_equations
from latchwork.contact.curves import Curve, Surface
from latchwork.contact.narrow_phase.pairs import features_of
from tracked_models import Ball, disk, sine_ground, tracked_features

WRONG = {
    "nan": (lambda O, N, q: Curve(O, lambda s: s * N.x + sqrt(1.0 - s) * N.y, (0.0, 2.1)),
            r"curve of 'ground' has no place at s = 1.00078: it is \[1.00.*, nan, 0.0\]. Change its expression"),
    "steep": (lambda O, N, q: Curve(O, lambda s: s * N.x + sqrt(s) * N.y, (0.0, 1.0)),
              r"'ground' has no tangent at s = 0: it is \[1.0, inf.*Change its expression, or its range"),
    "pole": (lambda O, N, q: Surface(O, lambda a, b: a * N.x + b * N.y + log(a) * N.z, ((0.0, 1.0), (0.0, 1.0))),
             "surface of 'ground' has no place at a = 0, b = 0"),
    "cusp": (lambda O, N, q: Curve(O, lambda s: (s - sin(s)) * N.x + (1 - cos(s)) * N.y, (-1.0, np.sqrt(2.0))),
             r"has a cusp or stands still at s = .*e-\d\d, where its tangents are .* Leave that place out"),
    "sphere": (lambda O, N, q: Surface(O, lambda a, b: sin(a) * cos(b) * N.x + sin(a) * sin(b) * N.y + cos(a) * N.z,
                                       ((0.0, np.pi), (0.0, 6.0))), "has a pole or a crease at a = 0, b = 0"),
    "open": (lambda O, N, q: Curve(O, lambda s: cos(s) * N.x + sin(s) * N.y, (0.0, 6.0), closed=True),
             "does not close along s: its places at both ends of the range differ by 0.279"),
    "turns": (lambda O, N, q: Curve(O, lambda s: s * N.x + q * s * N.y, (0.0, 6.0)),
              "the curve of 'ground' changes in 'N' with x. A curve is fixed in its body"),
    "lifted": (lambda O, N, q: Curve(O, lambda s: s * N.x + s**2 * N.z, (0.1, 6.0)), "leaves its plane at s = 6"),
    "two frames": (lambda O, N, q: Curve(O, lambda s: s * N.x + s**2 * N.rotated("T", 0.3, N.z).y, (0.1, 6.0)),
                   r"unit vectors of several frames \('N', 'T'\). Say with body"),
    "number": (lambda O, N, q: Curve(O, lambda s: 2 * s, (0.1, 6.0)), "is 2.ground.s.* from 'O'. Give a function"),
    "range": (lambda O, N, q: Curve(O, lambda s: s * N.x, (2.0, 1.0)), "s of the curve of 'ground' goes from 2.0 to 1"),
    "side": (lambda O, N, q: Curve(O, lambda s: s * N.x, (0.0, 1.0), side=0), "is 0. Give 1 or -1"),
    "ends": (lambda O, N, q: Curve(O, lambda s: cos(s) * N.x + sin(s) * N.y, (0.0, 1.0), closed=True, ends=True),
             "'ground' is closed, and its ends are to be touched"),
}  # fmt: skip


@pytest.mark.parametrize(("make", "message"), WRONG.values(), ids=WRONG)
def test_shapes_that_are_refused(make, message):
    """A shape without a place, a tangent or a body is refused with the parameter where it fails."""
    model, ball = disk()
    shape = make(model.origin, model.frame, model.symbols["x"])
    with pytest.raises(lw.ModelError, match=message):
        tracked_features("ground", ball, shape)


def test_pairs_that_are_refused():
    """What is no shape; a curve, which is a wall, on a solid in space; a surface on what belongs to a plane."""
    model, ball = disk()
    N, O = model.frame, model.origin
    plate = Surface(O, lambda a, b: a * N.x + b * N.y, ((0.0, 1.0), (0.0, 1.0)))
    with pytest.raises(lw.ModelError, match="'pair' is given 3, which is no shape"):
        features_of("pair", 3, sine_ground(model))
    for solid in (lw.Box(O, (1.0, 1.0, 1.0)), lw.Rim(O, N.x, 1.0), lw.Capsule(O, O.at("Q", N.z), 0.1)):
        with pytest.raises(lw.ModelError, match=r"a curve and lw.*does not stand in its plane.*give a lw.Surface"):
            features_of("pair", sine_ground(model), solid)
    for flat in (lw.Arc(ball.center, 1.0, body=ball.frame), lw.Box(ball.center, (1.0, 1.0), ball.frame)):
        with pytest.raises(lw.ModelError, match=r"a surface and lw.*belongs to a plane.*lw.Rim"):
            features_of("pair", flat, plate)


def test_two_contacts_of_one_name():
    """Parameters of one name twice are refused; a feature that is not tracked changes nothing and has no finder."""
    model, ball = disk()
    features = [tracked_features("ground", ball, sine_ground(model))[0] for _ in range(2)]
    equations = model.equations()
    with pytest.raises(lw.ModelError, match=r"'disk' has ground\.s twice\. Name each contact otherwise"):
        tracked_equations(equations, features)
    _, end, _ = features_of("table", ball, Curve(model.origin, lambda s: s * model.frame.x, (0.0, 2.0)))
    assert tracked_equations(equations, [end]) is equations
    with pytest.raises(lw.ModelError, match="'table: low end' has a closed form"):
        finder(end, equations.arguments)


def test_curve_fixed_in_a_body():
    """A curve is fixed in the frame it is written in, or in that of its body; its normal points to its left."""
    model, ball = disk()
    B, N = ball.frame, model.frame
    P = model.origin.at("P", N.x)
    for body in (None, B, model.bodies["disk"]):
        feature, = tracked_features("rim", P, Curve(ball.center, lambda s: s * B.x, (-1.0, 1.0), body=body))
        equations = tracked_equations(model.equations(), [feature])
        q = {"x": 1.0, "y": -0.5, "angle": 0.0, "rim.s": 0.0}
        assert equations.evaluate(feature.normal, q, [0.0] * 3) == pytest.approx([0.0, 1.0, 0.0])
        assert equations.evaluate(feature.slip.dot(feature.normal), q, [0.0, 1.0, 0.0]) == pytest.approx(-1.0)


def arc(model: lw.Model, end: float, **options: object) -> Curve:
    """A quarter of a circle that goes on from a straight of length 1."""
    N = model.frame
    return Curve(model.origin, lambda s: (1 + sin(s)) * N.x + (1 - cos(s)) * N.y, (0.0, end), **options)


def test_joined_curves():
    """Curves that go on from each other are a chain; a gap, a corner or another side is refused with the values."""
    model, _ = disk()
    N = model.frame
    straight = Curve(model.origin, lambda s: s * N.x, (0.0, 1.0))
    chain = joined(straight, arc(model, 1.0))
    assert chain[0] is straight
    short = Curve(model.origin, lambda s: s * N.x, (0.0, 0.9))
    with pytest.raises(lw.ModelError, match=r"curves 0 and 1 do not join: one ends at \[0.9, 0.0, 0.0\]"):
        joined(short, arc(model, 1.0))
    with pytest.raises(lw.ModelError, match=r"with side -1\. Let them meet"):
        joined(straight, arc(model, 1.0, side=-1))
    up = Curve(model.origin, lambda s: N.x + s * N.y, (0.0, 1.0))
    with pytest.raises(lw.ModelError, match=r"curves 0 and 1 meet at a corner: .* or say corners=\(0,\)"):
        joined(straight, up)
    assert len(joined(straight, up, corners=(0,))) == 2
    moving = Curve(model.points["C"], lambda s: N.x + s * N.y, (0.0, 1.0))
    with pytest.raises(lw.ModelError, match="where curves 0 and 1 join depends on x, y"):
        joined(straight, moving)


def test_chain_hands_over():
    """Where one piece of a chain ends the next begins: gap, normal and within agree on both sides of the joint."""
    model, ball = disk()
    straight = Curve(model.origin, lambda s: s * model.frame.x, (0.0, 1.0))
    one, two = (tracked_features(name, ball, piece)[0]
                for name, piece in zip("ab", joined(straight, arc(model, 1.0)), strict=True))  # fmt: skip
    equations = tracked_equations(model.equations(), [one, two])
    q = {"x": 1.0, "y": 0.3, "angle": 0.0, "a.s": 1.0, "b.s": 0.0}
    values = [equations.evaluate([f.gap, *f.normal.measures(model.frame)], q, [0.0] * 3) for f in (one, two)]
    assert values[0] == pytest.approx(values[1], abs=1e-15)
    assert equations.evaluate([one.within[1], two.within[0]], q, [0.0] * 3) == pytest.approx([0.0, 0.0])


def test_radius_may_be_a_parameter():
    """A ball whose radius is a parameter: the gap has it taken off, the material point lies on it."""
    model, ball = disk()
    R = model.parameter("R", 0.2)
    feature, = tracked_features("ground", Ball(ball.center, R, ball.frame), sine_ground(model))
    assert R in feature.gap.free_symbols
    equations = tracked_equations(model.equations(), [feature])
    q = {"x": np.pi / 6, "y": 1.0, "angle": 0.0, "ground.s": np.pi / 6}
    assert equations.evaluate(feature.gap, q, [0.0] * 3) == pytest.approx(0.7)
    assert equations.evaluate(feature.slip, q, [0.0, 0.0, 2.0]) == pytest.approx([0.4, 0.0, 0.0])
