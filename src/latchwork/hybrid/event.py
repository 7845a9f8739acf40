"""RunEvent: something that happened in a run, and how it reads."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import EvaluationError, answering

if TYPE_CHECKING:
    from latchwork.hybrid.reset import KeptReset, Reset

Array = NDArray[np.float64]
STATES = ("slide", "stick")
SHOWN = 4  # names in a line


@answering
@dataclass(frozen=True)
class RunEvent:
    """Something that happened in a run: when, whom it concerns, and what holds before and after.

    ``kind`` is one of

    - "impact": contacts collided; ``name`` has all that took part;
    - "stick", "slide": a contact closed, or changed, without an impact; "release": it opened, or a constraint let go;
    - "reversal": a contact slides on against the direction that it had;
    - "zone": a closed contact came into another zone of friction or restitution;
    - "reshape", "remove", "near": a contact was changed, taken away, or its shape asked for;
    - "input": an input jumped that stands in the row of a constraint, or in the speed of a belt;
    - "time stepping": events came too thick, or may be followed again;
    - "constrain": a constraint was imposed; "rule": a rule fired; "stop": a condition of ``stop_when`` ended the run.

    ``before`` and ``after`` name all that holds: constraints, and closed contacts with how ("ball on floor: stick").
    ``impulses`` are those of an impact, by contact (along the normal, then its tangents) and by constraint, loops and
    gears that pass it on included (row by row); ``energy`` is what it cost, negative where a moving surface put some
    in. ``notes`` say what was decided by the way.
    """

    t: float
    name: str
    before: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    impulses: Mapping[str, Array] = field(default_factory=dict)
    kind: str = "stop"
    energy: float = 0.0
    notes: tuple[str, ...] = ()
    reset: KeptReset | None = field(default=None, repr=False, compare=False)

    def replay(self) -> Reset:
        """The reset that this event came of once more, as Python, from the state before it: the same bits.

        Kernels run as the Python that they are written in, so that a debugger may stop in `contacts/reset_kernel.py`
        and all that it calls. A run keeps its last 256 resets for it. The answer has the state ``before`` and
        ``after``, the ``impulses`` of contacts, ``energy`` and ``notes``.
        """
        if self.reset is None:
            raise EvaluationError(f"no reset of contacts made '{self.name}' at t = {self.t:.9g} ({self.kind}): "
                                  "nothing is there to replay. Choose an event of a contact.")  # fmt: skip
        return self.reset.replay()

    def __str__(self) -> str:
        """``0.451753951  impact     ball on floor: open -> slide, energy lost 9.8``."""
        whom, changes = self._whom(), self.changes
        alone = self.kind == "impact" or whom[0] in changes  # what else changed has events of its own
        others = [] if alone else [f"{name} {change}" for name, change in changes.items()]
        if self.energy:
            others.append(f"energy {'lost' if self.energy > 0.0 else 'gained'} {abs(self.energy):.6g}")
        told = ", ".join(filter(None, (changes.get(whom[0]) if len(whom) == 1 else None, *others, *self.notes)))
        mark = ": " if len(whom) == 1 else ", "
        names = whom if len(whom) == 1 else [" ".join(filter(None, (name, changes.get(name)))) for name in whom]
        return f"{self.t:13.9f}  {self.kind:9}  {_some(names)}{mark if told else ''}{told}"

    @property
    def changes(self) -> dict[str, str]:
        """What changed, by name: "open -> stick" for a contact, "holds" or "is let go" for a constraint."""
        old, new = _by_name(self.before), _by_name(self.after)
        found = {}
        for name in (*old, *(name for name in new if name not in old)):
            a, b = old.get(name), new.get(name)
            if a != b:
                contact = (a or b) in STATES
                found[name] = f"{a or 'open'} -> {b or 'open'}" if contact else "holds" if a is None else "is let go"
        return found

    def _whom(self) -> list[str]:
        """The contacts of an impact, which constraints only pass on; else what it concerns."""
        held = {name for name, state in (*_by_name(self.before).items(), *_by_name(self.after).items()) if not state}
        struck = [name for name in self.impulses if name not in held]
        return struck if self.kind == "impact" and struck else [self.name]


def _some(names: list[str]) -> str:
    """All of a few names, the first of many."""
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


@answering
class Events(tuple[RunEvent, ...]):
    """The events of a run, in the order of time; printed, a line for each."""

    __slots__ = ()

    def __getitem__(self, number: Any) -> Any:
        """An event by its number, or some of them by a slice."""
        if not isinstance(number, (SupportsIndex, slice)):
            raise EvaluationError(f"events are counted, and have no {number!r:.60}. Give a number, or choose by name: "
                                  "[event for event in run.events if event.name == 'floor'].")  # fmt: skip
        if isinstance(number, SupportsIndex) and not -len(self) <= number.__index__() < len(self):
            raise EvaluationError(f"there is no event {number} in a run of {len(self)}. Look at len(run.events) first.")
        return super().__getitem__(number)

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no events"

    def _repr_html_(self) -> str:
        from latchwork.hybrid.overview import events_html

        return events_html(self)


def _by_name(labels: tuple[str, ...]) -> dict[str, str]:
    """Names, with how a contact stands; "" for a constraint."""
    found = {}
    for label in labels:
        name, _, state = label.rpartition(": ")
        found[name if state in STATES else label] = state if state in STATES else ""
    return found
