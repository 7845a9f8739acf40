"""A pendulum clock: a weight drives the escape wheel, the pallets lock it, and each swing lets a tooth push.

Outside the lift the wheel is locked and the pendulum swings freely (a deadbeat escapement). Within the lift, |q1| < a,
the tooth slides along the pallet: the wheel turns r times as fast as the pendulum and drives it. Both changes are
plastic: the drop of the wheel costs energy. Four rules say all of this; nothing else keeps the clock going.
"""

import math

import numpy as np

import latchwork as lw

MASS, LENGTH, G = 1.0, 0.994, 9.81
WHEEL, TORQUE = 2e-6, 5e-3  # kg m², N m
LIFT, RATIO, DAMPING = 0.02, 2.5, 1e-2  # rad, wheel over pendulum, N m s


def build() -> lw.Model:
    """A point mass on a rod, an escape wheel under the torque of the weight, and the rules of the pallets."""
    model = lw.Model("pendulum clock")
    m, L, g, J, T = model.parameters(m=MASS, L=LENGTH, g=G, J=WHEEL, T=TORQUE)
    a, r, c = model.parameters(a=LIFT, r=RATIO, c=DAMPING)
    N, O = model.frame, model.origin
    pendulum = model.revolute("pendulum", q=["q1"], u=["u1"])
    wheel = model.revolute("wheel", at=O.at("axle", 0.1 * N.y), q=["q2"], u=["u2"])
    bob = O.at("bob", -L * pendulum.frame.y)
    model.particle("bob", bob, m)
    model.body("wheel", wheel, wheel.origin, 0.01, lw.inertia(wheel.frame, zz=J))
    model.gravity(-g * N.y)
    model.actuate(wheel, T, name="weight")
    model.resist(pendulum, damping=c, name="air")

    (q1,), (u1,), (u2,) = pendulum.q, pendulum.u, wheel.u
    lock = lw.Constraint("lock", u2)
    right, left = lw.Constraint("push right", u2 - r * u1), lw.Constraint("push left", u2 + r * u1)
    model.rule("locked at first", -1.0, hold=lock, once=True)
    model.rule("lift right", -a - q1, release=lock, hold=right)  # q1 rises through -a
    model.rule("drop right", a - q1, release=right, hold=lock)
    model.rule("lift left", q1 - a, release=lock, hold=left)  # q1 falls through a
    model.rule("drop left", q1 + a, release=left, hold=lock)
    model.describe(m="mass of the bob [kg]", L="length of the pendulum [m]", g="acceleration of gravity [m/s^2]",
                   J="inertia of the wheel [kg m^2]", T="torque of the spring [N m]", a="lift [rad]",
                   r="ratio of the levers", c="damping [N m s]")  # fmt: skip
    return model


SHOW = ("q1", "q2", "u1")
DRAW = ("O", "bob")


def steady() -> float:
    """The amplitude A at which a swing gains what it loses, to first order.

    ``2 a r T = π c ω A²/2 + J r² ω² (A² − a²)``: the work of the weight against that of the air, and the energy of the
    wheel, ½ J (r u1)², lost twice: where the pendulum catches up the wheel, and where the wheel drops.
    """
    omega = math.sqrt(G / LENGTH)
    drop = WHEEL * RATIO**2 * omega**2
    work = 2 * LIFT * RATIO * TORQUE + drop * LIFT**2
    return math.sqrt(work / (0.5 * math.pi * DAMPING * omega + drop))


def period(amplitude: float) -> float:
    """2π √(L/g) (1 + A²/16 + 11 A⁴/3072)."""
    return 2 * math.pi * math.sqrt(LENGTH / G) * (1 + amplitude**2 / 16 + 11 * amplitude**4 / 3072)


def run(model: lw.Model, until: float = 60.0) -> lw.Trajectory:
    """From near its steady amplitude."""
    return lw.simulate(model, until, q={"q1": -steady(), "q2": 0.0})


def main(minutes: float = 3.0) -> None:
    """It gains and loses nothing, keeps its time, and counts. (Two hours are as good as three minutes.)"""
    clock = run(build(), 60.0 * minutes)
    assert [event.name for event in clock.events[1:5]] == ["lift right", "drop right", "lift left", "drop left"]
    ticks = [event.t for event in clock.events if event.name == "lift right"]
    swings = np.diff(ticks)[len(ticks) // 2 :]
    A = float(np.abs(clock.at(np.linspace(ticks[-10], ticks[-1], 4000))["q1"]).max())
    assert abs(A / steady() - 1) < 1e-3  # of second order in what a swing loses
    assert abs(swings.mean() / period(A) - 1) < 5e-6  # and so is what push and drag do to the period
    assert np.ptp(swings) < 1e-6
    teeth = [clock.at(event.t)["q2"] / (2 * LIFT * RATIO) for event in clock.events if event.name.startswith("drop")]
    assert np.abs(np.array(teeth) - np.arange(1, len(teeth) + 1)).max() < 1e-8
    assert clock.audit.energy_error < 1e-8 * max(minutes, 10.0)
    print(f"{len(ticks)} periods in {minutes:g} min: {swings.mean():.7f} s each (a free pendulum: {period(A):.7f} s)")
    print(f"amplitude {A:.6f} rad (first order: {steady():.6f}); {len(clock.events)} rules fired")


if __name__ == "__main__":
    main()
