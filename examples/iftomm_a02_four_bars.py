"""IFToMM A02: N four-bar windows in a row, through the flat position.

2 N + 1 equal rods, one degree of freedom. When all rods lie in one line every window may fold either way, and the 2 N
constraints are dependent. It passes there, at speed, some ten times in 10 s.
"""

import math

import latchwork as lw
from published import residual

# angle of the uprights from N.x after 10 s: (N + (N+1)/3) l θ̈ = -(N + (N+1)/2) g cos θ, exact for parallelograms
END = {2: -30.17980086019121, 40: -30.02663741719084}


def build(windows: int = 2) -> lw.Model:
    """Rods of 1 m and 1 kg: A_i B_i upright on ground pins, B_(i-1) B_i between their tops, pinned at both ends."""
    model = lw.Model(f"{windows} four-bar windows")
    m, l, g = model.parameters(m=1.0, l=1.0, g=9.81)
    N, O = model.frame, model.origin
    before = None
    for i in range(windows + 1):
        A = O.at(f"A{i}", i * l * N.x)
        upright = model.revolute(f"upright{i}", at=A, q=[f"q{i}"], u=[f"u{i}"])
        B = A.at(f"B{i}", l * upright.frame.x)
        model.body(f"upright{i}", upright, A.at(f"C{i}", l / 2 * upright.frame.x), m, rod(upright.frame, m, l))
        if before is not None:
            last, pin = before
            bar = model.revolute(f"bar{i}", last, at=pin, q=[f"p{i}"], u=[f"v{i}"])
            model.body(f"bar{i}", bar, pin.at(f"D{i}", l / 2 * bar.frame.x), m, rod(bar.frame, m, l))
            gap = pin.at(f"E{i}", l * bar.frame.x).position(B)
            model.constraint(f"pin{i}", [gap.dot(N.x), gap.dot(N.y)])
        before = (upright, B)
    model.gravity(-g * N.y)
    model.describe(m="mass of a rod [kg]", l="its length [m]", g="acceleration of gravity [m/s^2]")
    return model


def rod(frame: lw.Frame, m: lw.Expr, l: lw.Expr) -> lw.Dyadic:
    """Central inertia of a thin rod, turning in the plane."""
    return lw.inertia(frame, zz=m * l**2 / 12)


SHOW = ("q0", "u0", "B0")
DRAW = ("A2", "B2", "B1", "A1", "B1", "B0", "A0", "B0")


def run(model: lw.Model, until: float = 2.0) -> lw.Trajectory:
    """Upright at the start, the tops moving at 1 m/s. One speed is given; positions and the other speeds follow."""
    windows = len(model.constraints)
    q = {f"q{i}": math.pi / 2 for i in range(windows + 1)} | {f"p{i}": -math.pi / 2 for i in range(1, windows + 1)}
    return lw.simulate(model, until, q=q, u={"u0": -1.0}, method=lw.DormandPrince(rtol=1e-11, atol=1e-11))


def main() -> None:
    for windows, end in END.items():
        model = build(windows)
        moved = run(model, until=10.0)
        off, drift = abs(moved["q0"][-1] - end), abs(moved.energy - moved.energy[0]).max()
        flat = ((moved["B0"][1:, 1] > 0) != (moved["B0"][:-1, 1] > 0)).sum()
        assert off < 1e-6
        assert drift < 1e-6
        assert flat > 8
        assert residual(moved, model.constraints).max() < 1e-11
        assert max(abs(moved[f"q{i}"] - moved["q0"]).max() for i in range(windows + 1)) < 1e-6, "windows stay alike"
        print(f"N = {windows}: {len(moved.equations.u)} speeds, {len(model.constraints)} pins, {flat} times through "
              f"the flat position; angle off by {off:.1e} after 10 s, energy by {drift:.1e} J")  # fmt: skip


if __name__ == "__main__":
    main()
