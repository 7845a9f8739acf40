"""Kelly's berthing: an arm on an orbiter reaches a station, captures it, and draws it in until the port latches.

Everything drifts freely. The arm pulls on both, the capture is a weld with its plastic impact, and the port closes the
loop: the joints of the arm then carry forces that nothing moves. Momentum stays what it was, to rounding.
"""

import math

import numpy as np

import latchwork as lw

ORBITER, STATION, LINK, HAND = 8.0e4, 2.0e5, 200.0, 60.0  # kg
REACH, WRIST = 7.0, 1.5  # m: links of the arm, and its wrist
STIFFNESS = {"y": 3.0e6, "z": 3.0e6}  # N m^2, of a boom that bends
PERIOD, GAINS = 0.1, (0.5, 1.4)
REACHED, DRAWN, END = 20.0, 60.0, 65.0  # s


def build(boom: bool = False) -> lw.Model:
    """An orbiter and a station, both free, and an arm with six joints and motors on the orbiter; with a boom that bends
    in two directions for its second link, and carries the rest at its end."""
    model = lw.Model("berthing")
    orbiter = model.free("orbiter")
    station = model.free("station")
    model.body("orbiter", orbiter, orbiter.origin, ORBITER, lw.inertia(orbiter.frame, 1.0e6, 8.0e6, 8.0e6))
    model.body("station", station, station.origin, STATION, lw.inertia(station.frame, 2.0e7, 2.0e7, 1.0e7))
    orbiter.origin.at("port", 3.0 * orbiter.frame.z)
    station.origin.at("hatch", -6.0 * station.frame.z)
    station.origin.at("grapple", 4.0 * station.frame.x - 6.0 * station.frame.z)
    at, link = orbiter.origin.at("shoulder", 9.0 * orbiter.frame.x + 3.0 * orbiter.frame.z), orbiter
    on: lw.Frame | None = None  # what the next joint sits on, where it is no link
    for i, (axis, length, mass) in enumerate(zip("zyyyzx", (0.0, REACH, REACH, 0.0, 0.0, WRIST),
                                                 (50.0, LINK, LINK, 50.0, 50.0, HAND), strict=True), 1):  # fmt: skip
        frame = link.frame if on is None else on
        link = model.revolute(f"joint{i}", link if on is None else on, at=at, axis=getattr(frame, axis), q=[f"q{i}"],
                              u=[f"u{i}"])  # fmt: skip
        on = None
        if boom and i == 3:
            beam = model.beam("boom", link, link.origin, length, EI=STIFFNESS, rho_A=mass / length, modes=2,
                              damping=0.01)  # fmt: skip
            model.actuate(link, model.input(f"T{i}", lw.quantity(unit="N m", description=f"motor of joint {i}")))
            at, on = beam.at(length, "P3"), beam.tip_frame
            continue
        middle = link.origin if not length else link.origin.at(f"C{i}", 0.5 * length * link.frame.x)
        size = max(mass * length**2 / 12, 0.1 * mass)
        model.body(f"link{i}", link, middle, mass, lw.inertia(link.frame, 0.1 * mass, size, size))
        model.actuate(link, model.input(f"T{i}", lw.quantity(unit="N m", description=f"motor of joint {i}")))
        at = link.origin if not length else link.origin.at(f"P{i}", length * link.frame.x)
    look(model)
    return model


def look(model: lw.Model) -> None:
    """A hull with a bay and wings, a module with a truss and panels: nothing that touches, only to be seen."""
    orbiter, station = model.bodies["orbiter"], model.bodies["station"]
    x, z = orbiter.frame.x, orbiter.frame.z
    a, b, c = station.frame.x, station.frame.y, station.frame.z
    nose, tail = orbiter.center.at("nose", 15.0 * x), orbiter.center.at("tail", -13.0 * x)
    orbiter.capsule(nose, tail, 2.4)
    orbiter.box((11.0, 18.0, 0.5), orbiter.center.at("wings", -7.0 * x - 1.4 * z))
    orbiter.box((5.0, 0.4, 5.0), orbiter.center.at("fin", -12.0 * x + 4.0 * z))
    orbiter.cylinder(orbiter.center.at("collar", 2.2 * z), model.points["port"], 1.1)
    station.cylinder(model.points["hatch"], station.center.at("top of the module", 6.0 * c), 2.1)
    station.box((1.0, 30.0, 1.0), station.center.at("truss", 7.0 * c))
    for side in (-1.0, 1.0):
        station.box((9.0, 6.0, 0.2), station.center.at(f"panel {side:+.0f}", side * 11.0 * b + 7.8 * c))
    station.cylinder(station.center.at("boom", 1.8 * a - 6.0 * c), model.points["grapple"], 0.25)


