"""A throw that lands a ball on a mark after two bounces: speed and height are found, for the least energy.

Between bounces the ball flies a parabola; each returns e of the speed that it came with. From a height h with a speed
vx along the floor it meets the floor for the third time at

    x = vx √(2h/g) (1 + 2e + 2e²)

Many throws land there. Looked for is the one that needs the least energy, of those whose last arc is 0.35 m high.
"""

import math

import latchwork as lw
from latchwork.study.minimum import Minimum
from published import near

MARK, ARC, E, G = 6.0, 0.35, 0.8, 9.81  # m, m, 1, m/s²
LOWEST, HIGHEST = 0.5, 3.0  # m: where it may be thrown from


def build() -> lw.Model:
    """A ball as a particle over a floor without friction."""
    model = lw.Model("throw with two bounces")
    (e,) = model.parameters(e=E)
    x, y = model.coordinates("x", "y")
    model.speeds(vx=lw.dt(x), vy=lw.dt(y))
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("ball", P, 0.5)
    model.gravity(-G * model.frame.y)
    model.contact("floor", P, lw.Line(model.origin, model.frame.x, model.frame.y), restitution=e)
    model.describe(x="along the floor [m]", y="height [m]", e="restitution [1]")
    return model


SHOW = ("y",)
DRAW = ("P",)
START = {"vx": 3.2, "y": 1.0}


def run(model: lw.Model, until: float = 2.2) -> lw.Trajectory:
    """A throw that is too short."""
    return lw.simulate(model, until, q={"y": START["y"]}, u={"vx": START["vx"]})


def landing(moved: lw.Trajectory) -> float:
    """How far from the mark the ball meets the floor for the third time; far, where it does not."""
    hits = [event.t for event in moved.events if event.kind == "impact"]
    return abs(float(moved.at(hits[2])["x"]) - MARK) if len(hits) > 2 else MARK


def apex(moved: lw.Trajectory) -> float:
    """The height of the arc between the second and the third bounce."""
    hits = [event.t for event in moved.events if event.kind == "impact"]
    return float(moved.at(0.5 * (hits[1] + hits[2]))["y"]) if len(hits) > 2 else 0.0


def effort(moved: lw.Trajectory) -> float:
    """The energy of the ball as it is thrown, over its weight."""
    start = moved.at(float(moved.t[0]))
    return float(start["y"]) + float(start["vx"]) ** 2 / (2.0 * G)


def found() -> Minimum:
    """The throw of the least energy that lands within a millimetre, and high enough."""
    return lw.minimize(build(), "effort", {"vx": (1.0, 8.0), "y": (LOWEST, HIGHEST)}, until=3.6,
                       outputs={"effort": effort, "landing": landing, "apex": apex},
                       constraints={"landing": (None, 1e-3), "apex": (ARC, None)},
                       method=lw.DifferentialEvolution(generations=8, population=8, polish=100))  # fmt: skip


def exact(h: float) -> float:
    """The speed with which a ball from a height lands on the mark."""
    return MARK / (math.sqrt(2.0 * h / G) * (1.0 + 2.0 * E + 2.0 * E * E))


def main() -> None:
    best = found()
    h, vx = best.point["y"], best.point["vx"]
    print(f"found: {best}")
    near("speed for that height", vx, exact(h), 2e-3, "closed form")
    low = ARC / E**4  # from where the last arc is just as high as it has to be
    cheapest = min((k / 1e4 for k in range(int(1e4 * max(low, LOWEST)), int(1e4 * HIGHEST))),
                   key=lambda each: each + exact(each) ** 2 / (2.0 * G))  # fmt: skip
    near("energy over weight", best.value, cheapest + exact(cheapest) ** 2 / (2.0 * G), 5e-3, "closed form, searched")


def picture(path: str) -> None:
    """The throw that was found, and the one that it began with."""
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7.0, 3.0))
    for moved, label in ((run(build()), "too short"), (found().run(), "found")):
        at = moved.smooth(400)
        axes.plot(at["x"], at["y"], label=label)
    axes.plot([MARK], [0.0], "v", color="black", clip_on=False, label="mark")
    axes.axhline(ARC, color="grey", linewidth=0.8, linestyle="--")
    axes.set(xlabel="x in m", ylabel="y in m", xlim=(0.0, 7.0))
    axes.legend()
    figure.tight_layout()
    figure.savefig(path)


if __name__ == "__main__":
    main()
