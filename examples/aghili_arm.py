"""Aghili, §IX: an arm with three joints whose wrist runs in a slider, sampled at 1 kHz; three laws side by side.

The slider is a millimetre from where the laws believe it to be, and the joints have dry friction. Inverse dynamics that
knows nothing of the slider (IDC) fights it; projected inverse dynamics (PIDC) does not push where nothing can move; the
hybrid law keeps the force at zero besides. The paper gives neither lengths, masses nor friction: those below are
assumed, and so are the filter of the force sensor and the inertia of the geared motors, ``ROTORS``.

What a place that is off by δ does to the force of IDC is Λ G_P δ, where Λ = 1 / (a M⁻¹ aᵀ) is the mass that the slider
feels: much of heavy rotors, little of a light last link. PIDC leaves the force that the motion needs across the slider,
however well y₀ is known.
"""

import math

import numpy as np

import latchwork as lw

LENGTHS, MASSES = (0.3, 0.25, 0.1), (3.0, 2.0, 0.8)  # m, kg
FRICTION = (0.3, 0.2, 0.05)  # N m
ROTORS = (0.1, 0.05, 0.02)  # kg m², seen from the links
TABLE_II = {"IDC": (3.18, 4.90), "PIDC": (1.50, 1.89), "hybrid": (2.63, 2.30)}  # RMS and peak of torques in the paper
Y0, OFF = -0.27, -1e-3  # m: the slider, and by how much the laws are wrong
GAINS, FORCE, LAG = (480.0, 45.0), (3.0, 0.1), 0.02
UNTIL = 0.8


def build(rotors: tuple[float, ...] = ROTORS, unit: float = 1.0) -> lw.Model:
    """Three links in a horizontal plane, geared motors in all joints, dry friction; the wrist slides along N.x.

    ``unit`` is a metre in units of length.
    """
    model = lw.Model("arm in a slider")
    N, link, point = model.frame, None, model.origin
    for i, (length, mass, dry) in enumerate(zip([unit * each for each in LENGTHS], MASSES, FRICTION, strict=True), 1):
        link = model.revolute(f"joint{i}", link, at=point, q=[f"q{i}"], u=[f"u{i}"])
        middle = point.at(f"C{i}", 0.5 * length * link.frame.x)
        model.body(f"link{i}", link, middle, mass, lw.inertia(link.frame, zz=mass * length**2 / 12))
        model.actuate(link, model.input(f"T{i}", lw.quantity(unit="N m", description=f"motor of joint {i}")))
        model.friction(f"friction{i}", link, dry * unit**2)
        point = point.at(f"P{i}", length * link.frame.x)
        own = N.rotated(f"R{i}", link.q[0], N.z)  # turns as the joint does: the energy of its rotor is J q̇²/2
        model.body(f"rotor{i}", own, model.origin, 1e-9, lw.inertia(own, zz=rotors[i - 1] * unit**2))
    model.constraint("slider", point.position().dot(N.y) - Y0 * unit)
    return model


def law(model: lw.Model, which: str, unit: float = 1.0) -> lw.control.Sampled:
    """IDC, PIDC or hybrid, at 1 kHz."""
    N, t = model.frame, model.time
    wrist = model.points["P3"].position()
    turn = sum((model.symbols[f"q{i}"] for i in (1, 2, 3)), start=0.0 * t)
    tracks = {wrist.dot(N.x): unit * (-0.075 + 0.225 * lw.sin(math.pi * t + math.pi / 9)), turn: 0.0}
    if which == "IDC":
        tracks[wrist.dot(N.y)] = (Y0 + OFF) * unit
    forces = [lw.control.Press("slider", 0.0, gains=FORCE, filter=LAG)] if which == "hybrid" else []
    own = lw.control.Projected(tracks=tracks, gains=GAINS, forces=forces, blind=which == "IDC", name=which)
    return lw.control.Sampled(own, 1e-3)


SHOW = ("q1", "T1", "T2")
DRAW = ("O", "P1", "P2", "P3")


