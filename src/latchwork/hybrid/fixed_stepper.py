"""Fixed steps, one a call, for a loop that cannot wait. Of the past only the events are told.

A tick is a step of `RK4`. Where nothing changes, the integration that the simulation stands in goes on by one step,
and a tick takes microseconds. Where something does, ``advance`` makes that step. Both are the same steps of the same
integrations, on one grid: ticks have the bits of one ``advance``.
"""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from latchwork.errors import EvaluationError
from latchwork.hybrid.contacts.guards import Guards
from latchwork.hybrid.controllers import looked
from latchwork.hybrid.event import Events
from latchwork.hybrid.fallen_guards import look_at_rules
from latchwork.hybrid.flow_stepper import FlowStepper, flow_stepper
from latchwork.hybrid.horizon import look_around, relied_in_tick
from latchwork.hybrid.input_laws import Column
from latchwork.hybrid.interference.rollback import keep_watch
from latchwork.hybrid.loop import advance, decide_contacts
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.mode_integration import ModeIntegrations
from latchwork.hybrid.modes import find_or_lay_out, keep_speeds
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.start import seconds
from latchwork.hybrid.state import SimState
from latchwork.hybrid.stepper_flow import grid_of, is_on_grid, kinds_at
from latchwork.hybrid.table import Array
from latchwork.integrate.methods import RK4
from latchwork.integrate.reusable_integration import ReusableIntegration
from latchwork.integrate.status import Status
from latchwork.program.native import address, argument, native

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

OFTEN = 64  # ticks after which steps are counted, rows verified, and machine code that has arrived is taken
KEPT_SWITCHES = 1000  # switches that are kept
NEARLY = 1e-6  # of a step: a controller that looks as close to its end looks there
MADE = (Status.FULL, Status.REWRITE)  # how a step ends that was made


class FixedStepper:
    """A mode that is stepped tick by tick from where the simulation stands, as long as nothing changes."""

    def __init__(self, sim: Simulation, integration: ReusableIntegration, dynamics: ModeDynamics, guards: Guards,
                 step: float, until: float) -> None:  # fmt: skip
        self.integration, self.dynamics, self.guards, self.step, self.until = integration, dynamics, guards, step, until
        self.state, self.x, self._control = sim.state, integration.workspace.x, integration.record.control
        self._reached = address(self.x)
        self.expand = Expand(dynamics, sim) if isinstance(dynamics, Recombined) else None
        self.paces = sim.world.paces(sim.state, sim.state.row[None]) if sim.state.sleeping.sleeps else None

    @property
    def t(self) -> float:
        """The time reached."""
        return self._control.t

    @property
    def made(self) -> int:
        """The number of steps."""
        return self._control.made

    def tick(self, sim: Simulation) -> int | None:
        """Make a step: END, or REWRITE where equations ask for other speeds; none where it was not made, and the
        simulation is as it was."""
        state = sim.state
        rest = state.driven.rest_at(state.rest, state.t)
        status = self.integration.tick(rest)
        t = self._control.t
        if status not in MADE or sim.world.watch.ticked(t, self._reached):
            return None
        x = self.x.copy() if self.expand is None else self.expand(t, self.x, rest)
        made = state.but(t=t, x=x, begun=True, standing=(self.dynamics, x))
        slept, self.paces = (made, None) if self.paces is None else relied_in_tick(sim, made, self.paces)
        if slept is None:
            return None
        sim.state = self.state = slept
        return Status.REWRITE if status == Status.REWRITE else Status.END


Stepper = FixedStepper | FlowStepper


class Expand:
    """(q, u, work) of the states (q, u_ind, work) of a mode."""

    def __init__(self, dynamics: Recombined, sim: Simulation) -> None:
        mode = dynamics.mode
        self.n_q, n = len(sim.equations.q), len(sim.equations.u)
        self.z, self.out, self.code = mode.workspace(), np.zeros(2 * n), mode.code
        self.states, self.n_rest = len(mode.inputs) - 1 - len(mode.rest), len(mode.rest)
        self.speeds = self.out[:n]
        self._run = native(mode.expander).brief
        self._arguments = [argument(item) for item in (self.code, self.z, self.out)]

    def __call__(self, t: float, x: Array, rest: Array) -> Array:
        self.z[0] = t
        self.z[1 : 1 + self.states] = x
        self.z[1 + self.states : 1 + self.states + self.n_rest] = rest
        self._run(*self._arguments)
        return np.concatenate((x[: self.n_q], self.speeds, x[-1:]))


def tick(sim: Simulation, step: float) -> Events:
    """Go on by one step: see `Simulation.tick`."""
    stepper = sim.stepper = sim.stepper or begun_again(sim, step)
    if stepper is not None and sim.state.controllers.is_due(sim.state.t) and goes_on(stepper, sim, step):
        sim.state = looked(sim, stepper.dynamics)
    if stepper is not None and goes_on(stepper, sim, step):
        status = stepper.tick(sim)
        if status is not None:
            return _ticked(sim, stepper, status)
    step = seconds("step", step)
    if not 0.0 < step < np.inf:
        raise EvaluationError(f"a tick of {step!r} s cannot be made. Give a positive number of seconds: step=1e-3.")
    grid = grid_of(sim.state, step)
    if not is_on_grid(sim.state.t, grid, step):
        grid = sim.state.t
        sim.state = sim.state.but(grid=(grid, step))
    end = grid + float(round((sim.state.t - grid) / step) + 1) * step
    advance(sim, end, None, None, stepping(step), "off")  # steps that are forgotten: nothing that could be judged
    events = _forgotten(sim)
    sim.stepper = begun(sim, step)
    return events


