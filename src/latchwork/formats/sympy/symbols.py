"""SymPy's symbols in a model: time, coordinates, speeds, parameters and inputs, under names that are legal here."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from latchwork.errors import ModelError
from latchwork.model import RESERVED, Model
from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.sympy_bridge import from_sympy

SPELLED = {"'": "_prime", "*": "_star", "^": "_hat", "+": "_plus", "-": "_minus"}


class Names:
    """Names that are letters, digits and _, each given once; what they stand for in SymPy is kept."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = {*taken}
        self.original: dict[str, str] = {}

    def new(self, name: str, otherwise: str = "x") -> str:
        """A legal name as close to the given one as possible."""
        spelled = "".join(SPELLED.get(letter, letter) for letter in name)
        legal = re.sub(r"[^A-Za-z0-9_]+", "_", spelled).strip("_")
        stem = legal if legal[:1].isalpha() else f"{otherwise}_{legal}".rstrip("_")
        candidate, count = stem, 0
        while candidate in self.taken:
            count += 1
            candidate = f"{stem}_{count}"
        self.taken.add(candidate)
        self.original[candidate] = name
        return candidate


class Symbols:
    """Which expression of the model each symbol, function of time and derivative of SymPy stands for."""

    def __init__(self, model: Model) -> None:
        from sympy.physics.mechanics import dynamicsymbols

        self.model = model
        self.names = Names(RESERVED)
        self.time = dynamicsymbols._t
        self.known: dict[Any, Expr] = {self.time: model.time}
        self.moving: set[Any] = set()  # coordinates and speeds, whose further derivatives are accelerations

    def name(self, item: Any) -> str:
        """A legal name for a symbol or a function of time, q(t) by its head."""
        return self.names.new(_head(item), "p")

    def coordinate(self, q: Any) -> Expr:
        """A generalized coordinate with its rate."""
        made = self.model.coordinate(self.name(q))
        self.known |= {q: made, q.diff(self.time): dt(made)}
        self.moving.add(q)
        return made

    def speed(self, u: Any, made: Expr) -> None:
        """What a speed stands for: itself, or what it is in terms of the others."""
        self.known[u] = made
        self.moving.add(u)

    def zero(self, speeds: Iterable[Any]) -> None:
        """Auxiliary speeds, which are zero with their derivatives."""
        for u in speeds:
            self.known |= dict.fromkeys((u, u.diff(self.time)), Expr(self.model.graph, ZERO))

    def motion(self, expressions: Sequence[Any], what: str) -> list[Expr]:
        """Expressions that motion is made of: they may hold q, q̇, u, t and parameters."""
        return self._converted(expressions, what, specified=False)

    def loads(self, expressions: Sequence[Any], what: str) -> list[Expr]:
        """Expressions of loads: specified functions of time become inputs."""
        return self._converted(expressions, what, specified=True)

    def _converted(self, expressions: Sequence[Any], what: str, specified: bool) -> list[Expr]:
        from sympy import sympify

        rows = [sympify(expression) for expression in expressions]
        for leaf in self._unknown(rows):
            self._enter(leaf, what, specified)
        return from_sympy(self.known, rows) if rows else []

    def _unknown(self, rows: Sequence[Any]) -> list[Any]:
        from sympy import Derivative, Symbol
        from sympy.core.function import AppliedUndef
        from sympy.core.sorting import default_sort_key

        found = {leaf for row in rows for leaf in row.atoms(Symbol, AppliedUndef, Derivative)}
        return sorted(found - self.known.keys(), key=default_sort_key)

    def _enter(self, leaf: Any, what: str, specified: bool) -> None:
        """A parameter for a plain symbol, an input for a specified function of time or its derivative."""
        if leaf.is_Symbol:
            self.known[leaf] = self.model.parameter(self.name(leaf))
            return
        base = leaf.expr if leaf.is_Derivative else leaf
        if leaf.is_Derivative and base in self.moving:
            raise ModelError(
                f"{what} holds the acceleration {leaf}. Kane's equations are formed from q, q̇, u and t: replace "
                "accelerations before the model is handed over."
            )
        if not specified or getattr(base, "args", None) != (self.time,):
            raise ModelError(
                f"{what} depends on {leaf}, which is neither a coordinate nor a speed. Only loads may hold specified "
                "quantities; give a prescribed motion as a formula in t, or make it a coordinate with its own speed."
            )
        self.known[leaf] = self.model.input(self.names.new(_head(base) + "_dot" * _order(leaf), "r"))


def _head(item: Any) -> str:
    """q of q(t)."""
    return str(getattr(item, "name", item))


def _order(leaf: Any) -> int:
    return int(leaf.derivative_count) if leaf.is_Derivative else 0
