"""Materials by name, and the table of their pairs: friction and restitution belong to two surfaces, not to one.

    model.material("rubber", friction=0.9, restitution=0.4, on=[tyre])
    model.material("ice", friction=0.02, on=[lake])
    model.material_pair("rubber", "ice", friction=0.1)

The row of a material with itself is its own; two materials have a row of their own, or none. No rule makes a row of two
others: where shapes of two materials may touch and the table has no row for them, `collide` says which to write.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from latchwork.contact.law import Coulomb, adhesion_of, coulomb_of, restitution_of
from latchwork.errors import ModelError, did_you_mean, must_be_name


@dataclass(frozen=True, eq=False)
class Laws:
    """What two surfaces obey where they touch."""

    restitution: Any = 0.0
    friction: Coulomb | None = None
    adhesion: Any = 0.0

    @staticmethod
    def given(name: str, friction: Any, restitution: Any, adhesion: Any = None) -> Laws:
        """Coefficients as a user gives them; what is out of bounds is refused."""
        return Laws(restitution_of(name, 0.0 if restitution is None else restitution), coulomb_of(name, friction),
                    adhesion_of(name, 0.0 if adhesion is None else adhesion))  # fmt: skip


@dataclass(frozen=True, eq=False)
class Material:
    """A surface by its name, with what it obeys on another of its kind."""

    name: str
    laws: Laws = field(repr=False)


@dataclass
class Materials:
    """The materials of a model, the rows of their pairs, and which bodies and shapes are made of which."""

    known: dict[str, Material] = field(default_factory=dict)
    rows: dict[frozenset[str], Laws] = field(default_factory=dict)
    of: dict[Any, str] = field(default_factory=dict)  # bodies and shapes

    def add(self, name: str, friction: Any, restitution: Any, on: Iterable[Any], adhesion: Any = 0.0) -> Material:
        """A new material, and what is made of it."""
        must_be_name(name, "a material", advice=' Give it first: material("rubber", friction=0.9).')
        if name in self.known:
            raise ModelError(f"there is a material named '{name}' already. Choose another name.")
        made = Material(name, Laws.given(name, friction, restitution, adhesion))
        for thing in on:
            before = self.of.get(thing)
            if before is not None:
                raise ModelError(f"{thing!r} is made of '{before}' already, and of '{name}' now. Name it once.")
        self.known[name] = made
        self.rows[frozenset({name})] = made.laws
        self.of |= dict.fromkeys(on, name)
        return made

    def add_pair(self, a: Any, b: Any, friction: Any, restitution: Any, adhesion: Any = 0.0) -> Laws:
        """The row of two materials."""
        one, other = (self.named(each) for each in (a, b))
        if one is other:
            raise ModelError(f"the pair '{one.name}' and '{other.name}' is one material, whose row is its own. Give it "
                             "in model.material(...).")  # fmt: skip
        key = frozenset({one.name, other.name})
        if key in self.rows:
            raise ModelError(f"'{one.name}' and '{other.name}' have a row already. Give it once.")
        self.rows[key] = Laws.given(f"{one.name} on {other.name}", friction, restitution, adhesion)
        return self.rows[key]

    def named(self, given: Material | str) -> Material:
        """A material of this table."""
        name = given.name if isinstance(given, Material) else given
        if not isinstance(name, str) or name not in self.known:
            hint = did_you_mean(str(name), self.known) or ' There is none: model.material("rubber", friction=0.9).'
            raise ModelError(f"there is no material {name!r}.{hint}")
        return self.known[name]

    def row(self, a: str | None, b: str | None) -> Laws | None:
        """What surfaces of two materials obey; none where the table does not say."""
        return None if a is None or b is None else self.rows.get(frozenset({a, b}))

    @property
    def pairs(self) -> Mapping[tuple[str, str], Laws]:
        """The rows of two different materials, in the order in which they were given."""
        order = list(self.known)
        found = {key: sorted(key, key=order.index) for key in self.rows if len(key) == 2}
        return {(names[0], names[1]): self.rows[key] for key, names in found.items()}
