"""Elementary functions: Latchwork's own against those of the platform's C library, one call each, in machine code.

    python benchmarks/elementary.py [--out FOLDER] [--rounds N]

The same loop over 4096 seeded arguments calls either through an address, so nothing of Python is counted on either
side. Before anything is timed, both have to agree to two units in the last place.
"""

from __future__ import annotations

import ctypes
import ctypes.util
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from measure import Row, alternate, clocked, few, repeats, run

from latchwork.program.elementary.functions import ELEMENTARY
from latchwork.program.kernel import Kernel
from latchwork.program.machine import link, object_code
from latchwork.program.native import native
from latchwork.program.sincos import cos, sin

COUNT = 4096
FUNCTIONS: dict[str, Kernel[..., Any]] = {"sin": sin, "cos": cos, **ELEMENTARY}
RANGES = {  # of the arguments; the second ones are those of y
    "sin": (-10.0, 10.0), "cos": (-10.0, 10.0), "exp": (-30.0, 30.0), "log": (1e-3, 1e3),
    "pow": (1e-3, 10.0, -8.0, 8.0), "asin": (-1.0, 1.0), "acos": (-1.0, 1.0), "atan": (-4.0, 4.0),
    "atan2": (-2.0, 2.0, -2.0, 2.0), "sinh": (-5.0, 5.0), "cosh": (-5.0, 5.0), "tanh": (-3.0, 3.0),
    "asinh": (-9.0, 9.0), "acosh": (1.0, 9.0), "atanh": (-1.0, 1.0),
}  # fmt: skip
LOOP = """
declare double @{symbol}({types}) nounwind
define dso_local void @loop(i64 %n, ptr %x, ptr %y, ptr %out) nounwind {{
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %px = getelementptr double, ptr %x, i64 %i
  %py = getelementptr double, ptr %y, i64 %i
  %po = getelementptr double, ptr %out, i64 %i
  %a = load double, ptr %px
  %b = load double, ptr %py
  %v = call double @{symbol}({arguments})
  store double %v, ptr %po
  %next = add i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %body, label %end
end:
  ret void
}}
"""


def loop(symbol: str, address: int, arity: int) -> tuple[Callable[..., Any], Any]:
    """The loop around a function at an address, and the engine that owns it."""
    types, arguments = ", ".join(["double"] * arity), ", ".join(["double %a", "double %b"][:arity])
    text = LOOP.format(symbol=symbol, types=types, arguments=arguments)
    (at,), engine = link(object_code(text), ["loop"], {symbol: address})
    return ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * 3)(at), engine


def rows(rounds: int, quick: bool) -> Iterator[Row]:
    """One row for each function."""
    library = ctypes.CDLL(ctypes.util.find_library("m"))
    rng = np.random.default_rng(16)
    for name, function in few(FUNCTIONS.items(), quick):
        low, high, *second = RANGES[name]
        x, y = rng.uniform(low, high, COUNT), rng.uniform(*(second or (0.0, 1.0)), COUNT)
        arity = 2 if second else 1
        rival = ctypes.cast(getattr(library, name), ctypes.c_void_p).value or 0
        kept = loop(f"ours_{name}", native(function).address, arity), loop(f"theirs_{name}", rival, arity)
        out = np.empty(COUNT), np.empty(COUNT)
        works = [work(call, x, y, result) for (call, _), result in zip(kept, out, strict=True)]
        for each in works:
            each()
        if not (np.abs(out[0] - out[1]) <= 2.0 * np.spacing(np.abs(out[1]))).all():
            raise SystemExit(f"'{name}': Latchwork and the C library differ by more than two units in the last place.")
        ours, theirs = alternate(*(seconds(each) for each in works), rounds)
        yield Row(f"`{name}`", "C library", None, ours, theirs)


def work(call: Callable[..., Any], x: np.ndarray, y: np.ndarray, out: np.ndarray) -> Callable[[], None]:
    """All arguments once."""
    return lambda: call(COUNT, x.ctypes.data, y.ctypes.data, out.ctypes.data)


def seconds(each: Callable[[], None]) -> Callable[[], float]:
    """A round: the seconds of one call of the function."""
    times = repeats(each)
    return lambda: clocked(each, times) / COUNT


if __name__ == "__main__":
    run(__file__, __doc__, rows, rounds=15)
