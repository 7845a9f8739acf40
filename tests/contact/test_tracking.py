"""Tracking of extremal points along the motion: against brute force, closed forms, and minimal coordinates."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq, minimize

import latchwork as lw
from latchwork.constraint.joints.spot import velocity
from latchwork.constraint.rows import rows_of
from latchwork.contact.closest_point.newton import finder
from latchwork.contact.closest_point.search import seed
from latchwork.contact.closest_point.states import FEEDBACK, tracked_equations
from latchwork.contact.curves import Curve
from latchwork.contact.feature import Feature
from latchwork.hybrid import stepper_flow
from latchwork.hybrid.contacts.tracked_place import TrackedPlace
from latchwork.hybrid.flow_memory import FlowMemory
from latchwork.kane.equations import Equations
from tracked_models import (
    Ball,
    Plane,
    bowl,
    disk,
    ellipse,
    ellipsoid,
    over_sine,
    planar,
    sine_ground,
    spatial,
    tracked_features,
)

FINE = lw.DormandPrince(rtol=1e-10, atol=1e-12)


def seeded(equations: Equations, feature: Feature, q: dict[str, float]) -> dict[str, float]:
    """Coordinates with those of the extremal point that is nearest."""
    x = [0.0, *(q[name] for name in equations.q_names), *[0.0] * len(equations.u), *equations.system.values.values()]
    best = seed(finder(feature, equations.arguments), x)[0]
    return q | {e.name: value for e, value in zip(feature.tracked.symbols, best, strict=True)}


def nearest_on_sine(x: float, y: float) -> float:
    """Where y = 0.1 sin 3s comes nearest to a point, by samples and bisection."""
    s = np.linspace(x - 0.5, x + 0.5, 2001)
    i = np.hypot(s - x, 0.1 * np.sin(3 * s) - y).argmin()
    return brentq(lambda s: s - x + (0.1 * np.sin(3 * s) - y) * 0.3 * np.cos(3 * s), s[i - 1], s[i + 1], xtol=1e-15)


def test_tracked_parameter_stays_at_the_closest_point():
    """To and fro over twenty waves, s that was integrated is where brute force finds the closest point, to 1e-9."""
    model, feature = over_sine(stiffness=40.0)
    equations = model.equations()
    q = seeded(equations, feature, {"x": 0.3, "y": 0.55, "angle": 0.0})
    followed = tracked_equations(equations, [feature])
    run = lw.simulate(followed, until=20.0, q=q, u={"u_x": 1.5, "u_angle": 2.0}, method=FINE)
    expected = [nearest_on_sine(x, y) for x, y in zip(run["x"], run["y"], strict=True)]
    assert np.abs(run["ground.s"] - expected).max() < 1e-9
    assert np.abs(np.diff(run["ground.s"])).sum() > 19.0


def test_ellipse_over_a_plane():
    """The lowest point of a turned ellipse is √(a² sin² + b² cos²) below its center."""
    model = lw.Model("ellipse")
    frame, center = planar(model, "A")
    feature, = tracked_features("floor", ellipse(center, frame, 0.5, 0.2),
                                Plane(model.origin, model.frame.y, model.frame))  # fmt: skip
    equations = model.equations()
    q = seeded(equations, feature, {"xA": 0.0, "yA": 2.0, "qA": 0.3})
    run = lw.simulate(tracked_equations(equations, [feature]), until=6.0, q=q, u={"uA": 2.0, "u_xA": 0.4},
                      method=FINE)  # fmt: skip
    angle = run["qA"]
    depth = np.sqrt((0.5 * np.sin(angle)) ** 2 + (0.2 * np.cos(angle)) ** 2)
    assert run[feature.gap] == pytest.approx(run["yA"] - depth, abs=1e-9)
    assert run[feature.tracked.minimum].min() > 0.0


def on_ellipse(pose: np.ndarray, axes: tuple[float, float], s: float) -> np.ndarray:
    """A point of an ellipse that stands at (x, y, angle)."""
    cosine, sine = np.cos(pose[2]), np.sin(pose[2])
    return pose[:2] + np.array([[cosine, -sine], [sine, cosine]]) @ (axes * np.array([np.cos(s), np.sin(s)]))


def distance_of_ellipses(a: np.ndarray, b: np.ndarray) -> float:
    """The least distance of two ellipses by minimisation from many starts."""
    far = lambda z: np.linalg.norm(on_ellipse(a, (0.5, 0.2), z[0]) - on_ellipse(b, (0.6, 0.3), z[1]))  # noqa: E731
    return min(minimize(far, [i, j], tol=1e-10).fun for i in range(0, 6, 2) for j in range(0, 6, 2))


def test_two_ellipses():
    """Two ellipses that turn and fly past each other: the gap is the least distance that minimisation finds."""
    model = lw.Model("two ellipses")
    one, two = (planar(model, name) for name in "AB")
    feature, = tracked_features("pair", ellipse(one[1], one[0], 0.5, 0.2), ellipse(two[1], two[0], 0.6, 0.3))
    equations = model.equations()
    q = seeded(equations, feature, {"xA": 0.0, "yA": 1.2, "qA": 0.3, "xB": 0.1, "yB": 0.0, "qB": 0.2})
    run = lw.simulate(tracked_equations(equations, [feature]), until=1.0, q=q, method=FINE,
                      u={"uA": 2.0, "u_xA": 0.4, "uB": -0.7, "u_yA": -0.1, "u_yB": 0.05})  # fmt: skip
    poses = [np.stack([run[f"{e}{k}"] for e in "xyq"], axis=1) for k in "AB"]
    expected = [distance_of_ellipses(a, b) for a, b in zip(poses[0][::8], poses[1][::8], strict=True)]
    assert run[feature.gap][::8] == pytest.approx(expected, abs=1e-9)
    assert len(expected) > 3


def test_ball_in_a_bowl():
    """Over z = k (x² + y²) the closest point of (R, Z) solves r − R + 2 k r (k r² − Z) = 0, whatever the azimuth."""
    model = lw.Model("bowl")
    x, y, z = model.coordinates("x", "y", "z")
    C = model.origin.at("C", model.frame.vector(x, y, z))
    model.particle("P", C, 1.0)
    k, radius = 0.3, 0.15
    feature, *_ = tracked_features("bowl", Ball(C, radius, model.frame), bowl(model, k))
    equations = model.equations()
    q = seeded(equations, feature, {"x": 0.5, "y": -0.4, "z": 0.9})
    run = lw.simulate(tracked_equations(equations, [feature]), until=2.0, q=q, method=FINE,
                      u={"u_x": -0.4, "u_y": 0.5, "u_z": 0.1})  # fmt: skip
    gaps = []
    for px, py, pz in zip(run["x"], run["y"], run["z"], strict=True):
        R = np.hypot(px, py)
        roots = np.roots([2 * k**2, 0.0, 1.0 - 2 * k * pz, -R])
        r = roots[np.abs(roots.imag) < 1e-9].real
        gaps.append(np.hypot(r - R, k * r**2 - pz).min() - radius)
    assert run[feature.gap] == pytest.approx(gaps, abs=1e-9)


@pytest.fixture(scope="module")
def pairs() -> list[tuple[lw.Model, Feature]]:
    """One feature of every kind, between bodies that all move."""
    made = []
    model = lw.Model("flat")
    one, two = (planar(model, name) for name in "AB")
    curves = [ellipse(center, frame, a, b) for (frame, center), a, b in ((one, 0.5, 0.2), (two, 0.6, 0.3))]
    ball, plane = Ball(one[1], 0.1, one[0]), Plane(two[1], 0.6 * two[0].x + 0.8 * two[0].y, two[0])
    made += [(model, tracked_features(name, a, b)[0]) for name, a, b in (
        ("ball curve", ball, curves[1]), ("curve ball", curves[1], ball), ("point curve", one[1], curves[1]),
        ("curve plane", curves[0], plane), ("plane curve", plane, curves[0]), ("curve curve", *curves))]  # fmt: skip
    model = lw.Model("space")
    links = [spatial(model, name) for name in "AB"]
    surfaces = [ellipsoid(link, axes) for link, axes in zip(links, ((0.5, 0.4, 0.3), (0.6, 0.45, 0.7)), strict=True)]
    f = links[0].frame
    ring = Curve(links[0].origin, lambda s: 0.5 * lw.cos(s) * f.x + 0.4 * lw.sin(s) * f.y, (0.0, 2 * np.pi),
                 closed=True, up=f.z)  # fmt: skip
    ball = Ball(links[0].origin, 0.1, f)
    plane = Plane(links[1].origin.at("low", -1.0 * links[1].frame.y), links[1].frame.y, links[1].frame)
    made += [(model, tracked_features(name, a, b)[0]) for name, a, b in (
        ("ball surface", ball, surfaces[1]), ("surface plane", surfaces[0], plane),
        ("surface surface", *surfaces), ("ring surface", ring, surfaces[1]),
        ("surface ring", surfaces[1], ring))]  # fmt: skip
    return made


FLAT = {"xA": 0.5, "yA": 1.3, "qA": 0.4, "xB": 0.1, "yB": -0.1, "qB": 0.3}
SPACE = [0.4, 1.2, 0.7, *np.array([0.9, 0.1, -0.3, 0.2]) / np.linalg.norm([0.9, 0.1, -0.3, 0.2]),
         -0.1, 0.2, 0.1, *np.array([0.8, -0.2, 0.1, 0.4]) / np.linalg.norm([0.8, -0.2, 0.1, 0.4])]  # fmt: skip


@pytest.mark.parametrize("i", range(11))
def test_rate_of_the_gap_is_the_normal_velocity(pairs, i):
    """On r = 0 the row of the gap is n · (v_a − v_b) of the material points, and r stays 0."""
    model, feature = pairs[i]
    equations = model.equations()
    q = FLAT if model.name == "flat" else dict(zip(equations.q_names, SPACE, strict=True))
    q = seeded(equations, feature, q)
    followed = tracked_equations(equations, [feature])
    relative = feature.normal.dot(velocity(feature.on) - velocity(feature.other))
    rows = rows_of(followed, [lw.Constraint("gap", feature.gap), lw.Constraint("way", relative)])
    zero = dict.fromkeys(followed.u_names, 0.0)
    B = followed.evaluate(rows.B, q, zero)
    assert B[0] == pytest.approx(B[1], abs=1e-11)
    assert np.abs(B[0]).max() > 0.1
    u = dict(zip(followed.u_names, np.cos(np.arange(len(zero))), strict=True))
    c = followed.evaluate(rows.c, q, u)
    assert c[0] == pytest.approx(c[1], abs=1e-9)
    drift = rows_of(followed, [lw.Constraint("r", list(feature.tracked.conditions))])
    assert np.abs(followed.evaluate(drift.B, q, u)).max() < 1e-11


@pytest.mark.parametrize("i", range(11))
def test_gap_is_the_least_distance(pairs, i):
    """Between apart bodies the height is the distance of what touches, along the normal; no sample is nearer."""
    model, feature = pairs[i]
    equations = model.equations()
    q = FLAT if model.name == "flat" else dict(zip(equations.q_names, SPACE, strict=True))
    followed = tracked_equations(equations, [feature])
    start = seeded(equations, feature, q)
    u = dict.fromkeys(followed.u_names, 0.0)
    way = followed.evaluate(feature.tracked.guest - feature.tracked.host, start, u)
    height = followed.evaluate(feature.tracked.height, start, u)
    assert np.linalg.norm(way) == pytest.approx(height, abs=1e-12)
    n = followed.evaluate(feature.normal, start, u)
    assert np.abs(way / height).tolist() == pytest.approx(np.abs(n).tolist(), abs=1e-9)
    rng = np.random.default_rng(3)
    f = finder(feature, equations.arguments)
    s = rng.uniform(feature.tracked.low, feature.tracked.high, (4000, len(f.span)))
    x = [0.0, *(q[name] for name in equations.q_names), *u.values()]
    far = np.linalg.norm(f.guests.many(f.rows(x, s)) - f.hosts.many(f.rows(x, s)), axis=1)
    assert far.min() >= height
    assert far.min() < height + 0.2


def test_order_of_the_two_sides():
    """Which side is named first changes the sign of the normal and who is on which side; never the gap."""
    model, ball = disk()
    one, = tracked_features("one", ball, sine_ground(model))
    two, = tracked_features("two", sine_ground(model), ball)
    equations = tracked_equations(model.equations(), [one, two])
    q, u = {"x": 1.0, "y": 0.7, "angle": 0.1, "one.s": 0.8, "two.s": 0.8}, [0.3, 0.4, 0.5]
    assert equations.evaluate(one.gap, q, u) == equations.evaluate(two.gap, q, u)
    assert equations.evaluate(one.normal + two.normal, q, u).tolist() == [0.0, 0.0, 0.0]
    assert equations.evaluate(one.slip + two.slip, q, u) == pytest.approx([0.0, 0.0, 0.0], abs=1e-15)


def test_feedback_pulls_a_wrong_parameter_back():
    """r(q, t, s) decays as e^(−κ t), whatever the motion."""
    model, feature = over_sine(stiffness=40.0)
    equations = model.equations()
    q = seeded(equations, feature, {"x": 0.3, "y": 0.55, "angle": 0.0})
    q["ground.s"] += 0.1
    run = lw.simulate(tracked_equations(equations, [feature]), until=0.5, q=q, u={"u_x": 1.0}, method=FINE)
    r = run[feature.tracked.conditions[0]]
    assert r == pytest.approx(r[0] * np.exp(-FEEDBACK * run.t), abs=1e-9)
    assert abs(r[0]) > 0.05


def rolled(t_end: float, factor: float) -> np.ndarray:
    """s, from minimal coordinates: C(s) = c + ρ n, s̈ = −(C′·C″ ṡ² + factor g C_y′) / C′·C′, derivatives by hand."""

    def rates(_, x):
        s, v = x
        slope, bend, third = 0.3 * np.cos(3 * s), -0.9 * np.sin(3 * s), -2.7 * np.cos(3 * s)
        w = 1.0 + slope**2
        stretch = 1.0 - 0.1 * bend / w**1.5  # C′ = (1, slope) times it
        d_stretch = -0.1 * (third / w**1.5 - 3.0 * bend**2 * slope / w**2.5)
        first = stretch * np.array([1.0, slope])
        second = d_stretch * np.array([1.0, slope]) + stretch * np.array([0.0, bend])
        return [v, -(first @ second * v**2 + factor * 9.81 * first[1]) / (first @ first)]

    found = solve_ivp(rates, (0.0, t_end), [0.9, 0.4], rtol=1e-12, atol=1e-13, method="DOP853")
    return found.y[:, -1]


@pytest.mark.parametrize("rolls", [False, True])
def test_disk_held_on_sine_ground(rolls):
    """A disk held on a sine by its gap, sliding or rolling, moves as in minimal coordinates."""
    model, feature = over_sine(gravity=9.81)
    followed = tracked_equations(model.equations(), [feature])
    s, slope = 0.9, 0.3 * np.cos(2.7)
    n = np.array([-slope, 1.0]) / np.hypot(1.0, slope)
    x, y = np.array([s, 0.1 * np.sin(2.7)]) + 0.1 * n
    stretch = 1.0 + 0.09 * np.sin(2.7) / (1.0 + slope**2) ** 1.5
    u = {"u_x": 0.4 * stretch, "u_y": 0.4 * stretch * slope, "u_angle": 0.0}
    sim = lw.Simulation(followed, {"x": x, "y": y, "angle": 0.0, "ground.s": s}, u, method=FINE)
    factor = 1.0
    if rolls:
        along = feature.normal.cross(model.frame.z)
        sim = lw.Simulation(followed, {"x": x, "y": y, "angle": 0.0, "ground.s": s},
                            u | {"u_angle": -0.4 * stretch * np.hypot(1.0, slope) / 0.1}, method=FINE)  # fmt: skip
        sim.constrain(lw.Constraint("rolls", feature.slip.dot(along)))
        factor = 2.0 / (2.0 + 0.01 / 0.1**2)
    sim.constrain(lw.Constraint("gap", feature.gap))
    sim.advance(until=3.0)
    expected = rolled(3.0, factor)
    assert sim.q["ground.s"] == pytest.approx(expected[0], abs=1e-8)
    assert sim.run[feature.gap] == pytest.approx(0.0, abs=1e-9)
    assert sim.run[feature.tracked.conditions[0]] == pytest.approx(0.0, abs=1e-9)


def test_tracking_leaves_the_equations_as_they_were():
    """M, f and u̇ are the same expressions; the model's own equations know nothing of s."""
    model, feature = over_sine(gravity=9.81)
    equations = model.equations()
    before = equations.q_names, equations.arguments
    followed = tracked_equations(equations, [feature])
    assert followed.M == equations.M
    assert followed.f == equations.f
    assert list(followed.udot_expressions) == list(equations.udot_expressions)
    assert followed.q_names == ("x", "y", "angle", "ground.s")
    assert (equations.q_names, equations.arguments) == before
    assert followed.W.shape == (4, 3)
    other, = tracked_features("other", lw.Point(model.origin.tree, "P", model.origin, model.frame.x),
                              sine_ground(model))  # fmt: skip
    assert tracked_equations(followed, [other]).q_names == ("x", "y", "angle", "ground.s", "other.s")


