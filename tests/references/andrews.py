"""Andrews' squeezing mechanism: seven bodies in a plane, three loops, a motor and a spring.

    M(q) q̈ = f(q, q̇) − Gᵀ(q) λ,    g(q) = 0,    q = (β, Θ, γ, Φ, δ, Ω, ε)

Parameters and end values: Schiehlen, Multibody Systems Handbook (1990); Hairer and Wanner, Solving ODEs II, §VII.7;
Mazzia and Magherini, Test Set for IVP Solvers, problem ANDREWS (end values by PSIDE, tolerance 1e-14). It is problem
A03 of the IFToMM library too. M, f and G are not taken from there: they are formed here from the places of the mass
centres and pins, each of them a constant matrix times sines and cosines of sums of coordinates.
"""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

MASS = np.array([0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498])
INERTIA = np.array([2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5])  # about the mass centres
A, B, C = np.array([-0.06934, -0.00227]), np.array([-0.03635, 0.03273]), np.array([0.014, 0.072])  # fixed pins
D, DA, E, EA = 0.028, 0.0115, 0.02, 0.01421
RR, RA, SS, SA, SB, SC, SD = 0.007, 0.00092, 0.035, 0.01874, 0.01043, 0.018, 0.02
TA, TB, U, UA, UB = 0.02308, 0.00916, 0.04, 0.01228, 0.00449
ZF, ZT, FA = 0.02, 0.04, 0.01421
STIFFNESS, REST, TORQUE = 4530.0, 0.07785, 0.033  # spring between C and body 3, motor on β

T_END = 0.03
Q_START = np.array(
    [
        -0.0617138900142764496358948458001,
        0.0,
        0.455279819163070380255912382449,
        0.222668390165885884674473185609,
        0.487364979543842550225598953530,
        -0.222668390165885884674473185609,
        1.23054744454982119249735015568,
    ]
)

# As published: good to about 1e-9 in q, 5e-7 in u and 1.5e-5 in λ.
PUBLISHED_Q = np.array(
    [
        15.81077119629904,
        -15.75637105984298,
        0.04082224013073101,
        -0.5347301163226948,
        0.5244099658805304,
        0.5347301163226948,
        1.048080741042263,
    ]
)
PUBLISHED_U = np.array(
    [
        1139.920302151208,
        -1424.379294994111,
        11.03291221937134,
        19.29337464421385,
        0.5735699284790808,
        -19.29337464421385,
        0.3231791658026955,
    ]
)
PUBLISHED_LAMBDA = np.array(
    [199.1753333731910, -29.75531228015052, 23.06654119098399, 31.45271365475927, 22.64249232082739, 11.61740700019673]
)

# The same to 20 digits: the one-degree-of-freedom form in (β, β̇), the other angles from the loops by Newton's method,
# integrated in 34-digit arithmetic by extrapolation (order 18, 300 steps; 450 steps agree to 1e-24).
REFERENCE_Q = np.array(
    [
        15.810771195153707097,
        -15.75637105841183947,
        0.040822240119645804858,
        -0.53473011634207959377,
        0.52440996587995406937,
        0.53473011634207959377,
        1.0480807410419378731,
    ]
)
REFERENCE_U = np.array(
    [
        1139.9203022591060642,
        -1424.3792951775400732,
        11.032911910618593745,
        19.293374105032040832,
        0.57356991482950245382,
        -19.293374105032040832,
        0.32317914924913087499,
    ]
)
REFERENCE_UDOT = np.array(
    [
        -24631.76312287463447,
        51850.319636464231534,
        324102.60070757860581,
        566749.42200099532649,
        16743.63541834544461,
        -566749.42200099532649,
        9826.5078015441626885,
    ]
)

# Angles of the seven bodies are TURN q: β, β+Θ, γ, Φ+δ, δ, Ω+ε, ε.
TURN = np.eye(7)
TURN[1, 0] = TURN[3, 4] = TURN[5, 6] = 1.0

