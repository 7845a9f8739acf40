"""Close to a singular position: accelerations, multipliers and anything else as the limit along the branch of motion.

What a run does there (`modes.near_singular`), for one state: quotients of vanishing rows are taken from six states
beside it, on the branch along which the mechanism moves, ``g = Σ w_i g(x_i)``. Elsewhere the one state is x itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from latchwork.constraint.modes.circuit import ASIDE, NEAR, SHARES
from latchwork.constraint.modes.mode import Mode, mode_of, usual_pivot
from latchwork.constraint.selection import Selection
from latchwork.constraint.singular import ASTRAY, choose_regular, refuse
from latchwork.constraint.solve import accelerations, multipliers, unfelt
from latchwork.constraint.terms import Array, Terms

GOOD = 0.1  # of the pivot of the best speeds: others are as good as this, or the best are taken


@dataclass(frozen=True, eq=False)
class BranchLimit:
    """A state, the speeds to be used there, and the states with their weights from which values are taken."""

    terms: Terms
    selection: Selection
    x: Array
    states: tuple[Array, ...]
    weights: tuple[float, ...]
    mode: Mode | None = None  # where the limit is needed

    def __call__(self, g: Callable[[Array], Array]) -> Array:
        """Σ w_i g(x_i); g(x) at a regular position, to the bit."""
        if self.mode is None:
            return g(self.x)
        return np.asarray(sum(w * g(state) for w, state in zip(self.weights, self.states, strict=True)))

    @cached_property
    def udot(self) -> Array:
        """u̇ of all speeds."""
        return self(self._accelerations)

    def _accelerations(self, x: Array) -> Array:
        motion = self.terms.motion(x)
        return accelerations(motion.M, motion.f, self.terms.place(x).B, motion.c, self.selection)

    @cached_property
    def force(self) -> Array:
        """F_c = M u̇ − f."""
        motion = self.terms.motion(self.x)
        return np.asarray(motion.M @ self.udot - motion.f)

    @cached_property
    def multipliers(self) -> Array:
        """λ of all rows, of least norm where they are redundant."""
        M = self.terms.motion(self.x).M
        if self.mode is None:
            return multipliers(self.terms.place(self.x).B, self.force, M)
        kept = self.mode.multipliers(reduced(self.mode, self.x)[None])[0]
        y = self.unfelt
        return np.asarray(kept - y @ np.linalg.lstsq(y, kept, rcond=None)[0]) if y.size else kept

    @cached_property
    def unfelt(self) -> Array:
        """Columns that span the λ which no motion feels."""
        state = self.states[0]
        return unfelt(self.terms.place(state).B, self.terms.motion(state).M)


def reduced(mode: Mode, x: Array) -> Array:
    """(t, q, u_ind, work, rest) of (t, q, u, rest), with no work."""
    n_q, n, _ = mode.terms.sizes
    speeds = x[1 + n_q : 1 + n_q + n][list(mode.selection.independent)]
    return np.concatenate([x[: 1 + n_q], speeds, [0.0], x[1 + n_q + n :]])


def is_close(terms: Terms, selection: Selection, x: Array, numbers: Array) -> bool:
    """Whether B1 at x is close to singular, measured by B where speeds were chosen."""
    return not usual_pivot(terms.place(x).B, selection) >= NEAR * usual_pivot(numbers, selection)


def limit_at(terms: Terms, selection: Selection, x: Array) -> BranchLimit:
    """The limit at a state x = (t, q, u, rest) with all its speeds, close to where B1 of a selection is singular.

    Refused where rows are lost for good, or where the states beside do not lie on a branch along the motion.
    """
    chosen, regular = choose_regular(terms, x)
    if chosen.rank < selection.rank:
        refuse(terms, x, chosen.rank, selection.rank)
    if regular is x:
        return BranchLimit(terms, chosen, x, (x,), (1.0,))
    B = terms.place(regular).B
    used = selection if usual_pivot(B, selection) > GOOD * usual_pivot(B, chosen) else chosen
    n_q, n, _ = terms.sizes
    names = tuple(symbol.name for symbol in terms.base.arguments[1 + n_q + n :])
    mode = mode_of(terms, used, regular, names)
    near, *beside = mode.beside(reduced(mode, x))
    if not near:
        return BranchLimit(terms, used, x, (x,), (1.0,))
    states = tuple(np.concatenate([x[:1], state, x[1 + n_q + n :]]) for state in beside)
    ways = np.array([state[1 : 1 + n_q] - x[1 : 1 + n_q] for state in states])
    if np.abs(ways[::2] + ways[1::2]).max(initial=0.0) > ASTRAY * ASIDE:
        refuse(terms, x, chosen.rank, selection.rank)
    return BranchLimit(terms, used, x, states, SHARES, mode)
