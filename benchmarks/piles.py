"""Piles beside MuJoCo, in one run: disks, squares and both, on a floor between walls or on stairs, error beside error.

    python benchmarks/piles.py [--out FOLDER] [--bodies N ...] [--shapes S ...] [--layouts L ...] [--always]
                               [--growth N ...]

Bodies of 1 kg in the plane fall for a second and a half, with a friction of 0.5. They begin in rows (*grid*), in rows
shifted by half (*hexagonal*), at places and angles drawn by a seed (*random*), or over *stairs*. MuJoCo steps by 2 ms
with elliptic cones, all else as it is by default; a disk is a sphere there, kept in the plane by two sliders and a
hinge, which is the quickest of its pairs. Times are those of the run from its start, in processor time; describing,
making contact points and compiling are apart (*made in*). Errors are taken from coordinates and speeds alone, sampled
every 2 ms: the deepest penetration of any two shapes, the most that K + V ever gains from one sample to the next, and,
for a cloud of the same bodies that meets in free space, by how much linear and angular momentum change, as a part of
what its bodies have. ``--growth`` plots the time of disks in a grid against their number.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import itertools
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from measure import QUICK, RESULTS, attempted, finish, installed, machine, number, shown, table
from numpy.typing import NDArray

import latchwork as lw

Array = NDArray[np.float64]
RADIUS, SIDE, STEP, SPAN, FRICTION, G = 0.1, 0.18, 2e-3, 1.5, 0.5, 9.81
SHAPES = ("disks", "boxes", "mixed")
LAYOUTS = ("grid", "hexagonal", "random", "stairs")
HEADS = ("pile", "bodies", "Latchwork", "MuJoCo", "times as long", "made in", "at rest after", "penetration",
         "MuJoCo's", "K + V gains", "MuJoCo's")  # fmt: skip
TREAD, RISE, STEPS = 0.5, 0.15, 8


@dataclass(frozen=True)
class Scene:
    """Bodies by their shape, where they begin, and what is fixed: half-planes, or stairs."""

    name: str
    is_disk: tuple[bool, ...]
    q: Array  # (bodies, 3): x, y, angle
    width: float
    stairs: bool = False
    u: Array = field(default_factory=lambda: np.zeros((0, 3)))  # where they fly, without weight and walls

    @property
    def flies(self) -> bool:
        return len(self.u) > 0


# --- layouts ----------------------------------------------------------------------------------------------------------


def scene(shapes: str, layout: str, n: int, seed: int = 1) -> Scene:
    """A pile of so many bodies, about half as high as wide when it rests."""
    rng = np.random.default_rng(seed)
    is_disk = {"disks": [True] * n, "boxes": [False] * n, "mixed": [k % 2 == 0 for k in range(n)]}[shapes]
    columns = max(2, math.ceil(math.sqrt(n / 2.0) * 1.3))
    width = 0.3 * columns
    places = PLACES[layout](n, columns, rng)
    return Scene(f"{layout}, {shapes}", tuple(is_disk), places, width, layout == "stairs")


def _grid(n: int, columns: int, rng: np.random.Generator) -> Array:
    """Rows over the floor, upright, a little out of line."""
    k, (dx, dy) = np.arange(n), rng.uniform(-0.01, 0.01, (2, n))
    x, y = 0.27 * (k % columns - 0.5 * (columns - 1)), 0.15 + 0.25 * (k // columns)
    return np.column_stack([x + dx, y + dy, 0.0 * k])


def _hexagonal(n: int, columns: int, rng: np.random.Generator) -> Array:
    """Rows over each other, every other one shifted by half."""
    q = _grid(n, columns, rng)
    q[:, 0] += np.where(np.arange(n) // columns % 2 == 0, -0.0625, 0.0625)
    return q


def _random(n: int, columns: int, rng: np.random.Generator) -> Array:
    """Anywhere in a box twice as high as needed, not in each other, turned at random."""
    places: list[tuple[float, float]] = []
    half, top = 0.5 * 0.3 * columns - 0.14, 0.5 + 0.15 * n / columns
    while len(places) < n:
        x, y = rng.uniform(-half, half), rng.uniform(0.15, top)
        if all((x - a) ** 2 + (y - b) ** 2 > 0.27**2 for a, b in places):
            places.append((float(x), float(y)))
        top += 1e-3
    return np.column_stack([places, rng.uniform(-math.pi, math.pi, n)])


def _stairs(n: int, columns: int, rng: np.random.Generator) -> Array:
    """Rows over stairs that lead down to the right, a little out of line."""
    k = np.arange(n)
    x, y = 0.27 * (k % columns) + 0.15, 0.3 + 0.25 * (k // columns)
    dx, dy = rng.uniform(-0.01, 0.01, (2, n))
    return np.column_stack([x + dx, y + dy, rng.uniform(-0.2, 0.2, n)])


PLACES: dict[str, Callable[[int, int, np.random.Generator], Array]] = {
    "grid": _grid, "hexagonal": _hexagonal, "random": _random, "stairs": _stairs,
}  # fmt: skip


def cloud(shapes: str, n: int, seed: int = 2) -> Scene:
    """Bodies without weight that fly at their common centre."""
    made = scene(shapes, "random", n, seed)
    center = made.q[:, :2].mean(axis=0)
    u = np.column_stack([1.5 * (center - made.q[:, :2]), np.random.default_rng(seed).normal(size=n)])
    return Scene(f"cloud, {shapes}", made.is_disk, made.q, made.width, u=u)


# --- both engines -----------------------------------------------------------------------------------------------------

LIGHT = {True: 0.5 * RADIUS**2, False: SIDE**2 / 6.0}  # moments of inertia of a disk and of a square of 1 kg


def latchwork(made: Scene, listed: bool = True) -> tuple[lw.Model, dict[str, float], dict[str, float]]:
    """The scene as a model, with every pair that may touch ``listed``, or found by the run."""
    model = lw.Model("pile")
    law = {"friction": FRICTION, "restitution": 0.0}
    shapes: list[Any] = []
    for k, is_disk in enumerate(made.is_disk):
        link = model.planar(f"b{k}", q=[f"x{k}", f"y{k}", f"a{k}"], u=[f"vx{k}", f"vy{k}", f"w{k}"])
        half = 0.5 * LIGHT[is_disk]
        body = model.body(f"b{k}", link.frame, link.origin, 1.0, lw.inertia(link.frame, half, half, LIGHT[is_disk]))
        shapes.append(body.circle(RADIUS) if is_disk else body.box((SIDE, SIDE)))
    fixed = {} if made.flies else walls(model, made)
    if listed:
        for name, wall in fixed.items():
            for k, shape in enumerate(shapes):
                model.contact(f"{k} on {name}", shape, wall, **law)
        for i, j in itertools.combinations(range(len(shapes)), 2):
            model.contact(f"{j} on {i}", shapes[j], shapes[i], **law)
    else:
        model.collide(*shapes, *fixed.values(), **law)
    if not made.flies:
        model.gravity(-G * model.frame.y)
    q = {f"{c}{k}": float(value) for k, row in enumerate(made.q) for c, value in zip("xya", row, strict=True)}
    u = {f"{c}{k}": float(v) for k, row in enumerate(made.u) for c, v in zip(("vx", "vy", "w"), row, strict=True)}
    return model, q, u


def walls(model: lw.Model, made: Scene) -> dict[str, Any]:
    """A floor between two walls; stairs."""
    N, O = model.frame, model.origin
    if made.stairs:
        corners = [O.at(f"s{k}", x * N.x + y * N.y) for k, (x, y) in enumerate(profile())]
        return {"stairs": lw.Polyline(corners)}
    left, right = O.at("left", -0.5 * made.width * N.x), O.at("right", 0.5 * made.width * N.x)
    return {"floor": lw.Line(O, N.x, N.y), "left": lw.Line(left, N.y, N.x), "right": lw.Line(right, N.y, -N.x)}


def profile() -> list[tuple[float, float]]:
    """The corners of the stairs, from a wall on the left down to the right; the surface is on their left."""
    corners = [(0.0, 10.0), (0.0, 0.0)]
    for k in range(STEPS):
        x, y = TREAD * (k + 1), -RISE * k
        corners += [(x, y), (x, y - RISE)]
    return [*corners, (100.0, -RISE * STEPS)]


def mjcf(made: Scene) -> str:
    """The scene as MuJoCo's XML: x and z are the plane."""
    lines = [f'<mujoco><option timestep="{STEP}" cone="elliptic" gravity="0 0 {0.0 if made.flies else -G}"/>',
             f'<default><geom friction="{FRICTION} 0 0" condim="3"/></default><worldbody>']  # fmt: skip
    half = 0.5 * made.width
    if made.stairs:
        tops = [(-1.0, 0.0, 10.0), *((TREAD * k, TREAD * (k + 1), -RISE * k) for k in range(STEPS)),
                (TREAD * STEPS, 100.0, -RISE * STEPS)]  # fmt: skip
        lines += [f'<geom type="box" pos="{0.5 * (a + b)} 0 {y - 5.0}" size="{0.5 * (b - a)} 1 5"/>'
                  for a, b, y in tops]  # fmt: skip
    elif not made.flies:
        lines += ['<geom type="plane" size="50 50 1"/>',
                  f'<geom type="plane" pos="{-half} 0 0" zaxis="1 0 0" size="50 50 1"/>',
                  f'<geom type="plane" pos="{half} 0 0" zaxis="-1 0 0" size="50 50 1"/>']  # fmt: skip
    for (x, y, _), is_disk in zip(made.q.tolist(), made.is_disk, strict=True):
        light = LIGHT[is_disk]
        shape = f'type="sphere" size="{RADIUS}"' if is_disk else f'type="box" size="{SIDE / 2} {SIDE / 2} {SIDE / 2}"'
        lines.append(f'<body pos="{x} 0 {y}"><joint type="slide" axis="1 0 0"/>'
                     f'<joint type="slide" axis="0 0 1"/><joint type="hinge" axis="0 -1 0"/>'
                     f'<inertial pos="0 0 0" mass="1" diaginertia="{light} {light} {light}"/>'
                     f"<geom {shape}/></body>")  # fmt: skip
    return "".join([*lines, "</worldbody></mujoco>"])


