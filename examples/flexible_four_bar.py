"""A four-bar linkage whose coupler bends: a loop, a motor and a beam.

The coupler is a beam held at both ends by pins; its middle swings out as the crank turns. Nothing is said about the
loop that would not be said of rigid bars.
"""

import numpy as np

import latchwork as lw

CRANK, COUPLER, ROCKER, GROUND = 0.1, 0.4, 0.3, 0.4
SPEED = 30.0
START = {"q_crank": 0.3, "q_pin": 0.441962, "q_rocker": 1.602830}  # the loop is closed, the coupler straight


def build(modes: int = 2) -> lw.Model:
    """Crank and rocker are rigid; a motor keeps the crank at its speed."""
    model = lw.Model("flexible four-bar")
    N, O = model.frame, model.origin
    crank = model.revolute("crank")
    model.body("crank bar", crank, O.at("crank_c", 0.5 * CRANK * crank.frame.x), 0.3, lw.inertia(crank.frame, zz=4e-4))
    pin = model.revolute("pin", crank, at=O.at("A", CRANK * crank.frame.x))
    coupler = model.beam("coupler", pin, pin.origin, COUPLER, EI=40.0, rho_A=0.25, modes=modes, shapes="pinned-pinned",
                         damping=2e-4)  # fmt: skip
    ground = O.at("D", GROUND * N.x)
    rocker = model.revolute("rocker", at=ground)
    model.body("rocker bar", rocker, ground.at("rocker_c", 0.5 * ROCKER * rocker.frame.x), 0.3,
               lw.inertia(rocker.frame, zz=2e-3))  # fmt: skip
    end = ground.at("C", ROCKER * rocker.frame.x)
    apart = coupler.at(COUPLER, "B").position(end)
    model.constraint("pin at C", [apart.dot(N.x), apart.dot(N.y)])
    model.actuate(crank, 2.0 * (SPEED - crank.u[0]), "motor")
    coupler.at(0.5 * COUPLER, "M")
    return model


SHOW = ("q_crank", "q_coupler_y1", "q_coupler_y2")
DRAW = ("O", "A", "M", "B", "D")


def run(model: lw.Model, until: float = 0.6) -> lw.Trajectory:
    """At its speed from the start."""
    return lw.simulate(model, until, q=START, u={"u_crank": SPEED})


def main() -> None:
    model = build()
    coupler = model.beams["coupler"]
    for mode in coupler.modes():
        print(mode)
    moved = run(model)
    bent = moved[coupler.deflection.position(0.5)[1]]
    moment = moved[coupler.bending_moment(0.5 * COUPLER)]
    print(f"middle of the coupler: {1e3 * np.abs(bent).max():.3f} mm, {np.abs(moment).max():.3f} Nm at most")
    more = build(modes=4)
    also = run(more)[more.beams["coupler"].deflection.position(0.5)[1]]
    print(f"with four modes: {1e3 * np.abs(also).max():.3f} mm")
    assert abs(np.abs(also).max() / np.abs(bent).max() - 1.0) < 0.05
    assert moved.audit.constraint_error < 1e-11
    print(moved.audit)


if __name__ == "__main__":
    main()
