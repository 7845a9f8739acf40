"""Ten thousand pendulums over a belt for two seconds each: ``lw.simulate_many`` against a loop, and against MuJoCo.

    python benchmarks/belts.py [--out FOLDER] [--rounds N]

The double pendulum of Patoglu's third example over a belt of 2.5 m/s, with plastic impacts and a friction of 0.4 all
along, from random states: it strikes, slides, sticks, and is carried away. MuJoCo's belt is a heavy slab that moves at
2.5 m/s; its ``rollout`` has a thread for each core, steps of 2 ms (its default) or less, and elliptic cones. A loop of
``lw.simulate`` is measured at some of the runs, MuJoCo at as many as fill a round, each by the run. Errors are those of
the final angles, in the median, against runs of ours with a tolerance of 1e-12.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from measure import Row, alternate, attempted, clocked, cores, installed, run

import latchwork as lw
from latchwork import cos, dt, sin

RUNS, SPAN, BELT, MU = 10_000, 2.0, 2.5, 0.4
LOOP, PORTION, EXACT = 100, 500, 200  # runs of a loop, of a call of MuJoCo, and of those that errors are measured at
STEPS = (2e-3, 2e-4)

XML = """
<mujoco>
  <option gravity="0 0 -9.8" timestep="{step}" cone="elliptic"/>
  <worldbody>
    <body pos="0 0 -1.3"><joint name="belt" type="slide" axis="1 0 0"/>
      <geom type="box" size="40 1 0.1" mass="1e7" friction="{mu} 0 0" contype="1" conaffinity="2"/></body>
    <body><joint name="q1" axis="0 -1 0"/>
      <geom type="sphere" size="0.0001" pos="0 0 -1" mass="1" contype="0" conaffinity="0"/>
      <body pos="0 0 -1"><joint name="q2" axis="0 -1 0"/>
        <geom type="sphere" size="0.0001" pos="0 0 -1" mass="1" friction="{mu} 0 0" contype="2" conaffinity="1"/></body>
    </body>
  </worldbody>
</mujoco>
"""


def model() -> lw.Model:
    """The pendulum over a belt."""
    made = lw.Model("pendulum over a belt")
    q1, q2 = made.coordinates("q1", "q2")
    made.speeds(u1=dt(q1), u2=dt(q2))
    N, O = made.frame, made.origin
    P1 = O.at("P1", sin(q1) * N.x - cos(q1) * N.y)
    P2 = P1.at("P2", sin(q2) * N.x - cos(q2) * N.y)
    made.particle("P1", P1, 1.0)
    made.particle("P2", P2, 1.0)
    made.gravity(-9.8 * N.y)
    belt = lw.Line(point=O.at("belt", -1.2 * N.y), direction=N.x, normal=N.y, belt=BELT)
    made.contact("part", P2, belt, restitution=0.0, friction=MU)
    return made


def starts(count: int) -> dict[str, np.ndarray]:
    """Random states above the belt."""
    rng = np.random.default_rng(0)
    return {"q1": -0.2 + 0.1 * rng.uniform(-1, 1, count), "q2": -1.6 + 0.1 * rng.uniform(-1, 1, count),
            "u1": 3.0 + 0.3 * rng.uniform(-1, 1, count), "u2": -0.3 + 0.1 * rng.uniform(-1, 1, count)}  # fmt: skip


def rows(rounds: int, quick: bool) -> Iterator[Row]:
    """Against a loop, and against MuJoCo at each of its steps."""
    count = 16 if quick else RUNS
    made, table, workers = model(), starts(count), cores()
    names = ("q1", "q2")
    ends = np.zeros((count, 2))

    def ours() -> float:
        def work() -> None:
            runs = lw.simulate_many(made, table, SPAN, workers=workers)
            ends[:] = np.column_stack([runs.final[name] for name in names])

        return clocked(work) / count

    with attempted("a loop"):
        yield Row(f"{count} pendulums over a belt, 2 s each, on {workers} cores, by the run", "a loop of `lw.simulate`",
                  4.0, *alternate(ours, looped(made, table, min(LOOP, count)), rounds, warm=0))  # fmt: skip
    some = {name: values[:EXACT] for name, values in table.items()}
    tight = lw.simulate_many(made, some, SPAN, method=lw.DormandPrince(rtol=1e-12, atol=1e-13), workers=workers)
    exact = np.column_stack([tight.final[name] for name in names])
    own = float(np.nanmedian(np.abs(ends[:EXACT] - exact)))
    for step in STEPS if installed("mujoco") and installed("mujoco.rollout") else ():
        with attempted(f"MuJoCo at {step}"):
            rival, off = roller(table, workers, step, exact)
            times = alternate(ours, rival, rounds, warm=0)
            remarks = {"error": own, "error of MuJoCo": off(), "step": step}
            yield Row(f"the same; final angles off by {own:.1g} and {off():.1g}", f"MuJoCo, steps of {1e3 * step:g} ms",
                      1.0, *times, remarks)  # fmt: skip


def looped(made: lw.Model, table: dict[str, np.ndarray], count: int) -> Callable[[], float]:
    """Some of the runs, one after the other."""
    def seconds() -> float:
        def work() -> None:
            for i in range(count):
                lw.simulate(made, SPAN, q={name: float(table[name][i]) for name in ("q1", "q2")},
                            u={name: float(table[name][i]) for name in ("u1", "u2")})  # fmt: skip

        return clocked(work) / count

    return seconds


def roller(table: dict[str, np.ndarray], threads: int, step: float,
           exact: np.ndarray) -> tuple[Callable[[], float], Callable[[], float]]:  # fmt: skip
    """A round of MuJoCo's rollouts by the run; and by how much its final angles are off."""
    import mujoco
    from mujoco.rollout import Rollout

    xml = mujoco.MjModel.from_xml_string(XML.format(step=step, mu=MU))
    data = [mujoco.MjData(xml) for _ in range(threads)]
    count = min(PORTION, len(table["q1"]))
    q1, q2, u1, u2 = (table[name][:count] for name in ("q1", "q2", "u1", "u2"))
    none = np.zeros(count)
    states = np.column_stack([none, none, q1, q2 - q1, none + BELT, u1, u2 - u1])  # time, belt, angles, then speeds
    steps = round(SPAN / step)
    size = mujoco.mj_stateSize(xml, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    full = np.zeros((count, size))
    full[:, : states.shape[1]] = states
    sensors: Any = np.empty((count, steps, 0))
    room = np.empty((count, steps, size))
    pool = Rollout(nthread=threads)

    def seconds() -> float:
        return clocked(lambda: pool.rollout(xml, data, full, nstep=steps, state=room, sensordata=sensors)) / count

    def off() -> float:
        last = room[: len(exact), -1]
        found = np.column_stack([last[:, 2], last[:, 2] + last[:, 3]])
        return float(np.nanmedian(np.abs(found - exact[: len(found)])))

    return seconds, off




if __name__ == "__main__":
    run(__file__, __doc__, rows, rounds=2)
