"""Simulation: a mechanism that runs, and is changed while it runs.

Constraints of the model are permanent. Those added in the run are temporary: `constrain` embeds them on line, with the
plastic impact that makes speeds consistent; `release` takes them out again, and so does a force limit. Contacts close,
slide, stick and open by themselves.

A simulation holds the state of its run (`state`), what it knows besides (`world`), and what it has done (`record`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from latchwork.constraint.constrained import Constrained
from latchwork.constraint.constraint import Constraint
from latchwork.constraint.joints.methods import Part, Parts, Place
from latchwork.constraint.rule import Rule
from latchwork.contact.law import Contact
from latchwork.errors import ArgumentError, EvaluationError, answering, spelled
from latchwork.hybrid.audit import Auditing, auditing
from latchwork.hybrid.checkpoint import Checkpoint, Reader
from latchwork.hybrid.contacts.initial_contacts import one_of_three
from latchwork.hybrid.designs import Simulating, design_of
from latchwork.hybrid.event import Events, RunEvent
from latchwork.hybrid.fixed_stepper import Stepper, tick
from latchwork.hybrid.initial_state import initial_state
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.inputs import Inputs
from latchwork.hybrid.loop import advance
from latchwork.hybrid.mechanism import Mechanism, mechanism_of
from latchwork.hybrid.mode_table import ModeTable
from latchwork.hybrid.online import constrain, release, welded, with_controllers, with_rules
from latchwork.hybrid.online_contacts import (
    contact_now,
    reshaped,
    with_shapes,
    with_waiting,
    without_contact,
)
from latchwork.hybrid.partial_run import trajectory_of
from latchwork.hybrid.path import ModeDynamics, Segment
from latchwork.hybrid.pending_contact import BoundedShape, pending_contact
from latchwork.hybrid.record import Record, Switch
from latchwork.hybrid.reset import reset
from latchwork.hybrid.start import chosen_method, method_of
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.hybrid.time_stepping.settings import TimeStepping
from latchwork.hybrid.timeline import Timeline
from latchwork.hybrid.trajectory import Samples, Trajectory
from latchwork.hybrid.world import World
from latchwork.integrate.methods import Method
from latchwork.kane.equations import Equations
from latchwork.model import Model
from latchwork.program.interrupt import hearing


@answering
@spelled
class Simulation:
    """A run that is advanced, changed and looked at.

    ``sim.advance(until)``, ``sim.constrain(name, zero)``, ``sim.release(name)``; ``sim.run`` is the trajectory so far.
    ``sim.state`` is all that decides how it goes on: keep one, and assign it to go back, ``sim.state = earlier``.
    """

    looks_ahead, keeps_awake = True, False  # see `World`
    replays = True  # see `Record`

    def __init__(self, model: Model | Equations | Constrained | Mechanism, q: Any = None, u: Any = None, *,
                 constraints: Sequence[Constraint] = (), inputs: Mapping[str, Any] | None = None,
                 controllers: Sequence[Any] = (), parameters: Mapping[str, float] | None = None,
                 start: float = 0.0, method: Method | None = None, design: Simulating | None = None,
                 at_once: bool | None = None, thick: TimeStepping | Literal[False] | None = None,
                 progress: Callable[[float], None] | None = None, audit: Auditing = "raise") -> None:  # fmt: skip
        self.record = Record(replays=self.replays)
        shared = model if isinstance(model, Mechanism) else mechanism_of(model, constraints, inputs, controllers)
        if progress is not None and not callable(progress):
            raise ArgumentError(f"progress is {progress!r}. Give a function that hears the time reached.")
        self.world = World(method_of(method), shared.plan.design(design, design_of(design)), one_of_three(at_once),
                           progress and hearing(progress), looks_ahead=self.looks_ahead, keeps_awake=self.keeps_awake,
                           shared=shared)  # fmt: skip
        self.audit = auditing(audit)
        self.stepper: Stepper | None = None  # what is ticked, where nothing changes
        self._state, self.start = initial_state(self.world, q, u, parameters, start, thick, design is not None)

    def __repr__(self) -> str:
        held = ", ".join(self.active) or "nothing"
        return f"<Simulation of '{self.equations.name}' at t = {self.t:.6g}, with {held} held>"

    # --- where it stands ----------------------------------------------------------------------------------------

    @property
    def state(self) -> SimState:
        """All that decides how the run goes on from here, as one value that is never changed.

        ``sim.state = earlier`` goes back to a state that was kept; what the record has of later times is forgotten. A
        state that was pickled is one to go on from in any simulation of the same model.
        """
        return self._state

    @state.setter
    def state(self, state: SimState | Checkpoint) -> None:
        if isinstance(state, Checkpoint):
            state = Reader(self.world, self._state, state).state()
            self.stepper = None
        if state.t < self._state.t:
            self.record.cut(state.t)
        self._state = state

    def moved(self, t: float, x: Array) -> SimState:
        """The run has gone on to (q, u, work) at t, and nothing else has changed."""
        self._state = state = self._state.but(t=t, x=x)
        return state

    def went(self, segments: Sequence[Segment], x: Array, t: float | None = None) -> None:
        """The run has gone on, over some segments, to (q, u, work); they end at t."""
        self.record.segments += segments
        end = float(segments[-1].solution.t[-1]) if t is None else t
        self._state = self._state.but(t=end, x=x, begun=True)

    @property
    def mode_table(self) -> ModeTable:
        """Programs of the modes of this mechanism, remembered."""
        return self.world.table(self._state.driven)

    @property
    def dynamics(self) -> ModeDynamics | None:
        """The equations of the mode that the run is in, where they are there already."""
        state, table = self._state, self.mode_table
        known = state.modes.get(table.key(state.holds, state.contacts, state.rules, {}))
        return None if known is None else known.dynamics

    @property
    def method(self) -> Method:
        """The method of integration: as it was given, or as it is chosen where the run begins."""
        return self.world.method or chosen_method(self._state.stiffness)

    @method.setter
    def method(self, method: Method | None) -> None:
        self.world.method = method_of(method)

    @property
    def progress(self) -> Callable[[float], None] | None:
        """Who hears the time reached."""
        return self.world.progress

    @progress.setter
    def progress(self, progress: Callable[[float], None] | None) -> None:
        self.world.progress = progress

    @property
    def t(self) -> float:
        """The time now."""
        return self._state.t

    @property
    def driven(self) -> Driven:
        """The equations, and what drives them."""
        return self._state.driven

    @property
    def equations(self) -> Equations:
        """The equations of the mechanism; coordinates that contacts track are among theirs."""
        return self._state.driven.equations

    @property
    def active(self) -> tuple[str, ...]:
        """The constraints that hold now, by name."""
        return self._state.active

    @property
    def q(self) -> dict[str, float]:
        """Coordinates now, by name."""
        return dict(zip(self.equations.q_names, self._state.x.tolist(), strict=False))

    @property
    def u(self) -> dict[str, float]:
        """Speeds now, by name."""
        n_q = len(self.equations.q)
        return dict(zip(self.equations.u_names, self._state.x[n_q:-1].tolist(), strict=True))

    @property
    def x(self) -> Array:
        """(q, u, work) now, as in a trajectory."""
        return self._state.x.copy()

    @property
    def inputs(self) -> Inputs:
        """Inputs now, by name; ``sim.inputs["F"] = 2.0`` holds one at a number from now on."""
        return Inputs(self)

    def value(self, what: Any) -> Any:
        """Anything that a run can be asked for and that depends on t, q, u and inputs alone, as it is now."""
        state = self._state
        return Samples(state.driven, np.asarray(state.t), state.x, state.rest_now)[what]

    @property
    def places(self) -> dict[str, bool]:
        """Places where contacts may touch, as far as they were made, by name: whether each is watched, or sleeps."""
        contacts = self._state.contacts
        watched = {contact_point.name: True for contact_point in contacts.contact_points}
        return watched | {contact_point.name: False for contact_point in contacts.asleep}

    @property
    def modes_known(self) -> int:
        """How many modes are ready to be run."""
        return len(self._state.modes)

    # --- going on -----------------------------------------------------------------------------------------------

    def advance(self, until: float, *, stop_when: Mapping[str, Any] | None = None,
                samples: Array | None = None) -> Events:  # fmt: skip
        """Run until a time, or until the first of ``stop_when`` falls through zero; gives the events on the way.

        Fixed steps (`lw.RK4`) in pieces that end on their grid have the bits of one go. Steps by tolerance end where a
        piece ends: in pieces it is another run, as exact; ``samples`` keeps states on the way and changes nothing.
        """
        return advance(self, until, stop_when, samples, self.world.method, self.audit)

    def tick(self, step: float) -> Events:
        """Run by one step of RK4, and tell what happened: for a loop that cannot wait, and keeps nothing of the past.

        Inputs may be set between ticks. Where nothing changes a tick takes microseconds; ``sim.run`` has the last step
        at most.
        """
        return tick(self, step)

    # --- constraints and rules ----------------------------------------------------------------------------------

    def constrain(self, name: str | Constraint, zero: Any = None, *, limit: float | None = None) -> RunEvent:
        """Impose a constraint now. Speeds become consistent by a plastic impact, whose impulses the event gives.

        A constraint on coordinates must be met already. With ``limit``, it lets go where the size of its multipliers
        passes that.
        """
        constraint = name if isinstance(name, Constraint) else Constraint(name, zero)
        changes = constrain(self.mode_table, self._state, constraint, limit)
        self.state = changes[-1].state
        return [changed.noted(self.record) for changed in changes][-1]

    def close(self, kind: str, name: str, a: Part, b: Part, at: Place | None = None, to: Place | None = None,
              axis: Any = None, *, limit: float | None = None) -> RunEvent:  # fmt: skip
        """A loop closed now by a joint between a and b, whose points meet there, as ``model.close``."""
        return self.constrain(Parts(self.equations.system).close(kind, name, a, b, at, to, axis), limit=limit)

    def weld(self, name: str, a: Part, b: Part, *, limit: float | None = None) -> RunEvent:
        """b fixed to a in the pose that they have now; what was moving is taken up by an impact."""
        return self.constrain(welded(self._state, name, a, b), limit=limit)

    def release(self, name: str | Constraint) -> RunEvent:
        """Let a constraint go. Nothing jumps."""
        changed = release(self.mode_table, self._state, name)
        self.state = changed.state
        return changed.noted(self.record)

    @spelled
    def rule(self, name: str, when: Any, *, hold: Any = (), release: Any = (), reset: Mapping[Any, Any] | None = None,
             inputs: Mapping[Any, Any] | None = None, needs: Any = (), without: Any = (), once: bool = False,
             stop: bool = False) -> Rule:  # fmt: skip
        """What the user says about modes, from now on: as ``model.rule``; the model stays as it was."""
        rule = Rule(name, when, hold, release, reset or {}, inputs or {}, needs, without, once, stop)
        self.state = with_rules(self.world.with_pairs_of(self._state, [rule]), [rule])
        return rule

    def control(self, *controllers: Any) -> None:
        """Let other sampled controllers command inputs from now on, in the place of those before; inputs stay held."""
        self.stepper, self.state = None, with_controllers(self.mode_table, self._state, controllers)

    # --- contacts -----------------------------------------------------------------------------------------------

    @spelled
    def contact(self, name: str, a: Any, b: Any, *, restitution: Any = 0.0, friction: Any = None,
                impact: str = "newton", adhesion: Any = 0.0) -> Contact:  # fmt: skip
        """Two shapes that may touch from now on, as ``model.contact``; the model stays as it was.

        A shape that another process describes (``lw.Remote``) is asked for where something comes near its bound; until
        then the contact has no features.
        """
        laws = {"restitution": restitution, "friction": friction, "impact": impact, "adhesion": adhesion}
        if not isinstance(a, BoundedShape) and not isinstance(b, BoundedShape):
            self.state, contact = with_shapes(self.world, self._state, name, a, b, laws)
            return contact
        late = pending_contact(name, a, b, laws)
        self.state = with_waiting(self._state, late)
        return late.contact

    def reshape(self, name: str, b: Any = None, *, a: Any = None) -> RunEvent:
        """Give a contact another second shape, or first one (``a``), while the run goes on; its laws stay.

        Closed, it stays closed where the new shape passes through the place of contact, with an impact where its normal
        differs; it opens where the new shape is further away; shapes that overlap are refused.
        """
        return self._decided(name, reshaped(self.world, self._state, name, a, b), "reshape")

    def remove(self, name: str) -> RunEvent:
        """Take a contact away: what it held is free."""
        state = self._state
        if isinstance(name, str) and name in state.waiting:
            before = state.active
            self.state = state.but(waiting={key: late for key, late in state.waiting.items() if key != name})
            return self.record.tell(RunEvent(state.t, name, before, before, kind="remove"))
        contact = self._known(name)
        return self._decided(name, without_contact(self.world, self._state, contact), "remove")

    def _known(self, name: str) -> Contact:
        """A contact that there is now; a pair of a collision becomes one where it is named."""
        pair = self.world.broad_phase.named(name) if isinstance(name, str) else None
        if pair is not None and pair not in self._state.presence:
            self.state = self.world.joined(self._state, [pair])
        return contact_now(self._state, name)

    def _decided(self, name: str, changed: SimState, kind: str) -> RunEvent:
        """Contacts decided anew after a change of them."""
        before = self.active
        self.state, notes = reset(self.world, changed, (), {})
        notes.noted(self.t, self.record)
        return self.record.tell(RunEvent(self.t, name, before, self.active, kind=kind))

    # --- looking back -------------------------------------------------------------------------------------------

    @property
    def timeline(self) -> Timeline:
        """What was worked on so far, by the clock."""
        return self.record.timeline

    @property
    def switches(self) -> list[Switch]:
        """The changes of mode so far, and what each took."""
        return self.record.switches

    @property
    def events(self) -> Events:
        """What happened so far."""
        return Events(self.record.events)

    @property
    def run(self) -> Trajectory:
        """The trajectory so far."""
        return self.trajectory()

    @property
    def known(self) -> Trajectory | None:
        """The same, or nothing where it has not run yet."""
        return self.trajectory() if self.record.segments else None

    def trajectory(self, every: float | None = None) -> Trajectory:
        """The trajectory so far, sampled at even times where ``every`` is given."""
        if not self.record.segments:
            raise EvaluationError(f"'{self.equations.name}' has not run yet. Call sim.advance(until) first.")
        return trajectory_of(self, self.record.segments, every)
