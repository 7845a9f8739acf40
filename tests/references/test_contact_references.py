"""The references for contact reproduce what is published, and agree with each other where two of them meet."""

from __future__ import annotations

from dataclasses import replace
from math import pi

import numpy as np
import pytest

from references.belt_pendulum import BeltPendulum
from references.billiard import Billiard
from references.bouncing import Bouncing
from references.clearance import PinInHole, slider
from references.coin import Coin
from references.disk_on_ramp import DiskOnRamp
from references.dry_friction import Sphere, StickSlip, incline
from references.fence import Fence
from references.flow import advance, until
from references.planar import OPEN, STICK, ContactPoint, resolve
from references.rocking_block import RockingBlock
from references.rod_impact import LAWS, Rod, routh
from references.woodpecker import Woodpecker


def test_disk_on_a_ramp_at_the_published_times() -> None:
    """0.37, 1.72 and 6.13 s, to the digits printed."""
    disk = DiskOnRamp()
    times = [t for t, *_ in disk.states()]
    assert [f"{t:.2f}" for t in times] == ["0.37", "1.72", "4.16", "6.13"]
    for t, _, u1, u2 in (disk.states()[0], disk.states()[-1]):
        assert u1 + u2 == pytest.approx(0.0, abs=1e-14), t


def test_fence_at_the_published_times() -> None:
    """Met at 7.7 s and left at 9.0 s, to twelve digits; the way there by an integration of its own."""
    fence = Fence()
    t1, v1 = fence.met()
    assert (float(t1), float(fence.left()[0])) == pytest.approx((7.7, 9.0), abs=1e-12)

    def turning(_: float, y: np.ndarray) -> np.ndarray:
        return np.array([y[1], -fence.g * np.sin(fence.phi + y[0]) / (fence.R - fence.r)])

    angle, rate = advance(turning, 0.0, np.array([0.0, float(v1) / (fence.R - fence.r)]), 1.3)
    assert angle == pytest.approx(fence.length / fence.R, abs=1e-11)
    assert rate * (fence.R - fence.r) == pytest.approx(float(fence.left()[1]), abs=1e-10)


@pytest.mark.parametrize(
    ("q1", "law", "times"),
    [
        (-pi / 16, "kane", [0.073, 0.252, 0.408, 0.873]),
        pytest.param(-pi / 16, "smith", [0.073, 0.252, 0.408, 0.873], marks=pytest.mark.campaign),
        pytest.param(-pi / 9, "kane", [0.080, 0.351, 0.587, 0.819], marks=pytest.mark.campaign),
        pytest.param(-pi / 9, "smith", [0.080, 0.351, 0.587, 0.831], marks=pytest.mark.campaign),
    ],
)
def test_pendulum_over_a_belt(q1: float, law: str, times: list[float]) -> None:
    """Three impacts, a slide, a stick; then the belt pulls the pendulum out until it slips, and off."""
    pendulum = BeltPendulum(q1=q1, law=law)
    events = pendulum.run(1.2)
    assert [event.kind for event in events] == ["impact", "impact", "impact", "stick", "slip", "lift", "end"]
    assert [event.t for event in events[:4]] == pytest.approx(times, abs=6e-4)
    stuck = np.array(events[4].state)
    N, T = pendulum.forces(stuck)
    assert abs(T) == pytest.approx(pendulum.mu_s[1] * N, abs=1e-9)
    assert pendulum.place(stuck) == pytest.approx((1.3333142858237985, -1.2), abs=1e-9)  # wherever it stuck before


def test_bounces_sum_to_their_limit() -> None:
    """t_k tends to t_∞, and each flight is e times the one before."""
    ball = Bouncing()
    flights = np.diff(ball.times(50))
    assert flights[1:] / flights[:-1] == pytest.approx(np.full(48, ball.e), abs=1e-12)
    assert ball.times(400)[-1] == pytest.approx(ball.zeno(), abs=1e-13)


