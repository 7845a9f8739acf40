"""A run in tables, as a notebook shows it: where it went, what happened, what was checked, what was exerted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.kane.table import Cell, Table
from latchwork.symbolic.units import pretty

if TYPE_CHECKING:
    from latchwork.hybrid.audit import Audit
    from latchwork.hybrid.event import RunEvent
    from latchwork.hybrid.trajectory import Trajectory

MAX_TABLE_ROWS = 40  # rows of a table
ROUNDING = 1e-13  # of the largest number beside it: shown as 0


def shown(value: float, beside: float = 0.0) -> str:
    """A number for a table: six digits, and 0 where it is rounding beside another."""
    return "0" if abs(value) <= ROUNDING * beside else f"{value:.6g}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> Table:
    """Rows of texts; the first of each is its label."""
    labels: tuple[Cell, ...] = tuple(row[0] for row in rows)
    return Table(title, tuple(heads), labels, tuple(tuple(row[1:]) for row in rows))


def run_html(run: Trajectory) -> str:
    """What a run is: every state at its start and end, least and most; the first events; the audit."""
    name, t = escape(run.equations.name), np.ravel(run.t)
    head = f"<p><b>{name}</b>: {len(t)} samples, t = {t[0]:.6g} ... {t[-1]:.6g}</p>" if len(t) else f"<p>{name}</p>"
    events = f"<details><summary>{len(run.events)} events</summary>{events_html(run.events)}</details>"
    audit = f"<details><summary>audit</summary>{audit_html(run.audit)}</details>"
    return "".join([head, states(run).html(), events * bool(run.events), audit])


def states(run: Trajectory) -> Table:
    """Coordinates and speeds: start, end, least, most, unit, description."""
    rows = []
    for symbol, values in zip((*run.equations.q, *run.equations.u), run.x.T, strict=False):
        known = values[~np.isnan(values)]
        largest, label = float(np.abs(known).max(initial=0.0)), run.label(symbol)
        numbers = [shown(float(x), largest) for x in (known[0], known[-1], known.min(), known.max())] if len(known) \
            else ["-"] * 4  # fmt: skip
        rows.append([symbol.name, *numbers, pretty(label.unit), label.description])
    heads = ["", "start", "end", "least", "most", "unit", "what it is"]
    if not any(row[-1] for row in rows):
        heads, rows = heads[:-1], [row[:-1] for row in rows]
    return table(heads, rows[:MAX_TABLE_ROWS])


def events_html(events: Sequence[RunEvent]) -> str:
    """Events, a row each; the first of many."""
    rows = [[f"{event.t:.9g}", event.kind, event.name,
             ", ".join(f"{name} {change}" for name, change in event.changes.items()),
             shown(event.energy) if event.energy else ""] for event in events[:MAX_TABLE_ROWS]]  # fmt: skip
    more = f"<p>and {len(events) - MAX_TABLE_ROWS} more</p>" if len(events) > MAX_TABLE_ROWS else ""
    heads = ["t", "kind", "name", "what changed", "energy lost"]
    return table(heads, rows).html() + more if rows else "<p>no events</p>"


def audit_html(audit: Audit) -> str:
    """What was checked, line by line."""
    lines = [line.partition("  ") for line in str(audit).splitlines()]
    return table(["", ""], [[name, told.strip()] for name, _, told in lines]).html()


def reactions_html(found: Mapping[str, Any]) -> str:
    """What each joint, constraint and contact exerts: on what, and the largest force and torque."""
    rows = []
    for name, each in found.items():
        sizes = [_largest(part) for part in (each.force, each.torque)]
        beside = max((size for size in sizes if size is not None), default=0.0)
        rows.append([name, each.on or "", each.other or "",
                     *("-" if size is None else shown(size, beside) for size in sizes)])  # fmt: skip
    return table(["", "on", "from", "largest force", "largest torque"], rows[:MAX_TABLE_ROWS]).html()


def _largest(vectors: Any) -> float | None:
    if vectors is None:
        return None
    sizes = np.sqrt((np.atleast_2d(np.asarray(vectors, dtype=float)) ** 2).sum(axis=-1))
    return float(np.nanmax(sizes, initial=0.0))
