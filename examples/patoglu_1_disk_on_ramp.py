"""Patoglu and Gillespie, Example 1: a disk on a ramp, sliding or rolling. Friction ends at q1 = L.

One contact with friction by zone is all that is said. It slides up, rolls, slides where friction ends, comes back
sliding and rolls again. In the two coordinates of the paper the disk cannot leave the ramp; with three it could.
"""

import math

import latchwork as lw
from latchwork import dt
from published import near, times

TIGHT = lw.DormandPrince(rtol=1e-12, atol=1e-13)


def build(free: bool = False) -> lw.Model:
    """Table I of the paper, with g = 9.8. ``free`` adds the height of the centre above the ramp, q3."""
    model = lw.Model("free disk on a ramp" if free else "disk on a ramp")
    m, J, r, g, phi, L = model.parameters(m=1.0, J=0.5, r=1.0, g=9.8, phi=math.pi / 12, L=22.0)
    q1, q2 = model.coordinates("q1", "q2")
    speeds = {"u1": dt(q1), "u2": r * dt(q2)}
    height = r
    if free:
        (height,) = model.coordinates("q3")
        speeds["u3"] = dt(height)
    model.speeds(**speeds)
    N, O = model.frame, model.origin
    A = N.rotated("A", phi, N.z)
    B = A.rotated("B", q2, A.z)
    Bo = O.at("Bo", q1 * A.x + height * A.y)
    Bo.at("Rim", r * B.y)
    disk = model.body("disk", frame=B, center=Bo, mass=m, inertia=lw.inertia(B, zz=J))
    model.gravity(-g * N.y)
    ramp = lw.Line(point=O, direction=A.x, normal=A.y)
    model.contact("disk on ramp", disk.circle(r, Bo), ramp, friction=lw.Coulomb(lw.zones(q1, [L], [0.2, 0.0])))
    model.describe(m="mass of the disk [kg]", J="its inertia [kg m^2]", r="its radius [m]",
                   g="acceleration of gravity [m/s^2]", phi="slope of the ramp [rad]", L="end of the rough part [m]",
                   q1="place along the ramp [m]", q2="angle of the disk [rad]")  # fmt: skip
    return model


def variants() -> list[lw.Model]:
    """With two coordinates and with three."""
    return [build(), build(free=True)]


SHOW = ("q1", "u1 + u2", "mode")
DRAW = ("Bo", "Rim")


def run(model: lw.Model, until: float = 8.0) -> lw.Trajectory:
    """Figure 7: up the ramp at 7 m/s, spinning the wrong way."""
    q = {"q1": 14.0, "q2": 0.0} | ({"q3": 1.0} if "q3" in model.symbols else {})
    return lw.simulate(model, until, q=q, u={"u1": 7.0, "u2": -4.0}, method=TIGHT)


def live() -> lw.Exhibit:
    """To be rolled, dragged and lifted by hand, and stopped by a fence; further down there is a wall."""
    model = build(free=True)
    disk, A, O = model.bodies["disk"], model.frames["A"], model.origin
    circle = disk.circle(model.symbols["r"], model.points["Bo"])
    wall = lw.Line(point=O.at("wall", 8.0 * A.x), direction=A.y, normal=A.x)
    model.contact("disk at wall", circle, wall, restitution=0.3)
    return lw.Exhibit(model, q={"q1": 14.0, "q2": 0.0, "q3": 1.0}, u={"u1": 7.0, "u2": -4.0}, draw=DRAW,
                      sliders={"g": (0.0, 20.0), "m": (0.2, 5.0)}, fence=(circle,),
                      constraints=(lw.Constraint("disk does not turn", dt(model.symbols["q2"])),))  # fmt: skip


def closed_form(g: float = 9.8, phi: float = math.pi / 12, mu: float = 0.2, L: float = 22.0) -> list[float]:
    """It rolls; it leaves the friction; it comes back to it; it rolls again."""
    along, friction = g * math.sin(phi), mu * g * math.cos(phi)
    t1 = (7.0 - 4.0) / (along + 3 * friction)
    v1 = 7.0 - (along + friction) * t1
    q1 = 14.0 + 7.0 * t1 - (along + friction) * t1**2 / 2
    v2 = math.sqrt(v1**2 - 4 / 3 * along * (L - q1))
    t2 = t1 + (v1 - v2) / (2 / 3 * along)
    t3 = t2 + 2 * v2 / along
    return [t1, t2, t3, t3 + 2 * v2 / (3 * friction - along)]


def main() -> None:
    for model in variants():
        moved = run(model)
        print(f"\n{model.name}", *moved.events, sep="\n  ")
        near("events", times(moved), closed_form(), 1e-9)
        near("published", [round(t, 2) for t in (times(moved)[i] for i in (0, 1, 3))], [0.37, 1.72, 6.13], 1e-12,
             "Patoglu 6.1")  # fmt: skip


def picture(path: str) -> None:
    """Figure 7: the mode, the speed of the contact point, and the way along the ramp; Figure 6: the automaton."""
    moved = run(variants()[0])
    moved.plot("mode", "u1 + u2", "q1", path=path)
    moved.automaton(path.replace("more", "automaton"))


if __name__ == "__main__":
    main()
