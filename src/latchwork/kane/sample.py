"""Random states of a system, for checks that identities hold: seeded, so that the same model is judged the same.

Whether a sum is nothing but rounding is told by a running error analysis: every operation passes on the errors of
what it reads, and adds half a unit in the last place of its own [Higham, Accuracy and Stability of Numerical
Algorithms, §3.3]. So it does not depend on units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from weakref import ref

import numpy as np
from numpy.typing import NDArray

from latchwork.mechanics.system import System
from latchwork.program import sincos
from latchwork.program.elementary.functions import ELEMENTARY
from latchwork.program.function import Function
from latchwork.program.interpret import results
from latchwork.program.kernel import Kernel
from latchwork.program.lower import lower
from latchwork.program.native import native
from latchwork.symbolic.ops import ADD, NEG, SUB

Values = NDArray[np.float64]
Pair = tuple[Values, Values]  # values, and bounds of their rounding errors

STATES = 4
ROUNDING = 2.0**-53  # of a result
LENIENT = 2.0**16  # times its bound: constants of a model may be off by a few digits
TELLING = 1e-2  # of what is summed: the largest share of rounding by which a sum can be judged
MOST_ADDENDS = 2000
_LAST: list[tuple[ref[System], tuple[int, int], NDArray[np.float64]]] = []


def random_states(system: System, count: int = STATES, seed: int = 20) -> NDArray[np.float64]:
    """Rows of numbers for the arguments of a system: generic, parameters positive, quaternions of unit length.

    The last ones are remembered: features of contacts ask for those of one system by the hundred.
    """
    for whose, how, x in _LAST:
        if whose() is system and how == (count, seed):
            return x.copy()
    x = _drawn(system, count, seed)
    _LAST[:] = [(ref(system), (count, seed), x)]
    return x.copy()


def _drawn(system: System, count: int, seed: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    symbols = system.arguments
    x = rng.uniform(0.2, 1.3, (count, len(symbols)))
    x[:, [i for i, s in enumerate(symbols) if s.kind in ("speed", "rate", "acceleration", "input")]] -= 0.7
    place = {symbol: i for i, symbol in enumerate(symbols)}
    for quaternion in system.quaternions:
        columns = [place[e] for e in quaternion]
        x[:, columns] /= np.linalg.norm(x[:, columns], axis=1, keepdims=True)
    return x


def numbers(system: System, nodes: list[int], count: int = STATES, seed: int = 20,
            units: tuple[Values, Values] | None = None) -> Values:  # fmt: skip
    """Values of nodes at random states, one row per state; with units of coordinates and speeds, in these."""
    x = random_states(system, count, seed)
    if units is not None:
        (q, u), none = units, np.ones(len(system.r) + len(system.p))
        x *= np.concatenate([[1.0], q, u, none, q, u])
    return Function(lower(system.graph, nodes, system.arguments)).many(x)


def vanish(system: System, parts: list[int], following: Mapping[int, int] | None = None) -> bool:
    """Whether a sum of parts is nothing but rounding of them at random states.

    ``following`` are nodes that give the values of symbols, such as accelerations. Where rounding is so large a share
    of what is summed (stiff springs at random coordinates) that a sum could hide in it, the sum does not vanish.
    """
    x, known = random_states(system), system.arguments
    columns: list[Pair] = [(column, np.zeros(len(x))) for column in x.T]
    with np.errstate(all="ignore"):
        if following:
            places = {symbol.node: i for i, symbol in enumerate(known)}
            for node, pair in zip(following, _pairs(system, list(following.values()), columns), strict=True):
                columns[places[node]] = pair
        found = _pairs(system, parts, columns)
        summed = _pairs(system, _addends(system, parts), columns)
    total = np.sum([v for v, _ in found], axis=0)
    bound = LENIENT * np.sum([e + ROUNDING * np.abs(v) for v, e in found], axis=0)
    size = np.sum([np.abs(v) for v, _ in summed], axis=0)
    return bool((np.isfinite(total) & (np.abs(total) <= bound) & (bound <= TELLING * size)).all())


def _addends(system: System, parts: list[int]) -> list[int]:
    """What is added and subtracted in some nodes, each as often as it stands there."""
    nodes, pending = system.graph.nodes, list(parts)
    found: list[int] = []
    while pending and len(found) < MOST_ADDENDS:
        node = pending.pop()
        if node >= 0 and nodes[node][0] in (ADD, SUB, NEG):
            pending += nodes[node][1:]
        else:
            found.append(node)
    return found + pending


def _pairs(system: System, nodes: list[int], columns: list[Pair]) -> list[Pair]:
    """Nodes with their errors, of arguments with theirs."""
    program, count = lower(system.graph, nodes, system.arguments), len(columns[0][0])
    constants = [(np.full(count, c), np.full(count, ROUNDING * abs(c))) for c in program.constants]
    return results(program, [*columns, *constants], PAIRS)


def _pair(f: Callable[..., Any]) -> Callable[..., Pair]:
    """An operation on values with errors: each argument is moved by its own."""

    def run(*given: Pair) -> Pair:
        values = [v for v, _ in given]
        found = np.asarray(f(*values), dtype=float)
        error = ROUNDING * np.abs(found)
        for k, (v, e) in enumerate(given):
            if e.any():
                ends = [np.asarray(f(*values[:k], w, *values[k + 1 :]), dtype=float) for w in (v - e, v + e)]
                error = error + np.fmax(np.abs(ends[0] - found), np.abs(ends[1] - found))
        return found, error

    return run


def _own(kernel: Kernel[..., Any]) -> Callable[..., Any]:
    """An elementary function of ours on arrays, by its machine code: the same bits on every machine."""

    def run(*given: Any) -> Any:
        return np.frompyfunc(native(kernel).brief, len(given), 1)(*given).astype(float)

    return run


OPERATIONS: dict[str, Callable[..., Any]] = {
    "neg": np.negative, "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "sqrt": np.sqrt,
    "sin": _own(sincos.sin), "cos": _own(sincos.cos), **{name: _own(kernel) for name, kernel in ELEMENTARY.items()},
    "abs": np.abs, "sign": np.sign, "min": np.minimum, "max": np.maximum, "lt": np.less, "le": np.less_equal,
    "eq": np.equal, "select": lambda a, b, c: np.where(a != 0.0, b, c),
}  # fmt: skip
PAIRS = {name: _pair(f) for name, f in OPERATIONS.items()}