@dataclass(frozen=True)
class Run:
    """What an engine made of a scene: seconds, and coordinates and speeds every 2 ms."""

    seconds: float
    q: Array  # (samples, bodies, 3)
    u: Array
    made: float = 0.0
    rests: float = math.nan
    told: str = ""


def ours(made: Scene, rounds: int, thick: lw.TimeStepping | None, listed: bool = True) -> Run:
    """A run of Latchwork; the first one makes contact points and brings machine code, the others, from the same start,
    are clocked."""
    began = time.perf_counter()
    model, q, u = latchwork(made, listed)
    sim = lw.Simulation(model, q, u, **({} if thick is None else {"thick": thick}))
    start = sim.state
    sim.advance(SPAN)
    compiled, least = time.perf_counter() - began, math.inf
    for _ in range(rounds):
        sim.state = start
        began = time.process_time()
        sim.advance(SPAN)
        least = min(least, time.process_time() - began)
    run, n = sim.run, len(made.is_disk)
    t = np.linspace(0.0, SPAN, round(SPAN / STEP) + 1)
    sampled = run.at(t)
    places = np.stack([[sampled[f"{c}{k}"] for c in "xya"] for k in range(n)])
    speeds = np.stack([[sampled[f"{c}{k}"] for c in ("vx", "vy", "w")] for k in range(n)])
    stepped = run.audit.stepped
    rests = stepped[-1][1] if stepped and stepped[-1][1] < SPAN else math.nan
    return Run(least, places.transpose(2, 0, 1), speeds.transpose(2, 0, 1), compiled - least, rests, str(run.audit))


