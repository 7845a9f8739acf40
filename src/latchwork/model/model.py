"""Model: what the analyst writes into. Everything after it is frozen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.rule import Latch, Rule
from latchwork.contact.law import Contact
from latchwork.errors import ModelError, must_be_name, spelled
from latchwork.mechanics.system import System
from latchwork.model.loading import Loading

if TYPE_CHECKING:
    from latchwork.constraint.constrained import Constrained
    from latchwork.kane.advice import Advice
    from latchwork.kane.equations import Equations
    from latchwork.mechanics.joints import Link


class Model(Loading):
    """A mechanism: symbols, frames and points, bodies, joints, loads, and how the generalized speeds are defined."""

    def __init__(self, name: str = "mechanism") -> None:
        super().__init__(name)
        self._contacts: dict[str, Contact] = {}
        self._rules: dict[str, Rule] = {}

    def __repr__(self) -> str:
        return (
            f"<Model '{self.name}': {len(self._bodies)} bodies, {len(self._coordinates)} coordinates, "
            f"{len(self._loads) + (self._gravity is not None)} loads, {len(self._constraints)} constraints"
            f"{f', {len(self._contacts)} contacts' if self._contacts else ''}>"
        )

    # --- contacts -----------------------------------------------------------------------------------------------

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """What may touch in every run."""
        return tuple(self._contacts.values())

    @spelled
    def contact(self, name: str, a: Any, b: Any, *, restitution: Any = 0.0, friction: Any = None,
                impact: str = "newton") -> Contact:  # fmt: skip
        """Two shapes that may touch. In a run they collide, slide, roll, stick and separate as their laws say.

        ``restitution`` and ``friction`` are numbers, expressions, or ``lw.zones(...)``; ``lw.Coulomb(static, dynamic)``
        tells the two frictions apart. ``impact`` names a law of ``latchwork.contact.impact.resolution.LAWS``.
        """
        from latchwork.contact.construction import contact_between

        return self.add_contact(name, lambda: contact_between(name, a, b, restitution, friction, impact, self.graph))

    @spelled
    def limit(self, name: str, joint: Link, bounds: Any, *, restitution: Any = 0.0) -> Contact:
        """Stops of a revolute or prismatic joint: its coordinate stays between two ``bounds``, (low, high), with an
        impact where it meets one. None leaves a bound out; bounds may depend on parameters and t."""
        from latchwork.constraint.joints.couplings import only
        from latchwork.contact.joint_limits import limits

        return self.add_contact(name, lambda: limits(name, *only(joint, name), bounds, restitution))

    def add_contact(self, name: str, make: Callable[[], Contact]) -> Contact:
        """A contact under a name that is new."""
        from latchwork.contact.construction import must_name_contact

        must_name_contact(name)
        if name in self._contacts or name in self._constraints:
            raise ModelError(f"'{self.name}' has a contact or constraint named '{name}' already. Choose another name.")
        self._contacts[name] = make()
        return self._contacts[name]

    # --- rules --------------------------------------------------------------------------------------------------

    @property
    def rules(self) -> tuple[Rule, ...]:
        """What the user says about modes, in every run."""
        return tuple(self._rules.values())

    @spelled
    def rule(self, name: str, when: Any, *, hold: Constraint | Latch | Sequence[Constraint | Latch] = (),
             release: Any = (), reset: Mapping[Any, Any] | None = None, inputs: Mapping[Any, Any] | None = None,
             needs: Any = (), without: Any = (), once: bool = False, stop: bool = False) -> Rule:  # fmt: skip
        """Where ``when`` falls through zero, constraints begin to hold or let go, speeds and inputs jump: `lw.Rule`."""
        must_be_name(name, "a rule")
        if name in self._rules:
            raise ModelError(f"'{self.name}' has a rule named '{name}' already. Choose another name.")
        self._rules[name] = Rule(name, when, hold, release, reset or {}, inputs or {}, needs, without, once, stop)
        return self._rules[name]

    # --- what follows -------------------------------------------------------------------------------------------

    def system(self) -> System:
        """What has been described so far, frozen."""
        if not self._speeds_given:
            self.speeds()
        symbols = [*self._parameters, *self._inputs]
        values = {s: v for s in symbols if (v := self.graph.symbols[s.node].value) is not None}
        return System(
            name=self.name,
            tree=self._tree,
            t=self.time,
            q=tuple(self._coordinates),
            u=tuple(self._speeds),
            r=tuple(self._inputs),
            p=tuple(self._parameters),
            q_rates=tuple(self._rates[q] for q in self._coordinates),
            u_rates=tuple(self._accelerations[u] for u in self._speeds),
            values=values,
            definitions=dict(self._definitions),
            direct=dict(self._direct),
            zero=tuple(self._zero),
            bodies=tuple(self._bodies.values()),
            loads=tuple(self._loads),
            gravity=self._gravity,
            links=tuple(self._links.values()),
            quaternions=tuple(self._quaternions),
            contacts=tuple(self._contacts),
        )

    def equations(self) -> Equations:
        """Kane's equations, unconstrained: F_r + F_r* = 0."""
        from latchwork.kane.equations import equations  # late: a description needs no machinery yet

        return equations(self.system())

    def constrained(self, *, independent: Sequence[Any] | None = None, at: Any = None, t: float = 0.0,
                    p: Any = None) -> Constrained:  # fmt: skip
        """The equations with the model's constraints embedded, as ``model.equations().embed(...)``."""
        return self.equations().embed(*self.constraints, independent=independent, at=at, t=t, p=p)

    def advise(self) -> Advice:
        """Advice on generalized speeds: alternatives side by side, with their operation counts."""
        from latchwork.kane.advice import advise

        return advise(self.system())
