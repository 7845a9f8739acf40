"""Sweep and prune: which of many boxes along the axes overlap, as a kernel.  [Cohen, Lin, Manocha, Ponamgi 1995]

Boxes are sorted by where they begin along one axis; from each, those are looked at that begin before it ends. The order
is kept from look to look, and sorted by insertion: little has changed since.
"""

from __future__ import annotations

from latchwork.program.kernel import f64p, i64, i64p, kernel
from latchwork.program.native import together
from latchwork.program.scalar import minimum

ENDS = 12  # numbers of an enclosure: p, q, v_p, v_q
ENDLESS = 1e300  # a box without end


@kernel
def code_of(n: i64, a: i64, b: i64) -> i64:
    """The code of a pair: the smaller number times n, and the larger."""
    return a * n + b if a < b else b * n + a


@kernel
def is_skipped(count: i64, codes: i64p, code: i64) -> i64:
    """1 where a code is among sorted ones."""
    low, high = 0, count
    while low < high:
        middle = (low + high) // 2
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return 1 if low < count and codes[low] == code else 0


@kernel
def may_meet(n: i64, a: i64, b: i64, bits: i64p, carrier: i64p, skips: i64, skip: i64p) -> i64:
    """1 where two shapes collide at all: by their bits, on two carriers, not left out."""
    if carrier[a] == carrier[b]:
        return 0
    if (bits[2 * a] & bits[2 * b + 1]) == 0 and (bits[2 * b] & bits[2 * a + 1]) == 0:
        return 0
    return 1 - is_skipped(skips, skip, code_of(n, a, b))


@kernel
def sort_by_start(n: i64, lo: f64p, axis: i64, order: i64p) -> None:
    """``order`` by where boxes begin along an axis; equal ones by their number."""
    for k in range(1, n):
        i = order[k]
        start, at = lo[3 * i + axis], k
        while at > 0:
            before = order[at - 1]
            if lo[3 * before + axis] < start or (lo[3 * before + axis] == start and before < i):
                break
            order[at] = before
            at -= 1
        order[at] = i


@kernel
def overlapping(n: i64, lo: f64p, hi: f64p, axis: i64, order: i64p, bits: i64p, carrier: i64p, skips: i64, skip: i64p,
                most: i64, found: i64p) -> i64:  # fmt: skip
    """Codes a n + b, a < b, of boxes that overlap and may meet; how many there are, also beyond ``most``."""
    sort_by_start(n, lo, axis, order)
    one, other = (axis + 1) % 3, (axis + 2) % 3
    count = 0
    for k in range(n):
        i = order[k]
        for m in range(k + 1, n):
            j = order[m]
            if lo[3 * j + axis] > hi[3 * i + axis]:
                break
            if lo[3 * j + one] > hi[3 * i + one] or lo[3 * i + one] > hi[3 * j + one]:
                continue
            if lo[3 * j + other] > hi[3 * i + other] or lo[3 * i + other] > hi[3 * j + other]:
                continue
            if may_meet(n, i, j, bits, carrier, skips, skip) == 1:
                if count < most:
                    found[count] = code_of(n, i, j)
                count += 1
    return count


@kernel
def above_planes(n: i64, values: f64p, radius: f64p, room: f64p, planes: i64, plane: i64p, normal: f64p, bits: i64p,
                 carrier: i64p, skips: i64, skip: i64p, count: i64, most: i64, found: i64p) -> i64:  # fmt: skip
    """The same of half-spaces and what ends: within both rooms of the plane. Goes on from ``count``."""
    for k in range(planes):
        f = plane[k]
        nx, ny, nz = normal[3 * k], normal[3 * k + 1], normal[3 * k + 2]
        x, y, z = values[ENDS * f], values[ENDS * f + 1], values[ENDS * f + 2]
        for i in range(n):
            if i == f or radius[i] >= ENDLESS:
                continue
            at = ENDS * i
            p = (values[at] - x) * nx + (values[at + 1] - y) * ny + (values[at + 2] - z) * nz
            q = (values[at + 3] - x) * nx + (values[at + 4] - y) * ny + (values[at + 5] - z) * nz
            if minimum(p, q) - radius[i] <= room[i] + room[f] and may_meet(n, i, f, bits, carrier, skips, skip) == 1:
                if count < most:
                    found[count] = code_of(n, i, f)
                count += 1
    return count


together(overlapping, above_planes)
