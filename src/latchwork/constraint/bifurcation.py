"""Where branches of motion cross: the tangent cone at a singular position, by second-order analysis.

A motion through a position has velocities v with B v = 0 and accelerations a with B a + c(v) = 0, c(v) = Ḃ v. The
second has a solution only if yᵀ c(v) = 0 for all y with yᵀB = 0: quadratic forms on the null space of B, which vanish
where rows are merely redundant.  [Aghili §VIII-A.1 names the question] Their common zeros are the directions in which a
mechanism at rest may leave. Each branch is followed a little way before it is called confirmed; what the second order
does not decide is reported as undecided.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np

from latchwork.algebra.linear import eigh, lstsq, matrix_rank, svd
from latchwork.algebra.products import dot, norm
from latchwork.constraint.analysis import state_at, usual_lengths
from latchwork.constraint.consistency import assemble_q, residual_of
from latchwork.constraint.constrained import Constrained
from latchwork.constraint.terms import Array, Terms
from latchwork.constraint.units import units_at
from latchwork.errors import ConstraintError

CUT = 1e-6  # singular values, forms and eigenvalues below this part of their usual size are zero
ASSEMBLED = 1e-8  # residual of Φ up to which a position is one of the mechanism
FOLLOW = 1e-3  # how far branches are followed, in units of the coordinates
ROUNDING = 1e-12  # of a direction, in units of the speeds: smaller entries are none
STRAIGHT = 0.02  # by what part a branch may bend away from its tangent over that distance
STARTS, NEWTON_STEPS = 60, 40  # of the search for common zeros of several forms
ZERO_FORM = 1e-10  # of a form of unit length: a common zero
DOUBLE = 1e-4  # singular values of the slopes there below this: the zero is not isolated
SAME_LINE = 1e-6  # 1 − |cos| of the angle between two lines that are one


class Kind(Enum):
    """What kind of position it is; the value says it."""

    REGULAR = "a regular position: the mechanism moves in one way, with the degrees of freedom counted"
    CROSSING = "a crossing of branches: at rest here, each of them can follow, and nothing in the equations prefers one"
    ISOLATED = "an isolated position: no motion leads away from it"
    UNDECIDED = "a singular position that the second order does not decide: what is listed may be no branch, or not all"


@dataclass(frozen=True)
class Branch:
    """Directions of motion (columns, in speeds), and whether positions were found along all of them."""

    directions: Array
    confirmed: bool


@dataclass(frozen=True)
class Bifurcation:
    """``freedoms`` is n − rank at the position; ``follows`` the branch in which a given velocity lies, if one does."""

    kind: Kind
    freedoms: int
    branches: tuple[Branch, ...]
    follows: int | None
    names: tuple[str, ...]

    def __str__(self) -> str:
        lines = [f"{self.kind.value} ({self.freedoms} instantaneous degrees of freedom)"]
        for i, branch in enumerate(self.branches):
            columns = ["(" + ", ".join(f"{n} = {v:.4g}" for n, v in zip(self.names, column, strict=True)) + ")"
                       for column in branch.directions.T]  # fmt: skip
            sure = "" if branch.confirmed else ", not confirmed"
            taken = "; the velocity given lies in it" if i == self.follows else ""
            lines.append(f"  branch {i + 1}{sure}: {' and '.join(columns)}{taken}")
        return "\n".join(lines)


def bifurcation(constrained: Constrained, q: Any = None, u: Any = None, t: float = 0.0, p: Any = None) -> Bifurcation:
    """The branches of motion at a position, with t frozen; a velocity u, if there is one, tells which is followed."""
    terms, names = constrained.terms, constrained.unconstrained.u_names
    x = state_at(constrained, q, u, None, t, p)
    if (off := residual_of(terms, x)) > ASSEMBLED:
        raise ConstraintError(
            f"'{constrained.name}' is not assembled at this position (residual {off:.3g}): branches of motion are "
            "those of assembled positions. Take coordinates from `assemble`."
        )
    N, Y = _spaces(terms, x)
    forms = _forms(terms, x, N, Y)
    found, decided = _zeros(forms, N.shape[1])
    unit = terms.base.units.u
    branches = tuple(Branch(_tidy(dot(N, basis), unit), _leads_on(terms, x, dot(N, basis))) for basis in found)
    if decided and not branches:
        kind = Kind.ISOLATED if N.shape[1] else Kind.REGULAR
    elif not decided or not all(branch.confirmed for branch in branches):
        kind = Kind.UNDECIDED
    else:
        kind = Kind.REGULAR if len(branches) == 1 and not len(forms) else Kind.CROSSING
    n_q, n, _ = terms.sizes
    follows = _holding(branches, x[1 + n_q : 1 + n_q + n], unit)
    return Bifurcation(kind, N.shape[1], branches, follows, tuple(names))


def _spaces(terms: Terms, x: Array) -> tuple[Array, Array]:
    """N with B N = 0 and Y with YᵀB = 0, speeds measured by their inertia and rows by their usual lengths."""
    B, scales = terms.place(x).B, terms.base.scales
    shape = math.sqrt(scales.mass) * scales.length / np.sqrt(terms.weights(x))  # about the units of the speeds
    lengths = usual_lengths(terms, x, np.diag(shape))
    U, s, Vt = svd(B * shape / lengths[:, None])
    r = int((s > CUT).sum())
    return shape[:, None] * Vt[r:].T, U[:, r:] / lengths[:, None]


def _forms(terms: Terms, x: Array, N: Array, Y: Array) -> list[Array]:
    """Independent quadratic forms yᵀ c(N z) in z, from values of c: Q_ij = (c(v_i + v_j) − c(v_i) − c(v_j)) / 2."""
    n_q, n, _ = terms.sizes

    def bend(v: Array) -> Array:
        values = []
        for sign in (1.0, -1.0, 0.0):
            moving = x.copy()
            moving[1 + n_q : 1 + n_q + n] = sign * v
            values.append(terms.motion(moving).c)
        return np.asarray(dot(Y.T, 0.5 * (values[0] + values[1]) - values[2]))

    k, count = N.shape[1], Y.shape[1]
    single = [bend(N[:, i]) for i in range(k)]
    Q = np.zeros((count, k, k))
    for i in range(k):
        for j in range(k):
            Q[:, i, j] = 0.5 * (bend(N[:, i] + N[:, j]) - single[i] - single[j])
    if not Q.size:
        return []
    _, s, Vt = svd(Q.reshape(count, k * k)).thin
    longest = float(norm(N / terms.base.units.u[:, None], axis=0).max())
    usual = longest * longest
    return [row.reshape(k, k) for row, size in zip(Vt, s, strict=True) if size > CUT * usual]


def _zeros(forms: list[Array], k: int) -> tuple[list[Array], bool]:
    """Subspaces on which all forms vanish (bases as columns), and whether these are all of them for sure."""
    if not forms:
        return ([np.eye(k)] if k else []), True
    if len(forms) > 1:
        return _lines(forms, k)
    values, vectors = eigh(forms[0])
    positive, negative = (values > CUT).nonzero()[0], (values < -CUT).nonzero()[0]
    flat = vectors[:, np.abs(values) <= CUT]
    if len(positive) == len(negative) == 1:  # λ₊(e₊·z)² = |λ₋|(e₋·z)²: two planes
        a = np.sqrt(-values[negative[0]]) * vectors[:, positive[0]]
        b = np.sqrt(values[positive[0]]) * vectors[:, negative[0]]
        return [np.column_stack([line / norm(line), flat]) for line in (a + b, a - b)], True
    if len(positive) and len(negative):
        return [], False  # a curved cone
    return ([flat], False) if flat.shape[1] else ([], True)  # a double zero: branches may touch, or none be there


def _lines(forms: list[Array], k: int) -> tuple[list[Array], bool]:
    """Isolated lines on which several forms vanish, by Newton's method from many starts; sure if as many as can be."""
    rng, Q = np.random.default_rng(0), np.array(forms)
    found: list[Array] = []
    for z in rng.normal(size=(STARTS * k, k)):
        for _ in range(NEWTON_STEPS):
            z = z / norm(z)
            jacobian = np.vstack([dot(2.0 * Q, z), z])
            z = z + lstsq(jacobian, -np.append(dot(z, Q, z), 0.0), CUT)
        z = z / norm(z)
        isolated = matrix_rank(np.vstack([dot(Q, z), z]), tol=DOUBLE) == k
        is_new = all(abs(dot(z, line)) < 1.0 - SAME_LINE for line in found)
        if np.abs(dot(z, Q, z)).max() < ZERO_FORM and isolated and is_new:
            found.append(z)
    return [line[:, None] for line in found], k == len(forms) + 1 and len(found) == 2 ** len(forms)


