"""IFToMM A04: Bricard's mechanism, a closed chain of six revolute joints that should not move, and does.

Five rods and the ground; the loop asks for five conditions on five angles. One of them is redundant in every position
that the mechanism reaches: it is found, dropped and named, and one speed is left.
"""

import numpy as np

import latchwork as lw
from latchwork import sin
from published import letters, residual

RODS = (("y", "x", 1), ("z", "y", -1), ("x", "z", 1), ("y", "x", -1), ("z", "y", 1))  # axis, direction of the rod
# P3 after 1, 2, ... 10 s: minimal accelerations by pseudo-inverse, agreeing to 1e-11 at two tolerances.
P3 = (
    (0.510501461187, -1.649167599395, 0.140123114553),
    (-0.969340344778, -1.221246894956, 0.754278010780),
    (-0.967199800049, -1.228020214674, 0.745983176176),
    (0.524899593391, -1.643876001336, 0.148835846116),
    (0.999999997738, -1.000067257698, 0.999932740040),
    (0.495873449943, -1.654324512274, 0.131605204045),
    (-0.971373849243, -1.214541874856, 0.762444017111),
    (-0.964948571670, -1.234859545230, 0.737560951778),
    (0.539064288495, -1.638453308240, 0.157735378358),
    (0.999999963806, -1.000269012696, 0.999730951120),
)


def build() -> lw.Model:
    """Rods of 1 m, 1 kg, 0.1 m x 0.1 m, on axes at right angles; gravity along -N.y."""
    model = lw.Model("Bricard's mechanism")
    m, l, w, g = model.parameters(m=1.0, l=1.0, w=0.1, g=9.81)
    N, O = model.frame, model.origin
    across, along = m * (l**2 + w**2) / 12, m * w**2 / 6
    link, end = None, O
    for k, (axis, direction, way) in enumerate(RODS, start=1):
        inboard = N if link is None else link.frame
        link = model.revolute(f"rod{k}", link, at=end, axis=getattr(inboard, axis), q=[f"q{k}"], u=[f"u{k}"])
        ahead = way * l * getattr(link.frame, direction)
        moments = {"xx": across, "yy": across, "zz": across} | {2 * direction: along}
        model.body(f"rod{k}", link, end.at(f"C{k}", ahead / 2), m, lw.inertia(link.frame, **moments))
        end = end.at(f"P{k}", ahead)
    gap, hinge = end.position() - l * N.z, link.frame.x
    model.constraint("P5", [gap.dot(N.x), gap.dot(N.y), gap.dot(N.z)])
    model.constraint("hinge", [hinge.dot(N.y), hinge.dot(N.z)])
    model.gravity(-g * N.y)
    model.describe(m="mass of a rod [kg]", l="its length [m]", w="its width [m]", g="acceleration of gravity [m/s^2]")
    return model


SHOW = ("q1", "q2", "P3")
DRAW = ("P3", "P4", "P5", "O", "P1", "P2", "P3")


def run(model: lw.Model, until: float = 2.4) -> lw.Trajectory:
    """Released from rest on the edges of a cube."""
    q = {f"q{k}": 0.0 for k in range(1, 6)}
    return lw.simulate(model, until, q=q, method=lw.DormandPrince(rtol=1e-12, atol=1e-13))


def main() -> None:
    model = build()
    held = model.constrained()
    print(f"{held!r}; redundant: {', '.join(held.redundant)}")
    assert len(held.redundant) == 1
    assert len(held.independent) == 1

    moved, s = run(model, until=10.0), letters(model)
    off = abs(moved.at(np.arange(1.0, 11.0))["P3"] - P3).max()
    drift = abs(moved.energy - moved.energy[0]).max()
    assert off < 1e-9
    assert drift < 1e-6
    assert residual(moved, model.constraints).max() < 1e-11
    linkage = sin(s.q1) + sin(s.q2) + sin(s.q1) * sin(s.q2)  # Chen, You and Tarnai, 2005: three equal pairs of angles
    assert max(abs(moved[e]).max() for e in (linkage, s.q3 - s.q1, s.q5 - s.q1, s.q4 - s.q2)) < 1e-11
    print(f"10 s: P3 off by {off:.1e} m, energy by at most {drift:.1e} J", moved.audit, sep="\n")


if __name__ == "__main__":
    main()