# Points as complex numbers x + i y = fixed part + Σ c_k exp(i angle_k): a row of c_k for each.
CENTRES = np.zeros((7, 7), dtype=complex)
CENTRES[0, 0] = RA
CENTRES[1, :2] = RR, -DA
CENTRES[2, 2] = SB - 1j * SA
CENTRES[3, 3:5] = -1j * (E - EA), ZT
CENTRES[4, 4] = TA + 1j * TB
CENTRES[5, 5:] = ZF - FA, -1j * U
CENTRES[6, 6] = -UB - 1j * UA
SPRING_END = np.array([0, 0, SD - 1j * SC, 0, 0, 0, 0])  # from B
LOOPS = np.zeros((3, 7), dtype=complex)  # the pin E reached over bodies 1 and 2, less E reached over 3, 4-5 and 6-7
LOOPS[:, :2] = RR, -D
LOOPS[0, 2] = 1j * SS
LOOPS[1, 3:5] = 1j * E, -ZT
LOOPS[2, 5:] = -ZF, 1j * U
ANCHORS = np.array([B, A, A]) @ (1, 1j)


def _points(rows: np.ndarray, q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Places, their Jacobian ∂/∂q, and their accelerations at q̈ = 0."""
    terms = rows * np.exp(1j * (TURN @ q))
    return terms.sum(axis=-1), 1j * terms @ TURN, -terms @ (TURN @ u) ** 2


def _xy(z: np.ndarray) -> np.ndarray:
    """Complex rows as pairs of real rows: x, y, x, y, ..."""
    return np.stack([z.real, z.imag], axis=1).reshape(2 * len(z), *z.shape[1:])


def constraint(q: np.ndarray) -> np.ndarray:
    """g(q), six rows in the order and with the signs of the test set."""
    return _xy(_points(LOOPS, q, np.zeros(7))[0] - ANCHORS)


def jacobian(q: np.ndarray) -> np.ndarray:
    """G(q) = ∂g/∂q, 6 × 7."""
    return _xy(_points(LOOPS, q, np.zeros(7))[1])


def mass_matrix(q: np.ndarray) -> np.ndarray:
    J = _points(CENTRES, q, np.zeros(7))[1]
    return np.asarray((J.conj().T @ (MASS[:, None] * J)).real + TURN.T @ (INERTIA[:, None] * TURN))


def force(q: np.ndarray, u: np.ndarray) -> np.ndarray:
    """f(q, q̇): motor, spring and the velocity terms."""
    _, J, bias = _points(CENTRES, q, u)
    end, along, _ = _points(SPRING_END[None], q, u)
    stretch = end[0] + complex(*B) - complex(*C)
    pull = -STIFFNESS * (1 - REST / abs(stretch)) * stretch
    f = (np.conj(along[0]) * pull).real - (J.conj().T @ (MASS * bias)).real
    f[0] += TORQUE
    return np.asarray(f)


def energy(q: np.ndarray, u: np.ndarray) -> float:
    """Kinetic and spring energy less the work of the motor: constant."""
    stretch = abs(_points(SPRING_END, q, u)[0] + complex(*B) - complex(*C)) - REST
    return float(u @ mass_matrix(q) @ u / 2 + STIFFNESS * stretch**2 / 2 - TORQUE * (q[0] - Q_START[0]))


def accelerations(q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """q̈ and λ from M q̈ + Gᵀ λ = f, G q̈ = −Ġ q̇ (index 1)."""
    G, bias = jacobian(q), _xy(_points(LOOPS, q, u)[2])
    K = np.block([[mass_matrix(q), G.T], [G, np.zeros((6, 6))]])
    x = np.linalg.solve(K, np.concatenate([force(q, u), -bias]))
    return x[:7], x[7:]


def project(q: np.ndarray, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The nearest q with g(q) = 0 (minimum-norm Newton) and u with G u = 0 (least squares)."""
    for _ in range(4):
        q = q - np.linalg.pinv(jacobian(q)) @ constraint(q)
    G = jacobian(q)
    return q, u - np.linalg.pinv(G) @ (G @ u)


def solve(t_end: float = T_END, rtol: float = 1e-12, pieces: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """(q, u) at ``t_end`` from rest at ``Q_START``: DOP853, projected after each of ``pieces`` equal intervals."""
    q, u = project(Q_START, np.zeros(7))
    for _ in range(pieces):
        run = solve_ivp(
            lambda _, y: np.concatenate([y[7:], accelerations(y[:7], y[7:])[0]]),
            (0.0, t_end / pieces),
            np.concatenate([q, u]),
            method="DOP853",
            rtol=rtol,
            atol=1e-3 * rtol,
        )
        q, u = project(run.y[:7, -1], run.y[7:, -1])
    return q, u
