"""Soft real time: what the operating system can be asked for. Where it refuses, nothing is said and nothing breaks."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from contextlib import suppress

CURRENT_AND_FUTURE = 3  # MCL_CURRENT | MCL_FUTURE
TIMER_SLACK = 29  # PR_SET_TIMERSLACK
SWITCH = 1e-4  # s: after so long a thread gives way to another


def soft_real_time() -> list[str]:
    """Ask for sharp timers, memory that stays, and a priority of real time; gives what was had.

    Processes that are started from here later have none of it.
    """
    had = []
    sys.setswitchinterval(SWITCH)
    with suppress(OSError, AttributeError, ValueError):
        libc = ctypes.CDLL(None, use_errno=True)
        if libc.prctl(TIMER_SLACK, 1, 0, 0, 0) == 0:
            had.append("sharp timers")
        if _may_lock() and libc.mlockall(CURRENT_AND_FUTURE) == 0:
            had.append("locked memory")
    with suppress(OSError, AttributeError):
        raise_priority()
        had.append("priority")
    return had


def raise_priority() -> None:
    """Give the calling thread a priority of real time, which what it starts does not inherit."""
    policy = os.SCHED_FIFO | os.SCHED_RESET_ON_FORK
    os.sched_setscheduler(0, policy, os.sched_param(os.sched_get_priority_min(os.SCHED_FIFO)))


def _may_lock() -> bool:
    """Whether any amount of memory may be locked; where there is a limit, later requests would fail."""
    try:
        import resource
    except ImportError:
        return False
    return resource.getrlimit(resource.RLIMIT_MEMLOCK)[0] == resource.RLIM_INFINITY


def freeze_garbage() -> None:
    """What is there now is never looked through again, and nothing is collected but in idle time."""
    gc.collect()
    gc.freeze()
    gc.disable()


def resident() -> int:
    """Bytes of memory that this process has; 0 where that cannot be told."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