def theirs(mujoco: Any, made: Scene, rounds: int) -> Run:
    """A run of MuJoCo, all of its steps in one call; then once more, step by step, for its samples."""
    model, steps, n = mujoco.MjModel.from_xml_string(mjcf(made)), round(SPAN / STEP), len(made.is_disk)

    def start() -> Any:
        data = mujoco.MjData(model)
        data.qpos[2::3] = made.q[:, 2]
        if made.flies:
            data.qvel[:] = made.u.ravel()
        return data

    least = math.inf
    for _ in range(rounds + 1):
        data = start()
        began = time.process_time()
        mujoco.mj_step(model, data, nstep=steps)
        least = min(least, time.process_time() - began)
    data, q, u = start(), [], []
    for _ in range(steps + 1):
        q.append(data.qpos.reshape(n, 3) + made.q * [1.0, 1.0, 0.0])
        u.append(data.qvel.reshape(n, 3).copy())
        mujoco.mj_step(model, data)
    return Run(least, np.array(q), np.array(u))


# --- errors -----------------------------------------------------------------------------------------------------------


def corners_of(q: Array) -> Array:
    """The corners of a square, (..., 4, 2)."""
    c, s = np.cos(q[..., 2]), np.sin(q[..., 2])
    local = 0.5 * SIDE * np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    turn = np.stack([np.stack([c, -s], -1), np.stack([s, c], -1)], -2)
    return q[..., None, :2] + np.einsum("...ij,kj->...ki", turn, local)


