"""Close to a singular position: accelerations, multipliers and anything else as the limit along the branch of motion.

What a run does there (`modes.near_singular`), for one state: quotients of vanishing rows are taken from six states
beside it, on the branch along which the mechanism moves, ``g = Σ w_i g(x_i)``. Elsewhere the one state is x itself.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from latchwork.algebra.linear import lstsq
from latchwork.algebra.products import dot, norm
from latchwork.constraint.consistency import alive, at_time, plastic
from latchwork.constraint.embedded.circuit import ASIDE, NEAR_PIVOT, SHARES
from latchwork.constraint.embedded.mode import Mode, usual_pivot
from latchwork.constraint.selection import Selection, weights_of
from latchwork.constraint.selection_kernel import selected_speeds
from latchwork.constraint.singular import ASTRAY, choose_regular, mode_beside, refuse
from latchwork.constraint.solve import accelerations, all_speeds, least_norm, multipliers, partition, unfelt
from latchwork.constraint.terms import Array, Terms
from latchwork.errors import ConstraintError

WITHOUT_BOUND = 1e9  # times what a force is beside a singular position: at the position itself it is infinite
STOPPED = 1e-10  # of the speeds before an impact: what is less than this is rest
MET = 1e-8  # of the speeds that rows ask to be changed: rows are met
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

    def following(self, udot: Array) -> Array:
        """u̇ = T u̇_ind + γ of the independent ones among these."""
        return self(lambda state: self._following(state, udot[list(self.selection.independent)]))

    def _following(self, x: Array, independent: Array) -> Array:
        """B u̇ + c = 0 is to accelerations what B u + C = 0 is to speeds."""
        return all_speeds(self.terms.place(x).B, self.terms.motion(x).c, self.selection, independent)

    @cached_property
    def force(self) -> Array:
        """F_c = M u̇ − f."""
        motion = self.terms.motion(self.x)
        return np.asarray(dot(motion.M, self.udot) - motion.f)

    @cached_property
    def multipliers(self) -> Array:
        """λ of all rows, of least norm where they are redundant."""
        M, unit = self.terms.motion(self.x).M, self.terms.base.units.u
        if self.mode is None:
            return multipliers(self.terms.place(self.x).B, self.force, M, unit, self.terms.typical(self.x))
        kept = self.mode.multipliers(reduced(self.mode, self.x)[None])[0]
        usual = np.abs(self.mode.multipliers(reduced(self.mode, self.states[0])[None])[0]).max(initial=0.0)
        kept = np.where(np.abs(kept) > WITHOUT_BOUND * usual, np.inf, kept)
        if not self.selection.redundant:
            return kept
        return least_norm(kept, self.terms.place(self.states[0]).B, M, unit, self.terms.typical(self.x))

    @cached_property
    def unfelt(self) -> Array:
        """Columns that span the λ which no motion feels."""
        state = self.states[0]
        B, M = self.terms.place(state).B, self.terms.motion(state).M
        return unfelt(B, M, self.terms.base.units.u, self.terms.typical(state))

    @cached_property
    def T(self) -> Array:
        """u = T u_ind + S."""
        return self(lambda state: partition(self.terms.place(state).B, self.selection).T)

    @cached_property
    def rows(self) -> tuple[Array, Array]:
        """B and c of rows that hold the branch, also where the rows themselves vanish: u̇_dep − D u̇_ind − γ_dep = 0."""
        dep, ind = list(self.selection.dependent), list(self.selection.independent)
        B = np.zeros((len(dep), len(self.T)))
        B[range(len(dep)), dep] = 1.0
        B[:, ind] = -self.T[dep]
        return B, -self.following(np.zeros(len(self.T)))[dep]


def reduced(mode: Mode, x: Array) -> Array:
    """(t, q, u_ind, work, rest) of (t, q, u, rest), with no work."""
    n_q, n, _ = mode.terms.sizes
    speeds = x[1 + n_q : 1 + n_q + n][list(mode.selection.independent)]
    return np.concatenate([x[: 1 + n_q], speeds, [0.0], x[1 + n_q + n :]])


def is_close(terms: Terms, selection: Selection, x: Array, numbers: Array) -> bool:
    """Whether B1 at x is close to singular, measured by B where speeds were chosen."""
    weights = terms.weights(x)
    lengths = np.sqrt((numbers * numbers / weights).sum(axis=1))
    lengths = np.where(lengths > 0.0, lengths, 1.0)
    usual = usual_pivot(numbers, selection, lengths, weights)
    return not usual_pivot(terms.place(x).B, selection, lengths, weights) >= NEAR_PIVOT * usual


def limit_at(terms: Terms, x: Array, selection: Selection | None = None, numbers: Array | None = None) -> BranchLimit:
    """The limit at a state x = (t, q, u, rest) with all its speeds, close to where B1 of a selection is singular.

    Without a selection, one is chosen; ``numbers`` is B where it was made.

    Refused where rows are lost for good, or where the states beside do not lie on a branch along the motion.
    """
    chosen, regular = choose_regular(terms, x)
    selection = chosen if selection is None else selection
    if chosen.rank < selection.rank:
        refuse(terms, x, chosen.rank, selection.rank)
    if regular is x:
        return BranchLimit(terms, chosen, x, (x,), (1.0,))
    (n_q, n, _), B = terms.sizes, terms.place(regular).B
    units = terms.lengths(regular), terms.weights(regular)
    used = selection if usual_pivot(B, selection, *units) > GOOD * usual_pivot(B, chosen, *units) else chosen
    names = tuple(symbol.name for symbol in terms.base.arguments[1 + n_q + n :])
    mode = mode_beside(terms, used, x, regular, names)
    if numbers is not None:
        usual = usual_pivot(numbers, used, mode.lengths, mode.weights)
        mode = replace(mode, usual_pivot=max(mode.usual_pivot, usual))
    near, *beside = mode.beside(reduced(mode, x))
    if not near:
        return BranchLimit(terms, used, x, (x,), (1.0,))
    states = tuple(np.concatenate([x[:1], state, x[1 + n_q + n :]]) for state in beside)
    steps = np.array([state[1 : 1 + n_q] - x[1 : 1 + n_q] for state in states])
    if np.abs((steps[::2] + steps[1::2]) / terms.base.units.q).max(initial=0.0) > ASTRAY * ASIDE:
        refuse(terms, x, chosen.rank, selection.rank)
    return BranchLimit(terms, used, x, states, SHARES, mode)


def rows_at(terms: Terms, x: Array) -> tuple[Array, Array, Array, Array]:
    """B and c of all rows at a state x = (t, q, u, rest), at a singular position of those that hold its branch; B
    elsewhere, and units of the rows."""
    if len(terms.rows) and selected_speeds(terms, x) is None and choose_regular(terms, x)[1] is not x:
        B, c = limit_at(terms, x).rows
        return B, c, B, np.abs(B * terms.base.units.u).max(axis=1, initial=0.0)
    return terms.place(x).B, terms.motion(x).c, terms.usual_rows(x), terms.typical(x)


def impact_on_branch(held: Terms, terms: Terms, x: Array, name: str) -> tuple[Array, Array] | None:
    """The plastic impact of a new constraint at a singular position of those that hold: speeds stay on the branch.

    With T of what holds, the limit along the branch, ``δu_ind = M̃⁻¹ (B T)ᵀ p,  B (u + T δu_ind) + C = 0``. Gives x with
    speeds after it, and the impulses of all rows (of least norm in those that hold); none at a regular position.
    """
    n_q, n, _ = terms.sizes
    span, u = slice(1 + n_q, 1 + n_q + n), x[1 + n_q : 1 + n_q + n]
    if not len(held.rows) or not u.any() or choose_regular(held, x)[1] is x:
        return None
    limit, M, new = limit_at(held, x), terms.motion(x).M, terms.rows.slices[name]
    B, C = terms.place(x).B, terms.place(x).C
    off, rows, weights = dot(B[new], u) + C[new], dot(B[new], limit.T), weights_of(M, terms.base.units.u)
    lengths = norm(B[new] * weights, axis=1)  # of rows where speeds are measured by their inertia
    sizes = np.outer(lengths, norm(limit.T / weights[:, None], axis=0))
    off = np.where(np.abs(off) > MET * (lengths * norm(u / weights) + np.abs(C[new])), off, 0.0)
    rows = np.where(np.abs(rows) > MET * sizes, rows, 0.0)
    unit, typical = terms.base.units.u, terms.typical(x)
    left = unit[list(limit.selection.independent)]
    change, p = plastic(rows, off, dot(limit.T.T, M, limit.T), left, typical[new])
    if (np.abs(dot(rows, change) + off) > MET * (dot(np.abs(rows), np.abs(change)) + np.abs(off))).any():
        raise ConstraintError(
            f"'{name}' cannot hold together with {', '.join(held.rows.slices)}{at_time(x)}, at a singular position: on "
            f"the branch along which '{terms.rows.equations.name}' moves, no speeds meet it. Impose it elsewhere."
        )
    after = x.copy()
    after[span] = u + dot(limit.T, change)
    after[span][np.abs(after[span] / unit) < STOPPED * np.abs(u / unit).max()] = 0.0
    impulses = np.zeros(len(B))
    impulses[new] = p
    others = [i for i in range(len(B)) if not new.start <= i < new.stop]
    given = dot(M, after[span] - u) - dot(B[new].T, p)
    passing = (alive(B, M, terms.usual_rows(x), unit, typical) * unit / typical[:, None])[others]
    impulses[others] = lstsq(passing.T, given * unit, rcond=MET) / typical[others]
    return after, impulses
