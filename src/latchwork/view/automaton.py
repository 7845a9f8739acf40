"""The automaton of a run as SVG: modes are boxes, transitions arrows with what caused them and how often.

As in Patoglu Figs. 6, 9 and 13: boxes around a ring in the order of first visits, bounces as loops, the initial mode
marked. More modes than a ring can show become a table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from latchwork.files import write_text
from latchwork.hybrid.mode_history import ModeHistory, Names
from latchwork.view.files import writable
from latchwork.view.marks import tint
from latchwork.view.ring import Box, Curve, Label, Node, arranged, boxed, joined, looped, placed

MANY = 12  # modes beyond which they are listed
LINES = 5  # lines that a box or an arrow shows of what it could
CHARACTERS = 34  # of a line in a box or at an arrow
SPACE = 24.0  # around the picture
STYLE = (
    "text{font:13px system-ui,-apple-system,'Segoe UI',sans-serif;fill:#1c2330}.k{font-weight:600}"
    ".l{font-size:11.5px;fill:#41506b;paint-order:stroke;stroke:#fdfdfb;stroke-width:4px;stroke-linejoin:round}"
    ".h{font-weight:600;font-size:15px}.s{fill:#5b6675}.o{fill:#a3abb8}.a{fill:none;stroke:#5b6675;stroke-width:1.4}"
)
HEAD = (
    '<marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto">'
    '<path d="M0 1L9 5L0 9z" fill="#5b6675"/></marker>'
)
Arrows = Mapping[tuple[int, int], Mapping[str, int]]  # (from, to): how often each label


class Automaton(NamedTuple):
    """What is drawn: modes by number, from 1; what led from one to another, how often; and the time spent in each."""

    name: str
    modes: Sequence[Names]
    arrows: Arrows
    seconds: Sequence[float]


class Svg(str):
    """The text of a picture; a notebook shows it."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def draw_automaton(visited: ModeHistory, name: str, path: str | None = None, listed: Sequence[Names] = ()) -> Svg:
    """The picture of what was visited, saved where ``path`` is given; modes ``listed`` besides are drawn lightly."""
    spent = [sum(s.end - s.begin for s in visited.spans if set(s.names) == set(held)) for held in visited.modes]
    made = drawn(Automaton(name, visited.modes, arrows_of(visited), spent), listed)
    if path is not None:
        write_text(writable(path, ".svg"), made)
    return made


def drawn(automaton: Automaton, listed: Sequence[Names] = ()) -> Svg:
    """The picture of an automaton."""
    met = {frozenset(names) for names in automaton.modes}
    others = [names for names in {frozenset(names): names for names in listed}.values() if frozenset(names) not in met]
    draw = _ring if len(automaton.modes) <= MANY else _table
    return Svg(draw(automaton, others))


def arrows_of(visited: ModeHistory) -> dict[tuple[int, int], Counter[str]]:
    """How often each label led from one mode to another."""
    found: dict[tuple[int, int], Counter[str]] = {}
    for change in visited.transitions:
        found.setdefault((change.before, change.after), Counter())[change.label] += 1
    return found


def counted(labels: Mapping[str, int]) -> list[str]:
    """Lines such as ``impact: ball on floor ×12``."""
    return [f"{label or 'change'} ×{count}" if count > 1 else label or "change" for label, count in labels.items()]


def short(lines: Sequence[str]) -> list[str]:
    """Lines that fit: each broken at spaces, no more than some in all."""
    broken = [part for line in lines for part in _wrapped(line)]
    return broken if len(broken) <= LINES else [*broken[: LINES - 1], f"… {len(broken) - LINES + 1} more lines"]


def _wrapped(line: str) -> list[str]:
    """A line in parts of at most so many characters, broken at spaces where it has some."""
    parts: list[str] = []
    rest = line
    while len(rest) > CHARACTERS:
        space = rest.rfind(" ", 1, CHARACTERS + 1)
        end = space if space > CHARACTERS // 3 else CHARACTERS
        parts.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return [*parts, rest]


def _ring(made: Automaton, others: Sequence[Names]) -> str:
    arrows, known = made.arrows, len(made.modes)
    lines = {pair: short(counted(labels)) for pair, labels in arrows.items()}
    left = others if known + len(others) <= MANY else ((f"{len(others)} modes not visited",),)
    nodes = arranged([short(names or ("free",)) for names in (*made.modes, *left)], list(lines.values()))
    curves = {pair: _curve(nodes, *pair) for pair in arrows}
    taken = [*(node.box for node in nodes), _start(nodes[0])]
    labels: list[Label] = []
    for pair in sorted(arrows, key=lambda pair: pair[0] != pair[1]):  # loops have the least choice
        labels.append(placed(curves[pair], lines[pair], taken, list(curves.values())))
        taken.append(labels[-1].box)
    body = [
        *(_arrow(*pair, curve, " · ".join(counted(arrows[pair]))) for pair, curve in curves.items()),
        *(_box(k, node, made) for k, node in enumerate(nodes[:known], start=1)),
        *map(_other, nodes[known:]), _begin(nodes[0]), *map(_label, labels),
    ]  # fmt: skip
    return _page(boxed([*taken, *(curve.box for curve in curves.values())]), made.name, body)


def _curve(nodes: Sequence[Node], i: int, j: int) -> Curve:
    if i == j:
        return looped(nodes[i - 1])
    others = [node.box for k, node in enumerate(nodes, start=1) if k not in (i, j)]
    return joined(nodes[i - 1], nodes[j - 1], others)


