"""Stages of a run: the unconstrained equations as one program, or constraints embedded as a mode."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from latchwork.constraint.mode import Mode, mode_of
from latchwork.constraint.place import settle
from latchwork.constraint.selection import select
from latchwork.hybrid.driven import Driven
from latchwork.hybrid.right_side import RightSide
from latchwork.hybrid.table import Array
from latchwork.program.function import Executable, Function
from latchwork.program.kernel import Kernel

BETTER = 0.5  # other speeds are taken where the worst entry of D, or the pivot, improves by this factor


@dataclass(frozen=True, eq=False)
class Unconstrained:
    """M u̇ = f as it is."""

    side: RightSide
    guards: Function | None
    settle: None = None
    names: tuple[str, ...] = ()

    @property
    def function(self) -> Executable:
        return self.side.function

    def reduced(self, x: Array) -> Array:
        return x

    def full(self, t: Array, x: Array, rest: Array) -> tuple[Array, Array | None]:
        return x, None

    def rewritten(self, t: float, x: Array, rest: Array) -> Unconstrained:
        return self


@dataclass(frozen=True, eq=False)
class Held:
    """Constraints embedded: a mode, and the guards that watch it."""

    driven: Driven
    mode: Mode
    watch: Function | None
    settle: Kernel[..., None] = settle

    @property
    def function(self) -> Executable:
        return self.mode

    @property
    def guards(self) -> Executable | None:
        return None if self.watch is None else self.mode.watching(self.watch)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.mode.terms.rows.slices)

    def reduced(self, x: Array) -> Array:
        return self.mode.reduced(x)

    def full(self, t: Array, x: Array, rest: Array) -> tuple[Array, Array | None]:
        n_q = len(self.driven.equations.q)
        u, udot = self.mode.expanded(np.column_stack([t, x, rest]))
        return np.column_stack([x[:, :n_q], u, x[:, -1]]), udot

    def rewritten(self, t: float, x: Array, rest: Array) -> Held:
        """Other rows and speeds of the same rank, where they are better; else the same, with more patience."""
        state = np.concatenate([[t], x[:-1], rest])
        terms, old = self.mode.terms, self.mode
        place, motion = terms.place(state), terms.motion(state)
        chosen = select(place.B, motion.M, rank=old.selection.rank)
        fresh = mode_of(terms, chosen, state, old.rest)
        if chosen != old.selection and fresh.is_better_than(old, state, BETTER):
            return replace(self, mode=replace(fresh, usual_pivot=max(fresh.usual_pivot, old.usual_pivot)))
        return replace(self, mode=replace(old, patient=True))
