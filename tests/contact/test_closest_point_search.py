"""The search for least distances at one state: how many there are, which is the least, and where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import latchwork as lw
from latchwork.contact.closest_point.newton import finder
from latchwork.contact.closest_point.search import another_wins, next_gap, prospects, seed
from latchwork.contact.closest_point.states import tracked_equations
from latchwork.contact.curves import Curve, Surface
from latchwork.contact.narrow_phase.pairs import features_of
from tracked_models import bowl, disk, ellipse, over_sine, planar, sine_ground, tracked_features

VALLEY = -np.pi / 6  # of y = 0.1 sin 3x, where it is −0.1 and its curvature 0.9


@pytest.fixture(scope="module")
def sine():
    """The finder of a disk over sine ground."""
    model, feature = over_sine()
    return finder(feature, model.equations().arguments)


def state(x: float, y: float) -> list[float]:
    """A disk at rest."""
    return [0.0, x, y, 0.0, 0.0, 0.0, 0.0]


def test_two_minima_beyond_the_center_of_curvature(sine):
    """High over a valley both sides of it are nearest; below the center of curvature its bottom is."""
    low, high = seed(sine, state(VALLEY, 0.6)), seed(sine, state(VALLEY, 1.6))
    assert len(low) == 1
    assert low[0] == pytest.approx([VALLEY], abs=1e-14)
    found = sorted(s[0] - VALLEY for s in high if abs(s[0] - VALLEY) < 1.0)
    assert len(found) == 2
    assert found[0] == pytest.approx(-found[1], abs=1e-12)
    best = minimize_scalar(lambda s: np.hypot(s - VALLEY, 0.1 * np.sin(3 * s) - 1.6), bounds=(VALLEY, VALLEY + 1.0),
                           method="bounded", options={"xatol": 1e-10})  # fmt: skip
    assert found[1] == pytest.approx(best.x - VALLEY, abs=1e-6)
    assert sine.gap(state(VALLEY, 1.6), high[0]) == pytest.approx(best.fun - 0.1, abs=1e-12)


def test_solutions_are_exact(sine):
    """Newton's method leaves nothing of r = 0."""
    x = state(1.0, 0.8)
    s = seed(sine, x)[0]
    assert abs(sine.newton.many(sine.rows(x, s[None]))[0, 0]) < 1e-14


def test_minimum_falls_through_zero_at_the_center_of_curvature():
    """A center that rises over a valley stops a run on the minimum where it is 1/κ above the bottom."""
    model, feature = over_sine()
    sim = lw.Simulation(tracked_equations(model.equations(), [feature]),
                        {"x": VALLEY, "y": 0.4, "angle": 0.0, "ground.s": VALLEY}, {"u_y": 0.5})  # fmt: skip
    sim.advance(until=5.0, stop_when={"lost": feature.tracked.minimum})
    assert sim.q["y"] == pytest.approx(-0.1 + 1.0 / 0.9, abs=1e-9)


def test_another_minimum_wins_where_it_is_nearer(sine):
    """Beside the middle of a valley, the far side loses to the near one, and the near one to none; equals stay."""
    x = state(VALLEY + 0.01, 1.6)
    near, far = seed(sine, x)[:2]
    assert near[0] > VALLEY > far[0]
    assert another_wins(sine, x, far) == pytest.approx(near)
    assert another_wins(sine, x, near) is None
    assert next_gap(sine, x, near) == (pytest.approx(sine.gap(x, far)), True)
    assert next_gap(sine, x, far) == (pytest.approx(sine.gap(x, near)), True)
    assert next_gap(sine, x, near, taken=[far])[0] > sine.gap(x, far)
    assert another_wins(sine, x, far, taken=[near]) is None
    middle = state(VALLEY, 1.6)
    assert all(another_wins(sine, middle, s) is None for s in seed(sine, middle)[:2])
    assert another_wins(sine, middle, [VALLEY]) is not None


def test_a_least_distance_may_come_where_the_center_of_curvature_is_above(sine):
    """d κ < 1: close above the ground everywhere, higher up not where the valleys bend up more than that."""
    low, high = (prospects(sine, state(VALLEY, y))[:, 0] for y in (0.6, 2.5))
    assert np.diff(low).max() == pytest.approx(np.diff(low).min())
    assert set(high) < set(low)
    assert np.abs(high - VALLEY).min() > 0.1


