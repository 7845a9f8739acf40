"""Modes of vibration of a beam by itself: K c = ω² M c in its shapes, with the frame at rest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.algebra.linear import cholesky, eigh, solve_lower
from latchwork.errors import EvaluationError
from latchwork.flexible.deflection import Deflection
from latchwork.mechanics.elastic_body import ElasticBody
from latchwork.mechanics.loads import GeneralizedForce
from latchwork.symbolic.derivative import gradient
from latchwork.symbolic.expr import Expr

Array = np.ndarray


@dataclass(frozen=True)
class BeamMode:
    """A mode: its frequency in radians per unit of time, its direction, how far each coordinate goes."""

    frequency: float
    direction: str
    amplitudes: tuple[float, ...]
    deflection: Deflection

    @property
    def hertz(self) -> float:
        return self.frequency / (2.0 * np.pi)

    def __str__(self) -> str:
        return f"{self.direction:8} {self.frequency:12.6g} rad/s {self.hertz:12.6g} Hz"

    def __call__(self, x: Any) -> Any:
        """The shape at x = s/L, 1 where it is largest."""
        field, grid = self.deflection.fields[self.direction], np.linspace(0.0, 1.0, 401)
        pairs = list(zip(field.shapes, self.amplitudes, strict=True))
        size = np.abs(sum(a * shape(grid) for shape, a in pairs)).max()
        return sum(a * shape(x) for shape, a in pairs) / size


def modes_of(body: ElasticBody, load: GeneralizedForce, deflection: Deflection,
             values: Mapping[str, float]) -> tuple[BeamMode, ...]:  # fmt: skip
    """All modes that the shapes of a beam have, slowest first."""
    assert load.potential is not None
    K = [[_number(e, values) for e in gradient(d, list(body.q))] for d in gradient(load.potential, list(body.q))]
    stiffness, M = np.array(K), np.zeros((len(body.q), len(body.q)))
    for (i, j), entry in body.M.items():
        M[i, j] = M[j, i] = _number(entry, values)
    found, first = [], 0
    for direction, field in deflection.fields.items():
        own = slice(first, first + len(field.q))
        first += len(field.q)
        L = cholesky(M[own, own])
        squares, vectors = eigh(solve_lower(L, solve_lower(L, stiffness[own, own]).T))
        for square, vector in zip(squares, vectors.T, strict=True):
            c = np.linalg.solve(L.T, vector)
            found.append(BeamMode(float(np.sqrt(max(square, 0.0))), direction, tuple(map(float, c)), deflection))
    return tuple(sorted(found, key=lambda mode: mode.frequency))


def _number(expression: Expr, values: Mapping[str, float]) -> float:
    """An expression in parameters, with their values."""
    symbols = expression.graph.symbols
    known: dict[Expr, float] = {}
    for symbol in expression.free_symbols:
        value = values.get(symbol.name, symbols[symbol.node].value)
        if value is None:
            raise EvaluationError(f"the modes of a beam need a value for '{symbol.name}'. Give one: "
                                  f"beam.modes({{'{symbol.name}': 1.0}}).")  # fmt: skip
        known[symbol] = float(value)
    return float(expression.subs(known)) if known else float(expression)
