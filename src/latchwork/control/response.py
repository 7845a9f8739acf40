"""Response of a mode to generalized forces, beside what acts already: more right-hand sides for its factors.

    M Δu̇ = g + Bᵀ Δλ,   B Δu̇ = 0:   Δu̇ = T (Tᵀ M T)⁻¹ Tᵀ g,   B1ᵀ Δλ = (M Δu̇ − g)_dep

and with friction, where forces of the rows lie along G, by the factors of [−Gᵀ  M' T] (`friction_recombination`). The
mode has been evaluated; its rows may be redundant, or too many, for they are those that were kept. Forces g stand in
columns, all of which are solved for at once.
"""

from __future__ import annotations

from latchwork.algebra.elimination import (
    add_row,
    cholesky_solve_columns,
    lu_solve_columns,
    lu_solve_transposed_columns,
)
from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.friction_recombination import shared_multipliers, slide
from latchwork.constraint.embedded.recombination import consistent_place, entry, evaluate, multipliers
from latchwork.program.kernel import divide, f64p, i64, i64p, kernel, offset, sqrt


@kernel
def evaluate_open(mode: EmbeddedMode, slides: i64) -> None:
    """u̇ and λ at (t, x) with the inputs that are held, and the factors that `respond` needs."""
    if slides != 0:
        consistent_place(mode)
        slide(mode)
        shared_multipliers(mode)
    else:
        evaluate(mode, mode.result)
        multipliers(mode)


@kernel
def respond(
    mode: EmbeddedMode, slides: i64, forces: i64, columns: i64, g: f64p, reads: i64p, block: f64p, udot: f64p,
    lam: f64p,
) -> None:  # fmt: skip
    """Δu̇ of generalized forces g, on the speeds that are read, and Δλ where ``forces`` are wanted; ``block`` is room.

    g and Δu̇ have a row for each speed, Δλ for each row of the mode.
    """
    if slides != 0:
        respond_sliding(mode, columns, g, reads, block, udot, lam)
    else:
        independent_response(mode, columns, g, block)
        expand_columns(mode, columns, block, reads, udot)
        if forces != 0:
            respond_forces(mode, columns, g, udot, block, lam)


@kernel
def independent_response(mode: EmbeddedMode, columns: i64, g: f64p, right: f64p) -> None:
    """``(Tᵀ M T)⁻¹ Tᵀ g``; few entries of g are not zero."""
    k, d = mode.k, mode.D
    for a in range(k):
        first, row = offset(g, mode.ind[a] * columns), offset(right, a * columns)
        for c in range(columns):
            row[c] = first[c]
    for s in range(mode.m):
        row = offset(g, mode.dep[s] * columns)
        for c in range(columns):
            if row[c] != 0.0:
                for a in range(k):
                    right[a * columns + c] += d[s * k + a] * row[c]
    cholesky_solve_columns(k, columns, mode.mass, right)


@kernel
def expand_columns(mode: EmbeddedMode, columns: i64, independent: f64p, reads: i64p, udot: f64p) -> None:
    """``u̇ = T u̇_ind``, of the speeds that are read."""
    k, d = mode.k, mode.D
    for a in range(k):
        source, target = offset(independent, a * columns), offset(udot, mode.ind[a] * columns)
        for c in range(columns):
            target[c] = source[c]
    for s in range(mode.m):
        if reads[mode.dep[s]] != 0:
            target = offset(udot, mode.dep[s] * columns)
            for c in range(columns):
                target[c] = 0.0
            for a in range(k):
                add_row(columns, d[s * k + a], offset(independent, a * columns), target)


@kernel
def respond_forces(mode: EmbeddedMode, columns: i64, g: f64p, udot: f64p, part: f64p, lam: f64p) -> None:
    """Δλ of ``B1ᵀ Δλ = (M Δu̇ − g)_dep``; 0 for rows that were not kept."""
    n, m, packed = mode.n, mode.m, offset(mode.motion, mode.n_q)
    for s in range(m):
        i, row = mode.dep[s], offset(part, s * columns)
        given = offset(g, i * columns)
        for c in range(columns):
            row[c] = -given[c]
        for j in range(n):
            add_row(columns, entry(packed, i, j), offset(udot, j * columns), row)
    lu_solve_transposed_columns(m, columns, mode.B1, mode.order, part)
    scatter_rows(mode, columns, part, lam)


@kernel
def scatter_rows(mode: EmbeddedMode, columns: i64, kept: f64p, lam: f64p) -> None:
    """Multipliers of the rows kept, and 0 for all others."""
    for i in range(mode.rows * columns):
        lam[i] = 0.0
    for s in range(mode.m):
        source, target = offset(kept, s * columns), offset(lam, mode.kept[s] * columns)
        for c in range(columns):
            target[c] = source[c]


@kernel
def respond_sliding(
    mode: EmbeddedMode, columns: i64, g: f64p, reads: i64p, block: f64p, udot: f64p, lam: f64p
) -> None:
    """The same with friction, or where redundant rows share."""
    n, m = mode.n, mode.m
    for i in range(n):
        unit, source, target = sqrt(mode.weight[i]), offset(g, i * columns), offset(block, i * columns)
        for c in range(columns):
            target[c] = divide(source[c], unit)
    lu_solve_columns(n, columns, mode.system, mode.exchanged, block)
    expand_columns(mode, columns, offset(block, m * columns), reads, udot)
    scatter_rows(mode, columns, block, lam)
    for r in range(mode.shared):
        target = offset(lam, mode.lost[r] * columns)
        for s in range(m):
            add_row(columns, mode.share[r * (m + 1) + s], offset(block, s * columns), target)
