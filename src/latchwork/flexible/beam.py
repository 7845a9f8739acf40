"""Beams: straight when unloaded, slender, bent by a few elastic coordinates in a frame that moves as it likes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from latchwork.contact.curves import Curve
from latchwork.contact.shapes.base import numeric
from latchwork.errors import ModelError, did_you_mean, must_be
from latchwork.flexible.deflection import DIRECTIONS, Deflection, Field
from latchwork.flexible.elasticity import elastic_forces
from latchwork.flexible.end_conditions import axial_modes, bending_modes, ends_of, given_shapes
from latchwork.flexible.inertia_integrals import Moments, Name
from latchwork.flexible.internal_forces import strain, stress_resultant
from latchwork.flexible.section import Along, along, positive
from latchwork.flexible.vibration import BeamMode, modes_of
from latchwork.mechanics.elastic_body import ElasticBody
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.loads import GeneralizedForce
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr, cos, operand, sin
from latchwork.symbolic.ops import ONE
from latchwork.symbolic.quantity import quantity
from latchwork.symbolic.tidy import tidy

if TYPE_CHECKING:
    from latchwork.model.model import Model


LOOKED_AT = (0.0, 0.5, 1.0)  # x = s/L, where slopes are compared with what small means


@dataclass(frozen=True, eq=False)
class Beam:
    """A beam along the x axis of a frame, from its root; s is the arc length from there."""

    name: str
    frame: Frame
    root: Point
    length: Expr
    body: ElasticBody
    deflection: Deflection
    stiffness: dict[str, Along]
    damping: Any
    elasticity: GeneralizedForce
    recipe: dict[str, Any] = field(default_factory=dict, repr=False)  # what it was made of, for files
    _points: dict[int, Point] = field(default_factory=dict, repr=False)
    _frames: dict[int, Frame] = field(default_factory=dict, repr=False)

    def __repr__(self) -> str:
        return self.name

    @property
    def q(self) -> tuple[Expr, ...]:
        """Elastic coordinates."""
        return self.body.q

    @property
    def stations(self) -> tuple[dict[str, Any], dict[str, Any]]:
        """Arc lengths of the points and of the frames that were made along the beam, by their names."""
        points, frames = ({item.name: self._arc_length(key) for key, item in table.items()}
                          for table in (self._points, self._frames))  # fmt: skip
        return points, frames

    def _arc_length(self, x: int) -> Any:
        g = self.frame.graph
        return self.length if x == ONE else Expr(g, x) * self.length

    @property
    def segments(self) -> tuple[Beam, ...]:
        """The beams that it is made of: itself."""
        return (self,)

    @property
    def tip(self) -> Point:
        """The point at s = L."""
        return self.at(self.length)

    @property
    def tip_frame(self) -> Frame:
        """The frame of the section at s = L."""
        return self.frame_at(self.length)

    def at(self, s: Any, name: str | None = None) -> Point:
        """The point of the axis at arc length s: a number, or an expression in coordinates, parameters and t."""
        x = self.station(s)
        key = operand(self.frame.graph, x)
        if key not in self._points:
            offset = self.frame.vector(*self.deflection.position(x))
            if isinstance(x, Expr):
                self.body.places.append(x)
            self._points[key] = self.root.at(name or self._fresh("p", x, self.frame.tree.points), offset)
        return self._points[key]

    def frame_at(self, s: Any, name: str | None = None) -> Frame:
        """The frame of the section at arc length s: x along the axis, y and z in the section."""
        x = self.station(s)
        key = operand(self.frame.graph, x)
        if key not in self._frames:
            given = name or self._fresh("f", x, self.frame.tree.frames)
            self._frames[key] = self._section(given, x)
            self.body.stations[self._frames[key]] = self.at(s)
        return self._frames[key]

    def curve(self, side: int = 1, height: Any = 0.0, ends: bool = True) -> Curve:
        """The beam as a shape for contacts, at a height over its axis on one side of the plane in which it bends.

        p(x) = axis(x) + side h n(x), n across the section, x = s/L from 0 to 1. Side 1 is that of positive deflections;
        what touches both sides meets two curves. ``ends`` are corners, unless something else goes on there.
        """
        k = "yz".index(self._bending_direction())
        _must_be_height(self.name, side, height)
        high, out = side * height, self.frame.x
        across, up = ((self.frame.y, self.frame.z), (self.frame.z, -self.frame.y))[k]

        def place(x: Expr) -> Vector:
            along, *deflected = self.deflection.position(x)
            axis, turned = out * along + across * deflected[k], self.deflection.slopes(x)[k]
            return axis if _is_zero(high) else axis + out * (-high * sin(turned)) + across * (high * cos(turned))

        recipe = {"beam": self.name, "side": side, "height": height, "ends": ends}
        return Curve(self.root, place, (0.0, 1.0), self._own_frame(), side=side, up=up, ends=ends, bends=self.q,
                     depth=None if (thick := numeric(height)) is None else 2.0 * thick, recipe=recipe)  # fmt: skip

    def _own_frame(self) -> Frame:
        """A frame fixed in that of the beam, torques on which are on the beam: what contacts exert at a place of it."""
        name, frames = f"{self.name}_own", self.frame.tree.frames
        if name not in frames:
            self.body.stations[self.frame.rotated(name, 0.0, self.frame.z)] = self.root
        return frames[name]

    def _bending_direction(self) -> str:
        """The only direction in which it bends: that of the plane of its curve."""
        found = [direction for direction in self.deflection.fields if direction != "stretch"]
        if len(found) != 1 or found[0] == "twist":
            moves = ", ".join(found) or "nothing"
            raise ModelError(f"the curve of beam '{self.name}' lies in a plane, and the beam has modes of {moves}. "
                             "Let it bend along y or along z alone, or give contacts points of it, "
                             "beam.at(s).")  # fmt: skip
        return found[0]

    # --- to look at ---------------------------------------------------------------------------------------------

    def axis(self, count: int = 21, factor: float = 1.0) -> list[Point]:
        """Points along the beam for pictures, ``run.animate(..., draw=beam.axis())``; deflections ``factor`` times."""
        if not isinstance(count, int) or count < 2:
            raise ModelError(f"beam '{self.name}' is to be drawn by {count!r} points. Give 2 or more.")
        return [self._drawn(k / (count - 1), factor) for k in range(count)]

    def _drawn(self, x: float, factor: float) -> Point:
        if factor == 1.0:
            return self.at(x * self.length)
        along, y, z = self.deflection.position(x)
        straight = x * self.length
        offset = self.frame.vector(straight + factor * (along - straight), factor * y, factor * z)
        return self.root.at(self._fresh("drawn", x, self.frame.tree.points, tip=False), offset)

    def bending_moment(self, s: Any, direction: str = "y") -> Expr:
        """M = EI η'' of the deflection along y (or z), at arc length s."""
        return self._resultant(direction, s)

    def shear_force(self, s: Any, direction: str = "y") -> Expr:
        """V = -dM/ds, what the part beyond s exerts along y (or z)."""
        return -1.0 * self._resultant(direction, s, derivative=True)

    def axial_force(self, s: Any) -> Expr:
        """N = EA u', where the beam has modes of stretch."""
        return self._resultant("stretch", s)

    def twisting_moment(self, s: Any) -> Expr:
        """T = GJ θ', where the beam has modes of twist."""
        return self._resultant("twist", s)

    def _resultant(self, direction: str, s: Any, derivative: bool = False) -> Expr:
        found: Expr = stress_resultant(self.name, self.deflection, self.stiffness, self.damping, direction,
                                       self.station(s), derivative)  # fmt: skip
        return found

    def strain(self, s: Any, y: Any = 0.0, z: Any = 0.0) -> Expr:
        """Strain along the beam at the place (y, z) of a section; the stress is E times as much."""
        return strain(self.deflection, self.station(s), y, z)

    def modes(self, values: Mapping[str, float] | None = None) -> tuple[BeamMode, ...]:
        """Modes of vibration with the frame at rest and nothing on the beam, slowest first."""
        values = {} if values is None else values
        must_be(values, Mapping, f"the values for the modes of beam '{self.name}'", "Give {'EI': 3.0}.")
        known = {symbol.name for symbol in self.frame.graph.symbols.values()}
        for name in values:
            if name not in known:
                near = did_you_mean(str(name), known)
                raise ModelError(f"the modes of beam '{self.name}' do not depend on {name!r}.{near}")
        return modes_of(self.body, self.elasticity, self.deflection, values)

    def _section(self, name: str, x: Any) -> Frame:
        y, z = self.deflection.slopes(x)
        twist = self.deflection.turn(x)
        if _is_zero(z) and _is_zero(twist):
            return self.frame.rotated(name, y, self.frame.z)
        return self.frame.body_fixed(name, "zyx", y, -z, twist)

    def station(self, s: Any) -> Any:
        """x = s/L; a number where it is one, and then between 0 and 1."""
        g = self.frame.graph
        x = tidy([Expr(g, operand(g, s)) / self.length])[0]
        if not x.is_constant:
            return x
        value = float(x)
        if not -1e-12 <= value <= 1.0 + 1e-12:
            raise ModelError(f"s = {s} is {value:.6g} lengths from the root of beam '{self.name}', beyond its end. "
                             f"Give an arc length between 0 and {self.length}.")  # fmt: skip
        return min(max(value, 0.0), 1.0)

    def _fresh(self, letter: str, x: Any, taken: Mapping[str, Any], tip: bool = True) -> str:
        """A name for a point or frame that nothing has yet."""
        if tip and not isinstance(x, Expr) and x == 1.0 and f"{self.name}_tip" not in taken:
            return f"{self.name}_tip"
        k = 1
        while f"{self.name}_{letter}{k}" in taken:
            k += 1
        return f"{self.name}_{letter}{k}"