def test_what_lies_past_the_material_is_no_minimum():
    """Below a flat ellipse its far side is a local least distance, seen from inside; only the near side is found."""
    model, ball = disk()
    round_one = ellipse(model.origin, model.frame, 1.0, 0.3)
    feature, = tracked_features("plate", ball, round_one)
    find = finder(feature, model.equations().arguments)
    found = seed(find, state(0.0, -0.9))
    assert [s.tolist() for s in found] == [pytest.approx([1.5 * np.pi])]
    assert find.gap(state(0.0, -0.9), found[0]) == pytest.approx(0.5)
    inside = state(0.0, -0.2)
    assert find.gap(inside, seed(find, inside)[0]) == pytest.approx(-0.2)


def test_no_minimum_past_an_end(sine):
    """Past the end of a range nothing is found, unless the search goes beyond it; what lies in range comes first."""
    model, ball = disk()
    feature, = tracked_features("ground", ball, sine_ground(model, 0.0, 2.0))
    arguments = model.equations().arguments
    assert seed(finder(feature, arguments), state(-0.4, 0.4)) == []
    wide = seed(finder(feature, arguments, beyond=0.5), state(-0.4, 0.4))
    assert wide[0] == pytest.approx(seed(sine, state(-0.4, 0.4))[0], abs=1e-12)
    assert another_wins(finder(feature, arguments), state(-0.4, 0.4), [0.3]) is None


def test_range_is_part_of_the_feature():
    """``within`` is (s − low) and (high − s) over the range; a closed curve has none."""
    model, ball = disk()
    feature, = tracked_features("ground", ball, sine_ground(model, 0.0, 2.0))
    equations = tracked_equations(model.equations(), [feature])
    q = {"x": 0.0, "y": 1.0, "angle": 0.0, "ground.s": 0.5}
    assert equations.evaluate(list(feature.within), q, [0.0] * 3) == pytest.approx([0.25, 0.75])
    assert tracked_features("plate", ball, ellipse(model.origin, model.frame, 1.0, 0.3))[0].within == ()


def test_ends_are_touched_like_points():
    """A ball past the end of a curve is |C − E| − ρ from it; the feature holds where the center is past the end."""
    model, ball = disk()
    main, low, high = features_of("table", ball, Curve(model.origin, lambda s: s * model.frame.x, (0.0, 2.0)))
    equations = model.equations()
    for feature, x, sign in ((low, -0.3, -1.0), (high, 2.3, 1.0)):
        q = [x, 0.4, 0.0]
        assert equations.evaluate(feature.gap, q, [0.0] * 3) == pytest.approx(0.4)
        assert equations.evaluate(feature.normal, q, [0.0] * 3) == pytest.approx([sign * 0.6, 0.8, 0.0])
        assert equations.evaluate(feature.within[0], q, [0.0] * 3) == pytest.approx(0.3)
        assert equations.evaluate(feature.within[0], [1.0, 0.4, 0.0], [0.0] * 3) < 0.0
    assert main.tracked is not None


def test_touching_curves_are_not_singular():
    """Where the gap is zero the rates of both parameters are finite: the normal is that of the host."""
    model = lw.Model("two")
    one, two = (planar(model, name) for name in "AB")
    feature, = tracked_features("pair", ellipse(one[1], one[0], 0.5, 0.2), ellipse(two[1], two[0], 0.6, 0.3))
    equations = tracked_equations(model.equations(), [feature])
    q = {"xA": 0.0, "yA": 0.5, "qA": 0.0, "xB": 0.0, "yB": 0.0, "qB": 0.0, "pair.s1": 1.5 * np.pi, "pair.s2": np.pi / 2}
    u = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    rates = dict(zip(equations.q_names, equations.qdot(q, u), strict=True))
    assert equations.evaluate(feature.gap, q, u) == pytest.approx(0.0, abs=1e-15)
    kappa = 0.2 / 0.5**2, 0.3 / 0.6**2  # b/a²; the normal turns by κ_B δ = κ_A (1 − δ), δ the way along B
    along = kappa[0] / sum(kappa)
    assert -0.6 * rates["pair.s2"] == pytest.approx(along)
    assert 0.5 * rates["pair.s1"] == pytest.approx(along - 1.0)


