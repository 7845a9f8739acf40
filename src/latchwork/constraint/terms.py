"""Numbers of a constrained mechanism at a state: what every way of solving it starts from.

Programs of (t, q, u, r, p), apart so that speeds may be made consistent in between, and so that a new constraint needs
only its own two:

    place   → Φ, B, C          the same for every u; a constraint, or a contact, at a time (`row_sources`)
    bias    → c = Ḃ u + Ċ
    motion  → q̇, M, f, a, b    where a·u̇ + b is the power that changes the energy; no constraint is in it
    spread  → W                how coordinates move with speeds, for corrections
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from latchwork.algebra.products import norm
from latchwork.constraint.constraint import Constraint
from latchwork.constraint.row_sources import RowPrograms, RowSources, sources_by_themselves
from latchwork.constraint.rows import Rows
from latchwork.constraint.scales import UNSCALED, Measure, Scales
from latchwork.constraint.units import Offsets, Units, angles_of, gravity_of, offsets_of, places_of
from latchwork.kane.equations import Equations
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.program.sincos import cos
from latchwork.symbolic.arguments import Arguments
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import rebuild

Array = NDArray[np.float64]
T = TypeVar("T")

OFF = 0.1  # some way off, in units of the coordinates
STATES = 4  # at which the typical length of a row is looked for
NOTHING = 1e-13  # of the longest row of the same constraint: shorter ones are rounding
SMALLEST_WEIGHT = 1e-12  # of the largest: speeds that carry little energy
MASSLESS = 1e-18  # of the largest inertia: speeds with less are massless
SHORT_ROW = 1e-3  # of the typical length of a row: below it, the row is close to vanishing


class Place(NamedTuple):
    """Φ (0 for motion rows), B and C."""

    Phi: Array
    B: Array
    C: Array


class Motion(NamedTuple):
    """q̇, M, f, c = Ḃ u + Ċ, and the power a·u̇ + b."""

    q_rates: Array
    M: Array
    f: Array
    c: Array
    a: Array
    b: float


@dataclass(frozen=True, eq=False)
class Base:
    """The programs of the unconstrained equations, and what they are driven by; in a run, its scales and units.

    Elsewhere one of each is a unit of the model.
    """

    equations: Equations
    laws: dict[int, int]
    arguments: Arguments
    motion: Function
    spread: Function
    scales: Scales = UNSCALED
    given_units: Units | None = None

    @cached_property
    def units(self) -> Units:
        """One of each coordinate, and of each speed times the unit of time."""
        return self.given_units or Units(np.ones(len(self.equations.q)), np.ones(len(self.equations.u)))

    def measured_by(self, measure: Measure) -> Base:
        """The same programs with scales and units."""
        return replace(self, scales=measure.scales, given_units=Units(np.array(measure.q), np.array(measure.u)))

    @cached_property
    def remembered(self) -> dict[Any, Any]:
        """What was made for these programs and does not depend on a state, by what it was made of."""
        return {}

    @cached_property
    def state_units(self) -> Array:
        """One of each of (q, u, work)."""
        q, u = self.units
        return np.concatenate([q, u / self.scales.time, [self.scales.energy]])

    @cached_property
    def still(self) -> tuple[int, ...]:
        """Coordinates that never move of themselves, by place: azimuths of support triangles."""
        return tuple(i for i, rate in enumerate(self.equations.derivation.kinematics.q_rates) if rate == ZERO)

    @cached_property
    def lengths(self) -> NDArray[np.bool_]:
        """Which coordinates are lengths, as far as the equations tell."""
        return ~np.array(angles_of(self.equations), dtype=bool)

    @cached_property
    def offsets(self) -> Offsets:
        """Ways from point to point."""
        return offsets_of(self)

    @cached_property
    def gravity(self) -> Function | None:
        """The vector of gravity, if there is one."""
        return gravity_of(self)

    @cached_property
    def places(self) -> Function:
        """Where the points of the mechanism are."""
        return places_of(self)


@dataclass(frozen=True, eq=False)
class Terms:
    """The programs of some rows, and those of the equations; x = (t, q, u, rest)."""

    rows: Rows
    base: Base
    sources: tuple[RowPrograms, ...]
    frames: dict[Any, Any] = field(default_factory=dict, repr=False)  # what modes of these sources share
    _last: dict[str, tuple[bytes, Any]] = field(default_factory=dict, init=False, repr=False)

    def with_constraints(self, constraints: tuple[Constraint, ...]) -> Terms:
        """The same rows, exerted by other constraints: contacts that slide other ways."""
        return Terms(replace(self.rows, constraints=constraints), self.base, self.sources, self.frames)

    def _once(self, what: str, key: bytes, make: Callable[[], T]) -> T:
        """What was made for this key last, or what is made now; nobody writes into it."""
        known = self._last.get(what)
        if known is None or known[0] != key:
            known = self._last[what] = key, make()
        found: T = known[1]
        return found

    def _where(self, x: Array) -> bytes:
        """Time, coordinates and what is held: all that Φ, B and C depend on."""
        n_q, n, _ = self.sizes
        return x[: 1 + n_q].tobytes() + x[1 + n_q + n :].tobytes()

    @property
    def place_function(self) -> Function:
        """Φ, B and C of rows that have one source."""
        (source,) = self.sources
        return source.place

    @property
    def bias_function(self) -> Function:
        """c of rows that have one source."""
        (source,) = self.sources
        return source.bias

    @cached_property
    def often(self) -> tuple[Function, ...]:
        """What every evaluation runs: place and bias of each source, and motion."""
        return (*[f for source in self.sources for f in (source.place, source.bias)], self.base.motion)

    @property
    def functions(self) -> tuple[Function, ...]:
        """All programs: those run often, and spread."""
        return (*self.often, self.base.spread)

    @cached_property
    def rooms(self) -> tuple[RowSources, Array]:
        """Sources, and slots of motion, for a kernel that runs while Python's lock is kept: so one at a time."""
        return sources_by_themselves(self.sources, self.sizes[1]), self.base.motion.workspace()

    @cached_property
    def asides(self) -> Array:
        """Changes of coordinates: none, one to where rows are usual, and some about a state."""
        n_q = self.sizes[0]
        changes = np.concatenate([np.zeros((1, n_q)), some_way_off(n_q)[None], steps_aside(n_q)])
        return _fixed(self.base.units.q * changes)

    @cached_property
    def is_moving(self) -> bool:
        """Whether constraints do work: some row has C ≠ 0."""
        return any(node != ZERO for node in self.rows.C_nodes)

    @cached_property
    def flags(self) -> NDArray[np.int64]:
        """For each row 1 if it has a Φ, else 0, and twice the number of its constraint, for kernels."""
        return np.array(self.still, dtype=np.int64) + 2 * self.groups

    @cached_property
    def groups(self) -> NDArray[np.int64]:
        """The number of the constraint that each row is one of."""
        counts = [part.stop - part.start for part in self.rows.slices.values()]
        return np.repeat(np.arange(len(counts)), counts)

    @cached_property
    def still(self) -> tuple[int, ...]:
        """1 for each row that has a Φ, else 0."""
        return tuple([int(node is not None) for node in self.rows.phi])

    @cached_property
    def angles(self) -> tuple[bool, ...]:
        """Which coordinates are angles, or parts of quaternions."""
        return angles_of(self.rows.equations, self.rows.phi)

    @cached_property
    def sizes(self) -> tuple[int, int, int]:
        """Coordinates, speeds, rows."""
        return len(self.rows.equations.q), len(self.rows.equations.u), len(self.rows)

    def place(self, x: Array) -> Place:
        """Φ, B and C at a state."""
        return self._once("place", self._where(x), lambda: self._place(x))

    def _place(self, x: Array) -> Place:
        _, n, _ = self.sizes
        parts = [_first_rows(source.place(x), source, n) for source in self.sources]
        return Place(*[_fixed(np.concatenate(part)) for part in zip(*parts, strict=True)])

    def places(self, x: Array) -> Place:
        """Φ, B and C at many states, along the first axis."""
        _, n, _ = self.sizes
        parts = [_first_rows(source.place.many(x), source, n) for source in self.sources]
        return Place(*[np.concatenate(part, axis=1) for part in zip(*parts, strict=True)])

    def bias(self, x: Array) -> Array:
        """c at a state."""
        return np.concatenate([source.bias(x)[: source.held] for source in self.sources])

    def typical(self, x: Array) -> Array:
        """The largest |B_ij| ū_j of each row at some states about x: its unit, also where the row vanishes there.

        Rows that vanish everywhere, but for rounding of the longest of their constraint, have the unit of that: units
        of rows may differ by any power of the length of the model, those of one constraint by little. 1 where all do.
        """
        return self._once("typical", self._where(x), lambda: _fixed(self.typical_in(self.base.units, x)))

    def typical_in(self, units: Units, x: Array) -> Array:
        """The same with coordinates and speeds in other units."""
        n_q, _, m = self.sizes
        if not m:
            return np.ones(0)
        rows = np.tile(x, (STATES + 1, 1))
        rows[1:, 1 : 1 + n_q] += units.q * steps_aside(n_q)
        rows[1:] = self.normalised(rows[1:])
        B = np.abs(self.places(rows).B) * units.u
        lengths = np.where(np.isfinite(B), B, 0.0).max(axis=(0, 2), initial=0.0)
        most = np.zeros(m)
        np.maximum.at(most, self.groups, lengths)
        longest = most[self.groups]
        return np.where(lengths > NOTHING * longest, lengths, np.where(longest > 0.0, longest, 1.0))

    def lengths(self, x: Array) -> Array:
        """The length √Σ B_ij²/M_jj of each row at x in the kinetic metric; 1 for rows that vanish there."""
        B = self.place(x).B / np.sqrt(self.weights(x))
        lengths = np.sqrt((B * B).sum(axis=1))
        return np.where(lengths > 0.0, lengths, 1.0)

    def weights(self, x: Array) -> Array:
        """M_jj at x, by which speeds are measured; see `weights_of_speeds`."""
        return weights_of_speeds(self.motion(x).M, self.base.units.u)

    def measured(self, place: Place, typical: Array) -> Array:
        """Φ over the length of its row, or over the typical one where the row is close to vanishing."""
        return np.asarray(place.Phi / lengths_of(place.B * self.base.units.u, typical))

    def off(self, x: Array, typical: Array) -> Array:
        """For each row the largest Φ, or (B u + C) T, `measured`, at any of many x = (t, q, u, rest)."""
        n_q, n, m = self.sizes
        if not m:
            return np.zeros(0)
        Phi, B, C = self.places(x)
        psi = np.einsum("tij,tj->ti", B, x[:, 1 + n_q : 1 + n_q + n]) + C
        off = np.maximum(np.abs(Phi), self.base.scales.time * np.abs(psi))
        off /= lengths_of(B * self.base.units.u, typical)
        return np.asarray(off.max(axis=0, initial=0.0))

    def spread(self, x: Array) -> Array:
        """W at a state: δq = W δu."""
        n_q, n, _ = self.sizes
        return self.base.spread(x).reshape(n_q, n)

    def usual_rows(self, x: Array) -> Array:
        """B some way off x, on no constraint in particular: how long its rows usually are."""
        return self._once("usual", self._where(x), lambda: _fixed(self._usual_rows(x)))

    def _usual_rows(self, x: Array) -> Array:
        n_q = self.sizes[0]
        moved = x.copy()
        moved[1 : 1 + n_q] += self.base.units.q * some_way_off(n_q)
        B = self._place(self.normalised(moved[None])[0]).B
        return np.asarray(np.where(np.isfinite(B), B, 0.0))

    def normalised(self, x: Array) -> Array:
        """Quaternions of many states brought to unit length, in place; of another length they mean nothing."""
        for place in self._fours:
            x[:, place] /= norm(x[:, place], axis=1, keepdims=True)
        return x

    @cached_property
    def _fours(self) -> list[list[int]]:
        """Where the quaternions stand in x."""
        at = {e.node: 1 + i for i, e in enumerate(self.rows.equations.q)}
        return [[at[e.node] for e in four] for four in self.rows.equations.system.quaternions]

    def motion(self, x: Array) -> Motion:
        """q̇, M, f and c at a state."""
        return self._once("motion", x.tobytes(), lambda: self._motion(x))

    def _motion(self, x: Array) -> Motion:
        n_q, n, _ = self.sizes
        out, first = _fixed(self.base.motion(x)), n_q + n * (n + 1) // 2
        f, a, b = out[first : first + n], out[first + n : first + 2 * n], out[-1]
        M = _fixed(unpacked(out[n_q:first], n))
        return Motion(out[:n_q], M, f, _fixed(self.bias(x)), a, float(b))