def _leads_on(terms: Terms, x: Array, directions: Array) -> bool:
    """Whether positions are found along all directions and against them, close to their tangents, and regular there."""
    n_q, freedoms = terms.sizes[0], directions.shape[1]
    W = terms.spread(x)
    mixed = dot(directions, np.random.default_rng(1).normal(size=(directions.shape[1], 2)))
    for v in [*directions.T, *mixed.T]:
        step = FOLLOW * v / max(float(norm(dot(W, v) / terms.base.units.q)), 1e-300)
        for sign in (1.0, -1.0):
            ahead = x.copy()
            ahead[1 : 1 + n_q] += sign * dot(W, step)
            try:
                placed = assemble_q(terms, ahead, units=units_at(terms, x))
            except ConstraintError:
                return False
            bend = float(norm((placed[1 : 1 + n_q] - ahead[1 : 1 + n_q]) / terms.base.units.q))
            if bend > STRAIGHT * FOLLOW or _spaces(terms, placed)[0].shape[1] != freedoms:
                return False
    return True


def _tidy(directions: Array, unit: Array) -> Array:
    """Columns of unit size with their largest entry positive; a single speed where the space is its axis."""
    columns = directions / unit[:, None]
    columns = columns / norm(columns, axis=0)
    signs = np.sign(columns[np.abs(columns).argmax(axis=0), range(columns.shape[1])])
    return np.asarray(unit[:, None] * np.where(np.abs(columns) > ROUNDING, columns * signs, 0.0))


def _holding(branches: tuple[Branch, ...], u: Array, unit: Array) -> int | None:
    """The one branch in which a velocity lies."""
    u = u / unit
    if not np.abs(u).max(initial=0.0) > 0.0:
        return None
    spans = [branch.directions / unit[:, None] for branch in branches]
    off = [float(norm(u - dot(directions, lstsq(directions, u)))) for directions in spans]
    near = [i for i, size in enumerate(off) if size < STRAIGHT * float(norm(u))]
    return near[0] if len(near) == 1 else None
