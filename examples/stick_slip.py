"""A block on a belt, held by a spring: it sticks and slips by turns, and each turn is known in closed form."""

import math

import latchwork as lw
from latchwork import dt
from published import near, times

M, K, V, MU_S, MU_D, G = 1.0, 100.0, 0.2, 0.5, 0.3, 9.81
MIDDLE, REACH, OMEGA = MU_D * M * G / K, (MU_S - MU_D) * M * G / K, math.sqrt(K / M)
STICK, SLIP = 2 * REACH / V, 2 / OMEGA * (math.pi - math.atan(OMEGA * REACH / V))


def build(free: bool = False) -> lw.Model:
    """One coordinate: that the block lies on the belt is in its choice, and the normal force is found all the same.

    ``free`` adds the height, so that the block can be lifted off.
    """
    model = lw.Model("stick-slip")
    m, k, g = model.parameters(m=M, k=K, g=G)
    (x,) = model.coordinates("x")
    N, O = model.frame, model.origin
    if free:
        (y,) = model.coordinates("y")
        model.speeds(v=dt(x), v_y=dt(y))
        P = O.at("P", x * N.x + y * N.y)
    else:
        model.speeds(v=dt(x))
        P = O.at("P", x * N.x)
    model.particle("block", P, m)
    model.gravity(-g * N.y)
    model.force(P, -k * x * N.x, name="spring")
    belt = lw.Line(point=O, direction=N.x, normal=N.y, belt=V)
    model.contact("belt", P, belt, friction=lw.Coulomb(MU_S, MU_D))
    model.describe(m="mass of the block [kg]", k="stiffness of the spring [N/m]",
                   g="acceleration of gravity [m/s^2]", x="stretch of the spring [m]")  # fmt: skip
    return model


SHOW = ("x", "v", "mode")
DRAW = ("O", "P")


def run(model: lw.Model, periods: int = 5) -> lw.Trajectory:
    """From where it has just begun to stick."""
    return lw.simulate(model, (periods + 0.1) * (STICK + SLIP), q={"x": MIDDLE - REACH}, u={"v": V},
                       method=lw.DormandPrince(rtol=1e-12, atol=1e-14))  # fmt: skip


def live() -> lw.Exhibit:
    """To be pressed onto the belt, held back, and lifted off by hand."""
    model = build(free=True)
    N, P = model.frame, model.points["P"]
    wall = model.origin.at("wall", -0.3 * N.x + 0.02 * N.y)
    block = lw.Box(P.at("middle", 0.02 * N.y), (0.06, 0.04), body=N)
    model.spring(wall, P.at("hook", 0.02 * N.y - 0.03 * N.x), stiffness=1e-9)  # only to be seen
    post = lw.Box(model.origin.at("post", -0.31 * N.x + 0.02 * N.y), (0.02, 0.08), body=N)
    return lw.Exhibit(model, q={"x": MIDDLE - REACH, "y": 0.0}, u={"v": V}, shapes=(block, post),
                      sliders={"k": (20.0, 400.0), "m": (0.3, 3.0), "g": (1.0, 20.0)},
                      constraints=(lw.Constraint("block is stopped", dt(model.symbols["x"])),))  # fmt: skip


def main() -> None:
    moved = run(build(), periods=1000)
    slips, sticks = times(moved, "slide"), times(moved, "stick")
    period = STICK + SLIP
    near("slips", slips[:3], [STICK + k * period for k in range(3)], 1e-9)
    near("the 1,000th stick", sticks[-1] / (1000 * period), 1.0, 1e-9)


if __name__ == "__main__":
    main()
