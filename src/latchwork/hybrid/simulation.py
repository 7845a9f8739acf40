"""Simulation: a mechanism that runs, and is changed while it runs.

Constraints of the model are permanent. Those added in the run are temporary: `constrain` embeds them on line, with the
plastic impact that makes speeds consistent; `release` takes them out again, and so does a force limit.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import numpy as np

from latchwork.constraint.assemble import EXACT, Start, assemble_q, assemble_u, consistent, residual_of
from latchwork.constraint.constrained import Constrained
from latchwork.constraint.constraint import Constraint
from latchwork.constraint.making.closure import latch
from latchwork.constraint.making.methods import Part, Parts, Place
from latchwork.constraint.rule import Rule
from latchwork.contact.feature import Feature
from latchwork.errors import (
    ConstraintError,
    EvaluationError,
    IntegrationError,
    LatchworkError,
    ModelError,
    did_you_mean,
)
from latchwork.hybrid.ahead import Ahead, coming, successors
from latchwork.hybrid.changing import NEAR, Changing
from latchwork.hybrid.designs import Automaton, Simulating, design_of
from latchwork.hybrid.driven import driven
from latchwork.hybrid.enumerated import prepare_all
from latchwork.hybrid.event import Events, RunEvent
from latchwork.hybrid.gaps import Presence
from latchwork.hybrid.path import Path, Segment, Stage
from latchwork.hybrid.plan import Broken, Plan
from latchwork.hybrid.rules import Effect, Rules, Watched, eager, put_in, rules_of, waiting
from latchwork.hybrid.start import even_times, mechanism, method_of, start_of
from latchwork.hybrid.stepping.enter import STEPPING, scene_of, through
from latchwork.hybrid.stepping.settings import Thicket, TimeStepping
from latchwork.hybrid.stops import stops_of
from latchwork.hybrid.table import Array
from latchwork.hybrid.timeline import Timeline, Work
from latchwork.hybrid.touching.crossing import Crossing
from latchwork.hybrid.touching.friction import forces_in
from latchwork.hybrid.touching.pacing import paced
from latchwork.hybrid.touching.placing import Crossings, contacts_of, must_run_contacts, one_of_three
from latchwork.hybrid.touching.standing import Guard, Standings
from latchwork.hybrid.touching.telling import told
from latchwork.hybrid.touching.touch import Touch
from latchwork.hybrid.trajectory import Trajectory
from latchwork.hybrid.workshop import Hold, Workshop
from latchwork.integrate.method import Method
from latchwork.kane.equations import Equations
from latchwork.model import Model

APART = 1e-6  # how far from zero Φ may be where a constraint is imposed in the run


@dataclass(frozen=True)
class Switch:
    """A change of mode: when, the constraints before and after, and what it took from request to ready equations."""

    t: float
    before: tuple[str, ...]
    after: tuple[str, ...]
    microseconds: float


class Simulation(Changing):
    """A run that is advanced, changed and looked at.

    ``sim.advance(until)``, ``sim.constrain(name, zero)``, ``sim.release(name)``; ``sim.run`` is the trajectory so far.
    """

    def __init__(self, model: Model | Equations | Constrained, q: Any = None, u: Any = None, *,
                 constraints: Sequence[Constraint] = (), inputs: Mapping[str, Any] | None = None,
                 parameters: Mapping[str, float] | None = None,
                 start: float = 0.0, method: Method | None = None, design: Simulating | None = None,
                 at_once: bool | None = None, thick: TimeStepping | None = None,
                 progress: Callable[[float], None] | None = None) -> None:  # fmt: skip
        self._born, self._work = time.perf_counter(), list[Work]()
        self.equations, own = mechanism(model)
        must_run_contacts(model, self.equations)
        permanent = (*own, *constraints)
        self.method, self.design, self.progress = method_of(method), design_of(design), progress
        self.at_once = one_of_three(at_once)
        self.driven, held = driven(self.equations, inputs)
        self._holds = {k.name: Hold(k, True, None) for k in permanent}
        self._workshop = Workshop(self.driven, self.design)
        self._ahead = Ahead()
        self._segments: list[Segment] = []
        self._events: list[RunEvent] = []
        self.switches: list[Switch] = []
        self._standings = Standings([])
        self._presence, self._waiting = {}, {}
        self._listed: dict[Any, tuple[tuple[str, ...], ...]] = {}  # modes that were made ready before they are met
        self._backs: list[tuple[float, frozenset[Feature]]] = []
        self._settled = True
        self._thicket = Thicket(thick)
        self._pending: tuple[float, tuple[str, ...], tuple[str, ...], float] | None = None
        self.t = self._began = float(start)
        given = start_of(self.equations, q, u, held, parameters, self.t, bool(permanent))
        n = len(self.equations.q) + len(self.equations.u)
        x, rest = given.x, given.x[1 + n :]
        self._rest = np.append(rest, np.zeros(len(self.driven.held) - len(rest)))
        self.start: Start | None = None
        if permanent:
            x, self.start = consistent(self._workshop.held(self._holds), self._padded(x), given.q_held, given.u_held)
        self._x = np.append(x[1 : 1 + n], 0.0)
        for contact in contacts_of(model):
            self._add(contact)
        self._add_rules(rules_of(model))

    def __repr__(self) -> str:
        held = ", ".join(self.active) or "nothing"
        return f"<Simulation of '{self.equations.name}' at t = {self.t:.6g}, with {held} held>"

    # --- what holds ---------------------------------------------------------------------------------------------

    @property
    def active(self) -> tuple[str, ...]:
        """The constraints that hold now, by name."""
        return (*self._holds, *self._standings.labels)

    @property
    def q(self) -> dict[str, float]:
        """Coordinates now, by name."""
        return dict(zip(self.equations.q_names, self._x.tolist(), strict=False))

    @property
    def u(self) -> dict[str, float]:
        """Speeds now, by name."""
        return dict(zip(self.equations.u_names, self._x[len(self.equations.q) : -1].tolist(), strict=True))

    def _padded(self, x: Array) -> Array:
        """(t, q, u, rest) with room for the numbers of tables."""
        n = 1 + len(self.equations.q) + len(self.equations.u)
        return np.concatenate([x[:n], self.driven.rest_at(self._rest, x[0])])

    def _inputs(self) -> Array:
        return self._rest[: len(self.equations.r)]

    def _parameters(self) -> Array:
        return self._rest[len(self.equations.r) :][: len(self.equations.p)]

    def _state(self) -> Array:
        return np.concatenate([[self.t], self._x[:-1], self.driven.rest_at(self._rest, self.t)])

    # --- going on -----------------------------------------------------------------------------------------------

    def advance(self, until: float, *, stop_when: Mapping[str, Any] | None = None,
                samples: Array | None = None) -> Events:  # fmt: skip
        """Run until a time, or until the first of ``stop_when`` falls through zero; gives the events on the way."""
        seen, t_end = len(self._events), float(until)
        if not (np.isfinite(t_end) and t_end >= self.t):
            raise EvaluationError(f"a run at t = {self.t:.6g} cannot be advanced to {until}. Give a later time.")
        asked = stops_of(stop_when)
        self._fetch(self._bounds_entered())
        crossings = Crossings(self.equations.name)
        rules = self._rules
        while self.t < t_end or rules.pending:
            if not (self._thicket.is_thick or self._settled):
                self._cross((), {}, bool(self._segments))
            stops = asked | self._bounds()
            if self._thicket.is_thick:
                if self._step_through(t_end, stops):
                    break
                continue
            self._enumerate(stops)
            stage, guards = self._workshop.stage(self._holds, self._standings, stops, self._state())
            plan = Plan(self.driven, self.method, samples, self.progress)
            values = plan.guards(stage, self.t, self._x, self._state()[len(self._x) :])
            if self._at_once(stage, guards, values, crossings):
                continue
            due = rules.look(self.t, self.active, guards, values, not (self._segments or self._events))
            if due is not None:
                if self._fire(due):
                    break
                continue
            if self.t >= t_end:
                break
            plan = replace(plan, method=self._paced(), eager=eager(guards), waiting=waiting(guards))
            was = self._x
            pieces = self.driven.pieces(self.t, self._look(t_end))
            self._switched_over()
            self._note_backs()
            self._look_ahead(stage, guards, stops, values)
            began, before = time.perf_counter(), self.t
            try:
                ran = plan.run(stage, self._x, pieces, self._rest, values if self._x is was else None)
            except Broken as error:
                self._segments += error.segments
                raise self._explained(error) from None
            finally:
                self._ahead.wait()
            self._segments += ran.segments
            self._worked("integrate", ", ".join(stage.names) or "free", before, began)
            self.t, self._x = float(ran.segments[-1].solution.t[-1]), ran.x
            hits = [guards[i] for i in ran.guards]
            rules.hit(hits)
            named = [guard.about for guard in hits if guard.kind == "stop"]
            stopped = [name for name in named if name in asked]
            self._events += [RunEvent(self.t, name, self.active, self.active) for name in stopped]
            changes = [guard for guard in hits if guard.kind not in ("stop", "rule")]
            self._pass(ran.stage, changes, crossings)
            self._fetch(name.removeprefix(NEAR) for name in named if name not in asked)
            due = None if changes else rules.first
            if (due is not None and self._fire(due)) or stopped:
                break
        return Events(self._events[seen:])

    def _enumerate(self, stops: Mapping[str, Any]) -> None:
        """Where all modes are to be known before: make them ready, once for what can change."""
        if not isinstance(self.design, Automaton) or not self._standings.touches:
            return
        key = tuple(self._holds.items()), tuple(self._standings.touches), tuple(stops.items())
        if key not in self._listed:
            began = time.perf_counter()
            self._listed[key] = prepare_all(self._workshop, self._holds, self._standings, stops, self._state(),
                                            self.design.most)  # fmt: skip
            self._worked("embed", f"{len(self._listed[key])} modes", self.t, began)

    def _at_once(self, stage: Stage, guards: Sequence[Guard], values: Array, crossings: Crossings) -> bool:
        """Pass the guards on forces that are below zero to begin with."""
        hits = [guard for guard, g in zip(guards, values, strict=False) if guard.by_force and g < 0.0]
        self._pass(stage, hits, crossings)
        return bool(hits)

    def _pass(self, stage: Stage, hits: Sequence[Guard], crossings: Crossings) -> None:
        """Go through what was hit: constraints let go at their limits, contacts change."""
        for guard in hits:
            if guard.kind == "limit":
                self.release(guard.about)
        touched = [guard for guard in hits if guard.kind != "limit"]
        if touched:
            if not self._thicket.allowed:
                crossings.count(self.t, [guard.about.name for guard in touched if isinstance(guard.about, Touch)])
            self._thicket.count(self.t)
            self._cross(touched, forces_in(stage, self.t, self._x, self._state()[len(self._x) :]))

    def _paced(self) -> Method:
        """The method, with steps short enough for gaps to be followed."""
        return paced(self.method, self._workshop.turning(self._state())) if self._standings.touches else self.method

    def _look_ahead(self, stage: Stage, guards: Sequence[Guard], stops: Mapping[str, Any], values: Array) -> None:
        """Prepare, beside the integration, what is likely to come when the next gaps close."""
        moments = coming(guards, values)
        if not moments:
            return
        x = self._state()
        work = [standings for moment in moments for standings in successors(self._standings, moment, x)]
        holds, workshop, t = dict(self._holds), self._workshop, self.t
        work = [standings for standings in work if not workshop.is_prepared(holds, standings, stops)]
        if work:
            def prepare() -> None:
                for standings in work:
                    began = time.perf_counter()
                    workshop.prepared(holds, standings, stops)
                    self._worked("embed", ", ".join((*holds, *standings.labels)), t, began)

            self._ahead.start(prepare)

    # --- contacts -----------------------------------------------------------------------------------------------

    def _look(self, t_end: float) -> float:
        """Whether another place of a curve is nearer now; gives the time until which that can be relied on."""
        s, until = self._standings, t_end
        for touch in s.touches:
            if touch.feature.tracked is not None:
                x, interval = touch.looked(self._state(), touch in s.closed)
                self._x = np.append(x[1 : len(self._x)], self._x[-1])
                until = min(until, self.t + interval)
        return until

    def _note_backs(self) -> None:
        """Note which features are met from behind from now on, where that has changed."""
        backs = frozenset(touch.feature for touch in self._standings.behind)
        if backs != (self._backs[-1][1] if self._backs else frozenset()):
            self._backs.append((self.t, backs))

    def _cross(self, hits: Sequence[Guard], lam: Mapping[str, Array], tell: bool = False) -> None:
        """From one mode to the next: zones, impacts, then what stays closed; nothing is known beforehand.

        What is closed to begin with is no event; what a rule or a constraint makes open or close is (``tell``).
        """
        began, s = time.perf_counter(), self._standings
        names, before = self.active, dict(s.closed)
        shop = self._workshop
        crossing = Crossing(s, shop.base, shop.held(self._holds), self._state(), at_once=self.at_once)
        crossing.take(hits, lam)
        try:
            crossing.go()
        except IntegrationError:
            if not self._thicket.allowed:
                raise
            self._thicket.stuck = True
            return
        self._settled = True
        self._x = np.append(crossing.x[1 : len(self._x)], self._x[-1] + crossing.work)
        if hits or crossing.impacts or tell:
            self._events += told(self.t, before, s, crossing.impacts, hits, (names, self.active))
        if names != self.active or self._pending is None:
            self._pending = self.t, names, self.active, began

    def _step_through(self, t_end: float, stops: Mapping[str, Any]) -> bool:
        """Time stepping until things are calm; whether a stop ended it."""
        before, s = self.active, self._standings
        scene = scene_of(self.driven, self._workshop.base, self._workshop.held(self._holds), s, self._rest)
        made = through(scene, self._state(), float(self._x[-1]), t_end, self._thicket, stops, self.progress)
        self._segments.append(made.segment())
        self._events.append(RunEvent(self.t, STEPPING, before, (STEPPING,), kind=STEPPING))
        self.t, self._x = float(made.x[0]), made.states[-1]
        self._events.append(RunEvent(self.t, STEPPING, (STEPPING,), made.labels(), kind=STEPPING, notes=made.told()))
        self._events += [RunEvent(self.t, name, self.active, self.active) for name in made.stopped]
        s.left(made.x)
        self._settled = False
        self._thicket.leave()
        return bool(made.stopped)

    def _switched_over(self) -> None:
        """Note what the last switch took, from the guard to equations that are ready."""
        if self._pending is not None:
            t, before, after, began = self._pending
            self._worked("embed", ", ".join(after) or "free", t, began)
            self.switches.append(Switch(t, before, after, 1e6 * (time.perf_counter() - began)))
            self._pending = None

    # --- changing it --------------------------------------------------------------------------------------------

    def constrain(self, name: str | Constraint, zero: Any = None, *, limit: float | None = None) -> RunEvent:
        """Impose a constraint now. Speeds become consistent by a plastic impact, whose impulses the event gives.

        A constraint on coordinates must be met already. With ``limit``, it lets go where the size of its multipliers
        passes that.
        """
        began = time.perf_counter()
        constraint = name if isinstance(name, Constraint) else Constraint(name, zero)
        if constraint.name in self._holds:
            raise ConstraintError(f"'{constraint.name}' holds already. Release it, or name the new one otherwise.")
        if constraint.name in self._standings.contacts:
            raise ConstraintError(f"'{constraint.name}' is a contact of '{self.equations.name}'. Name the constraint "
                                  "otherwise.")  # fmt: skip
        before, names = (dict(self._holds), self._x), self.active
        try:
            self._holds[constraint.name] = Hold(constraint, False, _limit(constraint.name, limit))
            impulses = self._impact(constraint.name)
            if not self._standings.touches:
                self._workshop.mode(self._workshop.held(self._holds), self._state())
        except LatchworkError:
            self._holds, self._x = before
            raise
        self._settled = not self._standings.touches
        return self._switched(constraint.name, names, began, impulses, before[1][-1] - self._x[-1])

    def _impact(self, name: str) -> dict[str, Array]:
        """Speeds made consistent with all that holds; the energy it costs is booked as work. The impulses by name."""
        terms, x = self._workshop.held(self._holds), self._state()
        off = residual_of(terms, x)
        if off > APART:
            raise ConstraintError(
                f"'{name}' cannot be imposed at t = {self.t:.6g}: it is off by {off:.3g}. Wait until it is met "
                "(stop_when), or latch what is now (subtract its present value)."
            )
        after, impulses = assemble_u(terms, assemble_q(terms, x) if off > EXACT else x)
        n_q, n, _ = terms.sizes
        old, new, M = x[1 + n_q : 1 + n_q + n], after[1 + n_q : 1 + n_q + n], terms.motion(after).M
        lost = 0.5 * float(new @ M @ new - old @ M @ old)
        self._x = np.append(after[1 : len(self._x)], self._x[-1] + lost)
        return {key: impulses[part] for key, part in terms.rows.slices.items()}

    def close(self, kind: str, name: str, a: Part, b: Part, at: Place | None = None, to: Place | None = None,
              axis: Any = None, *, limit: float | None = None) -> RunEvent:  # fmt: skip
        """A loop closed now by a joint between a and b, whose points meet there, as ``model.close``."""
        return self.constrain(Parts(self.equations.system).close(kind, name, a, b, at, to, axis), limit=limit)

    def weld(self, name: str, a: Part, b: Part, *, limit: float | None = None) -> RunEvent:
        """b fixed to a in the pose that they have now; what was moving is taken up by an impact."""
        parts = Parts(self.equations.system)
        one, other = parts.side(name, a, None), parts.side(name, b, None)
        cosines = [e for row in one.frame.direction_cosines(other.frame) for e in row]
        way = other.point.position(one.point).measures(one.frame)
        n_q = len(self.equations.q)
        numbers = self.equations.evaluate([*cosines, *way], self._x[:n_q], self._x[n_q:-1], self._inputs(), self.t,
                                          self._parameters())  # fmt: skip
        return self.constrain(latch(name, one, other, numbers[:9].reshape(3, 3), numbers[9:]), limit=limit)

    def release(self, name: str) -> RunEvent:
        """Let a constraint go. Nothing jumps."""
        began = time.perf_counter()
        if name not in self._holds:
            if name in self._standings.contacts:
                raise ConstraintError(f"'{name}' is a contact of '{self.equations.name}', which opens by itself where "
                                      "its force comes to zero. Only constraints are released.")  # fmt: skip
            hint = did_you_mean(str(name), self._holds) or " No constraint does."
            raise ConstraintError(f"'{name}' does not hold now.{hint}")
        if self._holds[name].permanent:
            raise ConstraintError(
                f"'{name}' is a constraint of the model '{self.equations.name}' and holds in every run. Leave it out "
                "of the model and impose it with sim.constrain to be able to release it."
            )
        before = self.active
        del self._holds[name]
        self._settled = not self._standings.touches
        if self._holds and self._settled:
            self._workshop.mode(self._workshop.held(self._holds), self._state())
        return self._switched(name, before, began, {})

    def _switched(self, name: str, before: tuple[str, ...], began: float, impulses: dict[str, Array],
                  energy: float = 0.0) -> RunEvent:  # fmt: skip
        took = 1e6 * (time.perf_counter() - began)
        self._worked("embed", ", ".join(self.active) or "free", self.t, began)
        self.switches.append(Switch(self.t, before, self.active, took))
        kind = "constrain" if name in self._holds else "release"
        self._events.append(RunEvent(self.t, name, before, self.active, impulses, kind, float(energy)))
        return self._events[-1]

    def _worked(self, lane: str, name: str, t: float, began: float) -> None:
        self._work.append(Work(lane, name, t, began - self._born, time.perf_counter() - self._born))

    # --- rules --------------------------------------------------------------------------------------------------

    @property
    def _rules(self) -> Rules:
        return self._workshop.rules

    def rule(self, name: str, when: Any, **changes: Any) -> Rule:
        """What the user says about modes, from now on: as ``model.rule``; the model stays as it was."""
        rule = Rule(name, when, **changes)
        self._add_rules([rule])
        return rule

    def _add_rules(self, rules: Sequence[Rule]) -> None:
        for rule in rules:
            for name in self._standings.contacts.intersection(rule.release):
                raise ModelError(f"rule '{rule.name}' is to release '{name}', a contact, which opens by itself where "
                                 "its force comes to zero. Only constraints are released.")  # fmt: skip
        permanent = [name for name, hold in self._holds.items() if hold.permanent]
        self._rules.add(rules, self.driven, (*self._holds, *self._standings.names), permanent)

    def _fire(self, due: Watched) -> bool:
        """A rule fires. What energy that takes is booked as work; the run stops there where the rule says so."""
        began, before, energy = time.perf_counter(), self.active, float(self._workshop.energy(self._state())[0])
        self._rules.count(due, self.t, self.equations.name)
        kept = self._holds, self._x, self.driven
        try:
            impulses = self._take(due.rule, due.effect(self._workshop.base, self._state()))
        except LatchworkError:
            self._holds, self._x, self.driven = kept
            raise
        gained = float(self._workshop.energy(self._state())[0]) - energy
        self._x[-1] = kept[1][-1] + gained
        self._settled = not self._standings.touches
        self._events.append(RunEvent(self.t, due.rule.name, before, self.active, impulses, "rule", 0.0 - gained))
        if self._pending is None:
            self._pending = self.t, before, self.active, began
        return due.rule.stop

    def _take(self, rule: Rule, effect: Effect) -> dict[str, Array]:
        """Let go, set speeds and inputs, hold; the impulses that make speeds consistent, by name."""
        held = {name: hold for name, hold in self._holds.items() if name not in rule.release}
        self._holds = held | {constraint.name: Hold(constraint, False, None) for constraint in effect.hold}
        self._x = self._x.copy()
        self._x[list(effect.states)] = list(effect.states.values())
        self.driven = put_in(self.driven, self._rest, self._began, self.t, effect.inputs)
        return self._impact(rule.name) if self._holds and (effect.states or effect.hold) else {}

    # --- looking back -------------------------------------------------------------------------------------------

    @property
    def timeline(self) -> Timeline:
        """What was worked on so far, by the clock."""
        return Timeline(tuple(self._work))

    @property
    def events(self) -> Events:
        """What happened so far."""
        return Events(self._events)

    @property
    def run(self) -> Trajectory:
        """The trajectory so far."""
        return self.trajectory()

    def trajectory(self, every: float | None = None) -> Trajectory:
        """The trajectory so far, sampled at even times where ``every`` is given."""
        path = self._path()
        t, x, udot = path.t, path.x, path.udot
        if every is not None:
            t = even_times(float(t[0]), float(t[-1]), every)
            x, udot = path.at(t)
        contacts = tuple(dict.fromkeys(touch.contact for touch in self._standings.touches))
        return Trajectory(self.driven, t, x, self._rest, path, Events(self._events), start=self.start, udot=udot,
                          timeline=self.timeline, contacts=contacts,
                          presence=Presence(dict(self._presence), tuple(self._backs)),
                          listed=tuple(dict.fromkeys(chain(*self._listed.values()))))  # fmt: skip

    def _path(self) -> Path:
        if not self._segments:
            raise EvaluationError(f"'{self.equations.name}' has not run yet. Call sim.advance(until) first.")
        return Path(self.driven, tuple(self._segments), self._rest)

    def _explained(self, error: Broken) -> IntegrationError:
        """The error with the names of this mechanism, and the run up to there, as far as it is finite."""
        run = None
        if self._segments:
            solution, stage = self._segments[-1]
            last = int(np.flatnonzero(np.isfinite(solution.x).all(axis=1))[-1]) + 1
            parts = (solution.t[:last], solution.x[:last], solution.dx[:last], solution.bend[: last - 1])
            ends = None if solution.ends is None else solution.ends[: last - 1]
            self._segments[-1] = Segment(replace(solution, t=parts[0], x=parts[1], dx=parts[2], bend=parts[3],
                                                 event=None, ends=ends), stage)  # fmt: skip
            run = self.trajectory()
        return IntegrationError(f"'{self.equations.name}': {error}", None if run is None else run.path, run)


def _limit(name: str, limit: Any) -> float | None:
    """A force limit: none, or a positive number."""
    if limit is None:
        return None
    try:
        value = float(limit)
    except (TypeError, ValueError):
        value = -1.0
    if not 0.0 < value < np.inf or isinstance(limit, str):
        raise ConstraintError(f"the force limit of '{name}' is {limit!r}. Give a positive number, or leave it out.")
    return value
