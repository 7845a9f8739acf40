"""Stick and restitution beside MuJoCo, in one run: error against error, time against time.

    python benchmarks/contact.py [--out FOLDER] [--rounds N]

A box lies on an incline of 20° whose friction is 1.05 times what is needed: it should not move. A ball falls on a floor
with a restitution of 0.75: it should rebound at 0.75 of its speed. MuJoCo runs with its default settings and default
step; for the ball the damping of the contact is set so that a linear spring and damper would give 0.75, since there is
no restitution to set. Times are processor times of a run from its start, of ten seconds and of one: describing,
deriving and compiling are apart for both (a `Simulation`, an `MjModel`), and MuJoCo's steps are made in one call.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measure import QUICK, RESULTS, attempted, finish, installed, machine, shown, table

import latchwork as lw

SLOPE, MARGIN, SPAN = math.radians(20.0), 1.05, 10.0
RESTITUTION, HEIGHT, RADIUS = 0.75, 1.0, 0.1
G = 9.81

INCLINE = """
<mujoco>
  <option gravity="{gx} 0 {gz}"/>
  <worldbody>
    <geom type="plane" size="100 100 1" friction="{mu} 0.005 0.0001"/>
    <body pos="0 0 0.1"><freejoint/>
      <geom type="box" size="0.2 0.2 0.1" mass="1" friction="{mu} 0.005 0.0001"/></body>
  </worldbody>
</mujoco>
"""
BALL = """
<mujoco>
  <option gravity="0 0 {gz}"/>
  <worldbody>
    <geom type="plane" size="10 10 1" solref="{stiffness} {damping}"/>
    <body pos="0 0 {start}"><freejoint/>
      <geom type="sphere" size="{radius}" mass="1" solref="{stiffness} {damping}"/></body>
  </worldbody>
</mujoco>
"""


@dataclass(frozen=True)
class Case:
    """What one of the two makes of a case: the number that should be ``exact``, and seconds of a run."""

    name: str
    engine: str
    value: float
    exact: float
    seconds: float

    @property
    def error(self) -> float:
        return abs(self.value - self.exact)


@dataclass(frozen=True)
class Work:
    """A run, and what is read from the last one."""

    run: Callable[[], Any]
    value: Callable[[], float]


def best(work: Work, rounds: int) -> tuple[float, float]:
    """What a run gives, and the least seconds it took; the first one is not counted."""
    work.run()
    least = math.inf
    for _ in range(rounds):
        began = time.process_time()
        work.run()
        least = min(least, time.process_time() - began)
    return work.value(), least


def prepared(model: lw.Model, q: dict[str, float], until: float, value: Callable[[lw.Trajectory], float]) -> Work:
    """Runs of one simulation, each from the same start."""
    sim = lw.Simulation(model, q)
    start = sim.state

    def run() -> None:
        sim.state = start
        sim.advance(until)

    return Work(run, lambda: value(sim.run))


# --- a box on an incline ----------------------------------------------------------------------------------------------


def box_on_incline() -> Work:
    """The way that the box goes in the run."""
    model = lw.Model("box on an incline")
    N, O = model.frame, model.origin
    A = N.rotated("A", SLOPE, N.y)
    link = model.joint("free", "box", A)
    inertia = lw.inertia(link.frame, xx=(0.04 + 0.01) / 3.0, yy=(0.04 + 0.01) / 3.0, zz=0.08 / 3.0)
    body = model.body("box", frame=link.frame, center=link.origin, mass=1.0, inertia=inertia)
    model.gravity(-G * N.z)
    box = lw.Box(link.origin, (0.4, 0.4, 0.2), body=body)
    model.contact("incline", box, lw.Plane(O, A.z), friction=lw.Coulomb(MARGIN * math.tan(SLOPE)))
    q = {"q_box_px": 0.0, "q_box_py": 0.0, "q_box_pz": 0.1}
    return prepared(model, q, SPAN, lambda path: float(np.linalg.norm(path.q[-1, :3] - path.q[0, :3])))


def mujoco_incline(mujoco: Any) -> Work:
    """The way that MuJoCo's box goes, after a second in which it sinks into the plane, over the rest of the run."""
    text = INCLINE.format(gx=G * math.sin(SLOPE), gz=-G * math.cos(SLOPE), mu=MARGIN * math.tan(SLOPE))
    model = mujoco.MjModel.from_xml_string(text)
    steps, settled = round(SPAN / model.opt.timestep), round(1.0 / model.opt.timestep)

    def value() -> float:
        data = mujoco.MjData(model)
        mujoco.mj_step(model, data, nstep=settled)
        start = data.qpos[:2].copy()
        mujoco.mj_step(model, data, nstep=steps - settled)
        return float(np.linalg.norm(data.qpos[:2] - start))

    return Work(lambda: mujoco.mj_step(model, mujoco.MjData(model), nstep=steps), value)


