"""Inputs in the rows of constraints and in the speeds of belts.

They are held over a step, so that their rates are zero, until they jump. A motion row B u + C(r) = 0 follows a jump by
a plastic impact; coordinates cannot jump, and a row on them that would have to is refused. An input that follows a law
has the rate of its law, and does not jump.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from latchwork.constraint.rows import Rows
from latchwork.contact.law import Contact
from latchwork.hybrid.input_laws import Driven
from latchwork.symbolic.traverse import reachable, rebuild


def inputs_in_rows(driven: Driven, rows: Rows, contacts: Iterable[Contact] = ()) -> tuple[int, ...]:
    """Where in ``rest`` the inputs stand, and the numbers of their tables, on which rows and belts depend."""
    g, n_r, n_p = driven.equations.system.graph, len(driven.equations.r), len(driven.equations.p)
    if len(driven.rest) == n_p:
        return ()
    held = [node for row in (rows.phi, *rows.B_nodes, rows.C_nodes, rows.c_nodes) for node in row if node is not None]
    belts = [node for contact in contacts for shape in contact.shapes for node in _belts(shape)]
    found = set(reachable(g, [*held, *rebuild(g, belts, driven.laws)]))
    return tuple(i for i, symbol in enumerate(driven.rest) if symbol.node in found and not n_r <= i < n_r + n_p)


def _belts(shape: Any) -> Iterator[int]:
    """The measures of the velocity of a surface on its body."""
    for piece in getattr(shape, "pieces", (shape,)):
        for drift in (getattr(piece, "drift", None), *getattr(piece, "drifts", ())):
            yield from () if drift is None else drift.nodes()


def next_jump(driven: Driven, places: Sequence[int], t: float) -> float:
    """The next row, after t, of a table whose numbers stand at some places; never, where there is none."""
    tables = [column.table for column in driven.columns if set(column.places) & set(places)]
    return min((row for table in tables for row in table.times.tolist() if row > t), default=math.inf)


def names_at(driven: Driven, places: Iterable[int]) -> str:
    """The inputs that stand at some places of ``rest``, or whose tables do."""
    return ", ".join(dict.fromkeys(driven.rest[i].name.split(" ")[0] for i in places))
