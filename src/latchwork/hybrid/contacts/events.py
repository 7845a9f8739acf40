"""What happened at one instant, as events of the run: impacts, then what changed without one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from latchwork.constraint.terms import Array
from latchwork.contact.complementarity.solution import State
from latchwork.hybrid.contacts.contact_point import ContactPoint, SlipDirection
from latchwork.hybrid.contacts.contact_state import ContactState
from latchwork.hybrid.contacts.guards import Guard
from latchwork.hybrid.contacts.reset_requests import Happened
from latchwork.hybrid.event import RunEvent

TakenUp = Callable[[Mapping[str, Array]], Mapping[str, Array]]

KINDS = {State.STICK: "stick", State.SLIDE: "slide"}


def told(
    t: float,
    before: Mapping[ContactPoint, ContactState],
    closed: Mapping[ContactPoint, ContactState],
    contact_points: Sequence[ContactPoint],
    impacts: Sequence[Happened],
    hits: Iterable[Guard],
    labels: tuple[tuple[str, ...], tuple[str, ...]],
    taken_up: TakenUp = lambda impulses: {},
    reset: Any = None,
) -> list[RunEvent]:
    """The events of a crossing, of what is closed before and after; ``labels`` are all that holds then.

    ``taken_up`` says what constraints took up of the impulses of contacts, ``reset`` is what it can be replayed from.
    """
    event = partial(RunEvent, reset=reset)
    events = []
    took_part: set[str] = set()
    if impacts:
        impact = impacts[0] if len(impacts) == 1 else _together(impacts)
        took_part = set(impact.impulses)
        impulses = {**impact.impulses, **taken_up(impact.impulses)}
        events.append(event(t, ", ".join(impact.impulses), *labels, impulses, "impact", impact.energy, impact.notes))
    for contact_point in [
        contact_point
        for contact_point in contact_points
        if (contact_point in before or contact_point in closed) and not contact_point.attracts
    ]:
        old, new = before.get(contact_point), closed.get(contact_point)
        if _state(old) is not _state(new) and contact_point.name not in took_part:
            events.append(event(t, contact_point.name, *labels, kind="release" if new is None else KINDS[new.state]))
            took_part.add(contact_point.name)
        elif (
            old is not None
            and new is not None
            and _is_reversed(old.slip, new.slip)
            and contact_point.name not in took_part
        ):
            events.append(event(t, contact_point.name, *labels, kind="reversal"))
            took_part.add(contact_point.name)
    for guard in hits:
        if guard.kind == "zone":
            names = [contact_point.name for contact_point in closed if guard.about in contact_point.zones]
            if names and not took_part & set(names):
                events.append(event(t, ", ".join(names), *labels, kind="zone"))
                took_part |= set(names)
    return events


def _together(impacts: Sequence[Happened]) -> Happened:
    """Impacts of one instant as one."""
    impulses: dict[str, Array] = {}
    for impact in impacts:
        for name, part in impact.impulses.items():
            impulses[name] = impulses[name] + part if name in impulses else part
    notes = tuple(dict.fromkeys([note for impact in impacts for note in impact.notes]))
    return Happened(impulses, sum([impact.energy for impact in impacts]), notes)


def _is_reversed(old: SlipDirection, new: SlipDirection) -> bool:
    """Whether slip goes on against the direction that it had: d⁻ · d⁺ < 0."""
    if old is None or new is None:
        return False
    across = 1 if len(old) == 1 else 2
    return sum(a * b for a, b in zip(old[:across], new[:across], strict=True)) < 0.0


def _state(contact_state: ContactState | None) -> State | None:
    return None if contact_state is None else contact_state.state
