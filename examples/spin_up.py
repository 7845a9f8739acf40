"""A flexible bar that is spun up, by Kane, Ryan and Banerjee: with its stiffening, and with the theory that loses it.

The bar lags behind its hub while it is spun up, and comes back to a straight line that is a little longer. Linear
velocities, as conventional programs have them, make it bend without bound. [J. Guidance 10 (1987) 139-151]
"""

import math

import numpy as np

import latchwork as lw
from latchwork import cos, where

L, EI, EA, RHO_A, SPIN, RAMP = 10.0, 1.4e4, 2.8e7, 1.2, 6.0, 15.0
CHAIN = 0.5737  # m: the largest lag of chains of 10 and 20 rigid links with springs between them, extrapolated


def turned(t):
    """The angle of the hub: ω = (Ω/T) (t - (T/2π) sin(2πt/T)) up to T, then Ω."""
    k = 2 * math.pi / RAMP
    ramp = SPIN / RAMP * (t * t / 2 + (cos(k * t) - 1.0) / k**2)
    return where(t < RAMP, ramp, SPIN * (t - RAMP / 2))


def build(stiffening: bool = True) -> lw.Model:
    """A bar clamped to a hub whose motion is given; it bends in the plane and stretches."""
    model = lw.Model("spin-up" if stiffening else "spin-up, linear too early")
    R = model.frame.rotated("R", turned(model.time), model.frame.z)
    bar = model.beam("bar", R, model.origin, L, EI=EI, EA=EA, rho_A=RHO_A, modes={"y": 3, "stretch": 1},
                     stiffening=stiffening)  # fmt: skip
    bar.at(L, "tip")
    return model


def models() -> list[lw.Model]:
    """With foreshortening, and without."""
    return [build(), build(stiffening=False)]


SHOW = ("q_bar_y1", "q_bar_y2", "q_bar_stretch1")
DRAW = ("O", "tip")


def run(model: lw.Model, until: float = 6.0) -> lw.Trajectory:
    """From rest."""
    return lw.simulate(model, until, method=lw.DormandPrince(rtol=1e-7))


def main() -> None:
    right, wrong = models()
    lag, stretch = (right.beams["bar"].deflection.position(1.0)[k] for k in (1, 0))
    moved = run(right, until=20.0)
    largest, steady = moved[lag].min(), float(np.mean(moved[stretch - L][moved.t > 19.0]))
    print(f"largest lag of the tip {-largest:.4f} m; after it {np.abs(moved[lag][moved.t > 16.0]).max():.4f} m")
    print(f"steady stretch {steady:.4e} m; ρA Ω² L³ / 3EA = {RHO_A * SPIN**2 * L**3 / (3 * EA):.4e} m")
    assert abs(largest + CHAIN) < 2e-3 * CHAIN
    assert abs(steady / (RHO_A * SPIN**2 * L**3 / (3 * EA)) - 1) < 0.02
    lost = lw.simulate(wrong, 9.0, method=lw.DormandPrince(rtol=1e-7), audit="off")  # it bends past all bounds
    tip = wrong.beams["bar"].deflection.position(1.0)[1]
    print(f"linear too early: {-lost[tip].min():.3g} m at t = 9 s, and on without bound")
    assert lost[tip].min() < 5 * largest
    print(moved.audit)


def picture(path: str) -> None:
    """The tip's lag by both theories, and the stretch."""
    from latchwork.view.plots import COLORS, figure, save

    made = figure(6.4, 3.4)
    lags, stretched = made.subplots(1, 2)
    for k, (model, until) in enumerate(zip(models(), (20.0, 8.4), strict=True)):
        x, y, _ = model.beams["bar"].deflection.position(1.0)
        moved = lw.simulate(model, until, method=lw.DormandPrince(rtol=1e-7), audit="off")
        grid = np.linspace(0.0, until, 600)
        lags.plot(grid, np.interp(grid, moved.t, moved[y]), color=COLORS[k], label=("with stiffening", "without")[k])
        if k == 0:
            stretched.plot(grid, 1e3 * np.interp(grid, moved.t, moved[x - L]), color=COLORS[0])
    lags.set_ylim(-1.6, 0.4)
    lags.set_ylabel("deflection of the tip [m]")
    lags.legend(frameon=False, loc="lower right")
    stretched.set_ylabel("tip along the bar [mm]")
    for panel in (lags, stretched):
        panel.set_xlabel("t [s]")
        panel.grid(alpha=0.15)
        panel.spines[["top", "right"]].set_visible(False)
    save(made, path)


if __name__ == "__main__":
    main()
