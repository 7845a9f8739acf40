"""What the analyst holds: ``Expr``, a node of a graph with operators, and the functions that make more of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from latchwork.errors import ExpressionError, another, answering
from latchwork.symbolic.exact import nearest
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import (
    ABS,
    ACOS,
    ACOSH,
    ADD,
    ASIN,
    ASINH,
    ATAN,
    ATAN2,
    ATANH,
    BY_NAME,
    COMPARISONS,
    COS,
    COSH,
    DIV,
    EQ,
    EXP,
    LE,
    LOG,
    LT,
    MAX,
    MIN,
    MUL,
    ONE,
    OPS,
    POW,
    SIGN,
    SIN,
    SINH,
    SQRT,
    SUB,
    SYMBOL,
    TAN,
    TANH,
)  # fmt: skip
from latchwork.symbolic.ufuncs import answered


@answering
class Expr:
    """An expression: a graph and the index of a node (or constant) in it. Immutable; equal expressions are equal."""

    __slots__ = ("graph", "node")
    def __init__(self, graph: Graph, node: int) -> None:
        self.graph = graph
        self.node = node

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return answered(self, ufunc, method, inputs, options)

    # --- arithmetic ---------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Expr:
        return _binary(ADD, self, other)

    def __radd__(self, other: Any) -> Expr:
        return _binary(ADD, self, other)

    def __sub__(self, other: Any) -> Expr:
        return _binary(SUB, self, other)

    def __rsub__(self, other: Any) -> Expr:
        return _reversed(SUB, self, other)

    def __mul__(self, other: Any) -> Expr:
        return _binary(MUL, self, other)

    def __rmul__(self, other: Any) -> Expr:
        return _binary(MUL, self, other)

    def __truediv__(self, other: Any) -> Expr:
        return _binary(DIV, self, other)

    def __rtruediv__(self, other: Any) -> Expr:
        return _reversed(DIV, self, other)

    def __pow__(self, other: Any) -> Expr:
        return _binary(POW, self, other)

    def __rpow__(self, other: Any) -> Expr:
        return _reversed(POW, self, other)

    def __neg__(self) -> Expr:
        return Expr(self.graph, self.graph.neg(self.node))

    def __pos__(self) -> Expr:
        return self

    def __abs__(self) -> Expr:
        return Expr(self.graph, self.graph.unary(ABS, self.node))

    # --- comparisons (symbolic), equality (structural) ----------------------------------------------------------

    def __lt__(self, other: Any) -> Expr:
        return _binary(LT, self, other)

    def __le__(self, other: Any) -> Expr:
        return _binary(LE, self, other)

    def __gt__(self, other: Any) -> Expr:
        return _reversed(LT, self, other)

    def __ge__(self, other: Any) -> Expr:
        return _reversed(LE, self, other)

    def __and__(self, other: Any) -> Expr:
        return _logic(MIN, self, other)

    def __or__(self, other: Any) -> Expr:
        return _logic(MAX, self, other)

    def __invert__(self) -> Expr:
        _must_be_condition(self)
        return 1.0 - self

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Expr) and not (self.is_constant and other.is_constant):
            return self.node == other.node and self.graph is other.graph
        other = float(other) if isinstance(other, Expr) else other
        return self.is_constant and isinstance(other, (int, float)) and float(self) == other

    def __hash__(self) -> int:
        return hash(float(self)) if self.is_constant else hash((id(self.graph), self.node))

    def __bool__(self) -> bool:
        if self.is_constant:
            return bool(float(self))
        raise ExpressionError(
            f"'{self}' has no truth value until it has numbers. Use lw.where(condition, a, b) in expressions, "
            "and & | ~ instead of and, or, not."
        )

    # --- looking at it ------------------------------------------------------------------------------------------

    @property
    def is_constant(self) -> bool:
        return self.node < 0

    @property
    def is_symbol(self) -> bool:
        return self.node >= 0 and self.graph.nodes[self.node][0] == SYMBOL

    @property
    def name(self) -> str:
        """The name of a symbol."""
        if not self.is_symbol:
            raise ExpressionError(f"'{self}' is not a symbol and has no name. Only symbols have names.")
        return self.graph.symbols[self.node].name

    @property
    def kind(self) -> str:
        """What a symbol stands for: coordinate, speed, parameter, ...; empty for anything else."""
        return self.graph.symbols[self.node].kind if self.is_symbol else ""

    @property
    def unit(self) -> str:
        """The unit that a symbol was given, else empty."""
        return self.graph.symbols[self.node].unit if self.is_symbol else ""

    @property
    def description(self) -> str:
        """What a symbol was said to be, else empty."""
        return self.graph.symbols[self.node].description if self.is_symbol else ""

    @property
    def free_symbols(self) -> frozenset[Expr]:
        """The symbols this expression depends on."""
        from latchwork.symbolic.traverse import reachable

        symbols = self.graph.symbols
        return frozenset(Expr(self.graph, i) for i in reachable(self.graph, [self.node]) if i in symbols)

    def __float__(self) -> float:
        if self.node >= 0:
            names = ", ".join(sorted(str(s) for s in self.free_symbols))
            if not names:
                raise ExpressionError(f"'{self}' has no finite value. Check the numbers it is made of.")
            raise ExpressionError(f"'{self}' depends on {names} and is not a number. Evaluate it with values for them.")
        return self.graph.value(self.node)

    def diff(self, *symbols: Expr) -> Expr:
        """Partial derivative, once for each symbol given."""
        from latchwork.symbolic.derivative import derivative

        result = self
        for symbol in symbols:
            result = derivative(result, symbol)
        return result

    def subs(self, values: Mapping[Expr, Any]) -> Expr:
        """The expression with symbols replaced, all at once."""
        from latchwork.symbolic.traverse import substitute

        return substitute([self], values)[0]

    def __repr__(self) -> str:
        from latchwork.symbolic.printing import text

        return text(self)

    def latex(self) -> str:
        from latchwork.symbolic.printing import latex

        return latex(self)

    def mathml(self) -> str:
        from latchwork.symbolic.printing import mathml

        return mathml(self)

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def _repr_html_(self) -> str:
        return self.mathml()

    def __reduce__(self) -> Any:
        raise ExpressionError(
            f"'{self}' belongs to the model '{self.graph.name}' and cannot be pickled on its own. "
            "Save the model (lw.dump) or its program instead."
        )


# --- helpers ------------------------------------------------------------------------------------------------------


def operand(graph: Graph, value: Any) -> int:
    """The index of a number or an expression in a graph; mixing two models is an error that names both.

    A number comes from Python, which rounds after every operation: it is the short one that it stands for (`exact`).
    """
    if isinstance(value, Expr):
        if value.graph is not graph and value.node >= 0:
            raise ExpressionError(
                f"'{value}' belongs to {another(value.graph.name, graph.name)}: one expression cannot "
                "hold symbols of two models. Create the symbols in the same model."
            )
        return value.node if value.graph is graph else graph.constant(float(value))
    try:
        return graph.constant(nearest(float(value)))
    except (TypeError, ValueError):
        raise ExpressionError(
            f"{value!r} ({type(value).__name__}) is neither a number nor an expression of '{graph.name}'. "
            "Pass a float or an expression."
        ) from None


def _others(op: int, a: Expr, b: Any) -> Any:
    """Leave an operation to the other operand, where it may know what to do."""
    plain = b is None or isinstance(b, (str, bytes, complex, list, tuple, dict, set))
    if plain or op == POW or not hasattr(type(b), "__rmul__"):
        raise ExpressionError(f"'{a}' cannot be combined with {b!r:.60} ({type(b).__name__}). Give a number or an "
                              "expression; texts are read by run[...] and in model files.")  # fmt: skip
    return NotImplemented


def _binary(op: int, a: Expr, b: Any) -> Expr:
    if not isinstance(b, (Expr, int, float)) and not hasattr(b, "__float__"):
        return _others(op, a, b)
    graph = a.graph
    if isinstance(b, Expr) and a.node < 0 and b.graph is not graph:
        graph = b.graph
    return Expr(graph, graph.make(op, (operand(graph, a), operand(graph, b))))


def _reversed(op: int, a: Expr, b: Any) -> Expr:
    if not isinstance(b, (Expr, int, float)) and not hasattr(b, "__float__"):
        return _others(op, a, b)
    graph = a.graph
    if isinstance(b, Expr) and a.node < 0 and b.graph is not graph:
        graph = b.graph
    return Expr(graph, graph.make(op, (operand(graph, b), operand(graph, a))))


def _must_be_condition(*conditions: Expr) -> None:
    for condition in conditions:
        if not is_condition(condition):
            raise ExpressionError(f"'{condition}' is not a condition. Use & | ~ and where with comparisons like a < b.")


def is_condition(value: Expr) -> bool:
    """Made of comparisons by & | ~ (or already decided)."""
    graph, stack, seen = value.graph, [value.node], set[int]()
    while stack:
        node = stack.pop()
        if node in seen:
            continue
        seen.add(node)
        if node < 0:
            if graph.value(node) not in (0.0, 1.0):
                return False
            continue
        op, *args = graph.nodes[node]
        if op in (MIN, MAX) or (op == SUB and args[0] == ONE):
            stack.extend(args)
        elif op not in COMPARISONS:
            return False
    return True


def _logic(op: int, a: Expr, b: Any) -> Expr:
    if not isinstance(b, Expr):
        return NotImplemented
    _must_be_condition(a, b)
    return _binary(op, a, b)


def graph_of(values: Iterable[Any]) -> Graph | None:
    """The graph of the first expression that is not a constant (else of the first expression) among values."""
    expressions = [value for value in values if isinstance(value, Expr)]
    return next((e.graph for e in expressions if e.node >= 0), expressions[0].graph if expressions else None)


def apply(name: str, *args: Any) -> Any:
    """An operation by name on expressions, or on plain numbers (then the result is a float)."""
    graph = graph_of(args)
    op = BY_NAME[name]
    if graph is None:
        scratch = Graph("numbers")
        return float(Expr(scratch, scratch.make(op, tuple(operand(scratch, a) for a in args))))
    return Expr(graph, graph.make(op, tuple(operand(graph, a) for a in args)))


# --- functions ----------------------------------------------------------------------------------------------------


def sin(x: Any) -> Any:
    """Sine."""
    return apply(OPS[SIN].name, x)


def cos(x: Any) -> Any:
    """Cosine."""
    return apply(OPS[COS].name, x)


def tan(x: Any) -> Any:
    """Tangent."""
    return apply(OPS[TAN].name, x)


def asin(x: Any) -> Any:
    """Inverse sine, in [-π/2, π/2]."""
    return apply(OPS[ASIN].name, x)


def acos(x: Any) -> Any:
    """Inverse cosine, in [0, π]."""
    return apply(OPS[ACOS].name, x)


def atan(x: Any) -> Any:
    """Inverse tangent, in (-π/2, π/2)."""
    return apply(OPS[ATAN].name, x)


def atan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y), in (-π, π]."""
    return apply(OPS[ATAN2].name, y, x)


