"""Gillespie, Example 3: a shopping cart with a castered front wheel.

The rear wheels do not slip sideways. That motion constraint cannot be integrated, so the cart has four coordinates; it
is built into the definition of the speeds, so there are three of them. A caster that rolls leaves two, a caster that is
stuck leaves one.
"""

import latchwork as lw
from latchwork import cos, dt, sin
from published import agree, agree_constrained, agree_table, letters


def build(caster: str = "rolling") -> lw.Model:
    """The cart pushed by a force F and a moment tau; the caster is "free" to slip, "rolling", or "stuck"."""
    model = lw.Model(f"shopping cart, caster {caster}")
    m_B, m_C, I_B = model.parameters(m_B=20.0, m_C=1.0, I_B=3.0)
    L1, L2, L3 = model.parameters(L1=0.4, L2=0.7, L3=0.1)
    F, tau = model.inputs(F=0.0, tau=0.0)
    q1, q2, q3, q4 = model.coordinates("q1", "q2", "q3", "q4")

    N, O = model.frame, model.origin
    B = N.rotated("B", q3, N.z)
    C = B.rotated("C", q4, B.z)
    P1 = O.at("P1", q1 * N.x + q2 * N.y)
    Bo = P1.at("Bo", L1 * B.x)
    P2 = P1.at("P2", L2 * B.x)
    P3 = P2.at("P3", -L3 * C.x)

    v = P1.velocity()
    speeds = {"u1": v.dot(B.x), "u2": dt(q3), "u3": dt(q3 + q4)}
    zero = [v.dot(B.y)]
    if caster != "free":
        ahead = v.dot(B.x) * B.x + P3.position(P1).dt_in(N)
        zero.append(ahead.dot(C.y))
        del speeds["u3"]
    if caster == "stuck":
        zero.append(dt(q4))
        del speeds["u2"]
    model.speeds(**speeds, zero=zero)

    model.body("basket", frame=B, center=Bo, mass=m_B, inertia=lw.inertia(B, zz=I_B))
    model.particle("caster", P3, m_C)
    model.force(P1, F * B.x, name="push")
    model.torque(B, tau * B.z, name="turn")
    model.describe(m_B="mass of the cart [kg]", m_C="mass of the caster [kg]", I_B="inertia of the cart [kg m^2]",
                   L1="length [m]", L2="length [m]", L3="trail of the caster [m]", F="push [N]", tau="turn [N m]",
                   q1="place along x [m]", q2="place along y [m]", q3="heading [rad]",
                   q4="angle of the caster [rad]")  # fmt: skip
    return model


def variants() -> list[lw.Model]:
    """Two speeds, three, and one."""
    return [build("rolling"), build("free"), build("stuck")]


SHOW = ("q3", "q4", "u1", "u2")
DRAW = ("P1", "P2", "P3")


def run(model: lw.Model) -> lw.Trajectory:
    """Pushed off with the caster the wrong way round: it swings back to trail, and the cart is steered round a bend."""
    tau = 4.0 * cos(0.9 * model.time)
    q = {"q1": 0.0, "q2": 0.0, "q3": 0.0, "q4": 2.9}
    return lw.simulate(model, until=9.0, q=q, u={"u1": 0.5}, inputs={"tau": tau})


def outline(model: lw.Model) -> tuple[lw.Capsule, ...]:
    """The cart from above: basket and handle, two wheels behind and the caster's in front."""
    B, C, P1, P3 = model.frames["B"], model.frames["C"], model.points["P1"], model.points["P3"]

    def bar(name: str, start: lw.Point, way: lw.Vector, radius: float, frame: lw.Frame = B) -> lw.Capsule:
        return lw.Capsule(start, start.at(f"{name} ends", way), radius, frame)

    corner = {(i, j): P1.at(f"corner {i}{j}", (-0.06, 0.74)[i] * B.x + (-0.22, 0.22)[j] * B.y) for i in (0, 1)
              for j in (0, 1)}  # fmt: skip
    sides = (bar("right side", corner[0, 0], 0.8 * B.x, 0.012), bar("left side", corner[0, 1], 0.8 * B.x, 0.012),
             bar("back", corner[0, 0], 0.44 * B.y, 0.012), bar("front", corner[1, 0], 0.44 * B.y, 0.012))  # fmt: skip
    grips = (bar("right arm", corner[0, 0], -0.12 * B.x, 0.008), bar("left arm", corner[0, 1], -0.12 * B.x, 0.008),
             bar("handle", P1.at("handle", -0.18 * B.x - 0.25 * B.y), 0.5 * B.y, 0.016))  # fmt: skip
    wheels = [P1.at(f"wheel {y}", -0.06 * B.x + y * B.y) for y in (-0.26, 0.26)]
    rear = tuple(bar(f"tread {k}", wheel, 0.12 * B.x, 0.02) for k, wheel in enumerate(wheels))
    return *sides, *grips, *rear, bar("tread", P3.at("caster's wheel", -0.06 * C.x), 0.12 * C.x, 0.02, C)


def live() -> lw.Exhibit:
    """To be pushed by hand: its caster rolls, and swings round to trail."""
    model = build()
    return lw.Exhibit(model, q={"q1": 0.0, "q2": 0.0, "q3": 0.0, "q4": 2.9}, u={}, draw=DRAW, shapes=outline(model),
                      hold="basket",
                      sliders={"F": (-20.0, 20.0), "tau": (-8.0, 8.0), "m_B": (5.0, 60.0)},
                      constraints=(lw.Constraint("caster is stuck", dt(model.symbols["q4"])),))  # fmt: skip


