"""Patoglu and Gillespie, Example 3: a double pendulum strikes the parts on a conveyor belt, slides, and sticks.

Stuck on the belt it has no freedom left; the belt pulls it straight until friction gives way. With the printed initial
angle of -π/9 the published times do not come out; with -π/16 they do.
"""

import math

import latchwork as lw
from latchwork import cos, dt, sin
from published import near, times

TIGHT = lw.DormandPrince(rtol=1e-12, atol=1e-13)


def build(impact: str = "smith") -> lw.Model:
    """Two particles on massless rods, angles from the downward vertical; two kinds of parts, changing at x = -0.3."""
    model = lw.Model("pendulum over a belt")
    m, l, d, g = model.parameters(m=1.0, l=1.0, d=1.2, g=9.8)
    q1, q2 = model.coordinates("q1", "q2")
    model.speeds(u1=dt(q1), u2=dt(q2))
    N, O = model.frame, model.origin
    P1 = O.at("P1", l * sin(q1) * N.x - l * cos(q1) * N.y)
    P2 = P1.at("P2", l * sin(q2) * N.x - l * cos(q2) * N.y)
    model.particle("P1", P1, m)
    model.particle("P2", P2, m)
    model.gravity(-g * N.y)
    belt = lw.Line(point=O.at("belt", -d * N.y), direction=N.x, normal=N.y, belt=2.5)
    x = l * sin(q1) + l * sin(q2)
    friction = lw.Coulomb(lw.zones(x, [-0.3], [0.4978, 0.2489]), lw.zones(x, [-0.3], [0.4, 0.2]))
    model.contact("part", P2, belt, restitution=lw.zones(x, [-0.3], [0.9, 0.0]), friction=friction, impact=impact)
    model.describe(m="mass [kg]", l="length of a rod [m]", d="distance of the belt [m]",
                   g="acceleration of gravity [m/s^2]", q1="angle of the upper rod [rad]",
                   q2="angle of the lower rod [rad]")  # fmt: skip
    return model


def variants() -> list[lw.Model]:
    """By Smith's law of impact, and by Newton's and Kane's."""
    return [build(), build("newton")]


SHOW = ("P2", "u1", "mode")
DRAW = ("O", "P1", "P2")


def run(model: lw.Model, q1: float = -math.pi / 16, until: float = 1.2) -> lw.Trajectory:
    """Table II."""
    return lw.simulate(model, until, q={"q1": q1, "q2": -4 * math.pi / 9}, u={"u1": 3.0, "u2": -0.3}, method=TIGHT)


def live() -> lw.Exhibit:
    """To be pushed into the belt by hand: it strikes, slides, sticks, and is carried along."""
    model = build("newton")
    q1, q2 = model.symbols["q1"], model.symbols["q2"]
    return lw.Exhibit(model, q={"q1": -math.pi / 16, "q2": -4 * math.pi / 9}, u={}, draw=DRAW, hold="P2",
                      sliders={"g": (0.0, 20.0), "m": (0.3, 3.0)},
                      constraints=(lw.Latch("elbow is locked", q2 - q1),))  # fmt: skip


def main() -> None:
    for model in variants():
        moved = run(model)
        print(*moved.events, sep="\n")
        found = times(moved, "impact", "stick", "slide", "release")
        near("impacts, stick", found[:4], [0.07, 0.25, 0.41, 0.88], 7.5e-3, "Patoglu 6.3")
        near("the same, slip, lift", found, INTEGRATED, 1e-9, "minimal coordinates by hand, DOP853")
    for law, stick in (("smith", 0.830793254688), ("newton", 0.819012146728)):
        near(f"stick from -π/9, {law}", times(run(build(law), -math.pi / 9), "stick")[0], stick, 1e-9, "the same")


INTEGRATED = [0.072642086676, 0.251849625148, 0.408378424309, 0.873112060393, 1.034010179137, 1.073767396752]


def picture(path: str) -> None:
    """Figure 14: height of P2 and its velocity along the belt; Figure 13: the automaton."""
    moved = run(build())
    P2, N = moved.equations.system.tree.points["P2"], moved.equations.system.tree.newtonian
    height, speed = P2.position(moved.equations.system.tree.origin).dot(N.y), P2.velocity().dot(N.x)
    moved.plot({"height of P2": height, "speed of P2": speed}, "mode", path=path)
    moved.automaton(path.replace("more", "automaton"))


if __name__ == "__main__":
    main()