def sinh(x: Any) -> Any:
    """Hyperbolic sine."""
    return apply(OPS[SINH].name, x)


def cosh(x: Any) -> Any:
    """Hyperbolic cosine."""
    return apply(OPS[COSH].name, x)


def tanh(x: Any) -> Any:
    """Hyperbolic tangent."""
    return apply(OPS[TANH].name, x)


def asinh(x: Any) -> Any:
    """Inverse hyperbolic sine."""
    return apply(OPS[ASINH].name, x)


def acosh(x: Any) -> Any:
    """Inverse hyperbolic cosine."""
    return apply(OPS[ACOSH].name, x)


def atanh(x: Any) -> Any:
    """Inverse hyperbolic tangent."""
    return apply(OPS[ATANH].name, x)


def exp(x: Any) -> Any:
    """Exponential."""
    return apply(OPS[EXP].name, x)


def log(x: Any) -> Any:
    """Natural logarithm."""
    return apply(OPS[LOG].name, x)


def sqrt(x: Any) -> Any:
    """Square root."""
    return apply(OPS[SQRT].name, x)


def sign(x: Any) -> Any:
    """-1, 0 or 1."""
    return apply(OPS[SIGN].name, x)


def minimum(a: Any, b: Any) -> Any:
    """The smaller of two."""
    return apply(OPS[MIN].name, a, b)


def maximum(a: Any, b: Any) -> Any:
    """The larger of two."""
    return apply(OPS[MAX].name, a, b)


def equal(a: Any, b: Any) -> Any:
    """The condition a = b (``==`` asks whether two expressions are the same expression)."""
    return apply(OPS[EQ].name, a, b)


def where(condition: Any, a: Any, b: Any) -> Any:
    """a where the condition holds, else b."""
    if isinstance(condition, Expr):
        _must_be_condition(condition)
    return apply("select", condition, a, b)
