"""Work on many cores: processes that are copies of this one, where the system makes them, else this one alone.

A copy (fork) has all that was derived and compiled already, and each does whole tasks: what is Python in them does not
wait for Python's lock. Results come back in the order in which they are ready.
"""

from __future__ import annotations

import gc
import itertools
import multiprocessing
import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, TypeVar

from latchwork.program.interrupt import interrupted

T = TypeVar("T")
R = TypeVar("R")
FORKS = "fork" in multiprocessing.get_all_start_methods() and sys.platform != "darwin"  # whose frameworks break in it
AHEAD = 2  # tasks that wait, for each process
HEARS = 0.2  # s: how often an interrupt is looked for
OBJECTS = 50_000  # more than there were, after which Python looks for garbage

_work: dict[int, Callable[[Any], Any]] = {}  # what copies of this process are to do, by a number
_numbers = itertools.count()
_inside = False  # whether this process is such a copy


def cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def may_copy() -> bool:
    """Whether this process may be copied: the system can, and it is no copy itself, nor one that may have no others."""
    return FORKS and not _inside and not multiprocessing.current_process().daemon


def _begin() -> None:
    global _inside
    _inside = True
    gc.freeze()  # what was there before lasts
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the process that asked for the work hears of it


def _do(number: int, task: Any) -> Any:
    with rarely_collecting():
        return _work[number](task)


@contextmanager
def rarely_collecting() -> Iterator[None]:
    """Look for cycles of garbage after many objects only: a run makes thousands that go without."""
    usual = gc.get_threshold()
    gc.set_threshold(max(OBJECTS, usual[0]) if usual[0] else 0, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)


@contextmanager
def copies(work: Callable[[T], R], workers: int) -> Iterator[Callable[[T], Future[R]]]:
    """``submit(task)``, by copies of this process as it is now. What is not done at the end is dropped, at once."""
    number, others = next(_numbers), {*multiprocessing.active_children()}
    _work[number] = work
    with warnings.catch_warnings():
        # Threads of libraries are not in a copy: it runs kernels and Python, and nothing that waits for those.
        warnings.filterwarnings("ignore", message=".*fork", category=DeprecationWarning)
        pool = ProcessPoolExecutor(workers, multiprocessing.get_context("fork"), _begin)
        pending: set[Future[R]] = set()

        def submit(task: T) -> Future[R]:
            future = pool.submit(_do, number, task)
            pending.add(future)
            future.add_done_callback(pending.discard)
            return future

        try:
            yield submit
        finally:
            del _work[number]
            if pending:
                for child in {*multiprocessing.active_children()} - others:
                    child.terminate()
            pool.shutdown(wait=True, cancel_futures=True)


def shared_out(work: Callable[[T], R], tasks: Sequence[T], workers: int | None = None) -> Iterator[tuple[T, R | None]]:
    """Each task and its result as they become ready, on so many cores; fewer after an interrupt.

    A task that a process was ended in from outside is done again, alone; if that is ended too, it has no result. With
    one worker, or where processes cannot be copied, tasks are done here, in their order.
    """
    count = min(workers or cores(), len(tasks))
    if count <= 1 or not may_copy():
        for task in tasks:
            if interrupted():
                return
            with rarely_collecting():
                result = work(task)
            yield task, result
        return
    left, lost = deque(tasks), list[T]()
    while left and not interrupted():
        yield from _until_broken(work, left, lost, count)
    for task in lost:
        alone, again = deque([task]), list[T]()
        if interrupted():
            return
        yield from _until_broken(work, alone, again, 1)
        for _ in again:
            yield task, None


def _until_broken(work: Callable[[T], R], left: deque[T], lost: list[T], count: int) -> Iterator[tuple[T, R | None]]:
    """Tasks taken from those left, and their results, until a process is ended from outside: those begun are lost."""
    with copies(work, count) as submit:
        waiting: dict[Future[R], T] = {}
        broken = False
        while (left or waiting) and not (interrupted() or (broken and not waiting)):
            while left and not broken and len(waiting) < AHEAD * count:
                try:
                    waiting[submit(left[0])] = left[0]
                    left.popleft()
                except BrokenProcessPool:
                    broken = True
            for done in wait(waiting, HEARS, FIRST_COMPLETED).done:
                task = waiting.pop(done)
                if isinstance(done.exception(), BrokenProcessPool):
                    broken = True
                    lost.append(task)
                else:
                    yield task, done.result()
