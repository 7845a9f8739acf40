"""A sphere thrown along a floor without spin: it slides, and from t = 2 v0 / (7 μ g) on it rolls at 5 v0 / 7."""

import latchwork as lw
from published import near, times

V0, MU, G, R = 3.0, 0.2, 9.81, 0.1


def build() -> lw.Model:
    """A uniform ball on a free joint, above a floor."""
    model = lw.Model("sphere that slips")
    m, r, g = model.parameters(m=0.5, r=R, g=G)
    N, O = model.frame, model.origin
    link = model.free("ball", q=["x", "y", "z", "e0", "e1", "e2", "e3"], u=["vx", "vy", "vz", "w1", "w2", "w3"])
    inertia = 0.4 * m * r**2
    ball = model.body("ball", link, link.origin, m, lw.inertia(link.frame, xx=inertia, yy=inertia, zz=inertia))
    model.gravity(-g * N.z)
    model.contact("floor", ball.sphere(r), lw.Plane(point=O, normal=N.z), friction=MU)
    model.describe(m="mass of the ball [kg]", r="its radius [m]", g="acceleration of gravity [m/s^2]")
    return model


SHOW = ("x", "vx", "w2")
DRAW: tuple[str, ...] = ()
VIEW = "xz"


def run(model: lw.Model, until: float = 1.0) -> lw.Trajectory:
    """Thrown aslant, so that nothing is along an axis; u of a free joint is in the axes of the ball."""
    return lw.simulate(model, until, q={"x": 0.0, "y": 0.0, "z": R, "e0": 1.0}, u={"vx": 0.8 * V0, "vy": 0.6 * V0},
                       method=lw.DormandPrince(rtol=1e-12, atol=1e-13))  # fmt: skip


def live() -> lw.Exhibit:
    """To be rolled, dragged, lifted and thrown, between two walls."""
    model = build()
    N, O = model.frame, model.origin
    ball, frame = model.bodies["ball"], model.frames["ball"]
    for name, x, normal in (("left wall", -1.5, N.x), ("right wall", 1.5, -N.x)):
        wall = lw.Plane(point=O.at(name, x * N.x), normal=normal)
        model.contact(name, ball.sphere(model.symbols["r"]), wall, restitution=0.6)
    model.torque(frame, -1e-3 * frame.angular_velocity(N))
    return lw.Exhibit(model, q={"x": -1.0, "y": 0.0, "z": R, "e0": 1.0}, u={"vx": V0}, view="xz",
                      sliders={"g": (1.0, 20.0), "m": (0.1, 2.0)})  # fmt: skip


def main() -> None:
    moved = run(build())
    print(*moved.events, sep="\n")
    rolls = 2 * V0 / (7 * MU * G)
    near("it rolls", times(moved, "stick"), [rolls], 1e-9)
    way = 12 * V0**2 / (49 * MU * G) + 5 / 7 * V0 * (1.0 - rolls)
    near("where it is", [moved["x"][-1], moved["y"][-1]], [0.8 * way, 0.6 * way], 1e-9)


if __name__ == "__main__":
    main()
