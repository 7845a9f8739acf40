"""Programs get machine code while they already run: a process at the side compiles, the bytecode machine serves.

Both give the same bits, so when the code arrives does not matter. The process is started at the first request and ends
with this one. Should it die, a warning says so once and the bytecode machine goes on.
"""

from __future__ import annotations

import atexit
import itertools
import os
import pickle
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from latchwork.program.cache import said
from latchwork.program.ir import Program
from latchwork.program.parent import OWN_PATH

if TYPE_CHECKING:
    from latchwork.program.native import Native

LONGEST = 200_000  # operations; beyond it compilation takes too long, and the bytecode machine stays
OPERATIONS, EVALUATIONS = 20_000_000, 10_000  # machine code pays after so many of both in the bytecode machine
START = """
import pickle, sys
parent, sys.path[:] = pickle.load(sys.stdin.buffer)
from latchwork.program.worker import serve
serve(parent)
"""

_made: WeakValueDictionary[str, Native] = WeakValueDictionary()  # by fingerprint


def pays_after(program: Program) -> int:
    """How many evaluations justify a compilation; decided by counts, not by the clock."""
    return evaluations_for(len(program))


def evaluations_for(operations: int) -> int:
    """The same for a program of so many operations."""
    return max(OPERATIONS // max(operations, 1), EVALUATIONS)


def compile_now(program: Program) -> Native | None:
    """The machine code of a program, made here where it is not known yet; None for one that is too long."""
    from latchwork.program import llvm

    found = _made.get(program.fingerprint)
    if found is None and len(program) <= LONGEST:
        found = _made.setdefault(program.fingerprint, llvm.compiled(program))
    return found


def compile_aside(program: Program, done: Callable[[Native], None]) -> None:
    """Ask for the machine code of a program; ``done`` is called with it, now or later, from another thread."""
    found = _made.get(program.fingerprint)
    if found is not None:
        done(found)
    elif len(program) <= LONGEST:
        _compiler.ask(program, done)


class Compiler:
    """The process at the side, one for each process that asks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._reader: threading.Thread | None = None
        self._numbers = itertools.count()
        self._waiting: dict[int, tuple[Program, list[Callable[[Native], None]]]] = {}
        self._hopeless: set[str] = set()  # fingerprints of programs that could not be compiled
        self._dead = False
        self._remarks: list[str] = []
        self._said: set[str] = set()

    def ask(self, program: Program, done: Callable[[Native], None]) -> None:
        """Send a program to be compiled, unless it is being compiled already or the process is dead."""
        self._speak()
        with self._lock:
            same = [calls for waiting, calls in self._waiting.values() if waiting == program]
            if same:
                same[0].append(done)
            elif not self._dead and program.fingerprint not in self._hopeless:
                number = next(self._numbers)
                self._waiting[number] = (program, [done])
                self._send((number, program))

    def close(self) -> None:
        """End the process, and wait until its last answer has been dealt with."""
        with self._lock:
            process, self._process, self._dead = self._process, None, True
        if process is not None and process.stdin is not None:
            process.kill()
            process.wait()
            process.stdin.close()
        if self._reader is not None:
            self._reader.join(timeout=5.0)

    def _send(self, message: Any) -> None:
        try:
            process = self._process or self._start()
            assert process.stdin is not None
            pickle.dump(message, process.stdin)
            process.stdin.flush()
        except OSError as error:
            self._fail(f"it cannot be reached: {error}")

    def _start(self) -> subprocess.Popen[bytes]:
        """Start Python with the path of this process, and a thread that reads the answers."""
        if not sys.executable or getattr(sys, "frozen", False):
            raise OSError("there is no Python interpreter to start")
        pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
        command = [sys.executable, OWN_PATH, "-c", START]
        process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing)
        assert process.stdin is not None
        pickle.dump((os.getpid(), sys.path), process.stdin)
        self._process = process
        self._reader = threading.Thread(target=self._read, args=(process,), daemon=True, name="latchwork compiler")
        self._reader.start()
        return process

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        """Take answers until there are no more."""
        assert process.stdout is not None
        with process.stdout as answers:
            try:
                while True:
                    self._take(*pickle.load(answers))
            except (EOFError, OSError, KeyError, pickle.UnpicklingError):  # KeyError: given up meanwhile
                why = f"it ended with code {process.wait()}"
            except Exception as error:  # whatever its answer does to those who take it, they are not left waiting
                why = f"what it made cannot be used: {error}"
        with self._lock:
            if not self._dead:
                self._fail(why)

    def _take(self, number: int, code: bytes, remarks: list[str]) -> None:
        """Link the code of a program, and hand it to those who asked."""
        from latchwork.program import llvm

        with self._lock:
            self._remarks += remarks
            program, calls = self._waiting[number]
            if not code:
                del self._waiting[number]
                self._hopeless.add(program.fingerprint)
                return
        native = _made.setdefault(program.fingerprint, llvm.linked(code))
        with self._lock:
            self._waiting.pop(number, None)
        for done in calls:  # nobody joins them any more
            done(native)

    def _fail(self, why: str) -> None:
        self._dead = True
        self._waiting.clear()
        self._remarks.append(
            f"The compiler process is lost ({why}): programs go on in the bytecode machine, slower, with the same "
            "numbers. Ask for machine code with compiled(wait=True), or start again."
        )

    def _speak(self) -> None:
        """Say what there was to remark, each thing once, in the thread of someone who asks."""
        with self._lock:
            fresh = [text for text in dict.fromkeys(self._remarks) if text not in self._said | said]
            self._said.update(fresh)
            self._remarks.clear()
        for text in fresh:
            warnings.warn(text, RuntimeWarning, stacklevel=2)


_compiler = Compiler()


_inherited: list[Compiler] = []


def _forget() -> None:
    """After a fork, the child has no compiler process yet; that of its parent is not its own to end."""
    global _compiler
    _inherited.append(_compiler)
    _compiler = Compiler()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
atexit.register(lambda: _compiler.close())