SHOW = ("q_station_pz", "q_orbiter_pz", "T2")
DRAW = ("port", "shoulder", "P2", "P3", "P6", "grapple", "hatch")
VIEW = "xz"
START = {"q_station_px": 1.0, "q_station_pz": 14.0, "q1": math.pi, "q2": -1.0, "q3": 1.3, "q4": -0.3}


GOAL = (-6.0, 0.0, 6.0)  # m: where the hand is first sent, from the shoulder


def way(model: lw.Model, sim: lw.Simulation, a: str, b: str, until: float) -> dict[lw.Expr, lw.Expr]:
    """From a point to another, straight in N, from where they are now."""
    off, N = model.points[a].position() - model.points[b].position(), model.frame
    now = sim.value(off)
    return {off.dot(axis): lw.control.minimum_jerk(model.time, sim.t, until, float(first), 0.0)
            for axis, first in zip((N.x, N.y, N.z), now, strict=True)}  # fmt: skip


def reach(model: lw.Model, sim: lw.Simulation) -> lw.control.Sampled:
    """Bring the hand to the grapple; the wrist stays bent as it is."""
    tracks = {**way(model, sim, "P6", "grapple", REACHED), **{f"q{i}": START.get(f"q{i}", 0.0) for i in (4, 5, 6)}}
    return lw.control.Sampled(lw.control.Projected(tracks=tracks, gains=GAINS, name="reach"), PERIOD)


def draw_in(model: lw.Model, sim: lw.Simulation) -> lw.control.Sampled:
    """Bring the hatch to the port, and turn the station to the orbiter."""
    tracks = {**way(model, sim, "hatch", "port", DRAWN), model.frames["station"]: model.frames["orbiter"]}
    return lw.control.Sampled(lw.control.Projected(tracks=tracks, gains=GAINS, name="draw in"), PERIOD)


def hold(t: float, q: dict[str, float], u: dict[str, float], memory: dict[str, float]) -> dict[str, float]:
    """No more torques: the port holds."""
    return {f"T{i}": 0.0 for i in range(1, 7)}


def run(model: lw.Model) -> lw.Trajectory:
    """Reach, capture, draw in, latch; a minute."""
    sim = lw.Simulation(model, START)
    sim.control(reach(model, sim))
    sim.advance(REACHED + 3.0)
    sim.weld("capture", model.links["joint6"], model.links["station"])
    sim.control(draw_in(model, sim))
    sim.advance(DRAWN + 3.0)
    sim.weld("port", model.links["orbiter"], model.links["station"])
    sim.control(lw.control.Sampled(hold, PERIOD, inputs=[f"T{i}" for i in range(1, 7)]))
    sim.advance(END)
    return sim.run


def run_with_boom(model: lw.Model, rigid: lw.Trajectory) -> lw.Trajectory:
    """The same where the second link bends: joints go as those of the rigid arm went, and the boom swings behind them.

    A law that tracks the hand itself would be unstable: between motors and hand the boom bends.
    """
    times = np.linspace(0.0, DRAWN + 3.0, 64)
    tracks = {f"q{i}": lw.control.spline(model.time, times, rigid.at(times)[f"q{i}"]) for i in range(1, 7)}
    law = lw.control.Projected(tracks=tracks, gains=GAINS, name="joints")
    sim = lw.Simulation(model, START, controllers=[law], method=lw.DormandPrince(rtol=1e-7))
    sim.advance(REACHED + 3.0)
    sim.weld("capture", model.links["joint6"], model.links["station"])
    sim.advance(DRAWN + 3.0)
    return sim.run


def held_together(model: lw.Model, name: str, link: str, place: str) -> lw.Constraint:
    """A link and the station do not move relative to each other from now on, wherever they are: a weld."""
    station, N = model.links["station"], model.frame
    off, turn = model.points[place].position() - station.origin.position(), model.links[link].frame.angular_velocity(N)
    axes = (station.frame.x, station.frame.y, station.frame.z)
    relative = turn - station.frame.angular_velocity(N)
    return lw.Constraint(name, [lw.dt(off.dot(axis)) for axis in axes] + [relative.dot(axis) for axis in axes])


