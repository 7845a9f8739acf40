"""Patoglu and Gillespie, Example 2: a parts feeder. A disk runs down a ramp towards a fence that nobody knows yet.

The fence, an arc joined to the ramp, is programmed at 7.0 s; it is met at 7.7 s and left at its end at 9.0 s. The paper
gives no numbers; these reproduce its time line.
"""

import math

import latchwork as lw
from latchwork import dt
from published import near, times

L, L_f, R = 33.0205735387924, 9.640325928098154, 20.0
TIGHT = lw.DormandPrince(rtol=1e-12, atol=1e-13)


def build() -> lw.Model:
    """A free disk in the plane, frictionless, above a ramp that falls by 5° and ends at P."""
    model = lw.Model("parts feeder")
    m, J, r, g, phi = model.parameters(m=1.0, J=0.5, r=1.0, g=9.8, phi=-math.pi / 36)
    q1, q2, q3 = model.coordinates("q1", "q2", "q3")
    model.speeds(u1=dt(q1), u2=dt(q2), u3=dt(q3))
    N, O = model.frame, model.origin
    A, B = N.rotated("A", phi, N.z), N.rotated("B", q3, N.z)
    Bo = O.at("Bo", q1 * N.x + q2 * N.y)
    Bo.at("Rim", r * B.y)
    P = O.at("P", L * A.x)
    P.at("C", R * A.y)
    disk = model.body("disk", frame=B, center=Bo, mass=m, inertia=lw.inertia(B, zz=J))
    model.gravity(-g * N.y)
    model.contact("ramp", disk.circle(r, Bo), lw.Segment(O.at("start", -2.0 * A.x), P, normal=A.y))
    model.describe(m="mass of the disk [kg]", J="its inertia [kg m^2]", r="its radius [m]",
                   g="acceleration of gravity [m/s^2]", phi="slope of the ramp [rad]", q1="place along x [m]",
                   q2="place along y [m]", q3="angle of the disk [rad]")  # fmt: skip
    return model


def fence(model: lw.Model) -> tuple:
    """What arrives at 7.0 s: the disk, and the arc it must not pass."""
    A = model.frames["A"]
    arc = lw.Arc(model.points["C"], R, start=-A.y, angle=L_f / R, inside=True)
    return model.bodies["disk"].circle(1.0, model.points["Bo"]), arc


def start(phi: float = -math.pi / 36) -> dict:
    """On the ramp at O, at 1 m/s."""
    c, s = math.cos(phi), math.sin(phi)
    return {"q": {"q1": -s, "q2": c, "q3": 0.0}, "u": {"u1": c, "u2": s}}


SHOW = ("q1", "q2", "mode")
DRAW: tuple[str, ...] = ()


def run(model: lw.Model, until: float = 9.6) -> lw.Trajectory:
    """The fence is not known until 7.0 s."""
    return feed(model, until).trajectory()


def feed(model: lw.Model, until: float) -> lw.Simulation:
    sim = lw.Simulation(model, **start(), method=TIGHT)
    sim.advance(until=7.0)
    sim.contact("fence", *fence(model))
    sim.advance(until=until)
    return sim


def live() -> lw.Exhibit:
    """To be drawn upon: put a fence in the way of the disk, and reshape it while it runs. A tray catches the disk."""
    model = build()
    disk, N, O = model.bodies["disk"], model.frame, model.origin
    circle = disk.circle(model.symbols["r"], model.points["Bo"])
    floor = lw.Polyline([O.at("tray a", -4.0 * N.x + 6.0 * N.y), O.at("tray b", -4.0 * N.x - 9.0 * N.y),
                         O.at("tray c", 56.0 * N.x - 9.0 * N.y), O.at("tray d", 56.0 * N.x + 6.0 * N.y)])  # fmt: skip
    model.contact("tray", circle, floor, restitution=0.4)
    at = {"q1": 20.0 * math.cos(math.pi / 36) + math.sin(math.pi / 36),
          "q2": -20.0 * math.sin(math.pi / 36) + math.cos(math.pi / 36), "q3": 0.0}  # fmt: skip
    return lw.Exhibit(model, q=at, u={}, draw=("Bo", "Rim"), fence=(circle,), sliders={"g": (0.0, 20.0)})


def picture(path: str) -> None:
    """Figure 10: the disk every 0.4 s, dark once the fence is known; Figure 11: what was worked on when; Figure 9."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Arc, Circle

    model = build()
    sim = feed(model, 9.6)
    moved = sim.run
    figure = Figure(figsize=(8.4, 3.2), layout="constrained")
    axes = figure.add_subplot(aspect="equal")
    for k in range(24):
        x, y = moved.at(0.4 * k)["Bo"][:2]
        axes.add_patch(Circle((x, y), 1.0, fill=False, color="#1d4e9e", alpha=1.0 if 0.4 * k > 7.0 else 0.3))
    (sx, sy), (px, py), (cx, cy) = (moved[model.points[name]][0][:2] for name in ("start", "P", "C"))
    axes.plot([sx, px], [sy, py], color="black")
    low, wide = math.degrees(-math.pi / 36) - 90.0, math.degrees(L_f / R)
    axes.add_patch(Arc((cx, cy), 2 * R, 2 * R, theta1=low, theta2=low + wide, color="#c0392b", linewidth=2.0))
    axes.set(xlim=(-3.0, 58.0), ylim=(-6.0, 4.0), xlabel="x", ylabel="y")
    figure.savefig(path)
    sim.timeline.plot(path.replace("more", "timeline"))
    moved.automaton(path.replace("more", "automaton"))


def known_at_start() -> lw.Trajectory:
    """The same, with the fence in the model."""
    model = build()
    model.contact("fence", *fence(model))
    return lw.simulate(model, 9.6, **start(), method=TIGHT)


# What another process knows of the fence, from P along A; who asks is told the bound, and the fence when near.
SECRET = {
    "shape": "arc", "center": [0.0, R], "radius": R, "start": [0.0, -1.0], "angle": L_f / R, "inside": True,
    "bound": {"shape": "circle", "center": [5.0, 1.0], "radius": 5.2},
}  # fmt: skip


def over_a_socket(model: lw.Model) -> lw.Trajectory:
    """The same, but the fence is described by another process, and asked for where the disk comes near its bound."""
    with lw.ShapeServer.elsewhere({"fence": SECRET}) as address:
        sim = lw.Simulation(model, **start(), method=TIGHT)
        sim.advance(until=7.0)
        disk = model.bodies["disk"].circle(1.0, model.points["Bo"])
        sim.contact("fence", disk, lw.Remote(address, "fence", model.points["P"], model.frames["A"]))
        sim.advance(until=9.6)
    return sim.trajectory()


def main() -> None:
    moved = run(build())
    print(*moved.events, sep="\n")
    near("met and left", times(moved)[-2:], [7.7, 9.0], 1e-9, "Patoglu 6.2, Fig. 11")
    near("as if known from the start", times(moved)[-2:], times(known_at_start())[-2:], 1e-9, "the fence in the model")
    told = over_a_socket(build())
    near("told by another process", times(told)[-2:], times(known_at_start())[-2:], 1e-9, "the fence in the model")


if __name__ == "__main__":
    main()
