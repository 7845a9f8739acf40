"""Vectors and dyadics in mixed frames against NumPy; what stays structural; points and inertia."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork import cos, dt, sin
from latchwork.mechanics.body import unit_dyadic
from latchwork.symbolic.traverse import count_shared
from mechanics.numbers import along, cosines, measures, value


class World:
    """Frames on two branches, vectors that mix them, and numbers."""

    def __init__(self) -> None:
        self.model = lw.Model("vectors")
        self.q = self.model.coordinates("q1", "q2", "q3", "q4")
        q1, q2, q3, q4 = self.q
        self.N = self.model.frame
        self.A = self.N.rotated("A", q1, self.N.z)
        self.B = self.A.rotated("B", q2, self.A.x)
        self.C = self.N.rotated("C", q3, self.N.x + self.N.y)
        self.values = dict(zip(self.q, (0.7, -0.4, 1.1, 0.3), strict=True))
        self.rates = dict(zip(self.q, (0.2, 0.5, -0.3, 0.8), strict=True))
        self.full = self.values | {dt(q): rate for q, rate in self.rates.items()}
        self.a = q4 * self.A.x + 2.0 * self.B.y - sin(q1) * self.N.z
        self.b = 0.5 * self.C.x + q4**2 * self.B.z + 3.0 * self.A.y
        self.c = self.N.x - self.C.z

    def at(self, vector, frame=None):
        """Measures as numbers."""
        return measures(vector, frame or self.N, self.values)

    def square(self, dyadic, frame=None):
        """Nine measures as numbers."""
        rows = dyadic.components(frame or self.N)
        return np.array([[value(lw.Expr(self.model.graph, node), self.values) for node in row] for row in rows])


@pytest.fixture
def world() -> World:
    return World()


# --- algebra ----------------------------------------------------------------------------------------------------------


def test_sums_and_multiples(world):
    """a + b, a − b, −a, k a, a / k."""
    a, b = world.at(world.a), world.at(world.b)
    assert world.at(world.a + world.b) == pytest.approx(a + b, abs=1e-15)
    assert world.at(world.a - world.b) == pytest.approx(a - b, abs=1e-15)
    assert world.at(-world.a) == pytest.approx(-a, abs=1e-15)
    assert world.at(2.5 * world.a) == pytest.approx(2.5 * a, abs=1e-15)
    assert world.at(world.a * world.q[3] / 4.0) == pytest.approx(a * 0.3 / 4.0, abs=1e-15)
    assert world.at(sum([world.a, world.b])) == pytest.approx(a + b, abs=1e-15)


def test_products(world):
    """a · b and a × b as in one frame."""
    a, b = world.at(world.a), world.at(world.b)
    assert value(world.a.dot(world.b), world.values) == pytest.approx(a @ b, abs=1e-14)
    assert world.at(world.a.cross(world.b)) == pytest.approx(np.cross(a, b), abs=1e-14)
    assert value(world.a.magnitude(), world.values) == pytest.approx(np.linalg.norm(a), rel=1e-15)
    assert world.at(world.a.normalized()) == pytest.approx(a / np.linalg.norm(a), abs=1e-15)


def test_identities(world):
    """a × b = −b × a, a · (b × c) = (a × b) · c, a × (b × c) = b (a·c) − c (a·b)."""
    a, b, c = world.a, world.b, world.c
    assert world.at(a.cross(b) + b.cross(a)) == pytest.approx(np.zeros(3), abs=1e-14)
    assert value(a.dot(b.cross(c)), world.values) == pytest.approx(value(a.cross(b).dot(c), world.values), abs=1e-14)
    assert world.at(a.cross(b.cross(c))) == pytest.approx(world.at(b * a.dot(c) - c * a.dot(b)), abs=1e-13)


@pytest.mark.parametrize("frame", "NABC")
def test_measures_turn_with_the_frame(world, frame):
    """a_F = R_FN a_N, and to(F) is the same vector."""
    F = getattr(world, frame)
    R = cosines(F, world.N, world.values)
    assert world.at(world.a, F) == pytest.approx(R @ world.at(world.a), abs=1e-14)
    assert world.at(world.a.to(F)) == pytest.approx(world.at(world.a), abs=1e-14)
    assert list(world.a.to(F).parts) == [F]


@pytest.mark.parametrize("frame", "NABC")
def test_derivatives_in_frames(world, frame):
    """d/dt in F is the derivative of the measures in F."""
    F = getattr(world, frame)
    true = along(lambda values: measures(world.a, F, values), world.values, world.rates)
    assert measures(world.a.dt_in(F), F, world.full) == pytest.approx(true, abs=1e-12)


def test_derivatives_with_respect_to_symbols_hold_unit_vectors(world):
    """∂/∂u of a velocity is the partial velocity, written where the velocity is."""
    q4 = world.q[3]
    found = (q4**2 * world.A.x + q4 * sin(q4) * world.B.y).diff(q4)
    assert found == 2.0 * q4 * world.A.x + (sin(q4) + q4 * cos(q4)) * world.B.y


def test_substitution_replaces_measures(world):
    """subs puts numbers for symbols in the measure numbers, not in the frames."""
    assert (world.q[3] * world.A.x).subs({world.q[3]: 2.0}) == 2.0 * world.A.x


# --- dyadics ----------------------------------------------------------------------------------------------------------


def test_dyads(world):
    """a b · c = a (b · c), with measures a bᵀ."""
    a, b, c = (world.at(v) for v in (world.a, world.b, world.c))
    dyad = world.a.outer(world.b)
    assert world.square(dyad) == pytest.approx(np.outer(a, b), abs=1e-14)
    assert world.at(dyad.dot(world.c)) == pytest.approx(a * (b @ c), abs=1e-14)


def test_dyadics_add_and_turn(world):
    """I_F = R I Rᵀ; sums, differences and multiples as matrices."""
    first, second = lw.inertia(world.B, 1.0, 2.0, 3.0, 0.1, 0.2, 0.3), world.a.outer(world.c)
    I = np.array([[1.0, 0.1, 0.3], [0.1, 2.0, 0.2], [0.3, 0.2, 3.0]])
    R = cosines(world.C, world.B, world.values)
    assert world.square(first, world.B) == pytest.approx(I, abs=1e-15)
    assert world.square(first, world.C) == pytest.approx(R @ I @ R.T, abs=1e-14)
    total = world.square(first) + 2.0 * world.square(second)
    assert world.square(first + 2.0 * second) == pytest.approx(total, abs=1e-13)
    assert world.square(first - first) == pytest.approx(np.zeros((3, 3)), abs=1e-15)


def test_the_unit_dyadic_leaves_vectors_alone(world):
    """U · a = a, in every frame."""
    assert world.at(unit_dyadic(world.B).dot(world.a)) == pytest.approx(world.at(world.a), abs=1e-14)
    assert world.square(unit_dyadic(world.B)) == pytest.approx(np.eye(3), abs=1e-15)


# --- structure --------------------------------------------------------------------------------------------------------


def test_what_is_written_in_a_frame_stays_there(world):
    """L1 a2 + L2 b2 keeps its two frames and needs no trigonometry."""
    v = 3.0 * world.A.y + 2.0 * world.B.y
    assert set(v.parts) == {world.A, world.B}
    assert count_shared([lw.Expr(world.model.graph, node) for node in v.nodes()]).total == 0


def test_measures_along_a_shared_axis_meet(world):
    """u1 n3 + u2 a3 = (u1 + u2) a3: one part, one sum."""
    q1, q2, *_ = world.q
    assert q1 * world.N.z + q2 * world.A.z == (q1 + q2) * world.A.z
    assert len((q1 * world.N.z + q2 * world.A.z).parts) == 1
    assert (world.N.z - world.A.z).is_zero


def test_products_with_a_shared_axis_are_structural(world):
    """z · z = 1, z · x = 0 and z × z = 0 across a turn about z, whatever the angle."""
    assert world.N.z.dot(world.A.z) == 1
    assert world.N.z.dot(world.A.x) == 0
    assert world.N.z.cross(world.A.z).is_zero
    assert world.A.x.dot(world.B.x) == 1
    assert world.A.x.dot(world.B.y) == 0
    assert world.N.z.dot(world.B.x) == 0


def test_dot_products_of_unit_vectors_are_direction_cosines(world):
    """n1 · a1 = cos q1, n1 · a2 = −sin q1: one function each."""
    q1 = world.q[0]
    assert world.N.x.dot(world.A.x) == cos(q1)
    assert world.N.x.dot(world.A.y) == -sin(q1)


def test_equal_vectors_are_equal(world):
    """Equality is of measure numbers, an axis that frames share counted once; equal vectors have one hash."""
    a, b = 2.0 * world.N.z + world.A.x, world.A.x + 2.0 * world.A.z
    assert a == b
    assert hash(a) == hash(b)
    assert a != world.A.x + 2.0 * world.B.z


# --- points -----------------------------------------------------------------------------------------------------------


def test_positions_add_up(world):
    """The vector from Q to P, through the tree or across it."""
    P = world.model.origin.at("P", world.a).at("Q", world.b)
    R = world.model.origin.at("R", world.c)
    assert world.at(P.position()) == pytest.approx(world.at(world.a + world.b), abs=1e-15)
    assert world.at(P.position(R)) == pytest.approx(world.at(world.a + world.b - world.c), abs=1e-14)
    assert world.at(R.position(P)) == pytest.approx(-world.at(P.position(R)), abs=1e-14)
    assert P.position(P).is_zero


def test_velocities_are_derivatives_of_positions(world):
    """v in N, and in a frame that moves with a point fixed in it."""
    P = world.model.origin.at("P", world.a)
    Q = world.model.origin.at("Q", world.c)
    in_N = along(lambda values: measures(P.position(), world.N, values), world.values, world.rates)
    in_B = along(lambda values: measures(P.position(Q), world.B, values), world.values, world.rates)
    assert measures(P.velocity(), world.N, world.full) == pytest.approx(in_N, abs=1e-12)
    assert measures(P.velocity(world.B, fixed=Q), world.B, world.full) == pytest.approx(in_B, abs=1e-12)


def test_a_velocity_in_a_moving_frame_needs_a_fixed_point(world):
    """The error says how to write it."""
    P = world.model.origin.at("P", world.a)
    with pytest.raises(lw.ModelError, match=r"Write P\.velocity\(B, fixed=point\)"):
        P.velocity(world.B)


def test_accelerations_need_speeds(world):
    """A point asks the equations for its acceleration."""
    P = world.model.origin.at("P", world.a)
    with pytest.raises(lw.ModelError, match=r"Ask the equations: model\.equations\(\)\.acceleration\(P\)"):
        P.acceleration()


# --- inertia ----------------------------------------------------------------------------------------------------------


def steiner(mass, p):
    """m (p² U − p p)."""
    return mass * (p @ p * np.eye(3) - np.outer(p, p))


def test_inertia_about_any_point(world):
    """I_P = I* + m (p² U − p p), p in any frames."""
    center = world.model.origin.at("C*", world.a)
    P = world.model.origin.at("P", world.c)
    body = world.model.body("body", world.B, center, 3.0, lw.inertia(world.B, 1.0, 2.0, 2.5, 0.1))
    true = world.square(body.inertia) + steiner(3.0, world.at(world.a - world.c))
    assert world.square(body.inertia_about(P)) == pytest.approx(true, abs=1e-13)


def test_inertia_given_about_another_point(world):
    """about=P moves it to the mass centre; moving it back gives what was given."""
    P = world.model.origin.at("P", world.c)
    center = P.at("C*", 0.3 * world.B.x - 0.2 * world.B.z)
    given = lw.inertia(world.B, 2.0, 2.5, 3.0, 0.1)
    body = world.model.body("body", world.B, center, 3.0, given, about=P)
    assert world.square(body.inertia, world.B) == pytest.approx(
        world.square(given, world.B) - steiner(3.0, np.array([0.3, 0.0, -0.2])), abs=1e-14
    )
    assert world.square(body.inertia_about(P)) == pytest.approx(world.square(given), abs=1e-14)


def test_inertia_of_a_particle(world):
    """m (p² U − p p), zero about the particle itself."""
    P = world.model.origin.at("P", world.a)
    particle = world.model.particle("bob", P, 2.0)
    assert world.square(particle.inertia_about(world.model.origin)) == pytest.approx(
        steiner(2.0, world.at(world.a)), abs=1e-13
    )
    assert world.square(particle.inertia_about(P)) == pytest.approx(np.zeros((3, 3)), abs=1e-15)


def test_inertia_may_be_written_in_another_frame(world):
    """A dyadic of dyads in two frames is the body's inertia all the same: one M."""
    wanted = lw.inertia(world.B, 1.0, 2.0, 2.5)
    mixed = 1.0 * world.A.x.outer(world.B.x) + 2.0 * world.B.y.outer(world.B.y) + 2.5 * world.B.z.outer(world.B.z)
    first = world.model.body("first", world.B, world.model.origin, 1.0, wanted)
    second = world.model.body("second", world.B, world.model.origin, 1.0, mixed)
    assert world.square(second.inertia) == pytest.approx(world.square(first.inertia), abs=1e-15)


