"""Segmented beams: large bending by a chain of beams, each small in its own frame."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw


def under_a_moment(n, length, moment):
    model = lw.Model("roll")
    beam = model.beam("b", model.frame, model.origin, length, EI=1.0, rho_A=1.0, segments=n)
    model.torque(beam.tip_frame, moment * model.frame.z)
    return model, beam, model.equations()


def rolled(n, turns):
    """Tip of a beam of length 1 under the moment that bends it into a circle, and how far its tip has turned."""
    one = under_a_moment(2, 2.0 / n, 2 * math.pi * turns)[2]  # every segment bends alike: the start for all
    model, beam, eq = under_a_moment(n, 1.0, 2 * math.pi * turns)
    rest = eq.equilibrium(q=np.tile(list(one.equilibrium().q.values())[:2], n).tolist())
    N = model.frame
    tip, x = beam.tip.position(), beam.tip_frame.x
    wanted = [tip.dot(N.x), tip.dot(N.y), x.dot(N.x), x.dot(N.y)]
    return np.array(eq.evaluate(wanted, **rest.arguments))


@pytest.mark.parametrize("n", [6, 12])
def test_a_tip_moment_rolls_a_beam_into_a_circle(n):
    """M = 2π EI/L: the tip comes back to the root and turns once round, exactly: equal segments close a polygon."""
    assert rolled(n, 1.0) == pytest.approx([0.0, 0.0, 1.0, 0.0], abs=1e-10)


def test_a_quarter_turn_converges():
    """M = ½π EI/L: the tip is at (2/π, 2/π); twice as many segments leave a quarter of the rest, or less."""
    off = [np.abs(rolled(n, 0.25)[:2] - 2 / math.pi).max() for n in (4, 8)]
    assert off[1] < 3e-4
    assert off[0] / off[1] > 3.9


def test_a_half_circle():
    """M = π EI/L: the tip is at (0, 2/π)."""
    x, y, cosine, _ = rolled(16, 0.5)
    assert (x, y) == pytest.approx((0.0, 2 / math.pi), abs=3e-4)
    assert cosine == pytest.approx(-1.0, abs=1e-5)


def test_segments_vibrate_as_one_beam():
    """Four cubic segments are four finite elements: 3.5161 and 22.06."""
    model = lw.Model("row")
    model.beam("b", model.frame, model.origin, 1.0, EI=1.0, rho_A=1.0, segments=4)
    eq = model.equations()
    values = np.sort(np.abs(eq.linearize(q=dict.fromkeys(eq.q_names, 0.0)).eigenvalues.imag))[::2]
    assert values[:2] == pytest.approx([3.516015268, 22.034491558], rel=2e-3)
    assert values[0] == pytest.approx(3.516015268, rel=4e-5)


def test_places_on_segments_and_bad_numbers():
    """s runs through all segments; what slides, shapes and odd numbers are refused by name."""
    model = lw.Model("row")
    (z,) = model.coordinates("z")
    beam = model.beam("b", model.frame, model.origin, 2.0, EI=1.0, rho_A=lambda s: 1.0 + s, segments=3)
    eq = model.equations()
    still = {"q": dict.fromkeys(eq.q_names, 0.0), "u": dict.fromkeys(eq.u_names, 0.0)}
    at = beam.at(1.7).position().dot(model.frame.x)
    assert model.equations().evaluate([at], **still)[0] == pytest.approx(1.7, rel=1e-15)
    masses = [body.mass for body in eq.system.elastic_bodies]
    assert sum(eq.evaluate(masses, **still)) == pytest.approx(4.0, rel=1e-13)
    with pytest.raises(lw.ModelError, match="fixed; got s = z"):
        beam.at(z)
    with pytest.raises(lw.ModelError, match="beam 'c' is to have 0 segments"):
        model.beam("c", model.frame, model.origin, 1.0, EI=1.0, rho_A=1.0, segments=0)
    with pytest.raises(lw.ModelError, match="segments of beam 'c' are clamped to each other"):
        model.beam("c", model.frame, model.origin, 1.0, EI=1.0, rho_A=1.0, segments=2, shapes="pinned-pinned")
