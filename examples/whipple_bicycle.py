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
    fork = B.rotated("fork", -tilt, B.y).rotated("steered", steer, B.rotated("axis", -tilt, B.y).z)
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
    return model
