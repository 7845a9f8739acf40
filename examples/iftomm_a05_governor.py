"""IFToMM A05: a flyball governor with stiff couplers.

The couplers between rods and slider are springs of 8e5 N/m with dampers of 4e4 N s/m: rates of 1e4 per second beside a
motion that takes seconds. The hinges of the rods are joints of a tree, or constraints between bodies that move on their
own; the motion is the same.
"""

import math

import numpy as np

import latchwork as lw
from published import residual

TILT = math.pi / 6
# s of the slider after 1, 2, ... 10 s: Lagrange's equations in two coordinates, agreeing to 6e-15 at two tolerances.
SLIDER = (
    0.501420922379568, 0.505909294296704, 0.51324607834022, 0.523223371026043, 0.535563103721644,
    0.549928665905644, 0.565938157719406, 0.583178336709775, 0.601218402047509, 0.619622917061369,
)  # fmt: skip


def build(hinges: str = "joints") -> lw.Model:
    """Shaft and rods 1 m x 0.01 m x 0.01 m, slider 0.1 m cubed, 3000 kg/m³; 5 kg at the tip of each rod."""
    model = lw.Model(f"flyball governor, hinges as {hinges}")
    m, slider_mass, ball, a, b, g = model.parameters(m=0.3, m_slider=3.0, m_ball=5.0, a=0.05, b=0.01, g=9.81)
    stiffness, damping, rest = model.parameters(stiffness=8e5, damping=4e4, rest=0.5)
    N, O = model.frame, model.origin
    across, along = m * (1 + b**2) / 12, m * b**2 / 6
    shaft = model.revolute("shaft", q=["psi"], u=["u_psi"])
    S = shaft.frame
    model.body("shaft", shaft, O.at("So", 0.5 * S.z), m, lw.inertia(S, xx=across, yy=across, zz=along))
    slider = model.prismatic("slider", shaft, axis=S.z, q=["s"], u=["u_s"])
    cube = slider_mass * 0.1**2 / 6
    model.body("slider", slider, slider.origin, slider_mass, lw.inertia(slider.frame, xx=cube, yy=cube, zz=cube))
    plane = S.rotated("plane", math.pi / 2, S.x)
    for name, side in (("right", 1.0), ("left", -1.0)):
        hinge = O.at(f"{name}_hinge", side * a * S.x + S.z)
        if hinges == "joints":
            rod = model.revolute(name, plane, at=hinge, q=[f"q_{name}"], u=[f"u_{name}"])
            center = hinge.at(f"{name}_center", side * 0.5 * rod.frame.x)
        else:
            rod = model.planar(name, plane, at=O, q=[f"x_{name}", f"z_{name}", f"q_{name}"],
                               u=[f"vx_{name}", f"vz_{name}", f"u_{name}"])  # fmt: skip
            center = rod.origin.at(f"{name}_center", 0 * S.x)
            gap = center.at(f"{name}_end", -side * 0.5 * rod.frame.x).position(hinge)
            model.constraint(f"{name} hinge", [gap.dot(S.x), gap.dot(S.z)])
        R = rod.frame
        model.body(name, rod, center, m, lw.inertia(R, xx=along, yy=across, zz=across))
        model.particle(f"{name}_ball", center.at(f"{name}_tip", side * 0.5 * R.x), ball)
        ear = slider.origin.at(f"{name}_ear", side * a * S.x)
        model.spring(ear, center, stiffness=stiffness, length=rest, damping=damping, name=f"{name} coupler")
    model.gravity(-g * N.z)
    model.describe(m="mass of a rod [kg]", m_slider="mass of the slider [kg]", m_ball="mass of a ball [kg]",
                   a="half of the top joint [m]", b="width of a rod [m]", g="acceleration of gravity [m/s^2]",
                   stiffness="stiffness [N/m]", damping="damping [N s/m]", rest="free length [m]")  # fmt: skip
    return model


def variants() -> list[lw.Model]:
    """A tree, and a tree with two loops closed."""
    return [build(), build("constraints")]


SHOW = ("s", "u_s", "u_psi")
DRAW = ("left_tip", "left_hinge", "right_hinge", "right_tip")
VIEW = "xz"


def run(model: lw.Model, until: float = 1.0, tolerance: float = 1e-9) -> lw.Trajectory:
    """The shaft turns freely, once a second at the start; the balls rise and take the slider along."""
    q = {"psi": 0.0, "s": 0.5, "q_right": -TILT, "q_left": TILT}
    if model.constraints:
        x, z = 0.05 + 0.5 * math.cos(TILT), 1.0 - 0.5 * math.sin(TILT)
        q |= {"x_right": x, "x_left": -x, "z_right": z, "z_left": z}
    return lw.simulate(model, until, q=q, u={"u_psi": 2 * math.pi}, method=lw.DormandPrince(rtol=tolerance))


def main() -> None:
    for model in variants():
        moved = run(model, until=10.0)
        off = abs(moved.at(np.arange(1.0, 11.0))["s"] - SLIDER).max()
        assert off < 1e-9
        assert moved.audit.energy_error < 1e-6
        if model.constraints:
            assert residual(moved, model.constraints).max() < 1e-11
        print(f"{model.name}: s off by {off:.1e} m", moved.audit, "", sep="\n")


if __name__ == "__main__":
    main()
