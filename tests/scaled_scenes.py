"""Mechanisms and contact scenes in any units: each is built from numbers in units of length, time and mass."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import latchwork as lw
from latchwork import dt


@dataclass(frozen=True)
class Units:
    """How many of the model's units a metre, a second and a kilogram are."""

    length: float = 1.0
    time: float = 1.0
    mass: float = 1.0

    @property
    def speed(self) -> float:
        return self.length / self.time

    @property
    def acceleration(self) -> float:
        return self.length / self.time / self.time

    @property
    def inertia(self) -> float:
        return self.mass * self.length * self.length

    @property
    def force(self) -> float:
        return self.mass * self.acceleration

    @property
    def energy(self) -> float:
        return self.force * self.length


@dataclass(frozen=True)
class Scaled:
    """A model in some units with its start and its end; ``lengths`` are coordinates that are no angles."""

    model: lw.Model
    until: float
    q: Mapping[str, float]
    u: Mapping[str, float] = field(default_factory=dict)
    lengths: tuple[str, ...] = ()

    def scales(self, one: Units) -> list[float]:
        """The unit of each state: coordinates, their rates, work."""
        eq = self.model.equations()
        q = [one.length if name in self.lengths else 1.0 for name in eq.q_names]
        along = [one.length if name in {f"u_{q}" for q in self.lengths} else 1.0 for name in eq.u_names]
        return [*q, *(each / one.time for each in along), one.energy]


def g(model: lw.Model, one: Units, up: Any) -> None:
    model.gravity(-9.81 * one.acceleration * up)


def planar(one: Units, name: str, mass: float, inertia: float) -> tuple[lw.Model, lw.Link, lw.Body]:
    """A body that moves freely in the plane."""
    model = lw.Model(name)
    link = model.planar("B", q=["x", "y", "a"], u=["u_x", "u_y", "u_a"])
    J = lw.inertia(link.frame, zz=inertia * one.inertia)
    body = model.body("body", link, link.origin, mass * one.mass, J)
    g(model, one, model.frame.y)
    return model, link, body


def floor(model: lw.Model, belt: float | None = None) -> lw.Line:
    return lw.Line(model.origin, model.frame.x, model.frame.y, belt=belt)


# --- contacts -----------------------------------------------------------------------------------------------------


def disk_on_ramp(one: Units) -> Scaled:
    """The disk of Patoglu's Example 1: slides, rolls, slides where there is no friction and back out of it, rolls."""
    model = lw.Model("disk on a ramp")
    x, a = model.coordinates("x", "a")
    model.speeds(u_x=dt(x), u_a=dt(a))
    N = model.frame
    A = N.rotated("A", 0.2617993877991494, N.z)
    B = A.rotated("B", a, A.z)
    C = model.origin.at("C", x * A.x + 1.0 * one.length * A.y)
    disk = model.body("disk", B, C, 1.0 * one.mass, lw.inertia(B, zz=0.5 * one.inertia))
    g(model, one, N.y)
    friction = lw.Coulomb(lw.zones(x, [22.0 * one.length], [0.2, 0.0]))
    ramp = lw.Line(model.origin, A.x, A.y)
    model.contact("disk on ramp", disk.circle(1.0 * one.length, C), ramp, friction=friction)
    return Scaled(model, 8.0 * one.time, {"x": 14.0 * one.length}, {"u_x": 7.0 * one.speed, "u_a": -4.0 / one.time},
                  ("x",))  # fmt: skip


def bouncing_ball(one: Units) -> Scaled:
    """A ball that turns, dropped on a rough floor, e = 0.8."""
    model, link, body = planar(one, "ball", 1.0, 0.004)
    model.contact("ball on floor", lw.Circle(link.origin, 0.1 * one.length, body=body), floor(model),
                  restitution=0.8, friction=0.2)  # fmt: skip
    return Scaled(model, 2.0 * one.time, {"y": 1.1 * one.length}, {"u_x": 0.4 * one.speed, "u_a": 3.0 / one.time},
                  ("x", "y"))  # fmt: skip


