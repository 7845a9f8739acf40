"""From the entries of a file to a model: symbols, then each entry once what it mentions is there, then the loads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import pairwise
from typing import Any

from latchwork.formats import makers
from latchwork.formats.build import Build
from latchwork.formats.functions import FRAME, POINT, SCALAR
from latchwork.formats.places import Text, shown
from latchwork.formats.resolve import Task, in_order
from latchwork.formats.shapes import Entry, Given, uses

Maker = Callable[[Build, Any], None]
LATER: dict[str, Maker] = {"spin": makers.spin, "moves": makers.moves}  # they mention speeds; nothing waits for them

# Sections whose entries may mention each other, in the order they are made in unless they do.
MADE: dict[str, tuple[Maker, tuple[str, ...]]] = {
    "speeds": (makers.speed, (SCALAR,)),
    "joints": (makers.joint, (FRAME, POINT)),
    "frames": (makers.frame, (FRAME,)),
    "points": (makers.point, (POINT,)),
    "let": (makers.let, (SCALAR,)),
    "bodies": (makers.body, (FRAME, POINT)),
    "particles": (makers.particle, (POINT,)),
}


def assembled(entry: Entry) -> Build:
    """The model of a file."""
    with entry["name"].place.blamed():
        build = Build.named(entry["name"].value)
    for section, make in (("parameters", makers.parameter), ("inputs", makers.an_input)):
        for given in entry.get(section, []):
            with given.name.place.blamed():
                make(build, given)
    for task in in_order(Plan(build).planned(entry)):
        task.run()
    _finish(build, entry)
    return build


def _finish(build: Build, entry: Entry) -> None:
    """What nothing else waits for: declared velocities, motion constraints, loads."""
    for given in (*entry.get("frames", []), *entry.get("points", []), *entry.get("joints", [])):
        for key in LATER.keys() & given.value.values.keys():
            with given.name.place.blamed():
                LATER[key](build, given)
    if entry.get("zero"):
        build.model.speeds(zero=[build.scalar(code) for code in entry["zero"]])
    for load in entry.get("loads", []):
        with load.place.blamed():
            makers.load(build, load)


@dataclass
class Plan:
    """The tasks of a file and which of them provides what."""

    build: Build
    tasks: list[Task] = field(default_factory=list)
    providers: dict[tuple[str, str], Task] = field(default_factory=dict)
    values: dict[Task, Any] = field(default_factory=dict)

    def planned(self, entry: Entry) -> list[Task]:
        """All tasks, each knowing what it needs."""
        for name in self._own(entry, "coordinates"):
            self._add(name, name, makers.coordinate, [(SCALAR, name.value)])
        for section, (make, kinds) in MADE.items():
            for given in self._own(entry, section):
                self._add(given.name, given, make, [(kind, given.name.value) for kind in kinds])
        self._joints(entry.get("joints", []))
        self.build.scope.declared = self._names()
        for task, value in self.values.items():
            task.needs += self._needs(value)
        self._chain(entry.get("coordinates", []))
        self._chain([given.name for given in entry.get("speeds", [])])
        return self.tasks

    def _own(self, entry: Entry, section: str) -> list[Any]:
        """The entries of a section, without the coordinates and speeds that are listed here but belong to a joint."""
        joints = entry.get("joints", [])
        if section == "coordinates":
            theirs = {name for given in joints for name in makers.joint_names(given, "q")}
            return [name for name in entry.get(section, []) if name.value not in theirs]
        if section == "speeds":
            theirs = {name for given in joints for name in makers.joint_names(given, "u")}
            return [given for given in entry.get(section, []) if not _is_listed_only(given, theirs)]
        return entry.get(section, [])

    def _add(self, name: Text, value: Any, make: Maker, keys: Iterable[tuple[str, str]]) -> None:
        task = Task(name, partial(make, self.build, value))
        self.tasks.append(task)
        self.values[task] = value
        for key in keys:
            self.providers.setdefault(key, task)

    def _joints(self, joints: list[Given]) -> None:
        """A joint also provides its origin, its coordinates and its speeds."""
        for given in joints:
            task = self.providers[FRAME, given.name.value]
            names = [*makers.joint_names(given, "q"), *makers.joint_names(given, "u")]
            for key in ((POINT, f"{given.name.value}_o"), *((SCALAR, name) for name in names)):
                self.providers.setdefault(key, task)

    def _names(self) -> dict[str, list[str]]:
        return {kind: [name for k, name in self.providers if k == kind] for kind in (SCALAR, FRAME, POINT)}

    def _needs(self, value: Any) -> Iterator[Task]:
        """The tasks behind everything an entry mentions; names nobody provides are refused when it is made."""
        inner = value.value if isinstance(value, Given) else None
        if isinstance(inner, Entry):
            inner = [item for key, item in inner.values.items() if key not in LATER]
        for kind, name in uses(inner):
            task = self.providers.get((kind, name)) or self.providers.get((kind, name.rstrip("'")))
            if task is not None:
                yield task

    def _chain(self, names: list[Text]) -> None:
        """Coordinates and speeds take their places in the order of the list."""
        tasks = [self.providers[SCALAR, name.value] for name in names]
        for before, after in pairwise(tasks):
            if before is not after:
                after.needs.append(before)


def _is_listed_only(given: Given, theirs: set[str]) -> bool:
    """Is this a speed of a joint, listed for its place?"""
    if given.value is None and given.name.value not in theirs:
        raise given.name.place.error(
            f"speed '{shown(given.name.value)}' has no definition, and no joint defines it. Write one, e.g. dt(q1)."
        )
    return given.value is None
