"""Ticks of a mechanism with contacts: one kernel makes a tick, through all changes of mode in it (`flow_tick`).

What happened on the way is put down afterwards, as that of any flow. A tick that is not made whole in machine code is
not made at all, and nothing has changed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from latchwork.errors import ConstraintError
from latchwork.hybrid.contacts.guards import Guards
from latchwork.hybrid.contacts.initial_contacts import Crossings
from latchwork.hybrid.flow_memory import FlowMemory
from latchwork.hybrid.horizon import Leg, look_around, relied, relied_in_tick
from latchwork.hybrid.interference.rollback import keep_watch, look_for_passing
from latchwork.hybrid.mode_integration import ModeIntegration
from latchwork.hybrid.mode_table import least_pivot
from latchwork.hybrid.path import ModeDynamics, Segment
from latchwork.hybrid.state import SimState
from latchwork.hybrid.stepper_flow import Standing, flow_setup, legs_of, put_down
from latchwork.hybrid.table import Array
from latchwork.integrate.reusable_integration import ReusableIntegration
from latchwork.integrate.status import Status
from latchwork.program.native import address

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation


class FlowStepper:
    """A mode of a flow that is stepped tick by tick from where the simulation stands, and those that follow it."""

    def __init__(self, sim: Simulation, memory: FlowMemory, standing: Standing, guards: Guards, step: float,
                 until: float) -> None:  # fmt: skip
        self.memory, self.standing, self.guards, self.step, self.until = memory, standing, guards, step, until
        self.state, self._x = sim.state, np.asarray(memory.run.state)
        self._reached, self.made = address(self._x), 0
        self._paces = sim.world.paces(sim.state, sim.state.row[None]) if sim.state.sleeping.sleeps else None

    @property
    def dynamics(self) -> ModeDynamics:
        """The equations of the mode."""
        return self.standing.dynamics

    @property
    def integration(self) -> ReusableIntegration:
        """What steps the mode."""
        return self.memory.mode.integration

    def tick(self, sim: Simulation) -> int | None:
        """Make a step: END, or REWRITE where equations ask for other speeds; none where it was not made, and the
        simulation is as it was."""
        memory, state = self.memory, sim.state
        if memory.ticker is not self or memory.memory.current is not state.contacts:
            return None
        rest = state.driven.rest_at(state.rest, state.t)
        status, run = memory.tick(rest), memory.run
        if run.changes:
            if status == Status.END and self._changed(sim, rest):
                return Status.END
            return self._undone(sim, state)
        if status not in (Status.END, Status.REWRITE) or sim.world.watch.ticked(run.reached, self._reached):
            return self._undone(sim, state)
        x = self._x.copy()
        here = state.but(t=run.reached, x=x, begun=True, standing=(self.dynamics, x))
        slept, self._paces = (here, None) if self._paces is None else relied_in_tick(sim, here, self._paces)
        if slept is None:
            return self._undone(sim, sim.state)
        sim.state = self.state = slept
        self.made += 1
        return status

    def _undone(self, sim: Simulation, state: SimState) -> None:
        """A tick is not made: all is as it was before it."""
        self.memory.forget_tick()
        sim.state = state

    def _changed(self, sim: Simulation, rest: Array) -> bool:
        """Put down the changes of a tick, unless something may have happened unseen; whether that is done."""
        memory, state = self.memory, sim.state
        changes, mode, t, x = memory.changes(None, rest), memory.mode, memory.run.reached, self._x.copy()
        last = Segment(mode.last_solution(), mode.dynamics)
        legs = [*legs_of(state.contacts, [], changes), Leg([last], partial(changes[-1].contacts.after, state.contacts))]
        spent, again = relied(sim, legs)
        if again is not None or self._has_passed(sim, t, legs):
            return False
        if not memory.run.belongs:
            try:
                mode.dynamics.verify(t, x, rest)
            except ConstraintError:
                return False
        sim.stepper, crossings = None, Crossings(sim.equations.name, sim.mode_table.base.scales.time)
        began = put_down(sim, self.standing, changes, True, crossings, spent)
        sim.record.segments.append(last)
        sim.state = sim.state.but(t=t, x=x, begun=True, standing=(mode.dynamics, x)).having_slept(spent[-1])
        sim.stepper = self._next(sim, Standing(mode.dynamics, began, changes[-1].t), mode.guards)
        return True

    def _has_passed(self, sim: Simulation, t: float, legs: Sequence[Leg]) -> bool:
        """Whether shapes have passed into each other in a tick: along its steps, where its end does not say."""
        if not sim.world.watch.ticked(t, self._reached):
            return False
        return look_for_passing(sim, [segment.solution for leg in legs for segment in leg.segments]) is not None

    def _next(self, sim: Simulation, standing: Standing, guards: Guards) -> FlowStepper | None:
        """The same in the mode that the run is in now; none where it cannot go on so."""
        until = None if sim.state.event_rate.is_thick else look_around(sim, np.inf)
        if until is None:
            return None
        keep_watch(sim, sim.state.row)
        sim.world.watch.stand(sim.state.row)
        self.memory.go_on(sim.state)
        made = self.memory.ticker = FlowStepper(sim, self.memory, standing, guards, self.step, until)
        made.made = self.made + 1
        return made


def flow_stepper(sim: Simulation, integration: ReusableIntegration, dynamics: ModeDynamics, guards: Guards,
                 step: float, until: float) -> FlowStepper | None:  # fmt: skip
    """A stepper of the flow of a mode that has begun; none where machine code may not go from mode to mode."""
    world, state = sim.world, sim.state
    memory = flow_setup(sim, dynamics, {}, state.row).memory
    if memory is None or not memory.lays_out:
        return None
    began = time.perf_counter()
    current = ModeIntegration(integration, dynamics, guards, np.inf, began, state.t)
    memory.begin_ticks(current, state, least_pivot(dynamics), world.at_once, world.brief)
    made = memory.ticker = FlowStepper(sim, memory, Standing(dynamics, began, state.t), guards, step, until)
    return made
