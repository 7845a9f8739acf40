"""Audit: what can be checked of a run, and whether it is what the method of integration promises.

Energy is judged by `energy_balance`. Rows of embedded constraints are met to `HOLDS` wherever a run ends or changes, or
it is refused there (`residuals.must_hold`). Designs that hold accelerations only let coordinates drift: by less than
`GROSS`, in their units.
"""

from __future__ import annotations

import inspect
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from latchwork.constraint.terms import lengths_of
from latchwork.errors import ArgumentError, AuditError, AuditWarning, answering
from latchwork.hybrid.energy_balance import GROSS, Balance, allowance, allowed, by_work
from latchwork.hybrid.mode_dynamics import ByAcceleration
from latchwork.hybrid.path import Path, Segment
from latchwork.hybrid.table import Array
from latchwork.integrate.stiffness import Stiffness
from latchwork.program.function import Function

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

Auditing = Literal["raise", "warn", "off"]
ANYWAY = 'With audit="warn" or "off" the run is taken as it is.'
SMALL_TURN = 0.35  # rad: turns of sections in the frame of an elastic body
BEYOND = 1e-6  # lengths of a beam beyond its end, from which on that is told
LOOKED_AT = 200  # states of a run at which is worked out what is allowed, where its end alone does not settle it


@answering
@dataclass(frozen=True)
class Audit:
    """What can be checked of a run: energy balance, unit length of quaternions, constraints, and what it cost.

    ``constraint_error`` is the largest Φ, or B u + C, each over the length of its row.
    """

    energy_start: float
    energy_end: float
    work: float
    energy_error: float
    quaternion_error: float
    constraint_error: float
    steps: int
    rejected: int
    evaluations: int
    least_gap: float | None = None  # of all contacts, where there are some, and whose it is
    least_gap_of: str = ""
    events: int = 0
    stepped: tuple[tuple[float, float, int], ...] = ()  # time stepping: from when to when, and in how many steps
    numerical: tuple[float, float] = (0.0, 0.0)  # energy that time steps lost by themselves; and were kept from gaining
    unresolved: float = 0.0  # the widest gap, in coordinates, between circuits that were taken to cross
    stiffness: Stiffness | None = None  # where it is why steps were implicit
    contact_error: float = 0.0  # of the velocities at hand: the most by which time steps left laws of contact unmet

    def __str__(self) -> str:
        lines = [
            f"energy (K + V)   {self.energy_start:.9g} at the start, {self.energy_end:.9g} at the end",
            f"work done on it  {self.work:.9g}",
            f"energy balance   off by at most {self.energy_error:.3g}",
            f"steps            {self.steps} taken, {self.rejected} rejected, {self.evaluations} evaluations",
        ]
        if self.stiffness is not None:
            lines.append(f"method           {self.stiffness}")
        if self.events:
            lines.append(f"events           {self.events}")
        if self.least_gap is not None:
            lines.insert(3, f"gaps             never below {self.least_gap:.3g} ('{self.least_gap_of}')")
        if self.constraint_error:
            lines.insert(3, f"constraints      off by at most {self.constraint_error:.3g}")
        if self.quaternion_error:
            lines.insert(3, f"quaternions      off unit length by at most {self.quaternion_error:.3g}")
        if self.unresolved:
            lines.append(f"circuits         taken to cross where they miss each other, Φ by {self.unresolved:.1g}")
        for start, end, steps in self.stepped:
            lines.append(f"time stepping    from t = {start:.6g} to {end:.6g}, {steps} steps")
        if self.stepped:
            lost, kept = self.numerical
            lines.append(f"by the steps     an energy of {lost:.3g} lost, and {kept:.3g} kept from being gained")
            lines.append(f"contact laws     met to {self.contact_error:.2g} of the velocities in each step")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        from latchwork.hybrid.overview import audit_html

        return audit_html(self)


def auditing(audit: Any) -> Auditing:
    """How a run is audited, as it was asked for."""
    if audit not in get_args(Auditing):
        raise ArgumentError(f'audit = {audit!r} is no way to audit a run. Give "raise", "warn" or "off".')
    return audit


class Entry(NamedTuple):
    """Where a run stands: how many segments it has, K + V, and the work done so far."""

    segments: int
    energy: float
    work: float


def entry(sim: Simulation) -> Entry:
    """Where a run stands now."""
    return Entry(len(sim.record.segments), float(sim.mode_table.energy(sim.state.row)[0]), float(sim.state.x[-1]))


def judge(sim: Simulation, since: Entry, method: Any, audit: Auditing) -> None:
    """Refuse a run whose energy or constraints are off by far more, since it stood elsewhere, than its method promises.

    What is off and allowed adds up from call to call; once it was told, it begins anew.
    """
    record = sim.record
    segments = record.segments[since.segments :]
    if audit == "off" or not segments:
        return
    now, told = entry(sim), ""
    balance = record.balance = _balance(sim, method, segments, now.energy - now.work - (since.energy - since.work))
    if not balance.holds:
        told, record.balance = _energy_told(sim, method, balance), Balance()
    elif broken := _broken(sim, segments[-1]):
        told = _rows_told(broken, sim.t)
    tell_bending(sim, segments)
    if told and audit == "warn":
        warnings.warn(f"'{sim.equations.name}': {told}", AuditWarning, stacklevel=_callers())
    elif told:
        run = sim.trajectory()
        raise AuditError(f"'{sim.equations.name}': {told}", run.path, run)


