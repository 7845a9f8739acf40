"""A block rocks from corner to corner (Housner, 1963). Each impact leaves 1 - (3/2) sin²α of its angular velocity."""

import math

from scipy.integrate import quad

import latchwork as lw
from published import jumps, near, times

B, H, START, G = 0.1, 0.4, 0.15, 9.81
R, ALPHA = math.hypot(B, H), math.atan2(B, H)


def build() -> lw.Model:
    """A block, 2B wide and 2H high, free in the plane above the ground, with friction that never lets it slip."""
    model = lw.Model("rocking block")
    m, g, b, h = model.parameters(m=1.0, g=G, b=B, h=H)
    N, O = model.frame, model.origin
    link = model.planar("block", N, q=["x", "y", "turn"], u=["vx", "vy", "w"])
    block = model.body("block", link, link.origin, m, lw.inertia(link.frame, zz=m * (b**2 + h**2) / 3))
    model.gravity(-g * N.y)
    model.contact("ground", block.box((2 * b, 2 * h)), lw.Line(point=O, direction=N.x, normal=N.y), friction=2.0)
    model.describe(m="mass of the block [kg]", g="acceleration of gravity [m/s^2]", b="half of its width [m]",
                   h="half of its height [m]")  # fmt: skip
    return model


SHOW = ("turn", "w", "mode")
DRAW: tuple[str, ...] = ()


def run(model: lw.Model, until: float = 2.0) -> lw.Trajectory:
    """Tilted about its right corner, which is at O, and let go."""
    lean = ALPHA - START
    q = {"x": -R * math.sin(lean), "y": R * math.cos(lean), "turn": -START}
    return lw.simulate(model, until, q=q, method=lw.DormandPrince(rtol=1e-12, atol=1e-13))


def live() -> lw.Exhibit:
    """To be tilted by hand, and let go."""
    model = build()
    lean = ALPHA - START
    q = {"x": -R * math.sin(lean), "y": R * math.cos(lean), "turn": -START}
    return lw.Exhibit(model, q=q, u={}, sliders={"g": (1.0, 20.0), "m": (0.2, 5.0)})


def quarter(amplitude: float) -> float:
    """From rest to the impact: ∫ dθ / √(2 p² (cos(α - A) - cos(α - θ))), θ = A (1 - s²)."""

    def slope(s: float) -> float:
        half = amplitude * s * s / 2
        return 2 * amplitude * s / math.sqrt(2 * math.sin(ALPHA - amplitude + half) * math.sin(half))

    return quad(slope, 0.0, 1.0, epsabs=1e-14, epsrel=1e-13)[0] / math.sqrt(2 * 0.75 * G / R)


def closed_form(impacts: int) -> list[float]:
    """Times of impacts."""
    t, amplitude, found = 0.0, START, []
    kept = (1 - 1.5 * math.sin(ALPHA) ** 2) ** 2
    for _ in range(impacts):
        t += quarter(amplitude)
        found.append(t)
        fall = kept * (math.cos(ALPHA - amplitude) - math.cos(ALPHA))
        amplitude = ALPHA - math.acos(math.cos(ALPHA) + fall)
        t += quarter(amplitude)
    return found


def main() -> None:
    moved = run(build())
    print(*moved.events, sep="\n")
    near("impacts", times(moved, "impact"), closed_form(4), 1e-8)
    before, after = jumps(moved, "w")
    near("what an impact leaves", after / before, 4 * [1 - 1.5 * math.sin(ALPHA) ** 2], 1e-9, "Housner")


if __name__ == "__main__":
    main()