def block_on_spring(one: Units) -> Scaled:
    """A crate that a spring draws over a rough floor to and fro, until it sticks."""
    model, link, body = planar(one, "block", 2.0, 0.02)
    model.force(link.origin, -60.0 * one.force / one.length * link.q[0] * model.frame.x)
    model.contact("crate on floor", lw.Box(link.origin, (0.3 * one.length, 0.2 * one.length), body=body), floor(model),
                  friction=lw.Coulomb(0.5, 0.3))  # fmt: skip
    return Scaled(model, 2.0 * one.time, {"x": 0.7 * one.length, "y": 0.1 * one.length}, {}, ("x", "y"))


def box_that_topples(one: Units) -> Scaled:
    """A box that stands on a corner and falls over onto a side."""
    model, link, body = planar(one, "box", 1.5, 0.03)
    wide, high, lean = 0.2, 0.4, -0.6
    model.contact("box on floor", lw.Box(link.origin, (wide * one.length, high * one.length), body=body), floor(model),
                  friction=1.5)  # fmt: skip
    y = (0.5 * high * math.cos(lean) - 0.5 * wide * math.sin(lean)) * one.length
    return Scaled(model, 1.0 * one.time, {"y": y, "a": lean}, {}, ("x", "y"))


def rolling_ball(one: Units) -> Scaled:
    """A ball in space that slides and turns until it rolls."""
    model = lw.Model("ball in space")
    link = model.free("B", q=["x", "y", "z", "e0", "e1", "e2", "e3"], u=["u_x", "u_y", "u_z", "w1", "w2", "w3"])
    J = 0.004 * one.inertia
    body = model.body("ball", link, link.origin, 1.0 * one.mass, lw.inertia(link.frame, xx=J, yy=J, zz=J))
    g(model, one, model.frame.z)
    model.contact("ball on table", lw.Sphere(link.origin, 0.1 * one.length, body=body),
                  lw.Plane(model.origin, model.frame.z), friction=0.25)  # fmt: skip
    u = {"u_x": 1.5 * one.speed, "u_y": 0.3 * one.speed, "w1": 4.0 / one.time, "w3": -2.0 / one.time}
    return Scaled(model, 1.0 * one.time, {"z": 0.1 * one.length}, u, ("x", "y", "z"))


def pendulum_at_wall(one: Units) -> Scaled:
    """A double pendulum whose bob meets a wall, e = 0.6."""
    model = lw.Model("pendulum at a wall")
    N, O = model.frame, model.origin
    first = model.revolute("A", q=["a"], u=["u_a"])
    P = first.origin.at("P", -0.5 * one.length * first.frame.y)
    second = model.revolute("B", first, at=P, q=["b"], u=["u_b"])
    bob = P.at("bob", -0.4 * one.length * second.frame.y)
    model.particle("elbow", P, 0.5 * one.mass)
    model.particle("bob", bob, 0.3 * one.mass)
    g(model, one, N.y)
    wall = lw.Line(O.at("W", 0.2 * one.length * N.x), N.y, -N.x)
    model.contact("bob on wall", lw.Circle(bob, 0.03 * one.length, body=second), wall, restitution=0.6, friction=0.1)
    return Scaled(model, 3.0 * one.time, {"a": -1.0, "b": 0.4})


def stick_slip(one: Units) -> Scaled:
    """A block on a belt, held by a spring: it sticks and slips by turns."""
    model = lw.Model("stick-slip")
    (x,) = model.coordinates("x")
    model.speeds(u_x=dt(x))
    N, O = model.frame, model.origin
    P = O.at("P", x * N.x)
    model.particle("block", P, 1.0 * one.mass)
    g(model, one, N.y)
    model.force(P, -100.0 * one.force / one.length * x * N.x)
    model.contact("block on belt", P, floor(model, 0.2 * one.speed), friction=lw.Coulomb(0.5, 0.3))
    return Scaled(model, 3.0 * one.time, {"x": 0.0}, {"u_x": 0.2 * one.speed}, ("x",))


