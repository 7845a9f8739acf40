"""A table to read: aligned text, LaTeX, HTML, and its cells for programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from typing import NamedTuple

from latchwork.mechanics.printing import vector_latex, vector_mathml, vector_text
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.printing import latex, mathml, text


class Sign(NamedTuple):
    """A sign that is written differently in each form, such as ω_r^B."""

    text: str
    latex: str
    mathml: str


Cell = str | Expr | Vector | Sign
ESCAPED = {
    "\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}",
    ">": r"\textgreater{}", "|": r"\textbar{}", **{c: "\\" + c for c in "#$%&_{}"},
}  # fmt: skip


def cell_text(cell: Cell) -> str:
    """A cell as plain text."""
    return _first(cell, text, vector_text, lambda sign: sign.text, str)


def cell_latex(cell: Cell) -> str:
    """A cell as LaTeX in text mode: mathematics between dollar signs."""
    return _first(
        cell,
        lambda e: f"${latex(e)}$",
        lambda v: f"${vector_latex(v)}$",
        lambda sign: f"${sign.latex}$",
        lambda words: "".join(ESCAPED.get(character, character) for character in words),
    )


def cell_html(cell: Cell) -> str:
    """A cell as HTML: mathematics as MathML."""
    return _first(
        cell,
        lambda e: f"<math>{mathml(e, inner=True)}</math>",
        lambda v: f"<math>{vector_mathml(v, inner=True)}</math>",
        lambda sign: f"<math>{sign.mathml}</math>",
        escape,
    )


def _first(
    cell: Cell,
    expression: Callable[[Expr], str],
    vector: Callable[[Vector], str],
    sign: Callable[[Sign], str],
    words: Callable[[str], str],
) -> str:
    """What is written for a cell, by what it is."""
    if isinstance(cell, Expr):
        return expression(cell)
    if isinstance(cell, Vector):
        return vector(cell)
    return sign(cell) if isinstance(cell, Sign) else words(cell)


@dataclass(frozen=True)
class Table:
    """Rows of cells under heads; the first head stands over the labels of the rows."""

    title: str
    heads: tuple[Cell, ...]
    labels: tuple[Cell, ...]
    cells: tuple[tuple[Cell, ...], ...]

    @property
    def rows(self) -> dict[str, tuple[Cell, ...]]:
        """The cells of each row by its label, for programs."""
        return {cell_text(label): cells for label, cells in zip(self.labels, self.cells, strict=True)}

    @property
    def _lines(self) -> list[tuple[Cell, ...]]:
        return [(label, *cells) for label, cells in zip(self.labels, self.cells, strict=True)]

    def __str__(self) -> str:
        lines = [[cell_text(cell) for cell in line] for line in (self.heads, *self._lines)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        head, *rows = ["  ".join(map(str.ljust, line, widths)).rstrip() for line in lines]
        rule = "  ".join("-" * width for width in widths)
        return "\n".join([self.title] * bool(self.title) + [head, rule, *rows])

    def latex(self) -> str:
        """A ``tabular``, with a rule under the heads."""
        columns = "l" * len(self.heads)
        head, *rows = [" & ".join(map(cell_latex, line)) + r" \\" for line in (self.heads, *self._lines)]
        return "\n".join([rf"\begin{{tabular}}{{{columns}}}", head, r"\hline", *rows, r"\end{tabular}"])

    def html(self) -> str:
        """A ``<table>`` with the title as its caption."""
        caption = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        head = "".join(f'<th scope="col">{cell_html(cell)}</th>' for cell in self.heads)
        body = "".join(_html_row(label, cells) for label, *cells in self._lines)
        return f"<table>{caption}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def _repr_html_(self) -> str:
        return self.html()


def _html_row(label: Cell, cells: Sequence[Cell]) -> str:
    return f'<tr><th scope="row">{cell_html(label)}</th>{"".join(f"<td>{cell_html(cell)}</td>" for cell in cells)}</tr>'
