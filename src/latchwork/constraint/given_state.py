"""Coordinates, speeds and parameters as they are given: by name or in their order, the rest as it is at rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from latchwork.kane.equations import Equations
from latchwork.kane.values import read
from latchwork.symbolic.expr import Expr


def given_parameters(equations: Equations, p: Any) -> dict[str, float]:
    """Parameters that are given, by name; from a mapping, or a sequence in their order."""
    if p is not None and not isinstance(p, Mapping):
        p = dict(zip(equations.p, read(p, equations.p, "parameters p", equations.name), strict=True))
    given, _ = by_name(p, {})
    read(given, [symbol for symbol in equations.p if symbol.name in given], "parameters p", equations.name)
    return dict(given)


def rest_coordinates(equations: Equations) -> dict[str, float]:
    """Coordinates that are not given start at zero, quaternions unturned: (1, 0, 0, 0)."""
    turned = {e.name: float(i == 0) for four in equations.system.quaternions for i, e in enumerate(four)}
    return dict.fromkeys(equations.q_names, 0.0) | turned


def by_name(given: Any, rest: dict[str, float]) -> tuple[Any, list[int]]:
    """Numbers given by name, the others as in ``rest``, and the places of those given; a sequence as it is."""
    if given is not None and not isinstance(given, Mapping):
        return given, []
    named = {key.name if isinstance(key, Expr) and key.is_symbol else str(key): v for key, v in (given or {}).items()}
    order = list(rest)
    return rest | named, [order.index(name) for name in named if name in rest]


def unsaid(given: Any, held: Sequence[int], count: int) -> list[int]:
    """The places of coordinates that nobody gave: all that are not named; none where a sequence gives all."""
    return [i for i in range(count) if i not in held] if given is None or isinstance(given, Mapping) else []