def _must_be_height(beam: str, side: Any, height: Any) -> None:
    """Refuse what is no side of a beam, and no height over its axis."""
    if side not in (1, -1):
        raise ModelError(f"the side of the curve of beam '{beam}' is {side!r}. Give 1, where deflections are positive, "
                         "or -1.")  # fmt: skip
    known = isinstance(height, int | float) and not isinstance(height, bool)
    if not (isinstance(height, Expr) or known) or (known and not 0.0 <= height < float("inf")):
        raise ModelError(f"the height of the curve of beam '{beam}' over its axis is {height!r}. Give a length that is "
                         "not negative; side=-1 is the other face.")  # fmt: skip


def _is_zero(value: Any) -> bool:
    return isinstance(value, int | float) and value == 0.0


# --- made from a description --------------------------------------------------------------------------------------


def beam_of(model: Model, name: str, frame: Frame, root: Point, length: Any, *, EI: Any, rho_A: Any, GJ: Any = None,
            rho_J: Any = None, EA: Any = None, modes: Any = 3, shapes: Any = "clamped-free", damping: Any = 0.0,
            stiffening: bool = True, integrals: Name | None = None) -> Beam:  # fmt: skip
    """A beam with its coordinates, speeds, parameters and elastic forces; ``integrals`` names those of equal beams."""
    g = model.graph
    L = positive(g, name, "the length", length)
    value = numeric(L)
    _must_be_damping(name, damping)
    if not isinstance(stiffening, bool):
        raise ModelError(f"stiffening of beam '{name}' is {stiffening!r}. Give True or False.")
    bending = _by_direction(name, EI)
    sections = {d: along(g, name, f"EI in {d}", each, value) for d, each in bending.items()}
    rho = along(g, name, "rho_A", rho_A, value)
    rho_T = None if rho_J is None else along(g, name, "rho_J", rho_J, value)
    if GJ is not None:
        if rho_T is None:
            raise ModelError(f"beam '{name}' twists (GJ is given), so it needs rho_J, its polar moment of inertia per "
                             "length: rho * J for a round section, rho * (I_y + I_z) for any.")  # fmt: skip
        sections["twist"] = along(g, name, "GJ", GJ, value)
    if EA is not None:
        sections["stretch"] = along(g, name, "EA", EA, value)
    counts = _counts(name, modes, sections, shapes)
    masses = {d: rho_T if d == "twist" else rho for d in sections}
    made = {d: _shapes(name, shapes, d, counts[d], masses[d], sections[d]) for d in sections if counts[d]}
    fields = {d: Field(each, _coordinates(model, name, d, len(each))) for d, each in made.items()}
    deflection = Deflection(fields, L, bool(stiffening))
    naming = integrals or integral_names(model, name)
    moments = Moments(name, deflection, rho, rho_T, naming).of(frame, root.at(f"{name}_root", frame.vector()), name)
    slopes = [slope for x in LOOKED_AT for slope in deflection.slopes(x) if isinstance(slope, Expr)]
    body = replace(moments, slopes=tuple(slopes))
    load = elastic_forces(name, deflection, sections, damping, naming)
    return Beam(name, frame, body.root, L, body, deflection, sections, damping, load)


