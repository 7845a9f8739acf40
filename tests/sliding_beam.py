"""The beam of Buffinton's Fig. 6.4 that is drawn out over two supports while its base swings: ours and finite elements.

The finite elements know nothing of frames, shapes and constraints of speeds: displacements η(s, t) of a material beam
from the line of the supports, seen from the base, to first order,

    ρ (η̈ + Ω̇ X + 2 Ω Ẋ - Ω² (L_T + η)) + (EI η'')'' - (N η')' = 0,      η(s_P(t)) = η(s_Q(t)) = 0

with X(s, t) = s - z(t) - L_P and the axial force N of a bar that is moved along with it from s = 0.
"""

from __future__ import annotations

import math

import numpy as np

import latchwork as lw

L_T, L_P, L_D, L = 0.1, 0.3, 0.5, 2.0
RHO, TIP = 1.2, 0.4
SWING, DRAWN, TIME = 1.0, (1.3, 0.3), 2.0


def rise(t, sin, a, b):
    return a + (b - a) * (t / TIME - sin(2 * math.pi * t / TIME) / (2 * math.pi))


def arm(modes, EI=300.0, speeds_last=False, **options):
    """The model, its beam, the frame of the base, and the deflection of the tip from the line of the supports.

    Speeds of the base are declared before those of the beam and its supports, or after them.
    """
    model = lw.Model("arm")
    A = model.frame.rotated("A", rise(model.time, lw.sin, 0.0, SWING), model.frame.z)
    P_hat = model.origin.at("P_hat", -L_P * A.x + L_T * A.y)
    z2, theta2 = model.coordinates("z2", "theta2")
    if not speeds_last:
        model.speeds()
    root = P_hat.at("R_star", -rise(model.time, lw.sin, *DRAWN) * A.x + z2 * A.y)
    R = A.rotated("R", theta2, A.z)
    beam = model.beam("B", R, root, L, EI=EI, rho_A=RHO, modes=modes, shapes="free-free", **options)
    model.support("P", beam, P_hat)
    model.support("Q", beam, P_hat.at("Q_hat", L_D * A.x))
    model.particle("C", beam.tip, TIP)
    if speeds_last:
        model.speeds()
    return model, beam, A, beam.tip.position(P_hat).dot(A.y)


START = {"s_P": DRAWN[0], "s_Q": DRAWN[0] + L_D}


def rows_at(s, n):
    """Cubic shape functions of all nodes at arc length s: η, η', η''."""
    h = L / n
    e = min(int(s / h), n - 1)
    t = s / h - e
    N = [1 - 3 * t**2 + 2 * t**3, h * (t - 2 * t**2 + t**3), 3 * t**2 - 2 * t**3, h * (t**3 - t**2)]
    d = [(-6 * t + 6 * t**2) / h, 1 - 4 * t + 3 * t**2, (6 * t - 6 * t**2) / h, 3 * t**2 - 2 * t]
    c = [(-6 + 12 * t) / h**2, (-4 + 6 * t) / h, (6 - 12 * t) / h**2, (6 * t - 2) / h]
    found = np.zeros((3, 2 * n + 2))
    found[:, 2 * e : 2 * e + 4] = N, d, c
    return found


def by_finite_elements(n=24, steps=2000, EI=300.0):
    """Deflection of the tip at the end of every step: HHT's method with multipliers for the supports."""
    gauss, weight = np.polynomial.legendre.leggauss(4)
    s = np.concatenate([(e + (gauss + 1) / 2) * L / n for e in range(n)])
    w = np.tile(weight * L / n / 2, n)
    N, d, c = np.array([rows_at(each, n) for each in s]).transpose(1, 0, 2)
    end = rows_at(L, n)
    M = (N.T * (RHO * w)) @ N + TIP * np.outer(end[0], end[0])
    K = (c.T * (EI * w)) @ c
    size, h = 2 * n + 2, TIME / steps
    alpha = -0.05
    gamma, beta = 0.5 - alpha, (1 - alpha) ** 2 / 4
    eta, v, a = np.zeros((3, size))
    tip, before = [0.0], np.zeros(size)
    for k in range(1, steps + 1):
        t = k * h
        swing, drawn = _motion(t, 0.0, SWING), _motion(t, *DRAWN)
        spin, turning = swing[1], swing[2]
        X = s - drawn[0] - L_P
        X_end = L - drawn[0] - L_P
        at_end = -drawn[2] - spin**2 * X_end - turning * L_T
        A0, A1 = -drawn[2] - turning * L_T + spin**2 * (drawn[0] + L_P), -(spin**2)  # a_x = A0 + A1 s
        tension = -RHO * (A0 * (L - s) + A1 * (L**2 - s**2) / 2) - TIP * at_end
        stiff = K + (d.T * (w * tension)) @ d - spin**2 * M
        push = turning * X - 2 * spin * drawn[1] - spin**2 * L_T
        at_tip = turning * X_end - 2 * spin * drawn[1] - spin**2 * L_T
        f = -(N.T * (RHO * w)) @ push - TIP * at_tip * end[0]
        C = np.array([rows_at(drawn[0] + shift, n)[0] for shift in (0.0, L_D)])
        eta_p, v_p = eta + h * v + h**2 * (0.5 - beta) * a, v + h * (1 - gamma) * a
        lhs = np.zeros((size + 2, size + 2))
        lhs[:size, :size] = M + (1 + alpha) * beta * h**2 * stiff
        lhs[:size, size:], lhs[size:, :size] = C.T, C
        force = f - stiff @ eta_p
        rhs = np.concatenate([(1 + alpha) * force - alpha * before, -C @ eta_p / (beta * h**2)])
        lhs[size:, :size] = C
        found = np.linalg.solve(lhs, rhs)
        a = found[:size]
        eta, v = eta_p + beta * h**2 * a, v_p + gamma * h * a
        before = f - stiff @ eta
        tip.append(float(end[0] @ eta))
    return np.linspace(0.0, TIME, steps + 1), np.array(tip)


def _motion(t, a, b):
    """A rise and its rates."""
    k = 2 * math.pi / TIME
    return (rise(t, math.sin, a, b), (b - a) / TIME * (1 - math.cos(k * t)), (b - a) / TIME * k * math.sin(k * t))
