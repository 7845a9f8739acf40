"""The equations of a mode, typeset: what holds, and M̃ u̇ = f̃ in the speeds that are left; sizes where that is long."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from latchwork.constraint.constrained import Constrained
from latchwork.constraint.constraint import Constraint
from latchwork.errors import LatchworkError
from latchwork.kane.equations import Equations
from latchwork.kane.literal import WRITE, equation_blocks
from latchwork.realtime.exhibit import Exhibit
from latchwork.symbolic.matrix import Matrix
from latchwork.symbolic.traverse import count_literal
from latchwork.view.live.holding import Known, bare, known_of, latches_of
from latchwork.view.live.posture import Posture

MAX_SPEEDS = 4  # speeds left up to which equations are written out
MAX_OPERATIONS = 400  # operations of M̃ and f̃ beyond which they are not
WIDE = 60_000  # characters of a block
LONG_SIDE = 300  # characters of MathML on the left of an equation
KEPT = "<mtext>as it was</mtext>"
SLIDES = "where it slides, friction leans against the slip: −μ N along it"


def typeset(exhibit: Exhibit, start: Posture, labels: Sequence[str]) -> str:
    """A piece of HTML with MathML about the mode in which these hold."""
    known = known_of(exhibit, start)
    held, missing = _held(known, labels)
    notes = [SLIDES] if any(bare(label)[1] == "slide" for label in labels) else []
    notes += [f"{', '.join(missing)}: came in the run, and is not in these equations"] if missing else []
    latches = {item.name for item in latches_of(exhibit)}
    kept = [constraint for constraint in held if constraint.name in latches]
    body = _embedded(start, held, kept) if held else _blocks(start.equations, len(start.equations.u))
    return body + "".join(f"<p>{escape(note)}</p>" for note in notes)


def _held(known: Known, labels: Sequence[str]) -> tuple[list[Constraint], list[str]]:
    """The constraints that labels stand for, and those that nobody knows here."""
    found: list[Constraint] = []
    missing: list[str] = []
    for label in labels:
        name, how = bare(label)
        touch = known.touches.get(name)
        if touch is not None and touch.feature.tracked is None:
            slides = how == "slide"
            if slides and not touch.without_normal:
                found.append(Constraint(name, [touch.feature.gap]))
            elif not slides and touch.has_rows:
                found.append(touch.sticking)
        elif name in known.constraints:
            found.append(known.constraints[name])
        else:
            missing.append(name)
    return found, missing


def _embedded(start: Posture, held: Sequence[Constraint], kept: Sequence[Constraint]) -> str:
    """The rows B u + C = 0, and the equations that are left."""
    try:
        made = start.equations.embed(*held, at=dict(zip(start.equations.q_names, start.start.tolist(), strict=False)))
    except LatchworkError as error:
        return f"<p>{escape(str(error))}</p>"
    rows = [(WRITE["mathml"](zero), KEPT if constraint in kept else "<mn>0</mn>")
            for constraint in made.constraints for zero in constraint.zero]  # fmt: skip
    shown = _table("What holds", rows) if len(rows) <= MAX_SPEEDS else ""
    if len(made.independent) > MAX_SPEEDS or made.operations.total > MAX_OPERATIONS:
        return shown + _sizes(made)
    if not made.independent:
        return shown + "<p>No speed is left: what holds determines the motion.</p>"
    try:
        return shown + _dependent(made) + _blocks(made.equations, len(made.independent))
    except LatchworkError:
        return shown + _sizes(made)


def _dependent(made: Constrained) -> str:
    """u_dep = D u_ind + E, where it is short."""
    if not (made.dependent and made.independent):
        return ""
    right = made.D @ Matrix.column(list(made.independent)) + made.E
    if count_literal(list(right)).total > MAX_OPERATIONS // 4:
        return ""
    write = WRITE["mathml"]
    rows = [(write(u), write(e)) for u, e in zip(made.dependent, right, strict=True)]
    return _table("Dependent speeds", rows)


def _blocks(equations: Equations, left: int) -> str:
    """Kinematical and dynamical equations, or their sizes."""
    if left > MAX_SPEEDS or equations.operations.total > MAX_OPERATIONS:
        return _counts([("speeds", len(equations.u)), ("operations in u̇", equations.operations.total)])
    blocks = [block for block in equation_blocks(equations, "mathml") if "ifferential" in block.title]
    found = [_table(block.title, block.lines) for block in blocks]
    return "".join(text for text in found if len(text) < WIDE)


def _sizes(made: Constrained) -> str:
    return _counts([
        ("speeds", len(made.unconstrained.u)), ("rows that hold", len(made.rows.names)),
        ("of them redundant", len(made.redundant)), ("speeds left", len(made.independent)),
        ("operations in M̃ and f̃", made.operations.total),
    ])  # fmt: skip


def _counts(rows: Sequence[tuple[str, int]]) -> str:
    cells = "".join(f'<tr><th scope="row">{escape(name)}</th><td>{value}</td></tr>' for name, value in rows)
    return f'<table class="sizes"><tbody>{cells}</tbody></table>'


def _table(title: str, lines: Sequence[tuple[str, str]]) -> str:
    """Lines under one another at their equal signs; where left sides are long, each by itself, broken there."""
    head = f"<h3>{escape(title)}</h3>"
    if max(len(a) for a, _ in lines) > LONG_SIDE:
        rows = "".join(f'<div class="line">{_math(a)}<span>= {_math(b)}</span></div>' for a, b in lines)
        return f'{head}<div class="wide">{rows}</div>'
    rows = "".join(f"<tr><td>{_math(a)}</td><td>=</td><td>{_math(b)}</td></tr>" for a, b in lines)
    return f'{head}<div class="wide"><table class="equations"><tbody>{rows}</tbody></table></div>'


def _math(body: str) -> str:
    return f'<math displaystyle="true">{body}</math>'
