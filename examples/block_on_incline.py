"""A block on an incline, with friction just above and just below what holds it: it stays for ever, or slides away."""

import math

import latchwork as lw
from published import near

BETA = 0.3


def build(fraction: float = 1.001) -> lw.Model:
    """A block free to move in the plane; its friction is a fraction of tan β."""
    model = lw.Model("block on an incline")
    m, g, a, b, beta = model.parameters(m=2.0, g=9.81, a=0.4, b=0.2, beta=BETA)
    N, O = model.frame, model.origin
    A = N.rotated("A", beta, N.z)
    link = model.planar("block", A, q=["x", "y", "turn"], u=["vx", "vy", "w"])
    block = model.body("block", link, link.origin, m, lw.inertia(link.frame, zz=m * (a**2 + b**2) / 12))
    model.gravity(-g * N.y)
    model.contact("incline", block.box((a, b)), lw.Line(point=O, direction=A.x, normal=A.y),
                  friction=fraction * math.tan(BETA))  # fmt: skip
    model.describe(m="mass of the block [kg]", g="acceleration of gravity [m/s^2]", a="its length [m]",
                   b="its height [m]", beta="slope [rad]")  # fmt: skip
    return model


def variants() -> list[lw.Model]:
    """It stays; it slides."""
    return [build(1.001), build(0.999)]


SHOW = ("x", "vx", "mode")
DRAW: tuple[str, ...] = ()


def run(model: lw.Model, until: float = 5.0) -> lw.Trajectory:
    """Put down at rest."""
    return lw.simulate(model, until, q={"x": 0.0, "y": 0.1, "turn": 0.0})


def live() -> lw.Exhibit:
    """To be pushed, lifted and toppled by hand; tilt the incline until friction gives way."""
    model = build()
    A, O = model.frames["A"], model.origin
    block = model.bodies["block"].box((model.symbols["a"], model.symbols["b"]))
    for name, x, normal in (("lower stop", -1.2, A.x), ("upper stop", 1.2, -A.x)):
        model.contact(name, block, lw.Line(point=O.at(name, x * A.x), direction=A.y, normal=normal))
    return lw.Exhibit(model, q={"x": 0.0, "y": 0.1, "turn": 0.0}, u={}, sliders={"beta": (0.0, 0.6), "g": (1.0, 20.0)})


def main() -> None:
    stays, slides = (run(model) for model in variants())
    print(*slides.events, sep="\n")
    near("way at 1.001 of the limit", stays["x"][-1], 0.0, 1e-12)
    near("way at 0.999", slides["x"][-1], -0.001 * 9.81 * math.sin(BETA) * 5.0**2 / 2, 1e-9)
    near("way in 1,000 s of stick", run(build(), until=1000.0)["x"][-1], 0.0, 1e-12)


if __name__ == "__main__":
    main()
