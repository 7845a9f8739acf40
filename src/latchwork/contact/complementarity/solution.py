"""The contact problem for Python: contacts by name, arrays, notes and refusals as sentences.

The rules by which contacts open, slide and stick are those of the kernel, `solve_contact_problem`; what redundant
contacts carry is in `redundant_forces`.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from latchwork.constraint.terms import Array
from latchwork.contact.complementarity import open_slide_stick, problem, redundant_forces
from latchwork.contact.complementarity.linear_program import MAX_PIVOTS
from latchwork.contact.complementarity.problem import Note, State, Status
from latchwork.contact.complementarity.redundant_forces import HELD, INVALID, SLIP_TOGETHER
from latchwork.errors import EvaluationError, Jammed, Unsettled
from latchwork.program.native import address, native
from latchwork.program.records.memory import lay_out
from latchwork.program.records.view import address_of

__all__ = [
    "NamedContactProblem",
    "ContactSolution",
    "HeldOn",
    "State",
    "feasible",
    "hold_on",
    "refusal",
    "sentences",
    "settle",
]

STATES = tuple(State)


@dataclass(frozen=True, eq=False)
class NamedContactProblem:
    """k contacts whose gaps and normal velocities are zero, all other constraints already eliminated from A and b."""

    names: tuple[str, ...]
    A: Array  # (n, n)
    b: Array  # (n,) free relative accelerations, velocity terms included
    tangents: tuple[int, ...]  # 0, 1 or 2 orthonormal ones of each contact
    mu_s: Array  # (k,)
    mu_d: Array  # (k,) not above mu_s
    slip: tuple[Array | None, ...]  # unit direction of the slip velocity; None where it is zero
    must_slip: tuple[Array | None, ...]  # where it has just left its cone: how it begins to slide
    fixed: tuple[bool, ...] = ()  # where mu_s and mu_d are limits of the force itself, and normal rows are none


@dataclass(frozen=True, eq=False)
class ContactSolution:
    """States that obey the laws of contact, with forces and accelerations that prove it."""

    states: tuple[State, ...]
    directions: tuple[Array | None, ...]  # of the slip, of those that slide with friction
    lam: Array
    a: Array
    iterations: int
    notes: tuple[str, ...] = ()


class HeldOn(NamedTuple):
    """Forces within the cones with which contacts go on; or, where there are none, how those begin to slip that
    cannot be further inside, whatever the others carry."""

    lam: Array | None
    must_slip: tuple[Array | None, ...]


def settle(resting: NamedContactProblem, guess: Sequence[State] | None = None) -> ContactSolution:
    """States that obey every law, nearest to ``guess`` (the present ones; all closed if not given)."""
    work = _written(resting)
    work.guess[: work.k] = State.STICK if guess is None else guess
    if native(open_slide_stick.solve_contact_problem).brief(work.address) != Status.SOLVED:
        raise refusal(work.record, resting.names)
    return ContactSolution(
        tuple([STATES[state] for state in work.state[: work.k].tolist()]),
        work.directions(resting, work.directed, work.direction), work.lam[: work.n].copy(), work.a[: work.n].copy(),
        work.record.tries, sentences(work.record, resting.names),
    )  # fmt: skip


def feasible(resting: NamedContactProblem, states: Sequence[State], directions: Sequence[Array | None]) -> Array | None:
    """λ within the cones, as far inside as can be, with which these states go on; None where there is none."""
    work = _written(resting)
    work.go_on(states, directions)
    found = native(redundant_forces.feasible).brief(work.address)
    if found == INVALID:
        raise refusal(work.record, resting.names)
    return work.lam[: work.n].copy() if found == HELD else None


def hold_on(resting: NamedContactProblem, states: Sequence[State], directions: Sequence[Array | None],
            firm: Sequence[float]) -> HeldOn:  # fmt: skip
    """Whether contacts that stick can go on, one of which is at the edge of its cone as the load is shared now.

    ``firm`` says how many times further each of them may be beyond its cone.
    """
    work = _written(resting)
    work.go_on(states, directions)
    firmness = np.array(firm, dtype=np.float64)
    found = native(redundant_forces.hold_on).brief(work.address, address(firmness))
    if found == INVALID:
        raise refusal(work.record, resting.names)
    if found == HELD:
        return HeldOn(work.lam[: work.n].copy(), ())
    none = (None,) * work.k
    return HeldOn(None, work.directions(resting, work.must_slip, work.onset) if found == SLIP_TOGETHER else none)


class _Workspace:
    """A record with room for so many contacts and rows, its arrays as NumPy's."""

    lam: Array
    a: Array

    def __init__(self, contacts: int, rows: int) -> None:
        given = self.record = lay_out(problem.ContactProblem, most_contacts=contacts, most_rows=rows)
        self.address, self.k, self.n = address_of(given), 0, 0
        self.tangents, self.A, self.b = map(np.asarray, (given.tangents, given.A, given.b))
        self.mu_s, self.mu_d, self.guess = map(np.asarray, (given.mu_s, given.mu_d, given.guess))
        self.fixed = np.asarray(given.fixed)
        self.slips, self.slip = map(np.asarray, (given.slips, given.slip))
        self.must_slip, self.onset = map(np.asarray, (given.must_slip, given.onset))
        self.state, self.directed, self.direction = map(np.asarray, (given.state, given.directed, given.direction))
        self.lam, self.a, self.note = np.asarray(given.lam), np.asarray(given.a), np.asarray(given.note)

    def take(self, resting: NamedContactProblem, n: int) -> None:
        """Write the question down."""
        k = self.k = len(resting.names)
        self.n, self.record.contacts = n, k
        self.tangents[:k] = resting.tangents
        self.A[: n * n], self.b[:n] = np.ravel(resting.A), resting.b
        self.mu_s[:k], self.mu_d[:k] = resting.mu_s, resting.mu_d
        self.fixed[:k] = resting.fixed or (False,) * k
        if any(resting.fixed):
            self.record.rows = n
            problem.press_fixed(self.record)
        _point(self.slips, self.slip, resting.slip)
        _point(self.must_slip, self.onset, resting.must_slip)

    def go_on(self, states: Sequence[State], directions: Sequence[Array | None]) -> None:
        """Write states and directions down that are given."""
        self.state[: self.k] = states
        _point(self.directed, self.direction, directions)

    def directions(self, resting: NamedContactProblem, flags: Any, d: Any) -> tuple[Array | None, ...]:
        """Directions of contacts, None where there is none."""
        flagged = enumerate(zip(flags[: self.k].tolist(), resting.tangents, strict=True))
        return tuple([d[2 * i : 2 * i + t].copy() if flag else None for i, (flag, t) in flagged])


