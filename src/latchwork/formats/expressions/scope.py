"""The names that an expression may use, and what they stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.forces import force_of
from latchwork.constraint.rule import Latch
from latchwork.contact.law import Contact
from latchwork.errors import ExpressionError, did_you_mean
from latchwork.formats.expressions.functions import FRAME, HELD, POINT, SCALAR
from latchwork.formats.places import shown
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point
from latchwork.mechanics.tree import Tree
from latchwork.model import Model
from latchwork.symbolic.graph import Graph


class Value(NamedTuple):
    """What an expression is so far: its kind and the thing itself."""

    kind: str
    it: Any


Exerting = Mapping[str, Mapping[str, Callable[[], Any]]]  # by name: what can be asked, made when it is asked for


class Held(NamedTuple):
    """Something that exerts a force: a row of a constraint, a feature of a contact, all of these; a joint, a load."""

    name: str
    asked: Mapping[str, Callable[[], Any]]  # "force", and in runs "reaction", "reaction_torque", "load", "motor"

    def exerts(self, what: str) -> Any:
        """A scalar or a vector, if it has one of this kind."""
        if what not in self.asked:
            known = " or ".join(f"{word}({shown(self.name)})" for word in self.asked)
            raise ExpressionError(f"'{shown(self.name)}' has no {what.replace('_', ' ')} here. Ask for {known}.")
        return self.asked[what]()


@dataclass
class Scope:
    """The names an expression may use: symbols (and what a file defines under ``let``), frames and points.

    ``aliases`` lets a joint or body stand for its frame and point; ``held`` are constraints and contacts by name, for
    their forces; ``declared`` holds names that are still to be made, for hints.
    """

    graph: Graph
    tree: Tree | None = None
    symbols: dict[str, Value] = field(default_factory=dict)
    aliases: dict[tuple[str, str], Frame | Point] = field(default_factory=dict)
    held: dict[str, Held] = field(default_factory=dict)
    declared: Mapping[str, Iterable[str]] = field(default_factory=dict)
    memo: dict[tuple[str, ...], Value] = field(default_factory=dict)

    @staticmethod
    def of(model: Model) -> Scope:
        """All names of a model."""
        scope = Scope(model.graph, model.frame.tree, {name: Value(SCALAR, e) for name, e in model.symbols.items()})
        for link in model.links.values():
            scope.alias(link)
        for body in model.bodies.values():
            scope.alias(body)
        scope.hold(*model.constraints, *model.contacts, *(item for rule in model.rules for item in rule.held))
        return scope

    def hold(self, *items: Constraint | Latch | Contact) -> None:
        """Let expressions name the forces of these: of all of a contact, and of its features and rows one by one."""
        for item in items:
            if isinstance(item, Contact):
                self.held[item.name] = Held(item.name, {"force": partial(getattr, item, "force")})
            names = list(item.names) if isinstance(item, Contact) else \
                item.row_names if isinstance(item, Constraint) else [item.name]  # fmt: skip
            for name in names:
                self.held.setdefault(name, Held(name, {"force": partial(force_of, self.graph, name)}))

    def alias(self, item: Link | Body) -> None:
        """Let the name of a joint or body stand for its frame and its point."""
        point = item.origin if isinstance(item, Link) else item.center
        self.aliases.setdefault((POINT, item.name), point)
        if item.frame is not None:
            self.aliases.setdefault((FRAME, item.name), item.frame)

    def find(self, kind: str, name: str) -> Any:
        """A frame or point by its own name or an alias, something that holds by its name, or None."""
        if kind == HELD:
            return self.held.get(name)
        if self.tree is None or kind not in (FRAME, POINT):
            return None
        own: Mapping[str, Any] = self.tree.frames if kind == FRAME else self.tree.points
        return own.get(name) or self.aliases.get((kind, name))

    def look_up(self, kind: str, name: str) -> Any:
        """A frame, a point or something that holds, or an error that says which there are."""
        found = self.find(kind, name)
        if found is None and kind == HELD and not self.held:
            raise ExpressionError(
                f"the force of '{shown(name)}' is not known here. Forces stand in conditions of rules, of constraints "
                "and contacts that the model has."
            )
        if found is None:
            raise ExpressionError(f"there is no {kind} '{shown(name)}'.{did_you_mean(name, self.names(kind))}")
        return found

    def names(self, kind: str) -> list[str]:
        """The names of a kind, for a hint."""
        made: Iterable[str] = self.held if kind == HELD else self.symbols
        if kind in (FRAME, POINT) and self.tree is not None:
            made = self.tree.frames if kind == FRAME else self.tree.points
        return list(dict.fromkeys((*made, *self.declared.get(kind, ()))))
