"""A ball on a rope, thrown round from a jib that a brake holds: the rope jerks, the brake slips, and the jib sinks.

The ball hangs below the tip and is struck with v² = 3.5 g L. It rises above the tip, the rope goes slack at 120
degrees, the ball flies on a parabola, and falls into the rope straight below the tip. No brake holds against a jerk: a
force that is bounded has no impulse. It slips, holds again, and a ratchet keeps the jib from ever coming back up.
"""

import math

import latchwork as lw
from latchwork import dt
from published import near

BALL, JIB, ROPE, REACH, ANGLE, G = 1.0, 6.0, 1.0, 1.5, 0.4, 9.81
HOLDS, SLIPS, BOUNCE = 130.0, 100.0, 0.3  # N m, N m, restitution of the rope


def build() -> lw.Model:
    """A jib on a frictional hinge with a ratchet, and a ball that moves freely in the plane, tied to its tip."""
    model = lw.Model("wrecking ball")
    m, M, L, A, g = model.parameters(m=BALL, M=JIB, L=ROPE, A=REACH, g=G)
    holds, slips = model.parameters(holds=HOLDS, slips=SLIPS)
    N, O = model.frame, model.origin
    jib = model.revolute("jib", q=["q"], u=["u"])
    model.body("boom", jib, O.at("middle", 0.5 * A * jib.frame.x), M, lw.inertia(jib.frame, zz=M * A**2 / 12))
    tip = O.at("tip", A * jib.frame.x)
    x, y = model.coordinates("x", "y")
    model.speeds(v_x=dt(x), v_y=dt(y))
    ball = O.at("ball", x * N.x + y * N.y)
    model.particle("ball", ball, m)
    model.gravity(-g * N.y)
    model.rope("rope", ball, tip, L, restitution=BOUNCE)
    model.friction("brake", jib, holds, slips)
    model.one_way("ratchet", -dt(jib.q[0]))
    model.describe(m="mass of the ball [kg]", M="mass of the jib [kg]", L="length of the rope [m]",
                   A="length of the jib [m]", g="acceleration of gravity [m/s^2]",
                   holds="torque up to which the brake holds [N m]", slips="torque at which it slips [N m]",
                   x="place of the ball [m]", y="height of the ball [m]")  # fmt: skip
    return model


SHOW = ("q", "x", "y")
DRAW = ("O", "tip", "ball")


def run(model: lw.Model, until: float = 4.0) -> lw.Trajectory:
    """From straight below the tip, struck sideways."""
    x, y = REACH * math.cos(ANGLE), REACH * math.sin(ANGLE) - ROPE
    return lw.simulate(model, until, q={"q": ANGLE, "x": x, "y": y}, u={"v_x": math.sqrt(3.5 * G * ROPE)},
                       method=lw.DormandPrince(rtol=1e-11, atol=1e-12))  # fmt: skip


def rises(cosine: float, parts: int = 2000) -> float:
    """How long the ball takes to an angle on the taut rope: ∫ dθ/ω, ω² = (1.5 + 2 cos θ) g/L, by Gauss in parts."""
    width, total = math.acos(cosine) / parts, 0.0
    for i in range(parts):
        for node in (-math.sqrt(0.6), 0.0, math.sqrt(0.6)):
            angle = (i + 0.5 + 0.5 * node) * width
            total += width * (8 if node == 0.0 else 5) / 18 / math.sqrt((1.5 + 2 * math.cos(angle)) * G / ROPE)
    return total


def main() -> None:
    model = build()
    trip, rope = run(model), model.contacts[0]
    slack, jerk, *others = trip.events
    assert (slack.kind, jerk.kind, jerk.name) == ("release", "impact", "rope")
    near("rope goes slack", slack.t, rises(-0.5), 1e-9)
    fall = math.sqrt(6 * ROPE / G)  # 4 s v/g on the parabola, with s² = 3/4 and v² = g L/2
    near("and taut", jerk.t, slack.t + fall, 1e-8)
    down = 3 * math.sqrt(0.375 * G * ROPE)  # with which the ball falls into the rope
    yields = 1 / BALL + (REACH * math.cos(ANGLE)) ** 2 / (JIB * REACH**2 / 3)
    near("impulse of the rope", jerk.impulses["rope"][0], (1 + BOUNCE) * down / yields, 1e-7)
    near("tension at the start", trip[rope.force][0], 4.5 * BALL * G, 1e-9)
    assert set(jerk.impulses) == {"rope"}  # none of the brake
    brakes = [event.kind for event in others if event.name == "brake"]
    assert brakes[:2] == ["slide", "stick"]
    assert trip["u"].max() <= 1e-12  # the jib sinks, and never rises
    held = trip.t < jerk.t
    assert (trip["u"][held] == 0.0).all()
    assert trip["u"][-1] == 0.0
    assert trip.audit.energy_error < 1e-7
    for event in trip.events:
        print(event)
    print(f"the jib has sunk from {ANGLE:.4f} to {trip['q'][-1]:.6f} rad")


if __name__ == "__main__":
    main()
