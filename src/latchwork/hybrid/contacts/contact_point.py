"""Contact points: features of contacts, ready for a run: directions, constraints as they slide or stick, laws."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from latchwork.constraint.constraint import Constraint, Pull
from latchwork.constraint.embedded.slider import Slider
from latchwork.constraint.joints.spot import Spot
from latchwork.constraint.row_sources import RowPrograms
from latchwork.constraint.rows import Rows, rows_of
from latchwork.constraint.scales import Scales
from latchwork.constraint.terms import Array, Base, Terms, terms_of
from latchwork.constraint.units import Units
from latchwork.contact.adhesion import is_adhesion
from latchwork.contact.feature import Feature
from latchwork.contact.law import Contact, Zones
from latchwork.contact.narrow_phase.sharp_solids import is_of_revolution, is_sharp
from latchwork.contact.rolling_resistance import is_rolling
from latchwork.contact.tolerances import Tolerances, tolerances_in
from latchwork.errors import ContactError
from latchwork.hybrid.contacts.contact_laws import ContactLaws, Indices
from latchwork.hybrid.contacts.slip_directions import Slips, are_something, axis_number_at, slips_of
from latchwork.hybrid.contacts.tracked_place import TrackedPlace
from latchwork.kane.equations import Equations
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.vector import Vector
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.derivative import tangents as slopes
from latchwork.symbolic.expr import Expr, operand, sqrt, where
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import rebuild

SKEWED = 0.05  # sine squared between the normal and the axis of the tangents: below it, another axis is taken
KEPT_STATES = 400  # ways in which a contact stood
SlipDirection = tuple[float, ...] | None  # a sign in the plane; in space a direction and a trace of a speed


class Sliding(Constraint):
    """The gap of a contact that slides. What it exerts is worked out when asked for: in space each way is another."""

    def __init__(self, contact_point: ContactPoint, slip: SlipDirection, mu: Any) -> None:
        super().__init__(contact_point.name, [contact_point.feature.gap])
        self._slip = contact_point, slip, mu

    @cached_property
    def _leaning(self) -> tuple[Pull | None]:
        contact_point, slip, mu = self._slip
        return (contact_point.leaning(slip, mu),)

    @property
    def pulls(self) -> tuple[Pull | None, ...]:
        """n − μ d."""
        return self._leaning


@dataclass(frozen=True, eq=False)
class ContactPoint:
    """A feature with the directions across its normal in which the two sides can slip; all lowered for one base.

    ``axis_number`` says from which axis of N its tangents are made, where the normal may turn towards it: of those that
    are watched few are ever closed, so that tangents and rows are made when they are asked for.

    ``without_normal``: it has no normal row. The coordinates keep the gap at zero, and N = N0 + N1 · u̇ is found by an
    auxiliary speed along the normal. That of one that is `bounded` is 1: its coefficients are limits of its force.
    """

    contact: Contact
    feature: Feature
    base: Base
    axis_number: int | None
    without_normal: bool
    turns: bool = False  # where its rate was given as an expression: whether that is of an angle
    _slidings: dict[Any, Constraint] = field(default_factory=dict, init=False, repr=False)
    watched: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)  # its guards: see `guard_table`
    _last: dict[str, Any] = field(default_factory=dict, init=False, repr=False)  # the gap asked for last, and where

    @cached_property
    def name(self) -> str:
        return self.feature.name

    def __repr__(self) -> str:
        return f"<ContactPoint '{self.name}'>"

    @property
    def equations(self) -> Equations:
        return self.base.equations

    @property
    def is_bounded(self) -> bool:
        """Whether it has a limit |λ_t| ≤ ..., and no gap: dry friction of a joint, or what resists turns."""
        rates = self.feature.rate is not None and self.contact.friction is not None
        return rates or self.feature.closed_with is not None

    @property
    def is_pressed(self) -> bool:
        """Whether it resists turns, with a limit in proportion to the normal force of another feature."""
        return self.feature.closed_with is not None and not self.attracts

    @property
    def attracts(self) -> bool:
        """Whether it is the attraction of another feature: always at its limit while that is closed."""
        return is_adhesion(self.feature)

    @property
    def is_one_way(self) -> bool:
        """Whether its gap is a speed that is never negative."""
        return self.feature.rate is not None and self.contact.friction is None

    @cached_property
    def scales(self) -> Scales:
        """Those of the run it is made for; where the gap is an angle, as at the limit of a joint, a radian is its
        length, and forces are torques; where it is a speed, that is."""
        scales = self.base.scales
        L, T = scales.length, scales.time
        scales = replace(scales, length=1.0, mass=scales.mass * L * L) if self.is_angular else scales
        return replace(scales, length=scales.speed, mass=scales.mass * T) if self.is_one_way else scales

    @property
    def row_unit(self) -> float:
        """Of velocities along its rows, over that of the run: other than 1 where they are those of an angle."""
        return 1.0 / self.base.scales.length if self.is_angular else 1.0

    @property
    def is_angular(self) -> bool:
        """Whether it is about an angle, and forces are torques."""
        return self.turns or isinstance(self.feature.on, Frame)

    @cached_property
    def tolerances(self) -> Tolerances:
        """Those by which its gap and velocities are judged."""
        return tolerances_in(self.scales)

    # --- slip ---------------------------------------------------------------------------------------------------

    @cached_property
    def axis(self) -> Vector | None:
        """The axis from which the tangents are made, where the normal may turn towards it."""
        N = self.feature.normal.tree.newtonian
        return None if self.axis_number is None else (N.x, N.y, N.z)[self.axis_number]

    @property
    def tangents(self) -> tuple[Vector, ...]:
        """Unit vectors across the normal along which something can slip; that about which it turns."""
        return self._slips.tangents

    @property
    def slip_velocity(self) -> tuple[Expr, ...]:
        """Slip velocity along each tangent, in terms of u."""
        return self._slips.velocities

    @cached_property
    def _slips(self) -> Slips:
        return slips_of(self.feature, self.contact.friction is not None, self.axis, self.base)

    # --- rows ---------------------------------------------------------------------------------------------------

    def _pull(self, direction: Vector) -> Pull | None:
        return Pull(direction, self.feature.on, self.feature.other) if self.feature.has_wrench else None

    def sliding(self, slip: SlipDirection, mu: Any) -> Constraint | None:
        """The gap is held, and its force leans against the slip by μ; none where the coordinates hold the gap."""
        if self.without_normal or not self.tangents:
            return None if self.without_normal else self.sticking
        key = slip, mu
        if key not in self._slidings:
            _make_room(self._slidings)
            self._slidings[key] = Sliding(self, slip, mu)
        return self._slidings[key]

    def leaning(self, slip: SlipDirection, mu: Any) -> Pull | None:
        """n − μ d: what a sliding contact exerts where the multiplier is 1."""
        lean = self.feature.normal
        direction = () if slip is None or not self.tangents else direction_of_slip(self.slip_velocity, slip)
        for d, t in zip(direction, self.tangents, strict=False):
            lean = lean - t * (mu * d)
        return self._pull(lean)

    def slider(self, source: int, row: int, slip: tuple[float, ...], indices: Indices) -> Slider:
        """Its friction in a mode, of whose sources its rows are one, as it slides a way in some zones."""
        law, first = self.laws.in_zones(indices), 0 if self.without_normal else 1
        force = self.force_function if self.without_normal and not self.is_pressed else None
        mu = law[2] if isinstance(law, tuple) else law
        return Slider(source, row, first, len(self.tangents), mu, slip, force, self.name)

    @cached_property
    def sticking(self) -> Constraint:
        """The gap is held, and so is every direction of slip."""
        normal = [] if self.without_normal else [(self.feature.gap, self._pull(self.feature.normal))]
        rows = [*normal, *((slip, self._pull(t)) for slip, t in zip(self.slip_velocity, self.tangents, strict=True))]
        return Constraint(self.name, [zero for zero, _ in rows], [pull for _, pull in rows])

    @cached_property
    def terms(self) -> Terms:
        """Programs of all its rows: the normal one, if it has one, then the tangents."""
        return terms_of(rows_of(self.equations, [self.sticking], self.base.laws), self.base)

    def rows(self, constraint: Constraint) -> Rows:
        """The rows of a constraint of its own: all of them where it sticks, the first where it slides."""
        own = self.terms.rows
        if constraint is self.sticking:
            return own
        return Rows(self.equations, (constraint,), constraint.row_names, own.phi[:1], own.B_nodes[:1], own.C_nodes[:1],
                    own.c_nodes[:1])  # fmt: skip

    def terms_of(self, constraint: Constraint) -> Terms:
        """The programs of a constraint of its own."""
        return self.terms if constraint is self.sticking else Terms(self.rows(constraint), self.base, (self.source(1),))

    def source(self, held: int) -> RowPrograms:
        """The programs of its rows, of which the first are held; however it slides or sticks, they are the same."""
        (own,) = self.terms.sources
        return own._replace(held=held)

    def get_ready(self) -> None:
        """Make now what the first moment of contact would have to wait for."""
        if self.has_rows:
            _ = self.terms
        if self.without_normal:
            _ = self.force_function
        if self.upright is not None:
            _ = self.upright_function
        if self.is_sharp:
            _ = self.normal_function

    @property
    def is_ready(self) -> bool:
        """Whether all that a reset may ask for is made."""
        if not self.without_normal and "terms" not in self.__dict__:
            return False
        wanted = {"terms": self.has_rows, "force_function": self.without_normal,
                  "upright_function": self.upright is not None, "normal_function": self.is_sharp}  # fmt: skip
        return all([name in self.__dict__ for name, is_wanted in wanted.items() if is_wanted])

    @property
    def knows_slip(self) -> bool:
        """Whether its tangents are made."""
        return "_slips" in self.__dict__

    @property
    def functions(self) -> list[Function]:
        """Its programs that are made by now, but those of its guards."""
        sources = self.terms.sources if "terms" in self.__dict__ else ()
        own = [value for value in self.__dict__.values() if isinstance(value, Function)]
        return [*own, *[function for source in sources for function in (source.place, source.bias)]]

    @cached_property
    def has_rows(self) -> bool:
        return not self.without_normal or bool(self.tangents)

    # --- numbers ------------------------------------------------------------------------------------------------

    @cached_property
    def gap_function(self) -> Function:
        """The gap, then how far inside its domains the feature is."""
        return self.lowered([self.feature.gap, *self.feature.within])

    def lowered(self, expressions: list[Any]) -> Function:
        """Expressions of the model as one function of (t, q, u, rest)."""
        g, replaced = self.equations.system.graph, self.equations.derivation.kinematics.replaced
        nodes = rebuild(g, [operand(g, e) for e in expressions], replaced)
        return Function(lower(g, rebuild(g, nodes, self.base.laws), self.base.arguments))

    def gap(self, x: Array) -> tuple[float, float]:
        """Signed distance, and how far inside its domain the feature is (negative outside)."""
        here = x.tobytes()
        if self._last.get("x") != here:
            gap, *within = self.gap_function(x).tolist()
            self.knows(here, gap, min(within, default=math.inf))
        found: tuple[float, float] = self._last["gap"]
        return found

    def knows(self, here: bytes, gap: float, inside: float) -> None:
        """Take what `gap` is to give at a state."""
        self._last["x"], self._last["gap"] = here, (gap, inside)

    @cached_property
    def upright(self) -> Expr | None:
        """1 − (n · axis)², small where the axis that tangents are made from nearly lies along the normal; or none."""
        if self.axis is None or not self.tangents:
            return None
        c = self.feature.normal.dot(self.axis)
        return 1.0 - c * c

    @cached_property
    def upright_function(self) -> Function:
        """The same at a state."""
        return self.lowered([self.upright])

    @cached_property
    def is_sharp(self) -> bool:
        """Whether both shapes are convex, with corners: where these meet, there are several normals."""
        return not self.without_normal and len(self.contact.features) > 1 and all(map(is_sharp, self.contact.shapes))

    @cached_property
    def narrow(self) -> float:
        """How near places of two features of its contact may come, until one of them is enough; 0 where none do."""
        return self.tolerances.narrow if self.is_sharp and not self.is_curved and self.feature.within else 0.0

    @cached_property
    def is_curved(self) -> bool:
        """Whether one of its shapes is of revolution: normals turn along its rims and its side."""
        return any(map(is_of_revolution, self.contact.shapes))

    @cached_property
    def normal_function(self) -> Function:
        """n in N at a state."""
        return self.lowered(list(self.feature.normal.measures(self.feature.normal.tree.newtonian)))

    # --- tracking -----------------------------------------------------------------------------------------------

    @cached_property
    def tracked_place(self) -> TrackedPlace:
        """Its place on a curve or surface, whose closest point is tracked."""
        return TrackedPlace(self)

    def is_place_of(self, contact: Contact, feature: Feature) -> bool:
        """Whether it tracks a place of the same parts as a feature of a contact does."""
        own, other = self.feature.tracked, feature.tracked
        if own is None or other is None or self.contact.whole is not contact.whole:
            return False
        return own.which == other.which

    # --- laws ---------------------------------------------------------------------------------------------------

    @cached_property
    def laws(self) -> ContactLaws:
        """Its coefficients in each of its zones."""
        return ContactLaws(self)

    @property
    def zones(self) -> tuple[Zones, ...]:
        """What differs from place to place."""
        return self.laws.zones

    # --- forces -------------------------------------------------------------------------------------------------

    @cached_property
    def force(self) -> Expr:
        """The normal force of a contact that the coordinates hold, in terms of u̇."""
        return normal_force(self.equations, self.feature)

    @cached_property
    def force_parts(self) -> tuple[list[int], int]:
        """N1 = ∂N/∂u̇ and N0 = N at u̇ = 0, as nodes."""
        g, system = self.equations.system.graph, self.equations.system
        rates = [rate.node for rate in system.u_rates]
        node = rebuild(g, [operand(g, self.force)], self.equations.derivation.kinematics.replaced)[0]
        none = dict.fromkeys(rates, ZERO)
        return [slopes(g, [node], {rate: ONE})[0] for rate in rates], rebuild(g, [node], none)[0]

    @cached_property
    def force_function(self) -> Function:
        """N1, then N0, at a state."""
        g = self.equations.system.graph
        slope, rest = ([ZERO] * len(self.equations.u), ONE) if self.is_bounded else self.force_parts
        return Function(lower(g, rebuild(g, [*slope, rest], self.base.laws), self.base.arguments))


def direction_of_slip(slips: Sequence[Expr], slip: tuple[Any, ...]) -> tuple[Any, ...]:
    """The direction of slip in measures of the tangents: a sign in the plane, ±v/|v| in space.

    In space the sign is that of v · d, d the direction where the mode began, so that nothing flips where slip ends;
    a trace of d is added to v, for slip that begins has no direction of its own yet; it fades as v grows.
    """
    if len(slips) == 1:
        return slip
    *d, trace, _ = slip
    a, b = slips
    fading = trace / (1.0 + (a * a + b * b) / trace**2)
    moved = [v + fading * k for v, k in zip(slips, d, strict=True)]
    length = sqrt(moved[0] * moved[0] + moved[1] * moved[1])
    signed = where(moved[0] * d[0] + moved[1] * d[1] < 0.0, -1.0, 1.0) / length
    return tuple(v * signed for v in moved)


def enforced_by_coordinates(equations: Equations, feature: Feature, units: Units | None = None,
                            length: float = 1.0) -> bool:  # fmt: skip
    """Whether the coordinates themselves keep the gap of a feature at zero."""
    g, kinematics = equations.system.graph, equations.derivation.kinematics
    return not are_something(equations, rebuild(g, [operand(g, feature.gap)], kinematics.replaced), units, length)[0]


def normal_force(equations: Equations, feature: Feature) -> Expr:
    """The normal force of a feature whose gap the coordinates keep at zero, in terms of u̇."""
    place = feature.on
    assert not isinstance(place, Frame), "coordinates keep no joint at its limit"
    return equations.reaction_of(place.point if isinstance(place, Spot) else place, feature.normal)


def made_contact_point(contact: Contact, feature: Feature, base: Base, x: Array,
                       axis_number: int | None = None) -> ContactPoint:  # fmt: skip
    """A feature made ready at a state x = (t, q, u, rest), which says where tangents may point, unless the axis of N is
    given from which they are made."""
    equations = base.equations
    moved = [symbol.name for symbol in feature.gap.free_symbols if symbol.kind == "input"]
    if moved:
        raise ContactError(
            f"the place of '{feature.name}' of '{equations.name}' depends on the input '{moved[0]}', which may jump: "
            "surfaces cannot. Give its motion as an expression in t, or by a coordinate that a constraint moves."
        )
    if feature.rate is not None:
        made = ContactPoint(contact, feature, base, None, contact.friction is not None)
        return made if feature.has_wrench else replace(made, turns=_is_of_an_angle(made, x))
    if feature.closed_with is not None:
        return _going_with(contact, feature, base, x, axis_number)
    held = enforced_by_coordinates(equations, feature, base.units, base.scales.length)
    number = None if contact.friction is None else axis_number_at(feature.normal, base, x, axis_number)
    return ContactPoint(contact, feature, base, number, held)


def _going_with(contact: Contact, feature: Feature, base: Base, x: Array, axis_number: int | None) -> ContactPoint:
    """What resists turns across the normal, or about it, or attracts along it; both need a normal force that is a
    multiplier."""
    assert feature.closed_with is not None, "it goes with another"
    if enforced_by_coordinates(base.equations, feature.closed_with, base.units, base.scales.length):
        raise ContactError(
            f"'{feature.name}' of '{base.equations.name}' goes with a force that no row holds: the coordinates "
            f"keep '{feature.closed_with.name}' closed. Give the body a coordinate along the normal as well, or "
            "model.friction(...) with a limit of its own."
        )
    number = axis_number_at(feature.normal, base, x, axis_number) if is_rolling(feature) else None
    return ContactPoint(contact, feature, base, number, True)


def _is_of_an_angle(contact_point: ContactPoint, x: Array) -> bool:
    """Whether a rate is of no length: no speed in it moves a coordinate that is one."""
    base = contact_point.base
    lengths, B = np.asarray(base.lengths), contact_point.terms.place(x).B[-1]
    moved = np.abs(base.spread(x).reshape(len(lengths), -1))[lengths].sum(axis=0) > 0.0
    return not bool((moved & (B != 0.0)).any())


def _make_room(known: dict[Any, Any]) -> None:
    """Forget the oldest way where there is no room for another."""
    if len(known) >= KEPT_STATES:
        known.pop(next(iter(known)))
