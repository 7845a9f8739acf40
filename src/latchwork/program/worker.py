"""The compiler process: takes programs from its input, gives object code to its output, ends with its parent.

Its input ends with the parent, unless that has children of its own that hold it open: so the parent is watched as well.
A message is a pickle: ``(number, program)`` in, ``(number, code, remarks)`` out; the code is empty where it failed.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
import warnings
from typing import IO, Any

from latchwork.program.ir import Program
from latchwork.program.llvm import program_code
from latchwork.program.parent import watch_parent

QUIETER = 10  # steps of priority below the parent


def serve(parent: int) -> None:
    """Compile programs in the order in which they come, until the parent closes the input or ends."""
    watch_parent(parent, lambda: os._exit(0))
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not disturb the answers
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(QUIETER)
    jobs: queue.SimpleQueue[tuple[int, Program]] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(sys.stdin.buffer, jobs), daemon=True).start()
    while True:
        number, program = jobs.get()
        pickle.dump((number, *_compile(program)), answers)
        answers.flush()


def _listen(requests: IO[bytes], jobs: queue.SimpleQueue[Any]) -> None:
    """Pass requests on; when no whole one comes, the parent is gone: end at once, also in the middle of a program."""
    try:
        while True:
            jobs.put(pickle.load(requests))
    finally:
        os._exit(0)


def _compile(program: Program) -> tuple[bytes, list[str]]:
    """The object code of a program, and what was to be remarked."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            code, remarks = program_code(program), []
        except Exception as error:
            code, remarks = b"", [f"A program of {len(program)} operations could not be compiled: {error}"]
    return code, [*remarks, *(str(item.message) for item in caught)]
