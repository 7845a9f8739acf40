"""Base parameters: the fewest combinations of inertial parameters that a motion depends on, in symbols.

Mass that lies on the axis of a revolute joint moves with either body: a point of it at P + s a, seen from both, is

    n(s) = π_B(P + s a) − π_A(P + s a),        Y n(s) = 0 for every s,

a quadratic in s, and so three null vectors of Y for each revolute joint. A prismatic joint lets six pass, for what does
not turn against the other body has one inertia with it. Each null vector groups one parameter of B with others.
[Gautier & Khalil, IEEE Trans. Robotics and Automation 6 (1990) 368; Ros et al., Mechanism and Machine Theory 44 (2009)]

What remains without effect, as turning about axes that nothing turns about, has columns of zeros. That the result is a
base is checked by the rank of Y at random states; combinations that only the numbers of a model make are found there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import EvaluationError, ModelError
from latchwork.kane.equations import Equations
from latchwork.kane.regressor import (
    ENTRIES,
    KINDS,
    Inertial,
    Regressor,
    is_still,
    reference_point,
    regressor,
    unit_square,
)
from latchwork.kane.values import argument_vector
from latchwork.mechanics.algebra import Triple
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame, Turn
from latchwork.model import Model
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import rebuild

Array = NDArray[np.float64]
STATES, SEED = 60, 7  # random states at which the rank of Y is found
NOTHING = 1e-9  # of the largest singular value
EXACT = 1e-7  # to which a ratio of columns is taken for a round number
Null = dict[Inertial, Expr]


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Combinations of inertial parameters, by name, in the terms of the model and as letters; and their columns of Y.

    ``grouped`` has each as coefficients of the parameters that it is made of.
    """

    equations: Equations
    regressor: Regressor
    grouped: Mapping[Inertial, Mapping[Inertial, Expr]]

    def __len__(self) -> int:
        return len(self.grouped)

    def __str__(self) -> str:
        width = max((len(name) for name in self.names), default=0)
        return "\n".join(f"{name:{width}} = {value}" for name, value in zip(self.names, self.values, strict=True))

    @property
    def names(self) -> list[str]:
        """Each as a sum of letters: ``Izz_link1 + l**2*m_link2``."""
        return [_sum_text(parts) for parts in self.grouped.values()]

    @property
    def values(self) -> list[Expr]:
        """Each in the terms of the model: masses, mass centres and inertias as it gives them."""
        return [_total([value * part.value for part, value in parts.items()]) for parts in self.grouped.values()]

    def numbers(self, p: Any = None) -> Array:
        """Their values, with the parameters of the model or others."""
        nodes = [value.node for value in self.values]
        none = np.zeros((1, len(self.equations.u)))
        return compiled(self.equations, nodes).many(states(self.equations, _rest(self.equations), none, none, p))[0]

    @property
    def columns(self) -> list[list[Expr]]:
        """Y of the base parameters, in symbols: one column each, with an entry for each speed."""
        g, found = self.equations.system.graph, self.regressor
        chosen = dict(zip(found.parameters, found.columns, strict=True))
        return [[Expr(g, node) for node in chosen[parameter]] for parameter in self.grouped]

    @cached_property
    def function(self) -> Function:
        """Y as a function of (t, q, u, r, p, u̇), speed by speed."""
        columns = self.columns
        nodes = [column[r].node for r in range(len(self.equations.u)) for column in columns]
        return compiled(self.equations, nodes)

    def matrix(self, q: Any, u: Any, udot: Any, p: Any = None) -> Array:
        """Y of many states, one below the other: (samples × speeds, parameters)."""
        rows = states(self.equations, np.atleast_2d(q), np.atleast_2d(u), np.atleast_2d(udot), p)
        return self.function.many(rows).reshape(-1, len(self))


