"""A clutch between two flywheels, and a ratchet on the second: speeds become one by momentum, and never go back.

The clutch closes at t = 1 s: the common speed is (J1 u1 + J2 u2) / (J1 + J2), and what energy is missing went into the
clutch. It opens again, and a brake with a drive in it turns the second wheel to and fro; but a pawl catches the wheel
where it would turn back, and lets it go where the force of the pawl would have to pull.
"""

import math

import latchwork as lw

J1, J2, FAST, BRAKE, SWING = 2.0, 3.0, 10.0, 8.0, 12.0


def build(timed: bool = True) -> lw.Model:
    """Two wheels on one axis; the second is braked, and driven to and fro, where the clutch is timed."""
    model = lw.Model("clutch and ratchet")
    brake = model.input("brake", 0.0)
    wheels = []
    for k, J in ((1, J1), (2, J2)):
        wheel = model.revolute(f"wheel_{k}", q=[f"q{k}"], u=[f"u{k}"])
        model.body(f"flywheel {k}", wheel, wheel.origin, 1.0, lw.inertia(wheel.frame, zz=J))
        wheel.origin.at(f"mark_{k}", k * wheel.frame.x)
        wheels.append(wheel)
    (u1,), (u2,) = (wheel.u for wheel in wheels)
    model.actuate(wheels[1], brake * (SWING * lw.sin(model.time) - BRAKE), name="brake and drive")

    clutch, pawl = lw.Constraint("clutch", u1 - u2), lw.Constraint("pawl", u2)
    if timed:
        model.rule("clutch closes", 1.0 - model.time, hold=clutch)
        model.rule("clutch opens", 2.0 - model.time, release=clutch, inputs={brake: 1.0})
    model.rule("pawl catches", u2, hold=pawl)
    model.rule("pawl lets go", pawl.force, release=pawl)
    model.describe(brake="torque of the brake [N m]")
    return model


SHOW = ("u1", "u2")
DRAW = ("mark_1", "O", "mark_2")


def run(model: lw.Model, until: float = 20.0) -> lw.Trajectory:
    """The first wheel turns."""
    return lw.simulate(model, until, q=[0.0, 0.0], u={"u1": FAST},
                       method=lw.DormandPrince(rtol=1e-11, atol=1e-12))  # fmt: skip


def live() -> lw.Exhibit:
    """To be spun by hand; the clutch is a button, and a pawl keeps the second wheel from turning back."""
    model = build(timed=False)
    u1, u2 = (model.symbols[name] for name in ("u1", "u2"))
    for link in model.links.values():
        model.resist(link, damping=0.2)
    shapes = tuple(body.circle(k) for k, body in enumerate(model.bodies.values(), 1))
    return lw.Exhibit(model, q={"q1": 0.0, "q2": 0.0}, u={"u1": FAST}, draw=DRAW, shapes=shapes, hold="flywheel 1",
                      constraints=(lw.Constraint("clutch", u1 - u2),))  # fmt: skip


def main() -> None:
    trip = run(build())
    closes, opens, *others = trip.events
    common = J1 * FAST / (J1 + J2)
    assert (closes.name, opens.name) == ("clutch closes", "clutch opens")
    assert abs(trip.at(1.5)["u1"] - common) < 1e-12
    assert abs(trip.at(1.5)["u2"] - common) < 1e-12
    assert abs(closes.energy - 0.5 * J1 * FAST**2 * J2 / (J1 + J2)) < 1e-10
    assert [event.name for event in others] == ["pawl catches", "pawl lets go"] * (len(others) // 2)
    first = math.asin(BRAKE / SWING)  # where the drive overcomes the brake
    for k, event in enumerate(others[1::2], start=1):
        assert abs(event.t - (first + 2 * math.pi * k)) < 1e-9
    for free, caught in zip(trip.events[1::2], others[::2], strict=False):  # J2 u2 is the integral of the torque
        begun = J2 * common if free is opens else 0.0
        gained = SWING * (math.cos(free.t) - math.cos(caught.t)) - BRAKE * (caught.t - free.t)
        assert abs(begun + gained) < 1e-8
    assert (trip["u2"] > -1e-9).all()
    assert trip.audit.energy_error < 1e-8
    for event in trip.events:
        print(f"{event.t:12.9f} s: {event.name}, {event.energy:.6g} J lost")


if __name__ == "__main__":
    main()
