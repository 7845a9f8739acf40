"""Frames: orientations against products of rotations in NumPy, and spins against their derivatives."""

from __future__ import annotations

from functools import reduce
from itertools import product

import numpy as np
import pytest

import latchwork as lw
from latchwork import cos, dt, sin
from latchwork.symbolic.traverse import count_shared
from mechanics.numbers import along, cosines, measures, rotation, skew, value

UNIT = dict(zip("xyz", np.eye(3), strict=True))
SEQUENCES = ["".join(axes) for axes in product("xyz", repeat=3) if axes[0] != axes[1] != axes[2]]
ANGLES = (0.7, -0.4, 1.1)
RATES = (0.3, 0.8, -0.5)


@pytest.fixture
def model() -> lw.Model:
    return lw.Model("frames")


def numbers(q):
    """Values and rates of coordinates."""
    return dict(zip(q, ANGLES, strict=False)), dict(zip(q, RATES, strict=False))


def check_spin(frame, reference, values, rates):
    """Ṙ = R [ω×]."""
    R = cosines(reference, frame, values)
    w = measures(frame.angular_velocity(reference), frame, values | {dt(q): rate for q, rate in rates.items()})
    assert along(lambda moved: cosines(reference, frame, moved), values, rates) == pytest.approx(R @ skew(w), abs=1e-12)


# --- sequences --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_body_fixed_turns_multiply_from_the_left(model, sequence):
    """R = R1 R2 R3, each about the new axis."""
    q = model.coordinates("q1", "q2", "q3")
    B = model.frame.body_fixed("B", sequence, *q)
    true = reduce(np.matmul, [rotation(UNIT[a], angle) for a, angle in zip(sequence, ANGLES, strict=True)])
    assert cosines(model.frame, B, numbers(q)[0]) == pytest.approx(true, abs=1e-15)
    check_spin(B, model.frame, *numbers(q))


@pytest.mark.parametrize("sequence", SEQUENCES)
def test_space_fixed_turns_multiply_from_the_right(model, sequence):
    """R = R3 R2 R1, each about an axis of the first frame."""
    q = model.coordinates("q1", "q2", "q3")
    B = model.frame.space_fixed("B", sequence, *q)
    true = reduce(np.matmul, [rotation(UNIT[a], angle) for a, angle in zip(sequence, ANGLES, strict=True)][::-1])
    assert cosines(model.frame, B, numbers(q)[0]) == pytest.approx(true, abs=1e-15)
    check_spin(B, model.frame, *numbers(q))


@pytest.mark.parametrize("sequence", ["x", "xy", "zxzy"])
def test_sequences_may_have_any_length(model, sequence):
    """One angle for each letter."""
    q = model.coordinates("q1", "q2", "q3", "q4")[: len(sequence)]
    values = dict(zip(q, (0.7, -0.4, 1.1, 0.2), strict=False))
    true = reduce(np.matmul, [rotation(UNIT[a], angle) for a, angle in zip(sequence, values.values(), strict=True)])
    assert cosines(model.frame, model.frame.body_fixed("B", sequence, *q), values) == pytest.approx(true, abs=1e-15)


@pytest.mark.parametrize(("sequence", "count"), [("zxz", 2), ("zab", 3), ("", 0), ("ZXZ", 3)])
def test_sequences_that_make_no_sense_are_refused(model, sequence, count):
    """Letters other than x, y, z, or another number of angles."""
    with pytest.raises(lw.ModelError, match=r"frame 'B': a sequence is made of x, y, z with one angle each"):
        model.frame.body_fixed("B", sequence, *ANGLES[:count])


# --- simple rotations -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "axis", [(1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0), (0, 0, 2.5), (1, 1, 0), (0.3, -0.7, 0.5)]
)
def test_a_turn_about_any_axis(model, axis):
    """Rodrigues' formula about the unit vector along the axis; the axis itself stays."""
    (q,) = model.coordinates("q")
    B = model.frame.rotated("B", q, model.frame.vector(*axis))
    assert cosines(model.frame, B, {q: 0.7}) == pytest.approx(rotation(axis, 0.7), abs=1e-15)
    assert measures(model.frame.vector(*axis), B, {q: 0.7}) == pytest.approx(axis, abs=1e-15)
    check_spin(B, model.frame, {q: 0.7}, {q: 0.3})


def test_an_axis_may_be_written_in_another_frame(model):
    """Turning B about A.z, which is not an axis of B's own parent N, is turning about its measures in N."""
    (q,) = model.coordinates("q")
    A = model.frame.rotated("A", 0.4, model.frame.x)
    B = model.frame.rotated("B", q, A.z)
    assert cosines(model.frame, B, {q: 0.7}) == pytest.approx(rotation((0, -np.sin(0.4), np.cos(0.4)), 0.7), abs=1e-15)