def base_parameters(model: Model | Equations) -> BaseParameters:
    """The base parameters of a mechanism without constraints, in symbols: the fewest combinations of masses, first
    moments and moments of inertia that its motion and its motor torques depend on, and so all that can be identified.
    """
    equations = model.equations() if isinstance(model, Model) else model
    if not isinstance(equations, Equations):
        raise ModelError(f"base parameters are those of a model or its equations; got {model!r:.60}.")
    if not equations.system.bodies:
        raise ModelError(f"'{equations.name}' has no bodies, so nothing to identify. Add some.")
    found = regressor(equations)
    groups: dict[Inertial, dict[Inertial, Expr]] = {each: {each: _one(equations)} for each in found.parameters}
    for null in null_vectors(found):
        _eliminate(groups, null)
    W = random_matrix(found)
    sizes = np.abs(W).max(axis=0)
    place = {each: k for k, each in enumerate(found.parameters)}
    for each in [each for each in groups if sizes[place[each]] <= NOTHING * sizes.max()]:
        del groups[each]
    _by_numbers(equations, groups, W, place)
    return BaseParameters(equations, found, groups)


# --- null vectors -----------------------------------------------------------------------------------------------------


def null_vectors(found: Regressor) -> list[Null]:
    """What passes from each body to the one that carries it, from the tips to the ground."""
    by_body: dict[Body, dict[str, Inertial]] = {}
    for each in found.parameters:
        by_body.setdefault(each.body, {})[each.kind] = each
    frames = {body.frame: body for body in by_body if body.frame is not None}
    vectors: list[Null] = []
    for body in reversed([*by_body]):
        if body.frame is None:
            continue
        carrier, turns = _carrier(body.frame, frames)
        vectors += _passed(by_body, body, carrier, turns)
    return vectors


def _carrier(frame: Frame, frames: Mapping[Frame, Body]) -> tuple[Body | None, list[Frame]]:
    """The body further in, none for the ground; and the frames on the way that turn."""
    turns, step, g = list[Frame](), frame, frame.graph
    while step.parent is not None:
        edge = step.edge
        rows = () if edge is None or isinstance(edge, Turn) else edge.matrix
        nodes = [edge.angle] if isinstance(edge, Turn) else [node for row in rows for node in row]
        if not is_still(g, nodes):
            turns.append(step)
        step = step.parent
        if step in frames:
            return frames[step], turns
    return None, turns


def _passed(by_body: Mapping[Body, Mapping[str, Inertial]], body: Body, carrier: Body | None,
            turns: Sequence[Frame]) -> list[Null]:  # fmt: skip
    P, B = reference_point(body), body.frame
    assert B is not None, "a body turns"
    A, O = (B.tree.newtonian, P.tree.origin) if carrier is None else (carrier.frame, reference_point(carrier))
    assert A is not None, "a body is carried by a body"
    p = P.position(O).components(A)
    sides: list[tuple[int, Mapping[str, Inertial], Frame, Triple]] = [(1, by_body[body], B, (ZERO, ZERO, ZERO))]
    if carrier is not None:
        sides.append((-1, by_body[carrier], A, p))
    if not turns:
        fixed = _fixed_inertia(sides, B)
        return [*fixed, *_on_point(sides, B)] if is_still(B.graph, p) else fixed
    if not is_still(B.graph, p):
        return []
    edge = turns[0].edge
    if len(turns) > 1 or not isinstance(edge, Turn):
        return _on_point(sides, B)[:1]
    return _on_axis(sides, turns[0], edge.axis)


def _fixed_inertia(sides: Sequence[Any], B: Frame) -> list[Null]:
    """Six: an inertia is the same in both bodies, turned."""
    found = []
    for k, entry in enumerate(ENTRIES):
        null: Null = {}
        for sign, own, frame, _ in sides:
            turned = B.carry_square(unit_square(*entry), frame)
            _put(null, own, [ZERO] * 4 + [turned[i][j] for i, j in ENTRIES], sign, B)
        found.append(_first(null, sides[0][1][KINDS[4 + k]]))
    return found


