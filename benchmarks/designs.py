"""The designs of a simulator on one set of mechanisms: time of a step, drift, energy, singular positions.

    python benchmarks/designs.py [--out FOLDER] [--rounds N]

Each design runs each mechanism for 10 s by steps of RK4 of 1 ms, and the drift is what the constraints are off by over
the whole run, each row over its length. Times are those of a step in machine code, all programs compiled, the best of
several rounds in which the designs take turns; they are given as multiples of the step of the default design. The
backward differences, which solve the differential-algebraic equations themselves, are written in NumPy and run for 1 s
by steps of 2 ms; they have no time.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measure import QUICK, RESULTS, attempted, few, finish, machine, number, shown, table
from mechanisms import MECHANISMS, STEP, Mechanism, stepping

import latchwork as lw
from latchwork.errors import LatchworkError

UNTIL = 10.0
BRIEFLY = 1.0  # for what is written in NumPy
DESIGNS: dict[str, Any] = {
    "IV `Embedded()`": lw.Embedded(),
    "III `Automaton()`": lw.Automaton(),
    "II `NullSpace()`": lw.NullSpace(),
    'II `NullSpace(basis="QR")`': lw.NullSpace(basis="QR"),
    'II `NullSpace(basis="Gauss")`': lw.NullSpace(basis="Gauss"),
    'II `NullSpace(basis="zero eigenvalues")`': lw.NullSpace(basis="zero eigenvalues"),
    "II `Operator()`": lw.Operator(),
    "II `Operator(inertia=\"Mc'\")`": lw.Operator(inertia="Mc'"),
    "II `Operator(inertia=\"Mc''\")`": lw.Operator(inertia="Mc''"),
    'II `Operator(rate="pseudoinverse")`': lw.Operator(rate="pseudoinverse"),
    "II `Projected(NullSpace())`": lw.Projected(lw.NullSpace()),
    "I `Multipliers()`": lw.Multipliers(),
    "I `Multipliers(alpha=20, beta=20)`": lw.Multipliers(alpha=20.0, beta=20.0),
    "I `Projected(Multipliers())`": lw.Projected(lw.Multipliers()),
    "I `AugmentedLagrangian()`": lw.AugmentedLagrangian(),
    "I `Penalty()`": lw.Penalty(),
}
FORMS = {f"I `BackwardDifferences(…, {form!r})`".replace("'", '"'): form for form in ("GGL", "index 2", "index 3")}


@dataclass
class Found:
    """What one design does with one mechanism."""

    mechanism: str
    design: str
    phi: float | None = None  # the largest Φ
    psi: float | None = None  # the largest B u + C
    energy: float | None = None  # the largest error of the energy balance, in J
    off: float | None = None  # from the exact motion, in the first coordinate
    ended: float | None = None  # where the run broke off
    message: str = ""
    seconds: float | None = None  # of a step


def ran(mechanism: Mechanism, name: str, design: Any, method: Any, until: float) -> Found:
    """One run, and how far it went astray."""
    model, found = mechanism.make(), Found(mechanism.name, name)
    try:
        run = lw.simulate(model, until, mechanism.q, mechanism.u, design=design, method=method, audit="off")
    except LatchworkError as error:
        partial = getattr(error, "run", None)
        found.ended, found.message = (0.0 if partial is None else float(partial.t[-1])), str(error)
        return found
    found.phi, found.psi = drift(model, run)
    found.energy = run.audit.energy_error
    if mechanism.exact is not None:
        exact = lw.simulate(mechanism.exact(), until, run.q[0, :1], run.u[0, :1], every=0.1,
                            method=lw.DormandPrince(rtol=1e-12, atol=1e-13))  # fmt: skip
        found.off = float(np.abs(exact.q[:, 0] - run.at(exact.t).q[:, 0]).max())
    return found


def drift(model: lw.Model, run: lw.Trajectory) -> tuple[float, float]:
    """The largest Φ and B u + C along a run, each over the length of its row where that is not small."""
    terms = model.constrained(at=run.q[0]).terms
    n_q, n, m = terms.sizes
    rows = np.column_stack([run.t, run.x[:, :-1], np.tile(run.rest, (len(run.t), 1))])
    Phi, B, C = np.split(terms.place_function.many(rows), np.cumsum([m, m * n]), axis=1)
    B = B.reshape(-1, m, n)
    lengths = np.abs(B).max(axis=2)
    lengths = np.where(lengths > 1e-3, lengths, 1.0)
    psi = np.einsum("tij,tj->ti", B, rows[:, 1 + n_q : 1 + n_q + n]) + C
    return float((np.abs(Phi) / lengths).max()), float((np.abs(psi) / lengths).max())


def measured(rounds: int, quick: bool) -> list[Found]:
    """Every design on every mechanism."""
    found: list[Found] = []
    for mechanism in few(MECHANISMS, quick):
        print(mechanism.name, file=sys.stderr, flush=True)
        with attempted(mechanism.name):
            found += compared(mechanism, rounds, *(2 * [0.01] if quick else [UNTIL, BRIEFLY]))
    return found


def compared(mechanism: Mechanism, rounds: int, until: float, briefly: float) -> list[Found]:
    """Every design on one mechanism."""
    own = [ran(mechanism, name, design, lw.RK4(STEP), until) for name, design in DESIGNS.items()]
    loops = {}
    for one in own:
        with suppress(LatchworkError):
            loops[one.design] = stepping(mechanism, DESIGNS[one.design])
    times: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(rounds):
        for name, loop in loops.items():
            with suppress(LatchworkError):
                times[name].append(loop.seconds())
    for one in own:
        one.seconds = min(times.get(one.design, []), default=None)
    for name, form in FORMS.items():
        own.append(ran(mechanism, name, lw.Multipliers(), lw.BackwardDifferences(2.0 * STEP, form), briefly))
    return own


def markdown(found: Sequence[Found]) -> str:
    """Tables: a line for each design, a column for each mechanism."""
    names = list(dict.fromkeys(one.mechanism for one in found))
    by = {(one.design, one.mechanism): one for one in found}
    usual = {name: by[next(iter(DESIGNS)), name].seconds or 1.0 for name in names}

    def grid(cell: Callable[[Found], str], designs: Sequence[str], columns: Sequence[str], head: str) -> str:
        lines = [[design, *(cell(by[design, name]) for name in columns)] for design in designs]
        return table((head, *columns), lines)

    def ratio(one: Found) -> str:
        if one.seconds is None:
            return "–"
        if one.design == next(iter(DESIGNS)):
            return f"1 ({shown(one.seconds)})"
        return number(one.seconds / usual[one.mechanism])

    def size(*values: str) -> Callable[[Found], str]:
        def cell(one: Found) -> str:
            if one.ended is not None:
                return "refused" if one.ended == 0.0 else f"breaks at {one.ended:.3g} s"
            return ", ".join(f"{value:.0e}" if value else "0" for value in (getattr(one, name) for name in values))

        return cell

    exact = [m.name for m in MECHANISMS if m.exact is not None and m.name in names]
    all_of = [*DESIGNS, *FORMS]
    return "\n\n".join([
        "Time of a step of RK4, as a multiple of that of the default:",
        grid(ratio, list(DESIGNS), names, "step"),
        "Drift: the largest $\\Phi$ and $B u + C$ in 10 s (backward differences: in 1 s, by steps of 2 ms):",
        grid(size("phi", "psi"), all_of, names, "$\\Phi$, $B u + C$"),
        "Largest error of the energy balance, in J:",
        grid(size("energy"), all_of, names, "energy"),
        "Singular positions: how far the first coordinate is from the exact motion, in rad, over the whole run:",
        grid(size("off"), all_of, exact, "off the exact motion"),
    ])  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--rounds", type=int, default=30, help="rounds of steps (default: 30)")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    found = measured(1 if options.quick else max(1, options.rounds), options.quick)
    text = markdown(found)
    options.out.mkdir(parents=True, exist_ok=True)
    facts = {"rows": [asdict(one) for one in found], "step": STEP, "until": UNTIL, "machine": machine()}
    (options.out / "designs.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (options.out / "designs.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    finish()


if __name__ == "__main__":
    main()
