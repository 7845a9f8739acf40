r"""Vectors and dyadics for people to read: measure numbers times unit vectors, frames in the order of the tree.

    text     L*u1*A.y + L*(u1 + u2)*B.y      reads back as the same vector
    LaTeX    L u_{1} \,\mathbf{a}_{y} + ...  unit vectors by the small letter of their frame
    MathML   the same for a page
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from latchwork.mechanics.frame import AXES, Frame
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import DIV, MINUS_ONE, ONE, ZERO
from latchwork.symbolic.printing import FORMS, LONGEST, latex, mathml, text
from latchwork.symbolic.printing.as_latex import letters as latex_letters
from latchwork.symbolic.printing.as_mathml import letters as mathml_letters
from latchwork.symbolic.printing.compose import compose
from latchwork.symbolic.printing.names import GREEK, split_name
from latchwork.symbolic.printing.style import Level, Piece
from latchwork.symbolic.traverse import count_literal

if TYPE_CHECKING:
    from latchwork.mechanics.tree import Tree
    from latchwork.mechanics.vector import Dyadic, Vector
    from latchwork.symbolic.graph import Graph


def vector_text(v: Vector) -> str:
    """``L*u1*A.y + L*(u1 + u2)*B.y``; zero is ``0``."""
    return _vector(v, "text")


def vector_latex(v: Vector) -> str:
    """LaTeX, without dollar signs."""
    return _vector(v, "latex")


def vector_mathml(v: Vector, inner: bool = False) -> str:
    """A MathML element for a line of its own; ``inner`` leaves out the enclosing ``<math>``."""
    return _in_math(_vector(v, "mathml"), inner)


def dyadic_text(d: Dyadic) -> str:
    """``I1*(C.x|C.x) + I2*(C.y|C.y)``; zero is ``0``."""
    return _dyadic(d, "text")


def dyadic_latex(d: Dyadic) -> str:
    """LaTeX, without dollar signs; the unit vectors of a dyad stand side by side."""
    return _dyadic(d, "latex")


def dyadic_mathml(d: Dyadic, inner: bool = False) -> str:
    """A MathML element for a line of its own; ``inner`` leaves out the enclosing ``<math>``."""
    return _in_math(_dyadic(d, "mathml"), inner)


def _vector(v: Vector, form: str) -> str:
    """Frames in the order of the tree, then x, y, z."""
    unit = UNITS[form]
    return written_sum(
        v.tree.graph, [(v.parts[f][k], unit(f, k)) for f in _in_order(v.tree, v.parts) for k in range(3)], form
    )


def _dyadic(d: Dyadic, form: str) -> str:
    """Frames in the order of the tree, then row by row."""
    unit, dyad = UNITS[form], DYADS[form]
    lefts, rights = (_in_order(d.tree, side) for side in ([f for f, _ in d.parts], [f for _, f in d.parts]))
    pairs = [(left, right) for left in lefts for right in rights if (left, right) in d.parts]
    terms = [
        (d.parts[left, right][i][j], dyad.format(unit(left, i), unit(right, j)))
        for left, right in pairs
        for i in range(3)
        for j in range(3)
    ]
    return written_sum(d.tree.graph, terms, form)


def _in_order(tree: Tree, frames: Iterable[Frame]) -> list[Frame]:
    wanted = set(frames)
    return [frame for frame in tree.frames.values() if frame in wanted]


# --- unit vectors -------------------------------------------------------------------------------------------------


def unit_text(frame: Frame, axis: int) -> str:
    """``A.x``."""
    return f"{frame.name}.{AXES[axis]}"


def unit_latex(frame: Frame, axis: int) -> str:
    r"""``\mathbf{a}_{x}`` of frame A; numbers and words in the name become subscripts, primes stay."""
    base, subscripts, primes = _unit_name(frame)
    letter = rf"\mathbf{{{base}}}" if len(base) == 1 and base.isascii() else rf"\boldsymbol{{{latex_letters(base)}}}"
    return f"{letter}{primes}_{{{','.join([*map(latex_letters, subscripts), AXES[axis]])}}}"


def unit_mathml(frame: Frame, axis: int) -> str:
    """A bold upright letter with its axis as subscript."""
    base, subscripts, primes = _unit_name(frame)
    letter = f'<mi mathvariant="normal" style="font-weight:bold">{escape(GREEK.get(base, base))}</mi>'
    below = "<mo>,</mo>".join([*map(mathml_letters, subscripts), f"<mi>{AXES[axis]}</mi>"])
    if primes:
        return f"<msubsup>{letter}<mrow>{below}</mrow><mo>{'&#x2032;' * len(primes)}</mo></msubsup>"
    return f"<msub>{letter}<mrow>{below}</mrow></msub>"


def _unit_name(frame: Frame) -> tuple[str, list[str], str]:
    """Base, subscripts and primes; a single capital becomes small unless a frame of that name exists too."""
    bare = frame.name.rstrip("'")
    base, subscripts = split_name(bare)
    small = frame.name[:1].lower() + frame.name[1:]
    if len(base) == 1 and small not in frame.tree.frames:
        base = base.lower()
    return base, subscripts, frame.name[len(bare) :]


UNITS = {"text": unit_text, "latex": unit_latex, "mathml": unit_mathml}
DYADS = {"text": "({}|{})", "latex": "{} {}", "mathml": "<mrow>{}{}</mrow>"}
WHOLE: dict[str, Callable[[Expr], str]] = {"text": text, "latex": latex, "mathml": lambda e: mathml(e, inner=True)}


# --- writing ------------------------------------------------------------------------------------------------------


def written_sum(graph: Graph, terms: Iterable[tuple[int, str]], form: str) -> str:
    """Σ node · unit in the order given: zeros and ones left out, sums in parentheses, units as they are written."""
    kept = [(node, unit) for node, unit in terms if node != ZERO]
    measures = _measures(graph, [node for node, _ in kept], form)
    signed = [
        (negative, _times(graph, node, measure, unit, form))
        for (node, unit), (negative, measure) in zip(kept, measures, strict=True)
    ]
    return FORMS[form].sum(signed).body


def _measures(graph: Graph, nodes: Sequence[int], form: str) -> list[tuple[bool, Piece]]:
    """(negative, what is written) for each measure number; a product with a minus gives its sign away."""
    size = {node: count_literal([Expr(graph, node)]).total for node in nodes}
    short = [node for node in nodes if size[node] <= LONGEST]
    negated = {node: graph.neg(node) for node in short}
    pieces = compose(graph, [*short, *negated.values()], FORMS[form], {})
    found = []
    for node in nodes:
        if node not in negated:
            found.append((False, Piece(WHOLE[form](Expr(graph, node)), Level.SUM)))
        elif _reads_shorter(pieces[negated[node]], pieces[node]):
            found.append((True, pieces[negated[node]]))
        else:
            found.append((False, pieces[node]))
    return found


def _reads_shorter(negated: Piece, plain: Piece) -> bool:
    """Whether only a leading minus makes the plain one a sum (or a negative number)."""
    return negated.level > Level.SUM and (plain.level <= Level.SUM or plain.body.startswith("-"))


def _times(graph: Graph, node: int, measure: Piece, unit: str, form: str) -> Piece:
    """measure · unit; ``1/r`` times a unit vector is the vector over r in text."""
    if node >= 0 and form == "text" and graph.nodes[node][:2] in ((DIV, ONE), (DIV, MINUS_ONE)):
        return Piece(unit + measure.body.removeprefix("1"), Level.PRODUCT)
    if measure.body == FORMS[form].number(1.0).body:
        return Piece(unit, Level.ATOM)
    unit = rf"\,{unit}" if form == "latex" else unit
    return FORMS[form].product([], [measure._replace(reaches=False), Piece(unit, Level.ATOM)], [], [])


def _in_math(body: str, inner: bool) -> str:
    return body if inner else f'<math display="block">{body}</math>'