def _first_rows(out: Array, source: RowPrograms, n: int) -> tuple[Array, Array, Array]:
    """Φ, B and C of the rows held, of outputs along the last axis."""
    given, held = source.given, source.held
    split = given + given * n
    B = out[..., given:split].reshape(*out.shape[:-1], given, n)
    return out[..., :held], B[..., :held, :], out[..., split : split + held]


def _fixed(a: Array) -> Array:
    """The array itself, read-only: it may be handed out again."""
    a.setflags(write=False)
    return a


@cache
def steps_aside(n_q: int) -> Array:
    """Changes of coordinates to some states about another, always the same."""
    return np.random.default_rng(20).uniform(-1.0, 1.0, (STATES, n_q))


@cache
def some_way_off(n_q: int) -> Array:
    """A change of coordinates that belongs to no constraint in particular: OFF cos k of the k-th; read-only."""
    return _fixed(np.array([OFF * cos(float(k)) for k in range(1, n_q + 1)]))


def weights_of_speeds(M: Array, unit: Array) -> Array:
    """M_jj, by which speeds are measured; those that carry little energy, M_jj ū_j², count as the lightest that does.

    Massless speeds have no metric of their own, and count as the heaviest (`selection.weights_of`): as light ones they
    would drown whatever else their rows hold, and rows that are far apart would seem parallel.
    """
    diagonal = M.diagonal()
    energy = diagonal * unit * unit
    heaviest = max(float(energy.max(initial=0.0)), 1e-300)
    least = np.where(energy > MASSLESS * heaviest, heaviest * SMALLEST_WEIGHT, heaviest)
    return np.maximum(diagonal, least / unit / unit)