def _arrow(i: int, j: int, curve: Curve, full: str) -> str:
    what = f' data-from="{i}" data-to="{j}"'
    return f'<path class="a"{what} marker-end="url(#tip)" d="{curve.path}"><title>{_text(full)}</title></path>'


def _box(k: int, node: Node, made: Automaton) -> str:
    b, held = node.box, made.modes[k - 1]
    tip = f"{', '.join(held) or 'free'}: {made.seconds[k - 1]:.6g} s"
    rows = "".join(_row(b.x, b.y - b.h / 2 + 38 + 17 * i, "", line) for i, line in enumerate(node.lines))
    return (
        f'<g data-mode="{k}"><title>{_text(tip)}</title><rect x="{b.x - b.w / 2:.1f}" y="{b.y - b.h / 2:.1f}" '
        f'width="{b.w:.1f}" height="{b.h:.1f}" rx="11" fill="#fdfdfb"/><rect x="{b.x - b.w / 2:.1f}" '
        f'y="{b.y - b.h / 2:.1f}" width="{b.w:.1f}" height="{b.h:.1f}" rx="11" fill="{tint(k)}" fill-opacity=".12" '
        f'stroke="{tint(k)}" stroke-width="1.5"/>{_row(b.x, b.y - b.h / 2 + 20, "k", str(k))}{rows}</g>'
    )


def _other(node: Node) -> str:
    """A mode that was not visited: pale, without a number."""
    b = node.box
    rows = "".join(_row(b.x, b.y - b.h / 2 + 38 + 17 * i, "o", line) for i, line in enumerate(node.lines))
    return (
        f'<g data-other="1"><title>not visited</title><rect x="{b.x - b.w / 2:.1f}" y="{b.y - b.h / 2:.1f}" '
        f'width="{b.w:.1f}" height="{b.h:.1f}" rx="11" fill="#fdfdfb" stroke="#c9ced6" stroke-dasharray="4 3"/>'
        f"{rows}</g>"
    )


def _start(node: Node) -> Box:
    """Room for the arrow from nowhere, at the upper left corner of the box."""
    b = node.box
    return Box(b.x - b.w / 2 - 16, b.y - b.h / 2 - 12, 40, 30)


def _begin(node: Node) -> str:
    """The arrow from a dot to the initial mode."""
    x, y = node.box.x - node.box.w / 2 + 3, node.box.y - node.box.h / 2 + 4
    return (
        f'<g data-initial="1"><circle cx="{x - 32:.1f}" cy="{y - 24:.1f}" r="4.5" fill="#5b6675"/>'
        f'<path class="a" marker-end="url(#tip)" d="M{x - 32:.1f} {y - 24:.1f}L{x:.1f} {y:.1f}"/></g>'
    )


def _label(label: Label) -> str:
    top = label.box.y - label.box.h / 2 + 11
    return "".join(_row(label.box.x, top + 14 * i, "l", line) for i, line in enumerate(label.lines))


def _table(made: Automaton, others: Sequence[Names]) -> str:
    """Modes, then transitions, one to a line."""
    arrows = made.arrows
    lines: list[tuple[str, str]] = [("k", f"{len(made.modes)} modes")]
    for k, names in enumerate(made.modes, start=1):
        lines.append(("m", f"{k}  {', '.join(names) or 'free'}{'  (initial)' if k == 1 else ''}"))
    lines += [("m", f"–  {len(others)} modes not visited")] * bool(others)
    lines += [("", ""), ("k", f"{sum(len(labels) for labels in arrows.values())} transitions")]
    lines += [("t", f"{i} → {j}  {line}") for (i, j), labels in sorted(arrows.items()) for line in counted(labels)]
    body = [
        f'<text x="0" y="{20 * row}" class="{css if css == "k" else "s"}" xml:space="preserve">{_text(text)}</text>'
        for row, (css, text) in enumerate(lines)
    ]
    wide, high = 7.2 * max(len(text) for _, text in lines), 20.0 * len(lines)
    return _page(Box(wide / 2, high / 2 - 14, wide, high), made.name, body)


def _row(x: float, y: float, css: str, text: str) -> str:
    kind = f' class="{css}"' if css else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle"{kind}>{_text(text)}</text>'


def _page(frame: Box, name: str, body: Sequence[str]) -> str:
    w, h = max(frame.w, 8.5 * len(name)) + 2 * SPACE, frame.h + 2 * SPACE + 24
    left, top = frame.x - w / 2, frame.y - frame.h / 2 - SPACE - 24
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{left:.1f} {top:.1f} {w:.1f} {h:.1f}" width="{w:.0f}" '
        f'height="{h:.0f}" role="img" aria-label="{_text(name)}: modes and transitions">\n<style>{STYLE}</style>'
        f'<defs>{HEAD}</defs>\n<rect x="{left:.1f}" y="{top:.1f}" width="{w:.1f}" height="{h:.1f}" fill="#fdfdfb"/>\n'
        f'{_row(frame.x, top + 28, "h", name)}\n' + "\n".join(body) + "\n</svg>\n"
    )


def _text(text: str) -> str:
    """Safe in XML: marked characters as entities, and none that XML does not know."""
    return escape("".join(c if c.isprintable() else "\ufffd" for c in text))
