"""A hatch that latches: it falls shut, is caught plastically, and is torn open when its latch has to hold too much.

A closer pushes it shut. Where the hatch meets its frame it latches; the closer is switched off and the wind begins to
pull, harder and harder. Beyond its limit the latch lets go. All of it is known in closed form.
"""

import math

import latchwork as lw

INERTIA, CLOSER, GUST, LIMIT, AJAR = 1.2, 3.0, 2.0, 5.0, 0.8  # kg m², N m, N m/s, N m, rad


def build(wind: bool = True) -> lw.Model:
    """A hatch about a vertical hinge; closer and wind are inputs that the rules set. Without wind, it closes."""
    model = lw.Model("hatch")
    J, limit = model.parameters(J=INERTIA, limit=LIMIT)
    closer, gust, since = model.inputs(closer=CLOSER, gust=0.0, since=0.0)
    hinge = model.revolute("hinge", q=["q1"], u=["u1"])
    hinge.origin.at("edge", 1.0 * hinge.frame.x)
    model.body("hatch", hinge, hinge.origin, 5.0, lw.inertia(hinge.frame, zz=J))
    model.actuate(hinge, gust * (model.time - since) - closer, name="closer and wind")

    latch = lw.Constraint("latch", hinge.q[0])
    after = {closer: 0.0, gust: GUST, since: model.time} if wind else {}
    model.rule("falls shut", hinge.q[0], hold=latch, inputs=after)
    model.rule("is torn open", limit - (abs(latch.force) if wind else -latch.force), release=latch)
    model.describe(J="inertia of the door [kg m^2]", limit="torque at which the latch lets go [N m]",
                   closer="torque of the closer [N m]", gust="growth of the torque of the wind [N m/s]",
                   since="when the gust began [s]")  # fmt: skip
    return model


SHOW = ("q1", "u1")
DRAW = ("O", "edge")


def run(model: lw.Model, until: float = 5.0) -> lw.Trajectory:
    """From ajar, at rest."""
    return lw.simulate(model, until, q=[AJAR])


def live() -> lw.Exhibit:
    """To be pulled open against its latch, and let fall shut again."""
    model = build(wind=False)
    hinge = model.links["hinge"]
    model.resist(hinge, damping=0.3)
    leaf = model.bodies["hatch"].box((1.0, 0.05), hinge.origin.at("middle", 0.5 * hinge.frame.x))
    frame = lw.Box(model.origin.at("frame", 1.06 * model.frame.x), (0.1, 0.16), body=model.frame)
    return lw.Exhibit(model, q={"q1": AJAR}, u={}, shapes=(leaf, frame),
                      sliders={"limit": (1.0, 20.0), "closer": (0.5, 6.0)},
                      constraints=(model.rules[0].held[0], lw.Latch("wedge", hinge.q[0])))  # fmt: skip


def main() -> None:
    trip = run(build())
    shut, torn = trip.events
    fast = math.sqrt(2 * AJAR * CLOSER / INERTIA)
    assert abs(shut.t - math.sqrt(2 * AJAR * INERTIA / CLOSER)) < 1e-9
    assert abs(shut.impulses["latch"][0] - INERTIA * fast) < 1e-9
    assert abs(shut.energy - AJAR * CLOSER) < 1e-9
    assert abs(torn.t - (shut.t + LIMIT / GUST)) < 1e-9
    s, s0 = trip.t[-1] - shut.t, LIMIT / GUST
    assert abs(trip["u1"][-1] - GUST / INERTIA * (s**2 - s0**2) / 2) < 1e-9
    assert abs(trip["q1"][-1] - GUST / INERTIA * ((s**3 - s0**3) / 6 - s0**2 * (s - s0) / 2)) < 1e-9
    assert trip.audit.energy_error < 1e-9
    for event in trip.events:
        print(f"{event.t:.9f} s: the hatch {event.name}; {event.energy:.6g} J lost; holds: {event.after or 'nothing'}")


if __name__ == "__main__":
    main()
