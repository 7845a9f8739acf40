"""The page of the demo: one file, no network, for a laptop or a phone, by day or by night."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.kane import information
from latchwork.kane.equations import Equations
from latchwork.kane.literal import Block, equation_blocks
from latchwork.kane.page import STYLE
from latchwork.view.animate import embedded
from latchwork.view.gallery import Example
from latchwork.view.svg import inline_svg

if TYPE_CHECKING:
    from latchwork.view.demo import Shown

FEW = 4  # speeds up to which equations are shown in full
LONG_SIDE = 500  # characters of MathML
LAYOUT = """
@media (prefers-color-scheme: dark) {
  :root { --line-0: #6ea8ff; --line-1: #f0788a; --line-2: #58c4b4; --line-3: #f0bd6a; --line-4: #b39ddb; }
}
body { max-width: 72rem; }
header p { font-size: 1.05rem; max-width: 44rem; }
section.item { border-top: 1px solid var(--rule); margin-top: 3rem; padding-top: .5rem; }
section.item > h2 { font-size: 1.3rem; margin-top: 1rem; }
h3 { font-size: 1rem; margin: 1.6rem 0 .3rem; }
.pictures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 1rem 2rem;
            align-items: center; margin: 1rem 0; }
.columns { display: flex; flex-wrap: wrap; gap: 0 3.5rem; } .columns > * { min-width: 0; }
figure { margin: 0; } figure svg { width: 100%; height: auto; max-height: 36rem; display: block; }
.line { display: flex; flex-wrap: wrap; align-items: center; gap: .2rem .5rem; margin: .5rem 0; }
.line span { white-space: nowrap; }
details { margin: .8rem 0; } summary { cursor: pointer; color: var(--soft); }
summary:hover { color: var(--ink); }
a { color: inherit; text-decoration-color: var(--rule); text-underline-offset: .2em; } code { font-size: .9em; }
mover > mo:last-child { font-size: 1.35em; } td.number, th.number
{ text-align: right; font-variant-numeric: tabular-nums; }
#search { font: inherit; width: min(100%, 26rem); padding: .4rem .7rem; border: 1px solid var(--rule);
          border-radius: .5rem; background: transparent; color: inherit; }
.cards { list-style: none; padding: 0; display: grid; gap: 1rem;
         grid-template-columns: repeat(auto-fill, minmax(13.5rem, 1fr)); }
.cards a { display: block; height: 100%; border: 1px solid var(--rule); border-radius: .7rem; overflow: hidden;
           text-decoration: none; }
