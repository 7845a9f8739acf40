"""What a person at a terminal sees besides results: progress, and the line of a file that is wrong."""

from __future__ import annotations

import sys
import time

from latchwork.errors import FileError, printable
from latchwork.files import read_bytes, write_text

WIDTH = 100
MOST_BYTES = 20_000_000  # of a file that is shown
INTERVAL = 0.1  # seconds between two lines of progress


class Usage(Exception):
    """A command line that cannot be carried out."""


def say(text: str) -> None:
    """A line on stderr, if there is something to say."""
    if text:
        print(printable(text), file=sys.stderr)


def write(text: str, path: str | None) -> None:
    """A result to stdout, or to a file."""
    if path is None:
        sys.stdout.write(text if text.endswith("\n") else text + "\n")
    else:
        write_text(path, text)
        wrote(path)


def wrote(path: str) -> None:
    """Say which file there is now."""
    say(f"wrote {path}")


def excerpt(problem: FileError) -> str:
    """The line of the file that is wrong, with a caret under the column."""
    try:
        lines = read_bytes(problem.source, MOST_BYTES).decode(errors="replace").splitlines()
    except FileError:
        return ""
    if not 1 <= problem.line <= len(lines):
        return ""
    line, column = lines[problem.line - 1].replace("\t", " "), problem.column - 1
    start = max(0, column - WIDTH // 2) if len(line) > WIDTH else 0
    shown = "".join(character if character.isprintable() else "?" for character in line[start : start + WIDTH])
    return f"    {shown}\n    {' ' * (column - start)}^"


class Progress:
    """One line on stderr that says what is being done; silent unless someone watches."""

    def __init__(self, wanted: bool) -> None:
        self.terminal = sys.stderr.isatty()
        self.shown = wanted or self.terminal
        self.last = 0.0

    def __call__(self, text: str, now: bool = True) -> None:
        """Show a text; without ``now`` it may be left out while the last one is fresh."""
        if self.shown and (now or time.monotonic() - self.last >= INTERVAL):
            self.last = time.monotonic()
            sys.stderr.write(f"\r\x1b[K{text}" if self.terminal else f"{text}\n")
            sys.stderr.flush()

    def done(self) -> None:
        """Clear the line."""
        if self.terminal:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
