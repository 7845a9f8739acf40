"""One law for every row of the table of joints: poses, rates and velocities belong together."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

import latchwork as lw
from latchwork.mechanics.joints import rates_of
from mechanics.numbers import along, cosines, measures, rotation, skew, value

AXIS = (0.48, -0.6, 0.64)
ANGLES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}


class Mounted:
    """A joint on a frame turned from N and a point away from O, at a state."""

    def __init__(self, kind: str) -> None:
        self.model = lw.Model(kind)
        N = self.model.frame
        self.base = N.body_fixed("A", "zx", 0.4, -0.3)
        at = self.model.origin.at("P", 0.2 * N.x + 0.5 * self.base.y)
        axis = {"axis": self.base.vector(*AXIS)} if lw.JOINTS[kind].has_axis else {}
        self.link = self.model.joint(kind, "B", self.base, at=at, **axis)
        self.row = self.link.joint
        numbers = np.random.default_rng(3).uniform(-1.0, 1.0, len(self.link.q) + len(self.link.u))
        self.q, self.u = numbers[: len(self.link.q)], numbers[len(self.link.q) :]
        self.q[-4:] /= np.linalg.norm(self.q[-4:]) if self.row.turns == "quaternion" else 1.0
        self.state = dict(zip((*self.link.q, *self.link.u), numbers, strict=True))
        rates = rates_of(self.row, self.link.q, self.link.u)
        self.rates = {q: value(rate, self.state) for q, rate in zip(self.link.q, rates, strict=True)}
        self.full = self.state | {lw.dt(q): rate for q, rate in self.rates.items()}

    def orientation(self, values):
        return cosines(self.base, self.link.frame, values)

    def turned(self):
        """The orientation a second way."""
        turns = self.q[len(self.row.slides) :]
        if self.row.turns == "quaternion":
            return rotation(turns[1:], 2.0 * np.arctan2(np.linalg.norm(turns[1:]), turns[0]))
        axes = [AXIS if self.row.has_axis else ANGLES[a] for a in self.row.turns]
        return np.linalg.multi_dot([np.eye(3), np.eye(3), *map(rotation, axes, turns)])

    def position(self, values):
        return measures(self.link.origin.position(self.link.base), self.base, values)


@pytest.fixture(params=sorted(lw.JOINTS))
def joint(request) -> Mounted:
    return Mounted(request.param)


def test_spin_follows_from_orientation(joint):
    """Ṙ = R [ω×] with q̇ = W u, ω in the outboard frame."""
    w = measures(joint.link.frame.angular_velocity(joint.base), joint.link.frame, joint.full)
    rate = along(joint.orientation, joint.state, joint.rates)
    assert rate == pytest.approx(joint.orientation(joint.state) @ skew(w), abs=1e-12)


def test_velocity_follows_from_position(joint):
    """ṗ with q̇ = W u is the velocity of the outboard origin in the inboard frame."""
    v = measures(joint.link.origin.velocity(joint.base, fixed=joint.link.base), joint.base, joint.full)
    assert v == pytest.approx(along(joint.position, joint.state, joint.rates), abs=1e-12)


def test_equations_use_the_same_velocities(joint):
    """ω and v of the equations, in terms of u, are those in terms of q̇."""
    joint.model.body("body", joint.link.frame, joint.link.origin, 1.0, lw.inertia(joint.link.frame, 1.0, 1.0, 1.0))
    eq, N = joint.model.equations(), joint.model.frame
    w, v = joint.link.frame.angular_velocity(), joint.link.origin.velocity()
    assert measures(eq.angular_velocity(joint.link.frame), N, joint.state) == pytest.approx(
        measures(w, N, joint.full), abs=1e-14
    )
    assert measures(eq.velocity(joint.link.origin), N, joint.state) == pytest.approx(
        measures(v, N, joint.full), abs=1e-14
    )


def test_orientation_is_the_product_of_turns(joint):
    """R = R(axis 1, q1) R(axis 2, q2) ..., or that of the quaternion; slides do not turn."""
    assert joint.orientation(joint.state) == pytest.approx(joint.turned(), abs=1e-14)


def test_position_is_the_sum_of_slides(joint):
    """p = Σ q axis, in the inboard frame."""
    axes = [AXIS if joint.row.has_axis else ANGLES[a] for a in joint.row.slides]
    true = sum((q * np.array(axis) for q, axis in zip(joint.q, axes, strict=False)), start=np.zeros(3))
    assert joint.position(joint.state) == pytest.approx(true, abs=1e-15)


def test_counts_and_names(joint):
    """As many names as coordinates and speeds; a quaternion has one coordinate more."""
    assert (len(joint.link.q), len(joint.link.u)) == (len(joint.row.q_suffixes), len(joint.row.u_suffixes))
    assert len(joint.link.q) - len(joint.link.u) == (joint.row.turns == "quaternion")
    names = [symbol.name for symbol in (*joint.link.q, *joint.link.u)]
    assert len(set(names)) == len(names)


def test_names_may_be_given():
    """q= and u= name the symbols, one each."""
    model = lw.Model("arm")
    link = model.universal("B", q=["roll", "pitch"], u=["p", "r"])
    assert [s.name for s in (*link.q, *link.u)] == ["roll", "pitch", "p", "r"]
    with pytest.raises(lw.ModelError, match=r"joint 'C' has 2 q's; got the names \['a'\]"):
        model.universal("C", q=["a"])


def test_the_speeds_of_a_ball_are_its_angular_velocity():
    """ω = u1 b1 + u2 b2 + u3 b3, also on a body that turns itself, and nothing else is left in it."""
    model = lw.Model("two balls")
    first = model.ball("A")
    second = model.ball("B", first)
    model.body(
        "body", second.frame, second.origin.at("C", 0.3 * second.frame.x), 1.0, lw.inertia(second.frame, 1, 1, 1)
    )
    eq = model.equations()
    relative = eq.derivation.motion.frame_edges[second.frame].spin
    assert [lw.Expr(model.graph, node) for node in relative] == list(second.u)


def test_a_link_starts_where_its_parent_ends():
    """Without ``at`` a joint sits at the origin of the link it is mounted on."""
    model = lw.Model("arm")
    first = model.prismatic("A", axis=model.frame.x)
    second = model.revolute("B", first)
    assert second.base is first.origin
    assert second.inboard is first.frame
    assert model.revolute("C").base is model.origin


@pytest.mark.parametrize(
    ("make", "match"),
    [
        (lambda model: model.joint("hinge", "A"), r"joint 'A': there is no joint type 'hinge'\."),
        (lambda model: model.joint("revolut", "A"), r"Did you mean 'revolute'\?"),
        (lambda model: model.joint("ball", "A", axis=model.frame.x), "a ball joint has no axis of its own"),
        (lambda model: model.actuate(model.revolute("A").name, 1.0), "got 'A'. Give what model.revolute or"),
        (lambda model: model.resist("B", 1.0), "a joint of 'arm' is needed here; got 'B'"),
        (lambda model: model.revolute("A", 3.0), "a frame, link or rigid body of 'arm' is needed here"),
    ],
)
def test_joints_that_make_no_sense_are_refused(make, match):
    """What is wrong with which joint."""
    with pytest.raises(lw.ModelError, match=match):
        make(lw.Model("arm"))


@pytest.mark.parametrize("row", lw.JOINTS.values(), ids=lambda row: row.name)
def test_the_keywords_of_a_joint_stand_in_its_signature(row):
    """``at`` always; ``axis`` where it has one of its own; ``q`` and ``u`` where it moves; others are refused."""
    make = getattr(lw.Model("arm"), row.name)
    moves = ["q", "u"] if row.u_suffixes else []
    assert list(inspect.signature(make).parameters)[2:] == ["at", *(["axis"] if row.has_axis else []), *moves]
    with pytest.raises(lw.ArgumentError, match=f"{row.name} takes no argument 'att'.* Did you mean 'at'"):
        make("A", att=None)
