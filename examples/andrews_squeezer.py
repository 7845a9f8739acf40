"""Andrews' squeezing mechanism (IFToMM A03): seven bodies, three loops, a motor and a spring.

The test problem of stiff and differential-algebraic solvers, with angles that reach 16 rad in 0.03 s. Here it is a tree
of seven revolute joints and three pins; one speed is left.

Dimensions and masses: W. Schiehlen (ed.), Multibody Systems Handbook, 1990; E. Hairer, G. Wanner, Solving ODEs II.
"""

import latchwork as lw
from published import residual

START = {
    "beta": -0.0617138900142764496,
    "theta": 0.0,
    "gamma": 0.455279819163070380,
    "phi": 0.222668390165885885,
    "delta": 0.487364979543842550,
    "omega": -0.222668390165885885,
    "epsilon": 1.23054744454982119,
}
# After 0.03 s: the one-degree-of-freedom form, integrated in 34 digits.
END = {
    "beta": 15.810771195153707097,
    "theta": -15.75637105841183947,
    "gamma": 0.040822240119645804858,
    "phi": -0.53473011634207959377,
    "delta": 0.52440996587995406937,
    "omega": 0.53473011634207959377,
    "epsilon": 1.0480807410419378731,
}
PUBLISHED = (15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
             0.5347301163226948, 1.048080741042263)  # fmt: skip  # Test Set for IVP Solvers, good to about 1e-9
# Mass, central moment of inertia, and place of the mass centre in the frame of each body.
BODIES = {
    "K1": (0.04325, 2.194e-6, 0.00092, 0.0),
    "K2": (0.00365, 4.410e-7, -0.0115, 0.0),
    "K3": (0.02373, 5.255e-6, 0.01043, -0.01874),
    "K4": (0.00706, 5.667e-7, 0.0, -0.00579),
    "K5": (0.07050, 1.169e-5, 0.02308, 0.00916),
    "K6": (0.00706, 5.667e-7, 0.00579, 0.0),
    "K7": (0.05498, 1.912e-5, -0.00449, -0.01228),
}


def build() -> lw.Model:
    """Four arms reach the pin E: over K1 and K2 from O, over K3 from B, over K5 and K4, and over K7 and K6 from A."""
    model = lw.Model("Andrews' squeezing mechanism")
    d, e, rr, ss, u, zf, zt = model.parameters(d=0.028, e=0.02, rr=0.007, ss=0.035, u=0.04, zf=0.02, zt=0.04)
    c0, l0 = model.parameters(c0=4530.0, l0=0.07785)
    torque = model.input("torque", 0.033)
    N, O = model.frame, model.origin
    A = O.at("A", N.vector(-0.06934, -0.00227))
    B = O.at("B", N.vector(-0.03635, 0.03273))
    C = O.at("C", N.vector(0.014, 0.072))

    def turning(name: str, at: lw.Point, angle: str, inboard: lw.Link | None = None) -> lw.Link:
        link = model.revolute(name, inboard, at=at, q=[angle], u=[f"u_{angle}"])
        mass, moment, x, y = BODIES[name]
        model.body(name, link, at.at(f"{name}o", link.frame.vector(x, y)), mass, lw.inertia(link.frame, zz=moment))
        return link

    K1 = turning("K1", O, "beta")
    crank = O.at("crank", rr * K1.frame.x)
    K2 = turning("K2", crank, "theta", K1)
    E = crank.at("E", -d * K2.frame.x)
    K3 = turning("K3", B, "gamma")
    D = B.at("D", K3.frame.vector(0.02, -0.018))
    K5 = turning("K5", A, "delta")
    H = A.at("H", zt * K5.frame.x)
    K4 = turning("K4", H, "phi", K5)
    K7 = turning("K7", A, "epsilon")
    F = A.at("F", -u * K7.frame.y)
    K6 = turning("K6", F, "omega", K7)

    model.torque(K1, torque * N.z, name="motor")
    model.spring(D, C, stiffness=c0, length=l0)
    ends = {"K3": B.at("E3", -ss * K3.frame.y), "K4": H.at("E4", -e * K4.frame.y), "K6": F.at("E6", zf * K6.frame.x)}
    for name, end in ends.items():
        gap = E.position(end)
        model.constraint(f"pin of {name}", [gap.dot(N.x), gap.dot(N.y)])
    model.describe(c0="stiffness of the spring [N/m]", l0="its free length [m]", torque="torque of the motor [N m]",
                   d="length [m]", e="length [m]", rr="length [m]", ss="length [m]", u="length [m]", zf="length [m]",
                   zt="length [m]")  # fmt: skip
    return model


SHOW = ("beta", "gamma", "F")
DRAW = ("O", "crank", "E", "B", "E", "H", "A", "F", "E")


def run(model: lw.Model, tolerance: float = 1e-12) -> lw.Trajectory:
    """From rest, for 0.03 s."""
    return lw.simulate(model, until=0.03, q=START, method=lw.DormandPrince(rtol=tolerance, atol=tolerance))


def main() -> None:
    model = build()
    moved = run(model)
    reached = {name: moved[name][-1] for name in END}
    print("            published           reached")
    for (name, value), published in zip(reached.items(), PUBLISHED, strict=True):
        print(f"{name:8} {published:19.15f} {value:19.15f}")
    off = max(abs(reached[name] - END[name]) for name in END)
    assert off < 1e-8
    assert max(abs(value - end) for value, end in zip(reached.values(), PUBLISHED, strict=True)) < 2e-9
    assert residual(moved, model.constraints).max() < 1e-11
    print(f"\noff by {off:.1e} rad at t = 0.03 s", moved.audit, sep="\n")


if __name__ == "__main__":
    main()
