"""A mode that machine code has laid out, as Python knows it: its equations, its guards, and the problem that steps it.

The problem stands on the memory that the kernel `lay_out_mode` has filled, and has perhaps been stepped in it; of the
equations, which a run keeps for good, there are copies. Nothing is chosen or laid out again, and nothing is made of
them before somebody asks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.mode import Mode, selected_mode
from latchwork.constraint.embedded.mode_block import Block, Watch
from latchwork.constraint.embedded.slider import Slider
from latchwork.constraint.selection_kernel import SpeedChoice, speeds_of
from latchwork.constraint.terms import Array, Terms
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.guard_table import forms_in, guards_of, piece_of, zone_program, zones_in
from latchwork.hybrid.contacts.guard_values import look_at_guards
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.mode_dynamics import Recombined, Unconstrained
from latchwork.hybrid.mode_integration import usual_kind
from latchwork.hybrid.mode_layout.mode_memory import ModeMemory
from latchwork.hybrid.mode_layout.mode_record import ModeRecord
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.rules import Watched
from latchwork.integrate.reusable_integration import IntegrationBlock, ReusableIntegration
from latchwork.integrate.workspace import Memory
from latchwork.program.function import Function
from latchwork.program.records.memory import blank, values, where
from latchwork.program.records.view import record_at

if TYPE_CHECKING:
    from latchwork.hybrid.mode_table import Holds, ModeTable


class LaidOutMode(NamedTuple):
    """The equations of a mode, what watches them, and the row (t, q, u, rest) at which its speeds were chosen and its
    redundant forces shared."""

    dynamics: ModeDynamics
    guards: Guards
    row: Array


LaidOutModes = Mapping[Any, LaidOutMode]


class SharedParts(NamedTuple):
    """What modes of the same contact states have in common: what they are known by, rows, none where nothing holds,
    what slides, guards, what holds in words, and the programs of what watches them."""

    key: Any
    terms: Terms | None
    sliders: tuple[Slider, ...]
    guards: Guards
    label: tuple[str, ...]
    functions: tuple[Function, ...]


def shared_parts(table: ModeTable, holds: Holds, s: ContactStates, stops: Mapping[str, Any],
                 armed: tuple[Watched, ...], user: Sequence[Guard]) -> SharedParts:  # fmt: skip
    """What modes of some contact states have in common, with constraints that hold, conditions that end a run and rules
    that are armed; ``user``: the guards of these."""
    key, forms = table.key_of(holds, s, armed, stops), forms_in(s)
    terms, sliders = table.embedding(key[0], key[1][0], holds, s)
    functions = [function for point, form in zip(s.contact_points, forms, strict=True)
                 for function in piece_of(point, s, form).functions]  # fmt: skip
    functions += [zone_program(point, zone).function for zone, point in zones_in(s).items()]
    program = table.user.program(user, None if terms is None else len(terms.rows))
    functions += [] if program is None else [program]
    return SharedParts(key, terms, sliders, Guards([*guards_of(s, forms), *user]), (*holds, *s.labels),
                       tuple(functions))  # fmt: skip


class MachineMode:
    """A mode that machine code has laid out at x = (t, q, u, rest). Its numbers are kept; what Python knows it by is
    made of them where somebody asks: most modes of most runs are never asked for."""

    def __init__(self, table: ModeTable, memory: ModeMemory, record: ModeRecord, parts: SharedParts, x: Array) -> None:
        self._table, self._parts, self._x = table, parts, x
        at, terms = values(record), parts.terms
        self._code = memory.words_at(at.code, 1).copy()
        self._numbers, self._arrivals = memory.numbers_at(at.fresh, at.size).copy(), Function.arrivals
        side = 0 if terms is not None else table.side.function.slots + 1
        if terms is not None:
            n_q, n, m = terms.sizes
            self._choice = memory.words_at(at.choice, blank(SpeedChoice, n=n, rows=m).size).copy()
            self.states = n_q + self._record.k + 1
        else:
            self.states = len(table.driven.equations.q) + len(table.driven.equations.u) + 1
        sizes = {"guards": len(parts.guards), "states": self.states, "fresh": side + at.size, "used": 0}
        self._words = memory.words_at(at.block, blank(IntegrationBlock, **sizes).size)

    def dynamics(self) -> Recombined | Unconstrained:
        """Its equations."""
        table, memory = self._table, Memory(self._table.memory)
        if self._parts.terms is None:
            return Unconstrained(table.side, self, names=self._parts.label, memory=memory)
        return Recombined(table.driven, self, label=self._parts.label, memory=memory)

    @cached_property
    def _block(self) -> Block:
        code = self._code.view(np.int32)[:1]
        return Block(code, self._numbers, int(code[0]))

    @cached_property
    def _record(self) -> EmbeddedMode:
        """Its record."""
        return record_at(EmbeddedMode, self._block.z, self._block.start)

    @cached_property
    def mode(self) -> Mode:
        """The mode itself; where nothing holds, what watches it."""
        table, (_, terms, sliders, *_) = self._table, self._parts
        if terms is None:
            look = replace(table.free_mode, watch=self.watch)
            look.stand_on(self._block, self._arrivals)
            return look
        speeds, record = speeds_of(record_at(SpeedChoice, self._choice, 0)), self._record
        mode = selected_mode(terms, speeds, self._x, table.held_names, sliders)
        if record.shared:
            mode = replace(mode, share=np.array(record.share).reshape(record.shared, record.m + 1))
        mode.stand_on(self._block, self._arrivals, self.watch)
        return mode

    @cached_property
    def watch(self) -> Watch:
        """What watches it."""
        first, _ = where(self._record, "guards")
        return Watch(look_at_guards, self._block.z[first:], 2 * len(self._parts.guards), self._parts.functions)

    def integration(self, dynamics: ModeDynamics) -> ReusableIntegration:
        """The problem that steps it."""
        assert dynamics.guards is not None, "contacts are watched"
        workspace, guards = self._table.integrations.workspaces[self.states], self._parts.guards
        return ReusableIntegration.laid_out(workspace, dynamics.function, dynamics.guards, dynamics.settle,
                                            [usual_kind(guard) for guard in guards], self._words)  # fmt: skip
