"""How long compiled code takes: loops in machine code, the best of several, in seconds.

The best is what the code needs when nothing disturbs it; compare it with a rival measured in the same way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from latchwork.errors import EvaluationError
from latchwork.hybrid.right_side import right_side
from latchwork.hybrid.simulate import start_of
from latchwork.integrate.fused import SHARED, advance_fused, fused
from latchwork.integrate.tableau import RUNGE_KUTTA_4
from latchwork.kane.equations import Equations
from latchwork.kane.values import argument_vector
from latchwork.program.function import Function
from latchwork.program.ir import Program
from latchwork.program.kernel import executor, f64p, i32p, i64, kernel
from latchwork.program.native import invoke

ROUNDS = 25
OPERATIONS = 2_000_000  # in one round: about a millisecond


@kernel
def repeat(run: executor, times: i64, code: i32p, z: f64p, out: f64p) -> None:
    """Run a program so many times on the same inputs."""
    for _ in range(times):
        run(code, z, out)


def best(work: Callable[[int], Any], times: int, rounds: int = ROUNDS) -> float:
    """Seconds for one of ``times`` repetitions, in the best of several rounds; one more goes before them."""
    found = []
    for _ in range(rounds + 1):
        start = time.perf_counter()
        work(times)
        found.append((time.perf_counter() - start) / times)
    return min(found[1:])


def time_program(program: Program, x: Sequence[float] | np.ndarray) -> float:
    """Seconds that one evaluation of a compiled program takes."""
    function = _compiled(program)
    z, out = function.workspace(), np.empty(len(program.outputs))
    z[: len(program.inputs)] = x
    return best(lambda k: invoke(repeat, function.executor, k, function.code, z, out), _times(program))


def time_udot(equations: Equations, q: Any, u: Any, r: Any = None) -> float:
    """Seconds that one evaluation of the compiled u̇ takes."""
    return time_program(equations.udot_program, argument_vector(equations.system, 0.0, q, u, r))


def time_step(equations: Equations, q: Any, u: Any, r: Any = None, step: float = 1e-3) -> float:
    """Seconds that one compiled step of RK4 takes, in a run from the given state."""
    side, held = right_side(equations, r)
    x, rest = start_of(equations, q, u, held, None, 0.0)
    function = _compiled(fused(side.function.program, RUNGE_KUTTA_4))
    n, times = len(x), _times(function.program)
    first = np.concatenate([x, side.function(np.concatenate([[0.0], x, rest])), rest])

    def run(k: int) -> None:
        z, y, counts = function.workspace(), np.empty(2 * n), np.array([0, 0, -1])
        z[SHARED : SHARED + len(first)] = first
        rows = np.empty(1), np.empty((1, n)), np.empty((1, n))
        invoke(advance_fused, function.executor, function.code, z, y, n, 0.0, step, k * step, 0, k, k, k, counts, *rows)

    return best(run, times)


def _times(program: Program) -> int:
    return max(10, OPERATIONS // (len(program) + 20))


def _compiled(program: Program) -> Function:
    """A function with machine code of its own."""
    function = Function(program)
    if not function.compiled(wait=True):
        raise EvaluationError(f"A program of {len(program)} operations is too long to be compiled. Time a shorter one.")
    return function
