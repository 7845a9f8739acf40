"""What shapes refuse, how they learn their frames, and what features are called."""

from __future__ import annotations

import math
import struct

import numpy as np
import pytest

import latchwork as lw
from contact_scenes import World
from latchwork.contact.narrow_phase.pairs import features_of, pairs


@pytest.fixture
def w():
    return World()


def test_a_shape_finds_its_frame(w):
    """Fixed in N where its vectors are; else in the frame they are written in; else in that of the body given."""
    N, B = w.N, w.frame(1)
    ramp = N.rotated("ramp", 0.2, N.z)
    assert lw.Line(w.O, ramp.x, ramp.y).frame is N
    assert lw.Line(w.links[1].origin, B.x, B.y).frame is B
    assert lw.Segment(w.at(1, 1.0), w.at(1, 2.0)).frame is B
    assert lw.Plane(w.at(1, 0.5), N.z, body=w.bodies[1]).frame is B
    assert lw.Segment(w.at(1, 0.0, 0.0, -1.0), w.at(1, 0.0, 0.0, 1.0)).frame is B
    assert lw.Plane(w.links[1].origin, N.z).frame is N
    assert w.bodies[0].circle(1.0).frame is w.frame(0)
    assert lw.Circle(w.O, 1.0).frame is N


def test_a_particle_touches_with_its_point():
    """A particle is a shape of its own; with a radius it does not turn."""
    model = lw.Model("drop")
    q = model.coordinate("q")
    P = model.origin.at("P", q * model.frame.y)
    particle = model.particle("drop", P, 1.0)
    ground = lw.Line(model.origin, model.frame.x, model.frame.y)
    (feature,) = features_of("lands", particle, ground)
    assert (feature.name, feature.gap, feature.on) == ("lands", q, P)
    (round_,) = features_of("lands", particle.circle(0.25), ground)
    assert (round_.gap, round_.on) == (q - 0.25, P)


def test_features_have_names_of_their_own(w):
    """One feature has the name of its contact; several say which parts they are, no two the same."""
    circle, box = w.bodies[0].circle(1.0), w.bodies[1].box((1.0, 2.0))
    assert [f.name for f in features_of("c", circle, lw.Line(w.O, w.N.x, w.N.y))] == ["c"]
    names = [f.name for f in features_of("c", circle, box)]
    assert names[0] == "c: side +x"
    assert "c: corner -x+y" in names
    space = World("free")
    names = [f.name for f in features_of("c", space.bodies[0].box((1, 2, 3)), space.bodies[1].box((1, 2, 3)))]
    assert len(set(names)) == len(names) == 12 * 12 + 2 * 8 * 6


def test_gaps_are_short(w):
    """A disk on a ramp: one dot product less a radius, zeros left out."""
    r = w.model.parameter("r", 0.5)
    (feature,) = features_of("c", w.bodies[0].circle(r), lw.Line(w.O, w.N.x, w.N.y))
    assert str(feature.gap) == "q_A_py - r"
    corner = features_of("c", w.bodies[0].circle(r), lw.Polyline([w.at(None, 0.0), w.at(None, 1.0)]))[0]
    assert [str(e) for e in corner.within] == ["q_A_px", "1 - q_A_px"]


def test_coordinates_may_hold_a_contact():
    """A disk that its coordinates keep on a ramp has a gap of zero, and its slip is that of rolling."""
    model = lw.Model("disk on a ramp")
    r, phi = model.parameters(r=1.0, phi=0.26)
    q1, q2 = model.coordinates("q1", "q2")
    N, O = model.frame, model.origin
    A = N.rotated("A", phi, N.z)
    B = A.rotated("B", q2, A.z)
    Bo = O.at("Bo", q1 * A.x + r * A.y)
    disk = model.body("disk", frame=B, center=Bo, mass=1.0, inertia=lw.inertia(B, zz=0.5))
    (feature,) = features_of("disk on ramp", disk.circle(r, Bo), lw.Line(point=O, direction=A.x, normal=A.y))
    assert feature.gap == 0.0
    assert feature.slip.dot(A.x) == lw.dt(q1) + r * lw.dt(q2)
    assert feature.within == ()