def balls_that_collide(one: Units) -> Scaled:
    """Two balls in space, one of which rolls into the other, off its middle."""
    model = lw.Model("two balls")
    N, J = model.frame, 0.004 * one.inertia
    links = [model.free(name, q=[f"{name}{k}" for k in ("x", "y", "z", 0, 1, 2, 3)],
                        u=[f"u_{name}{k}" for k in ("x", "y", "z")] + [f"w_{name}{k}" for k in (1, 2, 3)])
             for name in "ab"]  # fmt: skip
    balls = []
    for name, link in zip("ab", links, strict=True):
        body = model.body(name, link, link.origin, 1.0 * one.mass, lw.inertia(link.frame, xx=J, yy=J, zz=J))
        balls.append(lw.Sphere(link.origin, 0.1 * one.length, body=body))
        model.contact(f"{name} on table", balls[-1], lw.Plane(model.origin, N.z), friction=0.25)
    g(model, one, N.z)
    model.contact("a on b", *balls, restitution=0.5, friction=0.2)
    q = {"az": 0.1, "bx": 0.5, "by": 0.05, "bz": 0.1}
    return Scaled(model, 0.5 * one.time, {name: value * one.length for name, value in q.items()},
                  {"u_ax": 1.2 * one.speed}, tuple(f"{name}{k}" for name in "ab" for k in "xyz"))  # fmt: skip


def box_on_a_step(one: Units) -> Scaled:
    """A box that falls onto the corner of another, and over it."""
    model, link, body = planar(one, "box", 1.5, 0.03)
    step = lw.Box(model.origin, (0.6 * one.length, 0.2 * one.length), body=model.frame)
    model.contact("box on step", lw.Box(link.origin, (0.2 * one.length, 0.4 * one.length), body=body), step,
                  restitution=0.2, friction=0.6)  # fmt: skip
    return Scaled(model, 0.6 * one.time, {"x": 0.25 * one.length, "y": 0.4 * one.length, "a": -0.2}, {}, ("x", "y"))


def pendulum_at_its_limit(one: Units) -> Scaled:
    """A pendulum whose joint has a limit, at which it comes to rest."""
    model = lw.Model("limit")
    link = model.revolute("A", q=["a"], u=["u_a"])
    model.particle("bob", link.origin.at("P", -0.5 * one.length * link.frame.y), 0.5 * one.mass)
    g(model, one, model.frame.y)
    model.limit("stop", link, (0.3, None), restitution=0.4)
    return Scaled(model, 2.0 * one.time, {"a": 1.0})


def arm_with_friction(one: Units) -> Scaled:
    """An arm whose joints stick and slip, with a ratchet, its tip tied by a rope to a block that rubs on a rail."""
    model = lw.Model("arm")
    N, O, L = model.frame, model.origin, one.length
    upper = rod(model, one, "upper", O, 0.6)
    elbow = O.at("elbow", 0.6 * L * upper.frame.x)
    lower = rod(model, one, "lower", elbow, 0.5, upper)
    rail = model.prismatic("rail", at=O.at("rail", 0.6 * L * N.y), axis=N.x, q=["x"], u=["u_x"])
    model.particle("block", rail.origin, 0.3 * one.mass)
    g(model, one, N.y)
    for link, static, dynamic in ((upper, 0.9, 0.7), (lower, 0.3, None)):
        torques = [None if each is None else each * one.energy for each in (static, dynamic)]
        model.friction(f"{link.name} rubs", link, *torques)
    model.friction("block rubs", rail, 1.0 * one.force, 0.6 * one.force)
    model.one_way("ratchet", dt(lower.q[0]) + 0.5 / one.time)
    model.rope("rope", elbow.at("tip", 0.5 * L * lower.frame.x), rail.origin, 0.7 * L, restitution=0.3)
    return Scaled(model, 1.1 * one.time, {"upper": 0.3, "lower": 0.5, "x": 0.9 * L}, {}, ("x",))