def overlap(points: Array, center: Array, radius: float) -> Array:
    """How deep a rounded set of points reaches into a square at ``center``: the least over its four sides, (...,)."""
    c, s = np.cos(center[..., 2]), np.sin(center[..., 2])
    arm = points - center[..., None, :2]
    along = np.stack([arm[..., 0] * c[..., None] + arm[..., 1] * s[..., None],
                      arm[..., 1] * c[..., None] - arm[..., 0] * s[..., None]], -1)  # fmt: skip
    sides = [0.5 * SIDE + radius - sign * along[..., axis] for axis in (0, 1) for sign in (1.0, -1.0)]
    return np.min([side.max(axis=-1) for side in sides], axis=0)


def round_overlap(center: Array, q: Array) -> Array:
    """How deep a disk reaches into a square: by the nearest place of the square."""
    c, s = np.cos(q[..., 2]), np.sin(q[..., 2])
    arm = center[..., :2] - q[..., :2]
    along = np.stack([arm[..., 0] * c + arm[..., 1] * s, arm[..., 1] * c - arm[..., 0] * s], -1)
    beyond = np.abs(along) - 0.5 * SIDE
    away = np.hypot(*np.maximum(beyond, 0.0).transpose(-1, *range(beyond.ndim - 1)))
    return RADIUS - np.where(away > 0.0, away, beyond.max(axis=-1))


def penetration(made: Scene, q: Array) -> float:
    """The deepest overlap of any two shapes at any sample."""
    deepest, ends = 0.0, [corners_of(q[:, k]) for k in range(len(made.is_disk))]
    for k, is_disk in enumerate(made.is_disk):
        if not made.flies:
            points = q[:, k, None, :2] if is_disk else ends[k]
            deepest = max(deepest, float(_in_walls(made, points, RADIUS if is_disk else 0.0).max()))
        for j in range(k):
            near = np.hypot(*(q[:, k, :2] - q[:, j, :2]).T) < 2.0 * 0.75 * SIDE
            if near.any():
                deepest = max(deepest, float(_pair(made, q[near], ends, near, k, j).max()))
    return deepest


