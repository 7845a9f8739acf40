"""From the entries of a file to a model: symbols, then each entry once what it mentions is there, then the loads."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from latchwork.formats.expressions.functions import FRAME, POINT, SCALAR
from latchwork.formats.model_file import beam_makers, makers
from latchwork.formats.model_file.build import Build
from latchwork.formats.model_file.collision_makers import collisions
from latchwork.formats.model_file.constraint_makers import constraint
from latchwork.formats.model_file.contact_makers import contacts, limits, without_shapes
from latchwork.formats.model_file.resolve import Task, in_order
from latchwork.formats.model_file.rule_makers import rules
from latchwork.formats.model_file.shapes import Entry, Given, uses
from latchwork.formats.places import Text, shown

Maker = Callable[[Build, Any], None]
Key = tuple[str, str]  # kind and name
LATER: dict[str, Maker] = {"spin": makers.spin, "moves": makers.moves}  # they mention speeds; nothing waits for them

# Sections whose entries may mention each other, in the order they are made in unless they do, and what a name there is.
MADE: dict[str, tuple[Maker, tuple[str, ...]]] = {
    "coordinates": (makers.coordinate, (SCALAR,)),
    "speeds": (makers.speed, (SCALAR,)),
    "joints": (makers.joint, (FRAME, POINT)),
    "frames": (makers.frame, (FRAME,)),
    "points": (makers.point, (POINT,)),
    "let": (makers.let, (SCALAR,)),
    "beams": (beam_makers.beam, ()),
    "supports": (beam_makers.support, ()),
    "bodies": (makers.body, (FRAME, POINT)),
    "particles": (makers.particle, (POINT,)),
}
LAST_NAMED = ("joints", "bodies", "particles")  # their names stand for frames and points where no other has the name


def assembled(entry: Entry, folder: Path | None = None) -> Build:
    """The model of a file, which is in a folder."""
    with entry["name"].place.blamed():
        build = Build.named(entry["name"].value, folder)
    for section, make in (("parameters", makers.parameter), ("inputs", makers.an_input)):
        for given in entry.get(section, []):
            with given.name.place.blamed():
                make(build, given)
    for task in in_order(Plan(build).planned(entry)):
        task.run()
    _finish(build, entry)
    return build


def _finish(build: Build, entry: Entry) -> None:
    """What nothing else waits for: declared velocities, motion constraints, loads, constraints, contacts, rules."""
    for given in (*entry.get("frames", []), *entry.get("points", []), *entry.get("joints", [])):
        for key in LATER.keys() & given.value.values.keys():
            with given.name.place.blamed():
                LATER[key](build, given)
    if entry.get("zero"):
        build.model.speeds(zero=[build.scalar(code) for code in entry["zero"]])
    for load in entry.get("loads", []):
        with load.place.blamed():
            makers.load(build, load)
    for given in entry.get("constraints", []):
        with given.name.place.blamed():
            build.scope.hold(constraint(build, given, build.model))
    contacts(build, entry.get("contacts", []))
    collisions(build, entry.get("materials", []), entry.get("material_pairs", []), entry.get("collide", []))
    limits(build, entry.get("limits", []))
    without_shapes(build, entry)
    rules(build, entry.get("switched", []), entry.get("rules", []))
    for given in entry.get("quantities", []):
        with given.name.place.blamed():
            makers.described(build, given)


@dataclass
class Plan:
    """The tasks of a file and which of them provides what."""

    build: Build
    tasks: dict[Task, Any] = field(default_factory=dict)  # each with the entry it is made from
    providers: dict[Key, Task] = field(default_factory=dict)

    def planned(self, entry: Entry) -> list[list[Task]]:
        """The tasks by section, each knowing what it needs."""
        sections = {section: self._add(_own(entry, section), make) for section, (make, _) in MADE.items()}
        for section in sorted(sections, key=LAST_NAMED.__contains__):
            for task in sections[section]:
                for kind, name in _provided(section, self.tasks[task]):
                    if self.build.scope.find(kind, name) is None:  # N and O are there already
                        self.providers.setdefault((kind, name), task)
        self.build.scope.declared = self._names()
        for task, value in self.tasks.items():
            task.needs += self._needs(value)
        self._chain(entry.get("coordinates", []))
        self._chain([given.name for given in entry.get("speeds", [])])
        return list(sections.values())

    def _add(self, entries: list[Any], make: Maker) -> list[Task]:
        tasks = {Task(_name(value), partial(make, self.build, value)): value for value in entries}
        self.tasks |= tasks
        return list(tasks)

    def _names(self) -> dict[str, list[str]]:
        return {kind: [name for k, name in self.providers if k == kind] for kind in (SCALAR, FRAME, POINT)}

    def _needs(self, value: Any) -> Iterator[Task]:
        """The tasks behind everything an entry mentions; names nobody provides are refused when it is made."""
        inner = value.value if isinstance(value, Given) else None
        if isinstance(inner, Entry):
            inner = [item for key, item in inner.values.items() if key not in LATER]
        for kind, name in (*uses(inner), *_mentioned(value)):
            task = self.providers.get((kind, name)) or self.providers.get((kind, name.rstrip("'")))
            if task is not None:
                yield task

    def _chain(self, names: list[Text]) -> None:
        """Coordinates and speeds take their places in the order of the list."""
        tasks = [self.providers[SCALAR, name.value] for name in names]
        for before, after in pairwise(tasks):
            if before is not after:
                after.needs.append(before)


def _mentioned(value: Any) -> Iterator[Key]:
    """A support mentions its beam by name."""
    if isinstance(value, Given) and isinstance(value.value, Entry) and "beam" in value.value:
        yield POINT, f"{value.value['beam'].value}_root"


def _name(value: Any) -> Text:
    return value if isinstance(value, Text) else value.name


def _own(entry: Entry, section: str) -> list[Any]:
    """The entries of a section, without the coordinates and speeds that are listed but belong to a joint."""
    joints = entry.get("joints", [])
    if section == "coordinates":
        theirs = {name for given in joints for name in makers.joint_names(given, "q")} | _bending(entry, "q")
        return [name for name in entry.get(section, []) if name.value not in theirs]
    if section == "speeds":
        theirs = {name for given in joints for name in makers.joint_names(given, "u")} | _bending(entry, "u")
        return [given for given in entry.get(section, []) if not _is_listed_only(given, theirs)]
    return entry.get(section, [])


def _bending(entry: Entry, letter: str) -> set[str]:
    """The coordinates or speeds of beams and of what they slide over."""
    of_beams = {name for given in entry.get("beams", []) for name in beam_makers.names(given, letter)}
    first = {"q": "s", "u": "u"}[letter]
    return of_beams | {f"{first}_{given.name.value}" for given in entry.get("supports", [])}


def _provided(section: str, value: Any) -> Iterator[Key]:
    """What an entry provides; a joint also its origin, its coordinates and its speeds; a beam what is along it."""
    name = _name(value).value
    yield from ((kind, name) for kind in MADE[section][1])
    if section == "joints":
        yield POINT, f"{name}_o"
        yield from ((SCALAR, symbol) for letter in "qu" for symbol in makers.joint_names(value, letter))
    if section == "beams":
        yield from beam_makers.provided(value)
    if section == "supports":
        yield from ((SCALAR, f"{letter}_{name}") for letter in "su")
        yield POINT, f"{value.value['beam'].value}_at_{name}"


def _is_listed_only(given: Given, theirs: set[str]) -> bool:
    """Is this a speed of a joint, listed for its place?"""
    if given.value is None and given.name.value not in theirs:
        raise given.name.place.error(
            f"speed '{shown(given.name.value)}' has no definition, and no joint defines it. Write one, e.g. dt(q1)."
        )
    return given.value is None