def hops(method=None):
    """A disk that hops over a sine, whose place on it is tracked."""
    model, ball = disk(gravity=9.81)
    model.contact("ground", ball, sine_ground(model), restitution=0.7, friction=0.5)
    return lw.Simulation(model, q={"x": 0.2, "y": 1.5}, method=method)


def went(sim):
    """All bits of where a run stands, and how it came there."""
    told = [(event.t, event.name, event.after) for event in sim.events]
    return sim.t, sim.x.tobytes(), sim.run.path.t.tobytes(), told


def stopped(monkeypatch):
    """Machine code comes back at every event."""
    monkeypatch.setattr(stepper_flow, "CHANGES", 0)


def forgetful(monkeypatch):
    """Machine code knows no mode but the one that runs."""
    enter = FlowMemory.enter
    monkeypatch.setattr(FlowMemory, "enter", lambda memory, *given: memory.forget() or enter(memory, *given))


@pytest.mark.parametrize("way", [stopped, forgetful])
def test_hops_do_not_end_what_was_seen(way, monkeypatch):
    """Closest points advance through impacts, stick and slip in machine code, until it is time to look for others: the
    bits of coming back at each, and of modes that are forgotten."""
    looks, look = [], TrackedPlace.looked
    monkeypatch.setattr(TrackedPlace, "looked", lambda *given: looks.append(float(given[1][0])) or look(*given))
    whole = hops()
    whole.advance(4.0)
    times = looks.copy()
    assert len(whole.events) > 12
    assert not {event.t for event in whole.events} & {*times}
    looks.clear()
    way(monkeypatch)
    sim = hops()
    sim.advance(4.0)
    assert went(sim) == went(whole)
    assert looks == times


def test_what_was_seen_of_a_curve_is_kept():
    """A run of fixed steps that is put away on its way, and goes on in another simulation, looks for other places when
    the run in one go does: the same bits."""
    sim, other, whole = (hops(lw.RK4(2.0**-9)) for _ in range(3))
    whole.advance(2.0)
    sim.advance(0.75)
    other.state = pickle.loads(pickle.dumps(sim.state))
    other.advance(2.0)
    assert other.x.tobytes() == whole.x.tobytes()
    assert other.state.sleeping.curves.until == whole.state.sleeping.curves.until