def _on_point(sides: Sequence[Any], B: Frame) -> list[Null]:
    """A mass at the origin of the joint; and, where nothing turns, first moments there."""
    found = []
    for k in range(4):
        null: Null = {}
        for sign, own, frame, p in sides:
            e = B.carry(_unit(k - 1), frame) if k else None
            _put(null, own, _line_mass(B, p, e, 1 if k else 0), sign, B)
        found.append(_first(null, sides[0][1][KINDS[k]]))
    return found


def _on_axis(sides: Sequence[Any], turning: Frame, axis: int) -> list[Null]:
    """Three: mass on the axis, by powers of the place along it."""
    B, found = sides[0][2], []
    direction = [turning.carry(_unit(axis), frame) for _, _, frame, _ in sides]
    for power in range(3):
        null: Null = {}
        for (sign, own, frame, p), a in zip(sides, direction, strict=True):
            _put(null, own, _line_mass(frame, p, a, power), sign, B)
        found.append(_first(null, _pivot(null, sides[0][1], power)))
    return found


def _line_mass(frame: Frame, p: Triple, a: Triple | None, power: int) -> list[int]:
    """The coefficient of s to a power in the ten parameters of a unit mass at p + s a: m, p + s a, and r² U − r r."""
    g = frame.graph
    zero = (ZERO, ZERO, ZERO)
    by_power = [p, a or zero]
    m = ONE if power == 0 else ZERO
    first = by_power[power] if power < 2 else zero

    def product(i: int, j: int) -> int:
        pairs = [(by_power[x][i], by_power[y][j]) for x in range(2) for y in range(2) if x + y == power]
        return reduce(g.add, (g.mul(x, y) for x, y in pairs), ZERO)

    square = reduce(g.add, (product(i, i) for i in range(3)), ZERO)
    inertia = [g.sub(square if i == j else ZERO, product(i, j)) for i, j in ENTRIES]
    return [m, *first, *inertia]


def _pivot(null: Null, own: Mapping[str, Inertial], power: int) -> Inertial:
    """The parameter to be grouped with others: the mass, the first moment along the axis, an inertia across it."""
    if power == 0:
        return own["m"]
    kinds = KINDS[1:4] if power == 1 else ("Iyy", "Ixx", "Izz")
    sizes = {kind: abs(value) for kind in kinds if (value := _number(null.get(own[kind]))) is not None}
    return own[max(sizes, key=lambda kind: round(sizes[kind], 6))] if sizes else own[kinds[0]]


def _put(null: Null, own: Mapping[str, Inertial], nodes: Sequence[int], sign: int, frame: Frame) -> None:
    g = frame.graph
    for kind, node in zip(KINDS, nodes, strict=True):
        if node != ZERO and kind in own:
            null[own[kind]] = Expr(g, node) * float(sign)


def _first(null: Null, pivot: Inertial) -> Null:
    """The null vector with its pivot first."""
    return {pivot: null[pivot], **{each: value for each, value in null.items() if each is not pivot}}


def _eliminate(groups: dict[Inertial, dict[Inertial, Expr]], null: Null) -> None:
    """Y_p = −Σ (n_j / n_p) Y_j: what is grouped under p joins the others, times −n_j / n_p."""
    (pivot, by), *rest = null.items()
    if pivot not in groups or any(each not in groups for each, _ in rest):
        rest = [(each, value) for each, value in rest if each in groups]
        if pivot not in groups:
            return
    moved = groups.pop(pivot)
    for each, value in rest:
        factor = -value / by
        for part, amount in moved.items():
            total = groups[each].get(part)
            added = amount * factor
            groups[each][part] = added if total is None else total + added


# --- numbers ----------------------------------------------------------------------------------------------------------


def compiled(equations: Equations, nodes: Sequence[int]) -> Function:
    """Nodes in u̇ as a function of (t, q, u, r, p, u̇)."""
    g = equations.system.graph
    closed = rebuild(g, list(nodes), equations.derivation.kinematics.replaced)
    return Function(lower(g, closed, (*equations.arguments, *equations.system.u_rates)))


