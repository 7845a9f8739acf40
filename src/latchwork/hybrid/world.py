"""World: what a run knows besides its state. Settings; mode tables; and what watches, remembers and prepares for it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from latchwork.constraint.scales import Measure, measure_at
from latchwork.constraint.units import angles_of
from latchwork.contact.broad_phase.spheres import radius_of
from latchwork.contact.law import Contact
from latchwork.hybrid.contacts.watch_set import WatchSet
from latchwork.hybrid.designs import Automaton, Simulating
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.interference.watch import Watch
from latchwork.hybrid.mode_table import ModeTable, make_room, programs_of
from latchwork.hybrid.prefetch import Ahead
from latchwork.hybrid.state import SimState
from latchwork.hybrid.table import Array
from latchwork.integrate.methods import Method
from latchwork.kane.equations import Equations

TABLES = 64  # mode tables that are kept: tracked curves that come and go change the equations


@dataclass(eq=False)
class World:
    """Settings of a run, and what is derived from the model; nothing in it decides how the run goes on.

    ``brief``: hops shorter than this (s) end in contact. ``keeps_awake``: contacts sleep only where they cannot be
    watched whole, for nothing is to be made within a tick. ``looks_ahead``: modes that may come next are prepared
    beside the integration.
    """

    method: Method
    design: Simulating
    at_once: bool | None
    progress: Callable[[float], None] | None
    brief: float = 0.0
    keeps_awake: bool = False
    looks_ahead: bool = True
    watch_set: WatchSet = field(default_factory=WatchSet)
    watch: Watch = field(default_factory=Watch)
    ahead: Ahead = field(default_factory=Ahead)
    _tables: dict[tuple[Equations, Measure | None], ModeTable] = field(default_factory=dict)

    def table(self, driven: Driven) -> ModeTable:
        """The mode table of some equations, measured by some scales and units."""
        found = self._tables.get((driven.equations, driven.measure))
        if found is None:
            make_room(self._tables, TABLES)
            found = self._tables[driven.equations, driven.measure] = ModeTable(driven, self.design)
        return found

    def measured(self, driven: Driven, x: Array, contacts: Sequence[Contact]) -> Driven:
        """What drives a run, with scales and units of its start at x = (t, q, u, rest), which shapes that move tell as
        well."""
        base, N = programs_of(driven), driven.equations.system.tree.newtonian
        shapes = [shape for contact in contacts for shape in contact.shapes if getattr(shape, "frame", N) is not N]
        measure = measure_at(base, x, [2.0 * size for size in map(radius_of, shapes)])
        made = replace(driven, measure=measure)
        self.table(made).base = base.measured_by(measure)
        return made

    def extended(self, driven: Driven) -> Driven:
        """What drives a run with other coordinates, of which those that are new have no speeds: their units are radians
        or the length of the run."""
        assert driven.measure is not None, "a run is measured at its start"
        scales, _, u = driven.measure
        q = [1.0 if is_angle else scales.length for is_angle in angles_of(driven.equations)]
        return replace(driven, measure=Measure(scales, tuple(q), u))

    def may_sleep(self, contact: Contact) -> bool:
        """Whether a contact may be left unwatched while it is far away: not where all modes are to be known before."""
        return not contact.is_eager if self.keeps_awake else not isinstance(self.design, Automaton)

    def seen(self, state: SimState) -> SimState:
        """The state with contacts watched from here on that may touch soon; others sleep."""
        base = self.table(state.driven).base
        if self.watch_set.is_idle(state.contacts, base):
            return state
        contacts = state.contacts.copied()
        self.watch_set.see(contacts, base, state.row, self.may_sleep)
        return state.but(contacts=contacts)

