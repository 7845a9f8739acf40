"""What a person at a terminal sees besides results: progress, and the line of a file that is wrong."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from latchwork.errors import FileError

WIDTH = 100
INTERVAL = 0.1  # seconds between two lines of progress


def say(text: str) -> None:
    """A line on stderr, if there is something to say."""
    if text:
        print(text, file=sys.stderr)


def excerpt(problem: FileError) -> str:
    """The line of the file that is wrong, with a caret under the column."""
    try:
        lines = Path(problem.source).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return ""
    if not 1 <= problem.line <= len(lines):
        return ""
    line, column = lines[problem.line - 1].replace("\t", " "), problem.column - 1
    start = max(0, column - WIDTH // 2) if len(line) > WIDTH else 0
    return f"    {line[start : start + WIDTH]}\n    {' ' * (column - start)}^"


class Progress:
    """One line on stderr that says what is being done; silent unless someone watches."""

    def __init__(self, wanted: bool) -> None:
        self.shown = wanted or sys.stderr.isatty()
        self.last = 0.0

    def __call__(self, text: str, now: bool = True) -> None:
        """Show a text; ``now=False`` may leave it out when the last one is fresh."""
        if self.shown and (now or time.monotonic() - self.last >= INTERVAL):
            self.last = time.monotonic()
            print(f"\r\x1b[K{text}" if sys.stderr.isatty() else text, end=self._end(), file=sys.stderr, flush=True)

    def done(self) -> None:
        """Clear the line."""
        if self.shown and sys.stderr.isatty():
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def _end(self) -> str:
        return "" if sys.stderr.isatty() else "\n"