def _pair(made: Scene, q: Array, ends: Sequence[Array], near: Array, k: int, j: int) -> Array:
    """How deep two bodies are in each other, (...,)."""
    one, other = made.is_disk[k], made.is_disk[j]
    if one and other:
        return 2.0 * RADIUS - np.hypot(*(q[:, k, :2] - q[:, j, :2]).T)
    if one != other:
        disk, box = (k, j) if one else (j, k)
        return round_overlap(q[:, disk], q[:, box])
    return np.minimum(overlap(ends[k][near], q[:, j], 0.0), overlap(ends[j][near], q[:, k], 0.0))


def _in_walls(made: Scene, points: Array, radius: float) -> Array:
    """How deep points with a radius are in what is fixed."""
    x, y = points[..., 0], points[..., 1]
    if not made.stairs:
        return radius - np.minimum(y, 0.5 * made.width - np.abs(x)).min(axis=-1)
    found = radius - x.min(axis=-1)
    for k in range(STEPS + 1):
        right = TREAD * (k + 1) if k < STEPS else math.inf  # each step is everything to the left of its riser
        dx, dy = x - right, y + RISE * k
        outside = np.hypot(np.maximum(dx, 0.0), np.maximum(dy, 0.0))
        found = np.maximum(found, (radius - np.where(outside > 0.0, outside, np.maximum(dx, dy))).max(axis=-1))
    return found


def energies(made: Scene, run: Run) -> Array:
    """K + V at the samples."""
    light = np.array([LIGHT[is_disk] for is_disk in made.is_disk])
    K = 0.5 * (run.u[..., 0] ** 2 + run.u[..., 1] ** 2 + light * run.u[..., 2] ** 2).sum(axis=-1)
    return K + (0.0 if made.flies else G) * run.q[..., 1].sum(axis=-1)


def momentum_error(made: Scene, run: Run) -> float:
    """The most by which linear and angular momentum change, as a part of Σ |p| and Σ |L|."""
    light = np.array([LIGHT[is_disk] for is_disk in made.is_disk])
    p, q = run.u[..., :2], run.q[..., :2] - run.q[:1, :, :2].mean(axis=1, keepdims=True)
    L = q[..., 0] * p[..., 1] - q[..., 1] * p[..., 0] + light * run.u[..., 2]
    linear = np.abs(p.sum(axis=1) - p[0].sum(axis=0)).max() / np.abs(p[0]).sum()
    angular = np.abs(L.sum(axis=1) - L[0].sum()).max() / np.abs(L[0]).sum()
    return float(max(linear, angular))


# --- the table --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """Both engines on one scene."""

    name: str
    bodies: int
    ours: float
    theirs: float
    made: float
    rests: float
    penetration: tuple[float, float]
    gains: tuple[float, float]

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs

    def cells(self) -> list[str]:
        rests = "" if math.isnan(self.rests) else f"{self.rests:.3f} s"
        return [self.name, str(self.bodies), shown(self.ours), shown(self.theirs), number(self.ratio),
                f"{self.made:.1f} s", rests, *(f"{d:.1e} m" for d in self.penetration),
                *(f"{e:.1e} J" for e in self.gains)]  # fmt: skip


def compared(mujoco: Any, made: Scene, rounds: int, thick: lw.TimeStepping | None) -> tuple[Row, str]:
    """A row of the table, and what our audit says."""
    a, b = ours(made, rounds, thick), theirs(mujoco, made, rounds)
    gains = tuple(max(float(np.diff(energies(made, run)).max()), 0.0) for run in (a, b))
    deep = tuple(max(penetration(made, run.q), 0.0) for run in (a, b))
    return Row(made.name, len(made.is_disk), a.seconds, b.seconds, a.made, a.rests, deep, gains), a.told  # type: ignore[arg-type]


