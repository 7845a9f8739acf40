"""The first u̇ of a robot in a new process: from a URDF file to numbers, imports apart.

    python benchmarks/first.py [--out FOLDER] [--rounds N]

Every round is a process of its own. Three ways to u̇: the bytecode machine, whose machine code is in the cache; the
robot's own machine code, from the cache; and its own machine code with an empty cache, where the bytecode machine has
to be made as well. What is imported (NumPy, llvmlite, Latchwork) is imported before the clock starts. Prints Markdown,
writes ``first.json`` and ``first.md``: the least and the median time of each way, in parts.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from measure import QUICK, RESULTS, attempted, few, finish, table

from robots import ROBOTS, text_of

WAYS = {"bytecode machine": False, "compiled, from the cache": True, "compiled, empty cache": True}
AT_MOST = {"bytecode machine": 50.0, "compiled, from the cache": 100.0, "compiled, empty cache": 1000.0}  # ms, UR5
PARTS = ("load", "derive", "machine", "call")
PROCESS = """
import json, sys, time
import latchwork as lw, llvmlite.binding, latchwork.formats.robot.urdf, latchwork.formats.robot.files
import latchwork.kane.equations, latchwork.program.llvm
path, floating, compiled = sys.argv[1], sys.argv[2] == "True", sys.argv[3] == "True"
clock = [time.perf_counter()]
def done(): clock.append(time.perf_counter())
model = lw.load(path, losses=False, floating=floating); done()
equations = model.equations(); program = equations.udot_program; done()
function = equations.udot_function; compiled and function.compiled(wait=True); done()
q = {four[0].name: 1.0 for four in equations.system.quaternions}
q = {name: q.get(name, 0.0) for name in equations.q_names}
equations.udot(q, [0.1] * len(equations.u), [0.0] * len(equations.r)); done()
print(json.dumps([1e3 * (b - a) for a, b in zip(clock, clock[1:])]))
"""


def milliseconds(path: Path, floating: bool, compiled: bool, cache: str) -> list[float]:
    """The parts of one process."""
    words = [sys.executable, "-c", PROCESS, str(path), str(floating), str(compiled)]
    place = os.environ | {"LATCHWORK_CACHE": cache}
    done = subprocess.run(words, env=place, capture_output=True, text=True, check=True)
    return [float(value) for value in json.loads(done.stdout)]


def measured(path: Path, floating: bool, rounds: int, quick: bool) -> dict[str, list[list[float]]]:
    """Rounds of every way, in turn."""
    ways = dict(few(WAYS.items(), quick))
    found: dict[str, list[list[float]]] = {way: [] for way in ways}
    with tempfile.TemporaryDirectory() as kept:
        milliseconds(path, floating, any(ways.values()), kept)
        for _ in range(rounds):
            for way, compiled in ways.items():
                with tempfile.TemporaryDirectory() as empty:
                    cache = empty if way.endswith("empty cache") else kept
                    found[way].append(milliseconds(path, floating, compiled, cache))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    lines, facts, count = [], [], 1 if options.quick else options.rounds
    for robot in few(ROBOTS, options.quick):
        text = text_of(robot.file)
        if text is None:
            continue
        with attempted(robot.name), tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.urdf"
            path.write_text(text, encoding="utf-8")
            for way, rounds in measured(path, robot.floating, count, options.quick).items():
                totals = [sum(parts) for parts in rounds]
                best = dict(zip(PARTS, rounds[totals.index(min(totals))], strict=True))
                at_most = AT_MOST[way] if robot.name == "UR5" else None
                shown = f"{min(totals):.0f} ms ({statistics.median(totals):.0f} ms)"
                parts = [f"{best[part]:.1f}" for part in PARTS]
                lines.append([robot.name, way, shown, *parts, "" if at_most is None else f"{at_most:g} ms"])
                facts.append({"robot": robot.name, "way": way, "milliseconds": totals, "best": best})
    text = table(("robot", "u̇ by", "first u̇", *PARTS, "at most"), lines)
    print(text)
    (options.out / "first.md").write_text(text + "\n", encoding="utf-8")
    (options.out / "first.json").write_text(json.dumps({"rows": facts}, indent=2) + "\n", encoding="utf-8")
    finish()


if __name__ == "__main__":
    main()
