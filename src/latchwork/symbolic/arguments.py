"""Arguments of programs: symbols that numbers are given for, in the order in which the numbers come."""

from __future__ import annotations

from functools import cached_property

from latchwork.symbolic.expr import Expr


class Arguments(tuple[Expr, ...]):
    """Symbols in an order. Programs by the hundred are lowered for the same ones, which are looked through once."""

    @cached_property
    def slots(self) -> dict[int, int]:
        """The slot of each symbol, by its node."""
        return {symbol.node: i for i, symbol in enumerate(self)}

    @cached_property
    def names(self) -> tuple[str, ...]:
        """What they are called."""
        return tuple([symbol.name for symbol in self])

    @cached_property
    def are_distinct(self) -> bool:
        """Whether each of them has a name of its own."""
        return len(set(self.names)) == len(self) and "" not in self.names

