"""Ten thousand double pendulums for one second each: ``lw.simulate_many`` against MuJoCo's ``rollout``, all cores.

    python benchmarks/many.py [--out FOLDER] [--rounds N]

The double pendulum of `chains`, from 10,000 random states, 1000 steps of RK4 of 1 ms. MuJoCo's rollout has one thread
for each core and its output array is there beforehand. Ours is the whole call, from the table of starts to the final
states; a call before the rounds makes the machine code, and the JSON file says how long that one took.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from chains import STEP, chain, loaded
from measure import Row, alternate, attempted, clocked, cores, installed, run

import latchwork as lw

RUNS, STEPS = 10_000, 1000
PORTION = 1000  # pendulums that MuJoCo takes in one call: its output holds every step of each
SAME = 1e-6


def rows(rounds: int, quick: bool) -> Iterator[Row]:
    """The one row."""
    with attempted("many pendulums"):
        yield row(rounds, 64 if quick else RUNS)


def row(rounds: int, runs: int) -> Row:
    """So many pendulums."""
    text = chain(2)
    equations = loaded(text).equations()
    rng = np.random.default_rng(0)
    starts = np.column_stack([rng.uniform(-1.0, 1.0, (runs, 2)), rng.uniform(-0.5, 0.5, (runs, 2))])
    names = (*equations.q_names, *equations.u_names)
    table = dict(zip(names, starts.T, strict=True))
    threads, final = cores(), np.empty((runs, 4))

    def ours() -> float:
        def work() -> None:
            ends = lw.simulate_many(equations, table, STEPS * STEP, method=lw.RK4(STEP), workers=threads)
            final[:] = ends.x[:, -1, :4]

        return clocked(work)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["LATCHWORK_CACHE"] = folder
        first = ours()
    mujoco = installed("mujoco")
    rival = roller(text, starts, threads, final) if mujoco and installed("mujoco.rollout") else None
    times = alternate(ours, rival, rounds, warm=0)
    remarks = {"runs": runs, "steps": STEPS, "threads": threads, "first call": first}
    work = f"{runs} double pendulums, 1 s each, on {threads} cores"
    return Row(work, "MuJoCo `rollout`, RK4", 10.0, *times, remarks)


def roller(text: str, starts: np.ndarray, threads: int, ours: np.ndarray) -> Callable[[], float]:
    """A round of MuJoCo's rollouts; they have to end where ours did."""
    import mujoco
    from mujoco.rollout import Rollout

    model = mujoco.MjModel.from_xml_string(text)
    data = [mujoco.MjData(model) for _ in range(threads)]
    states = np.column_stack([np.zeros(len(starts)), starts])  # time, coordinates, speeds
    portion = min(PORTION, len(starts))
    room, final = np.empty((portion, STEPS, states.shape[1])), np.empty_like(ours)
    sensors: Any = np.empty((portion, STEPS, 0))
    pool = Rollout(nthread=threads)

    def work() -> None:
        for k in range(0, len(starts), portion):
            part = slice(k, k + portion)
            pool.rollout(model, data, states[part], nstep=STEPS, state=room, sensordata=sensors)
            final[part] = room[:, -1, 1:5]

    def seconds() -> float:
        taken = clocked(work)
        if not np.median(np.abs(final - ours)) < SAME:
            raise SystemExit("Latchwork and MuJoCo arrive at different states.")
        return taken

    return seconds


if __name__ == "__main__":
    run(__file__, __doc__, rows, rounds=3)
