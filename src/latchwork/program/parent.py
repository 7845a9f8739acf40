"""The parent of a process that is to end with it, however it dies.

A pipe from the parent ends with it, unless a fork of the parent holds it open as well. But a process whose parent is
gone gets another one (POSIX), and that can be looked for. PR_SET_PDEATHSIG would be quicker, but comes when the thread
ends that started the process.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

LOOKED = 0.5  # s between two looks
OWN_PATH = "-P"  # for Python: a process that starts does not import what lies in the current folder


def watch_parent(parent: int, gone: Callable[[], object]) -> None:
    """Have something done when the parent, by its number, is gone; on Windows nobody else holds its pipes open."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOKED)
        gone()

    if sys.platform != "win32":
        threading.Thread(target=watch, daemon=True, name="latchwork parent").start()
