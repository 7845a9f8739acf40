"""What is known of an impact at one instant, and what comes out of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from latchwork.contact.impact.coulomb import Array
from latchwork.contact.impact.simultaneous import rows_of
from latchwork.errors import EvaluationError

FEW = 64  # numbers that Python adds as quickly as NumPy


@dataclass(frozen=True, eq=False)
class Impact:
    """Contacts of zero gap at one instant:  v⁺ = v⁻ + W Λ,  W = J M̃⁻¹ Jᵀ.

    Rows go contact by contact: the normal, then its 0, 1 or 2 tangents, at right angles and of unit length. v is
    relative to the surfaces, J u + C, which may move. v_n < 0 approaches; v_n ≥ 0 rests or separates.
    """

    names: tuple[str, ...]
    W: Array  # r × r, positive semi-definite: contacts may be redundant
    v: Array  # r
    tangents: tuple[int, ...]
    e: Array  # of each contact
    mu_s: Array
    mu_d: Array

    def __post_init__(self) -> None:
        k, r = len(self.names), len(self.names) + sum(self.tangents)
        given = (self.W, self.v, self.e, self.mu_s, self.mu_d)
        if len(self.tangents) == k and max(self.tangents, default=0) <= 2 and _are(given, ((r, r), (r,), (k,))):
            return
        shapes = {"W": (r, r), "v": (r,), "e": (k,), "mu_s": (k,), "mu_d": (k,)}
        for name, shape in shapes.items():
            value = np.asarray(getattr(self, name), dtype=float)
            if value.shape != shape or not (math.isfinite(value.sum()) or np.all(np.isfinite(value))):
                raise EvaluationError(
                    f"'{name}' of an impact at {', '.join(map(repr, self.names))} is {value}. "
                    f"Give finite numbers of shape {shape}."
                )
            object.__setattr__(self, name, value)
        if len(self.tangents) != k or any(d not in (0, 1, 2) for d in self.tangents):
            raise EvaluationError(
                f"the tangents of an impact of {k} contacts are {self.tangents}. Give 0, 1 or 2 for each contact."
            )

    @cached_property
    def rows(self) -> tuple[slice, ...]:
        """The rows of each contact."""
        return rows_of(self.tangents)

    @cached_property
    def normals(self) -> Array:
        """The row of each contact's normal."""
        return np.array([rows.start for rows in self.rows], dtype=int)


def _are(given: tuple[Array, ...], shapes: tuple[tuple[int, ...], ...]) -> bool:
    """Whether W, v and coefficients are arrays of such shapes whose sum is finite."""
    if any(type(value) is not np.ndarray or value.dtype != np.float64 for value in given):
        return False
    W, v, *others = given
    fits = W.shape == shapes[0] and v.shape == shapes[1] and all(each.shape == shapes[2] for each in others)
    sums = [sum(value.ravel().tolist()) if value.size <= FEW else float(value.sum()) for value in given]
    return fits and math.isfinite(sum(sums))


@dataclass(frozen=True, eq=False)
class Outcome:
    """Λ, v⁺, the law that acted at each contact ("" where none did), and ½ Λᵀ(v⁻ + v⁺) ≤ 0.

    That is the change of kinetic energy less the work of moving surfaces and constraints. ``notes`` say where a law
    could not act as asked, and what did instead.
    """

    impulses: Array
    v: Array
    law: tuple[str, ...]
    energy: float
    notes: tuple[str, ...]
