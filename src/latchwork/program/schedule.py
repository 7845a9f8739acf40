"""The order in which compiled code computes a program: its own order, with sines and cosines in groups.

A unit is a tuple of operations computed at once: one plain operation, or the sines and cosines of a few angles that do
not depend on each other. Operations that no output needs are left out; the second sine of an angle is the first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from latchwork.program.ir import OPCODE, OPS, Program

SIN, COS = OPCODE["sin"], OPCODE["cos"]
TRIGONOMETRIC = (SIN, COS)
Unit = tuple[int, ...]
Rows = dict[int, tuple[int, list[int]]]


@dataclass(frozen=True, eq=False)
class Schedule:
    """Units in order, by slot; ``same[slot]`` is the slot that holds the value of a repeated sine or cosine."""

    program: Program
    rows: Rows  # opcode and operands of the slots that are needed
    units: list[Unit]
    same: dict[int, int]

    def opcode(self, slot: int) -> int:
        """The operation that fills a slot."""
        return self.rows[slot][0]

    def reads(self, slot: int) -> list[int]:
        """The slots that the operation of a slot reads."""
        return self.rows[slot][1]

    @property
    def outputs(self) -> list[int]:
        """The slots of the outputs."""
        return [self.same.get(i, i) for i in self.program.outputs]


def schedule(program: Program, together: int) -> Schedule:
    """The units of a program, with up to so many angles in one."""
    rows = _live(program)
    same, groups = _trigonometry(program, rows, together)
    rows = {slot: (op, [same.get(i, i) for i in args]) for slot, (op, args) in rows.items() if slot not in same}
    unit_of = {slot: group for group in groups for slot in group}
    wanted = [unit_of.get(slot, (slot,)) for slot in rows]
    return Schedule(program, rows, list(_ordered(wanted, unit_of, rows)), same)


def _live(program: Program) -> Rows:
    """The operations that some output needs, in order."""
    needed, rows = set(program.outputs), {}
    code = program.code.tolist()
    for slot in range(program.slots - 1, program.first - 1, -1):
        if slot in needed:
            op, *args = code[slot - program.first]
            rows[slot] = (op, args[: OPS[op].arity])
            needed.update(rows[slot][1])
    return dict(reversed(rows.items()))


def _trigonometry(program: Program, rows: Rows, together: int) -> tuple[dict[int, int], list[Unit]]:
    """Repeated sines and cosines, and groups of the others: by how many lie beneath them, then in order."""
    depth = [0] * program.slots
    first: dict[tuple[int, int], int] = {}
    same: dict[int, int] = {}
    by_depth: dict[int, dict[int, list[int]]] = {}  # depth, angle: slots
    for slot, (op, args) in rows.items():
        depth[slot] = max(depth[i] for i in args) + (op in TRIGONOMETRIC)
        if op not in TRIGONOMETRIC:
            continue
        angle = same.get(args[0], args[0])
        if first.setdefault((op, angle), slot) == slot:
            by_depth.setdefault(depth[slot], {}).setdefault(angle, []).append(slot)
        else:
            same[slot] = first[op, angle]
    return same, [group for angles in by_depth.values() for group in _cut(list(angles.values()), together)]


def _cut(angles: list[list[int]], together: int) -> Iterator[Unit]:
    """The slots of so many angles at a time."""
    for i in range(0, len(angles), together):
        yield tuple(slot for slots in angles[i : i + together] for slot in slots)


def _ordered(wanted: Iterable[Unit], unit_of: dict[int, Unit], rows: Rows) -> Iterator[Unit]:
    """Every unit once, each after those it reads."""
    done: set[Unit] = set()
    for last in wanted:
        pending = [last]
        while pending:
            unit = pending[-1]
            missing = [] if unit in done else [u for u in _before(unit, unit_of, rows) if u not in done]
            if missing:
                pending += reversed(missing)
                continue
            pending.pop()
            if unit not in done:
                done.add(unit)
                yield unit


def _before(unit: Unit, unit_of: dict[int, Unit], rows: Rows) -> list[Unit]:
    """The units that a unit reads."""
    return [unit_of.get(i, (i,)) for slot in unit for i in rows[slot][1] if i in rows]
