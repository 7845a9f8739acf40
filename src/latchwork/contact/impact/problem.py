"""What is known of an impact at one instant, and what comes out of it: a record for kernels, values for Python.

    v⁺ = v⁻ + W Λ,   W = J M̃⁻¹ Jᵀ  (the Delassus matrix),   Λ by the law of each contact

Rows go contact by contact: the normal, then its 0, 1 or 2 tangents, at right angles and of unit length. v is relative
to the surfaces, J u + C, which may move. v_n < 0 approaches; v_n ≥ 0 rests or separates.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from functools import cached_property

import numpy as np

from latchwork.errors import EvaluationError
from latchwork.program.kernel import f64, f64p, i64, i64p
from latchwork.program.records.record import array, record

Array = np.ndarray

FEW_NUMBERS = 64  # numbers that Python adds as quickly as NumPy
GROUPS = 8  # groups of contacts that notes of one impact name, at most


class ImpactLaw(IntEnum):
    """The laws of impact, as kernels know them; `laws.LAWS` says what each means."""

    NEWTON = 0
    POISSON = 1
    SMITH = 2
    ENERGETIC = 3


class Order(IntEnum):
    """How several contacts act, see `sequential`."""

    AS_THEY_COME = -1
    IN_SEQUENCE = 0
    AT_ONCE = 1


class Status(IntEnum):
    """How an impact ended."""

    RESOLVED = 0
    BLOCKED = 1  # contact ``blocked`` approaches, and no impulse there changes that
    UNYIELDING = 2  # no impulses part the ``members`` contacts of ``member``
    NOT_FINITE = 3  # numbers given, or impulses found, are not finite
    NO_ROOM = 4  # more contacts or rows than the record was laid out for
    NOTHING = 5  # of jams: no impulse changes the slip


class NoteCode(IntEnum):
    """Where a law could not act as asked, and what did instead."""

    GAINS = 0  # a contact's law would have gained ``value`` J: the energetic law
    NO_SLIP = 1  # a contact's law finds no consistent slip: the energetic law
    WEDGED = 2  # friction would hold a contact wedged while it approaches: no friction
    GAINS_AT_ONCE = 3  # the law of a group would have gained ``value`` J: impulses in proportion to compression
    NO_SLIP_AT_ONCE = 4  # the law of a group finds no impulses: the same
    SMOOTH_AT_ONCE = 5  # no impulses with friction were found for a group: no friction
    UNENDING = 6  # a sequence did not end: what was left, ``value`` m/s, was taken up at once with e = 0
    TURNS = 7  # what resists turns is not that of the least energy: velocities changed by ``value`` in the last sweep


NO_LAW = -1  # of a contact at which nothing acted


@record
class ImpactNote:
    """One note: its code, the contact (of a group: which one of ``note_groups``), the law asked for, and a number."""

    code: i64
    contact: i64
    law: i64
    value: f64


@record
class ImpactProblem:
    """An impact for kernels: what is given, what comes out, and their workspace, laid out for so many at most.

    Matrices are row by row without gaps, whatever there is room for: W[i * rows + j].
    """

    most_contacts: i64
    most_rows: i64
    # given
    contacts: i64
    rows: i64
    at_once: i64  # an `Order`
    capture: f64  # m/s: a contact that would part slower does not
    tangents: i64p = array("most_contacts")
    law: i64p = array("most_contacts")  # an `ImpactLaw` for each contact
    W: f64p = array("most_rows * most_rows")
    v: f64p = array("most_rows")
    e: f64p = array("most_contacts")
    mu_s: f64p = array("most_contacts")
    mu_d: f64p = array("most_contacts")
    chosen: i64p = array("most_contacts")  # 1: contacts that jam together, see `jam`
    # what comes out
    impulses: f64p = array("most_rows")
    after: f64p = array("most_rows")  # v⁺
    acted: i64p = array("most_contacts")  # the law that acted last, or `NO_LAW`
    energy: f64  # ½ Λᵀ(v⁻ + v⁺)
    blocked: i64  # where the status is BLOCKED
    notes: i64
    note: list[ImpactNote] = array("3 * most_contacts + 26")  # at most: 3 of a contact, 3 of a group, 2
    groups: i64
    note_groups: i64p = array("8 * most_contacts")  # 1: contacts of each group that a note names: [g * contacts + i]
    # workspace: of the whole impact
    largest: f64  # of the diagonal of W
    fastest: f64  # of v
    first: i64p = array("most_contacts")  # the row of each normal
    now: f64p = array("most_rows")  # v between acts
    lively: f64p = array("most_contacts")  # e, zero where captured
    part: f64p = array("most_rows")  # Λ of one act
    kept_v: f64p = array("most_rows")
    kept_e: f64p = array("most_contacts")
    kept_law: i64p = array("most_contacts")
    # of contacts that act at once, rows and columns of their own
    members: i64
    member: i64p = array("most_contacts")
    joined: i64p = array("most_contacts")
    took_part: i64p = array("most_contacts")  # 1 where it acted in this round
    strongest: f64  # approach of this round, v_n/√W_nn
    group_rows: i64
    group_row: i64p = array("most_rows")  # rows of the impact
    group_first: i64p = array("most_contacts")  # the row of each normal within the group
    group_W: f64p = array("most_rows * most_rows")
    group_v: f64p = array("most_rows")
    least: f64p = array("most_contacts")  # v_n⁺ must not be below it
    mu: f64p = array("most_contacts")
    pressed: f64p = array("most_rows")
    again: f64p = array("most_rows")
    found: f64p = array("most_rows")
    before: f64p = array("most_rows")
    # the same, scaled so that W_nn = 1
    scale: f64p = array("most_rows")
    scaled_W: f64p = array("most_rows * most_rows")
    scaled_v: f64p = array("most_rows")
    scaled_least: f64p = array("most_contacts")
    size: f64  # of all that was scaled
    x: f64p = array("most_rows")
    trial: f64p = array("most_rows")
    best: f64p = array("most_rows")
    value: f64p = array("most_rows")
    slope: f64p = array("most_rows * most_rows")
    # of least squares, and of cones
    factors: f64p = array("most_rows * most_rows")
    turned: f64p = array("most_rows * most_rows")
    right: f64p = array("most_rows")
    step: f64p = array("most_rows")
    tau: f64p = array("3 * most_rows")
    order: f64p = array("2 * most_rows")
    cone_W: f64p = array("most_contacts * most_contacts")
    cone_V: f64p = array("most_contacts * most_contacts")
    cone_A: f64p = array("most_contacts * most_contacts")
    cone_c: f64p = array("most_contacts")
    cone_b: f64p = array("most_contacts")
    cone_x: f64p = array("most_contacts")
    cone_z: f64p = array("most_contacts")
    cone_r: f64p = array("most_contacts")
    cone_y: f64p = array("most_contacts")
    cone_free: i64p = array("most_contacts")
    pivots: f64p = array("most_contacts * (most_contacts + 3)")
    pivot_basic: i64p = array("most_contacts")
    pivot_outside: i64p = array("most_contacts + 1")


@dataclass(frozen=True, eq=False)
class Impact:
    """Contacts of zero gap at one instant, by name:  v⁺ = v⁻ + W Λ,  W = J M̃⁻¹ Jᵀ."""

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
        return tuple(slice(n, n + 1 + d) for n, d in zip(self.normals.tolist(), self.tangents, strict=True))

    @cached_property
    def normals(self) -> Array:
        """The row of each contact's normal."""
        sizes = 1 + np.array(self.tangents, dtype=int)
        return np.cumsum(sizes) - sizes


def _are(given: tuple[Array, ...], shapes: tuple[tuple[int, ...], ...]) -> bool:
    """Whether W, v and coefficients are arrays of such shapes whose sum is finite."""
    if any(type(value) is not np.ndarray or value.dtype != np.float64 for value in given):
        return False
    W, v, *others = given
    fits = W.shape == shapes[0] and v.shape == shapes[1] and all(each.shape == shapes[2] for each in others)
    sums = [sum(value.ravel().tolist()) if value.size <= FEW_NUMBERS else float(value.sum()) for value in given]
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