def lengths_of(B: Array, typical: Array) -> Array:
    """The largest entry of each row, or its typical length where it is close to vanishing."""
    lengths = np.abs(B).max(axis=-1, initial=0.0)
    return np.where(np.isfinite(lengths) & (lengths > SHORT_ROW * typical), lengths, typical)


def unpacked(packed: Array, n: int) -> Array:
    """A symmetric matrix from its lower triangle, row by row."""
    return np.asarray(packed[_packed_index(n)])


@cache
def _packed_index(n: int) -> NDArray[np.intp]:
    """Where M_ij stands in a lower triangle."""
    i, j = np.maximum(*np.indices((n, n))), np.minimum(*np.indices((n, n)))
    return np.asarray(i * (i + 1) // 2 + j)


def base_of(equations: Equations, power: int = ZERO, laws: dict[int, int] | None = None,
            arguments: Sequence[Expr] | None = None) -> Base:  # fmt: skip
    """The programs of equations. ``laws`` are put in for inputs; ``power`` is a node in u̇ besides (t, q, u, r, p)."""
    system, g, d = equations.system, equations.system.graph, equations.derivation
    names, laws, n = Arguments(arguments or equations.arguments), laws or {}, len(system.u)
    W = [tangents(g, d.kinematics.q_rates, {u.node: ONE}) for u in system.u]
    spread = [W[j][i] for i in range(len(system.q)) for j in range(n)]
    rates = [symbol.node for symbol in system.u_rates]
    a = [tangents(g, [power], {rate: ONE})[0] if power != ZERO else ZERO for rate in rates]
    b = rebuild(g, [power], dict.fromkeys(rates, ZERO))
    M = [d.M[i][j] for i in range(n) for j in range(i + 1)]
    motion = [*d.kinematics.q_rates, *M, *d.f, *a, *b]
    programs = [Function(lower(g, rebuild(g, nodes, laws), names)) for nodes in (motion, spread)]
    return Base(equations, laws, names, programs[0], programs[1])


def terms_of(rows: Rows, base: Base | None = None) -> Terms:
    """The programs of some rows, on those of their equations."""
    base = base or base_of(rows.equations)
    g = rows.equations.system.graph
    place = [*(ZERO if node is None else node for node in rows.phi), *(b for row in rows.B_nodes for b in row),
             *rows.C_nodes]  # fmt: skip
    functions = [Function(lower(g, rebuild(g, nodes, base.laws), base.arguments)) for nodes in (place, [*rows.c_nodes])]
    place_function, bias_function = functions
    return Terms(rows, base, (RowPrograms(place_function, bias_function, len(rows), len(rows)),))
