"""A consistent state: q onto Φ(q, t) = 0 by Newton steps of least norm, u onto B u + C = 0 in the kinetic metric.

    J δu = −Φ,  q ← q + W δu  with least Σ w_j δu_j²;   u ← u + M⁻¹ Bᵀ p  with  B M⁻¹ Bᵀ p = −(B u + C)

The second is a plastic impact: p are its impulses. Numbers that were given by name are held while the others can
give way; where they cannot, those named last move too, at last all of them. Coordinates that nobody gave start at rest;
where that leads nowhere (a linkage at zero is often stretched, and singular), further and further from it. Steps and
residuals are measured in units of the mechanism (`units`), so that lengths may be given in any: it is assembled in the
same way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from latchwork.algebra.linear import lstsq, matrix_rank, solve, svd
from latchwork.algebra.products import dot, norm
from latchwork.constraint.selection import must_agree, scaled
from latchwork.constraint.terms import NOTHING, SMALLEST_WEIGHT, Array, Place, Terms, lengths_of
from latchwork.constraint.units import Units, units_at
from latchwork.errors import ConstraintError, EvaluationError

EXACT = 1e-13  # a residual this small, in units of the coordinates, is rounding
ROUGH = 1e-11  # and one this small, where a step does not help
ASSEMBLED = 1e-9  # a residual that can be accepted where Newton's method ends
MAX_NEWTON_STEPS = 200  # Newton steps
GUESSES = 32  # of coordinates that nobody gave
TURN, WAY = np.pi, 1.0  # how far the last of them is off at most: radians, lengths of the mechanism
CUT = 1e-9  # singular values below this part of the largest take no part in a step
LONGEST = 0.5  # of a step, in radians or in lengths of the mechanism
CHANGED = 1e-12  # changes below this, in units of the coordinates and of the fastest speed, are not worth telling


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


def assemble_q(terms: Terms, x: Array, held: Sequence[int] = (), weights: Sequence[float] | None = None,
               units: Units | None = None, unsaid: Sequence[int] = ()) -> Array:  # fmt: skip
    """x with coordinates that meet Φ = 0; ``held`` are coordinates to keep if possible, ``weights`` are of δu.

    ``units`` are those of the mechanism at x, or where x is a step away from; ``unsaid`` are coordinates that nobody
    gave, which may as well start elsewhere.
    """
    if not terms.rows.configuration:
        return x
    must_be_finite(terms, x)
    found, units = x, units_at(terms, x) if units is None else units
    for some in _fewer(held, terms.sizes[1] - _rank(terms.place(x).B[terms.rows.configuration] * units.u)):
        found, residual = _newton(terms, x, some, weights, units)
        if residual <= ASSEMBLED:
            return found
    for guess in _elsewhere(terms, x, units, unsaid):
        placed, residual = _newton(terms, guess, held, weights, units)
        if residual <= ASSEMBLED:
            return placed
    _cannot(terms, found, units)
    return found


def _elsewhere(terms: Terms, x: Array, units: Units, unsaid: Sequence[int]) -> Iterator[Array]:
    """States further and further away, in all directions of some coordinates; the same ones every time."""
    places = np.asarray(unsaid, dtype=int)
    reach = units.q[places] * np.where(np.array(terms.angles, dtype=bool)[places], TURN, WAY)
    ways = np.random.default_rng(0).uniform(-1.0, 1.0, (GUESSES, len(places))) if len(places) else ()
    for k, way in enumerate(ways, 1):
        guess = x.copy()
        guess[1 + places] += k / GUESSES * reach * way
        if np.isfinite(terms.place(normalised(terms, guess)).Phi).all():
            yield guess


def _fewer(held: Sequence[int], free: int) -> Iterator[Sequence[int]]:
    """All that is held, then no more than there are freedoms, then fewer and fewer, at last nothing."""
    yield held
    for count in range(min(len(held) - 1, max(free, 0)), -1, -1):
        yield held[:count]


def _rank(B: Array) -> int:
    return int(matrix_rank(np.where(np.isfinite(B), B, 0.0))) if B.size else 0


def _newton(terms: Terms, x: Array, held: Sequence[int], weights: Sequence[float] | None,
            units: Units) -> tuple[Array, float]:  # fmt: skip
    """Damped Newton steps of least norm; the best state met, and its residual."""
    rows = terms.rows.configuration
    w = 1.0 / units.u if weights is None else np.sqrt(np.asarray(weights, dtype=float))
    best, x, typical = (np.inf, x.copy()), normalised(terms, x.copy()), terms.typical_in(units, x)
    for _ in range(MAX_NEWTON_STEPS):
        place = terms.place(x)
        Phi, J = place.Phi[rows], place.B[rows]
        if not (np.isfinite(Phi).all() and np.isfinite(J).all()):
            break
        size = _largest(place, units, typical)
        if size < best[0]:
            gained, best = size < 0.5 * best[0], (size, x.copy())
        else:
            gained = False
        if size <= EXACT * _turns(terms, x) or (size < ROUGH and not gained):
            break
        free = _free(terms.spread(x)[list(held)] / units.q[list(held), None] / w)
        A = dot(J / w, free)
        lengths = norm(A, axis=1)
        keep = lengths > 0.0
        step = dot(free, lstsq(A[keep] / lengths[keep, None], -Phi[keep] / lengths[keep], CUT)) / w
        step *= min(1.0, LONGEST / max(float(np.abs(step / units.u).max(initial=0.0)), 1e-300))
        x = _step(terms, x, step, size, units, typical)
    return best[1], best[0]


def _largest(place: Place, units: Units, typical: Array) -> float:
    """The largest |Φ_i| over the length of its row, in units of the mechanism."""
    return float(np.abs(place.Phi / lengths_of(place.B * units.u, typical)).max(initial=0.0))


def _turns(terms: Terms, x: Array) -> float:
    """The largest angle, and 1: residuals round as they do."""
    return float(np.abs(x[1 : 1 + terms.sizes[0]][np.array(terms.angles)]).max(initial=1.0))


def _free(held: Array) -> Array:
    """The directions in which no coordinate that is held moves, as columns."""
    if not len(held):
        return np.eye(held.shape[1])
    _, singular, vt = svd(held)
    return np.asarray(vt[int((singular > CUT).sum()) :].T)


def _step(terms: Terms, x: Array, step: Array, size: float, units: Units, typical: Array) -> Array:
    """The step, halved while it makes things much worse."""
    n_q, W = terms.sizes[0], terms.spread(x)
    trial = x
    for half in range(6):
        trial = x.copy()
        trial[1 : 1 + n_q] += dot(W, step * 0.5**half)
        trial = normalised(terms, trial)
        if _largest(terms.place(trial), units, typical) < 2.0 * size:
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


def _cannot(terms: Terms, x: Array, units: Units) -> None:
    rows, place = terms.rows, terms.place(x)
    sizes = np.abs(place.Phi / lengths_of(place.B * units.u, terms.typical_in(units, x)))
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
    unit, rows = terms.base.units.u, terms.typical(x)
    must_agree(terms.rows.names, place.B, place.C, M, at_time(x), unit=unit, scales=terms.base.scales, rows=rows)
    full = alive(place.B, M, terms.usual_rows(x), unit, rows)
    off, moved = dot(full, u) + place.C, x.copy()
    for some in _fewer(held, n - _rank(full) if held else n):
        free = [j for j in range(n) if j not in some]
        change, impulses = plastic(_columns(full, free), off, M[np.ix_(free, free)], unit[free], rows)
        moved[span] = u
        moved[[1 + n_q + j for j in free]] += change
        if not some or _holds(dot(full[:, free], change) + off, full, place.C, [u, moved[span]], units_at(terms, x)):
            break
    return moved, impulses


def _holds(left: Array, B: Array, C: Array, speeds: Sequence[Array], units: Units) -> bool:
    """Whether what is left of B u + C is rounding, of the fastest speed and of how the rows move by themselves."""
    fastest = max(float(np.abs(u / units.u).max()) for u in speeds)
    return bool((np.abs(left) <= ASSEMBLED * (fastest * np.abs(B * units.u).max(axis=1) + np.abs(C))).all())


def _columns(rows: Array, which: Sequence[int]) -> Array:
    """Some columns of rows; 0 where an entry is rounding beside the largest of its row."""
    return np.where(np.abs(rows) > NOTHING * np.abs(rows).max(axis=1, keepdims=True, initial=0.0), rows, 0.0)[:, which]


def alive(B: Array, M: Array, usual: Array, unit: Array, rows: Array) -> Array:
    """B with rows that have faded, as at a singular position, set to zero: they hold nothing there."""
    return np.where(np.isfinite(scaled(B, M, usual, unit, rows).lengths)[:, None], B, 0.0)


def plastic(B: Array, off: Array, M: Array, unit: Array, typical: Array) -> tuple[Array, Array]:
    """δu = M⁻¹ Bᵀ p and p with B δu = −off: least kinetic energy of the change; redundant rows share p evenly.

    ``unit`` and ``typical`` are those of speeds and rows.
    """
    forms = scaled(B, M, unit=unit, rows=typical)
    lengths = np.where(np.isfinite(forms.lengths), forms.lengths, typical)
    rows = B / lengths[:, None]
    inertia = M.diagonal()
    least = SMALLEST_WEIGHT * max((inertia * unit * unit).max(initial=0.0), 1e-300) / unit / unit
    diagonal = np.sqrt(np.maximum(inertia, least))[:, None]
    regular = M + np.diag(np.where(inertia > 0.0, 0.0, least))
    spread = solve(regular / diagonal / diagonal.T, rows.T / diagonal) / diagonal
    A, target = dot(rows, spread), -off / lengths
    p = lstsq(A, target, CUT * CUT)
    change = dot(spread, p)
    left = target - dot(rows, change)
    if left.any():
        change += dot(spread, lstsq(A, left, CUT * CUT))  # refined
    return change, p / lengths


def consistent(terms: Terms, x: Array, q_held: Sequence[int] = (), u_held: Sequence[int] = (),
               unsaid: Sequence[int] = ()) -> tuple[Array, Start]:  # fmt: skip
    """A consistent state near x = (t, q, u, rest), and what was changed; ``unsaid`` as in `assemble_q`."""
    n_q, n, _ = terms.sizes
    placed = assemble_q(terms, x, q_held, unsaid=unsaid)
    moved, impulses = assemble_u(terms, placed, u_held)
    old, new = x[1 : 1 + n_q + n], moved[1 : 1 + n_q + n]
    changes = () if (old == new).all() else _changes(terms, units_at(terms, moved), old, new)
    return moved, Start(new[:n_q].copy(), new[n_q:].copy(), residual_of(terms, moved), changes, impulses)


def _changes(terms: Terms, units: Units, old: Array, new: Array) -> tuple[tuple[str, float, float], ...]:
    """Names of coordinates and speeds with what was given and what is used, where that is not rounding."""
    n_q = terms.sizes[0]
    fastest = float(np.abs(np.concatenate([old[n_q:] / units.u, new[n_q:] / units.u])).max(initial=0.0))
    least = CHANGED * np.maximum(np.concatenate([units.q, fastest * units.u]), np.abs(new))
    names = [s.name for s in (*terms.rows.equations.q, *terms.rows.equations.u)]
    return tuple((names[i], float(old[i]), float(new[i])) for i in np.flatnonzero(np.abs(old - new) > least))


def at_time(x: Array) -> str:
    return f" at t = {x[0]:.6g}"
