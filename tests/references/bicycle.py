"""The Whipple bicycle: two wheels, rear frame and front frame, rolling on knife edges.

Linear, about upright straight motion at speed v, in lean and steer q = (φ, δ):

    M q̈ + v C1 q̇ + (g K0 + v² K2) q = 0

J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab, Proc. R. Soc. A 463 (2007) 1955-1982: parameters (Table 1),
coefficients (Appendix A), eigenvalues (Table 2). Nonlinear, all nine coordinates and six multipliers of rolling:

    M(q) q̈ + h(q, q̇) = Q(q) + Aᵀ λ,    A q̈ + Ȧ q̇ = 0

from Newton-Euler on the four bodies. P. Basu-Mandal, A. Chatterjee, J. M. Papadopoulos, Proc. R. Soc. A 463 (2007)
1983-2003, Table 1 gives one state and its accelerations. Their axes: z up; the rear frame turns θ about z, ψ about x,
φ about z; body axes e1 forward, e2 down, e3 left at the reference ψ = π/2, φ = π; the front frame turns ψ_f about the
steer axis (upwards), the wheels turn β relative to their frames about e3.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import mpmath  # type: ignore[import-untyped]
import numpy as np

from references.rigid import Body, Frame, equations, ground, skew

PARAMETERS = {  # as decimals, so that 40 digits can be had; lengths from the rear contact, x forward, z down
    **{"w": "1.02", "c": "0.08", "g": "9.81"},  # wheelbase, trail, gravity; the tilt of the steer axis is π/10
    **{"rR": "0.3", "mR": "2", "IRxx": "0.0603", "IRyy": "0.12"},
    **{"xB": "0.3", "zB": "-0.9", "mB": "85", "IBxx": "9.2", "IByy": "11", "IBzz": "2.8", "IBxz": "2.4"},
    **{"xH": "0.9", "zH": "-0.7", "mH": "4", "IHxx": "0.05892", "IHyy": "0.06", "IHzz": "0.00708", "IHxz": "-0.00756"},
    **{"rF": "0.35", "mF": "3", "IFxx": "0.1405", "IFyy": "0.28"},
}

# Printed, §5: M, C1, K0, K2 row by row.
PUBLISHED_COEFFICIENTS = np.array(
    [
        [80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686],
        [0.0, 33.86641391492494, -0.85035641456978, 1.68540397397560],
        [-80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618],
        [0.0, 76.59734589573222, 0.0, 2.65431523794604],
    ]
).reshape(4, 2, 2)

# Printed, Table 2, v = 1 ... 10: weave Re and Im, capsize, castering. The castering eigenvalue at 7 m/s is printed with
# …262 at its end; 40 digits give …202. At v = 0 they are ±3.13164324790656 and ±5.53094371765393.
PUBLISHED_EIGENVALUES = np.array(
    [
        [3.52696170990070, 0.80774027519930, -3.13423125066578, -7.11008014637442],
        [2.68234517512745, 1.68066296590675, -3.07158645641514, -8.67387984831735],
        [1.70675605663975, 2.31582447384325, -2.63366137253667, -10.35101467245920],
        [0.41325331521125, 3.07910818603206, -1.42944427361326, -12.15861426576447],
        [-0.77534188219585, 4.46486771378823, -0.32286642900409, -14.07838969279822],
        [-1.52644486584142, 5.87673060598709, -0.00406690076970, -16.08537123098026],
        [-2.13875644258362, 7.19525913329805, 0.10268170574766, -18.15788466125262],
        [-2.69348683581097, 8.46037971396931, 0.14327879765713, -20.27940894394569],
        [-3.21675402252485, 9.69377351531791, 0.15790184030917, -22.43788559040858],
        [-3.72016840437287, 10.90681139476287, 0.16105338653172, -24.62459635017404],
    ]
)
PUBLISHED_AT_REST = (3.13164324790656, 5.53094371765393)
WEAVE_SPEED, CAPSIZE_SPEED = 4.29238253634111, 6.02426201538837

# Basu-Mandal, Table 1: x, y, z of the rear wheel's centre, θ, ψ, φ, ψ_f, β_r, β_f.
NAMES = ("x", "y", "z", "theta", "psi", "phi", "psi_f", "beta_r", "beta_f")
BASU_Q = np.array([0, 0, 0.2440472102925, 0, 0.9501292851472, 3.1257073014894, 0.2311385135743, 0, 0])
BASU_U = np.array(
    [
        *(-2.8069345714545, -0.1480982396001, 0.1058778746261, 0.7830033527065, 0.6068425835418),
        *(-0.0119185528069, 0.4859824687093, 8.9129896614890, 8.0133620584155),
    ]
)
BASU_UDOT = np.array(
    [
        *(-0.5041626315047, -0.3449706619454, -1.4604528332980, 0.8353281706379, -7.8555281128244),
        *(0.1205543897884, -4.6198904039403, 1.8472554144217, 2.4548072904550),
    ]
)


def coefficients() -> tuple[Any, Any, Any, Any]:
    """M, C1, K0, K2 as mpmath matrices in the working precision of mpmath."""
    p = {name: mpmath.mpf(value) for name, value in PARAMETERS.items()}
    w, c, mR, mB, mH, mF, rR, rF = (p[n] for n in "w c mR mB mH mF rR rF".split())
    xB, zB, xH, zH = (p[n] for n in "xB zB xH zH".split())
    sin, cos = mpmath.sin(mpmath.pi / 10), mpmath.cos(mpmath.pi / 10)
    mT, mA = mR + mB + mH + mF, mH + mF
    xT, zT = (xB * mB + xH * mH + w * mF) / mT, (-rR * mR + zB * mB + zH * mH - rF * mF) / mT
    xx = p["IRxx"] + p["IBxx"] + p["IHxx"] + p["IFxx"] + mR * rR**2 + mB * zB**2 + mH * zH**2 + mF * rF**2
    xz = p["IBxz"] + p["IHxz"] - mB * xB * zB - mH * xH * zH + mF * w * rF
    zz = p["IRxx"] + p["IBzz"] + p["IHzz"] + p["IFxx"] + mB * xB**2 + mH * xH**2 + mF * w**2
    xA, zA = (xH * mH + w * mF) / mA, (zH * mH - rF * mF) / mA
    Axx = p["IHxx"] + p["IFxx"] + mH * (zH - zA) ** 2 + mF * (rF + zA) ** 2
    Axz = p["IHxz"] - mH * (xH - xA) * (zH - zA) + mF * (w - xA) * (rF + zA)
    Azz = p["IHzz"] + p["IFxx"] + mH * (xH - xA) ** 2 + mF * (w - xA) ** 2
    u = (xA - w - c) * cos - zA * sin
    about = mA * u**2 + Axx * sin**2 + 2 * Axz * sin * cos + Azz * cos**2
    along_x, along_z = -mA * u * zA + Axx * sin + Axz * cos, mA * u * xA + Axz * sin + Azz * cos
    mu, k = c / w * cos, cos / w
    SF = p["IFyy"] / rF
    ST, SA = p["IRyy"] / rR + SF, mA * u + mu * mT * xT
    coupling = along_x + mu * xz
    M = [[xx, coupling], [coupling, about + 2 * mu * along_z + mu**2 * zz]]
    C1 = [[0, mu * ST + SF * cos + xz * k - mu * mT * zT], [-mu * ST - SF * cos, along_z * k + mu * (SA + zz * k)]]
    K0 = [[mT * zT, -SA], [-SA, -SA * sin]]
    K2 = [[0, (ST - mT * zT) * k], [0, (SA + SF * sin) * k]]
    return mpmath.matrix(M), mpmath.matrix(C1), mpmath.matrix(K0), mpmath.matrix(K2)


def eigenvalues(v: float, digits: int = 40) -> list[Any]:
    """The four roots of det(M s² + v C1 s + g K0 + v² K2) = 0 as mpc, by real and then imaginary part."""
    with mpmath.workdps(digits + 10):
        M, C1, K0, K2 = coefficients()
        C, K = v * C1, mpmath.mpf(PARAMETERS["g"]) * K0 + mpmath.mpf(v) ** 2 * K2
        quartic = [mpmath.mpf(0)] * 5  # the determinant of a 2 × 2 matrix of quadratics
        for sign, a, b in ((1, (0, 0), (1, 1)), (-1, (0, 1), (1, 0))):
            for i, left in enumerate((M[a], C[a], K[a])):
                for j, right in enumerate((M[b], C[b], K[b])):
                    quartic[i + j] += sign * left * right
        roots = mpmath.polyroots(quartic, maxsteps=500, extraprec=200)
        return sorted((mpmath.mpc(r) for r in roots), key=lambda r: (r.real, r.imag))


# --- nonlinear --------------------------------------------------------------------------------------------------------

_P = {name: float(value) for name, value in PARAMETERS.items()}
_AXLE = np.array([0.0, 0.0, 1.0])
_STEER = -np.array([np.sin(np.pi / 10), np.cos(np.pi / 10), 0.0])  # up the steer axis, in the rear frame
_HUB = np.array([0.0, -_P["rR"], 0.0])  # rear wheel's centre from the rear contact, upright


def _at(x: float, z: float) -> np.ndarray:
    return np.array([x, z, 0.0])  # e1 forward, e2 down


def _inertia(xx: float, yy: float, zz: float, xz: float = 0.0) -> np.ndarray:
    return np.array([[xx, xz, 0.0], [xz, zz, 0.0], [0.0, 0.0, yy]])


def _rolling(wheel: Frame, radius: float, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows A and biases b: the wheel's point on the ground has velocity A q̇; A q̈ + b = 0 where it stays at rest."""
    up, n, omega = np.array([0.0, 0.0, 1.0]), wheel.R @ _AXLE, wheel.W @ u
    n_dot = np.cross(omega, n)
    slope = up - (up @ n) * n  # steepest direction in the wheel's plane
    slope_dot = -(up @ n_dot) * n - (up @ n) * n_dot
    size = np.sqrt(slope @ slope)
    arm = -radius * slope / size
    arm_dot = -radius * (slope_dot / size - slope * (slope @ slope_dot) / size**3)
    return wheel.V - skew(arm) @ wheel.W, wheel.moving + np.cross(wheel.turning, arm) + np.cross(omega, arm_dot)


