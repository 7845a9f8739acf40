"""Rims that lie flat: the load rests anywhere within them, and they tip where it leaves them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import latchwork as lw
from latchwork.hybrid.autonomous_run import autonomous_run

G = 9.81


def can_on(other: Callable[[Any], Any], radius: float, height: float, friction: float, pull: Any = None,
           at: tuple[float, ...] = (0.0, 0.0), u: dict[str, float] | None = None,
           until: float = 0.3) -> Any:  # fmt: skip
    """A can of 1 kg upright on something whose top is at z = 0, or above it, pulled by a force, (x, y) of the time."""
    model = lw.Model("can")
    link, N = model.free("can"), model.frame
    across, along = (3.0 * radius**2 + height**2) / 12.0, 0.5 * radius**2
    body = model.body("can", link, link.origin, 1.0, lw.inertia(link.frame, across, across, along))
    p, q = (link.origin.at(name, side * 0.5 * height * link.frame.z) for name, side in (("p", -1.0), ("q", 1.0)))
    model.contact("floor", body.cylinder(p, q, radius), other(model), friction=friction)
    model.gravity(-G * N.z)
    if pull is not None:
        f, g = pull(model.time)
        model.force(body.center, f * N.x + g * N.y)
    x, y, z = (*at, 0.0)[:3]
    start = {"q_can_px": x, "q_can_py": y, "q_can_pz": 0.5 * height + z}
    return lw.simulate(model, until, q=start, u=u)


def plane(model: Any) -> Any:
    return lw.Plane(model.origin, model.frame.z)


def table(model: Any) -> Any:
    return lw.Box(model.origin.at("T", -0.5 * model.frame.z), (1.0, 1.0, 1.0))


def drum(model: Any) -> Any:
    return lw.Cylinder(model.origin.at("D", -1.0 * model.frame.z), model.origin, 0.3)


def constant(x: float, y: float) -> Callable[[Any], tuple[float, float]]:
    return lambda t: (x, y)


@pytest.mark.parametrize("seed", range(6))
def test_a_can_rests_while_its_load_is_within_the_rim_and_tips_beyond(seed: int) -> None:
    rng = np.random.default_rng(seed)
    radius, height, way = *rng.uniform(0.1, 0.6, 2), rng.uniform(0.0, 2.0 * math.pi)
    for share in (rng.uniform(0.4, 0.999), rng.uniform(1.001, 1.6)):
        size = G * share * 2.0 * radius / height
        run = can_on(plane, radius, height, 40.0, constant(size * math.cos(way), size * math.sin(way)), until=0.05)
        speed = np.linalg.norm(run.u[-1])
        assert (speed == 0.0 and not run.events) if share < 1.0 else speed > 0.0
        assert min(np.nanmin(gap, initial=1.0) for gap in run.gaps().values()) > -1e-10


@pytest.mark.parametrize("way", [0.0, 0.3, 1.0, 2.0, 2.6, math.pi])
def test_a_can_tips_about_its_rim_alike_in_all_directions(way: float) -> None:
    radius, height, pull, until = 0.3, 0.5, 1.3, 0.2
    h, inertia = 0.5 * height, (3.0 * radius**2 + height**2) / 12.0 + radius**2 + 0.25 * height**2

    def rate(t: float, y: Any) -> Any:
        c, s = math.cos(y[0]), math.sin(y[0])
        return [y[1], G * (pull * (radius * s + h * c) - (radius * c - h * s)) / inertia]

    expected = solve_ivp(rate, (0.0, until), [0.0, 0.0], rtol=1e-12, atol=1e-14).y[1, -1]
    run = can_on(plane, radius, height, 4.0, constant(G * pull * math.cos(way), G * pull * math.sin(way)), until=until)
    omega = run.u[-1][3:]
    assert np.linalg.norm(omega) == pytest.approx(expected, rel=2e-7)
    assert abs(omega[2]) < 1e-6 * expected
    assert run.audit.least_gap > -1e-9


@pytest.mark.parametrize("share", [0.6, 0.9, 0.99])
def test_a_load_that_goes_round_within_the_rim_moves_nothing(share: float) -> None:
    size = G * share * 0.5

    def pull(t: Any) -> tuple[Any, Any]:
        return size * lw.cos(3.0 * t), size * lw.sin(3.0 * t)

    run = can_on(plane, 0.15, 0.6, 0.8, pull, until=1.0)
    assert not run.events
    assert np.abs(run.u).max() == 0.0


def test_a_load_that_grows_as_it_goes_round_tips_the_can_at_the_rim() -> None:
    def pull(t: Any) -> tuple[Any, Any]:
        return G * 0.5 * t * lw.cos(3.0 * t), G * 0.5 * t * lw.sin(3.0 * t)

    run = can_on(plane, 0.15, 0.6, 0.8, pull, until=1.05)
    assert run.events[0].t == pytest.approx(1.0, abs=1e-6)
    assert np.linalg.norm(run.u[-1][3:]) > 5e-3
    assert run.audit.least_gap > -1e-9
    for event in run.events:  # the same bits as Python
        assert event.replay().after.t == event.t


def test_a_triangle_turns_the_same_without_python() -> None:
    """The load goes round close to the rim, at fixed steps: machine code alone comes to the bits of a simulation."""

    def begun() -> lw.Simulation:
        model = lw.Model("can")
        link, N = model.free("can"), model.frame
        body = model.body("can", link, link.origin, 1.0, lw.inertia(link.frame, 0.04, 0.04, 0.01))
        p, q = (link.origin.at(name, side * 0.3 * link.frame.z) for name, side in (("p", -1.0), ("q", 1.0)))
        model.contact("floor", body.cylinder(p, q, 0.15), plane(model), friction=0.8)
        model.gravity(-G * N.z)
        angle = 3.0 * model.time
        model.force(link.origin, 0.45 * G * (lw.cos(angle) * N.x + lw.sin(angle) * N.y))
        return lw.Simulation(model, {"q_can_pz": 0.3}, method=lw.RK4(2.0**-9))

    sim = begun()
    sim.advance(until=0.5)
    alone = autonomous_run(begun())
    assert alone.advance(0.5) == 0
    assert alone.x.tobytes() == sim.state.row.tobytes()
    assert sim.state.x[7] != 0.0  # the azimuth


@pytest.mark.parametrize(("other", "at", "rests"), [
    (table, (0.45, 0.1), True), (table, (0.45, 0.45), True), (table, (0.52, 0.1), False), (table, (0.51, 0.51), False),
    (drum, (0.2, 0.1), True), (drum, (0.28, 0.0), True), (drum, (0.21, 0.21), True), (drum, (0.31, 0.0), False),
    (drum, (0.1, 0.3), False),
])  # fmt: skip
def test_a_can_stands_where_its_center_is_over_what_carries_it(
    other: Any, at: tuple[float, float], rests: bool
) -> None:
    run = can_on(other, 0.15, 0.6, 0.8, at=at, until=0.1)
    speed = np.linalg.norm(run.u[-1])
    assert (speed == 0.0 and not run.events) if rests else speed > 1e-3
    assert run.audit.least_gap > -1e-9


def test_a_can_that_slides_over_the_corner_of_a_table_is_not_in_it() -> None:
    run = can_on(table, 0.15, 0.6, 0.3, at=(0.45, 0.45), u={"u_can_vx": 0.5, "u_can_vy": 0.2})
    assert run.audit.least_gap > -1e-9


SHAPES = {"can": lambda body: body.cylinder(*(body.center.at(f"{body.name}{side}", 0.5 * side * body.frame.z)
                                              for side in (-1, 1)), 0.3),
          "crate": lambda body: body.box((0.6, 0.6, 1.0))}  # fmt: skip


@pytest.mark.parametrize("shapes", [("crate", "crate"), ("can", "crate"), ("can", "can")])
def test_what_slides_upright_into_its_like_pushes_it_along(shapes: tuple[str, str]) -> None:
    """Flush below and above: only the sides meet. 3 m/s, 0.2 m apart, a friction of 0.2, no restitution."""
    model = lw.Model("flush")
    N, made = model.frame, []
    for name, kind in zip("ab", shapes, strict=True):
        link = model.free(name)
        body = model.body(name, link, link.origin, 1.0, lw.inertia(link.frame, 0.1, 0.1, 0.1))
        made.append(SHAPES[kind](body))
        model.contact(f"floor {name}", made[-1], lw.Plane(model.origin, N.z), friction=0.2)
    model.contact("pair", *made, friction=0.2)
    model.gravity(-G * N.z)
    start = {"q_a_pz": 0.5, "q_b_px": 0.8, "q_b_pz": 0.5}
    run = lw.simulate(model, 0.6, q=start, u={"u_a_vx": 3.0})
    a = 0.2 * G
    meets = (3.0 - math.sqrt(9.0 - 0.4 * a)) / a
    speed = 0.5 * (3.0 - a * meets) - a * (0.6 - meets)
    assert run.events[0].kind == "impact"
    assert run.events[0].t == pytest.approx(meets, abs=1e-9)
    assert [run["u_a_vx"][-1], run["u_b_vx"][-1]] == pytest.approx([speed, speed], abs=1e-9)
    assert np.abs(run.u[-1][[1, 2, 3, 4, 5, 7, 8, 9, 10, 11]]).max() < 1e-9


def test_a_can_that_lands_across_another_slides_and_sticks_there() -> None:
    """From 0.65 m up, at 1.5 m/s across; friction takes μ √(2 g h) in the impact, then μ g."""
    run = can_on(drum, 0.3, 0.6, 0.3, at=(-0.4, 0.0, 0.65), u={"u_can_vx": 1.5}, until=0.6)
    lands, down = math.sqrt(2.0 * 0.65 / G), math.sqrt(2.0 * G * 0.65)
    sticks = lands + (1.5 - 0.3 * down) / (0.3 * G)
    assert [event.t for event in run.events if event.kind == "impact"] == [pytest.approx(lands, abs=1e-9)]
    assert [event.t for event in run.events if event.kind == "stick"] == [pytest.approx(sticks, abs=1e-8)] * 4
    assert np.abs(run.u[-1]).max() == 0.0
    assert run["q_can_pz"][-1] == pytest.approx(0.3, abs=1e-9)
    assert run.audit.least_gap > -1e-9


def test_a_disk_that_rocks_down_flat_stays_in_its_plane() -> None:
    """It leans on its rim along some way across its axis, and comes down: nothing turns it out of its plane."""
    for way in (0.4, 1.7):
        model = lw.Model("disk")
        link, N = model.free("disk"), model.frame
        body = model.body("disk", link, link.origin, 1.0, lw.inertia(link.frame, 0.03, 0.03, 0.045))
        p, q = (link.origin.at(name, side * 0.05 * link.frame.z) for name, side in (("p", -1.0), ("q", 1.0)))
        model.contact("floor", body.cylinder(p, q, 0.3), lw.Plane(model.origin, N.z), friction=1.0)
        model.gravity(-G * N.z)
        lean = 0.1
        half, axis = 0.5 * lean, (-math.sin(way), math.cos(way))
        height = 0.3 * math.sin(lean) + 0.05 * math.cos(lean)
        start = [0.0, 0.0, height, math.cos(half), math.sin(half) * axis[0], math.sin(half) * axis[1], 0.0]
        run = lw.simulate(model, 0.5, q=start)
        omega = np.array([run[name] for name in ("u_disk_wx", "u_disk_wy", "u_disk_wz")])
        assert np.abs(omega[2]).max() < 1e-7
        assert np.abs(omega[0] * math.cos(way) + omega[1] * math.sin(way)).max() < 2e-5
        assert np.abs(run.u[-1]).max() == 0.0
