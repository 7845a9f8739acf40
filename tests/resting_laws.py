"""What tests of contacts at rest share: the laws, checked apart from the solver; all combinations; bodies on floors."""

from __future__ import annotations

import itertools

import numpy as np
from scipy.optimize import linprog

from latchwork.contact.complementarity.solution import ContactSolution, NamedContactProblem, State

OPEN, SLIDE, STICK = State.OPEN, State.SLIDE, State.STICK


def resting(J, f, Minv, mu, tangents, mu_d=None, slip=None, must=None, jdot=0.0):
    """Contacts with rows J on a body or several: A = J M⁻¹ Jᵀ, b = J M⁻¹ f + J̇u."""
    J, k = np.asarray(J, dtype=float), len(tangents)
    mu = np.broadcast_to(np.asarray(mu, dtype=float), k)
    mu_d = mu if mu_d is None else np.broadcast_to(np.asarray(mu_d, dtype=float), k)
    none = (None,) * k
    A = J @ Minv @ J.T
    return NamedContactProblem(
        tuple(f"c{i}" for i in range(k)),
        (A + A.T) / 2,
        J @ Minv @ f + jdot,
        tuple(tangents),
        mu,
        mu_d,
        none if slip is None else tuple(slip),
        none if must is None else tuple(must),
    )


def blocks(r: NamedContactProblem):
    """Index, rows of the normal and of the tangents of each contact."""
    at = 0
    for i, t in enumerate(r.tangents):
        yield i, at, slice(at + 1, at + 1 + t)
        at += 1 + t


def broken_laws(r: NamedContactProblem, v: ContactSolution, tol: float = 1e-6) -> list[str]:
    """Which laws a verdict breaks, by the numbers in it and the problem alone."""
    faults = []
    lam, a = np.asarray(v.lam), np.asarray(v.a)
    size = np.abs(r.b).max() + (np.abs(r.A) @ np.abs(lam)).max()
    near, push = tol * size, tol * (np.abs(lam).max() + 1e-300)
    if np.abs(r.A @ lam + r.b - a).max() > near:
        faults.append("a is not A lam + b")
    for i, n, t in blocks(r):
        state, d, name = v.states[i], v.directions[i], r.names[i]
        l_n, l_t, a_n, a_t = lam[n], lam[t], a[n], a[t]
        mu_s, mu_d = (r.mu_s[i], r.mu_d[i]) if r.tangents[i] else (0.0, 0.0)
        if state is OPEN:
            faults += [f"{name}: open with force"] * bool(np.abs(lam[n : t.stop]).max() > 0)
            faults += [f"{name}: open and approaching"] * bool(a_n < -near)
            continue
        faults += [f"{name}: pulls"] * bool(l_n < -push) + [f"{name}: parts or sinks"] * bool(abs(a_n) > near)
        if state is STICK:
            faults += [f"{name}: sticks and slides"] * bool(r.slip[i] is not None or mu_s == 0.0)
            faults += [f"{name}: sticks and creeps"] * bool(np.abs(a_t).max() > near)
            faults += [f"{name}: outside its cone"] * bool(np.linalg.norm(l_t) > mu_s * l_n + push)
        elif mu_s == 0.0:
            faults += [f"{name}: friction without mu"] * bool(len(l_t) and np.abs(l_t).max() > push)
            faults += [f"{name}: direction without friction"] * bool(d is not None)
        else:
            faults += [f"{name}: friction"] * bool(np.abs(l_t + mu_d * l_n * d).max() > push)
            if r.slip[i] is not None:
                faults += [f"{name}: not along its slip"] * bool(np.abs(d - r.slip[i]).max() > 0)
            else:
                still = r.must_slip[i] is None and np.linalg.norm(a_t) < 1e-10 * size
                faults += [f"{name}: slides and does not begin to"] * bool(still)
                faults += [f"{name}: begins elsewhere"] * bool(np.abs(a_t - np.linalg.norm(a_t) * d).max() > near)
    return faults


def every_way(r: NamedContactProblem):
    """All states of all contacts, in the plane: (state, sign)."""
    table = []
    for i in range(len(r.names)):
        if not r.tangents[i] or r.mu_s[i] == 0.0:
            table.append([(OPEN, 0.0), (SLIDE, 0.0)])
        elif r.slip[i] is not None:
            table.append([(OPEN, 0.0), (SLIDE, float(r.slip[i][0]))])
        else:
            table.append([(OPEN, 0.0), (STICK, 0.0), (SLIDE, 1.0), (SLIDE, -1.0)])
    return itertools.product(*table)