def growth(mujoco: Any, counts: Sequence[int], thick: lw.TimeStepping | None, out: Path) -> str:
    """Time against the number of disks of a grid, without lists of pairs, as a table and as a plot."""
    times = []
    for n in counts:
        made = scene("disks", "grid", n)
        times.append((ours(made, 1, thick, False).seconds, theirs(mujoco, made, 1).seconds))
        print(n, *times[-1], file=sys.stderr, flush=True)
    out.mkdir(parents=True, exist_ok=True)
    draw(counts, times, out / "piles.svg")
    rows = [[str(n), shown(a), shown(b), number(a / b)] for n, (a, b) in zip(counts, times, strict=True)]
    return table(("disks in a grid", "Latchwork", "MuJoCo", "times as long"), rows)


def draw(counts: Sequence[int], times: Sequence[tuple[float, float]], path: Path) -> None:
    """Processor time against disks, both axes logarithmic."""
    from matplotlib import rc_context

    from latchwork.view.plots import COLORS, figure
    from latchwork.view.svg import INSIDE, compact

    with rc_context(INSIDE | {"figure.facecolor": "white"}):
        made = figure(7.0, 4.6)
        axes = made.subplots()
        for k, (name, color) in enumerate(zip(("Latchwork", "MuJoCo"), COLORS, strict=False)):
            axes.loglog(counts, [pair[k] for pair in times], "o-", markersize=4, color=color, label=name)
        axes.set_xticks(counts, map(str, counts))
        axes.set_xticks([], minor=True)
        axes.set(xlabel="disks", ylabel=f"processor time of {SPAN:g} s, in s")
        axes.grid(alpha=0.15)
        axes.spines[["top", "right"]].set_visible(False)
        axes.legend(frameon=False, loc="upper left")
        made.savefig(path, format="svg", metadata={"Date": None, "Creator": None})
    path.write_text(compact(path.read_text(encoding="utf-8")), encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--bodies", type=int, nargs="+", default=[30, 100])
    parser.add_argument("--shapes", nargs="+", default=SHAPES)
    parser.add_argument("--layouts", nargs="+", default=LAYOUTS)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--always", action="store_true", help="step from the start")
    parser.add_argument("--growth", type=int, nargs="*", default=[], help="numbers of disks in a grid, to be plotted")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    mujoco = installed("mujoco")
    thick = lw.TimeStepping(STEP, always=True) if options.always else None
    counts, rounds = ([3], 1) if options.quick else (options.bodies, options.rounds)
    rows, facts = [], []
    for n, shapes, layout in itertools.product(counts, options.shapes, options.layouts):
        made = scene(shapes, layout, n)
        with attempted(f"{made.name}, {n}"):
            row, told = compared(mujoco, made, rounds, thick)
            rows.append(row)
            facts.append(asdict(row) | {"audit": told})
            print("  ".join(row.cells()), file=sys.stderr, flush=True)
    text = table(HEADS, [row.cells() for row in rows])
    for shapes in options.shapes:
        with attempted(f"cloud of {shapes}"):
            made = cloud(shapes, min(counts[0], 30))
            off = [momentum_error(made, run) for run in (ours(made, 1, thick), theirs(mujoco, made, 1))]
            text += f"\n\nMomentum of a cloud of {len(made.is_disk)} {shapes}: off by {off[0]:.1e}, "
            text += f"MuJoCo's by {off[1]:.1e}."
    if options.growth:
        text += "\n\n" + growth(mujoco, options.growth, thick, options.out)
    for n in counts:
        some = [row.ratio for row in rows if row.bodies == n]
        if some:
            text += f"\n\nMedian over {len(some)} piles of {n} bodies: {number(statistics.median(some))} times as long."
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "piles.json").write_text(json.dumps({"piles": facts, "machine": machine()}, indent=2) + "\n",
                                            encoding="utf-8")  # fmt: skip
    (options.out / "piles.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    finish()


if __name__ == "__main__":
    main()
