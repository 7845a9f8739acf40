"""A hand of three fingers lifts a ball, is pushed, and does not drop it.

Fingers touch it with friction: nothing but force holds it. The law moves the ball, keeps every finger inside of a
friction cone that is narrower than the real one, and presses with 3 N at least; what the fingers have to do for that,
it finds from the contacts that stick just now. It does not know of the push.
"""

import math

import numpy as np

import latchwork as lw

RADIUS, LEAST, FRICTION, BELIEVED, PUSH = 0.05, 3.0, 0.6, 0.35, 2.0


def build() -> lw.Model:
    """A ball, and three finger tips that are moved along N.x, N.y and N.z by motors."""
    model = lw.Model("hand")
    N = model.frame
    ball = model.free("ball")
    model.body("ball", ball, ball.origin, 0.4, lw.inertia(ball.frame, 4e-4, 4e-4, 4e-4))
    model.gravity(-9.81 * N.z)
    model.force(ball.origin, model.input("push", lw.quantity(unit="N", description="push at the ball")) * N.x)
    for i in range(3):
        tip = None
        for axis, name in ((N.x, "x"), (N.y, "y"), (N.z, "z")):
            tip = model.prismatic(f"finger{i}{name}", tip, axis=axis, q=[f"{name}{i}"], u=[f"v{name}{i}"])
            motor = lw.quantity(unit="N", description=f"motor of finger {i} along {name}")
            model.actuate(tip, model.input(f"F{i}{name}", motor))
        model.particle(f"tip{i}", tip.origin, 0.1)
        model.contact(f"finger{i}", tip.origin, lw.Sphere(ball.origin, RADIUS, ball), friction=FRICTION)
    return model


def law(model: lw.Model) -> lw.control.Projected:
    """Lift it by 5 cm without turning it, by the least forces inside of all cones."""
    height = lw.control.minimum_jerk(model.time, 0.0, 0.2, 0.0, 0.05)
    cones = [lw.control.Cone(f"finger{i}", BELIEVED, least=LEAST) for i in range(3)]
    return lw.control.Projected(tracks={model.points["ball_o"]: (0.0, 0.0, height), model.frames["ball"]: model.frame},
                                gains=(400.0, 40.0), cones=cones, unknown=["push"])  # fmt: skip


SHOW = ("q_ball_px", "q_ball_pz", "F0x")
DRAW = ()
VIEW = "xz"


def run(model: lw.Model) -> lw.Trajectory:
    """Held at the start by fingers that press; pushed with 2 N for a tenth of a second."""
    q, inputs = {}, {"push": lw.Table([0.0, 0.25, 0.35], [0.0, PUSH, 0.0])}
    for i in range(3):
        c, s = math.cos(2 * math.pi * i / 3), math.sin(2 * math.pi * i / 3)
        q |= {f"x{i}": RADIUS * c, f"y{i}": RADIUS * s}
        inputs |= {f"F{i}x": -5.0 * c, f"F{i}y": -5.0 * s, f"F{i}z": 9.81 * (0.1 + 0.4 / 3)}
    return lw.simulate(model, 0.7, q, inputs=inputs, controllers=[law(model)])


def main() -> None:
    moved = run(build())
    assert [span.names for span in moved.modes] == [("finger0: stick", "finger1: stick", "finger2: stick")]
    forces, steepest = moved.reactions(), 0.0
    for i in range(3):
        lam = forces[f"finger{i}"].lam
        steepest = max(steepest, float((np.hypot(lam[:, 1], lam[:, 2]) / lam[:, 0]).max()))
    where = moved["ball_o"]
    assert steepest < FRICTION
    assert abs(where[-1] - [0.0, 0.0, 0.05]).max() < 1e-3
    aside, back = 1e3 * abs(where[:, 0]).max(), 1e3 * abs(where[-1, 0])
    print(f"pushed aside by {aside:.1f} mm, back to {back:.2f} mm; friction leans to {steepest:.2f} of {FRICTION}")


if __name__ == "__main__":
    main()
