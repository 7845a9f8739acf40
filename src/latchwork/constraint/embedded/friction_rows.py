"""Drag: what sliding contacts add to the equations of a mode.

    M u̇ = f + Σ_i G_iᵀ λ_i + Σ_h g_h (N0_h + N1_h · u̇),   G_i = B_i + E_i

E_i = −μ d·B_t is the friction of a contact whose normal row is row i of the mode: it goes with the same multiplier. The
terms in h are contacts that the coordinates themselves hold: their normal force is N0 + N1·u̇, their friction g N.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from latchwork.constraint.terms import Terms
from latchwork.errors import ConstraintError
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import rebuild


@dataclass(frozen=True, eq=False)
class FrictionRows:
    """Rows that drag, so many contacts held by the coordinates, and a function of (t, q, u, rest).

    It gives E_i (n numbers) for each of ``rows``, then g (n), N1 (n) and N0 for each of ``held``. Rows are counted in
    all rows of the terms, kept or redundant.
    """

    rows: tuple[int, ...]
    held: int
    function: Function


def drag_of(terms: Terms, dragged: Mapping[int, Sequence[int]],
            held: Sequence[tuple[Sequence[int], Sequence[int], int]] = (), more: Sequence[Expr] = (),
            function: Function | None = None) -> FrictionRows:  # fmt: skip
    """The drag of some rows, E_i by row, and of contacts held by the coordinates, (g, N1, N0) each; all are nodes.

    ``more`` are symbols in them, which become the last inputs; ``function`` is the program, where it is known.
    """
    _, n, rows = terms.sizes
    for row, E in dragged.items():
        if not 0 <= row < rows:
            raise ConstraintError(f"row {row} drags, but there are {rows} rows. Give a number from 0 to {rows - 1}.")
        _must_be(n, f"E of the dragging row '{terms.rows.names[row]}'", E)
    for h, (g, N1, _) in enumerate(held):
        _must_be(n, f"g of held contact {h}", g)
        _must_be(n, f"N1 of held contact {h}", N1)
    graph, base = terms.rows.equations.system.graph, terms.base
    if function is not None:
        return FrictionRows(tuple(dragged), len(held), function)
    nodes = [*itertools.chain(*dragged.values()), *itertools.chain(*([*g, *N1, N0] for g, N1, N0 in held))]
    program = lower(graph, rebuild(graph, nodes, base.laws), (*base.arguments, *more))
    return FrictionRows(tuple(dragged), len(held), Function(program))


def _must_be(n: int, what: str, numbers: Sequence[int]) -> None:
    if len(numbers) != n:
        raise ConstraintError(f"{what} has {len(numbers)} entries for {n} speeds. Give one for each speed.")
