"""Gathering: everything that a crossing asks about some contacts at one state, in two calls of machine code.

    v = J u + C,    A = J P Jᵀ,    b = J u̇₀ + c
    P = M⁻¹ − M⁻¹ Bᵀ S⁻¹ B M⁻¹,    u̇₀ = P f − M⁻¹ Bᵀ S⁻¹ c_B,    S = B M⁻¹ Bᵀ

B are the rows that hold besides the contacts. P is T M̃⁻¹ Tᵀ of `meeting`, which takes over where M or S is close to
singular, and where there is much to calculate: then libraries are quicker. Both are tested to agree.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from latchwork.constraint.dense import largest_pivot, lu, lu_solve
from latchwork.constraint.terms import Array, Base, Terms
from latchwork.hybrid.touching.touch import Touch
from latchwork.program.bundle import Bundle
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, i64p, kernel, offset, sqrt
from latchwork.program.native import address, native, together
from latchwork.program.scalar import maximum

ROUNDING = 1e-14  # of the terms of a sum that cancel
REGULAR = 1e-12  # of the largest pivot of M: below it M is close to singular
APART = 1e-6  # pivots of S, whose diagonal is made 1: below it rows are close to depending on each other
MOST_SPEEDS, MOST_ROWS = 40, 24

# sizes; where the programs of what holds give their outputs; then, for each contact, its rows and where its own begin
NQ, N, ROWS, HELD, TOUCHES, PLACE, BIAS, FIRST = range(8)


@kernel
def unpack(n: i64, packed: f64p, M: f64p) -> None:
    """A symmetric matrix from its lower triangle, row by row."""
    for i in range(n):
        for j in range(i + 1):
            M[i * n + j] = packed[i * (i + 1) // 2 + j]
            M[j * n + i] = packed[i * (i + 1) // 2 + j]


@kernel
def invert(n: i64, M: f64p, factors: f64p, order: f64p, inverse: f64p, column: f64p) -> i64:
    """M⁻¹; 0 where M is close to singular."""
    for i in range(n * n):
        factors[i] = M[i]
    least = lu(n, factors, order)
    if n > 0 and not least > REGULAR * largest_pivot(n, factors):
        return 0
    for j in range(n):
        for i in range(n):
            column[i] = 1.0 if i == j else 0.0
        lu_solve(n, factors, order, column)
        for i in range(n):
            inverse[i * n + j] = column[i]
    return 1


@kernel
def times(n: i64, a: f64p, b: f64p) -> f64:
    """a · b."""
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


@kernel
def hold(n: i64, m: i64, B: f64p, c: f64p, inverse: f64p, udot: f64p, work: f64p) -> i64:
    """P and u̇₀ from M⁻¹ and M⁻¹ f, with m rows B held; 0 where they are close to depending on each other."""
    G, H, S = work, offset(work, n * m), offset(work, 2 * n * m)  # M⁻¹ Bᵀ by rows of Bᵀ, B M⁻¹, and S
    scale, order, right = offset(S, m * m), offset(S, m * m + m), offset(S, m * m + 2 * m)
    for r in range(m):
        for i in range(n):
            G[r * n + i] = times(n, offset(inverse, i * n), offset(B, r * n))
            total = 0.0
            for j in range(n):
                total += B[r * n + j] * inverse[j * n + i]
            H[r * n + i] = total
    for r in range(m):
        scale[r] = sqrt(divide(1.0, times(n, offset(B, r * n), offset(G, r * n))))
    for r in range(m):
        for s in range(m):
            S[r * m + s] = times(n, offset(B, r * n), offset(G, s * n)) * scale[r] * scale[s]
    if not lu(m, S, order) > APART:
        return 0
    for r in range(m):
        right[r] = (times(n, offset(B, r * n), udot) + c[r]) * scale[r]
    lu_solve(m, S, order, right)
    for i in range(n):
        for r in range(m):
            udot[i] -= G[r * n + i] * scale[r] * right[r]
    for j in range(n):
        for r in range(m):
            right[r] = H[r * n + j] * scale[r]
        lu_solve(m, S, order, right)
        for i in range(n):
            for r in range(m):
                inverse[i * n + j] -= G[r * n + i] * scale[r] * right[r]
    return 1


@kernel
def stack(code: i64p, out: f64p, J: f64p, C: f64p, c: f64p) -> None:
    """Rows of all contacts below each other."""
    n, row = code[N], 0
    for k in range(code[TOUCHES]):
        rows, place, bias = code[FIRST + 3 * k], code[FIRST + 3 * k + 1], code[FIRST + 3 * k + 2]
        for i in range(rows):
            for j in range(n):
                J[(row + i) * n + j] = out[place + rows + i * n + j]
            C[row + i] = out[place + rows + rows * n + i]
            c[row + i] = out[bias + i]
        row += rows


@kernel
def free(code: i64p, out: f64p, extra: i64, more: f64p, drags: i64, drag: f64p, M: f64p, f: f64p, inverse: f64p,
         udot: f64p, work: f64p) -> i64:  # fmt: skip
    """M and f with friction in them, P and u̇₀; 0 where that takes more care. ``more`` are rows (B, c) besides."""
    n_q, n, held = code[NQ], code[N], code[HELD]
    unpack(n, offset(out, n_q), M)
    for i in range(n):
        f[i] = out[n_q + n * (n + 1) // 2 + i]
    for d in range(drags):
        g, N1 = offset(drag, d * (2 * n + 1)), offset(drag, d * (2 * n + 1) + n)
        for i in range(n):
            f[i] += g[i] * N1[n]
            for j in range(n):
                M[i * n + j] -= g[i] * N1[j]
    if invert(n, M, work, offset(work, n * n), inverse, offset(work, n * n + n)) == 0:
        return 0
    for i in range(n):
        udot[i] = times(n, offset(inverse, i * n), f)
    m = held + extra
    if m == 0:
        return 1
    B, c = work, offset(work, m * n)
    for r in range(held):
        for j in range(n):
            B[r * n + j] = out[code[PLACE] + held + r * n + j]
        c[r] = out[code[BIAS] + r]
    for r in range(extra):
        for j in range(n):
            B[(held + r) * n + j] = more[r * (n + 1) + j]
        c[held + r] = more[r * (n + 1) + n]
    return hold(n, m, B, c, inverse, udot, offset(work, m * n + m))


@kernel
def gather(code: i64p, out: f64p, x: f64p, extra: i64, more: f64p, drags: i64, drag: f64p, w: f64p) -> i64:
    """Everything into w, as `Gathering` has it; 0 where M or the rows that hold take more care."""
    n_q, n, rows, touches = code[NQ], code[N], code[ROWS], code[TOUCHES]
    u = offset(x, 1 + n_q)
    swiftest, v, b = offset(w, 1), offset(w, 1 + touches), offset(w, 1 + touches + rows)
    C, c, f = offset(b, rows), offset(b, 2 * rows), offset(b, 3 * rows)
    udot, A, J = offset(f, n), offset(f, 2 * n), offset(f, 2 * n + rows * rows)
    M, inverse, work = offset(J, rows * n), offset(J, rows * n + n * n), offset(J, rows * n + 2 * n * n)
    stack(code, out, J, C, c)
    if free(code, out, extra, more, drags, drag, M, f, inverse, udot, work) == 0:
        return 0
    pace, energy = 0.0, 0.0
    for i in range(n):
        energy += u[i] * times(n, offset(M, i * n), u)
    for i in range(rows):
        v[i] = times(n, offset(J, i * n), u) + C[i]
        b[i] = times(n, offset(J, i * n), udot) + c[i]
        moves, size = fabs(C[i]), fabs(c[i])
        for j in range(n):
            moves += fabs(J[i * n + j] * u[j])
            size += fabs(J[i * n + j] * udot[j])
            total = 0.0
            for k in range(n):
                total += J[i * n + k] * inverse[k * n + j]
            work[j] = total
        pace = maximum(pace, moves)
        b[i] = b[i] if fabs(b[i]) > ROUNDING * size else 0.0
        for k in range(rows):
            A[i * rows + k] = times(n, work, offset(J, k * n))
    row = 0
    for k in range(touches):
        swiftest[k] = sqrt(maximum(A[row * rows + row], 0.0) * maximum(energy, 0.0))
        row += code[FIRST + 3 * k]
    w[0] = pace
    return 1


together(gather)


class Gathering:
    """The programs of some contacts and of what holds besides, and memory for their numbers; one thread at a time."""

    def __init__(self, base: Base, held: Terms, touches: Sequence[Touch]) -> None:
        n_q, n, m = held.sizes
        terms = [touch.terms for touch in touches]
        besides = [held.place_function, held.bias_function] if m else []
        self._bundle = Bundle([base.motion, *besides, *(t.place_function for t in terms),
                               *(t.bias_function for t in terms)])  # fmt: skip
        starts, k = self._bundle.starts, len(terms)
        first = 1 + len(besides)
        counts = [len(t.rows) for t in terms]
        self._first = list(accumulate(counts, initial=0))[:-1]
        r, most = sum(counts), m + 2 * n
        each = zip(counts, starts[first : first + k], starts[first + k : first + 2 * k], strict=True)
        held_at = starts[1:3] if m else [0, 0]
        self._code = np.array([n_q, n, r, m, k, *held_at, *(i for row in each for i in row)], dtype=np.int64)
        sizes = {"pace": 1, "swiftest": k, "v": r, "b": r, "C": r, "c": r, "f": n, "udot": n, "A": r * r, "J": r * n,
                 "M": n * n, "inverse": n * n}  # fmt: skip
        ends = list(accumulate(sizes.values(), initial=0))
        shapes = {"A": (r, r), "J": (r, n), "M": (n, n), "inverse": (n, n)}
        self._parts = [(name, slice(a, b), shapes.get(name)) for name, a, b in zip(sizes, ends, ends[1:], strict=False)
                       if name != "pace"]  # fmt: skip
        work = max(n * n + 2 * n, most * n + most + 2 * n * most + most * most + 3 * most)
        self._size, self._w = ends[-1], np.zeros(ends[-1] + work)
        self._more, self._drag, self._room = np.zeros(2 * n * (n + 1)), np.zeros(2 * n * (2 * n + 1)), 2 * n
        self._x = np.zeros(len(base.arguments))
        self._call, self._at = native(gather).brief, tuple(map(address, (self._code, self._bundle.out, self._x)))
        self._to = address(self._w)

    def at(self, x: Array, extra: Sequence[tuple[Array, Any]] = (),
           drags: Sequence[tuple[Array, Array, float]] = ()) -> dict[str, Any] | None:  # fmt: skip
        """All numbers at x = (t, q, u, rest) by name; none where they take more care. See `meeting.meet`."""
        if max(len(extra), len(drags)) > self._room:
            return None
        if extra:
            self._more[: len(extra) * (len(extra[0][0]) + 1)] = np.concatenate([np.append(*row) for row in extra])
        if drags:
            numbers = np.concatenate([part for g, N1, N0 in drags for part in (g, N1, [N0])])
            self._drag[: len(numbers)] = numbers
        self._bundle(x)
        self._x[:] = x
        if not self._call(*self._at, len(extra), address(self._more), len(drags), address(self._drag), self._to):
            return None
        numbers = self._w[: self._size].copy()
        found: dict[str, Any] = {"pace": float(numbers[0]), "first": self._first}
        for name, part, shape in self._parts:
            found[name] = numbers[part] if shape is None else numbers[part].reshape(shape)
        return found


def pays(speeds: int, rows: int) -> bool:
    """Whether loops in machine code are quicker than libraries that have to be called one after the other."""
    return speeds <= MOST_SPEEDS and rows <= MOST_ROWS