def _model(q: np.ndarray, u: np.ndarray) -> tuple[Frame, Frame, list[Body]]:
    """The wheels at their centres and all four bodies at their mass centres."""
    rear = replace(ground(9), x=q[:3], V=np.eye(9)[:3])
    for axis, k in ((2, 3), (0, 4), (2, 5)):
        rear = rear.turned(np.eye(3)[axis], k, q, u)
    on_axis = _at(_P["w"] + _P["c"], 0.0)  # where the steer axis meets the ground
    front = rear.moved(on_axis - _HUB, u).turned(_STEER, 6, q, u)
    rear_wheel = rear.turned(_AXLE, 7, q, u)
    front_wheel = front.moved(_at(_P["w"], -_P["rF"]) - on_axis, u).turned(_AXLE, 8, q, u)
    frame = rear.moved(_at(_P["xB"], _P["zB"]) - _HUB, u)
    handlebar = front.moved(_at(_P["xH"], _P["zH"]) - on_axis, u)
    return (
        rear_wheel,
        front_wheel,
        [
            (rear_wheel, _P["mR"], _inertia(_P["IRxx"], _P["IRyy"], _P["IRxx"])),
            (frame, _P["mB"], _inertia(_P["IBxx"], _P["IByy"], _P["IBzz"], _P["IBxz"])),
            (handlebar, _P["mH"], _inertia(_P["IHxx"], _P["IHyy"], _P["IHzz"], _P["IHxz"])),
            (front_wheel, _P["mF"], _inertia(_P["IFxx"], _P["IFyy"], _P["IFxx"])),
        ],
    )


def heights(q: np.ndarray) -> tuple[float, float]:
    """Of the lowest points of the rear and the front wheel; 0 on the ground."""
    rear, front, _ = _model(q, np.zeros(9))
    drop = [r * np.sqrt(1 - (wheel.R @ _AXLE)[2] ** 2) for wheel, r in ((rear, _P["rR"]), (front, _P["rF"]))]
    return float(rear.x[2] - drop[0]), float(front.x[2] - drop[1])


def nonlinear(q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """q̈ (in the order of ``NAMES``), the six forces λ on the rear and front contact, and A(q)."""
    rear, front, bodies = _model(q, u)
    M, f = equations(bodies, u, np.array([0.0, 0.0, -_P["g"]]))
    contacts = (_rolling(rear, _P["rR"], u), _rolling(front, _P["rF"], u))
    A, b = np.vstack([rows for rows, _ in contacts]), np.concatenate([bias for _, bias in contacts])
    x = np.linalg.solve(np.block([[M, -A.T], [A, np.zeros((6, 6))]]), np.concatenate([f, -b]))
    return x[:9], x[9:], A
