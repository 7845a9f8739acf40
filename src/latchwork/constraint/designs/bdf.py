"""Constrained equations as they stand, by backward differences of order two: index 3, index 2, stabilised index 2.

    q̇ = W (u + Jᵀμ) + X,   M u̇ = f + Bᵀλ,   with  Φ = 0,  B u + C = 0,  or both

J are the rows of B that have a Φ; μ is there where both are imposed.  [Patoglu §3; Gear, Gupta and Leimkuhler 1985]
For comparison: derivatives by differences, Newton's method by least squares, so that redundant rows do no harm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

import numpy as np

from latchwork.algebra.linear import lstsq
from latchwork.algebra.products import dot
from latchwork.constraint.consistency import normalised
from latchwork.constraint.terms import Array, Terms
from latchwork.errors import IntegrationError
from latchwork.program.interrupt import interrupted

DIFFERENCE = 1e-7  # of numerical derivatives
SETTLED = 1e-13  # corrections of this part of the unknowns end Newton's method
ACCEPTED_RESIDUAL = 1e-9  # what is accepted where rounding ends it earlier
MAX_NEWTON_STEPS = 20  # Newton corrections
CUT = 1e-11  # singular values below this part of the largest: redundant rows


@dataclass(frozen=True)
class Form:
    """Which levels of the constraints are imposed."""

    name: str
    positions: bool
    velocities: bool

    @property
    def both(self) -> bool:
        return self.positions and self.velocities


INDEX_3 = Form("index 3", True, False)
INDEX_2 = Form("index 2", False, True)
GGL = Form("stabilised index 2", True, True)


class Path(NamedTuple):
    """Times (k), coordinates (k × n_q) and speeds (k × n)."""

    t: Array
    q: Array
    u: Array


class Back(NamedTuple):
    """One step y = ȳ + H ẏ: where it leads, ȳ of q and u, and H."""

    t: float
    q: Array
    u: Array
    H: float


def _moved(terms: Terms, x: Array, t: float, q: Array, u: Array) -> Array:
    """x at another time, place and motion."""
    n_q, n, _ = terms.sizes
    return np.concatenate([[t], q, u, x[1 + n_q + n :]])


def _path(terms: Terms, states: list[Array]) -> Path:
    n_q, n, _ = terms.sizes
    table = np.array(states)
    return Path(table[:, 0], table[:, 1 : 1 + n_q], table[:, 1 + n_q : 1 + n_q + n])


def _residual(terms: Terms, form: Form, x: Array, back: Back, z: Array) -> Array:
    """What must vanish, for z = (q, H u, H² λ/size, H μ) in units of the mechanism: every part of order one, however
    small the step, and in any units."""
    (n_q, n, m), H, (one, unit) = terms.sizes, back.H, terms.base.units
    q, v, lam, mu = np.split(z, np.cumsum([n_q, n, m]))
    q, v = q * one, v * unit
    state = _moved(terms, x, back.t, q, v / H)
    place, motion, J, rows = terms.place(state), terms.motion(state), terms.rows.configuration, terms.typical(x)
    size = max(float((np.diag(motion.M) * unit * unit).max(initial=0.0)), 1e-300)
    flow, A = H * motion.q_rates, place.B * unit / rows[:, None]
    if len(mu):
        flow = flow + dot(terms.spread(state) * unit, A[J].T, mu)
    force = (dot(motion.M, v - H * back.u) - H * H * motion.f) * unit / size - dot(A.T, lam)
    level, Phi = (dot(place.B, v) + H * place.C) / rows, place.Phi / rows
    if not form.velocities:
        level[J] = Phi[J]
    return np.concatenate([(q - back.q - flow) / one, force, level, Phi[J] if form.both else []])


def _newton(terms: Terms, form: Form, x: Array, back: Back, z: Array) -> Array | None:
    """z with a residual of zero; none where it is not found."""
    jacobian, last = None, np.inf
    for _ in range(MAX_NEWTON_STEPS):
        r = _residual(terms, form, x, back, z)
        if not np.isfinite(r).all():
            return None
        if jacobian is None:
            columns = [DIFFERENCE * max(1.0, abs(value)) for value in z]
            jacobian = np.array([(_residual(terms, form, x, back, z + d * unit) - r) / d
                                 for d, unit in zip(columns, np.eye(len(z)), strict=True)]).T  # fmt: skip
        step = lstsq(jacobian, -r, CUT)
        z, size = z + step, float(np.abs(step).max() / max(1.0, np.abs(z).max()))
        if size <= SETTLED or (size < ACCEPTED_RESIDUAL and size > 0.5 * last):
            return z
        if size > 0.3 * last:
            jacobian = None
        last = size
    return None


def _step(terms: Terms, form: Form, before: list[Array], h: float) -> Array | None:
    """The state after a step from the last of ``before`` (the two last, where there are two)."""
    n_q, n, m = terms.sizes
    x, span = before[-1], slice(1, 1 + n_q + n)
    y, H = x[span], h
    if len(before) > 1:
        w = h / (x[0] - before[-2][0])
        y = ((1 + w) * (1 + w) * x[span] - w * w * before[-2][span]) / (1 + 2 * w)
        H = h * (1 + w) / (1 + 2 * w)
    back = Back(x[0] + h, y[:n_q], y[n_q:], H)
    extra = len(terms.rows.configuration) if form.both else 0
    (q, u), (one, unit) = np.split(x[span], [n_q]), terms.base.units
    guess = np.concatenate([(q + h * terms.motion(x).q_rates) / one, H * u / unit, np.zeros(m + extra)])
    z = _newton(terms, form, x, back, guess)
    if z is None:
        return None
    return normalised(terms, _moved(terms, x, back.t, z[:n_q] * one, z[n_q : n_q + n] * unit / H))


def bdf(terms: Terms, x: Array, until: float, steps: int, form: Form = GGL,
        progress: Callable[[float], None] = lambda t: None) -> Path:  # fmt: skip
    """Backward differences of order two with steps of equal length; the first is of order one."""
    states, h = [x], (until - x[0]) / steps
    for _ in range(steps):
        found = _step(terms, form, states[-2:], h)
        if found is None:
            _fail(terms, form, states, h)
        states.append(found)
        progress(float(found[0]))
        if interrupted():
            break
    return _path(terms, states)


def _fail(terms: Terms, form: Form, states: list[Array], h: float) -> NoReturn:
    raise IntegrationError(
        f"'{terms.rows.equations.name}' cannot be solved as a DAE ({form.name}) beyond t = {states[-1][0]:.6g}: "
        f"Newton's method found no state after a step of {h:.3g}. Take shorter steps, or simulate with the constraints "
        "embedded.",
        solution=_path(terms, states),
    )