# --- a ball that rebounds ---------------------------------------------------------------------------------------------


def ball() -> Work:
    """The speed after the first impact over that before it."""
    model = lw.Model("ball")
    (z,) = model.coordinates("z")
    model.speeds()
    center = model.origin.at("C", z * model.frame.z)
    body = model.body("ball", frame=model.frame, center=center, mass=1.0)
    model.gravity(-G * model.frame.z)
    sphere = lw.Sphere(center, RADIUS, body=body)
    model.contact("floor", sphere, lw.Plane(model.origin, model.frame.z), restitution=RESTITUTION)

    def value(path: lw.Trajectory) -> float:
        t = path.events[0].t
        before, after = np.flatnonzero(path.t == t)[:2]
        return float(-path["u_z"][after] / path["u_z"][before])

    return prepared(model, {"z": HEIGHT + RADIUS}, 1.0, value)


def mujoco_ball(mujoco: Any) -> Work:
    """The same of MuJoCo: the fastest fall, and the fastest rise after it."""
    stiffness, log = 1e5, math.log(RESTITUTION)
    ratio = -log / math.hypot(math.pi, log)
    text = BALL.format(gz=-G, stiffness=-stiffness, damping=-2.0 * ratio * math.sqrt(stiffness), radius=RADIUS,
                       start=HEIGHT + RADIUS)  # fmt: skip
    model = mujoco.MjModel.from_xml_string(text)

    def value() -> float:
        data, speeds = mujoco.MjData(model), []
        while data.time < 1.0:
            mujoco.mj_step(model, data)
            speeds.append(data.qvel[2])
        return float(-max(speeds[int(np.argmin(speeds)) :]) / min(speeds))

    steps = round(1.0 / model.opt.timestep)
    return Work(lambda: mujoco.mj_step(model, mujoco.MjData(model), nstep=steps), value)


def cases(rounds: int, quick: bool) -> list[Case]:
    """Both cases by both."""
    mujoco = installed("mujoco")
    found = []
    both = (
        ("way of a box on an incline, 1.05 of the friction needed, m", 0.0, box_on_incline, mujoco_incline),
        ("restitution of a ball", RESTITUTION, ball, mujoco_ball),
    )
    for name, exact, ours, theirs in both[1:] if quick else both:
        with attempted(name):
            found.append(Case(name, "Latchwork", *_ordered(best(ours(), rounds), exact)))
        if mujoco is not None:
            with attempted(f"{name}, by MuJoCo"):
                found.append(Case(name, "MuJoCo", *_ordered(best(theirs(mujoco), rounds), exact)))
    return found


def _ordered(measured: tuple[float, float], exact: float) -> tuple[float, float, float]:
    return measured[0], exact, measured[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--rounds", type=int, default=5, help="rounds of each case (default: 5)")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    found = cases(1 if options.quick else max(1, options.rounds), options.quick)
    lines = [[c.name, c.engine, f"{c.value:.6g}", f"{c.error:.2g}", shown(c.seconds)] for c in found]
    text = table(("case", "", "found", "off by", "time of the run"), lines)
    options.out.mkdir(parents=True, exist_ok=True)
    facts = {"cases": [asdict(c) for c in found], "machine": machine()}
    (options.out / "contact.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (options.out / "contact.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    finish()


if __name__ == "__main__":
    main()