def test_an_axis_that_moves_is_refused(model):
    """A simple rotation has an axis fixed in both frames."""
    p, q = model.coordinates("p", "q")
    A = model.frame.rotated("A", p, model.frame.x)
    with pytest.raises(lw.ModelError, match=r"frame 'B': the axis of a simple rotation must be fixed in the parent"):
        model.frame.rotated("B", q, A.z)


def test_an_angle_may_be_any_expression(model):
    """ω = d/dt of the angle, by the chain rule, with time in it."""
    (q,) = model.coordinates("q")
    t = model.time
    B = model.frame.rotated("B", q**2 * sin(t), model.frame.y)
    w = measures(B.angular_velocity(), B, {q: 0.7, t: 0.4, dt(q): 0.3})
    assert w == pytest.approx([0.0, 2 * 0.7 * 0.3 * np.sin(0.4) + 0.49 * np.cos(0.4), 0.0], rel=1e-15)


# --- quaternions and direction cosines --------------------------------------------------------------------------------


def test_a_quaternion_turns_about_its_vector(model):
    """(cos θ/2, λ sin θ/2) is the turn by θ about λ; ω = 2 (e0 ė − ė0 e − e × ė) in the new frame."""
    e = model.coordinates("e0", "e1", "e2", "e3")
    axis = np.array([0.48, -0.6, 0.64])
    B = model.frame.quaternion("B", *e)
    values = dict(zip(e, [np.cos(0.45), *(np.sin(0.45) * axis)], strict=True))
    assert cosines(model.frame, B, values) == pytest.approx(rotation(axis, 0.9), abs=1e-15)
    tangent = np.array([0.3, -0.2, 0.5, 0.1])
    tangent = tangent - np.array(list(values.values())) * (tangent @ list(values.values()))
    check_spin(B, model.frame, values, dict(zip(e, tangent, strict=True)))


def test_direction_cosines_give_their_spin(model):
    """ω from Rᵀ Ṙ, for a matrix that is a product of two turns."""
    q1, q2 = model.coordinates("q1", "q2")
    matrix = [
        [cos(q1), -sin(q1) * cos(q2), sin(q1) * sin(q2)],
        [sin(q1), cos(q1) * cos(q2), -cos(q1) * sin(q2)],
        [0, sin(q2), cos(q2)],
    ]
    B = model.frame.cosines("B", matrix)
    true = rotation(UNIT["z"], 0.7) @ rotation(UNIT["x"], -0.4)
    assert cosines(model.frame, B, {q1: 0.7, q2: -0.4}) == pytest.approx(true, abs=1e-15)
    check_spin(B, model.frame, {q1: 0.7, q2: -0.4}, {q1: 0.3, q2: 0.8})


def test_direction_cosines_are_nine(model):
    """Three rows of three."""
    with pytest.raises(lw.ModelError, match="direction cosines are three rows of three; got 2 rows"):
        model.frame.cosines("B", [[1, 0, 0], [0, 1, 0]])


def test_a_spinning_frame_has_a_spin_and_no_angle(model):
    """Its axes are those of its parent, its ω what was given."""
    (q,) = model.coordinates("q")
    A = model.frame.rotated("A", q, model.frame.z)
    W = A.spinning("W", y=3.0)
    assert cosines(A, W, {}) == pytest.approx(np.eye(3))
    assert measures(W.angular_velocity(), A, {dt(q): 0.2}) == pytest.approx([0.0, 3.0, 0.2])


# --- paths through the tree -------------------------------------------------------------------------------------------


def branches(model):
    """Two branches of frames of every kind, and numbers for their coordinates."""
    q = model.coordinates(*(f"q{i}" for i in range(1, 10)))
    N = model.frame
    A = N.rotated("A", q[0], N.z)
    B = A.body_fixed("B", "xyz", q[1], 0.3, q[2])
    C = B.rotated("C", q[3], 0.6 * B.x + 0.8 * B.z)
    D = N.space_fixed("D", "yz", q[4], q[5])
    E = D.rotated("E", 0.5, D.x + D.y)
    values = dict(zip(q, np.random.default_rng(1).uniform(-2, 2, 9), strict=True))
    return {frame.name: frame for frame in (N, A, B, C, D, E)}, values


PAIRS = list(product("NABCDE", repeat=2))


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_direction_cosines_are_orthonormal(model, first, second):
    """R Rᵀ = U and det R = 1 between any two frames, and the way back is the transpose."""
    frames, values = branches(model)
    R = cosines(frames[first], frames[second], values)
    assert pytest.approx(np.eye(3), abs=1e-14) == R @ R.T
    assert np.linalg.det(R) == pytest.approx(1.0, abs=1e-14)
    assert cosines(frames[second], frames[first], values) == pytest.approx(R.T, abs=1e-14)


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_orientations_chain(model, first, second):
    """R_FG = R_FN R_NG."""
    frames, values = branches(model)
    N = frames["N"]
    true = cosines(frames[first], N, values) @ cosines(N, frames[second], values)
    assert cosines(frames[first], frames[second], values) == pytest.approx(true, abs=1e-14)


