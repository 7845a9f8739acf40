"""A state written down: numbers, and the names of contacts, constraints and rules. It is what a state is pickled as.

What came into a run is told apart by its name and a number (`Names`): a fence may be drawn many times. A simulation
reads a checkpoint by the names of what it knows itself, so that a run goes on in another process, where the model is
made alike. Modes are laid out again at the rows at which they were, and choose the same speeds there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.constraint.rule import Latch
from latchwork.constraint.scales import Measure
from latchwork.contact.complementarity.solution import State
from latchwork.contact.law import Contact
from latchwork.errors import EvaluationError
from latchwork.hybrid.contacts.contact_point import ContactPoint, made_contact_point
from latchwork.hybrid.contacts.contact_state import ContactState, ContactStates
from latchwork.hybrid.contacts.rooms import Rooms, sleeping_at
from latchwork.hybrid.controllers import Controllers, ControllerState
from latchwork.hybrid.input_laws import Column
from latchwork.hybrid.mode_table import Hold, ModeTable
from latchwork.hybrid.names import Names, Ref
from latchwork.hybrid.rule_state import RuleState
from latchwork.hybrid.rules import Rules
from latchwork.hybrid.table import Table
from latchwork.hybrid.time_stepping.settings import EventRate
from latchwork.integrate.stiffness import Stiffness

if TYPE_CHECKING:
    from latchwork.hybrid.state import SimState
    from latchwork.hybrid.world import World

Floats = tuple[float, ...]


@dataclass(frozen=True)
class WrittenHold:
    """A constraint that holds; what a rule latched has its value."""

    constraint: Ref
    permanent: bool
    limit: float | None
    latched: float | None


@dataclass(frozen=True)
class WrittenPoint:
    """A contact point: its contact and feature, and from which axis of N its tangents are made."""

    contact: Ref
    feature: str
    axis: int | None


@dataclass(frozen=True)
class WrittenContacts:
    """How contacts stand, with contact points by their number in ``points``: watched ones first, then those asleep."""

    members: tuple[Ref, ...]
    points: tuple[WrittenPoint, ...]
    asleep: int  # how many of them sleep
    closed: tuple[tuple[int, tuple[str, Any, Any, int, int]], ...]
    leaving_depths: tuple[tuple[int, int], ...]
    behind: tuple[int, ...]
    zones: tuple[tuple[int, int, int], ...]  # contact point, which of its zones, and where in that
    approach_scale: float
    motion_scale: float
    lam: tuple[tuple[str, Floats], ...]
    slipped: tuple[tuple[int, tuple[float, int]], ...]
    shared: float


@dataclass(frozen=True)
class WrittenRooms:
    """Rooms of what sleeps, as they were seen last."""

    since: float
    until: float
    room: Floats
    spent: Floats
    places: tuple[int, ...]
    solids: tuple[int, ...]


@dataclass(frozen=True)
class WrittenMode:
    """A mode that was met: what holds, how contacts stand, which rules are armed, and where its speeds were chosen."""

    holds: tuple[WrittenHold, ...]
    contacts: WrittenContacts
    armed: tuple[int, ...]
    row: Floats


@dataclass(frozen=True)
class Checkpoint:
    """A state written down; equal states are written alike. ``sim.state = checkpoint`` goes on from it."""

    model: str
    t: float
    coordinates: Ref
    measure: Measure | None  # scales and units
    x: Floats
    rest: Floats
    tables: tuple[tuple[Floats, Floats, str, tuple[int, ...]], ...]
    event_rate: EventRate
    began: float
    holds: tuple[WrittenHold, ...]
    contacts: WrittenContacts
    sleeping: tuple[WrittenRooms | None, ...]  # of pairs, of contacts, and of curves: none where it is looked anew
    rules: tuple[tuple[str, RuleState], ...]
    fired: tuple[tuple[float, str], ...]
    modes: tuple[WrittenMode, ...]
    begun: bool
    settled: bool
    presence: tuple[tuple[Ref, tuple[float, float]], ...]
    waiting: tuple[str, ...]
    overlaps: tuple[Ref, ...]
    inputs_seen: tuple[tuple[int, float], ...]
    stopped: tuple[float, tuple[str, ...]]
    parted: float
    short: tuple[float, float] | None
    grid: tuple[float, float] | None
    controllers: tuple[tuple[str, ControllerState], ...]
    controlled_since: float
    stiffness: Stiffness | None
    stands: bool  # whether the equations of its mode made the steps that ended here


# --- writing ----------------------------------------------------------------------------------------------------------


def written(state: SimState) -> Checkpoint:
    """A state, written down."""
    names, driven, rules = state.names, state.driven, state.rules
    tables = tuple((_floats(column.table.times), _floats(column.table.values), column.table.kind, column.places)
                   for column in driven.columns)  # fmt: skip
    return Checkpoint(
        driven.equations.name, state.t, _coordinates(state), driven.measure, _floats(state.x), _floats(state.rest),
        tables, state.event_rate, state.began, _holds(names, state.holds), _contacts(names, state.contacts),
        _sleeping(state), tuple((each.rule.name, rules[each]) for each in rules.watched), rules.fired, _modes(state),
        state.begun,
        state.settled, tuple((_contact(names, contact), span) for contact, span in state.presence.items()),
        tuple(state.waiting), tuple(sorted(_contact(names, contact) for contact in state.overlaps)),
        tuple(state.inputs_seen.items()), (state.stopped[0], tuple(sorted(state.stopped[1]))), state.parted,
        state.short, state.grid, _controllers(state), state.controllers.began, state.stiffness,
        any(state.stands_in(laid.dynamics) for laid in state.modes.values()),
    )  # fmt: skip


def _controllers(state: SimState) -> tuple[tuple[str, ControllerState], ...]:
    laws, states = state.controllers.laws, state.controllers.states
    return tuple((law.name, own) for law, own in zip(laws, states, strict=True))


def _sleeping(state: SimState) -> tuple[WrittenRooms | None, ...]:
    """The rooms of what sleeps, where they are those of the state as it is."""
    if state.sleeping.place != state.place:
        return None, None, None
    return tuple([_rooms(rooms) if rooms.is_of(of) else None
                  for rooms, of in zip(state.sleeping.rooms, state.asleep_with, strict=True)])  # fmt: skip


def _rooms(rooms: Rooms) -> WrittenRooms:
    return WrittenRooms(rooms.since, rooms.until, _floats(rooms.room), _floats(rooms.spent), rooms.places, rooms.solids)


def _read_rooms(told: WrittenRooms | None, of: tuple[Any, ...]) -> Rooms:
    """Rooms that were written down, for what they depend on."""
    if told is None:
        return Rooms()
    return Rooms(told.since, told.until, np.array(told.room), np.array(told.spent), told.places, told.solids, of)


def _floats(numbers: Any) -> Floats:
    return tuple(np.asarray(numbers, dtype=float).tolist())


def _coordinates(state: SimState) -> Ref:
    equations = state.driven.equations
    return state.names.of("equations", " ".join((*equations.q_names, *equations.u_names)), equations)


def _contact(names: Names, contact: Contact) -> Ref:
    return names.of("contact", contact.name, contact)


def _holds(names: Names, holds: Mapping[str, Hold]) -> tuple[WrittenHold, ...]:
    return tuple(WrittenHold(names.of("constraint", name, hold.constraint), hold.permanent, hold.limit, hold.latched)
                 for name, hold in holds.items())  # fmt: skip


def _contacts(names: Names, s: ContactStates) -> WrittenContacts:
    number = {contact_point: i for i, contact_point in enumerate(s.every)}
    places = {zone: (i, k) for point, i in reversed(number.items()) for k, zone in enumerate(point.zones)}
    closed = tuple((number[point], (how.state.name, how.slip, how.impending, how.cone_margin, how.unloaded))
                   for point, how in s.closed.items())  # fmt: skip
    return WrittenContacts(
        tuple(_contact(names, contact) for contact in s.members),
        tuple(WrittenPoint(_contact(names, point.contact), point.name, point.axis_number) for point in number),
        len(s.asleep), closed, tuple((number[point], deep) for point, deep in s.leaving_depths.items()),
        tuple(sorted(number[point] for point in s.behind)),
        tuple((*places[zone], i) for zone, i in s.zones.items() if zone in places), s.approach_scale, s.motion_scale,
        tuple((name, _floats(lam)) for name, lam in s.lam.items()),
        tuple((number[point], since) for point, since in s.slipped.items() if point in number), s.shared,
    )  # fmt: skip


def _modes(state: SimState) -> tuple[WrittenMode, ...]:
    """The modes that were met, but for those that ended at conditions of the user's: they are laid out anew. Redundant
    contacts go on to share their forces as they did where the present one began."""
    found = []
    for (held, (closed, leaving, behind, zones, points), stops, armed), laid in state.modes.items():
        if not stops:
            left = {point: depth for point in points for each, depth in leaving if each is point}
            lam = state.contacts.lam if state.stands_in(laid.dynamics) else {}
            closed_now = {key[0]: key[1] for key in closed}
            s = ContactStates([*points], closed_now, left, set(behind), dict(zones), lam=lam)
            found.append(WrittenMode(_holds(state.names, dict(held)), _contacts(state.names, s),
                                     tuple(each.number for each in armed), _floats(laid.row)))  # fmt: skip
    return tuple(found)


# --- reading ----------------------------------------------------------------------------------------------------------


class Reader:
    """Reads a checkpoint by the names that a simulation knows: those of its state now, and of states kept before."""

    def __init__(self, world: World, now: SimState, told: Checkpoint) -> None:
        self.now, self.told, self.names, self.pairs = now, told, now.names, world.broad_phase
        written(now)  # so that all of it has numbers
        equations = self.names.find("equations", told.coordinates)
        if equations is None or told.model != equations.name:
            self._refuse(f"the coordinates and speeds {told.coordinates[0]}")
        arguments = now.driven.arguments if equations is now.driven.equations else _arguments(now, equations)
        columns = tuple(Column(Table(t, v, kind), places) for t, v, kind, places in told.tables)
        self.driven = replace(now.driven, equations=equations, arguments=arguments, columns=columns,
                              measure=told.measure)  # fmt: skip
        self.table: ModeTable = world.table(self.driven)
        self._points: dict[WrittenPoint, ContactPoint] = {}
        self.row = np.array([told.t, *told.x[:-1], *told.rest])

    def _refuse(self, what: str) -> None:
        raise EvaluationError(
            f"a state of '{self.told.model}' at t = {self.told.t:.6g} has {what}, which {self.now!r} does not know. "
            "Give it to a simulation of the same model, in which the same contacts and constraints were added."
        )

    def state(self) -> SimState:
        """The state."""
        told, s = self.told, self.contacts(self.told.contacts)
        rules = self._rules()
        state = self.now.but(
            t=told.t, x=np.array(told.x), rest=np.array(told.rest), driven=self.driven, event_rate=told.event_rate,
            began=told.began, holds=self._holds(told.holds), contacts=s, rules=rules, begun=told.begun,
            settled=told.settled, presence={self._contact(ref): span for ref, span in told.presence},
            waiting={name: self._waiting(name) for name in told.waiting},
            overlaps=frozenset(map(self._contact, told.overlaps)), inputs_seen=dict(told.inputs_seen),
            stopped=(told.stopped[0], frozenset(told.stopped[1])), parted=told.parted, short=told.short, grid=told.grid,
            controllers=self._controllers(), stiffness=told.stiffness,
        )  # fmt: skip
        rooms = [_read_rooms(each, of) for each, of in zip(told.sleeping, state.asleep_with, strict=True)]
        state = state.but(sleeping=sleeping_at(rooms, state.place))
        state = state.but(modes={key: laid for mode in told.modes for key, laid in [self._mode(mode, rules)]})
        key = self.table.key(state.holds, state.contacts, state.rules, {})
        if not told.stands or key not in state.modes:
            return state
        return state.but(standing=(state.modes[key].dynamics, state.x))

    def _rules(self) -> Rules:
        watched = self.now.rules.watched
        if [each.rule.name for each in watched] != [name for name, _ in self.told.rules]:
            self._refuse(f"the rules {', '.join(name for name, _ in self.told.rules) or 'none'}")
        return Rules(watched, tuple(state for _, state in self.told.rules), self.told.fired)

    def _controllers(self) -> Controllers:
        laws = self.now.controllers.laws
        if [law.name for law in laws] != [name for name, _ in self.told.controllers]:
            self._refuse(f"the controllers {', '.join(name for name, _ in self.told.controllers) or 'none'}")
        return Controllers(laws, tuple(own for _, own in self.told.controllers), self.told.controlled_since)

    def _contact(self, ref: Ref) -> Contact:
        found: Contact | None = self.names.find("contact", ref)
        if found is None and (near := self.pairs.named(ref[0])) is not None:  # it came near in the run that was left
            self.names.of("contact", near.name, near)
            found = self.names.find("contact", ref)
        if found is None:
            self._refuse(f"a contact '{ref[0]}'")
        assert found is not None, "refused"
        return found

    def _waiting(self, name: str) -> Any:
        if name not in self.now.waiting:
            self._refuse(f"a contact '{name}' that waits for its shape")
        return self.now.waiting[name]

    def _holds(self, told: Iterable[WrittenHold]) -> dict[str, Hold]:
        return {each.constraint[0]: Hold(self._constraint(each), each.permanent, each.limit, each.latched)
                for each in told}  # fmt: skip

    def _constraint(self, told: WrittenHold) -> Any:
        found, name = self.names.find("constraint", told.constraint), told.constraint[0]
        if found is not None:
            return found
        held = [item for each in self.now.rules.watched for item in each.rule.held if item.name == name]
        if not held:
            self._refuse(f"a constraint '{name}'")
        item = held[0]
        found = item.at(told.latched) if isinstance(item, Latch) and told.latched is not None else item
        self.names.of("constraint", name, found)
        return found

    def _point(self, told: WrittenPoint) -> ContactPoint:
        """A contact point, made anew for the equations: all that name it share it."""
        found = self._points.get(told)
        if found is None:
            contact = self._contact(told.contact)
            same = [feature for feature in contact.every() if feature.name == told.feature]
            if not same:
                self._refuse(f"a place '{told.feature}' of contact '{contact.name}'")
            found = self._points[told] = made_contact_point(contact, same[0], self.table.base, self.row, told.axis)
        return found

    def contacts(self, told: WrittenContacts) -> ContactStates:
        """How contacts stand."""
        points = [self._point(point) for point in told.points]
        watched = len(points) - told.asleep
        closed = {points[i]: ContactState(State[name], slip, impending, margin, unloaded)
                  for i, (name, slip, impending, margin, unloaded) in told.closed}  # fmt: skip
        return ContactStates(
            points[:watched], closed, {points[i]: deep for i, deep in told.leaving_depths},
            {points[i] for i in told.behind}, {points[i].zones[k]: where for i, k, where in told.zones},
            told.approach_scale, told.motion_scale, {name: np.array(lam) for name, lam in told.lam},
            {points[i]: since for i, since in told.slipped}, told.shared, tuple(points[watched:]),
            tuple(map(self._contact, told.members)),
        )  # fmt: skip

    def _mode(self, told: WrittenMode, rules: Rules) -> tuple[Any, Any]:
        """A mode laid out as it was, and its key."""
        holds, contacts = self._holds(told.holds), self.contacts(told.contacts)
        contacts.members = tuple(dict.fromkeys(map(self._contact, self.told.contacts.members)))
        armed = tuple(rules.watched[i] for i in told.armed)
        key = tuple(holds.items()), contacts.whole_key, (), armed
        return key, self.table.laid_out(key, holds, contacts, {}, np.array(told.row))


def _arguments(now: SimState, equations: Any) -> tuple[Any, ...]:
    """The arguments (t, q, u, work, rest) of other equations that were driven alike."""
    driven = now.driven
    return (driven.arguments[0], *equations.q, *equations.u, driven.work, *driven.rest)
