"""A consistent state: q onto Φ(q, t) = 0 by Newton steps of least norm, u onto B u + C = 0 in the kinetic metric.

    J δu = −Φ,  q ← q + W δu  with least Σ w_j δu_j²;   u ← u + M⁻¹ Bᵀ p  with  B M⁻¹ Bᵀ p = −(B u + C)

The second is a plastic impact: p are its impulses. Numbers that were given by name are held while the others can
give way; where they cannot, those named last move too, at last all of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from latchwork.algebra.linear import lstsq, matrix_rank, solve, svd
from latchwork.algebra.products import dot, norm
from latchwork.constraint.selection import must_agree, scaled
from latchwork.constraint.terms import Array, Terms
from latchwork.errors import ConstraintError, EvaluationError

EXACT = 1e-13  # a residual this small, relative to what the coordinates are, is rounding
ASSEMBLED = 1e-9  # a residual that can be accepted where Newton's method ends
MOST = 200  # Newton steps
CUT = 1e-9  # singular values below this part of the largest take no part in a step
LONGEST = 0.5  # of a step, in radians or in lengths of the mechanism
CHANGED = 1e-12  # changes below this are not worth telling


@dataclass(frozen=True)
class Start:
    """A consistent state, and what had to be changed: names with what was given and what is used."""

    q: Array
    u: Array
    residual: float
    changes: tuple[tuple[str, float, float], ...]
    impulses: Array

    def __str__(self) -> str:
        if not self.changes:
            return "the start was consistent as given"
        return "\n".join(f"{name}: {used:.9g} instead of {given:.9g}" for name, given, used in self.changes)


def residual_of(terms: Terms, x: Array) -> float:
    """The largest |Φ_i|, each in units of what moves it."""
    return _off(terms, x, terms.typical(x))


def _off(terms: Terms, x: Array, typical: Array) -> float:
    return float(np.abs(terms.measured(terms.place(x), typical)).max(initial=0.0))


def assemble_q(terms: Terms, x: Array, held: Sequence[int] = (), weights: Sequence[float] | None = None) -> Array:
    """x with coordinates that meet Φ = 0; ``held`` are coordinates to keep if possible, ``weights`` are of δu."""
    if not terms.rows.configuration:
        return x
    must_be_finite(terms, x)
    found = x
    for some in _fewer(held, terms.sizes[1] - _rank(terms.place(x).B[terms.rows.configuration])):
        found, residual = _newton(terms, x, some, weights)
        if residual <= ASSEMBLED:
            return found
    _cannot(terms, found)
    return found


def _fewer(held: Sequence[int], free: int) -> Iterator[Sequence[int]]:
    """All that is held, then no more than there are freedoms, then fewer and fewer, at last nothing."""
    yield held
    for count in range(min(len(held) - 1, max(free, 0)), -1, -1):
        yield held[:count]


def _rank(B: Array) -> int:
    return int(matrix_rank(np.where(np.isfinite(B), B, 0.0))) if B.size else 0


def _newton(terms: Terms, x: Array, held: Sequence[int], weights: Sequence[float] | None) -> tuple[Array, float]:
    """Damped Newton steps of least norm; the best state met, and its residual."""
    n_q, n, _ = terms.sizes
    rows = terms.rows.configuration
    w = np.ones(n) if weights is None else np.sqrt(np.asarray(weights, dtype=float))
    best, x, typical = (np.inf, x.copy()), normalised(terms, x.copy()), terms.typical(x)
    for _ in range(MOST):
        place = terms.place(x)
        Phi, J = place.Phi[rows], place.B[rows]
        if not (np.isfinite(Phi).all() and np.isfinite(J).all()):
            break
        size = float(np.abs(terms.measured(place, typical)).max())
        if size < best[0]:
            gained, best = size < 0.5 * best[0], (size, x.copy())
        else:
            gained = False
        if size <= EXACT * max(1.0, float(np.abs(x[1 : 1 + n_q]).max(initial=0.0))) or (size < 1e-11 and not gained):
            break
        free = _free(terms.spread(x)[list(held)] / w)
        A = dot(J / w, free)
        lengths = norm(A, axis=1)
        keep = lengths > 0.0
        step = dot(free, lstsq(A[keep] / lengths[keep, None], -Phi[keep] / lengths[keep], CUT)) / w
        step *= min(1.0, LONGEST / max(float(np.abs(step).max(initial=0.0)), 1e-300))
        x = _step(terms, x, step, size, typical)
    return best[1], best[0]


def _free(held: Array) -> Array:
    """The directions in which no coordinate that is held moves, as columns."""
    if not len(held):
        return np.eye(held.shape[1])
    _, singular, vt = svd(held)
    return np.asarray(vt[int((singular > CUT).sum()) :].T)


def _step(terms: Terms, x: Array, step: Array, size: float, typical: Array) -> Array:
    """The step, halved while it makes things much worse."""
    n_q, W = terms.sizes[0], terms.spread(x)
    trial = x
    for half in range(6):
        trial = x.copy()
        trial[1 : 1 + n_q] += dot(W, step * 0.5**half)
        trial = normalised(terms, trial)
        if _off(terms, trial, typical) < 2.0 * size:
            break
    return trial


def normalised(terms: Terms, x: Array) -> Array:
    """Quaternions brought to unit length, in place."""
    return terms.normalised(x[None])[0]


def must_be_finite(terms: Terms, x: Array) -> None:
    """Refuse a state at which some row is no number."""
    rows, place = terms.rows, terms.place(x)
    if np.isfinite(place.Phi).all() and np.isfinite(place.C).all() and np.isfinite(place.B).all():
        return
    bad = [i for i in range(len(rows)) if not np.isfinite([place.Phi[i], place.C[i], *place.B[i]]).all()]
    if bad:
        i = bad[0]
        values = f"Φ = {place.Phi[i]:.3g}, " if rows.phi[i] is not None else ""
        raise EvaluationError(
            f"{', '.join(repr(rows.names[k]) for k in bad)} of '{rows.equations.name}' has no number{at_time(x)}, "
            f"{_where(terms, x)}: {values}B = {place.B[i]}. Start elsewhere, or write the row without a division, root "
            "or logarithm of what vanishes there."
        )


def _where(terms: Terms, x: Array) -> str:
    return ", ".join(f"{s.name} = {v:.5g}" for s, v in zip(terms.rows.equations.q[:8], x[1:9], strict=False))


def _cannot(terms: Terms, x: Array) -> None:
    rows, place = terms.rows, terms.place(x)
    sizes = np.abs(terms.measured(place, terms.typical(x)))
    worst = [i for i in np.argsort(-sizes)[:6] if not sizes[i] <= ASSEMBLED]
    shown = ", ".join(f"'{rows.names[i]}' is off by {place.Phi[i]:.3g}" for i in worst)
    raise ConstraintError(
        f"'{rows.equations.name}' cannot be assembled: {shown or 'the constraints'} at the nearest position found "
        f"({_where(terms, x)}). Start from a guess closer to an assembled position, or check lengths and signs."
    )


def assemble_u(terms: Terms, x: Array, held: Sequence[int] = ()) -> tuple[Array, Array]:
    """x with speeds that meet B u + C = 0, and the impulses of all rows."""
    n_q, n, m = terms.sizes
    span = slice(1 + n_q, 1 + n_q + n)
    place, u, M = terms.place(x), x[span], terms.motion(x).M
    if not m:
        return x, np.zeros(0)
    must_be_finite(terms, x)
    must_agree(terms.rows.names, place.B, place.C, M, at_time(x))
    full = alive(place.B, M, terms.usual_rows(x))
    off, moved = dot(full, u) + place.C, x.copy()
    for some in _fewer(held, n - _rank(full) if held else n):
        free = [j for j in range(n) if j not in some]
        change, impulses = plastic(full[:, free], off, M[np.ix_(free, free)])
        if not some or np.abs(dot(full[:, free], change) + off).max() <= ASSEMBLED * max(1.0, float(np.abs(off).max())):
            break
    moved[[1 + n_q + j for j in free]] += change
    return moved, impulses


def alive(B: Array, M: Array, usual: Array) -> Array:
    """B with rows that have faded, as at a singular position, set to zero: they hold nothing there."""
    return np.where(np.isfinite(scaled(B, M, usual).lengths)[:, None], B, 0.0)


def plastic(B: Array, off: Array, M: Array) -> tuple[Array, Array]:
    """δu = M⁻¹ Bᵀ p and p with B δu = −off: least kinetic energy of the change; redundant rows share p evenly."""
    forms = scaled(B, M)
    lengths = np.where(np.isfinite(forms.lengths), forms.lengths, 1.0)
    rows = B / lengths[:, None]
    inertia = M.diagonal()
    largest = inertia.max(initial=0.0)
    diagonal = np.sqrt(np.maximum(inertia, largest * 1e-12))[:, None]
    regular = M + np.diag(np.where(inertia > 0.0, 0.0, 1e-12 * max(largest, 1e-300)))
    spread = solve(regular / diagonal / diagonal.T, rows.T / diagonal) / diagonal
    A, target = dot(rows, spread), -off / lengths
    p = lstsq(A, target, CUT * CUT)
    change = dot(spread, p)
    left = target - dot(rows, change)
    if left.any():
        change += dot(spread, lstsq(A, left, CUT * CUT))  # refined
    return change, p / lengths


def consistent(terms: Terms, x: Array, q_held: Sequence[int] = (), u_held: Sequence[int] = (),
               weights: Sequence[float] | None = None) -> tuple[Array, Start]:  # fmt: skip
    """A consistent state near x = (t, q, u, rest), and what was changed."""
    n_q, n, _ = terms.sizes
    placed = assemble_q(terms, x, q_held, weights)
    moved, impulses = assemble_u(terms, placed, u_held)
    names = [s.name for s in (*terms.rows.equations.q, *terms.rows.equations.u)]
    old, new = x[1 : 1 + n_q + n], moved[1 : 1 + n_q + n]
    changes = tuple((name, float(a), float(b)) for name, a, b in zip(names, old, new, strict=True)
                    if abs(a - b) > CHANGED * max(1.0, abs(b)))  # fmt: skip
    return moved, Start(new[:n_q].copy(), new[n_q:].copy(), residual_of(terms, moved), changes, impulses)


def at_time(x: Array) -> str:
    return f" at t = {x[0]:.6g}"
