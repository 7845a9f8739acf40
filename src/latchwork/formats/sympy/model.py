"""The model that a SymPy model becomes: a Model that remembers what came from where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from latchwork.model import Model
from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import Expr


@dataclass(frozen=True)
class Imported:
    """How an imported model hangs together with SymPy's.

    ``names`` gives SymPy's name for each name of the model, by kind: symbols, frames, points, bodies; ``symbols`` what
    each of SymPy's symbols became; ``dependent`` the dependent speeds in terms of the independent ones;
    ``configuration`` the configuration constraints, which vanish along the motion if they vanish at its start.
    """

    names: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    symbols: Mapping[Any, Expr] = field(default_factory=dict)
    dependent: Mapping[str, Expr] = field(default_factory=dict)
    configuration: tuple[Expr, ...] = ()


class SympyModel(Model):
    """A model that came from SymPy; ``imported`` says what is what."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.imported = Imported()
        self._speeds_given = True

    def speed(self, name: str) -> Expr:
        """A generalized speed whose kinematics follow."""
        return self._speed(name)

    def defined(self, definitions: Mapping[Expr, Expr]) -> None:
        """Speeds by their definitions, u = Y q̇ + Z."""
        self._definitions |= definitions

    def directly(self, rates: Sequence[Expr]) -> None:
        """Rates of all coordinates in terms of the speeds, q̇ = W u + X."""
        self._direct |= {dt(q): rate for q, rate in zip(self._coordinates, rates, strict=True)}

    def keep_unit(self, quaternion: Sequence[Expr]) -> None:
        """Coordinates that are Euler parameters, of unit length along every run."""
        if all(e in self._coordinates for e in quaternion):
            self._quaternions.append(tuple(quaternion))
