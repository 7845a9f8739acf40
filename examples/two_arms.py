"""Two arms carry one object, and squeeze it as hard as they are told.

Seven speeds, four rows, three freedoms and four motors: one more than the motion needs, and it goes into the force
between the hands. The object follows its way whatever that force is.
"""

import numpy as np

import latchwork as lw

SQUEEZE = 15.0  # N


def build(unit: float = 1.0) -> lw.Model:
    """Two arms of two links each, pinned to the ends of a bar; ``unit`` is a metre in units of length."""
    model = lw.Model("two arms")
    N = model.frame
    bar = model.planar("bar", q=["x", "y", "a"], u=["vx", "vy", "w"])
    model.body("bar", bar, bar.origin, 2.0, lw.inertia(bar.frame, zz=0.03 * unit**2))
    model.gravity(-9.81 * unit * N.y)
    for name, side in (("left", -1.0), ("right", 1.0)):
        base = model.origin.at(f"{name}_base", 0.5 * unit * side * N.x)
        inner = model.revolute(f"{name}_arm", at=base, q=[f"q_{name}"], u=[f"u_{name}"])
        elbow = base.at(f"{name}_elbow", 0.5 * unit * inner.frame.x)
        outer = model.revolute(f"{name}_fore", inner, at=elbow, q=[f"p_{name}"], u=[f"w_{name}"])
        hand = elbow.at(f"{name}_hand", 0.5 * unit * outer.frame.x)
        for link, point, mass, part in ((inner, base, 1.5, "upper"), (outer, elbow, 1.0, "lower")):
            middle = point.at(f"{link.name}_c", 0.25 * unit * link.frame.x)
            model.body(f"{name}_{part}", link, middle, mass, lw.inertia(link.frame, zz=mass / 48 * unit**2))
            motor = lw.quantity(unit="N m", description=f"motor of the {name} {part} arm")
            model.actuate(link, model.input(f"T_{link.name}", motor))
        grip = bar.origin.at(f"{name}_grip", 0.2 * unit * side * bar.frame.x)
        apart = grip.position() - hand.position()
        model.constraint(name, [apart.dot(bar.frame.x), apart.dot(bar.frame.y)])
    return model


def law(model: lw.Model, squeeze: float = SQUEEZE) -> lw.control.Projected:
    """Lift the bar by 20 cm and tilt it; the hands press on it from both ends."""
    t = model.time
    up = lw.control.minimum_jerk(t, 0.0, 1.0, 0.55, 0.75)
    tracks = {"x": 0.05 * lw.sin(3.0 * t), "y": up, "a": 0.2 * lw.sin(2.0 * t)}
    inward = lw.control.Press({"left[0]": 0.5, "right[0]": -0.5}, squeeze)
    return lw.control.Projected(tracks=tracks, gains=(400.0, 40.0), forces=[inward])


SHOW = ("y", "a", "T_left_arm")
DRAW = ("left_base", "left_elbow", "left_hand", "right_hand", "right_elbow", "right_base")
START = {"x": 0.0, "y": 0.55, "a": 0.0, "q_left": 2.2, "p_left": -2.0, "q_right": 0.94, "p_right": 2.0}


def run(model: lw.Model, squeeze: float = SQUEEZE) -> lw.Trajectory:
    """A second, from rest."""
    return lw.simulate(model, 1.2, START, controllers=[law(model, squeeze)])


def main() -> None:
    model = build()
    ways = []
    for squeeze in (0.0, SQUEEZE):
        moved = run(model, squeeze)
        forces = moved.reactions()
        inner = 0.5 * (forces["left"].lam[:, 0] - forces["right"].lam[:, 0])
        assert abs(inner - squeeze).max() < 1e-8
        ways.append(moved.at(np.linspace(0.0, 1.2, 13)).q)
        most = max(abs(moved[name]).max() for name in (r.name for r in moved.equations.r))
        off = abs(inner - squeeze).max()
        print(f"squeezed by {squeeze:4.1f} N: off by at most {off:.0e} N, torques up to {most:.1f} N m")
    assert abs(ways[0] - ways[1]).max() < 1e-6, "the motion does not know of it"


if __name__ == "__main__":
    main()
