"""Scene: what time stepping works with, and the numbers of contacts at a state."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from latchwork.algebra.products import dot, norm
from latchwork.constraint.terms import Array, Base, Terms
from latchwork.contact.law import Zones
from latchwork.contact.tolerances import Tolerances, tolerances_in
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.time_stepping.gaps import Flags, Gaps, Rows, lowered, rows_at
from latchwork.hybrid.time_stepping.inertia import Inertia
from latchwork.program.function import Function
from latchwork.symbolic.ops import ZERO


@dataclass(frozen=True, eq=False)
class Scene:
    """The equations, what holds, and the contacts; x = (t, q, u, rest)."""

    driven: Driven
    base: Base
    held: Terms
    contact_points: tuple[ContactPoint, ...]
    zones: dict[Zones, int]
    rest: Array

    @cached_property
    def small(self) -> Tolerances:
        """The tolerances of the run."""
        return tolerances_in(self.base.scales)

    def most(self, speeds: Array) -> float:
        """The largest of some speeds, or of their rates or changes, at the length of the model."""
        scales, units = self.base.scales, self.base.units
        return scales.length * float(np.abs(speeds / units.u).max(initial=0.0))

    @cached_property
    def gaps(self) -> Gaps:
        return Gaps(self.base, self.contact_points)

    @cached_property
    def inertia(self) -> Inertia:
        return Inertia(self.held)

    @cached_property
    def _energy(self) -> Function:
        equations = self.base.equations
        return lowered(self.base, [equations.kinetic_energy + equations.potential_energy])

    @cached_property
    def is_still(self) -> bool:
        """Whether nothing moves by itself: no constraint, and no surface."""
        rows = [
            self.held.rows,
            *(
                contact_point.terms.rows
                for contact_point in self.contact_points
                if contact_point.feature.drift is not None
            ),
        ]
        return all(node == ZERO for row in rows for node in row.C_nodes)

    def energy(self, x: Array) -> float:
        """K + V."""
        return float(self._energy(x)[0])

    def kinetic_energy(self, x: Array) -> float:
        """½ uᵀ M u."""
        u = self.u(x)
        return 0.5 * float(dot(u, self.held.motion(x).M, u))

    @cached_property
    def sizes(self) -> tuple[int, int]:
        return len(self.base.equations.q), len(self.base.equations.u)

    def q(self, x: Array) -> Array:
        return x[1 : 1 + self.sizes[0]]

    def u(self, x: Array) -> Array:
        return x[1 + self.sizes[0] : 1 + sum(self.sizes)]

    def state(self, t: float, q: Array, u: Array) -> Array:
        """(t, q, u, rest) with the numbers of tables in place."""
        return np.concatenate([[t], q, u, self.driven.rest_at(self.rest, t)])

    def with_speeds(self, x: Array, u: Array) -> Array:
        """The same place, other speeds."""
        x = x.copy()
        x[1 + self.sizes[0] : 1 + sum(self.sizes)] = u
        return x

    def real(self, gap: Array, inside: Array, before: Array) -> Flags:
        """Features that count: within their domains, and not met from behind."""
        edge, slop = self.small.reach, self.small.slop
        return np.asarray((inside >= -edge) & ~((gap < -slop) & (before < -slop)))

    def chosen(self, which: Flags) -> list[ContactPoint]:
        return [self.contact_points[i] for i in np.flatnonzero(which)]

    def rows(self, contact_points: Sequence[ContactPoint], x: Array) -> Rows:
        return rows_at(contact_points, x, self.sizes[1])

    def laws(self, contact_points: Sequence[ContactPoint], x: Array, rows: Rows, v: Array) -> tuple[Array, Array]:
        """Restitution and friction of contacts: dynamic where they slip at velocities v, else static."""
        e, mu_s, mu_d = (
            np.array([contact_point.laws(x, self.zones) for contact_point in contact_points]).reshape(-1, 3).T
        )
        none = self.small.no_slip * (rows.pace(self.u(x)) + float(np.abs(rows.C).max(initial=0.0)))
        slips = np.array([bool(norm(v[i + 1 : i + 1 + k]) > none)
                          for i, k in zip(rows.first, rows.tangents, strict=True)], dtype=bool)  # fmt: skip
        return e, np.where(slips, mu_d, mu_s)

    def enter_zones(self, x: Array) -> None:
        """Find the zones at a state."""
        for zone, bounds in self._bounds.items():
            self.zones[zone] = int(np.count_nonzero(bounds(x) >= 0.0))

    @cached_property
    def _bounds(self) -> dict[Zones, Function]:
        zones = dict.fromkeys(zone for contact_point in self.contact_points for zone in contact_point.zones)
        return {zone: lowered(self.base, [zone.x - bound for bound in zone.bounds]) for zone in zones}
