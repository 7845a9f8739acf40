"""simulate: a model, a start and an end, to a trajectory."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from latchwork.errors import EvaluationError, IntegrationError, ModelError
from latchwork.hybrid.right_side import RightSide, right_side
from latchwork.hybrid.stops import stop_guards
from latchwork.hybrid.trajectory import RunEvent, Trajectory
from latchwork.integrate.method import DormandPrince, Method, integrate
from latchwork.integrate.solution import Event, Solution, join
from latchwork.kane.equations import Equations
from latchwork.kane.values import argument_vector
from latchwork.model import Model
from latchwork.program.function import Function

UNIT = 1e-6  # how far from unit length a quaternion may start


def simulate(model: Model | Equations, until: float, q: Any = None, u: Any = None, *,
             inputs: Mapping[str, Any] | None = None, parameters: Mapping[str, float] | None = None,
             start: float = 0.0, method: Method | None = None, every: float | None = None,
             keep: Literal["steps", "samples"] = "steps", stop_when: Mapping[str, Any] | None = None,
             progress: Callable[[float], None] | None = None) -> Trajectory:  # fmt: skip
    """Run a mechanism from ``start`` to ``until``.

    ``q`` and ``u`` are sequences or mappings by name (speeds left out start at 0). ``inputs`` are numbers, held,
    expressions in t, q and u, or ``lw.Table(times, values, "held" or "linear")``. ``method`` is
    ``lw.DormandPrince(...)`` or ``lw.RK4(step)``; for stiff systems ``lw.SciPy("Radau")`` or ``lw.Sundials()``.

    ``every`` asks for samples at even times; otherwise they are the method's own steps. Either way the steps are kept,
    and ``run.at(t)`` gives anything in between as exactly as the method; ``keep="samples"`` forgets them, so that a run
    of any length needs no more memory than its samples, and ``run.at`` is then a cubic from sample to sample.

    ``stop_when`` gives expressions (or their text) by name. The run ends where the first of them falls through zero,
    and ``run.events`` says which and when; an input that jumps at the row of a table may take one through. One that
    starts below zero must rise above it first; one that starts at zero and falls ends the run at once.
    """
    equations, method = mechanism(model), method_of(method)
    t0, t_end = span(start, until)
    side, held = right_side(equations, inputs)
    x0, rest = start_of(equations, q, u, held, parameters, t0)
    rest = np.append(rest, np.zeros(len(side.arguments) - 1 - len(x0) - len(rest)))
    stops = dict(stop_when or {})
    plan = Plan(side, stop_guards(side, stops), method, _kept(t0, t_end, every, keep), progress)
    try:
        solution = plan.run(x0, side.pieces(t0, t_end), rest)
    except IntegrationError as error:
        raise _explained(error, side, rest) from None
    event, names = solution.event, [*stops]
    events = () if event is None else tuple(RunEvent(event.t, names[i]) for i in event.guards)
    return _trajectory(side, solution, rest, every, events)


@dataclass(frozen=True, eq=False)
class Plan:
    """How to run: what moves, what ends it, by which method, and which samples to keep (or every step)."""

    side: RightSide
    guards: Function | None
    method: Method
    samples: np.ndarray | None
    progress: Callable[[float], None] | None

    def run(self, x0: np.ndarray, times: np.ndarray, rest: np.ndarray) -> Solution:
        """Piece after piece, each with the inputs that its table rows give, until the end or an event."""
        parts: list[Solution] = []
        armed: np.ndarray | None = None
        for (t, t_end), held in zip(pairwise(times.tolist()), self.side.rest_at(rest, times[:-1]), strict=True):
            x = parts[-1].x[-1] if parts else x0
            g = self.guard(t, x, held)
            if armed is not None and (fell := np.flatnonzero(armed & (g < 0.0))).size:  # an input jumped at a row
                parts[-1] = replace(parts[-1], event=Event(t, tuple(fell.tolist()), x))
                break
            try:
                parts.append(self.piece(x, t, t_end, held, g >= 0.0))
            except IntegrationError as error:
                known = [*parts, *([] if error.solution is None else [error.solution])]
                raise IntegrationError(str(error), join(known) if known else None) from None
            if parts[-1].event is not None:
                break
            armed = self.guard(t_end, parts[-1].x[-1], held) >= 0.0
        return join(parts)

    def guard(self, t: float, x: np.ndarray, rest: np.ndarray) -> np.ndarray:
        """The guards at one state."""
        if self.guards is None:
            return np.empty(0)
        values = self.guards(np.concatenate([[t], x, rest]))
        return np.asarray(values[: len(values) // 2])

    def piece(self, x: np.ndarray, t: float, t_end: float, rest: np.ndarray, armed: np.ndarray) -> Solution:
        """From t to t_end with what is held there. A guard that is below zero at t waits until it was above."""
        samples = None
        if self.samples is not None:
            inside = self.samples[slice(*np.searchsorted(self.samples, [t, np.nextafter(t_end, np.inf)]))]
            samples = inside if len(inside) and inside[0] == t else np.append(t, inside)
        return integrate(self.side.function, x, t, t_end, rest, self.method, self.progress,
                         guards=self.guards, armed=None if self.guards is None else armed, samples=samples)  # fmt: skip


def _kept(t0: float, t_end: float, every: float | None, keep: str) -> np.ndarray | None:
    """The times to keep, or none where every step is kept."""
    if keep == "steps":
        return None
    if keep != "samples" or every is None:
        raise EvaluationError(
            f"keep = {keep!r} with every = {every} cannot be had. Keep 'steps', or 'samples' with an interval every=..."
        )
    return even_times(t0, t_end, every)


def mechanism(model: Model | Equations) -> Equations:
    """The equations to run, of something that can move."""
    equations = model.equations() if isinstance(model, Model) else model
    if not isinstance(equations, Equations):
        raise ModelError(f"simulate takes a Model or Equations; got {model!r}.")
    if not equations.u:
        raise ModelError(f"'{equations.name}' has no coordinates, so nothing can move. Add coordinates or joints.")
    return equations


def method_of(method: Method | None) -> Method:
    """The method asked for, or the usual one."""
    if method is not None and not hasattr(method, "solve"):
        raise ModelError(f"'{method}' is no method of integration. Give lw.DormandPrince(...), lw.RK4(step), "
                         "lw.SciPy(name) or lw.Sundials(...).")  # fmt: skip
    return method or DormandPrince()


def span(start: Any, until: Any) -> tuple[float, float]:
    """Start and end of a run, in order."""
    t0, t_end = float(start), float(until)
    if not (math.isfinite(t0) and math.isfinite(t_end) and t_end > t0):
        raise EvaluationError(f"a run goes from start = {start} to until = {until}. Give a finite end after the start.")
    return t0, t_end


def start_of(equations: Equations, q: Any, u: Any, held: Mapping[str, float], parameters: Any,
             t0: float) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """The state at the start of a run, and the inputs and parameters held over it."""
    system = equations.system
    if u is None or isinstance(u, Mapping):
        u = {name: 0.0 for name in equations.u_names} | {_name(key): value for key, value in (u or {}).items()}
    if q is None or isinstance(q, Mapping):
        q = _rest_quaternions(equations) | {_name(key): value for key, value in (q or {}).items()}
    x = argument_vector(system, t0, q, u, held, parameters)
    n = len(system.q) + len(system.u)
    must_be_unit(equations, x[1:])
    return np.append(x[1 : 1 + n], 0.0), x[1 + n :]


def _name(key: Any) -> str:
    return key.name if hasattr(key, "is_symbol") and key.is_symbol else str(key)


def _rest_quaternions(equations: Equations) -> dict[str, float]:
    """Quaternions that are not given start unturned: (1, 0, 0, 0)."""
    return {e.name: float(i == 0) for four in equations.system.quaternions for i, e in enumerate(four)}


def must_be_unit(equations: Equations, x: np.ndarray) -> None:
    """Refuse a state whose quaternions are not of unit length."""
    names = equations.q_names
    for four in equations.system.quaternions:
        values = x[[names.index(e.name) for e in four]]
        if abs(np.linalg.norm(values) - 1.0) > UNIT:
            raise EvaluationError(
                f"the quaternion ({', '.join(e.name for e in four)}) starts as {values.tolist()}, of length "
                f"{np.linalg.norm(values):.6g}. Give it unit length."
            )


def _trajectory(side: RightSide, solution: Solution, rest: np.ndarray, every: float | None,
                events: tuple[RunEvent, ...] = ()) -> Trajectory:  # fmt: skip
    t, x = solution.t, solution.x
    if every is not None:
        t = even_times(t[0], t[-1], every)
        x = solution.at(t)
    return Trajectory(side, t, x, rest, solution, events)


def even_times(t0: float, t_end: float, every: float) -> np.ndarray:
    """Times ``t0 + i every``, and the end."""
    if not every > 0:
        raise EvaluationError(f"samples every {every} s cannot be had. Give a positive interval.")
    count = math.floor((t_end - t0) / every * (1.0 + 1e-12))
    even = np.minimum(t0 + every * np.arange(count + 1), t_end)
    return even if t_end - even[-1] < 1e-9 * every else np.append(even, t_end)


def _explained(error: IntegrationError, side: RightSide, rest: np.ndarray) -> IntegrationError:
    """The error with the names of this mechanism, and the run up to there, as far as it is finite."""
    solution = error.solution
    if solution is not None:
        last = int(np.flatnonzero(np.isfinite(solution.x).all(axis=1))[-1]) + 1
        parts = (solution.t[:last], solution.x[:last], solution.dx[:last], solution.bend[: last - 1])
        ends = None if solution.ends is None else solution.ends[: last - 1]
        solution = Solution(*parts, solution.stats, ends=ends)
    run = None if solution is None else _trajectory(side, solution, rest, None)
    return IntegrationError(f"'{side.equations.name}': {error}", solution, run)
