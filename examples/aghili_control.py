"""Aghili, §VIII-B: the slider-crank moved and pressed, by two motors or by one.

The motion law takes the least torques; pressing adds what only loads the slot, and leaves the motion as it is. With
joint B passive, one motor does all, with √5 times the torque. Figures 5 and 6, and the analogue of Table I.
"""

import math

import numpy as np

import latchwork as lw

START, GOAL = math.pi / 6, math.pi / 3
GAINS, FORCE = (25.0, 10.0), (1.0, 20.0)  # G_P, G_D; G_F, G_I


def build(motors: tuple[str, ...] = ("f1", "f2")) -> lw.Model:
    """Particles B and C at the ends of two massless links; C slides along N.x; a motor in the joints that are named."""
    model = lw.Model("slider-crank with motors")
    m, l, g = model.parameters(m=1.0, l=1.0, g=9.81)
    N = model.frame
    crank = model.revolute("crank", q=["q1"], u=["u1"])
    B = crank.origin.at("B", l * crank.frame.x)
    rod = model.revolute("rod", crank, at=B, q=["q2"], u=["u2"])
    C = B.at("C", l * rod.frame.x)
    model.particle("B", B, m)
    model.particle("C", C, m)
    model.gravity(-g * N.y)
    for name, link in (("f1", crank), ("f2", rod)):
        if name in motors:
            model.actuate(link, model.input(name, lw.quantity(unit="N m", description=f"motor of the {link.name}")))
    model.constraint("slot", C.position().dot(N.y))
    model.describe(m="mass at the end of a link [kg]", l="length of a link [m]", g="acceleration of gravity [m/s^2]")
    return model


def law(presses: bool) -> lw.control.Projected:
    """Move the crank to its goal; and keep the force in the slot at zero, where it presses."""
    forces = [lw.control.Press("slot", 0.0, gains=FORCE)] if presses else []
    return lw.control.Projected(tracks={"q1": GOAL}, gains=GAINS, forces=forces)


SHOW = ("q1", "f1", "f2")
DRAW = ("O", "B", "C")


def run(model: lw.Model, presses: bool = False) -> lw.Trajectory:
    """From 30° to 60° in two seconds, from rest."""
    return lw.simulate(model, 2.0, {"q1": START, "q2": 2 * math.pi - 2 * START}, controllers=[law(presses)],
                       method=lw.DormandPrince(rtol=1e-10, atol=1e-12))  # fmt: skip


def live() -> lw.Exhibit:
    """The crank follows its law; its gains are sliders, and its goal is dragged."""
    model = build()
    goal, stiff = model.parameters(goal=lw.quantity(GOAL, "rad", "where the crank is to go"),
                                   stiffness=lw.quantity(25.0, "1/s^2", "how firmly it is drawn there"))  # fmt: skip
    own = lw.control.Projected(tracks={"q1": goal}, gains=(stiff, 2.0 * stiff**0.5))
    N, l = model.frame, model.symbols["l"]
    model.origin.at("target", l * lw.cos(goal) * N.x + l * lw.sin(goal) * N.y)
    return lw.Exhibit(model, q={"q1": START, "q2": 2 * math.pi - 2 * START}, u={}, draw=DRAW, hold="C",
                      controllers=[own], targets=("target",),
                      sliders={"goal": (0.2, 1.3), "stiffness": (1.0, 100.0)})  # fmt: skip


def rms(moved: lw.Trajectory, motors: tuple[str, ...]) -> float:
    """√(1/T ∫ fᵀf dt)."""
    at = moved.at(np.linspace(0.0, 2.0, 2001))
    return float(np.sqrt(np.trapezoid(sum(at[name] ** 2 for name in motors), at.t) / 2.0))


def main() -> None:
    both, one = ("f1", "f2"), ("f1",)
    moved, pressed, single = run(build()), run(build(), presses=True), run(build(one))
    for each in (moved, pressed, single):
        e = GOAL - each["q1"]
        assert abs(e - (GOAL - START) * (1 + 5 * each.t) * np.exp(-5 * each.t)).max() < 1e-8
    assert abs(pressed.reactions()["slot"].lam).max() < 1e-9
    c2, s2, u1 = np.cos(moved["q2"]), np.sin(moved["q2"]), moved["u1"]
    wanted = 25.0 * (GOAL - moved["q1"]) - 10.0 * u1
    f1 = ((3 - 2 * c2) * wanted + 9.81 * np.cos(moved["q1"]) - 2 * s2 * u1**2) / 5
    assert abs(moved["f1"] - f1).max() < 1e-11
    assert abs(moved["f2"] + 2 * f1).max() < 1e-11
    table = {"motion, 2 active joints": rms(moved, both), "motion, 1 active joint": rms(single, one),
             "motion and force": rms(pressed, both)}  # fmt: skip
    for name, value in table.items():
        print(f"{name:26} rms of the torques {value:7.3f} N m")
    ratio = table["motion, 1 active joint"] / table["motion, 2 active joints"]
    assert abs(ratio - math.sqrt(5.0)) < 1e-6
    print(f"one motor for two: {ratio:.6f} times the torque; the square root of 5 is {math.sqrt(5.0):.6f}")


def picture(path: str) -> None:
    """Figures 5 and 6: position, force in the slot, torques; with motion control, force control, and one motor."""
    import matplotlib.pyplot as plt

    runs = {"motion": run(build()), "motion and force": run(build(), True), "one motor": run(build(("f1",)))}
    figure, axes = plt.subplots(3, 1, sharex=True, figsize=(6.4, 6.0))
    for (name, moved), style in zip(runs.items(), ("-", "--", ":"), strict=True):
        axes[0].plot(moved.t, np.degrees(moved["q1"]), style, label=name)
        axes[1].plot(moved.t, moved.reactions()["slot"].lam[:, 0], style)
        norm = np.sqrt(sum(moved[f] ** 2 for f in ("f1", "f2") if f in [r.name for r in moved.equations.r]))
        axes[2].plot(moved.t, norm, style)
    for axis, label in zip(axes, ("crank [°]", "force in the slot [N]", "norm of torques [N m]"), strict=True):
        axis.set_ylabel(label)
        axis.grid(True, alpha=0.3)
    axes[0].legend()
    axes[2].set_xlabel("t [s]")
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main()