def states(equations: Equations, q: Array, u: Array, udot: Array, p: Any = None, r: Array | None = None) -> Array:
    """Rows (t, q, u, r, p, u̇) of many states."""
    one = argument_vector(equations.system, 0.0, dict.fromkeys(equations.q_names, 0.0),
                          dict.fromkeys(equations.u_names, 0.0), {s.name: 0.0 for s in equations.r}, p)  # fmt: skip
    rows = np.tile(one, (len(q), 1))
    n_q, n = len(equations.q), len(equations.u)
    rows[:, 1 : 1 + n_q], rows[:, 1 + n_q : 1 + n_q + n] = q, u
    if r is not None:
        rows[:, 1 + n_q + n : 1 + n_q + n + len(equations.r)] = r
    return np.column_stack([rows, udot])


def random_matrix(found: Regressor) -> Array:
    """Y of all parameters at random states: (states × speeds, parameters)."""
    equations: Any = found.equations
    rng, n_q, n = np.random.default_rng(SEED), len(equations.q), len(equations.u)
    q, u, udot = (rng.uniform(-2.0, 2.0, (STATES, count)) for count in (n_q, n, n))
    for four in equations.system.quaternions:
        at = [equations.q_names.index(e.name) for e in four]
        q[:, at] /= np.sqrt((q[:, at] ** 2).sum(axis=1, keepdims=True))
    nodes = [column[r] for r in range(n) for column in found.columns]
    W = compiled(equations, nodes).many(states(equations, q, u, udot)).reshape(STATES * n, len(found.columns))
    if not np.isfinite(W).all():
        raise EvaluationError(f"the regressor of '{equations.name}' is not finite at random states. Look at its "
                              "kinematics there.")  # fmt: skip
    return W


def _by_numbers(equations: Equations, groups: dict[Inertial, dict[Inertial, Expr]], W: Array,
                place: Mapping[Inertial, int]) -> None:  # fmt: skip
    """Group what only the numbers of this model make dependent: columns that are combinations of those before them."""
    chosen: list[Inertial] = []
    for each in [*groups]:
        column = W[:, place[each]]
        size = float(np.sqrt((column**2).sum()))
        if not chosen:
            chosen.append(each)
            continue
        A = W[:, [place[other] for other in chosen]]
        scale = np.sqrt((A**2).sum(axis=0))
        beta, *_ = np.linalg.lstsq(A / scale, column, rcond=1e-12)
        if float(np.sqrt(((A / scale @ beta - column) ** 2).sum())) > EXACT * size:
            chosen.append(each)
            continue
        moved = groups.pop(each)
        for other, b in zip(chosen, (beta / scale).tolist(), strict=True):
            factor = round(b) if abs(b - round(b)) < EXACT else b
            if abs(b) > EXACT:
                for part, amount in moved.items():
                    total = groups[other].get(part)
                    groups[other][part] = amount * factor if total is None else total + amount * factor


def _rest(equations: Equations) -> Array:
    """Coordinates at which nothing is turned."""
    q = np.zeros((1, len(equations.q)))
    for four in equations.system.quaternions:
        q[0, equations.q_names.index(four[0].name)] = 1.0
    return q


def _number(value: Expr | None) -> float | None:
    if value is None or value.free_symbols:
        return None
    return float(value)


def _one(equations: Equations) -> Expr:
    return Expr(equations.system.graph, ONE)


def _unit(k: int) -> Triple:
    return (ONE if k == 0 else ZERO, ONE if k == 1 else ZERO, ONE if k == 2 else ZERO)


def _total(parts: Sequence[Expr]) -> Expr:
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _sum_text(parts: Mapping[Inertial, Expr]) -> str:
    words = []
    for part, amount in parts.items():
        text = str(amount)
        if text == "1":
            words.append(part.name)
        elif text == "-1":
            words.append(f"-{part.name}")
        elif amount != 0.0:
            text = f"({text})" if any(c in text.strip("-") for c in "+- ") else text
            words.append(f"{text}*{part.name}")
    return " + ".join(words).replace("+ -", "- ")