def test_dry_friction_closed_forms() -> None:
    """Stick-slip repeats after its period; the block slides only below the limit; the sphere rolls in the end."""
    block = StickSlip()
    x, v = block.start()
    t, y, _ = until(
        lambda _, s: np.array([s[1], -(block.omega**2) * (s[0] - block.middle)]),
        0.0,
        np.array([block.middle + block.reach, block.v]),
        [lambda _, s: block.v - s[1]],
        1.0,
    )
    assert (t, y[0], y[1]) == pytest.approx((block.slip, x, v), abs=1e-11)
    assert (incline(0.3, 1.001, 5.0), incline(0.3, 0.999, 5.0) > 0) == (0.0, True)
    ball = Sphere()
    start, way, _ = ball.rolls()
    assert ball.x(start) == pytest.approx(way, abs=1e-14)
    assert ball.v0 - ball.mu * ball.g * start == pytest.approx(2.5 * ball.mu * ball.g * start, abs=1e-14)


def test_rocking_block_by_quadrature_and_by_integration() -> None:
    """The quarter period, with Housner's for a slender block as its limit, and the angular velocity at the impact."""
    block = RockingBlock()

    def rates(_: float, y: np.ndarray) -> np.ndarray:
        return np.array([y[1], -(block.p**2) * np.sin(block.alpha - y[0])])

    t, y, _ = until(rates, 0.0, np.array([block.theta, 0.0]), [lambda _, s: s[0]], 2.0)
    assert (t, -y[1]) == pytest.approx(block.impacts(1)[0][:2], abs=1e-12)
    slender = RockingBlock(b=1e-3, h=0.4, theta=5e-4)
    assert slender.quarter(5e-4) == pytest.approx(slender.small(5e-4), rel=1e-5)


@pytest.mark.parametrize("law", LAWS)
def test_impacts_of_a_rod_obey_their_law(law: str) -> None:
    """Slip never grows energy; without friction or coupling the three laws are one; frictionless e is the ratio."""
    rod = Rod()
    for theta in (0.4, 0.8, 1.2):
        for u in np.array([[0.0, -1.0, 0.0], [1.0, -1.0, 0.0], [-2.0, -1.0, 1.0]]):
            smooth = rod.rows(theta) @ rod.impact(theta, u, 0.0, 0.7, law)
            assert smooth[1] == pytest.approx(-0.7 * (rod.rows(theta) @ u)[1], abs=1e-13)
            assert rod.kinetic(rod.impact(theta, u, 0.3, 0.7, law)) < rod.kinetic(u)
    v_t, v_n, T, p = routh(np.diag([2.0, 1.0]), (0.5, -1.0), 0.3, 0.5, law)
    assert (v_t, v_n, T, p) == pytest.approx((0.0, 0.5, -0.25, 1.5), abs=1e-14)


@pytest.mark.campaign
def test_rod_impact_is_its_own_limit_of_small_steps() -> None:
    """Routh's process with 200,000 steps of impulse ends at the piecewise linear one, by the energetic law."""
    A, mu, e = Rod().A(1.0), 0.4, 0.6
    v, T, W, W_c, dp = np.array([1.0, -1.0]), 0.0, 0.0, 0.0, 1e-5
    while v[1] < 0 or (1 - e**2) * W_c > W:
        hold = -(v[0] / dp + A[0, 1]) / A[0, 0]
        push = float(np.clip(hold, -mu, mu))
        step = A @ (push, 1.0) * dp
        W, T, v = W + (v[1] + step[1] / 2) * dp, T + push * dp, v + step
        W_c = min(W, W_c)
    assert (v[0], v[1], T) == pytest.approx(routh(A, (1.0, -1.0), mu, e, "energetic")[:3], abs=1e-4)


def test_painleve_configurations() -> None:
    """a < 0 for μ above critical and one sign of slip; then no force is consistent, and a jam stops the slip."""
    rod, theta = Rod(), 1.1
    mu = 1.2 * rod.critical(theta)
    assert rod.sliding(theta, 0.0, 0.8 * rod.critical(theta), -1.0)[1] > 0
    b, a = rod.sliding(theta, 0.0, mu, -1.0)
    assert (b < 0, a < 0, rod.sliding(theta, 0.0, mu, 1.0)[1] > 0) == (True, True, True)
    W, M = rod.rows(theta), np.diag([rod.m, rod.m, rod.J])
    touch = ContactPoint(W[1], W[0], mu_s=mu, mu_d=mu, slip=-1)
    assert resolve(M, np.array([0.0, -rod.m * rod.g, 0.0]), [touch]) == []
    before = np.array([-1.0, 0.0, 0.0])
    after = rod.jam(theta, before, mu)
    assert W @ after == pytest.approx(np.zeros(2), abs=1e-13)
    assert rod.kinetic(after) < rod.kinetic(before)


