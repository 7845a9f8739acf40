"""A four-bar linkage found by optimisation: its coupler point follows a straight line for half a turn of the crank.

With a crank of 1 and the lever of the coupler point twice the coupler, Hoeken's linkage has a ground of 2 and a coupler
of 2.5. The ground and the coupler are left free here, and the line with the least deviation is looked for: over half a
turn that is a ground of 2.2 and a coupler of 2.8.  [Norton, Design of Machinery, Table 3-1]
"""

import math

import latchwork as lw
from latchwork.study.minimum import Minimum
from published import near

CRANK, GROUND, COUPLER = 1.0, 2.0, 2.5
SPEED = 1.0  # rad/s of the crank


def build() -> lw.Model:
    """Crank and rocker with a pin between them; coupler and rocker are as long as each other."""
    model = lw.Model("straight line by four bars")
    a, d, b = model.parameters(a=CRANK, d=GROUND, b=COUPLER)
    N, A = model.frame, model.origin
    D = A.at("D", d * N.x)
    crank = model.revolute("crank", at=A, q=["q1"], u=["u1"])
    B = A.at("B", a * crank.frame.x)
    coupler = model.revolute("coupler", crank, at=B, q=["q2"], u=["u2"])
    rocker = model.revolute("rocker", at=D, q=["q3"], u=["u3"])
    C = D.at("C", b * rocker.frame.x)
    for name, link in (("crank", crank), ("coupler", coupler), ("rocker", rocker)):
        center = link.origin.at(f"{name}_center", 0.5 * link.frame.x)
        model.body(name, link, center, 1.0, lw.inertia(link.frame, zz=0.1))
    B.at("P", 2.0 * b * coupler.frame.x)
    gap = B.at("C_of_coupler", b * coupler.frame.x).position(C)
    model.constraint("pin", [gap.dot(N.x), gap.dot(N.y)])
    model.constraint("motor", lw.dt(model.symbols["q1"]) - SPEED)
    model.describe(a="crank [m]", d="ground [m]", b="coupler, rocker, and half the lever [m]")
    return model


SHOW = ("P", "q3")
DRAW = ("D", "C", "P", "B", "O")
START = {"q1": math.pi / 2, "q2": -1.1, "q3": 1.1}  # the crank upwards; the loop is assembled from here


def run(model: lw.Model, until: float = math.pi / SPEED) -> lw.Trajectory:
    """Half a turn, past the far side."""
    return lw.simulate(model, until, q=START, u={"u1": SPEED})


def deviation(moved: lw.Trajectory) -> float:
    """How far the coupler point leaves the height that it has in the mean, over the length of its path."""
    P = moved.smooth(60)["P"]
    return float((P[:, 1].max() - P[:, 1].min()) / (P[:, 0].max() - P[:, 0].min()))


def found() -> Minimum:
    """The least deviation, by differential evolution."""
    return lw.minimize(build(), "deviation", {"d": (1.8, 2.6), "b": (2.4, 3.2)}, outputs={"deviation": deviation},
                       until=math.pi / SPEED, q=START, u={"u1": SPEED},
                       method=lw.DifferentialEvolution(generations=4, population=8, polish=80))  # fmt: skip


def main() -> None:
    hoeken, best = deviation(run(build())), found()
    print(f"Hoeken's linkage: {hoeken:.5f}; found: {best}")
    lengths = best.point["d"], best.point["b"]
    near("ground and coupler", lengths, [2.2, 2.8], 0.04, "Norton, Table 3-1, in steps of 0.025")
    near("straighter than Hoeken's", float(best.value < hoeken), 1.0, 0.0, "asked for")


def picture(path: str) -> None:
    """The trials, and the best so far."""
    found().plot(path)


if __name__ == "__main__":
    main()