.cards a:hover { border-color: var(--soft); }
.cards span { display: block; padding: .45rem .7rem .6rem; font-size: .9rem; }
.cards canvas { display: block; width: 100%; height: 9rem; border-bottom: 1px solid var(--rule); }
[hidden] { display: none !important; }
:root { --grid: #edeff2; --ground: #7d8794; --paper: #fdfdfb; --force: #c2410c; --trail: #d1495b; --rod: #1f4e9c; }
@media (prefers-color-scheme: dark) { :root { --grid: #1e242d; --ground: #8b95a3; --paper: #14181f; } }
@media print { details > * { display: block; } }
"""


def page(items: Sequence[Shown], waiting: Sequence[Example] = (), live: str = "") -> str:
    """Cards of all examples with pictures that move, a table that sums them up, and each one after the other.

    Those that ``wait`` are still being made, and have a card without a picture; ``live`` is where they can be touched.
    """
    inside = files("latchwork.view")
    scripts = "".join(inside.joinpath(name).read_text(encoding="utf-8") for name in ("draw.js", "gl.js", "thumbs.js"))
    cards = "".join([*(_card(item.example, item.thumb) for item in items), *(_card(each, None) for each in waiting)])
    again = '<meta http-equiv="refresh" content="5"/>\n' if waiting else ""
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8"/>\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1"/>\n'
        f"{again}<title>Latchwork: the gallery</title>\n<style>{STYLE}{LAYOUT}</style>\n</head>\n<body>\n"
        "<header><h1>Latchwork: the gallery</h1><p>Each mechanism below is described in a short script, derived by "
        "Kane's method, and run. The numbers are those of this run; the scripts compare the equations with the "
        "published ones.</p><p class=\"live\">They can be touched while they run: <code>latchwork demo --serve</code>"
        f", then <a href=\"{escape(live)}\">{escape(live)}</a>.</p>"
        '<input id="search" type="search" placeholder="search: pendulum, contact, Gillespie …" aria-label="search"/>'
        f'</header>\n<ul class="cards">{cards}</ul>\n'
        f"{_summary(items)}\n" + "\n".join(_item(item) for item in items)
        + f"\n<script>\n{scripts}</script>\n</body>\n</html>\n"
    )


def _card(example: Example, thumb: Mapping[str, Any] | None) -> str:
    """A picture that moves, the title, and the data of the picture."""
    words = _words(example)
    data = "" if thumb is None else (
        f'<script type="application/json" data-thumb="{example.name}">{embedded(thumb)}</script>')  # fmt: skip
    return (f'<li data-words="{words}"><a href="#{example.name}"><canvas id="thumb-{example.name}"></canvas>'
            f"<span>{escape(example.title)}</span></a>{data}</li>")  # fmt: skip


def _summary(items: Sequence[Shown]) -> str:
    heads = ("mechanism", "speeds → left", "operations in dt(u)", "derived, ms", "run, s", "steps", "energy off by")
    rows = "".join(_summary_row(item) for item in items)
    head = "".join(f'<th scope="col"{"" if k == 0 else NUMBER}>{text}</th>' for k, text in enumerate(heads))
    return f'<div class="wide"><table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>'


NUMBER = ' class="number"'


def _summary_row(item: Shown) -> str:
    eq, audit = item.equations[0], item.run.audit
    held = _held(item)
    left = "" if held is None else f" → {len(held.mode.selection.independent)}"
    cells = [
        f"{len(eq.u)}{left}", str(eq.operations.total), f"{1e3 * item.seconds:.1f}", f"{item.run.t[-1]:g}",
        str(audit.steps), f"{audit.energy_error:.1e}",
    ]  # fmt: skip
    numbers = "".join(f"<td{NUMBER}>{cell}</td>" for cell in cells)
    name = item.example.name
    return f'<tr><th scope="row"><a href="#{name}">{escape(eq.name)}</a></th>{numbers}</tr>'


def _item(item: Shown) -> str:
    example, (first, *others) = item.example, item.equations
    return (
        f'<section class="item" id="{example.name}" data-words="{_words(example)}"><h2>{escape(example.title)}</h2>'
        f"<p>{escape(example.story)}</p><p><code>examples/{example.name}.py</code></p>"
        f"{_pictures(item)}{_constraints(item)}{_equations(first)}{_audit(item)}"
        + "".join(_variant(eq) for eq in others)
        + "</section>"
    )


def _words(example: Example) -> str:
    return escape(f"{example.name} {example.title} {example.story}".lower().replace("_", " "), quote=True)


def _held(item: Shown) -> Recombined | None:
    """How the constraints of a run are held at its start, if it has any."""
    dynamics = item.run.path.segments[0].dynamics
    return dynamics if isinstance(dynamics, Recombined) else None


def _constraints(item: Shown) -> str:
    """What is held, what is left to integrate, and what says nothing new."""
    held = _held(item)
    if held is None:
        return ""
    names, selection = item.run.equations.u_names, held.mode.selection
    rows = held.mode.terms.rows
    text = f"Held: {', '.join(rows.slices)}. Integrated: {', '.join(names[j] for j in selection.independent) or 'none'}"
    if selection.redundant:
        text += f". Redundant: {', '.join(rows.names[i] for i in selection.redundant)}"
    return f"<p>{escape(text)}. The equations below are those of the mechanism without its constraints.</p>"


def _pictures(item: Shown) -> str:
    name = escape(item.run.equations.name)
    drawn = inline_svg(item.drawn, f"{name} in motion")
    plotted = inline_svg(item.plotted, f"{name}: {escape(', '.join(item.example.show))} against time")
    return f'<div class="pictures"><figure>{drawn}</figure><figure>{plotted}</figure></div>'


def _equations(eq: Equations) -> str:
    """Definitions, kinematical and dynamical equations; the table of partial velocities; counts."""
    if len(eq.u) > FEW:
        return f"<p>{len(eq.u)} speeds; {escape(str(eq.operations))} in the solved equations.</p>"
    *kinematics, dynamics = (_block(block) for block in equation_blocks(eq, "mathml"))
    table = f'<div><h3>Partial velocities</h3><div class="wide">{eq.partial_velocities().html()}</div></div>'
    counts = f'<div><h3>Operations</h3><div class="wide">{information.operations(eq).html()}</div></div>'
    return f'<div class="columns">{"".join(kinematics)}</div>{dynamics}<div class="columns">{table}{counts}</div>'


def _block(block: Block) -> str:
    """Lines under one another at their equal signs; where left sides are long, each line by itself, broken there."""
    if max(len(left) for left, _ in block.lines) > LONG_SIDE:
        lines = "".join(f'<div class="line">{_math(a)}<span>= {_math(b)}</span></div>' for a, b in block.lines)
    else:
        rows = "".join(f"<tr><td>{_math(a)}</td><td>=</td><td>{_math(b)}</td></tr>" for a, b in block.lines)
        lines = f'<table class="equations"><tbody>{rows}</tbody></table>'
    return f'<div><h3>{escape(block.title)}</h3><div class="wide">{lines}</div></div>'


def _math(body: str) -> str:
    return f'<math displaystyle="true">{body}</math>'


def _audit(item: Shown) -> str:
    return f"<h3>The run</h3><pre>{escape(str(item.run.audit))}</pre>"


def _variant(eq: Equations) -> str:
    return f"<details><summary>{escape(eq.name)}</summary>{_equations(eq)}</details>"
