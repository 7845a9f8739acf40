"""Stacks and heaps as people build them, by a default run: a tower, a wall, a funnel, bodies in space, a crate.

    python benchmarks/stacks.py [--out FOLDER] [--only NAME ...]

Nothing is listed and nothing is chosen: every body may touch every other (`model.collide`), and whether events are
followed or time is stepped is found by the run. Each row tells processor times (made: until the run can begin and, with
the first run, all that is compiled; run: the same again), how much of it was stepped, and what is judged: the most that
K + V ever gained, the least gap of any two shapes as the audit has it, and the fastest speed that is left at the end.
Beside the bodies in space stands MuJoCo, with steps of 2 ms and elliptic cones, all else as it is by default: the
same bodies from the same start, in the same run; its least gap is that of its contacts, its K + V taken every step.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measure import QUICK, RESULTS, attempted, finish, installed, machine, shown, table

import latchwork as lw

HEADS = ("scene", "bodies", "time", "made", "run", "stepped", "events", "K + V gained", "least gap",
         "fastest at the end")  # fmt: skip
G, FRICTION, STEP = 9.81, 0.6, 2e-3
Start = dict[str, float]


@dataclass(frozen=True)
class Scene:
    """A model, where it starts, and how long it is run."""

    model: lw.Model
    q: Start
    span: float


def planar_body(model: lw.Model, name: str, q: Start, place: tuple[float, float, float], shape: Any) -> Any:
    """A body of 1 kg in the plane; ``shape`` makes its shape, and its moment of inertia is that of a unit mass."""
    x, y, a = (f"{c}_{name}" for c in "xya")
    link = model.planar(name, q=[x, y, a], u=[f"u_{x}", f"u_{y}", f"u_{a}"])
    light = shape.light
    body = model.body(name, link.frame, link.origin, 1.0, lw.inertia(link.frame, light, light, 2.0 * light))
    q |= dict(zip((x, y, a), place, strict=True))
    return shape.on(body)


@dataclass(frozen=True)
class Disk:
    radius: float

    @property
    def light(self) -> float:
        return 0.25 * self.radius**2

    def on(self, body: Any) -> Any:
        return body.circle(self.radius)


@dataclass(frozen=True)
class Box:
    sides: tuple[float, float]

    @property
    def light(self) -> float:
        return sum(side**2 for side in self.sides) / 24.0

    def on(self, body: Any) -> Any:
        return body.box(self.sides)


def floor_of(model: lw.Model) -> Any:
    """A floor in the plane, with gravity."""
    model.gravity(-G * model.frame.y)
    return lw.Line(model.origin, model.frame.x, model.frame.y)


def tower(n: int) -> Scene:
    """Boxes exactly over each other, dropped from a millimetre each."""
    model, q = lw.Model("tower"), Start()
    shapes = [planar_body(model, f"b{k}", q, (0.0, 0.1 + 0.201 * k + 0.001, 0.0), Box((0.2, 0.2))) for k in range(n)]
    model.collide(*shapes, floor_of(model), friction=FRICTION, restitution=0.0)
    return Scene(model, q, 1.0)


def wall(n: int) -> Scene:
    """Courses of bricks, every other one shifted by half a brick, laid on each other."""
    model, q = lw.Model("wall"), Start()
    wide = max(2, round(math.sqrt(n)))
    shapes = []
    for k in range(n):
        course, along = divmod(k, wide)
        x = 0.205 * (along - 0.5 * (wide - 1)) + (0.05 if course % 2 else -0.05)
        shapes.append(planar_body(model, f"b{k}", q, (x, 0.05 + 0.1005 * course + 5e-4, 0.0), Box((0.2, 0.1))))
    model.collide(*shapes, floor_of(model), friction=FRICTION, restitution=0.0)
    return Scene(model, q, 1.0)


def funnel(n: int) -> Scene:
    """Disks that run through a funnel onto a floor."""
    model, q, rng = lw.Model("funnel"), Start(), np.random.default_rng(5)
    N, O = model.frame, model.origin
    wide, shapes = max(2, math.ceil(math.sqrt(n))), []
    for k in range(n):
        row, along = divmod(k, wide)
        x = 0.112 * (along - 0.5 * (wide - 1)) + rng.uniform(-0.005, 0.005)
        shapes.append(planar_body(model, f"b{k}", q, (x, 1.1 + 0.06 * wide + 0.11 * row, 0.0), Disk(0.05)))
    reach = 0.08 * wide + 0.3
    sides = []
    for side, sign in (("left", -1.0), ("right", 1.0)):
        low = O.at(f"{side} mouth", sign * 0.16 * N.x + 0.6 * N.y)
        high = O.at(f"{side} rim", sign * (0.16 + reach) * N.x + (0.6 + reach) * N.y)
        sides.append(lw.Segment(low, high))
    model.collide(*shapes, *sides, floor_of(model), friction=0.3, restitution=0.2)
    return Scene(model, q, 3.0)


def layers(n: int) -> list[Any]:
    """Places in layers over a floor, a little out of line."""
    rng, wide = np.random.default_rng(3), max(2, math.ceil((n / 2.0) ** (1.0 / 3.0)))
    places = [(k % (wide * wide) % wide, k % (wide * wide) // wide, k // (wide * wide)) for k in range(n)]
    return [0.3 * np.array(place) + [0.0, 0.0, 0.2] + rng.uniform(-0.02, 0.02, 3) for place in places]


def in_space(n: int) -> Scene:
    """Boxes and balls by turns, in layers over a floor, a little out of line."""
    model, q, shapes = lw.Model("boxes and balls"), Start(), []
    N, O = model.frame, model.origin
    for k, at in enumerate(layers(n)):
        link = model.joint("free", f"b{k}")
        light = 0.4 * 0.1**2 if k % 2 else 0.2**2 / 6.0
        body = model.body(f"b{k}", link.frame, link.origin, 1.0, lw.inertia(link.frame, light, light, light))
        shapes.append(body.sphere(0.1) if k % 2 else body.box((0.2, 0.2, 0.2)))
        q |= {f"q_b{k}_p{c}": float(value) for c, value in zip("xyz", at, strict=True)}
    model.collide(*shapes, lw.Plane(O, N.z), friction=FRICTION, restitution=0.0)
    model.gravity(-G * N.z)
    return Scene(model, q, 1.0)


def crate(n: int) -> Scene:
    """Boxes in space, two by two by two, on a floor and on each other."""
    model, q = lw.Model("crate"), Start()
    N, O, shapes = model.frame, model.origin, []
    for k in range(n):
        link = model.joint("free", f"b{k}")
        light = 0.2**2 / 6.0
        body = model.body(f"b{k}", link.frame, link.origin, 1.0, lw.inertia(link.frame, light, light, light))
        shapes.append(body.box((0.2, 0.2, 0.2)))
        at = [0.22 * (k % 2), 0.22 * (k // 2 % 2), 0.101 + 0.201 * (k // 4)]
        q |= {f"q_b{k}_p{c}": float(value) for c, value in zip("xyz", at, strict=True)}
    model.collide(*shapes, lw.Plane(O, N.z), friction=FRICTION, restitution=0.0)
    model.gravity(-G * N.z)
    return Scene(model, q, 0.5)


SCENES: dict[str, tuple[Callable[[int], Scene], int, int]] = {
    "tower": (tower, 10, 2), "wall": (wall, 30, 3), "funnel": (funnel, 100, 4), "space": (in_space, 50, 2),
    "crate": (crate, 8, 2),
}  # fmt: skip


@dataclass(frozen=True)
class Row:
    """What a run took, and what is judged of it."""

    name: str
    bodies: int
    span: float
    made: float
    run: float
    stepped: float  # seconds of the motion
    events: int
    gained: float
    gap: float
    fastest: float
    audit: str

    def cells(self) -> list[str]:
        return [self.name, str(self.bodies), f"{self.span:g} s", shown(self.made), shown(self.run),
                f"{self.stepped:.2f} s", str(self.events), f"{self.gained:.1e} J", f"{self.gap:.1e} m",
                f"{self.fastest:.1e}"]  # fmt: skip


def measured(name: str, make: Callable[[int], Scene], n: int) -> Row:
    """A default run of a scene, twice."""
    began = time.process_time()
    scene = make(n)
    sim = lw.Simulation(scene.model, scene.q)
    start = sim.state
    sim.advance(scene.span)
    first = time.process_time()
    sim.state = start
    sim.advance(scene.span)
    again, run = time.process_time() - first, sim.run
    audit, energy = run.audit, run.energy
    stepped = math.fsum(end - begin for begin, end, _ in audit.stepped)
    return Row(name, n, scene.span, first - began, again, stepped, len(run.events),
               max(float(np.diff(energy).max()), 0.0), float(audit.least_gap), float(np.abs(run.u[-1]).max()),
               str(audit))  # fmt: skip


def mujoco_in_space(mujoco: Any, n: int, span: float) -> Row:
    """MuJoCo on the boxes and balls in space: the same steps once in one call, once one by one for what is judged."""
    lines = [f'<mujoco><option timestep="{STEP}" cone="elliptic" gravity="0 0 {-G}"><flag energy="enable"/></option>',
             f'<default><geom friction="{FRICTION} 0 0" condim="3"/></default><worldbody>',
             '<geom type="plane" size="50 50 1"/>']  # fmt: skip
    for k, (x, y, z) in enumerate(layers(n)):
        light = 0.4 * 0.1**2 if k % 2 else 0.2**2 / 6.0
        shape = 'type="sphere" size="0.1"' if k % 2 else 'type="box" size="0.1 0.1 0.1"'
        lines.append(f'<body pos="{x} {y} {z}"><freejoint/><inertial pos="0 0 0" mass="1" '
                     f'diaginertia="{light} {light} {light}"/><geom {shape}/></body>')  # fmt: skip
    began = time.process_time()
    model = mujoco.MjModel.from_xml_string("".join([*lines, "</worldbody></mujoco>"]))
    data, steps, made, again = mujoco.MjData(model), round(span / STEP), time.process_time() - began, math.inf
    for _ in range(2):
        mujoco.mj_resetData(model, data)
        began = time.process_time()
        mujoco.mj_step(model, data, nstep=steps)
        again = min(again, time.process_time() - began)
    mujoco.mj_resetData(model, data)
    gap, energy = math.inf, []
    for _ in range(steps):
        mujoco.mj_step(model, data)
        gap = min(gap, float(data.contact.dist.min(initial=math.inf)))
        energy.append(float(data.energy.sum()))
    gained = max(float(np.diff(energy).max()), 0.0)
    return Row("space, MuJoCo", n, span, made, again, span, 0, gained, gap, float(np.abs(data.qvel).max()), "")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--only", nargs="+", default=list(SCENES), choices=list(SCENES))
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    rows: list[Row] = []
    for name in options.only[:1] if options.quick else options.only:
        make, bodies, few = SCENES[name]
        with attempted(name):
            rows.append(measured(name, make, few if options.quick else bodies))
            print("  ".join(rows[-1].cells()), file=sys.stderr, flush=True)
            if name == "space" and (mujoco := installed("mujoco")) is not None:
                rows.append(mujoco_in_space(mujoco, rows[-1].bodies, rows[-1].span))
                print("  ".join(rows[-1].cells()), file=sys.stderr, flush=True)
    text = table(HEADS, [row.cells() for row in rows])
    options.out.mkdir(parents=True, exist_ok=True)
    facts = {"stacks": [asdict(row) for row in rows], "machine": machine()}
    (options.out / "stacks.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (options.out / "stacks.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    finish()


if __name__ == "__main__":
    main()
