"""The Whipple bicycle: two wheels that roll without slip, a rear frame with its rider, and a front frame.

Nine coordinates, and six rows that hold them: each wheel touches the ground, and each contact point stands still. Three
speeds are left. Nothing is eliminated by hand, neither the pitch that keeps the front wheel on the ground nor the small
terms of the linear equations. The bicycle steers itself between the weave speed and the capsize speed.
"""

import math

import numpy as np

import latchwork as lw
from latchwork import sqrt

TILT = math.pi / 10  # of the steer axis, backwards


def build() -> lw.Model:
    """The benchmark bicycle of Meijaard et al. (2007), x forward, y left, z up; lengths from the rear contact."""
    model = lw.Model("Whipple bicycle")
    w, c, g, tilt = model.parameters(w=1.02, c=0.08, g=9.81, tilt=TILT)
    r_R, m_R, R_xx, R_yy = model.parameters(r_R=0.3, m_R=2.0, R_xx=0.0603, R_yy=0.12)
    r_F, m_F, F_xx, F_yy = model.parameters(r_F=0.35, m_F=3.0, F_xx=0.1405, F_yy=0.28)
    x_B, z_B, m_B, B_xx, B_yy, B_zz, B_zx = model.parameters(
        x_B=0.3, z_B=0.9, m_B=85.0, B_xx=9.2, B_yy=11.0, B_zz=2.8, B_zx=-2.4
    )
    x_H, z_H, m_H, H_xx, H_yy, H_zz, H_zx = model.parameters(
        x_H=0.9, z_H=0.7, m_H=4.0, H_xx=0.05892, H_yy=0.06, H_zz=0.00708, H_zx=0.00756
    )
    x, y, z = model.coordinates("x", "y", "z")  # of the rear wheel's centre
    yaw, lean, pitch, steer, rear, front = model.coordinates("yaw", "lean", "pitch", "steer", "rear", "front")
    model.speeds()

    N, O = model.frame, model.origin
    heading = N.rotated("heading", yaw, N.z)
    leaning = heading.rotated("leaning", lean, heading.x)
    B = leaning.rotated("B", pitch, leaning.y)
    head = B.rotated("head", -tilt, B.y)
    fork = head.rotated("fork", steer, head.z)
    H = fork.rotated("H", tilt, fork.y)
    R, F = B.rotated("R", rear, B.y), H.rotated("F", front, H.y)

    Ro = O.at("Ro", x * N.x + y * N.y + z * N.z)
    ground = Ro.at("ground", -r_R * B.z)  # under the rear wheel's centre, fixed in B: where lengths are counted from
    Bo = ground.at("Bo", x_B * B.x + z_B * B.z)
    S = ground.at("S", (w + c) * B.x)  # where the steer axis meets the ground
    Ho = S.at("Ho", (x_H - w - c) * H.x + z_H * H.z)
    Fo = S.at("Fo", -c * H.x + r_F * H.z)

    model.body("rear wheel", frame=R, center=Ro, mass=m_R, inertia=lw.inertia(B, xx=R_xx, yy=R_yy, zz=R_xx))
    model.body("rear frame", frame=B, center=Bo, mass=m_B, inertia=lw.inertia(B, B_xx, B_yy, B_zz, zx=B_zx))
    model.body("front frame", frame=H, center=Ho, mass=m_H, inertia=lw.inertia(H, H_xx, H_yy, H_zz, zx=H_zx))
    model.body("front wheel", frame=F, center=Fo, mass=m_F, inertia=lw.inertia(H, xx=F_xx, yy=F_yy, zz=F_xx))
    model.gravity(-g * N.z)

    for name, wheel, center, axle, radius in (("rear", R, Ro, B.y, r_R), ("front", F, Fo, H.y, r_F)):
        slope = N.z - N.z.dot(axle) * axle  # up, in the plane of the wheel
        arm = -radius / sqrt(slope.dot(slope)) * slope
        slip = center.velocity() + wheel.angular_velocity(N).cross(arm)
        model.constraint(f"{name} wheel on the ground", (center.position(O) + arm).dot(N.z))
        model.constraint(f"{name} wheel rolls", [slip.dot(N.x), slip.dot(N.y)])
    model.describe(w="wheel base [m]", c="trail [m]", g="acceleration of gravity [m/s^2]",
                   tilt="tilt of the steer axis [rad]", r_R="radius of the rear wheel [m]",
                   r_F="radius of the front wheel [m]", m_R="mass of the rear wheel [kg]",
                   m_F="mass of the front wheel [kg]", m_B="mass of the rear frame with its rider [kg]",
                   m_H="mass of the front frame [kg]", x="[m]", y="[m]", z="[m]", yaw="[rad]", lean="[rad]",
                   pitch="[rad]", steer="[rad]", rear="angle of the rear wheel [rad]",
                   front="angle of the front wheel [rad]", x_B="[m]", z_B="[m]", x_H="[m]", z_H="[m]",
                   R_xx="[kg m^2]", R_yy="[kg m^2]", F_xx="[kg m^2]", F_yy="[kg m^2]", B_xx="[kg m^2]",
                   B_yy="[kg m^2]", B_zz="[kg m^2]", B_zx="[kg m^2]", H_xx="[kg m^2]", H_yy="[kg m^2]",
                   H_zz="[kg m^2]", H_zx="[kg m^2]")  # fmt: skip
    return model