def goes_on(stepper: Stepper, sim: Simulation, step: float) -> bool:
    """Whether a simulation stands where its stepper left it, and the next step is like the last."""
    now, left = sim.state, stepper.state
    if now is not left and not (
        now.x is left.x and now.settled and now.holds is left.holds and now.contacts is left.contacts
        and now.rules is left.rules and now.driven.equations is left.driven.equations
        and now.waiting is left.waiting
    ):  # fmt: skip
        return False
    return (not sim.record.events and step == stepper.step and left.t + step <= stepper.until
            and now.controllers.next_time(left.t) >= left.t + (1.0 - NEARLY) * step)  # fmt: skip


def _ticked(sim: Simulation, stepper: Stepper, status: int) -> Events:
    """What has happened in a tick; other speeds where equations ask for them; from time to time, steps are counted, and
    rows verified."""
    if sim.stepper is not stepper:
        return _forgotten(sim)
    state, dynamics, guards = sim.state, stepper.dynamics, stepper.guards
    t, x, rest = state.t, state.x, state.rest_now
    if status == Status.REWRITE:
        dynamics = dynamics.rewritten(t, x, rest)
        keep_speeds(sim, {}, dynamics, guards, t, x, rest)
        sim.state = sim.state.but(standing=(dynamics, x))
        sim.stepper = stepper_of(sim, dynamics, guards, stepper.step, stepper.until)
    elif stepper.made % OFTEN == 0:
        stepper.integration.count()
        dynamics.verify(t, x, rest)
        if not stepper.integration.is_current:
            sim.stepper = stepper_of(sim, dynamics, guards, stepper.step, stepper.until)
    return Events([])


@lru_cache(KEPT_SWITCHES)
def stepping(step: float) -> RK4:
    """The method of ticks of a length: one object, so that integrations are found integration."""
    return RK4(step)


def stand_ready(sim: Simulation, step: float) -> None:
    """Decide now, where a run begins, what its first tick would have to: contacts, and the mode that they make."""
    grid = grid_of(sim.state, step), step
    sim.state = sim.state.but(grid=grid)
    sim.world.ahead.wait()
    decide_contacts(sim, None, grid)
    begun(sim, step)


def begun_again(sim: Simulation, step: float) -> Stepper | None:
    """A stepper where a run stands between two ticks, or ready for the first; none where something is to be decided or
    told before."""
    state = sim.state
    if state.grid is None or state.grid[1] != step or not is_on_grid(state.t, state.grid[0], step) or sim.record.events:
        return None
    sim.world.ahead.wait()
    return begun(sim, step)


def begun(sim: Simulation, step: float) -> Stepper | None:
    """A stepper from here, where something stands that can go on."""
    state, table = sim.state, sim.mode_table
    if state.event_rate.is_thick or not state.settled or state.waiting or state.rules.pending:
        return None
    if state.driven.equations.r and table.inputs_in_rows(state.holds, state.contacts.members):
        return None
    sim.state = state = sim.world.seen(state, (grid_of(state, step), step))
    dynamics, guards = find_or_lay_out(sim, {}, state.row)
    until = look_around(sim, np.inf)
    if until is None:
        return None
    state = sim.state
    keep_watch(sim, state.row)
    values = dynamics.look(state.t, state.x, state.rest_now)
    if any([values[i] < 0.0 for i in guards.on_forces]) or look_at_rules(sim, guards, values) is not None:
        return None
    sim.world.watch.stand(sim.state.row)
    return stepper_of(sim, dynamics, guards, step, until)


def stepper_of(sim: Simulation, dynamics: ModeDynamics, guards: Guards, step: float, until: float) -> Stepper | None:
    """A mode begun where the simulation stands; none where it ends at once."""
    found = begun_in(sim, sim.mode_table.integrations, dynamics, guards, step)
    if found is None:
        return None
    return flow_stepper(sim, found, dynamics, guards, step, until) or FixedStepper(sim, found, dynamics, guards, step,
                                                                                   until)  # fmt: skip


def stepper_beside(sim: Simulation, integrations: ModeIntegrations, stepper: Stepper) -> FixedStepper | None:
    """The same mode begun where the simulation stands, among other integrations."""
    found = begun_in(sim, integrations, stepper.dynamics, stepper.guards, stepper.step)
    return None if found is None else FixedStepper(sim, found, stepper.dynamics, stepper.guards, stepper.step,
                                                   stepper.until)  # fmt: skip


def begun_in(sim: Simulation, integrations: ModeIntegrations, dynamics: ModeDynamics, guards: Guards,
             step: float) -> ReusableIntegration | None:  # fmt: skip
    """The integration of a mode, begun where the simulation stands; none where it ends at once."""
    state = sim.state
    kinds = kinds_at(guards, state) if guards.of_rules and dynamics.guards is not None else None
    integration, status = integrations.begun(dynamics, guards, stepping(step), state.t, state.x, state.rest_now,
                                             grid_of(state, step), kinds)  # fmt: skip
    return integration if status == Status.FULL else None


def _forgotten(sim: Simulation) -> Events:
    """Tell what has happened, and keep nothing of it but what the next step needs."""
    events = Events(sim.record.taken())
    sim.record.forget(KEPT_SWITCHES)
    sim.state = _without_past(sim.state)
    return events


def _without_past(state: SimState) -> SimState:
    """Inputs from tables that have come to their last row are held at it from now on."""
    over = [column for column in state.driven.columns
            if len(column.places) == 1 and column.table.times[-1] <= state.t]  # fmt: skip
    if not over:
        return state
    rest = state.rest.copy()
    for column in over:
        rest[list(column.places)] = column.table.numbers(state.t)
    others: tuple[Column, ...] = tuple(column for column in state.driven.columns if column not in over)
    return state.but(driven=replace(state.driven, columns=others), rest=rest)
