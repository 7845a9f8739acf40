"""Runs whose constraints and contacts come and go, with names that mean something to HTML, XML and matplotlib."""

from __future__ import annotations

from functools import cache

import latchwork as lw
from latchwork import dt
from latchwork.contact.law import Coulomb, zones
from latchwork.contact.shapes import Line

NASTY = '</script><b>"grasp" & $x$'


@cache
def grasped() -> lw.Simulation:
    """Two beads on springs: free, grasped, grasped and held still, free again; three modes, eight changes."""
    model = lw.Model("beads <i>&</i>")
    x, y = model.coordinates("x", "y")
    model.speeds(u=dt(x), v=dt(y))
    N, O = model.frame, model.origin
    A, B = O.at("A", x * N.x), O.at("B", y * N.x + 0.3 * N.y)
    model.particle("first", A, 1.0)
    model.particle("second", B, 2.0)
    model.force(A, -4 * x * N.x)
    model.force(B, -9 * y * N.x)
    sim = lw.Simulation(model, q={"x": 1.0, "y": -0.5})
    for last in (False, False, True):
        sim.advance(sim.t + 1.0)
        sim.constrain(NASTY, dt(x) - dt(y))
        sim.advance(sim.t + 0.5)
        if last:
            sim.constrain("still", dt(x))
            sim.advance(sim.t + 0.25)
            sim.release("still")
        sim.release(NASTY)
    sim.advance(sim.t + 0.5)
    return sim


@cache
def bounced() -> lw.Trajectory:
    """A ball dropped on a floor, e = 0.8, and left to bounce for four seconds and a half: it comes to rest at last."""
    model = lw.Model("ball")
    x, y, a = model.coordinates("x", "y", "a")
    model.speeds()
    N = model.frame
    B = N.rotated("B", a, N.z)
    P = model.origin.at("P", x * N.x + y * N.y)
    ball = model.body("ball", frame=B, center=P, mass=1.0, inertia=lw.inertia(B, zz=0.004))
    model.gravity(-9.81 * N.y)
    P.at("mark", 0.1 * B.x)
    floor = Line(point=model.origin, direction=N.x, normal=N.y)
    model.contact("ball on floor", ball.circle(0.1, P), floor, restitution=0.8)
    return lw.simulate(model, 4.5, q={"x": 0.0, "y": 1.1, "a": 0.0}, u=[0.4, 0.0, 3.0])


@cache
def rolled() -> lw.Trajectory:
    """The disk of Patoglu Example 1: slides, rolls, slides where there is no friction and back out of it, rolls."""
    model = lw.Model("disk on a ramp")
    q1, q2 = model.coordinates("q1", "q2")
    model.speeds(u1=dt(q1), u2=dt(q2))
    N = model.frame
    A = N.rotated("A", 0.2617993877991494, N.z)
    B = A.rotated("B", q2, A.z)
    Bo = model.origin.at("Bo", q1 * A.x + A.y)
    disk = model.body("disk", frame=B, center=Bo, mass=1.0, inertia=lw.inertia(B, zz=0.5))
    model.gravity(-9.8 * N.y)
    ramp = Line(point=model.origin, direction=A.x, normal=A.y)
    model.contact("disk on ramp", disk.circle(1.0, Bo), ramp, friction=Coulomb(zones(q1, [22.0], [0.2, 0.0])))
    return lw.simulate(model, 8.0, q={"q1": 14, "q2": 0}, u={"u1": 7, "u2": -4})


@cache
def pendulum() -> lw.Trajectory:
    """A rod that swings: nothing happens to it."""
    model = lw.Model("pendulum")
    arm = model.revolute("arm", q=["q"], u=["u"])
    tip = arm.origin.at("tip", -0.8 * arm.frame.y)
    model.particle("bob", tip, 2.0)
    model.gravity(-9.81 * model.frame.y)
    return lw.simulate(model, 2.0, q={"q": 1.0})
