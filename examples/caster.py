"""Gillespie, Example 3, with a caster that sticks: a shopping cart whose front wheel frees itself and sticks again.

The caster rolls, always. Its bearing drags while it turns; where that torque falls below one value it sticks, and where
the torque that it has to hold rises above a larger one it is free again. While it sticks, the cart goes round in a
circle, and everything is known in closed form: so is the time at which the caster first comes free.
"""

import math

import latchwork as lw
from gillespie_3_cart import outline
from latchwork import dt, sin

FREE, STICK = 1.6, 0.05  # N m: above which it comes free, below which it sticks
DRAG = 0.4  # N m s
PUSH, STEER, PACE = 3.0, 6.0, 0.9  # N, N m, rad/s
Q4, U1 = 0.3, 0.5
MASS, WHEEL, INERTIA = 20.0, 1.0, 3.0
L1, L2, L3 = 0.4, 0.7, 0.1
TURN = -math.sin(Q4) / (L3 - L2 * math.cos(Q4))  # q̇3 / u1 while the caster is stuck at q4


def build(pushed: bool = True) -> lw.Model:
    """The cart of gillespie_3_cart.py, its caster rolling; being stuck is a rule. Pushed and steered, or left alone."""
    model = lw.Model("shopping cart with a caster that sticks")
    m_B, m_C, I_B, c = model.parameters(m_B=MASS, m_C=WHEEL, I_B=INERTIA, c=DRAG)
    l1, l2, l3 = model.parameters(L1=L1, L2=L2, L3=L3)
    q1, q2, q3, q4 = model.coordinates("q1", "q2", "q3", "q4")
    N, O = model.frame, model.origin
    B = N.rotated("B", q3, N.z)
    C = B.rotated("C", q4, B.z)
    P1 = O.at("P1", q1 * N.x + q2 * N.y)
    P2 = P1.at("P2", l2 * B.x)
    P3 = P2.at("P3", -l3 * C.x)
    v = P1.velocity()
    model.speeds(u1=v.dot(B.x), u2=dt(q3), u4=dt(q4), zero=[v.dot(B.y)])
    model.body("basket", frame=B, center=P1.at("Bo", l1 * B.x), mass=m_B, inertia=lw.inertia(B, zz=I_B))
    model.particle("caster", P3, m_C)
    if pushed:
        model.force(P1, PUSH * B.x, name="push")
        model.torque(B, STEER * sin(PACE * model.time) * B.z, name="turn")
    model.torque(C, -c * dt(q4) * C.z, reaction=B, name="bearing")
    model.constraint("caster rolls", P3.velocity().dot(C.y))

    stuck = lw.Constraint("caster is stuck", dt(q4))
    model.rule("stuck at first", -1.0, hold=stuck, once=True)
    model.rule("comes free", FREE - abs(stuck.force), release=stuck)
    model.rule("sticks", c * abs(dt(q4)) - STICK, hold=stuck)
    model.describe(m_B="mass of the cart [kg]", m_C="mass of the caster [kg]", I_B="inertia of the cart [kg m^2]",
                   c="drag of the bearing [N m s]",
                   L1="length [m]", L2="length [m]", L3="trail of the caster [m]", q1="place along x [m]",
                   q2="place along y [m]", q3="heading [rad]", q4="angle of the caster [rad]")  # fmt: skip
    return model


SHOW = ("q3", "q4", "u1", "u4")
DRAW = ("P1", "P2", "P3")


def run(model: lw.Model, until: float = 20.0) -> lw.Trajectory:
    """Pushed and steered to and fro."""
    q, u = {"q1": 0.0, "q2": 0.0, "q3": 0.0, "q4": Q4}, {"u1": U1, "u2": TURN * U1}
    return lw.simulate(model, until, q=q, u=u, method=lw.DormandPrince(rtol=1e-11, atol=1e-11))


def live() -> lw.Exhibit:
    """To be pushed by hand: grab the basket at its handle, and feel the caster stick and come free."""
    model = build(pushed=False)
    stuck = model.rules[0].held[0]
    return lw.Exhibit(model, q={"q1": 0.0, "q2": 0.0, "q3": 0.0, "q4": Q4}, u={}, draw=DRAW, shapes=outline(model),
                      hold="basket", sliders={"m_B": (5.0, 60.0), "c": (0.1, 2.0)}, constraints=(stuck,))  # fmt: skip


def torque(t: float) -> float:
    """What a stuck caster has to hold: moments of the cart about P1, then of the caster about P2."""
    s4, c4 = math.sin(Q4), math.cos(Q4)
    Z2 = L3 - L2 * c4
    x, y = L2 - L3 * c4, -L3 * s4
    Z5 = INERTIA + L2 * WHEEL * (L2 - L3 * c4) + MASS * L1**2
    inertia = MASS + Z5 * s4**2 / Z2**2 + WHEEL * (1 - L3 * s4**2 / Z2)  # Eq. 67 corrected
    tau = STEER * math.sin(PACE * t)
    u1 = U1 + (PUSH * t + TURN * STEER * (1 - math.cos(PACE * t)) / PACE) / inertia
    a1 = (PUSH + TURN * tau) / inertia
    w, alpha = TURN * u1, TURN * a1
    a_Bo = w * u1 + alpha * L1
    a_x, a_y = a1 - alpha * y - w**2 * x, w * u1 + alpha * x - w**2 * y
    side = (INERTIA * alpha + MASS * L1 * a_Bo + WHEEL * (x * a_y - y * a_x) - tau) / (x * c4 + y * s4)
    return L3 * (side - WHEEL * (-s4 * a_x + c4 * a_y))


def first_free(step: float = 1e-3) -> float:
    """When that torque first passes the larger value, by bisection."""
    low = 0.0
    while abs(torque(low + step)) < FREE:
        low += step
    high = low + step
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if abs(torque(middle)) < FREE else (low, middle)
    return high


def main() -> None:
    trip = run(build())
    began, *others = trip.events
    assert (began.name, began.t) == ("stuck at first", 0.0)
    assert [event.name for event in others] == ["comes free", "sticks"] * 3
    assert abs(others[0].t - first_free()) < 1e-9
    assert trip.audit.energy_error < 1e-8
    stuck_at = trip.at([0.0, 0.5 * others[0].t, others[0].t])["q4"]
    assert max(abs(stuck_at - Q4)) < 1e-12
    print(f"the caster comes free at {others[0].t:.9f} s; in closed form at {first_free():.9f} s")
    for event in others:
        print(f"  {event.t:8.4f} s  {event.name:11s} energy lost {event.energy:.3g} J")


if __name__ == "__main__":
    main()
