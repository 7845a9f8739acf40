"""Matrices of expressions: what M, f, D and the tables of the books are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral
from typing import Any

from latchwork.errors import ExpressionError, answering, listed
from latchwork.symbolic.derivative import jacobian
from latchwork.symbolic.expr import Expr, graph_of, operand
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import reachable, substitute


@answering
class Matrix:
    """Rows and columns of expressions of one model. Immutable; equal entries make equal matrices.

    ``M[i, j]`` is an entry; ``v[i]`` an entry of a column.
    """

    __slots__ = ("graph", "nodes", "shape")
    __array_ufunc__ = None  # NumPy leaves the operators to us

    graph: Graph
    nodes: tuple[int, ...]  # entries row by row
    shape: tuple[int, int]

    def __init__(self, rows: Iterable[Iterable[Any]]) -> None:
        advice = "Give rows of entries: lw.Matrix([[a, b], [c, d]])."
        table = [listed(row, "a row of a matrix", advice) for row in listed(rows, "a matrix", advice)]
        widths = sorted({len(row) for row in table})
        if len(widths) > 1:
            raise ExpressionError(
                f"the rows of a matrix must be equally long: lengths {', '.join(map(str, widths))} were given. "
                "Fill the short rows with zeros."
            )
        entries = [entry for row in table for entry in row]
        graph = graph_of(entries) or Graph("numbers")
        self._set(graph, [operand(graph, entry) for entry in entries], (len(table), widths[0] if widths else 0))

    def _set(self, graph: Graph, nodes: Iterable[int], shape: tuple[int, int]) -> None:
        object.__setattr__(self, "graph", graph)
        object.__setattr__(self, "nodes", tuple(nodes))
        object.__setattr__(self, "shape", shape)

    def __setattr__(self, name: str, value: object) -> None:
        raise ExpressionError(f"a matrix cannot be changed ('{name}' was assigned). Build a new one from its entries.")

    # --- making -------------------------------------------------------------------------------------------------

    @classmethod
    def _of(cls, graph: Graph, nodes: Iterable[int], shape: tuple[int, int]) -> Matrix:
        matrix = cls.__new__(cls)
        matrix._set(graph, nodes, shape)
        return matrix

    @classmethod
    def zeros(cls, graph: Graph, rows: int, columns: int) -> Matrix:
        return cls._of(graph, [ZERO] * (rows * columns), (rows, columns))

    @classmethod
    def identity(cls, graph: Graph, size: int) -> Matrix:
        return cls._of(graph, [ONE if i == j else ZERO for i in range(size) for j in range(size)], (size, size))

    @classmethod
    def column(cls, entries: Iterable[Any]) -> Matrix:
        """A column; with no entries, the 0 × 1 matrix."""
        column = cls([entry] for entry in entries)
        return column if column.shape[0] else cls._of(column.graph, (), (0, 1))

    # --- looking at it ------------------------------------------------------------------------------------------

    def __getitem__(self, index: int | tuple[int, int]) -> Expr:
        return Expr(self.graph, self.nodes[self._position(index)])

    def _position(self, index: int | tuple[int, int]) -> int:
        if isinstance(index, tuple) and len(index) == 2:
            i, j = index
        elif self.shape[1] == 1:
            i, j = index, 0
        else:
            raise ExpressionError(f"a {self._size} matrix needs two indices, not {index}. Write M[i, j].")
        m, n = self.shape
        if not (isinstance(i, Integral) and isinstance(j, Integral)):
            raise ExpressionError(f"entries of a {self._size} matrix are counted, not {index!r}. Write M[i, j].")
        if not (-m <= i < m and -n <= j < n):
            raise IndexError(f"no entry [{i}, {j}] in a {self._size} matrix.")
        return i % m * n + j % n

    @property
    def _size(self) -> str:
        return f"{self.shape[0]} × {self.shape[1]}"

    def __iter__(self) -> Iterator[Expr]:
        """The entries, row by row."""
        return (Expr(self.graph, node) for node in self.nodes)

    def __len__(self) -> int:
        return len(self.nodes)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matrix) and self.shape == other.shape and list(self) == list(other)

    def __hash__(self) -> int:
        return hash((self.shape, tuple(self)))

    def tolist(self) -> list[list[Expr]]:
        n = self.shape[1]
        return [[Expr(self.graph, node) for node in self.nodes[i * n : (i + 1) * n]] for i in range(self.shape[0])]

    def is_zero(self, i: int, j: int) -> bool:
        """Whether an entry is zero whatever the numbers."""
        return self.nodes[self._position((i, j))] == ZERO

    @property
    def is_diagonal(self) -> bool:
        """Whether everything off the diagonal is zero whatever the numbers."""
        m, n = self.shape
        return all(i == j or self.is_zero(i, j) for i in range(m) for j in range(n))

    @property
    def free_symbols(self) -> frozenset[Expr]:
        leaves = (i for i in reachable(self.graph, self.nodes) if i in self.graph.symbols)
        return frozenset(Expr(self.graph, leaf) for leaf in leaves)

    # --- algebra ------------------------------------------------------------------------------------------------

    @property
    def T(self) -> Matrix:
        """The transpose."""
        m, n = self.shape
        return Matrix._of(self.graph, [self.nodes[i * n + j] for j in range(n) for i in range(m)], (n, m))

    def _made(self, entries: Sequence[Expr], shape: tuple[int, int]) -> Matrix:
        """A matrix of results: in this one's graph, or in the one that the entries moved to."""
        graph = graph_of(entries) or self.graph
        return Matrix._of(graph, [operand(graph, entry) for entry in entries], shape)

    def _each(self, function: Callable[[Expr], Any]) -> Matrix:
        return self._made([function(entry) for entry in self], self.shape)

    def _paired(self, other: object, sign: str, function: Callable[[Expr, Expr], Expr]) -> Matrix:
        if not isinstance(other, Matrix):
            return NotImplemented
        if self.shape != other.shape:
            raise ExpressionError(
                f"a {self._size} matrix {sign} a {other._size} matrix has no meaning: the shapes must be equal."
            )
        return self._made([function(a, b) for a, b in zip(self, other, strict=True)], self.shape)

    def __add__(self, other: object) -> Matrix:
        return self._paired(other, "+", lambda a, b: a + b)

    def __sub__(self, other: object) -> Matrix:
        return self._paired(other, "-", lambda a, b: a - b)

    def __neg__(self) -> Matrix:
        return self._each(lambda entry: -entry)

    def __mul__(self, factor: Any) -> Matrix:
        if isinstance(factor, Matrix):
            raise ExpressionError(
                f"{self._size} * {factor._size}: * is for scalars. Write A @ B for the matrix product."
            )
        return self._each(lambda entry: entry * factor)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Matrix:
        return self._each(lambda entry: entry / divisor)

    def __matmul__(self, other: object) -> Matrix:
        """(A B)_ij = Σ_k A_ik B_kj."""
        if not isinstance(other, Matrix):
            return NotImplemented
        if self.shape[1] != other.shape[0]:
            raise ExpressionError(
                f"a {self._size} matrix @ a {other._size} matrix has no meaning: the columns of the first must match "
                "the rows of the second. Transpose one of them with .T?"
            )
        graph = graph_of([*self, *other]) or self.graph
        columns = [[row[j] for row in other.tolist()] for j in range(other.shape[1])]
        nodes = [_dot(graph, row, column) for row in self.tolist() for column in columns]
        return Matrix._of(graph, nodes, (self.shape[0], other.shape[1]))

    def diff(self, symbol: Expr) -> Matrix:
        """∂ entry / ∂ symbol, entry by entry, in one sweep."""
        rows = jacobian(list(self), [symbol])
        return self._made([entry for row in rows for entry in row], self.shape)

    def jacobian(self, symbols: Sequence[Expr]) -> Matrix:
        """J_ij = ∂ v_i / ∂ symbol_j of a column v."""
        if self.shape[1] != 1:
            raise ExpressionError(f"a jacobian is taken of a column, not of a {self._size} matrix.")
        rows = jacobian(list(self), symbols)
        return self._made([entry for row in rows for entry in row], (self.shape[0], len(symbols)))

    def subs(self, values: Mapping[Expr, Any]) -> Matrix:
        """Symbols replaced, all at once."""
        return self._made(substitute(list(self), values), self.shape)

    # --- writing ------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        """A table with aligned columns."""
        from latchwork.symbolic.printing import text

        written = [[text(entry) for entry in row] for row in self.tolist()]
        widths = [max(map(len, column)) for column in zip(*written, strict=True)]
        lines = ["  ".join(map(str.ljust, row, widths)) for row in written]
        return "\n".join(f"[{line}]" for line in lines) if self.nodes else f"[{self._size}]"

    def latex(self) -> str:
        from latchwork.symbolic.printing import latex

        rows = r" \\ ".join(" & ".join(map(latex, row)) for row in self.tolist())
        return rf"\begin{{bmatrix}} {rows} \end{{bmatrix}}"

    def mathml(self, inner: bool = False) -> str:
        from latchwork.symbolic.printing import mathml, mathml_table

        body = mathml_table([[mathml(entry, inner=True) for entry in row] for row in self.tolist()])
        return body if inner else f'<math display="block">{body}</math>'

    def _repr_latex_(self) -> str:
        return f"$\\displaystyle {self.latex()}$"

    def _repr_html_(self) -> str:
        return self.mathml()

    def to_sympy(self, symbols: Mapping[Expr, Any] | None = None) -> Any:
        """A SymPy matrix of the same entries."""
        import sympy

        from latchwork.symbolic.sympy_bridge import to_sympy

        return sympy.Matrix(*self.shape, to_sympy(list(self), symbols))


def _dot(graph: Graph, row: Sequence[Expr], column: Sequence[Expr]) -> int:
    """Σ a b."""
    total = ZERO
    for a, b in zip(row, column, strict=True):
        total = graph.add(total, graph.mul(operand(graph, a), operand(graph, b)))
    return total
