"""A coin rolls too slowly to stay upright: it leans, slips when friction cannot hold it any more, and falls over."""

import math

import numpy as np

import latchwork as lw
from published import near, times

R, G, MU = 0.02, 9.81, 0.2


def build() -> lw.Model:
    """A thin disk on a free joint, above a table; D.z is its axle."""
    model = lw.Model("rolling coin")
    m, r, g = model.parameters(m=0.01, r=R, g=G)
    N, O = model.frame, model.origin
    link = model.free("coin", q=["x", "y", "z", "e0", "e1", "e2", "e3"], u=["vx", "vy", "vz", "w1", "w2", "w3"])
    D = link.frame
    coin = model.body("coin", link, link.origin, m, lw.inertia(D, xx=m * r**2 / 4, yy=m * r**2 / 4, zz=m * r**2 / 2))
    model.gravity(-g * N.z)
    model.contact("table", coin.rim(D.z, r), lw.Plane(point=O, normal=N.z), friction=MU)
    model.describe(m="mass of the coin [kg]", r="its radius [m]", g="acceleration of gravity [m/s^2]")
    return model


SHOW = ("z", "w1", "w3")
DRAW: tuple[str, ...] = ()
VIEW = "xz"


def start(tilt: float = 1.45, nod: float = -0.5, precession: float = 0.5, spin: float = -4.0) -> dict:
    """The axle tilted from the vertical about N.x, and rolling: v = ρ × ω, ρ the place of contact from the centre."""
    q = {"x": 0.0, "y": 0.0, "z": R * math.sin(tilt), "e0": math.cos(tilt / 2), "e1": math.sin(tilt / 2)}
    omega = np.array([nod, precession * math.sin(tilt), spin])
    vx, vy, vz = np.cross([0.0, -R, 0.0], omega)
    c, s = math.cos(tilt), math.sin(tilt)
    v = (vx, c * vy - s * vz, s * vy + c * vz)
    return {"q": q, "u": dict(zip(["vx", "vy", "vz", "w1", "w2", "w3"], [*v, *omega], strict=True))}


def run(model: lw.Model, until: float = 0.14) -> lw.Trajectory:
    """Until it is almost flat."""
    return lw.simulate(model, until, **start(), method=lw.DormandPrince(rtol=1e-12, atol=1e-14))


def main() -> None:
    moved = run(build())
    print(*moved.events, sep="\n")
    near("it slips", times(moved, "slide")[0], 0.061714947663, 1e-9, "Newton-Euler by hand, DOP853")
    near("and falls", math.asin(run(build(), until=0.14889658526)["z"][-1] / R), 0.2, 1e-6, "the same")


if __name__ == "__main__":
    main()