def tell_bending(sim: Simulation, segments: list[Segment]) -> None:
    """Warn, once in a run, of an elastic body whose sections turn further in its frame than small means, and of what
    slides along one and is beyond its end."""
    bodies = [body for body in sim.equations.system.elastic_bodies if body.slopes]
    slopes = [(body.name, e) for body in bodies for e in body.slopes]
    places = [(body.name, e) for body in bodies for e in body.places]
    if not bodies or (sim.record.bent and (sim.record.beyond or not places)):
        return
    if sim.record.bending is None:
        sim.record.bending = Function(sim.equations.program([e for _, e in (*slopes, *places)]))
    found = sim.record.bending.many(_some_states(sim, segments))
    turned, beyond = np.abs(found[:, : len(slopes)]).max(axis=0), np.abs(found[:, len(slopes) :] - 0.5)
    if turned.max() > SMALL_TURN and not sim.record.bent:
        sim.record.bent, most = True, int(turned.argmax())
        _tell(sim, f"sections of '{slopes[most][0]}' turn by {turned[most]:.2g} rad in its frame, and shapes hold for "
                   f"turns well below one (told from {SMALL_TURN:g} on). Take segments=, a stiffer section, or a frame "
                   "that goes along with it, as shapes='pinned-free' has it.")  # fmt: skip
    if beyond.size and beyond.max() > 0.5 + BEYOND and not sim.record.beyond:
        sim.record.beyond, (row, k) = True, divmod(int(beyond.argmax()), len(places))
        x = found[row, len(slopes) + k]
        _tell(sim, f"what slides along '{places[k][0]}' is {x:.4g} lengths from its root, beyond its "
                   "end, where there is no beam. Stop the run where it leaves: model.rule('leaves', "
                   "lw.minimum(s, L - s), stop=True).")  # fmt: skip


def _tell(sim: Simulation, words: str) -> None:
    warnings.warn(f"'{sim.equations.name}': {words}", AuditWarning, stacklevel=_callers())


def _some_states(sim: Simulation, segments: list[Segment]) -> Array:
    """States (t, q, ...) at some samples of some segments; what elastic coordinates do not move is that of now."""
    t = np.concatenate([segment.solution.t for segment in segments])
    q = np.concatenate([segment.solution.x[:, : len(sim.equations.q)] for segment in segments])
    at = np.unique(np.linspace(0, len(t) - 1, LOOKED_AT).astype(int))
    rows = np.tile(sim.state.row, (len(at), 1))
    rows[:, 0], rows[:, 1 : 1 + q.shape[1]] = t[at], q[at]
    return rows


def _callers() -> int:
    """How many frames up, from where it is called, the code lies that uses this package."""
    frame, level = inspect.currentframe(), 0
    while frame is not None and frame.f_globals["__name__"].startswith("latchwork."):
        frame, level = frame.f_back, level + 1
    return level


def _balance(sim: Simulation, method: Any, segments: list[Segment], off: float) -> Balance:
    """The balance with some segments more. What is allowed is worked out as far as it matters: for W alone, with the
    state of the end, or with states of all the run."""
    before, energy, units = sim.record.balance, sim.mode_table.energy, sim.mode_table.base.state_units
    steps, work = sum([segment.solution.stats.steps for segment in segments]), float(sim.state.x[-1])
    off += before.off
    found = Balance(off, before.allowed + by_work(method, steps, work, units))
    if not found.holds:
        here = allowance(energy, sim.state.row[None], units, method)
        found = Balance(off, before.allowed + float(allowed(method, steps, len(segments), work, here, units)[0]))
    if not found.holds:
        path = sim.trajectory().path
        along = allowance(energy, _spread(path), units, method).most
        work = float(np.abs(path.x[:, -1]).max())
        found = Balance(off, float(allowed(method, path.stats.steps, len(path.segments), work, along, units)[0]))
    return found


def _spread(path: Path) -> Array:
    """States (t, q, u, rest) at some of the samples of a run, evenly."""
    at = np.unique(np.linspace(0, len(path.t) - 1, LOOKED_AT).astype(int))
    return np.column_stack([path.t[at], path.x[at, :-1], path.driven.rest_at(path.rest, path.t[at])])


