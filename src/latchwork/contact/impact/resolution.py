"""Impacts by name, for Python: an `Impact` and the laws of its contacts go into a record, kernels act, and what they
note becomes sentences.

``at_once`` says how several contacts act: in sequence (False), at once (True), as they come (None); see `sequential`.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence

import numpy as np

from latchwork.contact.impact import jam as jams
from latchwork.contact.impact.laws import LAWS, Law
from latchwork.contact.impact.notes import sentence
from latchwork.contact.impact.problem import NO_LAW, Array, Impact, ImpactLaw, ImpactProblem, Order, Outcome, Status
from latchwork.contact.impact.sequential import resolve_impact
from latchwork.errors import ContactError, did_you_mean
from latchwork.program.kernel import Kernel
from latchwork.program.native import native
from latchwork.program.records.memory import lay_out
from latchwork.program.records.view import address_of

__all__ = ["Impact", "Outcome", "Law", "LAWS", "resolve", "jam", "jam_together", "driven_in", "caught", "stopped"]

ORDERS = {None: Order.AS_THEY_COME, False: Order.IN_SEQUENCE, True: Order.AT_ONCE}
NEWTON = "newton"
KEPT_RECORDS = 64  # records that a thread keeps, each for so many contacts and rows


class Room:
    """A record for impacts of so many contacts and rows, and views of its arrays."""

    def __init__(self, contacts: int, rows: int) -> None:
        self.problem = lay_out(ImpactProblem, most_contacts=contacts, most_rows=rows, contacts=contacts, rows=rows)
        self.address = address_of(self.problem)
        names = ("tangents", "law", "W", "v", "e", "mu_s", "mu_d", "chosen", "impulses", "after", "acted")
        self.arrays: dict[str, Array] = {name: np.asarray(getattr(self.problem, name)) for name in names}


class Rooms(threading.local):
    """The records of a thread, by contacts and rows."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], Room] = {}

    def of(self, contacts: int, rows: int) -> Room:
        """The record for impacts of such sizes; the oldest goes where there are too many."""
        room = self.known.get((contacts, rows))
        if room is None:
            while len(self.known) >= KEPT_RECORDS:
                del self.known[next(iter(self.known))]
            room = self.known[contacts, rows] = Room(contacts, rows)
        return room


_rooms = Rooms()


def laid_out(impact: Impact, laws: Iterable[str], at_once: bool | None, capture: float) -> Room:
    """An impact in a record of this thread."""
    room = _rooms.of(len(impact.names), len(impact.v))
    problem, arrays = room.problem, room.arrays
    problem.at_once, problem.capture = int(ORDERS[at_once]), float(capture)
    arrays["tangents"][:], arrays["law"][:] = impact.tangents, [LAWS[law].code for law in laws]
    arrays["W"][:], arrays["v"][:] = impact.W.ravel(), impact.v
    arrays["e"][:], arrays["mu_s"][:], arrays["mu_d"][:] = impact.e, impact.mu_s, impact.mu_d
    return room


def acted(kernel: Kernel[..., int], impact: Impact, room: Room, *more: float) -> Status:
    """How a kernel ended; `ContactError` where an impact cannot be resolved."""
    status = Status(native(kernel).brief(room.address, *more))
    if status is Status.BLOCKED:
        i = room.problem.blocked
        approach = -room.problem.now[room.problem.first[i]]
        raise ContactError(
            f"'{impact.names[i]}' approaches at {approach:.6g} m/s, and no impulse there changes that: "
            "constraints hold both sides. Release one, or let the surface stop."
        )
    if status is Status.UNYIELDING:
        members = list(room.problem.member[: room.problem.members])
        named, before = ", ".join(repr(impact.names[i]) for i in members), impact.v[impact.normals[members]]
        raise ContactError(
            f"an impact at {named} cannot be taken up: {before} m/s along the normals, no impulses part them. "
            "Two surfaces close upon what cannot yield: release a constraint, or stop one of the surfaces."
        )
    if status is Status.NOT_FINITE:
        raise ContactError(
            f"the impulses of an impact at {', '.join(map(repr, impact.names))} are no finite numbers: "
            f"W is\n{impact.W}\nand v {impact.v}. Give masses and speeds that are less far apart."
        )
    return status


