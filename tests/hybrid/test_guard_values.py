"""Guards of contacts as numbers: rates are those along the motion; the same bits as Python and as machine code."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork.constraint.embedded.mode import Mode
from latchwork.program.native import interpret, invoke
from tracked_models import disk

G = 9.81


def shaken_box() -> lw.Simulation:
    """A box on two corners, pushed to and fro: friction that grows with time, static above dynamic."""
    model = lw.Model("box")
    link = model.planar("box", model.frame, q=["x", "y", "a"], u=["u", "v", "w"])
    body = model.body("box", link, link.origin, 2.0, lw.inertia(link.frame, zz=0.1))
    N, t = model.frame, model.time
    model.gravity(-G * N.y)
    model.force(link.origin, 14.0 * lw.sin(9.0 * t) * N.x)
    friction = lw.Coulomb(0.5 + 0.01 * t, dynamic=0.4 + 0.02 * t)
    model.contact("floor", body.box((0.4, 0.2)), lw.Segment(model.origin.at("A", -0.5 * N.x),
                  model.origin.at("B", 0.5 * N.x), N.y), friction=friction)  # fmt: skip
    return lw.Simulation(model, {"x": 0.0, "y": 0.12, "a": 0.02})


def spinning_ball() -> lw.Simulation:
    """A ball thrown on a floor slides, turns by its spin, and rolls; in space."""
    model = lw.Model("ball")
    N, O = model.frame, model.origin
    link = model.free("ball", q=["x", "y", "z", "e0", "e1", "e2", "e3"], u=["vx", "vy", "vz", "w1", "w2", "w3"])
    ball = model.body("ball", link, link.origin, 1.0, lw.inertia(link.frame, xx=0.004, yy=0.004, zz=0.004))
    model.gravity(-G * N.z)
    model.contact("floor", ball.sphere(0.1), lw.Plane(point=O, normal=N.z), friction=0.4)
    return lw.Simulation(model, q={"x": 0.0, "y": 0.0, "z": 0.15, "e0": 1.0}, u={"vx": 2.0, "w1": 40.0, "w2": -30.0})


def sliding_over_zones() -> lw.Simulation:
    """A particle thrown on a floor of two zones, whose border it passes at a speed."""
    model = lw.Model("zones")
    x, y = model.coordinates("x", "y")
    N, O = model.frame, model.origin
    P = O.at("P", x * N.x + y * N.y)
    model.particle("P", P, 1.0)
    model.gravity(-G * N.y)
    floor = lw.Line(point=O, direction=N.x, normal=N.y)
    model.contact("floor", P, floor, friction=lw.Coulomb(lw.zones(x * x, [0.04], [0.4, 0.1])))
    return lw.Simulation(model, {"x": 0.0, "y": 0.02}, u={"u_x": 1.5})


def cart_with_pendulum() -> lw.Simulation:
    """A cart whose coordinates keep it on the floor: its normal force is N0 + N1·u̇."""
    model = lw.Model("cart")
    x, th = model.coordinates("x", "th")
    N, O = model.frame, model.origin
    C = O.at("C", x * N.x)
    model.particle("cart", C, 3.0)
    model.particle("bob", C.at("B", 0.8 * (lw.sin(th) * N.x - lw.cos(th) * N.y)), 1.0)
    model.gravity(-G * N.y)
    model.contact("floor", C, lw.Line(point=O, direction=N.x, normal=N.y), friction=lw.Coulomb(0.3, dynamic=0.2))
    return lw.Simulation(model, {"x": 0.0, "th": 1.2}, u={"u_x": 0.8, "u_th": 0.0})


def disk_over_waves() -> lw.Simulation:
    """A disk falls on a curve, on which its touching point is tracked, and slides and rolls over it."""
    model, ball = disk(gravity=G)
    N = model.frame
    ground = lw.Curve(model.origin, lambda s: s * N.x + 0.1 * lw.sin(3 * s) * N.y, (-5.0, 5.0))
    model.contact("ground", lw.Circle(ball.center, ball.radius, body=ball.frame), ground, friction=0.2)
    return lw.Simulation(model, {"x": 0.2, "y": 0.3, "angle": 0.0}, u={"u_x": 1.0})


def pushed_round() -> lw.Simulation:
    """A particle on a floor, pushed in a direction that turns: it slides, turns the way it slides, and may stick."""
    model = lw.Model("pushed")
    x, y, z = model.coordinates("x", "y", "z")
    N, O, t = model.frame, model.origin, model.time
    P = O.at("P", x * N.x + y * N.y + z * N.z)
    model.particle("P", P, 1.0)
    model.gravity(-G * N.z)
    model.force(P, 3.0 * (lw.cos(4.0 * t) * N.x + lw.sin(4.0 * t) * N.y))
    model.contact("floor", P, lw.Plane(point=O, normal=N.z), friction=0.2)
    return lw.Simulation(model, {"x": 0.0, "y": 0.0, "z": 0.0})


SCENES = {"box": (shaken_box, 1.2), "ball": (spinning_ball, 1.5), "zones": (sliding_over_zones, 0.5),
          "cart": (cart_with_pendulum, 1.5), "waves": (disk_over_waves, 0.8), "round": (pushed_round, 2.0)}  # fmt: skip


def dynamics_met(make, until):
    """(dynamics, its guards, t, x, rest) somewhere within each mode that a run was in."""
    sim = make()
    sim.advance(until)
    guards, path = {laid.dynamics: laid.guards for laid in sim.state.modes.values()}, sim.run.path
    for segment in path.segments:
        t, x = segment.solution.t, segment.solution.x
        if segment.dynamics in guards and isinstance(segment.dynamics.guards, Mode) and len(t) > 2:
            rest = path.driven.rest_at(path.rest, t)
            yield segment.dynamics, guards[segment.dynamics], t[len(t) // 2], x[len(t) // 2], rest[len(t) // 2]


def looked(dynamics, call, t, x, rest):
    mode = dynamics.guards
    z, out = mode.workspace(), np.full(mode.width, np.nan)
    z[0], z[1 : 1 + len(x)], z[1 + len(x) : 1 + len(x) + len(rest)] = t, x, rest
    call(mode.watcher, mode.code, z, out)
    return out


@pytest.mark.parametrize("name", SCENES)
def test_rates_are_those_along_the_motion(name):
    """ġ by central differences of g along ẋ, in every mode of a run; guards on forces have none. Kinds are those asked
    for, and there is a value for each."""
    kinds = set()
    for dynamics, guards, t, x, rest in dynamics_met(*SCENES[name]):
        at = np.concatenate([[t], x, rest])
        rate, h = dynamics.function(at), 1e-6
        found = looked(dynamics, invoke, t, x, rest)
        ahead, behind = (looked(dynamics, invoke, t + s, x + s * rate, rest) for s in (h, -h))
        m = len(guards)
        assert len(found) == 2 * m
        assert np.isfinite(found).all()
        size = 1.0 + np.abs(found[:m]) + np.abs(found[m:])
        for i, guard in enumerate(guards):
            kinds.add(guard.kind)
            if guard.by_force:
                assert found[m + i] == 0.0
            else:
                assert (ahead[i] - behind[i]) / (2.0 * h) == pytest.approx(found[m + i], abs=1e-5 * size[i])
    wanted = {"box": {"touch", "release", "patch", "slip", "stick", "law"},
              "zones": {"zone", "touch", "release", "stick"}, "ball": {"touch", "release", "stick", "turn", "slip"},
              "cart": {"release", "slip", "stick"},
              "waves": {"touch", "release", "lost"}, "round": {"release", "stick", "turn"}}  # fmt: skip
    assert wanted[name] <= kinds


@pytest.mark.parametrize("name", SCENES)
def test_python_and_machine_code_give_the_same_bits(name):
    """The kernel that looks at guards, run either way, in every mode of a run."""
    for dynamics, _, t, x, rest in dynamics_met(*SCENES[name]):
        assert looked(dynamics, interpret, t, x, rest).tobytes() == looked(dynamics, invoke, t, x, rest).tobytes()


@pytest.mark.parametrize("name", SCENES)
def test_guards_are_what_expressions_say(name):
    """Gap, force and slip as symbols have them."""
    for dynamics, guards, t, x, rest in dynamics_met(*SCENES[name]):
        full = dynamics.full(np.array([t]), x[None], rest[None])[0][0]
        state, found = np.concatenate([[t], full[:-1], rest]), looked(dynamics, invoke, t, x, rest)
        udot = dynamics.accelerations(np.array([t]), x[None], rest[None])[0]
        for i, guard in enumerate(guards):
            point = guard.about
            if guard.kind == "touch" and guard.height >= 0.0 and not point.feature.within:
                assert found[i] == pytest.approx(point.gap(state)[0], abs=1e-12)
            elif guard.kind == "release" and point.without_normal:
                N = point.force_function(state)
                assert found[i] == pytest.approx(N[-1] + N[:-1] @ udot, rel=1e-10)
            elif guard.kind == "release":
                row = dynamics.mode.terms.rows.slices[point.name].start
                assert found[i] == pytest.approx(dynamics.forces(t, full, rest)[row], rel=1e-12)
            elif guard.kind == "stick" and len(point.tangents) == 1:
                slip, still = point.lowered(list(point.slip_velocity))(state)[0], point.tolerances.still
                directions = [s.slip for s in dynamics.mode.sliders]
                direction = next(d for d in directions if found[i] == pytest.approx(slip * d[0] + still, rel=1e-9))
                assert abs(direction[0]) == 1.0


def test_another_slip_direction_is_the_same_mode():
    """A particle that turns the way it slides is in modes of the same programs and frame; only numbers differ."""
    sim = pushed_round()
    sim.advance(2.0)
    modes = [getattr(s.dynamics, "mode", None) for s in sim.run.path.segments]
    modes = [mode for mode in modes if getattr(mode, "sliders", ())]
    directions = {mode.sliders[0].slip for mode in modes}
    assert len(directions) > 2
    assert len({mode.sliders[0].form for mode in modes}) == 1
    assert len({mode.terms.sources for mode in modes}) == 1
    assert all(math.hypot(*way[:2]) == pytest.approx(1.0) for way in directions)
