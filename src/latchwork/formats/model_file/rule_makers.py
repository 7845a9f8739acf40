"""How the rules of a model file are made, and the constraints that they hold and let go, which no model keeps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.joints.methods import Constraining
from latchwork.constraint.rule import Latch
from latchwork.errors import did_you_mean
from latchwork.formats.model_file.build import Build
from latchwork.formats.model_file.constraint_makers import constraint
from latchwork.formats.model_file.contact_makers import measure
from latchwork.formats.model_file.shapes import Entry, Given
from latchwork.formats.places import Text, shown
from latchwork.model import Model

STANDS = ("slide", "stick")  # how a contact stands while it is closed


class Switched(Constraining):
    """The parts of a model, to make constraints between them that it does not keep."""

    def __init__(self, model: Model) -> None:
        self.name, self._tree, self._links = model.name, model.frame.tree, dict(model.links)
        self._constraints = {}


def rules(build: Build, switched: list[Given], given: list[Given]) -> None:
    """The rules of a file, after all that they may hold."""
    held = {each.name.value: _switched(build, each) for each in switched}
    build.scope.hold(*held.values())
    for each in given:
        with each.name.place.blamed():
            _rule(build, each, held)
    used = {item.name for rule in build.model.rules for item in rule.held}
    for each in switched:
        if each.name.value not in used:
            raise each.name.place.error(
                f"'{shown(each.name.value)}' is under 'switched', and no rule holds it. Let one hold it, or move it "
                "under 'constraints'."
            )


def _switched(build: Build, given: Given) -> Constraint | Latch:
    name = given.name.value
    with given.name.place.blamed():
        taken = {k.name for k in build.model.constraints} | {c.name for c in build.model.contacts}
        if name in taken:
            raise given.name.place.error(f"'{shown(name)}' is a constraint or contact already. Choose another name.")
        if "latch" in given.value:
            return Latch(name, build.scalar(given.value["latch"]))
        return constraint(build, given, Switched(build.model))


def _rule(build: Build, given: Given, held: dict[str, Constraint | Latch]) -> None:
    entry, model = given.value, build.model
    always = [each.name for each in model.constraints]
    touching = [name for contact in model.contacts for place in contact.names
                for name in (place, *(f"{place}: {how}" for how in STANDS))]  # fmt: skip
    touching += [text.value for key in ("needs", "without") for text in entry.get(key, [])
                 if any(each.pair_named(text.value.partition(":")[0]) for each in model.collisions)]  # fmt: skip
    names = {key: _known(entry, key, known) for key, known in (
        ("hold", held), ("release", held), ("needs", (*held, *always, *touching)),
        ("without", (*held, *always, *touching)))}  # fmt: skip
    states = [name for name, symbol in model.symbols.items() if symbol.kind in ("coordinate", "speed")]
    inputs = [name for name, symbol in model.symbols.items() if symbol.kind == "input"]
    model.rule(
        given.name.value,
        measure(build, entry["when"]),
        hold=[held[name] for name in names["hold"]],
        release=names["release"],
        reset=_values(build, entry, "reset", states),
        inputs=_values(build, entry, "inputs", inputs),
        needs=names["needs"],
        without=names["without"],
        once=entry.get("once", False),
        stop=entry.get("stop", False),
    )


def _known(entry: Entry, key: str, known: Iterable[str]) -> list[str]:
    """Names that there are."""
    return [_among(text, key, known) for text in entry.get(key, [])]


def _values(build: Build, entry: Entry, key: str, known: Iterable[str]) -> dict[str, Any]:
    return {_among(each.name, key, known): measure(build, each.value) for each in entry.get(key, [])}


def _among(text: Text, key: str, known: Iterable[str]) -> str:
    if text.value not in known:
        raise text.place.error(f"'{key}' names '{shown(text.value)}', which is none.{did_you_mean(text.value, known)}")
    return text.value
