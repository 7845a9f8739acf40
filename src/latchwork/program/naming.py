"""Names in exported text: arguments in groups, inputs by their own names, constants by their digits, z1, z2, ..."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from latchwork.program.schedule import Schedule

# Words of C that no name may be.
KEYWORDS = frozenset(
    "auto break case char const continue default do double else enum extern float for goto if inline int long register "
    "restrict return short signed sizeof static struct switch typedef union unsigned void volatile while main errno "
    "NAN INFINITY NULL EOF stdin stdout stderr asm typeof linux unix I".split()
)


@dataclass(frozen=True)
class Group:
    """Inputs that are one argument: its letter, what it is, the names in it; a single number where ``scalar``.

    ``notes`` say of each name in what unit it is and what it stands for, where that is known.
    """

    letter: str
    meaning: str
    names: tuple[str, ...]
    scalar: bool = False
    notes: tuple[str, ...] = ()


def legal(text: str, taken: Collection[str]) -> str:
    """An identifier like the text: other characters become underscores; where the name is taken, one is added."""
    name = re.sub(r"\W", "_", text, flags=re.ASCII)
    name = re.sub(r"_+", "_", name).strip("_") or "x"
    name = f"x{name}" if name[0].isdigit() else name
    while name in taken:
        name += "_"
    return name


class Names:
    """What each slot of a plan is called; ``inputs`` are the names to be introduced, and where their values are."""

    def __init__(self, plan: Schedule, groups: Sequence[Group], reserved: Collection[str],
                 literal: Callable[[float], str]) -> None:  # fmt: skip
        program = plan.program
        slots = [slot for unit in plan.units for slot in unit]
        self.of = {slot: f"z{i + 1}" for i, slot in enumerate(slots)}
        self.of |= {len(program.inputs) + i: literal(value) for i, value in enumerate(program.constants)}
        self.inputs: list[tuple[str, str]] = []
        self.used: set[str] = set()  # letters of the groups that are read
        read = {i for slot in slots for i in plan.reads(slot)} | set(plan.outputs)
        taken = {*reserved, *self.of.values(), *(group.letter for group in groups)}
        places = [(group, i) for group in groups for i in range(len(group.names))]
        for slot, (group, i) in enumerate(places):
            if slot in read:
                self._introduce(slot, group, i, taken)

    def _introduce(self, slot: int, group: Group, i: int, taken: set[str]) -> None:
        self.used.add(group.letter)
        if group.scalar:
            self.of[slot] = group.letter
            return
        self.of[slot] = legal(group.names[i], taken)
        taken.add(self.of[slot])
        self.inputs.append((self.of[slot], f"{group.letter}[{i}]"))

    def __getitem__(self, slot: int) -> str:
        return self.of[slot]
