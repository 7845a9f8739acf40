"""simulate: a model, a start and an end, to a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from latchwork.constraint.constrained import Constrained
from latchwork.constraint.constraint import Constraint
from latchwork.errors import EvaluationError, spelled
from latchwork.hybrid.audit import Auditing
from latchwork.hybrid.designs import Simulating
from latchwork.hybrid.progress import listener
from latchwork.hybrid.simulation import Simulation
from latchwork.hybrid.start import even_times, span
from latchwork.hybrid.table import Array
from latchwork.hybrid.time_stepping.settings import TimeStepping
from latchwork.hybrid.trajectory import Trajectory
from latchwork.integrate.methods import Method
from latchwork.kane.equations import Equations
from latchwork.model import Model


@spelled
def simulate(model: Model | Equations | Constrained, until: float, q: Any = None, u: Any = None, *,
             constraints: Sequence[Constraint] = (), inputs: Mapping[str, Any] | None = None,
             controllers: Sequence[Any] = (), parameters: Mapping[str, float] | None = None,
             start: float = 0.0, method: Method | None = None, design: Simulating | None = None,
             every: float | None = None, thick: TimeStepping | Literal[False] | None = None,
             keep: Literal["steps", "samples"] = "steps", stop_when: Mapping[str, Any] | None = None,
             at_once: bool | None = None, progress: Callable[[float], None] | bool | None = None,
             audit: Auditing = "raise") -> Trajectory:  # fmt: skip
    """Run a mechanism from ``start`` to ``until``, with the constraints of the model embedded.

    Where there are constraints, ``q`` and ``u`` may be a guess: what is given by name is kept if it can be, the rest is
    brought onto the constraints; ``run.start`` says what was changed. ``constraints`` hold besides those of the model.

    ``q`` and ``u`` are sequences or mappings by name (what is left out starts at 0). ``inputs`` are numbers, held,
    expressions in t, q and u, or ``lw.Table(times, values, "held" or "linear")``. ``method`` is
    ``lw.DormandPrince(...)`` or ``lw.RK4(step)``; for stiff systems ``lw.Radau()``.

    ``controllers`` command inputs while it runs: laws inside the equations, or sampled ones (``lw.control``).

    ``design`` says how constraints are held: embedded, unless another one is asked for (``lw.NullSpace("QR")``, ...).

    ``every`` asks for samples at even times; otherwise they are the method's own steps. Either way the steps are kept,
    and ``run.at(t)`` gives anything in between as exactly as the method; ``keep="samples"`` forgets them, so that a run
    of any length needs no more memory than its samples, and ``run.at`` is then a cubic from sample to sample.

    Contacts of the model close, slide, stick and open as the run goes; ``run.events`` tells of it. ``at_once`` says how
    several of them act in one impact: together (True), one after the other (False), or as they come (None): those that
    approach together act together.

    ``stop_when`` gives expressions (or their text) by name. The run ends where the first of them falls through zero,
    and ``run.events`` says which and when; an input that jumps at the row of a table may take one through. One that
    starts below zero must rise above it first; one that starts at zero and falls ends the run at once.

    Contacts run event by event. Where events come too thick, as in a pile that settles or a robot that falls over, a
    run of more than a dozen contacts, or of a tree of a dozen speeds that collides, is time-stepped until things are
    calm; one of fewer contacts only where it cannot get on from an instant. ``thick=False`` forbids it,
    ``thick=lw.TimeStepping(step)`` allows it for fewer and says how; ``run.events`` and ``run.audit`` say when.

    ``progress`` is a function that hears the time reached, or True for a bar; in notebooks a run that takes more than a
    second shows one, unless ``progress=False``.

    Ctrl-C ends the run after its next steps with `lw.Interrupted`, whose ``run`` holds what was computed.

    A run whose energy balance or constraints are off by far more than its method promises ends with an `AuditError`,
    which holds the run; ``audit="warn"`` gives it with a warning, and ``audit="off"`` without being looked at.
    """
    t0, t_end = span(start, until)
    samples = _kept(t0, t_end, every, keep)
    hears = listener(progress, getattr(model, "name", "run"), t0, t_end)
    sim = Simulation(model, q, u, constraints=constraints, inputs=inputs, controllers=controllers,
                     parameters=parameters, start=t0, method=method, design=design, at_once=at_once,
                     thick=thick, progress=hears, audit=audit)  # fmt: skip
    sim.advance(t_end, stop_when=stop_when, samples=samples)
    return sim.trajectory(every)


def _kept(t0: float, t_end: float, every: float | None, keep: str) -> Array | None:
    """The times to keep, or none where every step is kept."""
    if isinstance(keep, str) and keep == "steps":
        return None
    if not isinstance(keep, str) or keep != "samples" or every is None:
        raise EvaluationError(
            f"keep = {keep!r} with every = {every} cannot be had. Keep 'steps', or 'samples' with an interval every=..."
        )
    return even_times(t0, t_end, every)
