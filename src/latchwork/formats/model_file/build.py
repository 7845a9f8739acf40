"""A model in the making: what has been made of a file so far, and what expressions and references in it mean."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latchwork.errors import ExpressionError, did_you_mean
from latchwork.formats.expressions.functions import SCALAR
from latchwork.formats.expressions.parser import scalar, vector
from latchwork.formats.expressions.postfix import Code
from latchwork.formats.expressions.scope import Scope, Value
from latchwork.formats.model_file.shapes import JOINT, Reference
from latchwork.formats.places import shown
from latchwork.mechanics.joints import Link
from latchwork.mechanics.vector import Vector
from latchwork.model import Model
from latchwork.symbolic.expr import Expr


@dataclass(frozen=True)
class Build:
    """A model and the names that expressions may use so far."""

    model: Model
    scope: Scope
    folder: Path | None = None  # in which the file is, and others that it names

    @staticmethod
    def named(name: str, folder: Path | None = None) -> Build:
        """An empty model: time, the frame N and the point O."""
        model = Model(name)
        return Build(model, Scope(model.graph, model.frame.tree, {"t": Value(SCALAR, model.time)}), folder)

    def scalar(self, code: Code | None) -> Any:
        """What an expression says; 0 where none is given."""
        return 0.0 if code is None else scalar(code, self.scope)

    def vector(self, code: Code) -> Vector:
        """What a vector expression says."""
        return vector(code, self.scope)

    def found(self, reference: Reference | None) -> Any:
        """The frame, point or joint that a reference names; None where none is given."""
        if reference is None:
            return None
        name = reference.text.value
        with reference.text.place.blamed():
            return self._joint(name) if reference.kind == JOINT else self.scope.look_up(reference.kind, name)

    def _joint(self, name: str) -> Link:
        if name not in self.model.links:
            raise ExpressionError(f"there is no joint '{shown(name)}'.{did_you_mean(name, self.model.links)}")
        return self.model.links[name]

    def add(self, *symbols: Expr) -> None:
        """Let expressions use symbols that have just been made."""
        self.scope.symbols.update({symbol.name: Value(SCALAR, symbol) for symbol in symbols})
