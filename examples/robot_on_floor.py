"""A robot from a file, dropped on the floor. One line loads it, another one runs it until it lies still.

`dog.urdf` is a trunk on four legs with feet; its joints have dry friction and damping, and nobody drives them. It
falls, its legs give way, and it stays where friction holds it: at exactly zero speed, without penetration, with all
energy accounted for. Where its impacts come too thick, it is stepped (`lw.TimeStepping`).
"""

from pathlib import Path

import numpy as np

import latchwork as lw

FILE = Path(__file__).with_name("dog.urdf")
FLOOR = -0.55  # m below the trunk, where the file places it


def build() -> lw.Model:
    """Shapes of the file against a floor, and friction of its joints."""
    return lw.load(FILE, floating=True, ground=FLOOR)


SHOW = ("root_joint_pz", "front_left_hip", "front_left_knee")
DRAW: tuple[str, ...] = ()
VIEW = "xz"


def run(model: lw.Model, until: float = 1.5) -> lw.Trajectory:
    """Let go from rest, as the file describes it."""
    return lw.simulate(model, until, thick=lw.TimeStepping(1e-3))


def live() -> lw.Exhibit:
    """To be pushed, lifted by a leg, and turned over."""
    return lw.Exhibit(build(), {}, {}, view=VIEW, hold="trunk", step=2e-3, plots=("root_joint_pz",),
                      thick=lw.TimeStepping(step=2e-3, always=True))  # fmt: skip


def main() -> None:
    dog = build()
    fall = run(dog)
    still = next(t for t, u in zip(fall.t, fall.u, strict=True) if t > 0.1 and not u.any())
    print(f"{len(fall.events)} events; all is still from {still:.3f} s on")
    print("it stands on", *sorted({name.partition(" on ")[0] for name in fall.modes[-1].names if " on " in name}))
    print(fall.audit)
    assert (fall.u[-1] == 0.0).all()
    assert fall.audit.least_gap > -1e-9
    assert fall.audit.energy_error < 1e-7
    assert np.diff(fall.energy).max() < 1e-6
    print(f"friction, damping and impacts took {fall.energy[0] - fall.energy[-1]:.2f} J")


if __name__ == "__main__":
    main()
