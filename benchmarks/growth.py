"""How the cost of u̇ grows with the number of bodies, by two formulations: counts of operations, no times.

    python benchmarks/growth.py [--out FOLDER]

Solving M u̇ = f by LᵀDL, with M from composite bodies, against two sweeps over the tree (articulated bodies). Both are
derived in full and counted after sharing, for chains on hinges:

    planar   uniform rods on parallel hinges
    spatial  links on hinges along z and y by turns, every mass centre, tip and product of inertia off the axes

The crossover is where the sweeps become the shorter program. Writes growth.md, growth.json and growth.svg.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from measure import QUICK, RESULTS, few, table

import latchwork as lw
from latchwork.kane.articulated import swept_udot
from latchwork.kane.linear import solve_ltdl
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import count_shared

SIZES = (2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 16, 20, 25, 32, 40, 50, 64, 80, 100, 125, 160, 200)
SHOWN = (2, 3, 4, 5, 6, 8, 10, 11, 12, 20, 50, 100, 200)

BESIDE = (((14, -14), "left"), ((-10, 12), "right"))  # where the sizes stand beside a crossover: free of the curves


@dataclass(frozen=True)
class Count:
    """Operations of u̇ of one chain, by both formulations."""

    bodies: int
    ltdl: int
    sweeps: int


def chain(links: int, axes: str, tip: Sequence[float], center: Sequence[float], inertia: Sequence[float]) -> lw.Model:
    """Links on hinges under gravity; ``axes`` names those of the hinges, over and over."""
    model = lw.Model("chain")
    link = None
    for i in range(links):
        frame, at = model.frame, None
        if link is not None:
            frame, at = link.frame, link.origin.at(f"tip{i}", link.frame.vector(*tip))
        link = model.joint("revolute", f"L{i}", link, at=at, axis=getattr(frame, axes[i % len(axes)]))
        middle = link.origin.at(f"c{i}", link.frame.vector(*center))
        model.body(f"B{i}", link.frame, middle, 1.0, lw.inertia(link.frame, *inertia))
    model.gravity(-model.parameter("g", 9.81) * model.frame.y)
    return model


CHAINS: dict[str, Callable[[int], lw.Model]] = {
    "planar": lambda n: chain(n, "z", (1.0, 0.0, 0.0), (0.5, 0.0, 0.0), (0.0, 1.0 / 12.0, 1.0 / 12.0)),
    "spatial": lambda n: chain(n, "zy", (1.0, 0.2, 0.3), (0.5, 0.1, 0.2), (0.01, 0.1, 0.12, 0.01, 0.02, 0.03)),
}


def counted(model: lw.Model) -> Count:
    """Both formulations of one mechanism, derived and counted."""
    d = model.equations().derivation
    g = d.motion.g
    both = solve_ltdl(g, d.M, d.f), swept_udot(d.motion).udot
    ltdl, sweeps = (count_shared([Expr(g, node) for node in nodes]).total for nodes in both)
    return Count(len(d.f), ltdl, sweeps)


def crossover(counts: Sequence[Count]) -> tuple[int, int]:
    """The last size at which LᵀDL is shorter, and the first at which the sweeps are."""
    return next((a.bodies, b.bodies) for a, b in pairwise(counts) if a.ltdl <= a.sweeps and b.sweeps < b.ltdl)


def markdown(found: dict[str, list[Count]]) -> str:
    """The crossovers, and some of the counts."""
    crossed = {kind: crossover(counts) for kind, counts in found.items()}
    said = ", ".join(f"{kind} chain between **{a} and {b}** bodies" for kind, (a, b) in crossed.items())
    heads = ["bodies", *(f"{kind}, by {way}" for kind in found for way in ("LᵀDL", "sweeps"))]
    rows = [
        [str(row[0].bodies), *(number for count in row for number in _pair(count))]
        for row in zip(*found.values(), strict=True)
        if row[0].bodies in SHOWN
    ]
    return f"Crossover: {said}.\n\n{table(heads, rows)}"


def _pair(count: Count) -> list[str]:
    """The two numbers, the smaller in bold."""
    least = min(count.ltdl, count.sweeps)
    return [f"**{number}**" if number == least else str(number) for number in (count.ltdl, count.sweeps)]


def draw(found: dict[str, list[Count]], path: Path) -> None:
    """Operations against bodies, both axes logarithmic, with the crossovers marked."""
    from matplotlib import rc_context

    from latchwork.view.plots import COLORS, figure
    from latchwork.view.svg import INSIDE, compact

    with rc_context(INSIDE | {"figure.facecolor": "white"}):
        made = figure(7.0, 4.6)
        axes = made.subplots()
        for (kind, counts), color, place in zip(found.items(), COLORS, BESIDE, strict=False):
            n = [count.bodies for count in counts]
            axes.loglog(n, [count.ltdl for count in counts], "--", color=color, label=f"{kind}, LᵀDL")
            axes.loglog(n, [count.sweeps for count in counts], "-", color=color, label=f"{kind}, sweeps")
            _mark(axes, counts, color, *place)
        ticks = [2, 5, 10, 20, 50, 100, 200]
        axes.set_xticks(ticks, map(str, ticks))
        axes.set_xticks([], minor=True)
        axes.set(xlabel="bodies", ylabel="operations of u̇", xlim=(2, 200))
        axes.grid(alpha=0.15)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, loc="upper left")
        made.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    path.write_text(compact(path.read_text(encoding="utf-8")), encoding="utf-8")


def _mark(axes: Any, counts: Sequence[Count], color: str, beside: tuple[float, float], align: str) -> None:
    """A circle around the crossover, and its two sizes."""
    a, b = crossover(counts)
    last, first = (next(count for count in counts if count.bodies == size) for size in (a, b))
    here = (last.bodies * first.bodies) ** 0.5, (last.ltdl * first.sweeps) ** 0.5
    axes.plot(*here, "o", markersize=9, markerfacecolor="none", color=color)
    axes.annotate(f"{a} – {b} bodies", here, xytext=beside, textcoords="offset points", color=color, ha=align)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found = {kind: [counted(make(size)) for size in few(SIZES, options.quick, 10)] for kind, make in CHAINS.items()}
    text = markdown(found)
    print(text)
    (options.out / "growth.md").write_text(text + "\n", encoding="utf-8")
    plain = {kind: [asdict(count) for count in counts] for kind, counts in found.items()}
    (options.out / "growth.json").write_text(json.dumps(plain, indent=2) + "\n", encoding="utf-8")
    draw(found, options.out / "growth.svg")


if __name__ == "__main__":
    main()
