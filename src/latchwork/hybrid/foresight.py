"""Foresight: changes of mode that can be made from lap to lap, learned when they were made, or before.

A guard tells which contact will be near; how that may stand afterwards is how it stood before. So between modes that
were met a handover can be written before the change is made for the first time. That takes spare moments: one change at
a time.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from latchwork.constraint.terms import Terms
from latchwork.contact.complementarity.single_contact import STATES
from latchwork.contact.complementarity.solution import State
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.contacts.events import told
from latchwork.hybrid.contacts.guards import Guard
from latchwork.hybrid.contacts.impact_reset import Happened
from latchwork.hybrid.contacts.quick_reset import Alone, taken
from latchwork.hybrid.contacts.single_contact_reset import PARTED
from latchwork.hybrid.handover import After, Change, Entered, Handover, Parts, can_repeat, outcome
from latchwork.integrate.again import Again

if TYPE_CHECKING:
    from latchwork.hybrid.mode_table import ModeTable

MOST = 12  # modes between which changes are foreseen: where more are met, few are made twice, and it is given up
OPENED = STATES.index(State.OPEN)
ALWAYS_LOOKED_AT = "stop", "limit"  # guards that take more than a change from lap to lap


class Around(NamedTuple):
    """What is the same in modes that follow each other: which contacts are watched, met from behind, and what holds."""

    contact_points: tuple[ContactPoint, ...]
    behind: frozenset[ContactPoint]
    held: Terms


class Foresight:
    """The changes of one workshop, and the modes that were met while the same contacts are watched."""

    def __init__(self, shop: ModeTable) -> None:
        self._shop = shop
        self._around: Around | None = None
        self._known: dict[Any, Entered] = {}  # as they are entered
        self._laps: dict[Again, Entered] = {}  # the same, and those that went on in other speeds
        self._pairs: deque[tuple[Entered, Entered]] = deque()
        self._given_up = False

    # --- made changes -------------------------------------------------------------------------------------------

    def learn(self, change: Change, mode: Entered, around: Around) -> bool:
        """Remember a change that was made, or may be, and the mode that follows it; whether that can be."""
        near, contact_points = change.alone.near, around.contact_points
        if not can_repeat(change, contact_points, mode.zones):
            return False
        handover: Handover | None = change.again.handovers.get(change.key)
        if handover is None:
            handover = self._handover(change, around)
            if handover is None:
                return False
            change.again.follow(change.key, handover)
        if handover.near is not near:
            return False
        impact = [] if near is None else [Happened({near.name: np.zeros(1)}, 0.0)]
        told_both = [told(0.0, change.closed, mode.closed, contact_points, impacts, change.hits, ((), ()))
                     for impacts in ([], impact)]  # fmt: skip
        plain, besides = (tuple((event.name, event.kind) for event in events) for events in told_both)
        handover.learn(change.alone, contact_points, After(mode, plain, besides[len(impact) :]))
        return True

    def _handover(self, change: Change, around: Around) -> Handover | None:
        """From the end of a lap to the next; none where what is near takes more care."""
        shop, near, contact_points = self._shop, change.alone.near, around.contact_points
        way = None if near is None else shop.delassus_programs.way(around.held, near)
        if near is not None and way is None:
            return None
        equations = shop.driven.equations
        sizes = len(equations.q), len(equations.u)
        parts = Parts(shop.delassus_programs.gaps_of(contact_points), shop.pacing.bundle, way, sizes, shop.relay.scales,
                      shop.tolerances)  # fmt: skip
        return Handover(change, contact_points, around.behind, parts)

    # --- changes to come ----------------------------------------------------------------------------------------

    def knows(self, again: Again) -> bool:
        """Whether a lap was entered before, or it does not matter any more."""
        return self._given_up or again in self._laps

    def enter(self, mode: Entered, around: Around, rewritten: bool = False) -> None:
        """A mode that is met for the first time, or with other programs; ``rewritten``: it goes on in other speeds."""
        if around != self._around:
            self._begin(around)
        before = None if rewritten else self._known.get(_key(mode))
        if before is not None:
            self._laps.pop(before.again, None)
        if len(self._laps) == MOST:
            self._begin(None)
            self._given_up = True
            return
        self._laps[mode.again] = mode
        if not rewritten:
            self._known[_key(mode)] = mode
        if _is_simple(mode):
            self._pairs += [(mode, other) for other in self._known.values() if _is_simple(other)]
            earlier = [] if rewritten else [lap for lap in self._laps.values() if lap is not mode and _is_simple(lap)]
            self._pairs += [(lap, mode) for lap in earlier]

    def _begin(self, around: Around | None) -> None:
        self._around, self._known, self._laps = around, {}, {}
        self._pairs.clear()

    def foresee(self) -> bool:
        """Learn the next change that may lead from one mode to another; whether there was any."""
        while self._pairs and self._around is not None:
            before, after = self._pairs[0]
            if before.again in self._laps and self._known.get(_key(after)) is after and _are_current(before, after):
                for i in range(len(before.guards)):
                    for change in changes(before, i, after):
                        known = self._is_known(change, after, self._around.contact_points)
                        if not known and self.learn(change, after, self._around):
                            return True
            self._pairs.popleft()
        return False

    def _is_known(self, change: Change, after: Entered, contact_points: tuple[ContactPoint, ...]) -> bool:
        handover: Handover | None = change.again.handovers.get(change.key)
        return handover is not None and outcome(change.alone, contact_points, after) in handover.afters


def _key(mode: Entered) -> Any:
    """How contacts stand in a mode."""
    return tuple(mode.closed.items()), frozenset(mode.leaving_depths.items()), tuple(mode.zones.items())


def _are_current(*modes: Entered) -> bool:
    """Whether modes are executed as when they were met."""
    return all([mode.again.is_current for mode in modes])


def _is_simple(mode: Entered) -> bool:
    """Whether one contact at most is closed, and every guard means a change."""
    return len(mode.closed) < 2 and not any([guard.kind in ALWAYS_LOOKED_AT for guard in mode.guards])


def changes(before: Entered, i: int, after: Entered) -> Iterator[Change]:
    """What one guard of a mode may make that leads to another."""
    guard = before.guards[i]
    who = _near(before, guard)
    hit = None if who is None else taken(before.zones, [guard], {})
    if who is None or hit is None or hit.zones != after.zones:
        return
    near = who[0]
    if after.closed.keys() - {near} or after.leaving_depths.keys() - before.leaving_depths.keys() - {
        near,
        *hit.leaving,
    }:
        return
    key = np.zeros(len(before.guards), dtype=np.int64)
    key[i] = 1
    for state, way in _outcomes(guard, near, after):
        yield Change(
            before.again,
            before.stage,
            [guard],
            before.names,
            before.closed,
            before.leaving_depths,
            before.zones,
            Alone(near, state, way),
            key.tobytes(),
        )


def _near(before: Entered, guard: Guard) -> tuple[ContactPoint | None] | None:
    """The only contact that is near where a guard falls, or that none is; none where that takes more care."""
    only, about = next(iter(before.closed), None), guard.about
    if guard.kind == "touch":
        return (about,) if only is None or only is about else None
    if guard.kind == "zone":
        return (only,)
    if only is None or about is not only or guard.kind not in ("release", "stick", "slip", "patch"):
        return None
    return (only,) if guard.kind != "patch" else None if only.held else (None,)


def _outcomes(guard: Guard, near: ContactPoint | None, after: Entered) -> list[tuple[int, int]]:
    """What may come of the contact that is near, and which way it slips then, where it stands so afterwards."""
    if near is None:
        return [(PARTED, 0)]
    law, contact_state = near.law_in(after.zones), after.closed.get(near)
    if contact_state is None:
        apart = [(PARTED, 0)] if guard.kind in ("touch", "release") else []
        return [*apart, (OPENED, 0)] if near in after.leaving_depths else apart
    state, way, limit, _ = contact_state
    if guard.kind == "release" or limit is not None or not isinstance(law, tuple):
        return []
    if state is State.STICK:
        return [] if guard.kind == "slip" else [(STATES.index(state), 0)]
    signs = (1,) if way is not None and way[0] > 0.0 else (-1,) if way is not None else (0,) if law[2] else (0, 1, -1)
    return [(STATES.index(state), sign) for sign in signs]
