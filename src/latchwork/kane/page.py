"""A page about the equations that needs nothing but a browser: MathML, inline style, no scripts, no network."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from latchwork.kane import information
from latchwork.kane.literal import Block, equation_blocks
from latchwork.kane.table import Table, cell_html
from latchwork.kane.tables import partial_velocities

if TYPE_CHECKING:
    from latchwork.kane.equations import Equations

STYLE = """
:root { color-scheme: light dark; --ink: #1c2330; --paper: #fdfdfb; --rule: #d5d9e0; --soft: #5b6675; --band: #f3f4f1; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7ec; --paper: #14181f; --rule: #333b47; --soft: #9aa5b4; --band: #1b212a; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 64rem; padding: 1.5rem 1rem 4rem; color: var(--ink); background: var(--paper);
       font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; }
p, figcaption { color: var(--soft); margin: .25rem 0 .75rem; }
.wide { overflow-x: auto; overflow-y: hidden; -webkit-overflow-scrolling: touch; }
table { border-collapse: collapse; }
caption { display: none; }
th, td { text-align: left; vertical-align: baseline; padding: .35rem .9rem .35rem 0; }
th, td { border-bottom: 1px solid var(--rule); }
th { white-space: nowrap; font-weight: 500; }
thead th { color: var(--soft); font-weight: 600; font-size: .85rem; }
.equations td { border: 0; padding: .3rem .45rem .3rem 0; } .equations td:first-child { text-align: right; }
pre { margin: .5rem 0; padding: .75rem 1rem; background: var(--band); border-radius: .4rem; overflow-x: auto;
      line-height: 1.15; display: inline-block; max-width: 100%; }
math { font-size: 1.08em;
       font-family: "STIX Two Math", "Cambria Math", "Latin Modern Math", "DejaVu Math TeX Gyre", math; }
"""
PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<title>{name}</title>
<style>{style}</style>
</head>
<body>
<h1>{name}</h1>
<p>Kane's equations, derived by Latchwork.</p>
{body}
</body>
</html>
"""
MANY_SPEEDS = 20  # beyond which a table with a column for each is no longer read


def html(equations: Equations) -> str:
    """The whole report as one page."""
    return PAGE.format(name=escape(equations.name), style=STYLE, body=body(equations))


def body(equations: Equations) -> str:
    """The sections of the report, without a page around them."""
    sections = [
        _section("Size", information.sizes(equations)),
        *(_section(table.title, table) for table in _described(equations) if table.labels),
        *(_equations(block) for block in equation_blocks(equations, "mathml")),
        _partial_velocities(equations),
        _mass_matrix(equations),
        _section("Operations", information.operations(equations), f"Form kept: {equations.derivation.form}."),
        _energies(equations),
    ]
    return "\n".join(filter(None, sections))


def equations_html(equations: Equations) -> str:
    """The equations alone, as a notebook shows them: MathML needs neither a script nor a network."""
    return "\n".join(_equations(block, "h4") for block in equation_blocks(equations, "mathml"))


def _described(equations: Equations) -> list[Table]:
    return [information.quantities(equations), information.bodies(equations), information.coordinates(equations),
            information.loads(equations)]  # fmt: skip


def _section(title: str, table: Table, note: str = "") -> str:
    below = f"<p>{escape(note)}</p>" if note else ""
    return f'<section><h2>{escape(title)}</h2>{below}<div class="wide">{table.html()}</div></section>'


def _equations(block: Block, head: str = "h2") -> str:
    rows = "".join(f"<tr>{_math(left)}<td>=</td>{_math(right)}</tr>" for left, right in block.lines)
    return (
        f"<section><{head}>{escape(block.title)}</{head}>"
        '<div class="wide" style="overflow-x:auto">'
        f'<table class="equations"><tbody>{rows}</tbody></table></div></section>'
    )


def _math(body: str) -> str:
    return f'<td><math displaystyle="true">{body}</math></td>'


def _partial_velocities(equations: Equations) -> str:
    if len(equations.u) > MANY_SPEEDS:
        return ""
    return _section("Partial velocities", partial_velocities(equations))


def _mass_matrix(equations: Equations) -> str:
    picture = information.pattern(equations.M)
    return (
        f"<section><h2>Mass matrix</h2><p>{escape(information.mass_matrix_text(equations.M))}</p>"
        f"{f'<pre>{picture}</pre>' if picture else ''}</section>"
    )


def _energies(equations: Equations) -> str:
    rows = "".join(
        f"<tr><td><math><mi>{name}</mi></math></td><td>=</td><td>{cell_html(cell)}</td></tr>"
        for name, cell in information.energies(equations)
    )
    return (
        "<section><h2>Energies</h2>"
        f'<div class="wide"><table class="equations"><tbody>{rows}</tbody></table></div></section>'
    )