# --- refused ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda w: w.a * w.b, r"vector \* vector is ambiguous"),
        (lambda w: w.a + 3.0, r"a vector can only be added to a vector; got 3\.0"),
        (lambda w: unit_dyadic(w.A) + w.a, "a dyadic can only be added to a dyadic"),
        (lambda w: dt(w.a), r"derivative of a vector depends on the frame\. Use vector\.dt_in\(frame\)"),
    ],
)
def test_expressions_that_make_no_sense_are_refused(world, make, match):
    """What was mixed with what."""
    with pytest.raises(lw.ExpressionError, match=match):
        make(world)


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda w: w.model.origin.at("P", 3.0), r"point 'P' is located by a vector from 'O'; got 3\.0"),
        (lambda w: w.model.particle("P", w.A, 1.0), "the centre of 'P' must be a point of 'vectors'"),
        (lambda w: w.model.particle("P", w.model.origin, -1.0), r"the mass of 'P' is -1\.0"),
        (lambda w: [w.model.particle("P", w.model.origin, 1.0) for _ in range(2)], "has a body named 'P' already"),
        (lambda w: [w.model.origin.at("P", w.a) for _ in range(2)], "has a point named 'P' already"),
    ],
)
def test_things_that_make_no_sense_are_refused(world, make, match):
    """Which thing, and what is wrong with it."""
    with pytest.raises(lw.ModelError, match=match):
        make(world)