def test_two_bodies_held_in_contact():
    """Two ellipses held together by their gap keep energy, momentum and angular momentum, and stay in contact."""
    model = lw.Model("two")
    one, two = (planar(model, name) for name in "AB")
    feature, = tracked_features("pair", ellipse(one[1], one[0], 0.5, 0.2), ellipse(two[1], two[0], 0.6, 0.3))
    equations = model.equations()
    q = {"xA": 0.0, "yA": 0.5, "qA": 0.0, "xB": 0.0, "yB": 0.0, "qB": 0.0, "pair.s1": 1.5 * np.pi, "pair.s2": np.pi / 2}
    u = {"u_xA": 0.4, "uA": 1.0, "u_xB": -0.3, "uB": 0.7}
    sim = lw.Simulation(tracked_equations(equations, [feature]), q, u, method=lw.DormandPrince(rtol=1e-11))
    sim.constrain(lw.Constraint("gap", feature.gap))
    sim.advance(until=2.0)
    kept = [equations.kinetic_energy, *equations.linear_momentum().measures(model.frame),
            equations.angular_momentum().dot(model.frame.z)]  # fmt: skip
    for e in kept:
        assert sim.run[e] == pytest.approx(sim.run[e][0], abs=1e-8)
    assert sim.run[feature.gap] == pytest.approx(0.0, abs=1e-9)
    assert np.abs(sim.run["uA"] - sim.run["uA"][0]).max() > 0.1


def test_surface_with_its_poles_left_out_is_searched_round(sine):
    """A point near a sphere finds the place below it, across the seam of its azimuth too."""
    model = lw.Model("sphere")
    x, y, z = model.coordinates("x", "y", "z")
    N = model.frame
    P = model.origin.at("P", N.vector(x, y, z))
    model.particle("P", P, 1.0)
    globe = Surface(model.origin,
                    lambda a, b: lw.sin(a) * lw.cos(b) * N.x + lw.sin(a) * lw.sin(b) * N.y + lw.cos(a) * N.z,
                    ((0.2, np.pi - 0.2), (0.0, 2 * np.pi)), periodic=(False, True))  # fmt: skip
    feature, = tracked_features("globe", P, globe)
    find = finder(feature, model.equations().arguments)
    for azimuth in (0.0, 1e-9, 2 * np.pi - 1e-3, 3.0):
        point = 1.7 * np.array([np.sin(1.1) * np.cos(azimuth), np.sin(1.1) * np.sin(azimuth), np.cos(1.1)])
        found = seed(find, [0.0, *point, 0.0, 0.0, 0.0])
        assert len(found) == 1
        assert find.gap([0.0, *point, 0.0, 0.0, 0.0], found[0]) == pytest.approx(0.7)
        assert found[0][0] == pytest.approx(1.1)


def test_saddles_are_no_minima():
    """Beside the axis of a bowl, beyond its center of curvature, the near side is least; the far side is a saddle."""
    model = lw.Model("bowl")
    x, y, z = model.coordinates("x", "y", "z")
    P = model.origin.at("P", model.frame.vector(x, y, z))
    model.particle("P", P, 1.0)
    feature, = tracked_features("bowl", P, bowl(model, 0.5))
    find = finder(feature, model.equations().arguments)
    assert len(seed(find, [0.0, 0.0, 0.0, 0.9, 0.0, 0.0, 0.0])) == 1
    found = seed(find, [0.0, 0.1, 0.0, 1.6, 0.0, 0.0, 0.0])
    assert len(found) == 1
    assert found[0][0] > 0.9


def test_values_of_parameters_are_those_of_the_state():
    """A curve that contains a parameter follows the value that the state has."""
    model, ball = disk()
    a = model.parameter("a", 0.1)
    N = model.frame
    feature, = tracked_features("ground", ball, Curve(model.origin, lambda s: s * N.x + a * s**2 * N.y, (-2.0, 2.0)))
    find = finder(feature, model.equations().arguments)
    for value in (0.1, 0.4):
        s = seed(find, [*state(0.5, 0.6), value])[0][0]
        assert (0.5 - s) + (0.6 - value * s**2) * 2 * value * s == pytest.approx(0.0, abs=1e-12)


def test_a_place_that_is_not_finite_is_named():
    """Where a parameter had no value before, a curve without a place is refused by the search, with the place."""
    model, ball = disk()
    a = model.parameter("a")
    N = model.frame
    arch = Curve(model.origin, lambda s: s * N.x + lw.sqrt(a - s**2) * N.y, (0.0, 2.0))
    feature, = tracked_features("arch", ball, arch)
    find = finder(feature, model.equations().arguments)
    with pytest.raises(lw.EvaluationError, match=r"'arch' has no place at arch.s = 1.00392: it is \[1.0039.*, nan"):
        seed(find, [*state(0.5, 2.0), 1.0])
    assert len(seed(find, [*state(0.5, 2.5), 5.0])) == 1
