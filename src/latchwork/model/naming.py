"""The symbols of a model: parameters, inputs, coordinates, and speeds with their definitions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from latchwork.errors import ByName, ModelError, did_you_mean, listed, must_be_name
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.quantity import Quantity, described_by

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
RESERVED = frozenset(
    "t dt pi sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh exp log sqrt abs sign min max where "
    "dot cross position velocity angular_velocity magnitude".split()
)
RESERVED_MEANING = {"t": "the time of every model (model.time)", "pi": "the number π"}


def _article(kind: str) -> str:
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"


class Naming:
    """The part of a model that names its symbols."""

    def __init__(self, name: str) -> None:
        must_be_name(name, "a model")
        self.name = name
        self.graph = Graph(name)
        self.time = self._symbol("t", "time")
        self._symbols: dict[str, Expr] = {"t": self.time}
        self._coordinates: list[Expr] = []
        self._rates: dict[Expr, Expr] = {}
        self._speeds: list[Expr] = []
        self._accelerations: dict[Expr, Expr] = {}
        self._definitions: dict[Expr, Expr] = {}
        self._direct: dict[Expr, Expr] = {}
        self._zero: list[Expr] = []
        self._speeds_given = False
        self._parameters: list[Expr] = []
        self._inputs: list[Expr] = []

    @property
    def symbols(self) -> dict[str, Expr]:
        """Every named symbol: time, parameters, coordinates, speeds, inputs."""
        return ByName(self._symbols, f"symbol of '{self.name}'")

    @property
    def definitions(self) -> dict[Expr, Expr]:
        """The speeds that were given a definition, u = Y q̇ + Z; those of joints are not among them."""
        return dict(self._definitions)

    @property
    def zero(self) -> tuple[Expr, ...]:
        """The motion constraints built into the speeds."""
        return tuple(self._zero)

    def parameter(self, name: str, value: float | Quantity | None = None) -> Expr:
        """A constant of the mechanism, with the value it has unless another is given, or a `lw.quantity`."""
        self._parameters.append(self._named(name, "parameter", value))
        return self._parameters[-1]

    def parameters(self, **values: float | Quantity | None) -> tuple[Expr, ...]:
        """Several parameters: ``m, L = model.parameters(m=1.0, L=lw.quantity(0.5, "m", "length of the rod"))``."""
        return tuple(self.parameter(name, value) for name, value in values.items())

    def input(self, name: str, value: float | Quantity = 0.0) -> Expr:
        """A quantity given from outside while the mechanism runs (an actuator, a hand), held over a step."""
        if isinstance(value, Quantity) and value.value is None:
            value = replace(value, value=0.0)
        self._inputs.append(self._named(name, "input", value))
        return self._inputs[-1]

    def inputs(self, **values: float | Quantity) -> tuple[Expr, ...]:
        """Several inputs: ``T, F = model.inputs(T=0.0, F=0.0)``."""
        return tuple(self.input(name, value) for name, value in values.items())

    def coordinate(self, name: str, described: Quantity | None = None) -> Expr:
        """A generalized coordinate q; ``dt(q)`` is its rate. A `lw.quantity` gives it a unit and a description."""
        q = self._named(name, "coordinate")
        if described is not None:
            self.describe(**{name: described})
        self._coordinates.append(q)
        self._rates[q] = self._symbol(f"dt({name})", "rate", q)
        return q

    def coordinates(self, *names: str, **described: Quantity) -> tuple[Expr, ...]:
        """Several generalized coordinates: ``model.coordinates("q1", "q2")``, or with units and descriptions,
        ``model.coordinates(q1=lw.quantity(unit="rad", description="angle of the crank"))``."""
        return (*(self.coordinate(name) for name in names), *(self.coordinate(*each) for each in described.items()))

    def describe(self, **described: Quantity | str) -> None:
        """Units and descriptions of symbols that are there, such as coordinates that came with joints.

        ``model.describe(m="mass of the basket [kg]", q1="angle of the crank [rad]")``: a text, its unit in brackets, or
        a `lw.quantity`. A value given to a parameter or an input takes the place of the one it had. What is left empty
        stays as it was.
        """
        for name, given in described.items():
            if name not in self._symbols:
                hint = did_you_mean(name, self._symbols)
                raise ModelError(f"'{self.name}' has no symbol '{name}' to describe.{hint}")
            if isinstance(given, str):
                given = described_by(given)
            if not isinstance(given, Quantity):
                raise ModelError(f"'{name}' is described by {given!r:.60}. Give a text such as 'mass [kg]'.")
            node = self._symbols[name].node
            symbol = self.graph.symbols[node]
            if given.value is not None and symbol.kind not in ("parameter", "input"):
                raise ModelError(f"'{name}' is a {symbol.kind} and has no value of its own; got {given.value!r}. Give "
                                 "lw.quantity(unit=..., description=...).")  # fmt: skip
            value = symbol.value if given.value is None else self._number(given.value, name, symbol.kind)
            self.graph.symbols[node] = replace(symbol, value=value, unit=given.unit or symbol.unit,
                                               description=given.description or symbol.description)  # fmt: skip

    def speeds(self, *, zero: Sequence[Any] = (), **definitions: Any) -> tuple[Expr, ...]:
        """Generalized speeds: each a definition linear in q̇, ``u1, u2 = model.speeds(u1=dt(q1), u2=r*dt(q2))``.

        ``zero`` lists motion constraints built into the speeds: expressions linear in q̇ that must vanish. Without
        arguments every coordinate that has no speed yet gets its own rate: u1 = q̇1, ...
        """
        vanishing = listed(zero, f"'zero' of the speeds of '{self.name}'", "Give a list of expressions in dt(q).")
        if definitions or vanishing:
            self._speeds_given = True
        else:
            definitions = self._default_definitions()
        made = []
        for name, definition in definitions.items():
            u = self._speed(name)
            self._definitions[u] = Expr(self.graph, operand(self.graph, definition))
            made.append(u)
        self._zero += [Expr(self.graph, operand(self.graph, expression)) for expression in vanishing]
        return tuple(made)

    def speed_of(self, q: Expr) -> Expr:
        """The speed that is the rate of a coordinate of a joint or beam."""
        return self._direct[self._rates[q]]

    def _default_definitions(self) -> dict[str, Expr]:
        defined = {*self._direct, *self._definitions.values()}
        fresh = {}
        for q in self._coordinates:
            if self._rates[q] not in defined:
                name = "u" + q.name[1:] if q.name.startswith("q") else f"u_{q.name}"
                fresh[name] = self._rates[q]
        return fresh

    def _speed(self, name: str) -> Expr:
        u = self._named(name, "speed")
        self._speeds.append(u)
        self._accelerations[u] = self._symbol(f"dt({name})", "acceleration", u)
        return u

    def _must_be_free(self, name: str, kind: str) -> None:
        """A name that nothing else has, and that expressions can use."""
        if isinstance(name, str) and name in RESERVED:
            meaning = RESERVED_MEANING.get(name, "a function in expressions")
            raise ModelError(
                f"'{name}' cannot name {_article(kind)} of '{self.name}': '{name}' is {meaning}. "
                "Choose another, e.g. 'q1'."
            )
        if not isinstance(name, str) or not NAME.match(name):
            raise ModelError(
                f"{name!r} cannot name {_article(kind)} of '{self.name}': names are letters, digits and _, a letter "
                "first. Choose another, e.g. 'q1'."
            )
        if name in self._symbols:
            before = _article(self._symbols[name].kind)
            raise ModelError(f"'{self.name}' has {before} named '{name}' already. Name the {kind} otherwise.")

    def _named(self, name: str, kind: str, value: float | Quantity | None = None) -> Expr:
        self._must_be_free(name, kind)
        number = value.value if isinstance(value, Quantity) else value
        number = None if number is None else self._number(number, name, kind)
        self._symbols[name] = self._symbol(name, kind, value=number)
        if isinstance(value, Quantity):
            self.describe(**{name: value})
        return self._symbols[name]

    def _number(self, value: Any, name: str, kind: str) -> float:
        try:
            number = float(value)
        except (TypeError, ValueError):
            raise ModelError(
                f"the value of {kind} '{name}' must be a number; got {value!r}. Give it alone, or with a unit as "
                'lw.quantity(2.0, "kg"): any consistent set of units will do.'
            ) from None
        self.graph.constant(number)  # refuses nan and inf
        return number

    def _symbol(self, name: str, kind: str, of: Expr | None = None, value: float | None = None) -> Expr:
        derivative_of = of.node if of is not None else -1
        return Expr(self.graph, self.graph.symbol(name, kind, derivative_of, value))

    def _value_of(self, what: Expr) -> float | None:
        """The value that a number or a symbol has unless another is given."""
        if what.is_constant:
            return float(what)
        return self.graph.symbols[what.node].value if what.is_symbol else None
