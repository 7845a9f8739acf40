"""Steps of RK4 for chains of rods: Latchwork against MuJoCo's ``mj_step``, in one process.

    python benchmarks/steps.py [--out FOLDER] [--rounds N]

Both read the same MJCF text: the same bodies, the same relative angles, steps of 1 ms. MuJoCo's contacts and
constraints are switched off, and its steps are repeated inside one call (``nstep``), as ours are, so nothing of Python
is counted on either side. Before anything is timed, both have to arrive at the same state after 0.1 s.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from chains import STEP, chain, loaded
from measure import Row, alternate, attempted, clocked, few, installed, repeats, run

import latchwork as lw
from latchwork import bench

AT_LEAST = {2: 20.0, 3: 20.0, 5: 20.0, 10: 8.0, 20: 5.0}
SAME = 1e-7


def rows(rounds: int, quick: bool) -> Iterator[Row]:
    """One row for each length."""
    mujoco = installed("mujoco")
    for links, at_least in few(AT_LEAST.items(), quick):
        work = f"step of RK4, chain of {links} links"
        with attempted(work):
            text = chain(links)
            equations = loaded(text).equations()
            rng = np.random.default_rng(links)
            q, u = rng.uniform(-1.0, 1.0, links), rng.uniform(-0.5, 0.5, links)
            rival = stepper(mujoco, text, q, u, equations) if mujoco else None
            times = alternate(bench.step_loop(equations, q, u, step=STEP).seconds, rival, rounds)
            remarks = {"links": links, "operations": len(equations.udot_program)}
            yield Row(work, "MuJoCo `mj_step`, RK4", at_least, *times, remarks)


def stepper(mujoco: Any, text: str, q: np.ndarray, u: np.ndarray, equations: Any) -> Callable[[], float]:
    """A round of MuJoCo's steps from the state given; first they have to be ours."""
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)

    def start() -> None:
        mujoco.mj_resetData(model, data)
        data.qpos[:], data.qvel[:] = q, u

    start()
    mujoco.mj_step(model, data, nstep=100)
    ours = lw.simulate(equations, 100 * STEP, q, u, method=lw.RK4(STEP)).x[-1, : 2 * len(q)]
    if not np.allclose(ours, np.concatenate([data.qpos, data.qvel]), rtol=SAME, atol=SAME):
        raise SystemExit(f"a chain of {len(q)} links: Latchwork and MuJoCo arrive at different states.")

    steps = 20 * repeats(lambda: mujoco.mj_step(model, data, nstep=20))

    def seconds() -> float:
        start()
        return clocked(lambda: mujoco.mj_step(model, data, nstep=steps)) / steps

    return seconds


if __name__ == "__main__":
    run(__file__, __doc__, rows, rounds=150)