def embedded(model: lw.Model) -> lw.Constrained:
    """With lean, steer and the rear wheel as the motions that are left."""
    return model.constrained(independent=["u_lean", "u_steer", "u_rear"], at={"lean": 0.0, "steer": 0.0})


def lean_and_steer(bicycle: lw.Constrained, v: float) -> lw.Linear:
    """Linear equations about upright straight motion at a speed; where it is and how fast it goes do not matter."""
    upright = {"lean": 0.0, "steer": 0.0, "yaw": 0.0}
    linear = bicycle.linearize(q=upright, u={"u_lean": 0.0, "u_steer": 0.0, "u_rear": v / 0.3})
    return linear.part("lean", "steer", "u_lean", "u_steer")


SHOW = ("yaw", "lean", "steer")
DRAW = ("Ro", "Fo")


def run(model: lw.Model) -> lw.Trajectory:
    """A push to the side at 4.6 m/s: it sways, steers into the fall, and rides on upright in another direction."""
    upright = {"lean": 0.0, "steer": 0.0}
    return lw.simulate(model, until=5.0, q=upright, u={"u_lean": 0.5, "u_steer": 0.0, "u_rear": 4.6 / 0.3})


def live() -> lw.Exhibit:
    """To be pushed to the side: it steers into the fall, and rides on."""
    model = build()
    upright = {"lean": 0.0, "steer": 0.0}
    return lw.Exhibit(model, q=upright, u={"u_lean": 0.4, "u_steer": 0.0, "u_rear": 4.6 / 0.3}, view="xz",
                      shapes=outline(model), hold="rear frame", plots=("lean", "steer"))  # fmt: skip


def outline(model: lw.Model) -> tuple[lw.Rim | lw.Capsule, ...]:
    """Wheels, frame, saddle and handlebar."""
    B, H, points = model.frames["B"], model.frames["fork"], model.points
    rear, front = model.bodies["rear frame"], model.bodies["front frame"]
    axle, hub, S = points["Ro"], points["Fo"], points["S"]
    crank, seat = axle.at("crank", 0.42 * B.x), axle.at("seat", 0.2 * B.x + 0.62 * B.z)
    head = S.at("head tube", 0.85 * model.frames["head"].z)
    stem = S.at("stem", 0.95 * H.z)
    tubes = [(rear, axle, crank), (rear, crank, seat), (rear, seat, axle), (rear, crank, head), (rear, head, seat),
             (rear, seat.at("saddle", -0.08 * B.x + 0.05 * B.z), seat.at("nose", 0.12 * B.x + 0.05 * B.z)),
             (front, hub, stem), (front, stem.at("left", 0.25 * H.y), stem.at("right", -0.25 * H.y))]  # fmt: skip
    wheels = (model.bodies["rear wheel"].rim(model.frames["R"].y, 0.3, tube=0.02),
              model.bodies["front wheel"].rim(model.frames["F"].y, 0.35, tube=0.02))  # fmt: skip
    return *wheels, *(body.capsule(a, b, 0.018) for body, a, b in tubes)


