"""The least inputs of a hierarchy: what comes first is met as well as can be, the next within what that leaves free.

    level i:  ρ ← ρ + N x,   x = (A_i N)⁺ (b_i − A_i ρ),   N ← N null(A_i N)            N = I at first

Planes of cones that are active, then motion, then force; by complete orthogonal decompositions.
"""

from __future__ import annotations

from latchwork.algebra.elimination import add_row
from latchwork.algebra.factors import least_norm, null_vector
from latchwork.control.bounded_least_squares import FREE
from latchwork.control.law_record import Law
from latchwork.control.motion_task import CUT
from latchwork.program.kernel import f64p, i64, kernel, offset


@kernel
def solve_hierarchy(law: Law, bound: i64, active: i64) -> i64:
    """ρ of least norm by the ``active`` planes, by motion, by force; where ``bound`` is set, inputs at a bound stay.

    Gives the rank of the motion where nothing comes before it.
    """
    p, left, rank = law.p, law.p, 0
    for c in range(p):
        if bound == 0 or law.side[c] == FREE:
            law.rho[c] = 0.0
    if active > 0:
        left -= first_level(law, bound, active, law.active_A, law.active_b)
        if left > 0 and law.k > 0:
            left -= next_level(law, left, law.k, law.A, law.b)
    else:
        rank = first_level(law, bound, law.k, law.A, law.b)
        left -= rank
    if law.presses > 0 and left > 0:
        left -= next_level(law, left, law.presses, law.press_A, law.press_b)
    law.left = left
    return rank


@kernel
def first_level(law: Law, bound: i64, rows: i64, A: f64p, b: f64p) -> i64:
    """The first level: N = I. Gives its rank, and N behind it where more is asked for."""
    p, F, right = law.p, law.F, law.right
    for i in range(rows):
        source, target = offset(A, i * p), offset(F, i * p)
        right[i] = b[i]
        for c in range(p):
            target[c] = source[c]
        if bound != 0:
            for c in range(p):
                if law.side[c] != FREE:
                    right[i] -= source[c] * law.rho[c]
                    target[c] = 0.0
    for c in range(p):
        law.x[c] = 0.0
        law.order[c] = float(c)
    rank = least_norm(rows, p, CUT, F, law.tau, law.turned, law.order, right, law.x)
    for c in range(p):
        if bound == 0 or law.side[c] == FREE:
            law.rho[c] = law.x[c]
    if law.presses + law.cones + law.bounded > 0:
        for l in range(p - rank):
            row = offset(law.basis, l * p)
            null_vector(p, rank, l, F, law.turned, law.order, right, row)
            for c in range(p):
                if bound != 0 and law.side[c] != FREE:
                    row[c] = 0.0
    return rank


@kernel
def next_level(law: Law, left: i64, rows: i64, A: f64p, b: f64p) -> i64:
    """A level within N, whose vectors are rows of ``basis``. Gives its rank, and N behind it."""
    p, basis, F, right = law.p, law.basis, law.F, law.right
    for i in range(rows):
        source = offset(A, i * p)
        total = b[i]
        for c in range(p):
            total -= source[c] * law.rho[c]
        right[i] = total
        for l in range(left):
            total = 0.0
            for c in range(p):
                total += source[c] * basis[l * p + c]
            F[i * left + l] = total
    for l in range(left):
        law.order[l] = float(l)
    rank = least_norm(rows, left, CUT, F, law.tau, law.turned, law.order, right, law.x)
    for l in range(left):
        add_row(p, law.x[l], offset(basis, l * p), law.rho)
    for l in range(left - rank):
        null_vector(left, rank, l, F, law.turned, law.order, right, law.x)
        row = offset(law.turned_basis, l * p)
        for c in range(p):
            row[c] = 0.0
        for j in range(left):
            add_row(p, law.x[j], offset(basis, j * p), row)
    for i in range((left - rank) * p):
        basis[i] = law.turned_basis[i]
    return rank
