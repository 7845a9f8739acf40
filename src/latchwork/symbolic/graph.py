"""The expression graph: interned nodes in an arena, folded as they are made.

    node = (op, argument, ...)          index ≥ 0 into ``Graph.nodes``
    constant                            index < 0 into ``Graph.constants`` (``~index``)

Equal expressions are one node, so common subexpressions are found for free (AUTOLEV's Z variables). An argument always
has a smaller index than the node that uses it: ascending indices are a topological order, and no traversal recurses.
Nothing is ever expanded. Constants are the numbers that people write, and are folded as such (`exact`).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

from latchwork.errors import ExpressionError
from latchwork.symbolic import exact, sums
from latchwork.symbolic.ops import (
    ABS,
    ADD,
    BY_NAME,
    COS,
    DIV,
    EQ,
    EXP,
    FIRST_CONSTANTS,
    LE,
    LOG,
    LT,
    MAX,
    MIN,
    MINUS_ONE,
    MUL,
    NEG,
    ONE,
    OPS,
    POW,
    SELECT,
    SIN,
    SQRT,
    SUB,
    SYMBOL,
    TAN,
    ZERO,
)

Folding = Callable[["Graph", int, int], int]
KINDS = ("time", "coordinate", "speed", "input", "parameter", "rate", "acceleration", "auxiliary", "multiplier")
ODD = frozenset(BY_NAME[name] for name in "sin tan asin atan sinh tanh asinh atanh sign".split())
EVEN = frozenset(BY_NAME[name] for name in "cos cosh abs".split())
EXACT: dict[int, Callable[[float], float | None]] = {
    SIN: exact.sine, COS: exact.cosine, TAN: exact.tangent, SQRT: exact.root,
}  # fmt: skip
# sin and cos of x + k π/2 for k = 0 ... 3: the function of x, and whether it is negative
TURNED = {SIN: ((SIN, False), (COS, False), (SIN, True), (COS, True)),
          COS: ((COS, False), (SIN, True), (COS, True), (SIN, False))}  # fmt: skip


@dataclass(frozen=True)
class Symbol:
    """What a leaf stands for: its name, its kind (one of ``KINDS``), the symbol it is the time derivative of, the value

    it has unless another is given, and its unit and description where it was given them.
    """

    name: str
    kind: str
    derivative_of: int = ZERO
    value: float | None = None
    unit: str = ""
    description: str = ""


def _fold(op: int, x: tuple[float, ...]) -> float | None:
    """The value of an operation on constants, or None where it has no finite one (then the node stays).

    Right angles, their halves and thirds give exact sines and cosines. All else is the interpreter's: what is folded
    has the bits of what is evaluated. A tangent is a sine over a cosine there.
    """
    from latchwork.program.interpret import PYTHON

    known = EXACT[op](*x) if op in EXACT else None
    if known is not None:
        return known
    value = PYTHON["div"](PYTHON["sin"](*x), PYTHON["cos"](*x)) if op == TAN else PYTHON[OPS[op].name](*x)
    return value if math.isfinite(value) else None


class Graph:
    """An arena of interned nodes; every expression of one model lives in its graph."""

    def __init__(self, name: str = "expressions") -> None:
        self.name = name
        self.nodes: list[tuple[int, ...]] = []
        self.index: dict[tuple[int, ...], int] = {}  # of nodes, and of operations that folded to others
        self.symbols: dict[int, Symbol] = {}
        self.rate_of: dict[int, int] = {}  # leaf: the leaf that is its time derivative
        self.constants: list[float] = []
        self._constant_index: dict[float, int] = {}
        self._cos_sin: dict[int, tuple[int, int]] = {}
        self._by_parameters = bytearray()  # 1 for nodes that depend on a parameter, as far as was asked
        for value in FIRST_CONSTANTS:
            self.constant(value)

    # --- leaves -------------------------------------------------------------------------------------------------

    def symbol(self, name: str, kind: str, derivative_of: int = ZERO, value: float | None = None) -> int:
        """A new leaf; names are kept distinct by the model that owns them."""
        node = self._node((SYMBOL, len(self.symbols)))
        self.symbols[node] = Symbol(name, kind, derivative_of, value)
        if derivative_of != ZERO:
            self.rate_of[derivative_of] = node
        return node

    def constant(self, value: float) -> int:
        """Index (< 0) of a constant; one index per value (-0.0 is 0.0)."""
        found = self._constant_index.get(value)
        if found is None:
            if not math.isfinite(value):
                raise ExpressionError(
                    f"{value} cannot be a constant of '{self.name}': expressions hold finite numbers only. "
                    "Check the value that was passed in."
                )
            self.constants.append(value + 0.0)
            found = self._constant_index[value] = -len(self.constants)
        return found

    def value(self, a: int) -> float:
        """The number behind a constant index."""
        return self.constants[~a]

    def has_parameters(self, node: int) -> bool:
        """Whether an expression depends on a parameter; arguments stand before what is made of them."""
        known = self._by_parameters
        for i in range(len(known), node + 1):
            op, *rest = self.nodes[i]
            own = self.symbols[i].kind == "parameter" if op == SYMBOL else any(a >= 0 and known[a] for a in rest)
            known.append(own)
        return node >= 0 and known[node] == 1

    def _node(self, key: tuple[int, ...]) -> int:
        found = self.index.get(key)
        if found is None:
            found = self.index[key] = len(self.nodes)
            self.nodes.append(key)
        return found

    def new(self, key: tuple[int, ...]) -> int:
        """A node that is not there yet."""
        made = self.index[key] = len(self.nodes)
        self.nodes.append(key)
        return made

    def folded(self, key: tuple[int, ...], found: int) -> int:
        """What an operation folded to; asked for again, it is found like a node."""
        self.index[key] = found
        return found

    # --- arithmetic ---------------------------------------------------------------------------------------------

    def neg(self, a: int) -> int:
        """-a; -(-x) = x, -(x - y) = y - x, -(c x) = (-c) x."""
        if a < 0:
            return self.constant(-self.value(a)) if a != ZERO else ZERO
        node = self.nodes[a]
        if node[0] == NEG:
            return node[1]
        if node[0] == SUB:
            return self.sub(node[2], node[1])
        if node[0] in (MUL, DIV) and node[1] < 0:
            return self._node((node[0], self.constant(-self.value(node[1])), node[2]))
        return self._node((NEG, a))

    add: ClassVar[Folding] = sums.add  # a + b
    sub: ClassVar[Folding] = sums.sub  # a - b

    def split_coefficient(self, a: int) -> tuple[float, int]:
        """(c, x) with a = c x."""
        node = self.nodes[a]
        return (self.value(node[1]), node[2]) if node[0] == MUL and node[1] < 0 else (1.0, a)

    def mul(self, a: int, b: int) -> int:
        """a b, with constants gathered in front, signs pulled out, (x / b) b = x."""
        if a == ZERO or b == ZERO:
            return ZERO
        if a == ONE:
            return b
        if b == ONE:
            return a
        if a > b:
            a, b = b, a
        if b < 0:
            return self.constant(exact.times(self.value(a), self.value(b)))
        key = (MUL, a, b)
        if (found := self.index.get(key)) is not None:
            return found
        y = self.nodes[b]
        if y[0] == NEG:
            return self.folded(key, self.neg(self.mul(a, y[1])))
        if a < 0:
            if a == MINUS_ONE:
                return self.neg(b)
            if y[0] in (MUL, DIV) and y[1] < 0:
                c = self.constant(exact.times(self.value(a), self.value(y[1])))
                return self.folded(key, self.mul(c, y[2]) if y[0] == MUL else self.div(c, y[2]))
            return self.new(key)
        x = self.nodes[a]
        if x[0] == NEG:
            return self.folded(key, self.neg(self.mul(x[1], b)))
        if x[0] == MUL and x[1] < 0:
            return self.folded(key, self.mul(x[1], self.mul(x[2], b)))
        if y[0] == MUL and y[1] < 0:
            return self.folded(key, self.mul(y[1], self.mul(a, y[2])))
        if x[0] == DIV and x[2] == b:
            return x[1]
        if y[0] == DIV and y[2] == a:
            return y[1]
        if a == b and x[0] == SQRT:
            return x[1]
        return self.new(key)

    def div(self, a: int, b: int) -> int:
        """a / b; a constant divisor with an exact reciprocal becomes a factor."""
        if b < 0 and self.value(b) == 0.0:
            raise ExpressionError(f"division by zero in '{self.name}'. The divisor folded to the constant 0.")
        if a == ZERO or b == ONE:
            return a
        if a == b:
            return ONE
        if b < 0:
            value = self.value(b)
            if a < 0:
                return self.constant(exact.over(self.value(a), value))
            if math.frexp(value)[0] in (0.5, -0.5):
                return self.mul(self.constant(1.0 / value), a)
        else:
            y = self.nodes[b]
            if y[0] == NEG:
                return self.neg(self.div(a, y[1]))
            if y[0] == DIV and not (y[1] >= 0 and self.nodes[y[1]][0] == DIV):
                return self.div(self.mul(a, y[2]), y[1])
        if a >= 0:
            x = self.nodes[a]
            if x[0] == NEG:
                return self.neg(self.div(x[1], b))
            if x[0] == MUL and b in x[1:]:
                return x[2] if x[1] == b else x[1]
        return self._node((DIV, a, b))

    def pow(self, a: int, b: int) -> int:
        """a ** b; whole exponents up to 64 become products, ½ a square root."""
        if b < 0:
            exponent = self.value(b)
            if exponent == 0.5:
                return self.sqrt(a)
            if exponent == int(exponent) and abs(exponent) <= 64:
                power = self._whole_power(a, abs(int(exponent)))
                return power if exponent >= 0 else self.div(ONE, power)
        return self._apply(POW, a, b)

    def _whole_power(self, a: int, n: int) -> int:
        """Repeated squaring: a ** n in at most 2 log2 n products."""
        result = ONE
        while n:
            if n & 1:
                result = self.mul(result, a)
            n >>= 1
            if n:
                a = self.mul(a, a)
        return result

    # --- functions ----------------------------------------------------------------------------------------------

    def unary(self, op: int, a: int) -> int:
        """A function of one argument: odd ones let the sign out, even ones swallow it."""
        if a >= 0:
            negative = self._without_sign(a)
            if negative is not None:
                if op in ODD:
                    return self.neg(self.unary(op, negative))
                if op in EVEN:
                    return self.unary(op, negative)
            if op in TURNED and (turned := self._right_angles(op, a)) is not None:
                return turned
        return self._apply(op, a)

    def _right_angles(self, op: int, a: int) -> int | None:
        """sin and cos of k π/2 ± x as those of x: cos(x + π/2) = -sin x."""
        node = self.nodes[a]
        if node[0] not in sums.SUMS or node[1] >= 0 or (k := exact.quarters(self.value(node[1]))) is None:
            return None
        other, negative = TURNED[op][k % 4]
        x = node[2] if node[0] == ADD else self.neg(node[2])
        found = self.unary(other, x)
        return self.neg(found) if negative else found

    def _without_sign(self, a: int) -> int | None:
        """-a where a carries a leading minus or is the second of x - y, y - x; else None."""
        node = self.nodes[a]
        if node[0] == NEG:
            return node[1]
        if node[0] == MUL and node[1] < 0 and self.value(node[1]) < 0.0:
            return self.neg(a)
        if node[0] == SUB and node[1] > node[2]:  # one order for x - y and y - x
            return self.sub(node[2], node[1])
        return None

    def _apply(self, op: int, *args: int) -> int:
        if all(a < 0 for a in args):
            value = _fold(op, tuple([self.value(a) for a in args]))
            if value is not None:
                return self.constant(value)
        return self._node((op, *args))

    def cos_sin(self, angle: int) -> tuple[int, int]:
        """cos and sin of an angle, found once: every turn asks for them."""
        found = self._cos_sin.get(angle)
        if found is None:
            found = self._cos_sin[angle] = self.unary(COS, angle), self.unary(SIN, angle)
        return found

    def sin(self, a: int) -> int:
        return self.unary(SIN, a)

    def cos(self, a: int) -> int:
        return self.unary(COS, a)

    def exp(self, a: int) -> int:
        return self._apply(EXP, a)

    def log(self, a: int) -> int:
        return self._apply(LOG, a)

    def sqrt(self, a: int) -> int:
        """√a; √(x x) = |x|."""
        if a >= 0 and self.nodes[a][0] == MUL and self.nodes[a][1] == self.nodes[a][2]:
            return self.unary(ABS, self.nodes[a][1])
        return self._apply(SQRT, a)

    def binary(self, op: int, a: int, b: int) -> int:
        """atan2, min, max; min(x, x) = x."""
        if op in (MIN, MAX):
            if a == b:
                return a
            a, b = (a, b) if a < b else (b, a)
        return self._apply(op, a, b)

    def compare(self, op: int, a: int, b: int) -> int:
        """1 where the comparison holds, else 0."""
        if a == b:
            return ZERO if op == LT else ONE
        if op == EQ and a > b:
            a, b = b, a
        return self._apply(op, a, b)

    def select(self, condition: int, a: int, b: int) -> int:
        """a where the condition holds, else b."""
        if condition < 0:
            return b if condition == ZERO else a
        return a if a == b else self._node((SELECT, condition, a, b))

    def make(self, op: int, args: tuple[int, ...]) -> int:
        """The folded node for an operation: what every rewriting of the graph calls."""
        return _MAKE[op](self, op, args)


_MAKE: dict[int, Callable[[Graph, int, tuple[int, ...]], int]] = {
    NEG: lambda g, op, x: g.neg(*x), ADD: lambda g, op, x: g.add(*x), SUB: lambda g, op, x: g.sub(*x),
    MUL: lambda g, op, x: g.mul(*x), DIV: lambda g, op, x: g.div(*x), POW: lambda g, op, x: g.pow(*x),
    SQRT: lambda g, op, x: g.sqrt(*x), SELECT: lambda g, op, x: g.select(*x),
    LT: lambda g, op, x: g.compare(op, *x), LE: lambda g, op, x: g.compare(op, *x),
    EQ: lambda g, op, x: g.compare(op, *x),
} | {op: (lambda g, op, x: g.unary(op, *x)) if row.arity == 1 else (lambda g, op, x: g.binary(op, *x))
     for op, row in OPS.items() if op not in (NEG, ADD, SUB, MUL, DIV, POW, SQRT, SELECT, LT, LE, EQ)}  # fmt: skip