def test_combinations_of_contacts() -> None:
    """A block pushed along a floor: it sticks within μ N, slips beyond, leaves when lifted."""
    M, normal, tangent = np.eye(2), np.array([0.0, 1.0]), np.array([1.0, 0.0])
    touch = ContactPoint(normal, tangent, mu_s=0.5, mu_d=0.4)
    pushes = {STICK: (4.0, -10.0), "forward": (6.0, -10.0), "backward": (-6.0, -10.0), OPEN: (0.0, 1.0)}
    for state, push in pushes.items():
        assert [found.states for found in resolve(M, np.array(push), [touch])] == [(state,)]


@pytest.mark.campaign
def test_woodpecker_on_its_limit_cycle() -> None:
    """A period of 0.146 s, through the published start to 1 %; it never passes the pole and only falls."""
    toy = Woodpecker()
    period, fall, events = toy.cycle(settle=1.5)
    assert period == pytest.approx(0.14597, abs=5e-5)
    assert fall == pytest.approx(0.01945, abs=5e-5)
    assert [(event.kind, event.contact) for event in events] == [
        ("impact", "beak"), ("impact", "above"), ("lift", "above"), ("impact", "below"), ("impact", "below"),
        ("stick", "below"), ("slip", "below"), ("lift", "below"), ("impact", "above"),
    ]  # fmt: skip
    slide = events[4]
    _, y, _ = until(toy.rates(slide.mode), slide.t, slide.state, [lambda _, s: s[2] + 0.2788], slide.t + 0.1)
    assert y[[3, 5]] == pytest.approx((-0.3411, -7.4583), rel=1e-2)


def test_billiard_keeps_momentum_and_energy() -> None:
    """Both with e = 1, momentum alone below; a change of 1e-12 in the aim moves no collision by 1e-10."""
    table = Billiard()
    found, _, v = table.run(60)
    assert len(found) == 23
    assert v.sum(axis=0) == pytest.approx((table.speed, 0.0), abs=1e-14)
    assert (v**2).sum() == pytest.approx(table.speed**2, rel=1e-13)
    moved, _, _ = replace(table, offset=table.offset + 1e-12).run(60)
    assert max(abs(a.t - b.t) for a, b in zip(found, moved, strict=True)) < 1e-10
    _, _, slower = replace(table, e=0.9).run(60)
    assert slower.sum(axis=0) == pytest.approx((table.speed, 0.0), abs=1e-14)
    assert (slower**2).sum() < table.speed**2


@pytest.mark.campaign
def test_coin_slips_and_falls() -> None:
    """The force while it rolls is the one of momentum; the slip begins on the edge of the cone; it falls over."""
    coin = Coin()
    t, y = coin.slips(1.0)
    assert (t, coin.margin(t, y)) == pytest.approx((0.0617, 0.0), abs=1e-4)
    N, friction = coin.force(y)
    assert np.linalg.norm(friction) == pytest.approx(coin.mu * N, rel=1e-12)
    end, state, how = coin.falls(0.2, 1.0)
    assert (how, end) == ("leans", pytest.approx(0.14890, abs=1e-4))
    assert coin.slip_speed(state) > 0.1


def test_pin_in_a_hole() -> None:
    """Chords of equal angle with e = 1; a crank turned by 0 and by π puts the slider at l ± a."""
    impacts = replace(PinInHole(), e=1.0).impacts(20)
    flights = np.diff([t for t, _, _ in impacts])
    assert flights == pytest.approx(np.full(19, flights[0]), abs=1e-13)
    assert (slider(0.1, 0.3, 0.0), slider(0.1, 0.3, pi)) == pytest.approx((0.4, 0.2))