def test_every_pair_of_the_table_is_listed():
    """Lines and planes meet all that have corners or radii, and not each other."""
    assert ("Line", "Line") not in pairs()
    assert ("Plane", "Plane") not in pairs()
    assert len(pairs()) > 80


REFUSED = {
    "a radius of zero": (lambda w: w.bodies[0].circle(0.0), r"the radius of lw.Circle is 0. Give one above zero"),
    "a negative parameter": (lambda w: w.bodies[0].sphere(w.model.parameter("rho", -1.0)),
                             r"the radius of lw.Sphere is -1. Give one above zero"),
    "a radius that moves": (lambda w: w.bodies[0].circle(w.links[0].q[0]), r"the radius of lw.Circle, .* changes with"),
    "a radius of text": (lambda w: w.bodies[0].circle("big"), r"the radius of lw.Circle is 'big'"),
    "a negative tube": (lambda w: w.bodies[0].rim(w.N.z, 1.0, tube=-1.0), r"the tube of lw.Rim is -1"),
    "no size": (lambda w: w.bodies[0].box((1.0, 0.0)), r"a size of lw.Box is 0"),
    "one size": (lambda w: w.bodies[0].box((1.0,)), r"the sizes of lw.Box are \(1.0,\). Give two in the plane"),
    "no length": (lambda w: lw.Segment(w.O, w.O), r"from 'O' to 'O', which are one place"),
    "no length between points": (lambda w: lw.Capsule(w.at(0, 1.0), w.at(0, 1.0), 0.1), r"which are one place"),
    "one corner": (lambda w: lw.Polyline([w.O]), r"lw.Polyline has the corners 'O'. Give two"),
    "two corners closed": (lambda w: lw.Polyline([w.O, w.at(None, 1.0)], closed=True), r"three where it is closed"),
    "a name for a point": (lambda w: lw.Circle("O", 1.0), r"the centre of lw.Circle is 'O'. Give a point"),
    "no direction": (lambda w: lw.Line(w.O, w.N.x * 0.0, w.N.y), r"the direction of lw.Line is .* not zero"),
    "a slanted normal": (lambda w: lw.Line(w.O, w.N.x, w.N.x + w.N.y), r"lw.Line make the cosine 0.707"),
    "edges out of the plane": (lambda w: lw.Polyline([w.O, w.at(None, 0.0, 0.0, 1.0)]), r"edge 1 and the axis of lw"),
    "a circle of no body": (lambda w: lw.Circle(w.links[0].origin, 1.0), r"with which body it turns is not known"),
    "a normal that turns": (lambda w: lw.Plane(w.O, w.frame(0).x, body=w.N), r"the normal of 'lw.Plane', .* with q_A"),
    "points of two bodies": (lambda w: lw.Segment(w.at(0, 1.0), w.at(1, 1.0)), r"is not fixed in any one frame"),
    "a point of another body": (lambda w: w.bodies[0].circle(1.0, w.at(1, 1.0)), r"'P1', where .* moves with q_"),
    "a body that is text": (lambda w: lw.Circle(w.O, 1.0, body="A"), r"the body of lw.Circle is 'A'"),
    "an arc without angle": (lambda w: lw.Arc(w.O, 1.0, start=w.N.x), r"Give both for an arc, or neither for a ring"),
    "too much of an arc": (lambda w: lw.Arc(w.O, 1.0, w.N.x, 7.0), r"the angle of lw.Arc at 'O' is 7.0"),
    "a belt on a plane": (lambda w: lw.Plane(w.O, w.N.z, belt=1.0), r"A plane has no direction of its own"),
    "a hull of nothing": (lambda w: lw.Hull([], w.bodies[0]), r"Give points of the body, or an array"),
    "a hull on a line": (lambda w: w.bodies[0].hull(np.array([[0, 0], [1, 1], [2, 2]])), r"lie on one line"),
    "a hull in a plane": (lambda w: w.bodies[0].hull(np.array([[0, 0, 0], [0, 1, 1], [0, 2, 0], [0, 1, 3]])),
                          r"lie in one plane that is not across z"),
    "a boundary without numbers": (
        lambda w: lw.Boundary([lw.Segment(w.O, w.O.at("Q", w.model.parameter("free") * w.N.x), w.N.y),
                               lw.Segment(w.at(None, 2.0), w.O, w.N.y)]),
        r"lw.Boundary at 'O' has no numbers|lw.Boundary at 'Q' has no numbers"),
    "a boundary of a wire": (lambda w: lw.Boundary([lw.Segment(w.O, w.at(None, 1.0))]), r"Give segments with a normal"),
    "a boundary with a hole": (
        lambda w: lw.Boundary([lw.Segment(w.O, w.at(None, 1.0), w.N.y), lw.Segment(w.at(None, 2.0), w.O, w.N.y)]),
        r"piece 2 of lw.Boundary begins 1 from where piece 1 ends"),
    "a boundary with two sides": (
        lambda w: lw.Boundary([lw.Segment(w.O, w.at(None, 1.0), w.N.y),
                               lw.Arc(w.at(None, 1.0, 1.0), 1.0, -w.N.y, 1.0)]),
        r"have their material on different sides"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_shapes_refuse(w, case):
    """A shape that means nothing is refused with what was given and what to give."""
    make, message = REFUSED[case]
    with pytest.raises(lw.ModelError, match=message):
        make(w)


UNMET = {
    "two lines": (lambda w: (lw.Line(w.O, w.N.x, w.N.y), lw.Line(w.O, w.N.y, w.N.x)),
                  r"contact 'c' is between lw.Line and lw.Line, which no pair is for. A lw.Line meets: Point, Circle"),
    "two points": (lambda w: (w.at(0), w.at(1)), r"neither has a radius or a side"),
    "a point and a wire": (lambda w: (w.at(0), lw.Segment(w.at(1), w.at(1, 1.0))), r"a segment a normal"),
    "a ball too large": (lambda w: (w.bodies[0].circle(2.0), lw.Arc(w.O, 1.0, inside=True)), r"does not fit"),
    "a body": (lambda w: (w.bodies[0], w.O), r"which is no shape. A body has no shape of its own"),
    "a number": (lambda w: (3.0, w.O), r"contact 'c' is given 3.0, which is no shape. Shapes: lw.Point"),
}  # fmt: skip


@pytest.mark.parametrize("case", UNMET)
def test_pairs_refuse(w, case):
    """Shapes that never touch are refused, with those that could."""
    make, message = UNMET[case]
    with pytest.raises(lw.ModelError, match=message):
        features_of("c", *make(w))


TETRAHEDRON = ((0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 2.0, 0.0), (0.0, 0.0, 3.0))
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def mesh(kind):
    """A tetrahedron as the bytes of a file."""
    if kind == "obj":
        faces = [f"f {i + 1} {j + 1} {k + 1}" for i, j, k in FACES]
        return "\n".join(["# a solid", *(f"v {x} {y} {z}" for x, y, z in TETRAHEDRON), *faces]).encode()
    facets = [[TETRAHEDRON[i] for i in face] for face in FACES]
    if kind == "text":
        corners = [f"  vertex {x} {y} {z}" for facet in facets for x, y, z in facet]
        return "\n".join(["solid", *corners, "endsolid"]).encode()
    head = b"solid of bytes".ljust(80) + struct.pack("<I", len(facets))
    return head + b"".join(struct.pack("<12fH", 0, 0, 0, *np.ravel(facet), 0) for facet in facets)


@pytest.mark.parametrize("kind", ["obj", "text", "binary"])
def test_a_hull_of_a_mesh(kind, tmp_path):
    """OBJ and both kinds of STL give the vertices of a solid, each once."""
    path = tmp_path / "solid.mesh"
    path.write_bytes(mesh(kind))
    hull = World("free").bodies[0].hull(path)
    assert sorted(map(tuple, hull.vertices)) == sorted(TETRAHEDRON)


def test_meshes_that_cannot_be_read(tmp_path):
    """A file that is not there, a bad line, and a file without vertices are refused with where they are."""
    body = World("free").bodies[0]
    with pytest.raises(lw.FileError, match=r"nowhere.stl: there is no such file"):
        body.hull(tmp_path / "nowhere.stl")
    bad, empty = tmp_path / "bad.obj", tmp_path / "empty.obj"
    bad.write_text("v 1 2 3\nv 1 2\n", encoding="utf-8")
    empty.write_text("f 1 2 3\n", encoding="utf-8")
    with pytest.raises(lw.FileError, match=r"bad.obj:2: a vertex is 'v 1 2'. Give three numbers"):
        body.hull(str(bad))
    with pytest.raises(lw.FileError, match=r"empty.obj: the mesh has 0 vertices"):
        body.hull(empty)


def test_large_hulls_are_for_picking():
    """Two hulls of 200 points have too many pairs of parts to watch; the message says of which only near ones are."""
    w, x = World("free"), np.random.default_rng(1).normal(size=(200, 3))
    ball = x / np.linalg.norm(x, axis=1)[:, None]
    with pytest.raises(lw.ModelError, match=r"too many to watch all their pairs.*of which only near ones are"):
        features_of("c", w.bodies[0].hull(ball), w.bodies[1].hull(ball))


def test_two_models_do_not_meet(w):
    """Shapes of two models are refused, and so is a shape of a point of one and a vector of the other."""
    other = World()
    with pytest.raises(lw.ModelError, match="the shapes of contact 'c' belong to two models"):
        features_of("c", w.bodies[0].circle(1.0), other.bodies[0].circle(1.0))
    with pytest.raises(lw.ExpressionError, match="belongs to"):
        lw.Line(w.O, other.N.x, other.N.y)
    with pytest.raises(lw.ExpressionError, match="belongs to"):
        lw.Circle(w.O, other.model.parameter("r", 1.0))


def test_an_arc_continues_a_ramp(w):
    """Patoglu's fence: an arc from the end P of a ramp begins at P, along the ramp."""
    N = w.N
    R, L, Lf = w.model.parameters(R=8.0, L=22.0, Lf=6.0)
    A = N.rotated("A ramp", -math.pi / 12, N.z)
    P = w.O.at("P", L * A.x)
    fence = lw.Boundary([
        lw.Segment(w.O, P, A.y),
        lw.Arc(P.at("C", R * A.y), R, start=-A.y, angle=Lf / R, inside=True),
    ])  # fmt: skip
    assert fence.joints == ("smooth",)
    names = [f.name for f in features_of("fence", w.bodies[0].circle(1.0), fence)]
    assert names == ["fence: piece 1", "fence: piece 2", "fence: start", "fence: end"]


def test_shapes_print_what_they_were_given(w):
    """Shapes, contacts and zones read as they were written, without what was left out."""
    end = w.at(None, 1.0)
    assert repr(lw.Line(w.O, w.N.x, w.N.y)) == "Line(point=O, direction=N.x, normal=N.y)"
    assert repr(lw.Polyline([w.O, end])) == f"Polyline(points=(O, {end.name}), axis=N.z)"
    assert repr(lw.Curve(w.O, lambda s: s * w.N.x, (0.0, 1.0))) == "Curve(from O, s in (0.0, 1.0))"
    contact = w.model.contact("c", w.bodies[0].circle(0.1), lw.Line(w.O, w.N.x, w.N.y))
    assert repr(contact) == "<Contact 'c': Circle on Line, 1 feature>"
    x = w.model.coordinates("x")[0]
    assert repr(lw.zones(x, [1, 2], [0.1, 0.2, 0.3])) == "<Zones: 0.1 where x < 1.0, 0.2 from 1.0, 0.3 from 2.0>"
