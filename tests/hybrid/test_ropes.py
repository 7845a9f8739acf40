"""Ropes: slack, taut, with an impact between, and never longer than they are."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw

FINE = lw.DormandPrince(rtol=1e-12, atol=1e-14)
G = 9.81


def ball_on_a_rope(length=1.0, restitution=0.0):
    """A ball of 1 kg that moves in a plane, tied to the origin."""
    model = lw.Model("ball")
    N, (x, y) = model.frame, model.coordinates("x", "y")
    ball = model.origin.at("P", x * N.x + y * N.y)
    model.particle("ball", ball, 1.0)
    model.gravity(-G * N.y)
    given = length(model) if callable(length) else length
    return model, model.rope("rope", ball, model.origin, given, restitution=restitution)


def test_a_ball_dropped_on_a_rope():
    """It goes taut at √(2 L/g); each hop is e times as long as the last; then it hangs, and the tension is m g."""
    model, rope = ball_on_a_rope(restitution=0.5)
    run = lw.simulate(model, until=2.0, q=[0.0, 0.0], method=FINE)
    first, v = math.sqrt(2.0 / G), math.sqrt(2.0 * G)
    hops = [first + sum(2.0 * v * 0.5**i / G for i in range(1, n + 1)) for n in range(5)]
    assert [event.t for event in run.events[:5]] == pytest.approx(hops, abs=1e-9)
    assert run.events[0].impulses["rope"] == pytest.approx([1.5 * v], rel=1e-9)
    assert run.modes[-1].names == ("rope: slide",)
    assert run[rope.force][-1] == pytest.approx(G, rel=1e-9)
    assert run["y"][-1] == pytest.approx(-1.0, abs=1e-9)


def test_a_pendulum_that_goes_slack_and_taut():
    """From below with v² = 3.5 g L, the rope goes slack where cos θ = −1/2, and taut again on the parabola."""
    model, rope = ball_on_a_rope()
    run = lw.simulate(model, until=1.5, q=[0.0, -1.0], u=[math.sqrt(3.5 * G), 0.0], method=FINE)
    slack, taut = run.events[:2]
    assert (slack.kind, taut.kind) == ("release", "impact")
    here = run.at(slack.t)
    assert (here["x"], here["y"]) == pytest.approx((math.sin(2.0 * math.pi / 3.0), 0.5), abs=1e-8)
    # x = s − v t/2, y = 1/2 + s v t − g t²/2 with s = √3/2 and v² = g/2 meets the circle again at t = 4 s v/g
    s, v = math.sqrt(0.75), math.sqrt(0.5 * G)
    assert taut.t - slack.t == pytest.approx(4.0 * s * v / G, abs=1e-8)
    assert run[rope.force][0] == pytest.approx(4.5 * G, rel=1e-12)
    assert run[rope.force].min() >= 0.0
    assert (np.hypot(run["x"], run["y"]) <= 1.0 + 1e-10).all()


def test_a_rope_through_the_place_where_its_ends_meet():
    """Ends that coincide leave nothing without a value; without losses the ball comes back as high."""
    model, _ = ball_on_a_rope(restitution=1.0)
    run = lw.simulate(model, until=3.0, q=[0.0, 0.5], method=FINE)
    first = math.sqrt(2.0 * 1.5 / G)
    assert [event.t for event in run.events] == pytest.approx([first, 3.0 * first, 5.0 * first], abs=1e-9)


def test_a_winch():
    """A length 1 − t/2 lifts what hangs on it, with the tension m g, and with m g v the power."""
    model, rope = ball_on_a_rope(lambda model: 1.0 - 0.5 * model.time)
    run = lw.simulate(model, until=1.0, q=[0.0, -1.0], u=[0.0, 0.5])
    assert not run.events
    assert run["y"][-1] == pytest.approx(-0.5, abs=1e-12)
    assert run[rope.force] == pytest.approx(np.full(len(run.t), G), rel=1e-9)


def test_two_on_one_rope():
    """A ball flies off, and drags another along that rubs: momentum is kept across the impact, and friction f slows
    both, so that the rope carries f m/(m + M)."""
    model = lw.Model("two")
    N = model.frame
    a, b = (model.prismatic(name, axis=N.x, q=[f"x{name}"], u=[f"v{name}"]) for name in "ab")
    for link, mass in ((a, 1.0), (b, 3.0)):
        model.particle(f"ball {link.name}", link.origin, mass)
    model.rope("rope", a.origin, b.origin, 2.0)
    model.friction("rubs", b, 2.0, 1.0)
    run = lw.simulate(model, until=1.5, u=[4.0, 0.0])
    (impact, slide) = run.events[:2]
    assert (impact.kind, impact.t, slide.kind) == ("impact", pytest.approx(0.5), "slide")
    assert run.at(0.5 + 1e-9)["vb"] == pytest.approx(1.0, abs=1e-8)
    assert impact.energy == pytest.approx(6.0)
    reaction = run.reactions()["rope"]
    assert reaction.force[np.searchsorted(run.t, 0.6)] == pytest.approx([-0.25, 0.0, 0.0], abs=1e-9)


@pytest.mark.parametrize(
    ("give", "said"),
    [
        (lambda m, P: (P, m.origin, 0.0), "length of rope 'r' is 0.0. Give a positive number"),
        (lambda m, P: (P, m.origin, math.inf), "length of rope 'r' is inf"),
        (lambda m, P: (P, P, 1.0), "rope 'r' goes from 'P' to 'P'. Give two points"),
        (lambda m, P: ("P", m.origin, 1.0), "ends of rope 'r' are points; got 'P'"),
        (lambda m, P: (P, m.origin, m.symbols["x"]), "contains 'x'. Give a number, or an expression in t"),
        (lambda m, P: (P, lw.Model("other").origin, 1.0), "Give two points of one model"),
    ],
)
def test_wrong_arguments_are_refused(give, said):
    """In words: what is wrong, the values, what to do."""
    model = lw.Model("refused")
    P = model.origin.at("P", model.coordinate("x") * model.frame.x)
    with pytest.raises(lw.ModelError, match=said):
        model.rope("r", *give(model, P))


def test_restitution_is_looked_at():
    """As that of any contact."""
    with pytest.raises(lw.ModelError, match=r"restitution of 'rope' is 2.0"):
        ball_on_a_rope(restitution=2.0)


def test_a_rope_that_is_too_short_at_the_start():
    """The distance and the length are told."""
    model, _ = ball_on_a_rope()
    with pytest.raises(lw.ModelError, match=r"ends of rope 'rope' are 1.1 apart at t = 0, and it is 1 long"):
        lw.simulate(model, until=1.0, q=[0.0, -1.1])
