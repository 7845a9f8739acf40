"""A robot dropped on the floor: four legs on springs, from a file in MuJoCo's format, with contacts that are hard.

It lands on its feet, springs, and comes to rest; its energy is accounted for to rounding.
"""

from pathlib import Path

import latchwork as lw

HEIGHT = 0.5  # m, of the trunk where the file puts it


def build() -> lw.Model:
    """The robot of ``dog.xml`` with its floor."""
    return lw.load(Path(__file__).with_name("dog.xml"), collisions=True)


SHOW = ("root_pz", "front_left", "back_left")
DRAW: tuple[str, ...] = ()
VIEW = "xz"


def start() -> dict[str, float]:
    """As it is drawn, a hand's breadth above where it would stand."""
    return {"root_pz": HEIGHT, "root_e0": 1.0}


def run(model: lw.Model, until: float = 2.0) -> lw.Trajectory:
    """Let go."""
    return lw.simulate(model, until, q=start(), thick=lw.TimeStepping(step=2e-3, always=True))


def live() -> lw.Exhibit:
    """To be pushed, lifted by a leg, and turned over."""
    return lw.Exhibit(build(), start(), {}, view=VIEW, hold="trunk", step=2e-3, plots=("root_pz",),
                      thick=lw.TimeStepping(step=2e-3, always=True))  # fmt: skip


def main() -> None:
    moved = run(build())
    fast = max(abs(moved[name][-1]) for name in ("u_root_vz", "u_front_left", "u_back_left"))
    print(f"at rest: the trunk is {moved['root_pz'][-1]:.6f} m above the floor, nothing faster than {fast:.1e}")
    print(moved.audit)
    assert fast < 1e-3
    assert moved.audit.energy_error < 1e-9


if __name__ == "__main__":
    main()
