"""Buffinton §6.5.3: an elastic beam that is drawn out over two supports while its base swings.

The beam passes the supports at arc lengths that change; a block is at its end. Drawing out and swinging are prescribed,
and the beam answers.
"""

import math

import numpy as np

import latchwork as lw
from latchwork import sin

L, L_T, L_P, L_D, L_C = 2.0, 0.1, 0.3, 0.5, 0.1
SWING, DRAWN, TIME = 1.0, (1.3, 0.3), 2.0


def rise(t, a, b):
    """From a to b in TIME, at rest before and after."""
    return a + (b - a) * (t / TIME - sin(2 * math.pi * t / TIME) / (2 * math.pi))


def build(modes: int = 3, stiffening: bool = True) -> lw.Model:
    """The base A turns by θ1(t), the beam B is at -z1(t) along it, free to move across, with a block C at its end."""
    model = lw.Model("beam over two supports")
    A = model.frame.rotated("A", rise(model.time, 0.0, SWING), model.frame.z)
    P_hat = model.origin.at("P_hat", -L_P * A.x + L_T * A.y)
    Q_hat = P_hat.at("Q_hat", L_D * A.x)
    z2, theta2 = model.coordinates("z2", "theta2")
    model.speeds()
    R = A.rotated("R", theta2, A.z)
    root = P_hat.at("R_star", -rise(model.time, *DRAWN) * A.x + z2 * A.y)
    B = model.beam("B", R, root, L, EI=300.0, rho_A=1.2, modes=modes, shapes="free-free", stiffening=stiffening)
    E, C = B.at(L, "E"), B.frame_at(L, "C")
    model.body("block", C, E.at("C_star", L_C * C.x), 0.4, lw.inertia(C, zz=1e-3))
    for name, place in (("P", P_hat), ("Q", Q_hat)):
        model.support(name, B, place)
        model.particle(f"shoe {name}", model.points[f"B_at_{name}"], 0.05)  # stays where the support is
    return model


SHOW = ("q_B_y1", "q_B_y2", "s_P")
DRAW = ("R_star", "B_at_P", "B_at_Q", "E", "C_star")


def run(model: lw.Model, until: float = TIME) -> lw.Trajectory:
    """From rest on the supports."""
    return lw.simulate(model, until, q={"s_P": DRAWN[0], "s_Q": DRAWN[0] + L_D})


def deflection(model: lw.Model) -> lw.Expr:
    """Of the end of the beam from the line of the supports."""
    return model.points["E"].position(model.points["P_hat"]).dot(model.frames["A"].y)


def main() -> None:
    model = build()
    moved = run(model)
    end = moved[deflection(model)]
    print(f"the end is at most {1e3 * np.abs(end).max():.2f} mm off the line of the supports")
    assert moved.audit.constraint_error < 1e-11
    assert moved.audit.energy_error < 1e-8
    print(moved.audit)


def picture(path: str) -> None:
    """The end of the beam with 1, 2, 4 and 6 modes."""
    from latchwork.view.plots import COLORS, figure, save

    made = figure(6.4, 3.4)
    panel = made.add_subplot()
    grid = np.linspace(0.0, TIME, 500)
    for k, modes in enumerate((1, 2, 4, 6)):
        model = build(modes)
        moved = run(model)
        line = np.interp(grid, moved.t, moved[deflection(model)])
        panel.plot(grid, 1e3 * line, color=COLORS[k], linewidth=1.2, label=f"{modes} mode{'s' if modes > 1 else ''}")
    panel.set_xlabel("t [s]")
    panel.set_ylabel("end of the beam [mm]")
    panel.legend(frameon=False)
    panel.grid(alpha=0.15)
    panel.spines[["top", "right"]].set_visible(False)
    save(made, path)


if __name__ == "__main__":
    main()
