"""Tracked parameters along the motion: states that have no speed of their own.

    r(q, t, s) = 0     (∂r/∂s) ṡ = −(∂r/∂q q̇ + ∂r/∂t) − κ r      so that ṙ = −κ r

The feedback κ pulls s back to the extremal point, whatever put it off; it does nothing on it.  [Patoglu §5.2]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

from latchwork.contact.closest_point.search import OUTSIDE
from latchwork.contact.closest_point.square_matrices import Square, solved
from latchwork.contact.feature import Feature, Tracked, round_about
from latchwork.errors import ModelError
from latchwork.kane.equations import Equations
from latchwork.kane.speeds import Kinematics
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr, minimum, where
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ONE, ZERO

FEEDBACK = 20.0  # κ, in 1/s: what is off by δ is off by δ e^(−κ t)
SAME = ("M", "f", "udot_expressions", "kinetic_energy", "potential_energy", "power")  # what tracking leaves as it is


def rates(tracked: Tracked, kinematics: Kinematics, feedback: float = FEEDBACK) -> list[int]:
    """ṡ as nodes in (t, q, u, s), linear in u.

    Solved for by blocks, of the host and of the guest, which are regular wherever the extremum is a least distance.
    """
    g = tracked.symbols[0].graph
    r = list(tracked.conditions)
    drifts = tangents(g, [e.node for e in r], kinematics.along)
    J = _partials(g, r, tracked.symbols)
    moving = solved(J, [-Expr(g, d) - feedback * e for d, e in zip(drifts, r, strict=True)])
    reach = within_reach(tracked)
    return [(e if reach is None else where(reach >= 0.0, e, 0.0)).node for e in moving]


def within_reach(tracked: Tracked) -> Expr | None:
    """Not negative where all parameters are in range, or a little outside: beyond they wait. None where none does."""
    parts = []
    for s, low, high, closed, far in tracked.ranges:
        if not closed:
            parts.append((1.0 + 2.0 * OUTSIDE) ** 2 / 4.0 - ((s - 0.5 * (low + high)) / (high - low)) ** 2)
        elif far > 0.0:
            parts.append(round_about(s, low, high, far))
    return reduce(minimum, parts) if parts else None


def _partials(g: Graph, r: Sequence[Expr], s: Sequence[Expr]) -> Square:
    columns = [tangents(g, [e.node for e in r], {symbol.node: ONE}) for symbol in s]
    return [[Expr(g, column[i]) for column in columns] for i in range(len(r))]


def tracked_equations(equations: Equations, features: Sequence[Feature], feedback: float = FEEDBACK) -> Equations:
    """The same equations with tracked parameters as further coordinates: q̇ = W u + X has rows for them, M and f not;
    and with azimuths of support triangles, which stand still.

    Features that have neither are passed over; the equations may be tracked already.
    """
    found = [feature.tracked for feature in features if feature.tracked is not None]
    azimuths = azimuths_of(features)
    s = (*(symbol for tracked in found for symbol in tracked.symbols), *azimuths)
    if not s:
        return equations
    _names_differ(equations, s)
    kinematics = equations.derivation.kinematics
    moving = [node for tracked in found for node in rates(tracked, kinematics, feedback)]
    return with_coordinates(equations, s, [*moving, *(ZERO for _ in azimuths)])


def has_parameters(features: Sequence[Feature]) -> bool:
    """Whether features have parameters that are coordinates of a run."""
    return any(feature.tracked is not None or feature.support is not None for feature in features)


def azimuths_of(features: Sequence[Feature]) -> tuple[Expr, ...]:
    """The azimuths of support triangles that features are corners of, each once."""
    found = {feature.support.azimuth.node: feature.support.azimuth for feature in features if feature.support}
    return tuple(found.values())


def with_coordinates(equations: Equations, s: Sequence[Expr], nodes: Sequence[int],
                     inputs: Sequence[Expr] = ()) -> Equations:  # fmt: skip
    """The same equations with further coordinates, whose rates are given as nodes in (t, q, u, r), and further inputs
    that these may be."""
    system, d = equations.system, equations.derivation
    dots = tuple(Expr(system.graph, system.graph.rate_of[symbol.node]) for symbol in s)
    direct = dict(zip(dots, (Expr(system.graph, node) for node in nodes), strict=True))
    system = replace(system, q=(*system.q, *s), q_rates=system.q_rates + dots, r=(*system.r, *inputs),
                     direct={**system.direct, **direct},
                     values={**system.values, **dict.fromkeys(inputs, 0.0)})  # fmt: skip
    made = Equations(replace(d, system=system, kinematics=_extended(d.kinematics, s, dots, nodes),
                             write_M=lambda: d.M, write_f=lambda: d.f), equations.added)  # fmt: skip
    vars(made).update({name: value for name, value in vars(equations).items() if name in SAME})
    return made


def stilled(equations: Equations, features: Sequence[Feature]) -> Equations:
    """The same equations, where the tracked parameters of some features stand still from now on: ṡ = 0."""
    system, d = equations.system, equations.derivation
    symbols = [s for feature in features if feature.tracked is not None for s in feature.tracked.symbols]
    if not symbols:
        return equations
    nodes, dots = {s.node for s in symbols}, {system.graph.rate_of[s.node] for s in symbols}
    along = {node: ZERO if node in nodes else rate for node, rate in d.kinematics.along.items()}
    kinematics = Kinematics(
        q_rates=tuple(ZERO if q.node in nodes else rate
                      for q, rate in zip(system.q, d.kinematics.q_rates, strict=True)),
        replaced={node: ZERO if node in dots else rate for node, rate in d.kinematics.replaced.items()}, along=along,
    )  # fmt: skip
    direct = {dot: Expr(system.graph, ZERO) if dot.node in dots else rate for dot, rate in system.direct.items()}
    made = Equations(replace(d, system=replace(system, direct=direct), kinematics=kinematics,
                             write_M=lambda: d.M, write_f=lambda: d.f), equations.added)  # fmt: skip
    vars(made).update({name: value for name, value in vars(equations).items() if name in SAME})
    return made


def _extended(kinematics: Kinematics, s: Sequence[Expr], dots: Sequence[Expr], nodes: Sequence[int]) -> Kinematics:
    """q̇ with ṡ behind it, and the rates of all leaves with those of s."""
    return Kinematics(
        q_rates=(*kinematics.q_rates, *nodes),
        replaced=kinematics.replaced | {dot.node: node for dot, node in zip(dots, nodes, strict=True)},
        along=kinematics.along | {symbol.node: node for symbol, node in zip(s, nodes, strict=True)},
    )


def _names_differ(equations: Equations, s: Sequence[Expr]) -> None:
    names = [symbol.name for symbol in (*equations.system.q, *s, *equations.u, *equations.r, *equations.p)]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ModelError(f"'{equations.name}' has {', '.join(twice)} twice. Name each contact otherwise.")