@pytest.mark.parametrize(
    "make",
    [
        lambda w, other: w.a.dot(other.frame.x),
        lambda w, other: w.a.cross(other.frame.x),
        lambda w, other: w.a.outer(other.frame.x),
        lambda w, other: w.a.measures(other.frame),
        lambda w, other: w.a.dt_in(other.frame),
        lambda w, other: unit_dyadic(w.A) + unit_dyadic(other.frame),
        lambda w, other: unit_dyadic(w.A).dot(other.frame.x),
        lambda w, other: w.A.rotated("D", 0.3, other.frame.x),
        lambda w, other: w.A.angular_velocity(other.frame),
        lambda w, other: w.model.origin.at("P", other.frame.x),
        lambda w, other: w.model.origin.position(other.origin),
    ],
)
def test_two_models_do_not_mix(world, make):
    """Vectors, frames and points of two models: an error that names both."""
    with pytest.raises(lw.ExpressionError, match=r"belongs to the model '(other|vectors)', not to '(other|vectors)'"):
        make(world, lw.Model("other"))


@pytest.mark.parametrize(
    ("options", "match"),
    [
        (lambda other: {"at": other.origin}, "a point, link or body of 'vectors' is needed here; got O"),
        (lambda other: {"axis": 3.0}, r"the axis of joint 'B1' is a vector; got 3\.0"),
    ],
)
def test_joints_sit_in_their_own_model(world, options, match):
    """A point of another model, or an axis that is no vector."""
    with pytest.raises(lw.ModelError, match=match):
        world.model.revolute("B1", world.A, **options(lw.Model("other")))
    assert "q_B1" not in world.model.symbols
