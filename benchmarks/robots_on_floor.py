"""Robots dropped on the floor: Latchwork against MuJoCo, the same files, shapes and time, in one process.

    python benchmarks/robots_on_floor.py [--out FOLDER] [--seconds S] [--only NAME ...]

Each robot is loaded by one line, `lw.load(file, floating=True, ground=True)`, lifted, and let go; nothing is said of
how to run it, and steps are of 2 ms where it is stepped. Shapes meet the floor alone, with friction 1, in both; joints
have the damping and the dry friction of the file, and no stops. Where nothing in the file resists joints that would
swing for ever, all have a dry friction of 0.1 N m; Solo 12, whose legs are straight, begins with its knees bent by
0.002. MuJoCo makes steps of 2 ms with elliptic cones. What a run took is processor time: the first time, with all that
is made of the model as it goes (contact points, their programs, machine code), and once more from the same start.
MuJoCo's model is made before. Beside it stands what came of it: when it came to rest, the fastest speed at the end, and
how deep anything was in the floor, which is what the times are the price of.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import numpy as np
from measure import QUICK, RESULTS, attempted, few, finish, installed, machine, table

import latchwork as lw

LIFT = 0.2  # m
STEP = 2e-3
DOG = Path(__file__).resolve().parents[1] / "examples" / "dog.urdf"
HEADS = ("robot", "speeds", "shapes", "the first time", "again", "MuJoCo", "times as long", "at rest after",
         "fastest at the end", "MuJoCo's", "least gap", "MuJoCo's", "energy off by")  # fmt: skip


@dataclass(frozen=True)
class Robot:
    """A robot of the table, and its file in example-robot-data."""

    name: str
    file: str = ""
    friction: float = 0.0  # N m, of every joint
    q: Mapping[str, float] = field(default_factory=dict)  # where it begins, besides the lift
    seconds: float = 0.0  # at least, of its run


BENT = {f"{leg}_{joint}": turn for leg in ("FL", "FR", "HL", "HR") for joint, turn in (("HFE", 1e-3), ("KFE", -2e-3))}

ROBOTS = (
    Robot("dog, quadruped"),
    Robot("A1, quadruped", "a1_description/urdf/a1.urdf"),
    Robot("Laikago, quadruped", "laikago_description/urdf/laikago.urdf"),
    Robot("ANYmal, quadruped", "anymal_b_simple_description/robots/anymal.urdf"),
    Robot("Go2, quadruped of meshes", "go2_description/urdf/go2.urdf"),
    Robot("Solo 12, quadruped of meshes", "solo_description/robots/solo12.urdf", q=BENT),
    Robot("Z1, arm", "z1_description/urdf/z1.urdf"),
    Robot("xArm 7, arm", "xarm_description/urdf/xarm7.urdf"),
    Robot("Panda, arm", "panda_description/urdf/panda_collision.urdf", seconds=4.5),
    Robot("UR5, arm, with friction", "ur_description/urdf/ur5_robot.urdf", friction=0.1),
    Robot("Talos, humanoid", "talos_data/robots/talos_reduced.urdf"),
    Robot("G1, humanoid, with friction", "g1_description/urdf/g1_29dof_rev_1_0.urdf", friction=0.1),
)


def path_of(robot: Robot) -> Path | None:
    """The file of a robot; none where the package is not installed."""
    if not robot.file:
        return DOG
    try:
        found = [path for path in files("example-robot-data") or [] if str(path).endswith(robot.file)]
    except PackageNotFoundError:
        return None
    return Path(str(found[0].locate())) if found else None


def packages(path: Path) -> list[Path]:
    """Where its meshes are looked for."""
    return [parent.parent for parent in path.parents if parent.name == "example-robot-data"]


def ours(path: Path, about: Robot, seconds: float) -> dict[str, Any]:
    """Load, lift, let go; and once more from the same start."""
    robot = lw.load(path, floating=True, ground=True, packages=packages(path))
    for joint in [joint for joint in robot.joints.values() if about.friction and joint.axis is not None]:
        robot.friction(f"{joint.name} dry", joint.link or joint.rate, about.friction)
    equations, times = robot.equations(), []
    began = time.process_time()
    sim = lw.Simulation(robot, q={"root_joint_pz": LIFT, **about.q})
    start = sim.state
    for _ in range(3):
        sim.state = start
        sim.advance(seconds)
        times.append(time.process_time() - began)
        began = time.process_time()
    run = sim.run
    moving = np.flatnonzero(np.abs(run.u).max(axis=1) > 0.0)
    return {
        "speeds": len(equations.u), "shapes": len(robot.collisions[0].colliders), "first": times[0],
        "seconds": min(times[1:]), "rest": float(run.t[min(int(moving[-1]) + 1, len(run.t) - 1)]),
        "fastest": float(np.abs(run.u[-1]).max()), "gap": run.audit.least_gap, "off": run.audit.energy_error,
        "events": len(run.events),
    }  # fmt: skip


def theirs(mujoco: Any, path: Path, about: Robot, seconds: float) -> dict[str, Any]:
    """The same file on a free joint over a plane; nothing else collides."""
    text = path.read_text(encoding="utf-8")
    for folder in packages(path):
        text = text.replace("package://", f"{folder}/")
    spec = mujoco.MjSpec.from_string(text)
    spec.compiler.discardvisual, spec.compiler.balanceinertia, spec.compiler.boundinertia = True, True, 1e-6
    spec.worldbody.first_body().add_freejoint()
    for geom in spec.geoms:
        geom.contype, geom.conaffinity, geom.condim = 1, 0, 3
    floor = spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[10, 10, 1])
    floor.contype, floor.conaffinity, floor.condim = 0, 1, 3
    model = spec.compile()
    model.opt.timestep, model.opt.cone = STEP, mujoco.mjtCone.mjCONE_ELLIPTIC
    model.jnt_limited[:] = 0
    model.dof_frictionloss[6:] += about.friction
    data, times, deep = mujoco.MjData(model), [], 0.0
    mujoco.mj_forward(model, data)
    lowest = lowest_corner(mujoco, model, data)
    for _ in range(2):
        mujoco.mj_resetData(model, data)
        data.qpos[2] += LIFT - lowest
        for name, value in about.q.items():
            data.joint(name).qpos[0] = value
        began = time.process_time()
        for _ in range(round(seconds / STEP)):
            mujoco.mj_step(model, data)
            deep = min(deep, *data.contact.dist[: data.ncon], 0.0)
        times.append(time.process_time() - began)
    return {"seconds": min(times), "fastest": float(np.abs(data.qvel).max()), "gap": float(deep)}


def lowest_corner(mujoco: Any, model: Any, data: Any) -> float:
    """How low the shapes of a robot reach as its file places them."""
    return float(min(_lowest(mujoco, model, data, i) for i in range(model.ngeom) if model.geom_contype[i] == 1))


def _lowest(mujoco: Any, model: Any, data: Any, i: int) -> float:
    """How low one shape reaches."""
    kind, size, z = model.geom_type[i], model.geom_size[i], data.geom_xpos[i][2]
    row = data.geom_xmat[i].reshape(3, 3)[2]
    if kind == mujoco.mjtGeom.mjGEOM_MESH:
        first, count = (values[model.geom_dataid[i]] for values in (model.mesh_vertadr, model.mesh_vertnum))
        return float(z + (model.mesh_vert[first : first + count] @ row).min())
    if kind == mujoco.mjtGeom.mjGEOM_BOX:
        return float(z - np.abs(row) @ size)
    if kind == mujoco.mjtGeom.mjGEOM_CYLINDER:
        return float(z - abs(row[2]) * size[1] - np.hypot(row[0], row[1]) * size[0])
    return float(z - size[0])


def line(name: str, a: dict[str, Any], b: dict[str, Any] | None) -> list[str]:
    """A row of the table."""
    took, ratio, fastest, gap = "not installed", "", "", ""
    if b is not None:
        took, ratio = f"{b['seconds']:.3f} s", f"{a['seconds'] / b['seconds']:.1f}"
        fastest, gap = f"{b['fastest']:.1e}", f"{b['gap']:.1e} m"
    rest = f"{a['rest']:.2f} s" if a["fastest"] == 0.0 else "moves"
    ended = "0" if a["fastest"] == 0.0 else f"{a['fastest']:.1e}"
    return [name, str(a["speeds"]), str(a["shapes"]), f"{a['first']:.1f} s", f"{a['seconds']:.2f} s", took, ratio, rest,
            ended, fastest, f"{a['gap']:.1e} m", gap, f"{a['off']:.1e} J"]  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--seconds", type=float, default=3.0, help="of each run")
    parser.add_argument("--only", nargs="*", help="parts of the names of robots")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    mujoco, lines, facts = installed("mujoco"), list[list[str]](), list[dict[str, Any]]()
    wanted = [robot for robot in ROBOTS if not options.only or any(part in robot.name for part in options.only)]
    for robot in few(wanted, options.quick):
        path = path_of(robot)
        if path is None:
            print(f"{robot.name}: example-robot-data is not installed", file=sys.stderr)
            continue
        with attempted(robot.name):
            seconds = 0.1 if options.quick else max(options.seconds, robot.seconds)
            a = ours(path, robot, seconds)
            b = None if mujoco is None else theirs(mujoco, path, robot, seconds)
            lines.append(line(robot.name, a, b))
            facts.append({"robot": robot.name, "latchwork": a, "mujoco": b})
            print(" | ".join(lines[-1]), file=sys.stderr, flush=True)
    text = table(HEADS, lines)
    print(text)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "robots_on_floor.json").write_text(json.dumps({"machine": machine(), "rows": facts}, indent=1))
    (options.out / "robots_on_floor.md").write_text(f"{text}\n", encoding="utf-8")
    finish()


if __name__ == "__main__":
    main()
