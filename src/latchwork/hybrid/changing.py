"""Contacts that come, change their shapes, and go while a run goes on; and shapes that are asked for only when near."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from latchwork.contact.closest_point.states import stilled, tracked_equations
from latchwork.contact.construction import contact_between, further_place, renamed
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact
from latchwork.errors import LatchworkError, ModelError, did_you_mean, spelled
from latchwork.hybrid.contacts.contact_checks import must_have_lengths, must_not_cross
from latchwork.hybrid.contacts.contact_point import ContactPoint, touch_of
from latchwork.hybrid.contacts.guards import Guard
from latchwork.hybrid.contacts.initial_contacts import lies_behind, must_be_apart, must_be_few
from latchwork.hybrid.contacts.sleeping_contacts import far_apart, first_features
from latchwork.hybrid.designs import Automaton, must_watch
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.late import Late, waiting_contact
from latchwork.hybrid.mode_table import ModeTable
from latchwork.hybrid.running import Running
from latchwork.hybrid.table import Array
from latchwork.kane.equations import Equations

T = TypeVar("T")
FEW = 2  # features of a contact up to which it is made ready to slide in space: each takes milliseconds
READY = 8  # features of a contact that are made ready with it; others when they are near
NEAR = "near "  # a guard of this name, and that of the contact, falls where a bound is entered
KEPT = "equations", "driven", "_mode_table", "_x", "_settled", "_pending"  # what a change that is refused leaves alone


class Changing(Running):
    """The part of a simulation that changes its contacts."""

    if TYPE_CHECKING:

        def _cross(self, hits: Sequence[Guard], lam: Mapping[str, Array]) -> Array | None: ...

    # --- by name ------------------------------------------------------------------------------------------------

    @spelled
    def contact(self, name: str, a: Any, b: Any, *, restitution: Any = 0.0, friction: Any = None,
                impact: str = "newton") -> Contact:  # fmt: skip
        """Two shapes that may touch from now on, as ``model.contact``; the model stays as it was.

        A shape that another process describes (``lw.Remote``) is asked for where something comes near its bound; until
        then the contact has no features.
        """
        laws = {"restitution": restitution, "friction": friction, "impact": impact}
        if not isinstance(a, Late) and not isinstance(b, Late):
            return self._changed(lambda: self._made(name, a, b, laws))
        self._must_be_new([name])
        late = waiting_contact(name, a, b, laws)
        self._waiting[name] = late
        return late.contact

    def reshape(self, name: str, b: Any = None, *, a: Any = None) -> RunEvent:
        """Give a contact another second shape, or first one (``a``), while the run goes on; its laws stay.

        Closed, it stays closed where the new shape passes through the place of contact, with an impact where its normal
        differs; it opens where the new shape is further away; shapes that overlap are refused.
        """
        old, before = self._contact_now(name), self.active
        if len(old.shapes) != 2:
            raise ModelError(f"'{name}' limits a joint, and has no shapes that could be others. Remove it instead.")
        one, two = old.shapes
        laws = {"restitution": old.restitution, "friction": old.friction, "impact": old.impact}

        def change() -> None:
            zones = dict(self._contact_states.zones)
            self._drop(old)
            self._contact_states.zones |= zones
            self._made(name, one if a is None else a, two if b is None else b, laws)
            self._cross((), {})

        self._changed(change)
        self._events.append(RunEvent(self.t, name, before, self.active, kind="reshape"))
        return self._events[-1]

    def remove(self, name: str) -> RunEvent:
        """Take a contact away: what it held is free."""
        before = self.active
        if not isinstance(name, str) or self._waiting.pop(name, None) is None:
            old = self._contact_now(name)

            def change() -> None:
                self._drop(old)
                self._cross((), {})

            self._changed(change)
        self._events.append(RunEvent(self.t, name, before, self.active, kind="remove"))
        return self._events[-1]

    def _contact_now(self, name: str) -> Contact:
        contacts = {contact.name: contact for contact in self._contact_states.members if contact.place_of is None}
        if not isinstance(name, str) or name not in contacts:
            hint = did_you_mean(str(name), (*contacts, *self._waiting)) or " It has none."
            raise ModelError(f"'{self.equations.name}' has no contact '{name}' now.{hint}")
        return contacts[name]

    def _must_be_new(self, names: Iterable[str]) -> None:
        members = self._contact_states.members
        for name in names:
            if name in self._holds or name in self._waiting or any(contact.goes_by(name) for contact in members):
                raise ModelError(f"'{self.equations.name}' has a contact or constraint named '{name}' already. "
                                 "Name the new one otherwise.")  # fmt: skip

    # --- how ----------------------------------------------------------------------------------------------------

    def _changed(self, change: Callable[[], T]) -> T:
        """Do something to the contacts; where it is refused, all is as it was."""
        before = {name: getattr(self, name) for name in KEPT}
        contact_states, presence, seen = self._contact_states.copied(), dict(self._presence), len(self._events)
        try:
            return change()
        except LatchworkError:
            vars(self).update(before)
            self._contact_states, self._presence = contact_states, presence
            del self._events[seen:]
            raise

    def _made(self, name: str, a: Any, b: Any, laws: Mapping[str, Any]) -> Contact:
        """A contact made and added; where its name was used before, tracked parameters get another."""
        used = sum(contact.name == name for contact in self._presence)
        label = f"{name} ({used + 1})" if used else name
        contact = renamed(contact_between(label, a, b, **laws, owner=self.equations.system.graph), name)
        self._add(contact)
        return contact

    def _may_sleep(self, contact: Contact) -> bool:
        """Whether a contact may be left unwatched while it is far away: not where all modes are to be known before."""
        return not isinstance(self.design, Automaton)

    def _see(self) -> None:
        """Decide which contacts are watched from here on: those that may touch soon."""
        if not self._sight.is_idle(self._contact_states, self._mode_table.base):
            self._sight.see(self._contact_states, self._mode_table.base, self._state(), self._may_sleep)

    def _add_all(self, contacts: Sequence[Contact]) -> None:
        """Add many contacts; nothing is made yet of those whose shapes are far apart."""
        far = far_apart(contacts, self._mode_table.base, self._state(), self._may_sleep) if contacts else set()
        for contact in contacts:
            self._add(contact, contact in far)

    def _add(self, contact: Contact, far: bool = False) -> None:
        """Make the features of a contact ready; what it closes is decided when the run goes on."""
        must_watch(self.design, contact.name)
        self._must_be_new([contact.name, *(feature.name for feature in contact.features)])
        if not far:
            self._make(contact)
        self._contact_states.members += (contact,)
        self._presence[contact] = self.t, np.inf
        self._settled = False

    def _make(self, contact: Contact) -> None:
        """Make touches of the features that are watched now: of two solids, those near each other."""
        tracked = [feature for feature in contact.features if feature.tracked is not None]
        if tracked:
            self._track(tracked)
        x = self._state()
        features = first_features(contact, self._mode_table.base, x, self._may_sleep)
        contact_points = [touch_of(contact, feature, self._mode_table.base, x) for feature in features]
        for contact_point in contact_points:
            if contact_point.feature.tracked is not None:
                x = contact_point.found(x, self._contact_states.places_of(contact))
        self._x = np.append(x[1 : len(self._x)], self._x[-1])
        if contact.place_of is None:
            must_have_lengths(contact, contact_points, x)
            must_be_apart(contact, contact_points, x)
            if contact.picker is None:
                must_not_cross(contact, contact_points, x)
        self._get_ready(contact_points)
        self._contact_states.contact_points += contact_points
        self._contact_states.enter_zones(contact_points, x)
        if contact.place_of is None:
            self._contact_states.behind |= {
                contact_point for contact_point in contact_points if lies_behind(contact_point, x)
            }

    def _get_ready(self, contact_points: Sequence[ContactPoint]) -> None:
        """Make now what the first switches to some contacts would have to wait for."""
        free = not any(hold.permanent for hold in self._holds.values())
        self._mode_table.get_ready(free)
        self._mode_table.laps.get_ready(self.method, len(self._x))
        for contact_point in contact_points[:READY]:
            self._mode_table.know(contact_point, free, self._holds, slides=len(contact_points) <= FEW)
        known = [*self._contact_states.contact_points, *contact_points]
        if len(known) <= READY:
            self._mode_table.delassus_programs.gaps_of(known)
            self._mode_table.delassus_programs.pool(self._mode_table.held(self._holds), known)

    def _track(self, features: Sequence[Feature]) -> None:
        """Tracked parameters become coordinates that have no speed."""
        n_q, arguments = len(self.equations.q), self.driven.arguments
        equations = tracked_equations(self.equations, features)
        new = equations.q[n_q:]
        self._x = np.concatenate([self._x[:n_q], np.zeros(len(new)), self._x[n_q:]])
        self._made_again(equations, (*arguments[: 1 + n_q], *new, *arguments[1 + n_q :]))

    def _add_place(self, contact: Contact) -> None:
        """Track one more place at which the curve or surface of a contact is about to be met."""
        number = 1 + len(self._contact_states.places_of(contact))
        must_be_few(contact.whole, number, self.t)
        self._changed(lambda: self._add(further_place(contact.whole, number)))

    def _drop(self, contact: Contact) -> None:
        """Take the features of a contact out, at all places; their tracked parameters stand still from now on."""
        for place in [each for each in self._contact_states.members if each.whole is contact]:
            self._contact_states = self._contact_states.without(place)
            self._presence[place] = self._presence[place][0], self.t
            if any(feature.tracked is not None for feature in place.features):
                self._made_again(stilled(self.equations, place.features), self.driven.arguments)
        self._settled = False

    def _made_again(self, equations: Equations, arguments: tuple[Any, ...]) -> None:
        """Everything for other equations; what stands, stands."""
        self.equations = equations
        self.driven = replace(self.driven, equations=equations, arguments=arguments)
        scales, x = self._mode_table.base.scales, self._state()
        self._mode_table = ModeTable(self.driven, self.design, self._rules)
        self._mode_table.measure(x, scales=scales)
        s, base = self._contact_states, self._mode_table.base
        s.made_again(
            {
                contact_point: touch_of(contact_point.contact, contact_point.feature, base, x)
                for contact_point in s.contact_points
            }
        )

    # --- shapes that come late ----------------------------------------------------------------------------------

    def _fetch(self, names: Iterable[str]) -> None:
        """Ask for shapes that were only bounded so far: their contacts are ordinary ones from now on."""
        for name in names:
            late, before = self._waiting.pop(name), self.active
            try:
                a, b = late.shapes()
                self._changed(partial(self._made, name, a, b, late.laws))
            except LatchworkError:
                self._waiting[name] = late
                raise
            self._events.append(RunEvent(self.t, name, before, before, kind="near"))

    def _bounds(self) -> dict[str, Any]:
        """Gaps to what is only bounded yet, as guards by name."""
        return {NEAR + name: late.gap for name, late in self._waiting.items()}

    def _bounds_entered(self) -> list[str]:
        """Contacts that wait for a shape whose bound is entered now."""
        if not self._waiting:
            return []
        n_q, n_r, rest = len(self.equations.q), len(self.equations.r), self.driven.rest_at(self._rest, self.t)
        gaps = self.equations.evaluate([late.gap for late in self._waiting.values()], self._x[:n_q], self._x[n_q:-1],
                                       rest[:n_r], t=self.t, p=rest[n_r:][: len(self.equations.p)])  # fmt: skip
        return [name for name, gap in zip(self._waiting, gaps, strict=True) if not gap > 0.0]
