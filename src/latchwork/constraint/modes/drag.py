"""Drag: what sliding contacts add to the equations of a mode, and where it lies behind the mode's own memory.

    M u̇ = f + Σ_i G_iᵀ λ_i + Σ_h g_h (N0_h + N1_h · u̇),   G_i = B_i + E_i

E_i = −μ d·B_t is the friction of a contact whose normal row is row i of the mode: it goes with the same multiplier. The
terms in h are contacts that the coordinates themselves hold: their normal force is N0 + N1·u̇, their friction g N.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from latchwork.constraint.modes.layout import NO_CODE, Frame, K, frame
from latchwork.constraint.terms import Array, Terms
from latchwork.errors import ConstraintError
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import rebuild

# A second header, behind all integers of a mode: sizes, then places of integers in code, then places of numbers in z.
DRAGGING, HOLDING, SHARED = range(3)
DRAGGED, LOST, DRAG_CODE = range(3, 6)
DRAG_Z, DRAG, SHARE, FORCE_ROWS, FULL, PUSH, SYSTEM, EXCHANGED, ANSWER = range(6, 15)
MORE = 15


@dataclass(frozen=True, eq=False)
class Drag:
    """Rows that drag, so many contacts held by the coordinates, and a function of (t, q, u, rest).

    It gives E_i (n numbers) for each of ``rows``, then g (n), N1 (n) and N0 for each of ``held``. Rows are counted in
    all rows of the terms, kept or redundant.
    """

    rows: tuple[int, ...]
    held: int
    function: Function


def drag_of(terms: Terms, dragged: Mapping[int, Sequence[int]],
            held: Sequence[tuple[Sequence[int], Sequence[int], int]] = (), more: Sequence[Expr] = (),
            function: Function | None = None) -> Drag:  # fmt: skip
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
        return Drag(tuple(dragged), len(held), function)
    nodes = [*itertools.chain(*dragged.values()), *itertools.chain(*([*g, *N1, N0] for g, N1, N0 in held))]
    program = lower(graph, rebuild(graph, nodes, base.laws), (*base.arguments, *more))
    return Drag(tuple(dragged), len(held), Function(program))


def _must_be(n: int, what: str, numbers: Sequence[int]) -> None:
    if len(numbers) != n:
        raise ConstraintError(f"{what} has {len(numbers)} entries for {n} speeds. Give one for each speed.")


def frame_of(terms: Terms, m: int, k: int, rest: int, drag: Drag | None) -> Frame:
    """The frame of modes of m dependent and k independent speeds, with what drags; the terms keep it."""
    found: Frame | None = terms.frames.get((m, k, rest, drag))
    if found is None:
        found = frame(terms, m, k, rest)
        found = terms.frames[m, k, rest, drag] = found if drag is None else with_drag(found, terms, (), drag, None)
    return found


def with_drag(frame: Frame, terms: Terms, lost: tuple[int, ...], drag: Drag | None, share: Array | None) -> Frame:
    """The frame of a mode, followed by the memory of its drag and of the share of redundant rows, ``lost``."""
    _, n, rows = terms.sizes
    dragged, held, length, width = ((), 0, 0, 0) if drag is None else (
        drag.rows, drag.held, drag.function.slots + 1, drag.function.width)  # fmt: skip
    shares = np.zeros(0) if share is None else np.ravel(share)
    slots = np.zeros(0) if drag is None else drag.function.workspace()
    sizes = [length, width, len(shares), rows * n, n * n, n, n * n, n, n]
    numbers = list(itertools.accumulate(sizes, initial=len(frame.z)))
    places = itertools.accumulate([len(dragged), len(lost)], initial=len(frame.code) + MORE)
    head = [len(dragged), held, len(lost), *places, *numbers[:-1]]
    z = np.concatenate([frame.z, np.zeros(numbers[-1] - len(frame.z))])
    z[numbers[0] : numbers[1]], z[numbers[2] : numbers[3]] = slots, shares
    own = NO_CODE if drag is None else drag.function.code
    code = np.concatenate([frame.code, np.array([*head, *dragged, *lost], dtype=np.int32), own])
    if drag is None:
        return frame._replace(code=code, z=z)
    k = int(frame.code[K])
    more = drag.function.length + 2 * (n**3 // 3 - n * k * k - k**3 // 6)
    return frame._replace(code=code, z=z, length=frame.length + more)
