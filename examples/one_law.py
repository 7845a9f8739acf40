"""One law for every mode: an arm swings free, lands on a table, slides along it, meets a wall, lifts off.

The law names what is to move and how hard to press; it has no word about what holds. On the table the normal direction
drops out of the motion by itself and is pressed in; at the wall the other one does. Pressing less and less, it lifts
off.
"""

import numpy as np

import latchwork as lw

PRESS, WALL = 10.0, 5.0  # N


def build() -> lw.Model:
    """Two links over a table and before a wall, a motor in each joint."""
    model = lw.Model("arm over a table")
    T1, T2 = model.inputs(T1=lw.quantity(0.0, "N m", "motor of the upper arm"),
                          T2=lw.quantity(0.0, "N m", "motor of the forearm"))  # fmt: skip
    N = model.frame
    upper = model.revolute("upper", q=["q1"], u=["u1"])
    E = upper.origin.at("E", 0.5 * upper.frame.x)
    fore = model.revolute("fore", upper, at=E, q=["q2"], u=["u2"])
    P = E.at("P", 0.5 * fore.frame.x)
    model.body("A", upper, upper.origin.at("Ac", 0.25 * upper.frame.x), 2.0, lw.inertia(upper.frame, zz=0.05))
    model.body("B", fore, E.at("Bc", 0.25 * fore.frame.x), 1.0, lw.inertia(fore.frame, zz=0.02))
    model.gravity(-9.81 * N.y)
    model.actuate(upper, T1)
    model.actuate(fore, T2)
    model.contact("table", P, lw.Plane(model.origin.at("on_table", -0.3 * N.y), N.y))
    model.contact("wall", P, lw.Plane(model.origin.at("on_wall", 0.8 * N.x), -1.0 * N.x))
    return model


def law(model: lw.Model) -> lw.control.Projected:
    """Down and to the right; 10 N on the table, less and less from 2.9 s on, 5 N at the wall."""
    t, N, P = model.time, model.frame, model.points["P"].position()
    right = 0.5 + 0.2 * lw.minimum(t, 2.0)
    down = 0.1 - 0.42 * lw.minimum(t, 1.0) + 1.5 * lw.maximum(t - 3.0, 0.0)
    forces = [lw.control.Press("table", PRESS - 60.0 * lw.maximum(t - 2.9, 0.0)), lw.control.Press("wall", WALL)]
    return lw.control.Projected(tracks={P.dot(N.x): right, P.dot(N.y): down}, gains=(400.0, 40.0), forces=forces)


SHOW = ("T1", "T2", "P")
DRAW = ("O", "E", "P")


def run(model: lw.Model, until: float = 3.3) -> lw.Trajectory:
    """From above the table."""
    return lw.simulate(model, until, {"q1": 0.8, "q2": -1.4}, controllers=[law(model)])


def main() -> None:
    moved = run(build())
    modes = [span.names for span in moved.modes]
    assert modes == [(), ("table: slide",), ("table: slide", "wall: slide"), ("wall: slide",)]
    forces = moved.reactions()
    aims = {"table": PRESS - 60.0 * np.maximum(moved.t - 2.9, 0.0), "wall": np.full(len(moved.t), WALL)}
    for name, wanted in aims.items():
        spans = [span for span in moved.modes if f"{name}: slide" in span.names]
        held = np.any([(moved.t > span.begin) & (moved.t < span.end) for span in spans], axis=0)
        off = abs(forces[name].lam[held, 0] - wanted[held]).max()
        assert off < 1e-6
        print(f"{name}: pressed for {sum(span.end - span.begin for span in spans):.2f} s, off by at most {off:.0e} N")
    for event in moved.events:
        print(event)


def picture(path: str) -> None:
    """Height of the end and the forces."""
    import matplotlib.pyplot as plt

    moved = run(build()).at(np.linspace(0.0, 3.3, 1321))
    figure, axes = plt.subplots(2, 1, sharex=True, figsize=(6.4, 4.2))
    axes[0].plot(moved.t, moved["P"][:, 0], label="x")
    axes[0].plot(moved.t, moved["P"][:, 1], label="y")
    axes[0].set_ylabel("end of the arm [m]")
    for name in ("table", "wall"):
        axes[1].plot(moved.t, moved.reactions()[name].lam[:, 0], label=name)
    axes[1].set_ylabel("force [N]")
    axes[1].set_xlabel("t [s]")
    for axis in axes:
        axis.legend()
        axis.grid(True, alpha=0.3)
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main()
