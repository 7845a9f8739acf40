"""A mode that machine code has laid out, as Python knows it: its equations, its guards, and the problem that steps it.

The problem stands on the memory that the kernel `lay_out_mode` has filled, and has perhaps been stepped in it; of the
equations, which a run keeps for good, there are copies. Nothing is chosen or laid out again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from latchwork.constraint.embedded.embedded_mode import EmbeddedMode
from latchwork.constraint.embedded.layout import Block, Watch
from latchwork.constraint.embedded.mode import selected_mode
from latchwork.constraint.embedded.slider import Slider
from latchwork.constraint.selection_kernel import SelectedSpeeds, selection_of
from latchwork.constraint.terms import Array, Terms
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.contacts.guard_table import forms_in, guards_of, piece_of, zone_program, zones_in
from latchwork.hybrid.contacts.guard_values import look_at_guards
from latchwork.hybrid.contacts.guards import Guard, Guards
from latchwork.hybrid.mode_dynamics import Recombined, Unconstrained
from latchwork.hybrid.mode_integration import usual_kind
from latchwork.hybrid.mode_memory import ModeMemory
from latchwork.hybrid.mode_record import ModeRecord
from latchwork.hybrid.path import ModeDynamics
from latchwork.integrate.reusable_integration import ReusableIntegration, block_words
from latchwork.integrate.workspace import Memory
from latchwork.program.records.memory import values
from latchwork.program.records.shape import words_of
from latchwork.program.records.view import record_at

if TYPE_CHECKING:
    from latchwork.hybrid.mode_table import ModeTable

LAP, KEY, CODE, FRESH, SIZE, CHOSEN = 0, 8, 12, 14, 15, 17  # fields of a `ModeRecord`

(GUARDS,) = words_of(EmbeddedMode, "guards")


class LaidOutMode(NamedTuple):
    """The equations of a mode, what watches them, and the rows (t, q, u, rest) at which its speeds were chosen first
    and its redundant forces were shared last."""

    dynamics: ModeDynamics
    guards: Guards
    rows: tuple[Array, ...]


LaidOutModes = Mapping[Any, LaidOutMode]


class MachineMode:
    """A mode that machine code has laid out at x = (t, q, u, rest): its contact states, and where it is."""

    def __init__(self, table: ModeTable, memory: ModeMemory, record: ModeRecord, s: ContactStates,
                 user: Sequence[Guard], x: Array) -> None:  # fmt: skip
        self._table, self._memory, self._s, self._x = table, memory, s, x
        fields = values(record)
        self._lap, self._chosen = fields[LAP], fields[CHOSEN]
        code = memory.words_at(fields[CODE], 1).view(np.int32)[:1].copy()
        self._block = Block(code, memory.numbers_at(fields[FRESH], fields[SIZE]).copy(), int(code[0]))
        self._forms, self._user = forms_in(s), user
        self.guards = Guards([*guards_of(s, self._forms), *user])

    def dynamics(self, terms: Terms | None, sliders: tuple[Slider, ...],
                 label: tuple[str, ...]) -> Recombined | Unconstrained:  # fmt: skip
        """Its equations."""
        table, watch, memory = self._table, self._watch(terms), Memory(self._table.memory)
        if terms is None:
            look = replace(table.free_mode, watch=watch)
            look.stand_on(self._block)
            return Unconstrained(table.side, look, names=self._s.labels, memory=memory)
        mode = selected_mode(terms, self._selected(terms), self._x, table.held_names, sliders)
        mode.stand_on(self._block, watch)
        return Recombined(table.driven, mode, watch, label=label, memory=memory)

    def _watch(self, terms: Terms | None) -> Watch:
        """What watches it."""
        s, user = self._s, self._table.user_program(self._user, None if terms is None else len(terms.rows))
        functions = [function for point, form in zip(s.contact_points, self._forms, strict=True)
                     for function in piece_of(point, s, form).functions]  # fmt: skip
        functions += [zone_program(point, zone).function for zone, point in zones_in(s).items()]
        functions += [] if user is None else [user]
        _, z, start = self._block
        first = start + int(z.view(np.int64)[start + GUARDS])
        return Watch(look_at_guards, z[first:], 2 * len(self.guards), tuple(functions))

    def _selected(self, terms: Terms) -> SelectedSpeeds:
        """The speeds that were chosen, with what goes with them."""
        _, n, m = terms.sizes
        numbers = self._memory.numbers_at(self._chosen, 1 + 2 * m + n + m * n).copy()
        typical, lengths, weights, B = np.split(numbers[1:], np.cumsum([m, m, n]))
        dependent = [0] * n
        for j in record_at(EmbeddedMode, self._block.z, self._block.start).dep:
            dependent[j] = 1
        return SelectedSpeeds(selection_of(m, tuple(dependent)), B.reshape(m, n), typical, lengths, weights,
                              float(numbers[0]))  # fmt: skip

    def integration(self, dynamics: Recombined | Unconstrained, full: int) -> ReusableIntegration:
        """The problem that steps it; full states are so many."""
        assert dynamics.guards is not None, "contacts are watched"
        fresh, copies = len(self._block.z), 3
        if isinstance(dynamics, Unconstrained):
            fresh, copies = fresh + dynamics.side.function.slots + 1, 1
        workspace = self._table.integrations.workspaces[len(dynamics.places(full))]
        words = self._memory.words_at(self._lap, block_words(len(self.guards), workspace.n, fresh, copies * fresh))
        return ReusableIntegration.laid_out(workspace, dynamics.function, dynamics.guards, dynamics.settle,
                              [usual_kind(guard) for guard in self.guards], [guard.height for guard in self.guards],
                              [guard.unit for guard in self.guards], words, fresh)  # fmt: skip