def live() -> lw.Exhibit:
    """The hand goes to a place beside the orbiter, or seeks the grapple; captured, the station comes along to the port.

    One law for all of it: six motors for the place of the hand and its wrist. The visitor drags the hand, or its goal.
    """
    model = build()
    orbiter, shoulder, hand = model.links["orbiter"].frame, model.points["shoulder"], model.points["P6"]
    seek = model.parameter("seek", lw.quantity(0.0, "", "1: the hand goes to the grapple, 0: to its goal"))
    pace = model.parameter("pace", lw.quantity(0.25, "1/s", "how fast: gains are pace² and 2 pace"))
    first = (hand.position() - shoulder.position(), model.points["grapple"].position() - hand.position())
    goals, tracks = [], {}
    for axis, name, start in zip((orbiter.x, orbiter.y, orbiter.z), "xyz", GOAL, strict=True):
        goals.append(model.parameter(f"goal_{name}", lw.quantity(start, "m", f"the hand along {name} of the orbiter")))
        tracks[(1.0 - seek) * first[0].dot(axis) - seek * first[1].dot(axis)] = (1.0 - seek) * goals[-1]
    goal = shoulder.at("goal", sum((g * a for g, a in zip(goals, (orbiter.x, orbiter.y, orbiter.z), strict=True)),
                                   start=0.0 * orbiter.x))  # fmt: skip
    tracks |= {f"q{i}": START.get(f"q{i}", 0.0) for i in (4, 5, 6)}
    law = lw.control.Projected(tracks=tracks, gains=(pace**2, 2.0 * pace))
    sliders = {"seek": (0.0, 1.0), "pace": (0.02, 1.0)}
    sliders |= {"goal_x": (-14.0, 6.0), "goal_y": (-6.0, 6.0), "goal_z": (0.0, 14.0)}
    return lw.Exhibit(model, q=START, u={}, draw=DRAW, view=VIEW, hold="link6", controllers=(law,), sliders=sliders,
                      constraints=(held_together(model, "capture", "joint6", "P6"),
                                   held_together(model, "port", "orbiter", "port")),
                      targets=(goal.name,), plots=("q_station_pz", "T2"))  # fmt: skip


def main() -> None:
    moved = run(build())
    captured, latched = (event for event in moved.events if event.name in ("capture", "port"))
    at = moved.at([captured.t - 1e-3, latched.t - 1e-3, END])
    apart = np.linalg.norm(at["P6"] - at["grapple"], axis=1)[0], np.linalg.norm(at["hatch"] - at["port"], axis=1)[1]
    assert max(apart) < 0.02
    p = moved["momentum"]
    speed = np.abs(moved.u[:, 6:9]).max()
    assert abs(p).max() < 1e-9 * STATION * max(speed, 1e-3), "nothing acts from outside"
    turned = 2 * np.degrees(np.abs(at.q[:, 4:7]).max(axis=1))
    for event, off in zip((captured, latched), apart, strict=True):
        print(f"{event.name} held from {event.t:.1f} s on, closed from {1e3 * off:.1f} mm")
    print(f"the orbiter has moved by {np.linalg.norm(at.q[-1, :3]):.2f} m and turned by {turned[-1]:.2f}°; "
          f"momentum at most {abs(p).max():.1e} of {STATION * speed:.0f} kg m/s that move")  # fmt: skip


def picture(path: str) -> None:
    """Motion of the base, torques, and the forces in the shoulder and the elbow."""
    import matplotlib.pyplot as plt

    moved = run(build())
    at = moved.at(np.linspace(0.0, END, 1301))
    forces = at.reactions()
    figure, axes = plt.subplots(3, 1, sharex=True, figsize=(6.4, 6.4))
    for axis, name in enumerate("xyz"):
        axes[0].plot(at.t, at.q[:, axis], label=name)
    for i in (1, 2, 3):
        axes[1].plot(at.t, at[f"T{i}"], label=f"T{i}")
    for name in ("joint1", "joint3", "joint6"):
        axes[2].plot(at.t, np.linalg.norm(forces[name].force, axis=1), label=name)
    for axis, label in zip(axes, ("orbiter [m]", "torques [N m]", "forces in joints [N]"), strict=True):
        axis.set_ylabel(label)
        axis.legend(loc="right")
        axis.grid(True, alpha=0.3)
    axes[2].set_xlabel("t [s]")
    figure.tight_layout()
    figure.savefig(path)
    plt.close(figure)


if __name__ == "__main__":
    main()