def start(model: lw.Model) -> dict[str, dict[str, float]]:
    """On the slider, moving as the reference does."""
    x, v = -0.075 + 0.225 * math.sin(math.pi / 9), 0.225 * math.pi * math.cos(math.pi / 9)
    a, b = x - LENGTHS[2], Y0  # of the second elbow, as the last link lies along N.x
    bend = -math.acos((a * a + b * b - LENGTHS[0] ** 2 - LENGTHS[1] ** 2) / (2 * LENGTHS[0] * LENGTHS[1]))
    first = math.atan2(b, a) - math.atan2(LENGTHS[1] * math.sin(bend), LENGTHS[0] + LENGTHS[1] * math.cos(bend))
    q = [first, bend, -first - bend]
    c, s = LENGTHS[1] * math.cos(first + bend), LENGTHS[1] * math.sin(first + bend)
    u1, u2 = np.linalg.solve([[-b, -s], [a, c]], [v, 0.0])
    return {"q": dict(zip(("q1", "q2", "q3"), q, strict=True)), "u": {"u1": u1, "u2": u2, "u3": -u1 - u2}}


def run(model: lw.Model, which: str = "PIDC", until: float = UNTIL) -> lw.Trajectory:
    """One law, for some seconds."""
    return lw.simulate(model, until, **start(model), controllers=[law(model, which)], method=lw.RK4(5e-4))


def norms(moved: lw.Trajectory) -> tuple[float, float, float]:
    """RMS and peak of the torques, and RMS of the force in the slider, after the first quarter of a second."""
    at = moved.at(np.linspace(0.25, moved.t[-1], 2001))
    torques = np.column_stack([at[f"T{i}"] for i in (1, 2, 3)])
    force = at.reactions()["slider"].lam[:, 0]
    return (float(np.sqrt((torques**2).sum(axis=1).mean())), float(abs(torques).max()),
            float(np.sqrt((force**2).mean())))  # fmt: skip


def felt_mass(model: lw.Model) -> float:
    """Λ = 1 / (a M⁻¹ aᵀ) at the start: the mass that the slider feels."""
    constrained = model.constrained()
    at = start(model)
    x = constrained.arguments(list(at["q"].values()), list(at["u"].values()))
    M, a = constrained.terms.motion(x).M, constrained.terms.place(x).B
    return float(1.0 / (a @ np.linalg.solve(M, a.T))[0, 0])


def main() -> None:
    model = build()
    print("           torques rms   peak [N m]    (Table II)       force in the slider rms [N]")
    table = {}
    for which in ("IDC", "PIDC", "hybrid"):
        moved = run(model, which)
        table[which] = norms(moved)
        (rms, peak, force), paper = table[which], "({:.2f}, {:.2f})".format(*TABLE_II[which])
        print(f"{which:8} {rms:12.3f} {peak:12.3f}   {paper} {force:22.3f}")
        wrist, t = moved["P3"], moved.t
        assert abs(wrist[:, 0] + 0.075 - 0.225 * np.sin(math.pi * t + math.pi / 9)).max() < 0.02, "all of them track"
        assert abs(wrist[:, 1] - Y0).max() < 1e-9
    felt = felt_mass(model) * GAINS[0] * abs(OFF)
    print(f"a millimetre is worth {felt:.2f} N to IDC, and as much as PIDC leaves at {table['PIDC'][2] / felt:.1f} mm")
    assert table["PIDC"][0] < min(table["IDC"][0], table["hybrid"][0]), "least torques"
    assert table["hybrid"][2] < 0.5 * table["PIDC"][2], "least force"
    assert table["IDC"][2] > table["hybrid"][2], "it fights the slider"
    assert 0.3 < table["IDC"][2] / felt < 3.0, "as hard as Λ G_P δ says, and as friction adds"


def picture(path: str) -> None:
    """Fig. 8: position, orientation, force in the slider, norm of the torques."""
    import matplotlib.pyplot as plt

    model = build()
    figure, axes = plt.subplots(2, 2, sharex=True, figsize=(8.0, 5.0))
    for which, style in (("IDC", ":"), ("PIDC", "-"), ("hybrid", "--")):
        at = run(model, which, 2.5).at(np.linspace(0.0, 2.5, 1500))
        axes[0, 0].plot(at.t, at["P3"][:, 0], style, label=which)
        axes[0, 1].plot(at.t, np.degrees(at["q1"] + at["q2"] + at["q3"]), style)
        axes[1, 0].plot(at.t, at.reactions()["slider"].lam[:, 0], style)
        axes[1, 1].plot(at.t, np.sqrt(sum(at[f"T{i}"] ** 2 for i in (1, 2, 3))), style)
    labels = ("x [m]", "orientation [°]", "force in the slider [N]", "norm of torques [N m]")
    for axis, label in zip(axes.ravel(), labels, strict=True):
        axis.set_ylabel(label)
        axis.grid(True, alpha=0.3)
    axes[0, 0].legend()
    for axis in axes[1]:
        axis.set_xlabel("t [s]")
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main()