# Basu-Mandal, Chatterjee, Papadopoulos (2007), Table 1, in these axes: coordinates, their rates and accelerations.
STATE = {
    "x": (0.0, 2.8069345714545, 0.5041626315047),
    "y": (0.0, 0.1480982396001, 0.3449706619454),
    "z": (0.2440472102925, 0.1058778746261, -1.4604528332980),
    "yaw": (0.0, 0.7830033527065, 0.8353281706379),
    "lean": (math.pi / 2 - 0.9501292851472, -0.6068425835418, 7.8555281128244),
    "pitch": (3.1257073014894 - math.pi, -0.0119185528069, 0.1205543897884),
    "steer": (0.2311385135743, 0.4859824687093, -4.6198904039403),
    "rear": (0.0, 8.9129896614890, 1.8472554144217),
    "front": (0.0, 8.0133620584155, 2.4548072904550),
}

# Meijaard et al. (2007), Table 2: castering, weave (real and imaginary part), capsize. The last digits of castering at
# 7 m/s are 202, not 262 as printed.
EIGENVALUES = {
    1: (-7.11008014637442, 3.52696170990070, 0.80774027519930, -3.13423125066578),
    2: (-8.67387984831735, 2.68234517512745, 1.68066296590675, -3.07158645641514),
    3: (-10.35101467245920, 1.70675605663975, 2.31582447384325, -2.63366137253667),
    4: (-12.15861426576447, 0.41325331521125, 3.07910818603206, -1.42944427361326),
    5: (-14.07838969279822, -0.77534188219585, 4.46486771378823, -0.32286642900409),
    6: (-16.08537123098026, -1.52644486584142, 5.87673060598709, -0.00406690076970),
    7: (-18.15788466125202, -2.13875644258362, 7.19525913329805, 0.10268170574766),
    8: (-20.27940894394569, -2.69348683581097, 8.46037971396931, 0.14327879765713),
    9: (-22.43788559040858, -3.21675402252485, 9.69377351531791, 0.15790184030917),
    10: (-24.62459635017404, -3.72016840437287, 10.90681139476287, 0.16105338653172),
}
AT_REST = (-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393)


def compare_accelerations(bicycle: lw.Constrained) -> None:
    """All nine accelerations far from upright; twelve digits of the table's state are given."""
    q, u, published = np.array(list(STATE.values())).T
    found = bicycle.udot(q, u)
    assert abs(found - published).max() < 1e-10
    print("accelerations at Basu-Mandal's state, and as published")
    for name, a, b in zip(STATE, found, published, strict=True):
        print(f"  {name:6} {a:17.13f} {b:17.13f}")


def compare_eigenvalues(bicycle: lw.Constrained) -> None:
    """Castering, weave and capsize for speeds up to 10 m/s."""
    assert abs(lean_and_steer(bicycle, 0.0).eigenvalues - AT_REST).max() < 1e-10
    print("\n  v      castering             weave                               capsize")
    for v, (caster, real, imaginary, capsize) in EIGENVALUES.items():
        found = lean_and_steer(bicycle, v).eigenvalues
        published = sorted([caster, capsize, complex(real, -imaginary), complex(real, imaginary)], key=_by_parts)
        assert abs(found - published).max() < 1e-10
        slow, weave = max(found[found.imag == 0].real), max(found, key=lambda s: s.imag)
        print(f"{v:4} {found[0].real:20.14f} {weave.real:20.14f} ± {weave.imag:.14f}i {slow:20.14f}")


def _by_parts(s: complex) -> tuple[float, float]:
    return s.real, s.imag


def compare_stability(bicycle: lw.Constrained) -> None:
    """Unstable below the weave speed, stable above it, unstable again above the capsize speed."""
    weave, capsize = 4.29238253634111, 6.02426201538837
    for v, stable in ((weave - 1e-6, False), (weave + 1e-6, True), (capsize - 1e-6, True), (capsize + 1e-6, False)):
        assert (lean_and_steer(bicycle, v).eigenvalues.real.max() < 0.0) == stable
    print(f"\nrides by itself between {weave:.3f} and {capsize:.3f} m/s")


def picture(path: str) -> None:
    """Eigenvalues against speed."""
    bicycle, speeds = embedded(build()), np.linspace(0.0, 10.0, 121)
    lw.plot_eigenvalues(speeds, [lean_and_steer(bicycle, v) for v in speeds], "speed in m/s", path)


def main() -> None:
    bicycle = embedded(build())
    compare_accelerations(bicycle)
    compare_eigenvalues(bicycle)
    compare_stability(bicycle)
    print("", lean_and_steer(bicycle, 5.0), sep="\n")


if __name__ == "__main__":
    main()