@pytest.mark.parametrize(("first", "second"), PAIRS)
@pytest.mark.parametrize("symmetric", [True, False])
def test_nine_measures_turn_on_both_sides(model, first, second, symmetric):
    """R m Rᵀ between any two frames; what is symmetric stays so, node by node."""
    frames, values = branches(model)
    F, G, g = frames[first], frames[second], model.graph
    m = np.random.default_rng(2).normal(size=(3, 3))
    m = m + m.T if symmetric else m
    found = F.carry_square(tuple(tuple(g.constant(float(x)) for x in row) for row in m), G)
    R = cosines(G, F, values)
    turned = [[value(lw.Expr(g, node), values) for node in row] for row in found]
    assert turned == pytest.approx(R @ m @ R.T, abs=1e-13)
    assert not symmetric or found == tuple(zip(*found, strict=True))


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_spins_chain(model, first, second):
    """ω of F in G is ω of F in N less ω of G in N, and Ṙ follows from it."""
    frames, values = branches(model)
    rates = {q: 0.1 * i - 0.4 for i, q in enumerate(values)}
    full = values | {dt(q): rate for q, rate in rates.items()}
    F, G, N = frames[first], frames[second], frames["N"]
    difference = measures(F.angular_velocity(N), N, full) - measures(G.angular_velocity(N), N, full)
    assert measures(F.angular_velocity(G), N, full) == pytest.approx(difference, abs=1e-14)
    check_spin(F, G, values, rates)


# --- zeros and shared axes --------------------------------------------------------------------------------------------


def test_turns_about_one_axis_are_merged(model):
    """R(z, q1) R(z, q2) R(z, q3) has one sine and one cosine, of q1 + q2 + q3."""
    q1, q2, q3 = model.coordinates("q1", "q2", "q3")
    frame = model.frame
    for name, q in zip("ABC", (q1, q2, q3), strict=True):
        frame = frame.rotated(name, q, frame.z)
    R = model.frame.direction_cosines(frame)
    assert count_shared([e for row in R for e in row]).trig == 2
    assert R[0] == [R[1][1], -R[1][0], 0]
    assert [R[1][2], *R[2]] == [0, 0, 0, 1]
    values = dict(zip((q1, q2, q3), ANGLES, strict=True))
    assert cosines(model.frame, frame, values) == pytest.approx(rotation(UNIT["z"], sum(ANGLES)), abs=1e-15)


def test_a_turn_there_and_back_vanishes(model):
    """Frames on two branches that are turned alike are one orientation, whatever the numbers."""
    q1, q2 = model.coordinates("q1", "q2")
    A, B = (model.frame.body_fixed(name, "zx", q1, q2) for name in "AB")
    assert B.direction_cosines(A) == [[1, 0, 0], [0, 1, 0], [0, 0, 1]]


def test_components_along_a_shared_axis_pass_untouched(model):
    """The axis of a turn is one vector in both frames; what is along it has no sines."""
    q1, q2 = model.coordinates("q1", "q2")
    A = model.frame.rotated("A", q1, model.frame.z)
    B = A.rotated("B", q2, A.z)
    assert (3.0 * B.z).measures(model.frame) == (0, 0, 3)
    assert (model.frame.z).measures(B) == (0, 0, 1)
    assert model.frame.z == A.z == B.z
    assert A.x != B.x


def test_a_negative_axis_is_a_turn_backwards(model):
    """About −z by q is about z by −q, and keeps its zeros."""
    (q,) = model.coordinates("q")
    B = model.frame.rotated("B", q, -model.frame.z)
    assert model.frame.direction_cosines(B) == [[cos(q), sin(q), 0], [-sin(q), cos(q), 0], [0, 0, 1]]
    assert B.angular_velocity() == -dt(q) * model.frame.z


# --- names ------------------------------------------------------------------------------------------------------------


def test_names_of_frames_are_used_once(model):
    """Two frames of one name are refused."""
    model.frame.rotated("A", 0.1, model.frame.x)
    with pytest.raises(lw.ModelError, match="has a frame named 'A' already"):
        model.frame.rotated("A", 0.2, model.frame.x)


def test_a_frame_needs_a_name(model):
    """A name is a text."""
    with pytest.raises(lw.ModelError, match="a frame needs a name that is a non-empty text; got 3"):
        model.frame.rotated(3, 0.2, model.frame.x)


def test_time_turns_frames(model):
    """A frame driven by time has a spin without any coordinate."""
    B = model.frame.rotated("B", 2.0 * model.time, model.frame.z)
    assert B.angular_velocity() == 2.0 * model.frame.z
    assert value(B.angular_velocity().dot(B.z), {}) == 2.0
