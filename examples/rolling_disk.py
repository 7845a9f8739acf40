"""A thin disk that rolls on a plane, wobbling: 100 s at 1 kHz.

Six speeds; the rim touches the plane (a constraint on coordinates) and its lowest point is at rest (two on speeds).
Three speeds are left. Which three serves best changes as the disk turns; no one has to say so.
"""

import math

import latchwork as lw
from published import residual


def build() -> lw.Model:
    """A uniform disk on a free joint; D.z is its axle, and the rim touches where the slope of the face leads down."""
    model = lw.Model("rolling disk")
    m, r, g = model.parameters(m=1.0, r=1.0, g=9.81)
    N = model.frame
    disk = model.free("disk", q=["x", "y", "z", "e0", "e1", "e2", "e3"], u=["vx", "vy", "vz", "w1", "w2", "w3"])
    D, Do = disk.frame, disk.origin
    up = N.z - N.z.dot(D.z) * D.z  # along the face
    down = -r * up / up.magnitude()
    contact = Do.at("contact", down)
    Do.at("rim", r * D.x)
    model.body("disk", disk, Do, m, lw.inertia(D, xx=m * r**2 / 4, yy=m * r**2 / 4, zz=m * r**2 / 2))
    model.gravity(-g * N.z)
    slip = Do.velocity() + D.angular_velocity(N).cross(down)
    model.constraint("touching", contact.position().dot(N.z))
    model.constraint("rolling", [slip.dot(N.x), slip.dot(N.y)])
    model.describe(m="mass of the disk [kg]", r="its radius [m]", g="acceleration of gravity [m/s^2]")
    return model


SHOW = ("z", "w3", "contact")
DRAW = ("disk_o", "contact")


def outline(model: lw.Model) -> lw.Rim:
    """The disk as a wheel."""
    disk = model.bodies["disk"]
    return disk.rim(disk.frame.z, model.symbols["r"])


def start(tilt: float, precession: float, spin: float, nod: float = 0.0) -> dict:
    """The axle tilted from the vertical about N.x; rates of precession, about the axle, and of the tilt."""
    q = {"e0": math.cos(tilt / 2), "e1": math.sin(tilt / 2), "e2": 0.0, "e3": 0.0}
    return {"q": q, "u": {"w1": nod, "w2": precession * math.sin(tilt), "w3": spin}}


def run(model: lw.Model, until: float = 8.0) -> lw.Trajectory:
    """Leaning, with a nod: it rolls round and round and wobbles on its way."""
    return lw.simulate(model, until, **start(0.9, 1.5, -2.0, nod=0.8), method=lw.RK4(1e-3))


def compare_steady(model: lw.Model, tilt: float = 0.9, rate: float = 1.5) -> None:
    """With I1 Ω² sin θ cos θ - (I3 + m r²) Ω ω3 sin θ = m g r cos θ the tilt stays and the disk goes round at Ω."""
    spin = (rate / 4 - 9.81 / (rate * math.sin(tilt))) * math.cos(tilt) / 1.5
    steady = lw.simulate(model, 2 * math.pi / rate, **start(tilt, rate, spin), method=lw.RK4(1e-3))
    assert abs(steady["z"] - math.sin(tilt)).max() < 1e-8
    assert abs(steady["contact"][-1] - steady["contact"][0]).max() < 1e-7
    print(f"steady: tilted by {tilt} rad it goes round at {rate} rad/s when it spins at {spin:.4f} rad/s")


def main() -> None:
    model = build()
    held = model.constrained()
    print(repr(held))
    assert len(held.independent) == 3
    compare_steady(model)

    moved = run(model, until=100.0)
    off = residual(moved, model.constraints)
    first, last = off[moved.t < 10.0].max(), off[moved.t > 90.0].max()
    assert off.max() < 1e-11
    assert last < 2 * first, "no growth"
    assert abs(moved.energy - moved.energy[0]).max() < 1e-6
    print(f"100 s at 1 kHz: constraints off by {first:.1e} in the first 10 s, {last:.1e} in the last", moved.audit,
          sep="\n")  # fmt: skip


if __name__ == "__main__":
    main()
