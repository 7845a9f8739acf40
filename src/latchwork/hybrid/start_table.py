"""The table of starts of many runs: columns by the names of coordinates, speeds, inputs and parameters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import EvaluationError, did_you_mean
from latchwork.hybrid.contacts.initial_contacts import contacts_of
from latchwork.hybrid.mechanism import Mechanism
from latchwork.hybrid.start import must_be_unit, start_of
from latchwork.kane.equations import Equations
from latchwork.kane.values import read

Array = NDArray[np.float64]


class Start(NamedTuple):
    """What one run begins with: coordinates, speeds, inputs and parameters, by name."""

    q: Mapping[str, float]
    u: Mapping[str, float]
    r: Mapping[str, float]
    p: Mapping[str, float]



def columns_of(equations: Equations, table: Mapping[str, ArrayLike]) -> tuple[dict[str, Array], int]:
    """The columns of a table of finite numbers by known names, and how many rows it has."""
    if not isinstance(table, Mapping):
        raise EvaluationError(f"the table is {table!r:.60}. Give columns by name: {{\"q1\": [0.0, 0.1]}}.")
    columns = {str(name): _numbers(str(name), values) for name, values in table.items()}
    runs = _length(columns)
    for name, values in columns.items():
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(np.broadcast_to(values, runs))))
            raise EvaluationError(f"'{name}' is not finite in row {row} of the table. Give a finite number.")
    _by_kind(equations, dict.fromkeys(columns, 0.0))
    return columns, runs


def _numbers(name: str, values: ArrayLike) -> Array:
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise EvaluationError(f"'{name}' in the table is {values!r:.60}, which are no numbers. Give one number per "
                              "run.") from None  # fmt: skip


def _by_kind(equations: Equations, values: Mapping[str, float]) -> Start:
    """Values sorted into coordinates, speeds, inputs and parameters."""
    kinds = [{symbol.name for symbol in symbols} for symbols in (equations.q, equations.u, equations.r, equations.p)]
    for name in values:
        if not any(name in kind for kind in kinds):
            known = set().union(*kinds)
            raise EvaluationError(f"'{name}' is nothing of '{equations.name}'.{did_you_mean(name, sorted(known))}")
    return Start(*({name: value for name, value in values.items() if name in kind} for kind in kinds))


def start_in(equations: Equations, columns: Mapping[str, Array], i: int) -> Start:
    """What run i begins with."""
    return _by_kind(equations, {name: float(values[i] if values.ndim else values) for name, values in columns.items()})


def _length(columns: Mapping[str, Array]) -> int:
    """How many rows the table has."""
    lengths = {name: len(values) for name, values in columns.items() if values.ndim == 1}
    if not any(lengths.values()) or len(set(lengths.values())) > 1 or any(c.ndim > 1 for c in columns.values()):
        shapes = ", ".join(f"{name} {values.shape}" for name, values in columns.items()) or "nothing"
        raise EvaluationError(f"the table has {shapes}: no common number of rows. Give each column one number per run.")
    return next(iter(lengths.values()))


def held_of(shared: Mechanism, columns: Mapping[str, Array], count: int) -> Array:
    """Inputs and parameters of every run, one row each, with room for the numbers of tables."""
    equations, first = shared.equations, start_in(shared.equations, columns, 0)
    system, symbols = equations.system, (*equations.r, *equations.p)
    usual = [*read({**shared.held, **first.r}, equations.r, "inputs r", system.name, system.values),
             *read(first.p, equations.p, "parameters p", system.name, system.values)]  # fmt: skip
    rest = np.tile([*usual, *[0.0] * (len(shared.driven.rest) - len(symbols))], (count, 1))
    _put(rest, [symbol.name for symbol in symbols], columns)
    return rest


def rows_of(shared: Mechanism, columns: Mapping[str, Array], count: int, t0: float) -> tuple[Array, Array]:
    """States (q, u, work) and held numbers of every run, one row each: those of the first run, with the columns put
    in."""
    equations, first = shared.equations, start_in(shared.equations, columns, 0)
    contacts = contacts_of(shared.model)
    x, _ = start_of(equations, first.q, first.u, {**shared.held, **first.r}, first.p, t0, contacts).parts
    rows = np.tile(x, (count, 1))
    _put(rows, [*equations.q_names, *equations.u_names], columns)
    for row in rows if equations.system.quaternions else ():
        must_be_unit(equations, row)
    return rows, held_of(shared, columns, count)


def _put(rows: Array, names: list[str], columns: Mapping[str, Array]) -> None:
    for name, column in columns.items():
        if name in names:
            rows[:, names.index(name)] = column