def crates_in_space(one: Units) -> Scaled:
    """A crate that falls, turned, onto the edge of another."""
    model = lw.Model("crates")
    link = model.free("B", q=["x", "y", "z", "e0", "e1", "e2", "e3"], u=["u_x", "u_y", "u_z", "w1", "w2", "w3"])
    J = lw.inertia(link.frame, xx=0.05 * one.inertia, yy=0.06 * one.inertia, zz=0.04 * one.inertia)
    body = model.body("crate", link, link.origin, 2.0 * one.mass, J)
    g(model, one, model.frame.z)
    upper = lw.Box(link.origin, tuple(size * one.length for size in (0.5, 0.4, 0.3)), body=body)
    lower = lw.Box(model.origin, tuple(size * one.length for size in (0.6, 0.6, 0.4)), body=model.frame)
    model.contact("crate on crate", upper, lower, restitution=0.1, friction=0.5)
    q = {"x": 0.25 * one.length, "y": 0.05 * one.length, "z": 0.5 * one.length}
    return Scaled(model, 0.25 * one.time, q, {"w1": 1.0 / one.time, "w2": 0.5 / one.time}, ("x", "y", "z"))


def block_on_a_rail(one: Units) -> Scaled:
    """A block that constraints keep upright and on a rail, one an angle, the other a length, between two walls."""
    model, link, body = planar(one, "rail", 1.2, 0.02)
    N, O = model.frame, model.origin
    model.constraint("upright", link.q[2])
    model.constraint("rail", link.origin.position(O).dot(N.y) + 0.1 * link.origin.position(O).dot(N.x))
    disk = lw.Circle(link.origin, 0.05 * one.length, body=body)
    for name, side in (("left", -1.0), ("right", 1.0)):
        wall = lw.Line(O.at(name, side * 0.3 * one.length * N.x), N.y, -side * N.x)
        model.contact(f"block on {name} wall", disk, wall, restitution=0.6, friction=0.2)
    return Scaled(model, 2.0 * one.time, {"x": 0.1 * one.length}, {"u_x": 1.0 * one.speed}, ("x", "y"))


# --- constraints --------------------------------------------------------------------------------------------------


def rod(model: lw.Model, one: Units, name: str, at: lw.Point, length: float, inboard: lw.Link | None = None) -> lw.Link:
    """A uniform rod of 1 kg per metre that turns at a point."""
    link = model.revolute(name, inboard, at=at, q=[name], u=[f"u_{name}"])
    center = at.at(f"{name}_center", 0.5 * length * one.length * link.frame.x)
    model.body(name, link, center, length * one.mass, lw.inertia(link.frame, zz=length**3 / 12 * one.inertia))
    return link


def four_bar(one: Units) -> Scaled:
    """Crank, coupler and rocker, closed by a pin; the start is assembled."""
    model = lw.Model("four-bar")
    O = model.origin
    crank, rocker_at = rod(model, one, "crank", O, 0.35), O.at("D", 1.0 * one.length * model.frame.x)
    B = O.at("B", 0.35 * one.length * crank.frame.x)
    coupler, rocker = rod(model, one, "coupler", B, 0.9, crank), rod(model, one, "rocker", rocker_at, 0.7)
    gap = B.at("end", 0.9 * one.length * coupler.frame.x).position(
        rocker_at.at("C", 0.7 * one.length * rocker.frame.x)
    )  # fmt: skip
    model.constraint("pin", [gap.dot(model.frame.x), gap.dot(model.frame.y)])
    g(model, one, model.frame.y)
    return Scaled(model, 2.0 * one.time, {"crank": 0.0, "coupler": 1.0, "rocker": 2.0}, {"u_crank": 6.0 / one.time})


