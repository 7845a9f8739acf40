"""Who computes the tasks of a study: copies of this process, an executor of ``concurrent.futures``, or Dask.

Results come back to the process that runs the study, which alone writes: workers need no store, and nobody waits for
another to write.
"""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from latchwork.errors import StudyError
from latchwork.program.interrupt import interrupted
from latchwork.program.processes import HEARS, shared_out
from latchwork.study.subject import Outcome, Subject, Values

GONE = 10.0  # s without a connection after which a cluster is taken to be gone
LOST = "the process that computed it was ended from outside: by a signal, or for lack of memory"
Tasks = Mapping[int, Mapping[int, Values]]  # points by number, by task
Computed = Iterator[tuple[int, dict[int, Outcome]]]


def compute(subject: Subject, points: Mapping[int, Values]) -> dict[int, Outcome]:
    """A task: what comes of its points, by number."""
    return dict(zip(points, subject.outcomes([*points.values()]), strict=True))


def lost(points: Mapping[int, Values], reason: str = LOST) -> dict[int, Outcome]:
    """No results, and why."""
    return {i: Outcome(None, reason, 0.0) for i in points}


def on_this_machine(subject: Subject, tasks: Tasks, workers: int) -> Computed:
    """Tasks by copies of this process; as they become ready."""
    for task, found in shared_out(lambda task: compute(subject, tasks[task]), [*tasks], workers):
        if interrupted():  # it may have been cut short
            return
        yield task, lost(tasks[task]) if found is None else found


def by_futures(subject: Subject, tasks: Tasks, submit: Callable[..., Any],
               is_there: Callable[[], bool] = lambda: True) -> Computed:  # fmt: skip
    """Tasks by whoever gives futures, with ``add_done_callback``, ``result`` and ``cancel``."""
    ready: queue.SimpleQueue[Any] = queue.SimpleQueue()
    waiting: dict[Any, int] = {}
    seen = time.monotonic()
    try:
        for task, points in tasks.items():
            future = submit(compute, subject, points)
            waiting[future] = task
            future.add_done_callback(ready.put)
        while waiting and not interrupted():
            try:
                future = ready.get(timeout=HEARS)
            except queue.Empty:
                seen = time.monotonic() if is_there() else seen
                if time.monotonic() - seen > GONE:
                    raise StudyError(f"the cluster has not answered for {GONE:g} s, with {len(waiting)} tasks of the "
                                     "study on it. What came back is kept; run it again to go on.") from None
                continue
            seen = time.monotonic()
            task = waiting.pop(future)
            yield task, _result(future, tasks[task])
    finally:
        for future in waiting:
            future.cancel()


def _result(future: Any, points: Mapping[int, Values]) -> dict[int, Outcome]:
    try:
        found: dict[int, Outcome] = future.result()
    except Exception as problem:
        return lost(points, f"{LOST} ({type(problem).__name__}: {problem})")
    return found


def on_dask(subject: Subject, tasks: Tasks, client: Any) -> Computed:
    """Tasks on a Dask cluster."""
    if not hasattr(client, "submit") or not hasattr(client, "status"):
        raise StudyError(f"client is {client!r:.60}. Give a dask.distributed.Client.")

    def submit(*args: Any) -> Any:
        return client.submit(*args, pure=False)

    return by_futures(subject, tasks, submit, lambda: client.status == "running")