def _broken(sim: Simulation, segment: Segment) -> dict[str, float]:
    """Rows held by accelerations only, whose Φ or B u + C is far off where a segment ends, and by how much."""
    dynamics = segment.dynamics
    if not isinstance(dynamics, ByAcceleration):
        return {}
    terms, x = dynamics.mode.terms, sim.state.row
    n_q, n, _ = terms.sizes
    place, u = terms.place(x), x[1 + n_q : 1 + n_q + n]
    moved, T = terms.base.scales.time * place.B * u, terms.base.scales.time
    lengths = lengths_of(place.B * terms.base.units.u, dynamics.mode.typical)
    rates = moved.sum(axis=1) + T * place.C
    off, slip, size = (abs(part) / lengths for part in (place.Phi, rates, abs(moved).sum(axis=1)))
    far = ~((off <= GROSS) & (slip <= GROSS * np.maximum(1.0, size)))
    return {terms.rows.names[i]: float(max(off[i], slip[i])) for i in np.flatnonzero(far)}


def _rows_told(broken: dict[str, float], t: float) -> str:
    """Which constraints are off by how much, and what to do about it."""
    rows = ", ".join(f"'{name}' by {value:.3g}" for name, value in sorted(broken.items(), key=lambda row: -row[1])[:6])
    return (f"constraints are not met at t = {t:.9g}: off are {rows}. Take a smaller tolerance, shorter steps, or a "
            f"design that returns to the constraints (lw.Embedded, lw.Projected). {ANYWAY}")  # fmt: skip


def _energy_told(sim: Simulation, method: Any, balance: Balance) -> str:
    """By how much the energy is off, where that came from, and what to do about it."""
    path = sim.trajectory().path
    t, W = path.t, path.x[:, -1]
    E = sim.mode_table.energy.many(np.column_stack([t, path.x[:, :-1], path.driven.rest_at(path.rest, t)]))[:, 0]
    grew = np.diff(E - W)
    i = int(np.argmax(np.where(np.isfinite(grew), np.abs(grew), np.inf)))
    rows = _worst_rows(path, float(t[i]))
    off = ", ".join(f"'{name}' off by {value:.3g}" for name, value in rows)
    return (
        f"the energy balance is off by {balance.off:.3g} at t = {sim.t:.9g}, and with {_named(method)} it may be off "
        f"by {balance.allowed:.3g}: K + V went from {E[0]:.9g} to {E[-1]:.9g} and the work done was "
        f"{W[-1] - W[0]:.9g}. Most of it, {grew[i]:.3g}, came between t = {t[i]:.9g} and {t[i + 1]:.9g}"
        f"{f', where constraints hold ({off})' if off else ''}. {_finer(method)}"
        f"{', or look at these constraints' if off else ''}. {ANYWAY}"
    )


def _worst_rows(path: Path, t: float) -> list[tuple[str, float]]:
    """The rows that hold at a time, those that are off most first, and by how much they are off at most."""
    segment = next(s for s in reversed(path.segments) if s.solution.t[0] <= t)
    return sorted(path.off(segment).items(), key=lambda row: -row[1])[:3]


def doubts(energy: Function, t: Array, x: Array, rest: Array, steps: Array, method: Any,
           units: Array) -> dict[int, str]:  # fmt: skip
    """Which of many runs are off by far more than their method promises, and by how much, by row.

    ``x`` is (run, sample, (q, u, W)), ``rest`` (run, inputs and parameters). What is allowed is worked out with the end
    of every run, and with all samples where that does not settle it; ``units`` are those of (q, u, W).
    """
    finite, W = np.flatnonzero(np.isfinite(x[:, -1]).all(axis=1)), x[:, :, -1]
    first, last = (_states(t[[k]], x[finite][:, [k]], rest[finite]) for k in (0, -1))
    E = [energy.many(states)[:, 0] for states in (first, last)]
    off = E[1] - E[0] - (W[finite, -1] - W[finite, 0])
    enough = allowed(method, steps[finite], 1, W[finite, -1], allowance(energy, last, units, method), units)
    found = {}
    for k in np.flatnonzero(~(np.abs(off) <= enough)).tolist():
        i = int(finite[k])
        along = allowance(energy, _states(t, x[i : i + 1], rest[i : i + 1]), units, method).most
        balance = Balance(float(off[k]), float(allowed(method, steps[i], 1, np.abs(W[i]).max(), along, units)[0]))
        if not balance.holds:
            found[i] = (f"the energy balance is off by {balance.off:.3g}, and with {_named(method)} it may be off by "
                        f"{balance.allowed:.3g}. {_finer(method)}. {ANYWAY}")  # fmt: skip
    return found


def _states(t: Array, x: Array, rest: Array) -> Array:
    """States (t, q, u, rest) of runs (run, sample, (q, u, W)), one row each."""
    runs, samples, _ = x.shape
    states = x[:, :, :-1].reshape(runs * samples, x.shape[2] - 1)
    return np.column_stack([np.tile(t, runs), states, np.repeat(rest, samples, axis=0)])


def _finer(method: Any) -> str:
    return "Take a smaller rtol" if hasattr(method, "rtol") else "Take shorter steps"


def _named(method: Any) -> str:
    """A method and what it promises."""
    known = [f"{name}={getattr(method, name):g}" for name in ("step", "rtol") if hasattr(method, name)]
    return f"{type(method).__name__}({', '.join(known)})"