def slider_crank(one: Units) -> Scaled:
    """A crank that turns, a rod, and a slider with a coordinate of its own that a pin joins to it."""
    model = lw.Model("slider-crank")
    N, O = model.frame, model.origin
    crank = rod(model, one, "crank", O, 0.3)
    B = O.at("B", 0.3 * one.length * crank.frame.x)
    link = rod(model, one, "rod", B, 0.8, crank)
    (s,) = model.coordinates("s")
    model.speeds(u_s=dt(s))
    S = O.at("S", s * N.x)
    model.particle("slider", S, 0.5 * one.mass)
    gap = B.at("end", 0.8 * one.length * link.frame.x).position(S)
    model.constraint("pin", [gap.dot(N.x), gap.dot(N.y)])
    g(model, one, N.y)
    q = {"crank": 1.0, "rod": -1.4, "s": 0.9 * one.length}
    return Scaled(model, 2.0 * one.time, q, {"u_crank": 5.0 / one.time}, ("s",))


def pendulum(one: Units) -> Scaled:
    """A bob with x and y for coordinates, held on its circle by a constraint."""
    model = lw.Model("pendulum")
    x, y = model.coordinates("x", "y")
    model.speeds(u_x=dt(x), u_y=dt(y))
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("bob", P, 0.7 * one.mass)
    model.distance("string", model.origin, P, 1.3 * one.length)
    g(model, one, model.frame.y)
    return Scaled(model, 2.0 * one.time, {"x": 1.25 * one.length, "y": -0.3 * one.length}, {}, ("x", "y"))


def plate_on_a_circle(one: Units) -> Scaled:
    """A plate whose middle stays on a circle, by a square of lengths, and which an angle keeps as it is turned."""
    model, link, _ = planar(one, "plate", 2.0, 0.3)
    x, y, a = link.q
    model.constraint("circle", x * x + y * y - 4.0 * one.length * one.length)
    model.constraint("turned", a - 0.25)
    return Scaled(model, 2.0 * one.time, {"x": 1.2 * one.length, "y": -1.6 * one.length, "a": 0.25},
                  {"u_x": 1.0 * one.speed}, ("x", "y"))  # fmt: skip


def cart_with_rules(one: Units) -> Scaled:
    """A cart on a spring that rules throw back at a wall, brake in the middle, and hold where it becomes slow."""
    model = lw.Model("cart")
    (x,) = model.coordinates("x")
    u_x = model.speeds(u_x=dt(x))[0]
    P = model.origin.at("P", x * model.frame.x)
    model.particle("cart", P, 2.0 * one.mass)
    model.force(P, -30.0 * one.force / one.length * x * model.frame.x)
    model.rule("wall", x + 0.2 * one.length, reset={"u_x": -0.8 * u_x})
    model.rule("early", x - 0.35 * one.length, reset={"u_x": -2.0 * u_x})  # below zero from the start
    model.rule("middle", -1.0 * x, reset={"u_x": 0.9 * u_x})
    model.rule("slow", u_x * u_x - 0.04 * one.speed * one.speed, hold=lw.Latch("brake", x), once=True)
    model.rule("late", 2.0 * one.time - model.time, release="brake")
    return Scaled(model, 3.0 * one.time, {"x": 0.3 * one.length}, {}, ("x",))


CONTACTS: Mapping[str, Callable[[Units], Scaled]] = {
    "disk on ramp": disk_on_ramp,
    "bouncing ball": bouncing_ball,
    "block on spring": block_on_spring,
    "box that topples": box_that_topples,
    "rolling ball": rolling_ball,
    "pendulum at wall": pendulum_at_wall,
    "stick-slip": stick_slip,
    "balls that collide": balls_that_collide,
    "box on a step": box_on_a_step,
    "pendulum at its limit": pendulum_at_its_limit,
    "arm with friction": arm_with_friction,
    "crates in space": crates_in_space,
    "block on a rail": block_on_a_rail,
}
MECHANISMS: Mapping[str, Callable[[Units], Scaled]] = {
    "four-bar": four_bar,
    "slider-crank": slider_crank,
    "pendulum": pendulum,
    "plate on a circle": plate_on_a_circle,
    "cart with rules": cart_with_rules,
}