def _must_be_damping(name: str, damping: Any) -> None:
    value = numeric(damping) if isinstance(damping, Expr) else damping
    fits = isinstance(value, int | float) and not isinstance(value, bool) and 0.0 <= value < math.inf
    if not fits and not (isinstance(damping, Expr) and value is None):
        raise ModelError(f"the damping of beam '{name}' is {damping!r}. Give a time that is not negative, tau of "
                         "sigma = E (eps + tau deps/dt).")  # fmt: skip


def _by_direction(name: str, EI: Any) -> dict[str, Any]:
    """EI by the direction of the deflection: y alone where one value is given."""
    if not isinstance(EI, Mapping):
        return {"y": EI}
    for key in EI:
        if key not in ("y", "z"):
            raise ModelError(f"beam '{name}' bends along y, along z, or both, EI={{'y': ..., 'z': ...}}; got {key!r}."
                             f"{did_you_mean(str(key), 'yz')}")  # fmt: skip
    if not EI:
        raise ModelError(f"beam '{name}' has no EI. Give EI=..., or EI={{'y': ..., 'z': ...}} in space.")
    return {d: EI[d] for d in "yz" if d in EI}


def _counts(name: str, modes: Any, sections: Mapping[str, Along], shapes: Any) -> dict[str, int]:
    """Modes by direction: as many in each direction of bending, half as many in twist and stretch, unless told."""
    if not isinstance(shapes, str):
        bending = len(shapes) if hasattr(shapes, "__len__") else 0
        modes = modes if isinstance(modes, Mapping) else max(bending, 1)
    if isinstance(modes, int) and not isinstance(modes, bool) and modes > 0:
        return {d: modes if d in "yz" else (modes + 1) // 2 for d in sections}
    if not isinstance(modes, Mapping):
        raise ModelError(f"the modes of beam '{name}' are {modes!r}. Give how many, or how many in each direction, "
                         "such as {'y': 3, 'stretch': 1}.")  # fmt: skip
    for key, count in modes.items():
        if key not in sections:
            missing = {"twist": "GJ", "stretch": "EA", "z": "EI={'y': ..., 'z': ...}"}.get(key)
            advice = f" Give {missing}." if missing else did_you_mean(str(key), DIRECTIONS)
            raise ModelError(f"beam '{name}' has modes along '{key}', but no stiffness there.{advice}")
        if not isinstance(count, int) or isinstance(count, bool) or count < 0:
            raise ModelError(f"beam '{name}' has {count!r} modes along '{key}'. Give a whole number.")
    if not any(modes.values()):
        raise ModelError(f"beam '{name}' has no modes at all. Give one at least, or take a rigid body.")
    return {d: int(modes.get(d, 0)) for d in sections}


def _shapes(name: str, shapes: Any, direction: str, count: int, mass: Along | None, stiffness: Along) -> Any:
    assert mass is not None
    if direction in ("twist", "stretch"):
        return axial_modes(name, count, mass.profile, stiffness.profile)
    if isinstance(shapes, str):
        return bending_modes(name, ends_of(name, shapes), count, mass.profile, stiffness.profile)
    return given_shapes(name, shapes)


def _coordinates(model: Model, name: str, direction: str, count: int) -> tuple[Expr, ...]:
    """Elastic coordinates with their rates as speeds."""
    prefix = _prefix(name)
    made = model.coordinates(*(f"q_{prefix}_{direction}{i + 1}" for i in range(count)))
    for i, q in enumerate(made):
        model._direct[model._rates[q]] = model._speed(f"u_{prefix}_{direction}{i + 1}")
    return made


def _prefix(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9_]+", "_", name)


def integral_names(model: Model, name: str) -> Name:
    """Integrals as parameters of the model; 0 and 1 are numbers."""
    known: dict[str, Any] = {}

    def named(label: str, value: float) -> Any:
        if value in (0.0, 1.0):
            return value
        if label not in known:
            said = f"integral {label.replace('_', ' ', 1)} over the shapes of '{name}'"
            known[label] = model.parameter(f"{_prefix(name)}_{label}", quantity(value, "1", said))
            model._integrals.append(known[label])
        return known[label]

    return named
