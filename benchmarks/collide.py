"""Many bodies that collide, from nothing to the first instant of a run: described, derived, made ready; and the memory.

    python benchmarks/collide.py [--out FOLDER] [--rounds N]

Disks of a pile, in rows a little out of line, between a floor and two walls, by one `model.collide`. MuJoCo compiles a
same pile (spheres on three joints each) from XML to a model with its data. Every round is a process of its own, so that
nothing is known before but compiled kernels. Prints Markdown, writes ``collide.json`` and ``collide.md``.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from measure import QUICK, RESULTS, attempted, few, finish, installed, table

SIZES = (30, 100, 300)
EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
OURS = """
import json, resource, sys, time
import latchwork as lw, latchwork.hybrid.simulation, latchwork.contact.collision, pile
n = int(sys.argv[1])
lw.Simulation(pile.build(8, 1.0), pile.places(8, 2)).advance(1e-3)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
clock = [time.perf_counter()]
def done(): clock.append(time.perf_counter())
model = pile.build(n, 2.6); done()
model.equations(); done()
sim = lw.Simulation(model, pile.places(n, 10)); done()
sim.advance(1e-4); done()
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([[1e3 * (b - a) for a, b in zip(clock, clock[1:])], grown / 1024.0, len(sim.state.contacts.members)]))
"""
THEIRS = """
import json, resource, sys, time
import mujoco, pile
n = int(sys.argv[1])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
q = pile.places(n, 10)
began = time.perf_counter()
joint = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/><joint type="hinge" axis="0 0 1"/>'
bodies = "".join(f'<body pos="{q[f"x{k}"]} {q[f"y{k}"]} 0">{joint}<geom type="sphere" size="0.1" mass="1"/></body>'
                 for k in range(n))
walls = "".join(f'<geom type="plane" size="9 9 .1" pos="{x} 0 0" zaxis="{way}"/>'
                for x, way in ((0, "0 1 0"), (-1.3, "1 0 0"), (1.3, "-1 0 0")))
model = mujoco.MjModel.from_xml_string(f'<mujoco><worldbody>{walls}{bodies}</worldbody></mujoco>')
data = mujoco.MjData(model)
mujoco.mj_forward(model, data)
took = 1e3 * (time.perf_counter() - began)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(json.dumps([took, grown / 1024.0]))
"""


def process(script: str, n: int) -> list:
    """What a process of its own says."""
    words = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(EXAMPLES)!r})\n{script}", str(n)]
    return json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    rival, lines, facts = installed("mujoco"), [], []
    for n in few(SIZES, options.quick):
        with attempted(f"{n} disks"):
            ours, theirs = [], []
            for _ in range(1 if options.quick else options.rounds):
                ours.append(process(OURS, n))
                theirs += [process(THEIRS, n)] if rival else []
            best = min(ours, key=lambda found: sum(found[0]))
            compiled = min(theirs, default=None)
            ratio = "" if compiled is None else f"{sum(best[0]) / compiled[0]:.0f}"
            shown = "not installed" if compiled is None else f"{compiled[0]:.1f} ms, {compiled[1]:.0f} MB"
            lines.append([f"{n} disks, {n * (n - 1) // 2 + 3 * n} pairs", *(f"{part:.0f} ms" for part in best[0]),
                          f"{best[1]:.0f} MB", str(best[2]), shown, ratio])  # fmt: skip
            facts.append({"bodies": n, "latchwork": ours, "mujoco": theirs})
    heads = ("pile", "described", "derived", "made ready", "first instant", "memory", "pairs near", "MuJoCo", "times")
    text = table(heads, lines)
    print(text)
    (options.out / "collide.md").write_text(text + "\n", encoding="utf-8")
    (options.out / "collide.json").write_text(json.dumps({"rows": facts}, indent=2) + "\n", encoding="utf-8")
    finish()


if __name__ == "__main__":
    main()