def solutions(r: NamedContactProblem, tol: float = 1e-8):
    """Every set of states with forces that obey the laws, by one linear program each: slow, and nothing in common."""
    found = []
    for way in every_way(r):
        n = len(r.b)
        equal, zero, less, bound = [], [], [], []
        for (i, at, t), (state, sign) in zip(blocks(r), way, strict=True):
            unit = np.eye(n)
            tangent = [unit[j] for j in range(t.start, t.stop)]
            rough = bool(tangent) and r.mu_s[i] > 0
            if state is OPEN:
                equal += [unit[at], *tangent]
                zero += [0.0] * (1 + len(tangent))
                less.append(-r.A[at])
                bound.append(r.b[at])
                continue
            equal.append(r.A[at])
            zero.append(-r.b[at])
            less.append(-unit[at])
            bound.append(0.0)
            if state is STICK:
                equal.append(r.A[at + 1])
                zero.append(-r.b[at + 1])
                for s in (1, -1):
                    less.append(s * tangent[0] - r.mu_s[i] * unit[at])
                    bound.append(0.0)
            elif rough:
                equal.append(tangent[0] + r.mu_d[i] * sign * unit[at])
                zero.append(0.0)
                if r.slip[i] is None:
                    less.append(-sign * r.A[at + 1])
                    bound.append(sign * r.b[at + 1])
            else:
                equal += tangent
                zero += [0.0] * len(tangent)
        result = linprog(
            np.zeros(n),
            np.array(less),
            np.array(bound) + tol,
            np.array(equal),
            np.array(zero),
            bounds=[(None, None)] * n,
        )
        if result.status == 0:
            found.append(way)
    return found


def plane_block(points, slope=0.0, m=1.0, inertia=1.0, g=9.81, side=0.0, moment=0.0):
    """Rows, forces and inverse masses of a body in the plane on a floor that slopes; points relative to its centre."""
    J = np.array([row for x, y in points for row in ([0, 1, x], [1, 0, -y])], dtype=float)
    f = np.array([side - m * g * np.sin(slope), -m * g * np.cos(slope), moment])
    return J, f, np.diag([1 / m, 1 / m, 1 / inertia])


def space_box(points, m=1.0, inertia=(1.0, 1.0, 1.0), force=(0.0, 0.0, -9.81), moment=(0.0, 0.0, 0.0)):
    """Rows (z normal, x, y) of a body in space on a floor: v + ω × r."""
    J = []
    for x, y, z in points:
        J += [[0, 0, 1, y, -x, 0], [1, 0, 0, 0, z, -y], [0, 1, 0, -z, 0, x]]
    return np.array(J, dtype=float), np.array([*force, *moment]), np.diag([1 / m] * 3 + [1 / i for i in inertia])


def pile(rows: int, per_row: int, seed: int, radius: float = 0.5, held: bool = True):
    """Equal disks packed as cannon balls on a floor, between walls if ``held``: many more rows than freedoms."""
    rng = np.random.default_rng(seed)
    centres = [
        np.array([2 * radius * c + radius * (r % 2), radius + r * np.sqrt(3) * radius])
        for r in range(rows)
        for c in range(per_row)
    ]
    pairs = [(i, None, np.array([0.0, 1.0])) for i, c in enumerate(centres) if c[1] < 1.01 * radius]
    right = max(c[0] for c in centres)
    if held:
        pairs += [(i, None, np.array([1.0, 0.0])) for i, c in enumerate(centres) if c[0] < 0.01 * radius]
        pairs += [(i, None, np.array([-1.0, 0.0])) for i, c in enumerate(centres) if c[0] > right - 0.01 * radius]
    for i, j in itertools.combinations(range(len(centres)), 2):
        apart = centres[i] - centres[j]
        if np.linalg.norm(apart) < 2.01 * radius:
            pairs.append((i, j, apart / np.linalg.norm(apart)))
    J = np.zeros((2 * len(pairs), 3 * len(centres)))
    for row, (i, j, n) in enumerate(pairs):
        t = np.array([n[1], -n[0]])
        for body, sign in ((i, 1.0), (j, -1.0)):
            if body is not None:
                J[2 * row, 3 * body : 3 * body + 2] = sign * n
                J[2 * row + 1, 3 * body : 3 * body + 2] = sign * t
                J[2 * row + 1, 3 * body + 2] = radius  # both at −sign n radius: ω × r has the same sign
    masses = rng.uniform(0.5, 2.0, len(centres))
    Minv = np.diag(np.column_stack((1 / masses, 1 / masses, 2 / (masses * radius**2))).ravel())
    f = np.column_stack((0 * masses, -9.81 * masses, 0 * masses)).ravel()
    return J, f, Minv


def stack(count: int, half=(1.0, 0.8, 0.5), seed: int = 0):
    """Boxes in space, one upon the other, four corners each: rows upper minus lower body; forces of gravity."""
    rng = np.random.default_rng(seed)
    hx, hy, hz = half
    corners = [(x * hx, y * hy) for x in (-1, 1) for y in (-1, 1)]
    J = []
    for body in range(count):
        for x, y in corners:
            block = np.zeros((3, 6 * count))
            for other, sign, z in ((body, 1.0, -hz), (body - 1, -1.0, hz)):
                if other >= 0:
                    block[:, 6 * other : 6 * other + 6] += sign * space_box([(x, y, z)])[0]
            J.append(block)
    m = rng.uniform(0.5, 2.0, count)
    spins = [(hy**2 + hz**2) / 3, (hx**2 + hz**2) / 3, (hx**2 + hy**2) / 3]
    Minv = np.diag([1 / (m[i] * x) for i in range(count) for x in (1.0, 1.0, 1.0, *spins)])
    f = np.concatenate([[0.0, 0.0, -9.81 * m[i], 0.0, 0.0, 0.0] for i in range(count)])
    return np.vstack(J), f, Minv
