"""What the scripts beside this one share: rounds that alternate between Latchwork and a rival, rows, tables, files.

A round measures both, one right after the other, so that whatever else the machine does falls on both. A row keeps the
best and the median round of each; its ratio is that of the best rounds, its spread the median and the quartiles of the
ratios of single rounds.

A row that fails is `attempted`: it is told, the others are measured, and the script ends with what failed and code 1
(`finish`). ``--quick`` measures as little as shows that a script works; its numbers mean nothing.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeVar

Item = TypeVar("Item")
RESULTS = Path(__file__).parent / "results"
ROUND = 2e-3  # seconds of a round, where the work itself is shorter
HEADS = ("work", "Latchwork", "rival", "", "ratio", "in single rounds", "at least")
LIBRARIES = ("latchwork", "llvmlite", "numpy", "sympy", "pin", "mujoco", "pydy", "example-robot-data")

QUICK = "as little as shows that it works: the numbers mean nothing"
FAILED: dict[str, str] = {}  # what was attempted in vain, and why

Seconds = Callable[[], float]  # one round: the seconds that one piece of the work took


@dataclass(frozen=True)
class Row:
    """One line of a table: what was done, the rounds of both in seconds, and the ratio that was promised."""

    work: str
    rival: str
    at_least: float | None
    ours: Sequence[float] = ()
    theirs: Sequence[float] = ()  # empty: the rival is not installed
    remarks: dict[str, Any] | None = None

    @property
    def ratio(self) -> float | None:
        """How many times faster, by the best rounds."""
        return min(self.theirs) / min(self.ours) if self.ours and self.theirs else None

    @property
    def quartiles(self) -> tuple[float, float, float] | None:
        """Lower quartile, median and upper quartile of the ratios of single rounds."""
        if not self.ours or not self.theirs:
            return None
        ratios = sorted(b / a for a, b in zip(self.ours, self.theirs, strict=True))
        low, middle, high = statistics.quantiles(ratios * (1 if len(ratios) > 1 else 2), n=4, method="inclusive")
        return low, middle, high

    @property
    def short(self) -> bool:
        """Whether it falls short of what was promised."""
        return self.ratio is not None and self.at_least is not None and self.ratio < self.at_least

    def facts(self) -> dict[str, Any]:
        """Everything, for a program."""
        return {
            "work": self.work, "rival": self.rival, "installed": bool(self.theirs), "ratio": self.ratio,
            "quartiles": self.quartiles, "at_least": self.at_least, "short": self.short,
            "latchwork": _times(self.ours), "rival_times": _times(self.theirs), **(self.remarks or {}),
        }  # fmt: skip

    def cells(self) -> list[str]:
        """A line of the table."""
        ratio, target = self.ratio, "" if self.at_least is None else f"{self.at_least:g}"
        theirs = both(self.theirs) if self.theirs else "not installed"
        if ratio is None or self.quartiles is None:
            return [self.work, both(self.ours) if self.ours else "not measured", self.rival, theirs, "", "", target]
        low, middle, high = map(number, self.quartiles)
        shown = number(ratio) if self.at_least is None else f"**{number(ratio)}**"
        shown = f"{number(ratio)} (short)" if self.short else shown
        spread = f"{middle} ({low} to {high})"
        return [self.work, both(self.ours), self.rival, theirs, shown, spread, target]


def alternate(
    ours: Seconds, theirs: Seconds | None, rounds: int, warm: int = 1
) -> tuple[list[float], list[float]]:
    """Rounds of both in turn, after some that are not counted; only ours where there is no rival."""
    found = [(ours(), theirs() if theirs else 0.0) for _ in range(warm + rounds)][warm:]
    return [a for a, _ in found], [b for _, b in found] if theirs else []


def repeats(work: Callable[[], Any], spent: float = ROUND) -> int:
    """How many calls fill a round."""
    once = min(clocked(work) for _ in range(5))
    return max(1, round(spent / once))


def clocked(work: Callable[[], Any], times: int = 1) -> float:
    """Seconds for one of ``times`` calls."""
    start = time.perf_counter()
    for _ in range(times):
        work()
    return (time.perf_counter() - start) / times


def installed(module: str) -> Any:
    """A rival's module, or None where it is not installed."""
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as problem:
        print(f"{module} is not installed ({problem}): its rows say so", file=sys.stderr)
        return None


@contextmanager
def attempted(work: str) -> Iterator[None]:
    """Go on past something that fails; it is told now, and by `finish`."""
    try:
        yield
    except (Exception, SystemExit) as problem:
        FAILED[work] = f"{type(problem).__name__}: {problem}"
        traceback.print_exc()


def finish() -> None:
    """End a script: with code 1, and what failed, where something did."""
    failed, text = len(FAILED), "".join(f"\n  {work}: {why}" for work, why in FAILED.items())
    FAILED.clear()
    if failed:
        sys.exit(f"{failed} failed:{text}")


def few(items: Iterable[Item], quick: bool, count: int = 1) -> list[Item]:
    """All items, or the first of them."""
    return list(items)[:count] if quick else list(items)


def run(script: str, about: str | None, rows: Callable[[int, bool], Iterable[Row]], rounds: int) -> None:
    """The command line of a script: measure, print Markdown, write ``NAME.json`` and ``NAME.md``."""
    parser = argparse.ArgumentParser(description=(about or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--rounds", type=int, default=rounds, help=f"rounds of each row (default: {rounds})")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    found = []
    for row in rows(1 if options.quick else max(1, options.rounds), options.quick):
        print(f"{row.work}: {row.cells()[4] or row.cells()[3]}", file=sys.stderr, flush=True)
        found.append(row)
    text = table(HEADS, [row.cells() for row in found])
    name = Path(script).stem
    options.out.mkdir(parents=True, exist_ok=True)
    facts = {"rows": [row.facts() for row in found], "machine": machine()}
    (options.out / f"{name}.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (options.out / f"{name}.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    finish()


def machine() -> dict[str, Any]:
    """Where it was measured, and with which versions."""
    versions = {}
    for name in LIBRARIES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = None
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {"cores": cores(), "processor": platform.processor() or platform.machine(), "load": load,
            "python": platform.python_version(), "versions": versions}  # fmt: skip


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def table(heads: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Rows as Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def both(seconds: Sequence[float]) -> str:
    """The best round, and the median one."""
    return f"{shown(min(seconds))} ({shown(statistics.median(seconds))})"


def shown(seconds: float) -> str:
    """Three digits and a unit."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{number(seconds / size)} {unit}"
    return f"{number(seconds / 1e-9)} ns"


def number(value: float) -> str:
    """Three digits."""
    return f"{value:.0f}" if value >= 99.95 else f"{value:.3g}"


def _times(seconds: Sequence[float]) -> dict[str, Any] | None:
    if not seconds:
        return None
    return {"best": min(seconds), "median": statistics.median(seconds), "rounds": len(seconds)}
