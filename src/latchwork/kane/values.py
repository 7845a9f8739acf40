"""Numbers for symbols: the one place where states, inputs and parameters are read from what a user passes."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import EvaluationError, did_you_mean
from latchwork.mechanics.system import System
from latchwork.symbolic.expr import Expr


def argument_vector(system: System, t: float = 0.0, q: Any = None, u: Any = None, r: Any = None,
                    p: Any = None) -> NDArray[np.float64]:  # fmt: skip
    """One row (t, q, u, r, p); missing inputs and parameters take the values of the model."""
    defaults = {symbol: value for symbol, value in system.values.items()}
    columns = [
        np.array([_number(t, "time t")]),
        read(q, system.q, "coordinates q", system.name),
        read(u, system.u, "speeds u", system.name),
        read(r, system.r, "inputs r", system.name, defaults),
        read(p, system.p, "parameters p", system.name, defaults),
    ]
    return np.concatenate(columns)


def read(given: Any, symbols: Sequence[Expr], what: str, model: str,
         defaults: Mapping[Expr, float] | None = None) -> NDArray[np.float64]:  # fmt: skip
    """Numbers for symbols, from a sequence in their order or a mapping by name or symbol."""
    if given is None or isinstance(given, Mapping):
        return _from_mapping(given or {}, symbols, what, model, defaults)
    try:
        values = np.asarray(given, dtype=float).ravel()
    except (TypeError, ValueError):
        raise EvaluationError(f"{what} of '{model}' must be numbers; got {given!r}.") from None
    if len(values) != len(symbols):
        names = ", ".join(symbol.name for symbol in symbols)
        raise EvaluationError(
            f"{what} of '{model}' are {len(symbols)} numbers ({names}); got {len(values)}. Give one for each."
        )
    return np.array([_number(value, f"{symbol.name} ({what})") for symbol, value in zip(symbols, values, strict=True)])


def _from_mapping(given: Mapping[Any, Any], symbols: Sequence[Expr], what: str, model: str,
                  defaults: Mapping[Expr, float] | None) -> NDArray[np.float64]:  # fmt: skip
    by_name = {symbol.name: symbol for symbol in symbols}
    values = dict(defaults or {})
    for key, value in given.items():
        name = key.name if isinstance(key, Expr) and key.is_symbol else str(key)
        if name not in by_name:
            raise EvaluationError(f"'{name}' is not among the {what} of '{model}'.{did_you_mean(name, by_name)}")
        values[by_name[name]] = _number(value, f"{name} ({what})")
    missing = [symbol.name for symbol in symbols if symbol not in values]
    if missing:
        raise EvaluationError(f"{what} of '{model}': no value for {', '.join(missing)}. Give one for each.")
    return np.array([values[symbol] for symbol in symbols])


def _number(value: Any, what: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise EvaluationError(f"{what} must be a number; got {value!r}.") from None
    if not math.isfinite(number):
        raise EvaluationError(f"{what} is {number}. Give a finite number.")
    return number
