"""A bar that says how far a run has come: in a notebook, or on the line of a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

WAIT = 1.0  # s before a bar is shown unasked: short runs show none
INTERVAL = 0.1  # s between two looks of it
WIDTH = 30


def listener(progress: Callable[[float], None] | bool | None, name: str, start: float, until: float) -> Any:
    """Who hears the time reached: the function given, a bar where ``True``; in notebooks a bar unless ``False``."""
    if callable(progress) or progress not in (None, True, False):
        return progress
    if progress is False or (progress is None and not in_notebook()):
        return None
    return Bar(name, start, until, 0.0 if progress else WAIT)


def in_notebook() -> bool:
    """Whether what is displayed is seen beside the cell that ran."""
    if "IPython" not in sys.modules:
        return False
    shell = sys.modules["IPython"].get_ipython()
    return shell is not None and hasattr(shell, "kernel")


class Bar:
    """A function of the time reached."""

    def __init__(self, name: str, start: float, until: float, wait: float) -> None:
        self.name, self.start, self.until = name, start, until
        self.begun = time.monotonic()
        self.next = self.begun + wait
        self.shown: Any = None

    def __call__(self, t: float) -> None:
        if time.monotonic() < self.next and t < self.until:
            return
        self.next = time.monotonic() + INTERVAL
        part = min(max((t - self.start) / (self.until - self.start), 0.0), 1.0) if self.until > self.start else 1.0
        (self._in_notebook if in_notebook() else self._at_terminal)(part, t)

    def _at_terminal(self, part: float, t: float) -> None:
        if part < 1.0:
            filled = round(part * WIDTH)
            line = f"\r\x1b[K{self.name}: [{'#' * filled}{'.' * (WIDTH - filled)}] t = {t:.4g} of {self.until:.4g}"
            sys.stderr.write(line)
            self.shown = True
        elif self.shown:
            sys.stderr.write("\r\x1b[K")
            self.shown = None
        sys.stderr.flush()

    def _in_notebook(self, part: float, t: float) -> None:
        from html import escape
        from importlib import import_module

        ipython = import_module("IPython.display")
        bar = f'<progress value="{part:.4f}" style="width:20em"></progress> {escape(self.name)}: t = {t:.4g} of '
        html = ipython.HTML(f"{bar}{self.until:.4g}" if part < 1.0 else "")
        if self.shown is None and part < 1.0:
            self.shown = ipython.display(html, display_id=True)
        elif self.shown is not None:
            self.shown.update(html)
