"""Friction cones of the forces that a law causes, |λ_t| ≤ μ λ_n and λ_n ≥ least, as planes that cut them.

    μ λ_n − e · λ_t ≥ 0        |e| = 1

In the plane two of them, e = ±1, are the cone. In space a plane is added where λ_t leaves the cone, with e along it,
until none does: the cone itself, from outside, to EDGE.   [Kelley 1960]
"""

from __future__ import annotations

from latchwork.algebra.elimination import add_row
from latchwork.control.force_task import multiplier
from latchwork.control.law_record import CUTS, Law
from latchwork.program.kernel import divide, f64, fabs, i64, kernel, offset, sqrt
from latchwork.program.scalar import maximum

EDGE = 1e-9  # of the forces of a cone: they leave it by less


@kernel
def begin_cuts(law: Law) -> None:
    """The planes of all cones at first: normals, and both sides in the plane."""
    law.cuts = 0
    values = offset(law.out, law.at_cones)
    for i in range(law.cones):
        given = law.cone_value[i]
        friction, least = values[2 * given], values[2 * given + 1]
        add_cut(law, i, 1.0, 0.0, 0.0, least)
        if law.cone_row[3 * i + 1] >= 0 and law.cone_row[3 * i + 2] < 0:
            add_cut(law, i, friction, 1.0, 0.0, 0.0)
            add_cut(law, i, friction, -1.0, 0.0, 0.0)


@kernel
def add_cut(law: Law, cone: i64, normal: f64, first: f64, second: f64, least: f64) -> None:
    """A plane ``normal λ_n − first λ_t1 − second λ_t2 ≥ least`` as a row of unit length."""
    p, row, total, size = law.p, offset(law.cut_A, law.cuts * law.p), least, 0.0
    for c in range(p):
        row[c] = 0.0
    for part in range(3):
        factor = normal if part == 0 else (-first if part == 1 else -second)
        if factor != 0.0:
            i = law.cone_row[3 * cone + part]
            total -= factor * law.lam[i]
            add_row(p, factor, offset(law.force, i * p), row)
    for c in range(p):
        size += row[c] * row[c]
    unit = divide(1.0, sqrt(size)) if size > 0.0 else 0.0
    law.cut_b[law.cuts] = total * unit
    for c in range(p):
        row[c] *= unit
    law.cuts += 1


@kernel
def cut_again(law: Law) -> i64:
    """Planes where forces leave their cones in space; how many came to them."""
    added, values = 0, offset(law.out, law.at_cones)
    for i in range(law.cones):
        if law.cone_row[3 * i + 2] >= 0 and law.cuts < law.most_cuts:
            first, second = multiplier(law, law.cone_row[3 * i + 1]), multiplier(law, law.cone_row[3 * i + 2])
            size, limit = sqrt(first * first + second * second), values[2 * law.cone_value[i]]
            room = limit * multiplier(law, law.cone_row[3 * i])
            if size > room + EDGE * maximum(size, fabs(room)):
                add_cut(law, i, limit, divide(first, size), divide(second, size), 0.0)
                added += 1
    return added


@kernel
def crossed_cuts(law: Law) -> i64:
    """1 where ρ is on the wrong side of a plane."""
    p = law.p
    for i in range(law.cuts):
        total, size = -law.cut_b[i], fabs(law.cut_b[i])
        for c in range(p):
            term = law.cut_A[i * p + c] * law.rho[c]
            total += term
            size = maximum(size, fabs(term))
        if total < -EDGE * size:
            return 1
    return 0


def most_cuts(cones: int) -> int:
    """Room for planes."""
    return cones * (1 + CUTS)