def _point(flags: Any, d: Any, directions: Sequence[Array | None]) -> None:
    """Directions as flags and numbers."""
    for i, direction in enumerate(directions):
        flags[i] = 0
        if direction is not None and len(direction):
            flags[i], d[2 * i], d[2 * i + 1] = 1, direction[0], direction[1] if len(direction) > 1 else 0.0


_local = threading.local()  # a record for each thread


def _written(resting: NamedContactProblem) -> _Workspace:
    """The problem written down in a record with room for it."""
    k, n = len(resting.names), len(resting.tangents) + sum(resting.tangents)
    _check(resting, n)
    work: _Workspace | None = getattr(_local, "work", None)
    if work is None or work.record.most_contacts < k or work.record.most_rows < n:
        work = _local.work = _Workspace(max(4, k), max(12, n))
    work.take(resting, n)
    return work


def _check(resting: NamedContactProblem, n: int) -> None:
    """Shapes."""
    k, A, b = len(resting.names), np.shape(resting.A), np.shape(resting.b)
    parts = (resting.tangents, resting.mu_s, resting.mu_d, resting.slip, resting.must_slip)
    if (A, b) != ((n, n), (n,)) or any([len(part) != k for part in parts]):
        raise EvaluationError(
            f"{k} contacts with {n} rows have A of shape {A}, b of shape {b} and {[len(p) for p in parts]} "
            "tangents, mu_s, mu_d, slip and must_slip. Give one row for each normal and tangent, and one of each per "
            "contact."
        )


def sentences(given: problem.ContactProblem, names: Sequence[str]) -> tuple[str, ...]:
    """What is to be known of the answer in a record, in words."""
    codes = given.note[: given.contacts].tolist()
    if not any(codes):
        return ()
    notes = [f"'{name}' was to slide and sticks: others changed in the same moment"
             for name, code in zip(names, codes, strict=True) if code & Note.STICKS_AFTER_ALL]  # fmt: skip
    for note, taken in ((Note.PRESSES_KEPT, "the present states are kept"),
                        (Note.PRESSES_OPENS, "the answer that opens is taken")):  # fmt: skip
        pressed = ", ".join(f"'{name}'" for name, code in zip(names, codes, strict=True) if code & note)
        if pressed:
            notes.append(f"{pressed}: friction presses, so that to slide on and to open are both lawful; {taken}")
    return tuple(notes)


def refusal(given: problem.ContactProblem, names: Sequence[str]) -> EvaluationError | Jammed | Unsettled:
    """Why there is no answer to the problem in a record, and for which contacts."""
    k, n = given.contacts, given.rows
    first, A, b = given.first[: k + 1].tolist(), np.asarray(given.A)[: n * n].reshape(n, n), np.asarray(given.b)[:n]
    if not (np.isfinite(A).all() and np.isfinite(b).all()):
        bad = [name for name, (i, j) in zip(names, pairwise(first), strict=True)
               if not (np.isfinite(A[i:j]).all() and np.isfinite(b[i:j]).all())]  # fmt: skip
        return EvaluationError(
            f"contacts {', '.join(map(repr, bad))} have accelerations that are not finite. Look for a state where "
            "a normal or a mass is not defined."
        )
    if given.unended:
        return Unsettled(
            f"how {', '.join(map(repr, names))} share their load was not found: the linear program over their forces "
            f"did not end in {MAX_PIVOTS} steps. Leave out contacts that say nothing new, or allow lw.TimeStepping().",
            names,
        )
    free = [float(b[row]) for row in first[:k]]
    pressed = [i for i in range(k) if given.note[i] & Note.JAMS]
    if pressed:
        seen = ", ".join(f"'{names[i]}' (mu = {given.mu_d[i]:.4g}, {free[i]:.4g} m/s²)" for i in pressed)
        return Jammed(
            f"sliding contacts can neither stay closed nor open: {seen}, with their free accelerations along the "
            "normal. No finite force holds them: resolve it as an impact, or lower the friction.",
            [names[i] for i in pressed],
        )
    return Unsettled(
        f"no set of open, sliding and sticking contacts was found for {', '.join(map(repr, names))}: their free "
        f"accelerations along the normals are {[float(f'{x:.4g}') for x in free]} m/s². Look for contacts that hold "
        "one body between them and disagree about its motion.",
        names,
    )