def outcome(impact: Impact, room: Room) -> Outcome:
    """What came out."""
    problem, arrays = room.problem, room.arrays
    law = tuple("" if code == NO_LAW else ImpactLaw(code).name.lower() for code in arrays["acted"].tolist())
    notes = tuple(sentence(problem.note[i], problem, impact.names) for i in range(problem.notes))
    return Outcome(arrays["impulses"].copy(), arrays["after"].copy(), law, problem.energy, notes)


def resolve(impact: Impact, laws: Sequence[str], at_once: bool | None = False, capture: float = 0.0) -> Outcome:
    """The impulses of an impact by the law of each contact; a contact that would part slower than ``capture`` does not.

    Where a law would gain energy, as Newton's may with friction, the energetic law acts instead, and a note says so.
    """
    checked(impact, laws)
    room = laid_out(impact, laws, at_once, capture)
    acted(resolve_impact, impact, room)
    return outcome(impact, room)


def jam(impact: Impact, contact: int, laws: Sequence[str], at_once: bool | None = False) -> Outcome:
    """An impact without collision: contact at rest whose slip drives it in, W_nn − μ_d W_nt·s < 0 (Painlevé).

    Slip makes v_n fall from zero, stops or turns, and v_n comes back: compression, then restitution, by Stronge's law.
    Where slip does not drive it in, nothing happens.
    """
    checked(impact, laws)
    room = laid_out(impact, laws, at_once, 0.0)
    acted(jams.resolve_jam, impact, room, contact)
    return outcome(impact, room)


def chosen(kernel: Kernel[..., int], impact: Impact, who: Sequence[int]) -> Array | None:
    """Λ of what a kernel does with some contacts; none where nothing happens."""
    room = laid_out(impact, (NEWTON,) * len(impact.names), True, 0.0)
    room.arrays["chosen"][:] = 0
    room.arrays["chosen"][list(who)] = 1
    return None if acted(kernel, impact, room) is Status.NOTHING else room.arrays["impulses"].copy()


def jam_together(impact: Impact, sliding: Sequence[int]) -> Array | None:
    """Λ where contacts jam only together, as the corners of a box do: those that slide, or all; none where none do."""
    return chosen(jams.jam_together, impact, sliding)


def driven_in(impact: Impact, who: Sequence[int]) -> Array | None:
    """Λ as if a trace had driven some contacts in; none where that changes no slip, and none can be stopped.

    Where they hardly slip, beside what else slips there, they stop.
    """
    return chosen(jams.driven_in, impact, who)


def caught(impact: Impact, who: Sequence[int]) -> Array | None:
    """Λ that stops the slip of some contacts, those that would pull left out; none where cones do not allow it."""
    return chosen(jams.caught, impact, who)


def stopped(impact: Impact, slow: float) -> Array:
    """Λ that ends all normal velocities, and slip that is as ``slow`` where there is friction, W Λ = −v.

    It is the change of speeds of least kinetic energy, so none is gained.
    """
    room = laid_out(impact, (NEWTON,) * len(impact.names), True, 0.0)
    acted(jams.stop_slow, impact, room, float(slow))
    return room.arrays["impulses"].copy()


def checked(impact: Impact, laws: Sequence[str]) -> None:
    """One known law for each contact."""
    if len(laws) != len(impact.names):
        raise ContactError(
            f"an impact of {len(impact.names)} contacts was given {len(laws)} laws. Give one law for each contact."
        )
    for name, law in zip(impact.names, laws, strict=True):
        if law not in LAWS:
            raise ContactError(f"'{name}' has no law of impact '{law}'.{did_you_mean(law, LAWS)}")
