"""How long compiled code takes: loops in machine code, the best of several, in seconds.

The best is what the code needs when nothing disturbs it; compare it with a rival measured in the same way.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.errors import EvaluationError
from latchwork.hybrid.right_side import right_side
from latchwork.hybrid.start import start_of
from latchwork.integrate.fused import fused, pays
from latchwork.integrate.fused_steps import FusedSteps
from latchwork.integrate.methods import RK4, integrate
from latchwork.integrate.tableau import RUNGE_KUTTA_4
from latchwork.kane.equations import Equations
from latchwork.kane.values import argument_vector, read
from latchwork.program.function import Function
from latchwork.program.ir import Program
from latchwork.program.kernel import executor, f64p, i32p, i64, kernel
from latchwork.program.lower import lower
from latchwork.program.native import invoke

ROUNDS = 25
OPERATIONS = 2_000_000  # in one round: about a millisecond


@kernel
def repeat(run: executor, times: i64, code: i32p, z: f64p, out: f64p) -> None:
    """Run a program so many times on the same inputs."""
    for _ in range(times):
        run(code, z, out)


def best(work: Callable[[int], Any], times: int, rounds: int = ROUNDS, warm: int = 1) -> float:
    """Seconds for one of ``times`` repetitions, in the best of several rounds; some more go before them."""
    found = []
    for _ in range(warm + rounds):
        start = time.perf_counter()
        work(times)
        found.append((time.perf_counter() - start) / times)
    return min(found[warm:])


@dataclass(frozen=True)
class Loop:
    """Work that machine code repeats: ``run(k)`` does it k times, a round has ``times``."""

    run: Callable[[int], Any]
    times: int

    def seconds(self) -> float:
        """Seconds for one repetition, in one round."""
        return best(self.run, self.times, rounds=1, warm=0)

    def best(self) -> float:
        """Seconds for one repetition, in the best of several rounds."""
        return best(self.run, self.times)


def program_loop(program: Program, x: Sequence[float] | np.ndarray) -> Loop:
    """A compiled program on the same inputs, again and again."""
    function = _compiled(program)
    z, out = function.workspace(), np.empty(len(program.outputs))
    z[: len(program.inputs)] = x
    return Loop(lambda k: invoke(repeat, function.executor, k, function.code, z, out), _times(program))


def udot_loop(equations: Equations, q: Any, u: Any, r: Any = None) -> Loop:
    """The compiled u̇ at one state."""
    return program_loop(equations.udot_program, argument_vector(equations.system, 0.0, q, u, r))


def inverse_loop(equations: Equations, q: Any, u: Any, udot: Any, r: Any = None) -> Loop:
    """The compiled inverse dynamics at one state."""
    x = argument_vector(equations.system, 0.0, q, u, r)
    rates = read(udot, equations.u, "accelerations udot", equations.name)
    return program_loop(inverse_program(equations), np.concatenate([x, rates]))


def inverse_program(equations: Equations) -> Program:
    """Inverse dynamics as straight-line code of (t, q, u, r, p, u̇)."""
    arguments = (*equations.arguments, *equations.system.u_rates)
    return lower(equations.system.graph, [e.node for e in equations.inverse_expressions], arguments)


def step_loop(equations: Equations, q: Any, u: Any, r: Any = None, step: float = 1e-3) -> Loop:
    """Compiled steps of RK4 from one state, in the form that a long run uses."""
    side, held = right_side(equations, r)
    x, rest = start_of(equations, q, u, held, None, 0.0).parts
    program = side.function.program
    if pays(program, RUNGE_KUTTA_4):
        return _fused_loop(side.function, x, rest, step)
    function = _compiled(program)

    def run(k: int) -> None:
        integrate(function, x, 0.0, k * step, rest, RK4(step, every=k))

    return Loop(run, max(10, _times(program) // (RUNGE_KUTTA_4.stages - 1)))


def _fused_loop(function: Function, x: np.ndarray, rest: np.ndarray, step: float) -> Loop:
    """Steps that are one program each."""
    whole = _compiled(fused(function.program, RUNGE_KUTTA_4))
    first = np.concatenate([x, function(np.concatenate([[0.0], x, rest])), rest])
    steps = FusedSteps(whole, len(x), 0.0, RK4(step), rows=1)

    def run(k: int) -> None:
        steps.start(first)
        steps.control.every = k
        steps.advance(k * step, k)

    return Loop(run, _times(whole.program))


def time_program(program: Program, x: Sequence[float] | np.ndarray) -> float:
    """Seconds that one evaluation of a compiled program takes."""
    return program_loop(program, x).best()


def time_udot(equations: Equations, q: Any, u: Any, r: Any = None) -> float:
    """Seconds that one evaluation of the compiled u̇ takes."""
    return udot_loop(equations, q, u, r).best()


def time_inverse(equations: Equations, q: Any, u: Any, udot: Any, r: Any = None) -> float:
    """Seconds that the compiled inverse dynamics, the forces of one motion, take."""
    return inverse_loop(equations, q, u, udot, r).best()


def time_step(equations: Equations, q: Any, u: Any, r: Any = None, step: float = 1e-3) -> float:
    """Seconds that one compiled step of RK4 takes, in a run from the given state."""
    return step_loop(equations, q, u, r, step).best()


def _times(program: Program) -> int:
    return max(10, OPERATIONS // (len(program) + 20))


def _compiled(program: Program) -> Function:
    """A function with machine code of its own."""
    function = Function(program)
    if not function.compiled(wait=True):
        raise EvaluationError(f"A program of {len(program)} operations is too long to be compiled. Time a shorter one.")
    return function