def rolling(s) -> tuple[list[lw.Expr], list[lw.Expr]]:
    """F_r and F_r* of Eq. 63, with u3 from Eq. 60."""
    s4, c4, mC = sin(s.q4), cos(s.q4), s.m_C
    u1, u2, u3 = s.u1, s.u2, (s.L2 * cos(s.q4) * s.u2 - sin(s.q4) * s.u1) / s.L3
    F_star = [
        (s.L1 * s.m_B + s.L2 * mC * c4**2) * u2**2 - s.L3 * mC * c4 * u3**2 - mC * s4 * c4 * u1 * u2
        - (s.m_B + mC * c4**2) * dt(u1) - s.L2 * mC * s4 * c4 * dt(u2),
        mC * s.L2**2 * s4 * c4 * u2**2 - s.L2 * s.L3 * mC * s4 * u3**2 - (s.L1 * s.m_B + s.L2 * mC * s4**2) * u1 * u2
        - s.L2 * mC * s4 * c4 * dt(u1) - (s.I_B + s.m_B * s.L1**2 + mC * s.L2**2 * s4**2) * dt(u2),
    ]  # fmt: skip
    return [s.F, s.tau], F_star


def stuck(s) -> tuple[list[lw.Expr], list[lw.Expr]]:
    """F_1 and F_1* of Eqs. 66 and 67 with q̇4 = 0 and the sign of the u1 u2 term corrected: velocity terms cancel."""
    s4, c4 = sin(s.q4), cos(s.q4)
    Z2 = s.L3 - s.L2 * c4
    Z5 = s.I_B + s.L2 * s.m_C * (s.L2 - s.L3 * c4) + s.m_B * s.L1**2
    inertia = s.m_B + Z5 * s4**2 / Z2**2 + s.m_C * (1 - s.L3 * s4**2 / Z2)
    return [s.F - s4 * s.tau / Z2], [-inertia * dt(s.u1)]


def rolling_table(s, B, C) -> dict[str, tuple[lw.Vector, ...]]:
    """The table of partial velocities before Eq. 61."""
    s4, c4 = sin(s.q4), cos(s.q4)
    return {
        "v_r^P1": (B.x, 0 * B.x),
        "v_r^Bo": (B.x, s.L1 * B.y),
        "v_r^P3": (B.x + s4 * C.y, s.L2 * B.y - s.L2 * c4 * C.y),
        "w_r^B": (0 * B.z, B.z),
    }


def stuck_table(s, B, C) -> dict[str, tuple[lw.Vector, ...]]:
    """The table of partial velocities after Eq. 65."""
    turn = sin(s.q4) / (s.L3 - s.L2 * cos(s.q4))
    return {
        "v_r^P1": (B.x,),
        "v_r^Bo": (B.x - s.L1 * turn * B.y,),
        "v_r^P3": (B.x - s.L2 * turn * B.y + s.L3 * turn * C.y,),
        "w_r^B": (-turn * B.z,),
    }


def compare_free() -> None:
    """Eq. 57, and Eq. 59 for what rolling would forbid."""
    model = build("free")
    eq, s = model.equations(), letters(model)
    c3, s3 = cos(s.q3), sin(s.q3)
    agree(eq, eq.W, [c3, 0, 0, s3, 0, 0, 0, 1, 0, 0, -1, 1])
    slip = eq.velocity(model.points["P3"]).dot(model.frames["C"].y)
    agree(eq, [slip], [-sin(s.q4) * s.u1 + s.L2 * cos(s.q4) * s.u2 - s.L3 * s.u3])
    print(eq)


def compare(caster: str, where: str, forces, table) -> None:
    """F_r, F_r* and the partial velocities with the caster rolling or stuck."""
    model = build(caster)
    eq, s, frames = model.equations(), letters(model), model.frames
    active, inertia = forces(s)
    agree(eq, eq.Fr, active)
    agree(eq, eq.Fr_star, inertia)
    print("", eq, f"Gillespie, {where}", sep="\n\n")
    for r, (F, F_star) in enumerate(zip(active, inertia, strict=True), start=1):
        print(f"  F_{r} = {F}\n  F_{r}* = {F_star}")
    agree_table(eq, "Gillespie's table", table(s, frames["B"], frames["C"]))


def compare_embedded(caster: str, where: str, forces) -> None:
    """The same equations from the cart whose caster is free, with rolling, and being stuck, embedded as constraints."""
    model = build("free")
    eq, s = model.equations(), letters(model)
    slip = eq.velocity(model.points["P3"]).dot(model.frames["C"].y)
    constraints = [lw.Constraint("caster rolls", slip)]
    if caster == "stuck":
        constraints.append(lw.Constraint("caster is stuck", dt(s.q4)))
    left = ["u1", "u2"] if caster == "rolling" else ["u1"]
    embedded = eq.embed(*constraints, independent=left)
    print("", f"{embedded!r}, {embedded.operations}: Gillespie, {where}", sep="\n")
    agree_constrained(embedded, [F + F_star for F, F_star in zip(*forces(s), strict=True)])


def main() -> None:
    compare_free()
    compare("rolling", "Eq. 63", rolling, rolling_table)
    compare("stuck", "Eq. 67, corrected", stuck, stuck_table)
    compare_embedded("rolling", "Eq. 63", rolling)
    compare_embedded("stuck", "Eq. 67, corrected", stuck)


if __name__ == "__main__":
    main()
