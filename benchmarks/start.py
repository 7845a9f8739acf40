"""From a description to the first simulated second, ten links: Latchwork against SymPy and PyDy, in one process.

    python benchmarks/start.py [--out FOLDER] [--rounds N]

A planar chain of ten uniform rods, angles absolute or relative, as in `derive`. SymPy: the description,
``KanesMethod``, PyDy's code generation (``cython`` where Cython is installed, else ``lambdify``, its default) and
SciPy's ``odeint`` at its default tolerances. Latchwork: the description and ``lw.simulate`` by Dormand-Prince with the
same tolerances; or the description in SymPy, handed over by ``lw.load``, where most of the time is SymPy's own, for
the description. Both give 101 samples, which have to agree. Imports are not counted, nor is the first run of a process,
which loads the machine code of the runtime; the JSON file says how long that one took. SymPy's cache is cleared before
each round.
"""

from __future__ import annotations

import gc
import os
import tempfile
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

import numpy as np
from derive import chain, sympy_chain
from measure import Row, alternate, attempted, clocked, few, installed, run
from sympy import symbols
from sympy.core.cache import clear_cache

import latchwork as lw

LINKS, SAMPLES = 10, 101
TOLERANCE = 1.49012e-8  # odeint's default, relative and absolute
VALUES = {"m": 1.0, "l": 1.0, "J": 1.0 / 12.0, "g": 9.8}
SAME = 1e-5
Q0 = np.linspace(0.1, 1.0, LINKS)
ROUNDS = {"absolute": 5, "relative": 2}


def native(angles: str) -> np.ndarray:
    """Described, derived and run by Latchwork."""
    return simulated(chain(LINKS, angles).equations(), {})


def handed_over(angles: str) -> np.ndarray:
    """Described in SymPy, derived and run by Latchwork."""
    return simulated(lw.load(sympy_chain(LINKS, angles)).equations(), VALUES)


def simulated(equations: Any, parameters: dict[str, float]) -> np.ndarray:
    """Coordinates at every sample."""
    method = lw.DormandPrince(rtol=TOLERANCE, atol=TOLERANCE)
    found = lw.simulate(equations, 1.0, list(Q0), parameters=parameters, method=method, every=1.0 / (SAMPLES - 1))
    return found.x[:, :LINKS]


def generator() -> str:
    """PyDy's way to code: the fastest that is installed."""
    return "cython" if find_spec("Cython") else "lambdify"


def rival(angles: str, how: str) -> np.ndarray:
    """Described and derived by SymPy, coded by PyDy, run by SciPy."""
    from pydy.system import System

    kane = sympy_chain(LINKS, angles)
    kane.kanes_equations()
    start = {**dict(zip(kane.q, Q0, strict=True)), **{u: 0.0 for u in kane.u}}
    times = np.linspace(0.0, 1.0, SAMPLES)
    constants = {symbols(name): value for name, value in VALUES.items()}
    system = System(kane, constants=constants, initial_conditions=start, times=times)
    system.generate_ode_function(generator=how)
    return system.integrate()[:, :LINKS]


def fresh(work: Callable[[], np.ndarray], ends: list[np.ndarray]) -> Callable[[], float]:
    """A round that owes nothing to those before it."""

    def seconds() -> float:
        clear_cache()
        gc.collect()
        with tempfile.TemporaryDirectory() as folder:
            os.environ["LATCHWORK_CACHE"] = folder
            return clocked(lambda: ends.append(work()))

    return seconds


def rows(rounds: int, quick: bool) -> Iterator[Row]:
    """Both kinds of angles, described in Latchwork and in SymPy; quickly without the rival."""
    pydy = None if quick else installed("pydy.system")
    how = generator() if pydy else ""
    first = clocked(lambda: native("absolute"))
    for angles, most in few(ROUNDS.items(), quick):
        with attempted(f"{angles} angles"):
            yield from both_descriptions(angles, min(rounds, most), pydy, how, first)


def both_descriptions(angles: str, rounds: int, pydy: Any, how: str, first: float) -> Iterator[Row]:
    """The rows of one kind of angles."""
    ends: list[np.ndarray] = []
    ours, loaded = fresh(lambda: native(angles), ends), fresh(lambda: handed_over(angles), ends)
    theirs = fresh(lambda: rival(angles, how), ends) if pydy else None
    both: list[float] = []

    def pair() -> float:
        both.append(loaded())
        return ours()

    times, seconds = alternate(pair, theirs, rounds, warm=0)
    must_agree(ends)
    remarks = {"links": LINKS, "angles": angles, "generator": how, "first run of the process": first}
    name = f"SymPy + PyDy ({how})" if how else "SymPy + PyDy"
    work = f"from description to the first second, {LINKS} links, {angles} angles"
    yield Row(work, name, 200.0, times, seconds, remarks)
    yield Row(f"{work}, described in SymPy", name, None, both, seconds, remarks)


def must_agree(ends: list[np.ndarray]) -> None:
    """What is compared computes the same motion."""
    if not all(np.allclose(each, ends[0], rtol=SAME, atol=SAME) for each in ends):
        raise SystemExit("the runs of Latchwork and PyDy differ.")


if __name__ == "__main__":
    run(__file__, __doc__, rows, rounds=5)
