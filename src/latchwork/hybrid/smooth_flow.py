"""Flow by methods that are not ours (`SciPy`, `Sundials`): one mode until a time or an event, which is passed by the
loop."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import IntegrationError
from latchwork.hybrid.contacts.guards import Guards
from latchwork.hybrid.mode_integration import Broken, Departed, FlowResult, broken, ended
from latchwork.hybrid.path import ModeDynamics, Segment
from latchwork.hybrid.stepper_flow import Call, kinds_at
from latchwork.hybrid.table import Array
from latchwork.integrate.integration import PATIENT, SPENT
from latchwork.integrate.methods import integrate
from latchwork.integrate.problem import StateScales
from latchwork.integrate.reusable_integration import Samples
from latchwork.program.interrupt import interrupted

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation


def run_smooth(sim: Simulation, call: Call, dynamics: ModeDynamics, guards: Guards, longest: float, until: float,
               whole: bool) -> FlowResult:  # fmt: skip
    """Run until a time or an event; a mode goes on in other speeds where it asks for them."""
    state, rest, segments = sim.state, sim.state.rest_now, list[Segment]()
    t, now = state.t, state.x
    samples = None if call.samples is None or whole else Samples(call.samples, rest)
    kinds = np.array(kinds_at(guards, state) if dynamics.guards is not None else [], dtype=np.int64)
    sim.record.end_switch()
    began = time.perf_counter()
    try:
        while True:
            watches = dynamics.guards is not None
            armed = armed_at(dynamics.look(t, now, rest)[: len(guards)], kinds, guards) if watches else None
            try:
                solution = integrate(dynamics.function, dynamics.reduced(now), t, until, rest,
                                     _left(call.method, segments), sim.world.progress,
                                     guards=dynamics.guards, armed=armed,
                                     samples=None if samples is None else samples.within(t, until),
                                     settle=dynamics.settle, memory=dynamics.memory, longest=longest,
                                     heights=guards.heights, scales=_scales(sim, dynamics, guards))  # fmt: skip
            except IntegrationError as error:
                raise broken(error, dynamics, t, rest, now) from None
            result = ended(Segment(solution, dynamics), guards, began, state.t, rest)
            segments += result.segments
            if result.hit or solution.event is None or interrupted():
                return result._replace(segments=segments)
            t, now, dynamics = result.end, result.x, result.dynamics
    except Departed as error:
        raise Departed(str(error), segments + error.segments, error.t, error.x) from None
    except Broken as error:
        raise Broken(str(error), segments + error.segments, error.reason) from None


def _scales(sim: Simulation, dynamics: ModeDynamics, guards: Guards) -> StateScales:
    """Units of the states of a mode, and of its guards."""
    full = sim.mode_table.integrations.scales
    return StateScales(full.time, dynamics.reduced(np.asarray(full.states)), guards.units)


def armed_at(g: Array, kinds: NDArray[np.int64], guards: Guards) -> NDArray[np.bool_]:
    """Which guards are armed where they have these values, as `stepper.arm`."""
    usual = np.where(kinds == SPENT, g > 0.0, (g >= 0.0) | (kinds == PATIENT))
    heights = np.broadcast_to(guards.heights, g.shape)
    armed: NDArray[np.bool_] = np.where(heights == 0.0, usual, np.where(heights > 0.0, g > heights, g <= -heights))
    return armed


def _left(method: Any, segments: list[Segment]) -> Any:
    """The method with the steps that are left: however often speeds are chosen anew, ``max_steps`` is for all."""
    used = sum([s.solution.stats.steps + s.solution.stats.rejected for s in segments])
    return replace(method, max_steps=max(method.max_steps - used, 0)) if used else method
