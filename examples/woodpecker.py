"""The woodpecker toy: a sleeve with play on a pole, a bird on a spring. It pecks its way down.

Leine, Glocker and van Campen, 2001; linear in the height y and the angles φ_M of the sleeve and φ_S of the bird. Beak
and sleeve hit the pole, stick to it, slide along it, and let go: nine events in each period.
"""

import latchwork as lw
from latchwork import dt
from published import near, times

START = {"q": {"y": 0.0, "phi_M": -0.0006 / 0.0058, "phi_S": -0.2788}, "u": {"u1": -0.3411, "u2": 0.0, "u3": -7.4583}}


def build() -> lw.Model:
    """Places are linear in the angles, as in the paper; the pole's surface is at x = 0, what may touch at its gap."""
    model = lw.Model("woodpecker toy")
    m_M, J_M, m_S, J_S, c, g = model.parameters(m_M=0.0003, J_M=5e-9, m_S=0.0045, J_S=7e-7, c=0.0056, g=9.81)
    r_0, r_M, h_M, l_M = model.parameters(r_0=0.0025, r_M=0.0031, h_M=0.0058, l_M=0.010)
    l_G, h_S, l_S = model.parameters(l_G=0.015, h_S=0.020, l_S=0.0201)
    y, phi_M, phi_S = model.coordinates("y", "phi_M", "phi_S")
    model.speeds(u1=dt(y), u2=dt(phi_M), u3=dt(phi_S))
    N, O = model.frame, model.origin
    sleeve, bird = N.rotated("sleeve", phi_M, N.z), N.rotated("bird", phi_S, N.z)
    model.body("sleeve", sleeve, O.at("M", y * N.y), m_M, lw.inertia(sleeve, zz=J_M))
    model.body("bird", bird, O.at("S", (y + l_M * phi_M + l_G * phi_S) * N.y), m_S, lw.inertia(bird, zz=J_S))
    model.torsion(bird, sleeve, N.z, phi_S - phi_M, c)
    model.gravity(-g * N.y)

    side = (y + r_M * phi_M) * N.y
    beak = (l_M + l_G - l_S - r_0 - h_S * phi_S) * N.x + (y + l_M * phi_M + (l_G - l_S) * phi_S) * N.y
    pole = lw.Line(point=O, direction=N.y, normal=N.x)
    model.contact("beak", O.at("beak", beak), pole, restitution=0.5, friction=0.3)
    model.contact("below", O.at("below", (r_M - r_0 + h_M * phi_M) * N.x + side), pole, friction=0.3)
    model.contact("above", O.at("above", (r_M - r_0 - h_M * phi_M) * N.x + side), pole, friction=0.3)
    model.describe(m_M="mass of the sleeve [kg]", J_M="its inertia [kg m^2]", m_S="mass of the woodpecker [kg]",
                   J_S="its inertia [kg m^2]", c="stiffness of the spring [N m/rad]",
                   g="acceleration of gravity [m/s^2]", r_0="length [m]", r_M="length [m]", h_M="length [m]",
                   l_M="length [m]", l_G="length [m]", h_S="length [m]", l_S="length [m]",
                   y="height of the sleeve [m]", phi_M="angle of the sleeve [rad]",
                   phi_S="angle of the woodpecker [rad]")  # fmt: skip
    return model


SHOW = ("y", "phi_M", "phi_S")
DRAW = ("M", "S", "beak")


def run(model: lw.Model, until: float = 0.5) -> lw.Trajectory:
    """From the state that the paper gives, close to the limit cycle."""
    return lw.simulate(model, until, **START, method=lw.DormandPrince(rtol=1e-11, atol=1e-13))


def main() -> None:
    moved = run(build())
    print(*moved.events, sep="\n")
    near("the first cycle", times(moved)[:9], FIRST, 1e-8, "minimal coordinates by hand, DOP853")
    pecks = [event.t for event in run(build(), until=3.0).events if "beak" in event.name]
    near("period", pecks[-1] - pecks[-2], 0.14597596, 1e-5, "limit cycle by hand")


FIRST = [0.0216363141, 0.0612139312, 0.0670233981, 0.0778779923, 0.0809888054, 0.0815753288, 0.0834163856,
         0.1186751129, 0.1213354706]  # fmt: skip


if __name__ == "__main__":
    main()
