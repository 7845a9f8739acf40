"""Work that would hold frames up, in a process of its own: still pictures for the gallery, equations typeset."""

from __future__ import annotations

import multiprocessing
import os
import signal
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache
from typing import Any

from latchwork.errors import LatchworkError
from latchwork.program.parent import watch_parent
from latchwork.realtime.exhibit import Exhibit, exhibit_of
from latchwork.view.live.picture import Picture, picture_of
from latchwork.view.live.shown import about
from latchwork.view.live.typeset import typeset

NICE = 10  # behind everything else


def workers() -> ProcessPoolExecutor:
    """One process, started afresh, and used for everything."""
    context = multiprocessing.get_context("spawn")
    return ProcessPoolExecutor(1, context, initializer=_begin, initargs=(os.getpid(),))


def _begin(parent: int) -> None:
    watch_parent(parent, lambda: os._exit(0))  # its queue does not end with the parent: it holds both ends
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who started it ends it
    if hasattr(os, "nice"):
        os.nice(NICE)


@lru_cache(maxsize=8)
def _opened(source: str) -> tuple[Exhibit, Picture]:
    exhibit = exhibit_of(source)
    return exhibit, picture_of(exhibit)


def card(source: str) -> dict[str, Any]:
    """Title, story and still picture of a source; where it cannot be shown, why."""
    try:
        exhibit, picture = _opened(source)
    except (LatchworkError, OSError, ArithmeticError, ValueError) as error:
        return {"kind": "card", "why": str(error)}
    _opened.cache_clear()  # pictures of the gallery are made once
    return {"kind": "card", "title": exhibit.model.name, "about": about(exhibit), "scene": picture.scene}


def equations(source: str, labels: tuple[str, ...]) -> str:
    """The equations of the mode in which these hold, as HTML with MathML."""
    exhibit, picture = _opened(source)
    return typeset(exhibit, picture.start, labels)
