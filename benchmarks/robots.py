"""Forward and inverse dynamics of robots: Latchwork against Pinocchio's ``aba`` and ``rnea``, in one process.

    python benchmarks/robots.py [--out FOLDER] [--rounds N]

Both read the same URDF files (package ``example-robot-data``), without joint friction; the fingers of the Panda are
fixed in its file, for both. Ours is the compiled u̇ (or M u̇ + h - F_r), called in a loop of machine code. Pinocchio's is
called from Python in a loop, and what an empty call costs is subtracted: the same function, through the same binding,
with three arrays in and one out, on a model without joints; its best round is subtracted from every round. Before
anything is timed, both have to give the same numbers at the state that is used.
"""

from __future__ import annotations

import math
import re
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import numpy as np
from measure import Row, alternate, attempted, clocked, few, installed, repeats, run

import latchwork as lw
from latchwork import bench

SAME = 1e-9
FINGER = re.compile(r'(<joint name="panda_finger_joint\d" type=)"prismatic"')


@dataclass(frozen=True)
class Robot:
    """A robot of the table, its file, and the ratios promised for forward and inverse dynamics."""

    name: str
    file: str
    floating: bool
    forward: float
    inverse: float = 5.0


ROBOTS = (
    Robot("UR5", "ur_description/urdf/ur5_robot.urdf", False, 10.0),
    Robot("Panda", "panda_description/urdf/panda.urdf", False, 10.0),
    Robot("Talos", "talos_data/robots/talos_reduced.urdf", False, 5.0),
    Robot("ANYmal", "anymal_b_simple_description/robots/anymal.urdf", True, 5.0),
    Robot("Solo", "solo_description/robots/solo.urdf", True, 5.0),
    Robot("Solo12", "solo_description/robots/solo12.urdf", True, 5.0),
)


def text_of(file: str) -> str | None:
    """A file of example-robot-data, fingers fixed; None where the package is not installed."""
    try:
        found = [path for path in files("example-robot-data") or [] if str(path).endswith(file)]
    except PackageNotFoundError:
        return None
    return FINGER.sub(r'\1"fixed"', Path(str(found[0].locate())).read_text(encoding="utf-8")) if found else None


def loaded(robot: Robot, text: str) -> Any:
    """Latchwork's model of a URDF text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.urdf"
        path.write_text(text, encoding="utf-8")
        options = {"floating": True} if robot.floating else {}
        return lw.load(path, losses=False, **options)


# --- states -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class State:
    """One state for both: Pinocchio's q, v, τ and v̇, ours q, u, r and u̇; u = T v, generalized forces τ = Tᵀ F."""

    theirs: tuple[np.ndarray, np.ndarray, np.ndarray]
    ours: tuple[np.ndarray, np.ndarray, np.ndarray]
    T: np.ndarray
    T_dot_v: np.ndarray


def state(pin: Any, model: Any, robot: Any, equations: Any, seed: int = 0) -> State:
    """A random state. Pinocchio's speeds of a free base are in the base, ours of its origin in N: u = T v."""
    rng = np.random.default_rng(seed)
    pin.seed(seed)
    q_p = pin.randomConfiguration(model, np.full(model.nq, -1.0), np.full(model.nq, 1.0))
    v_p, tau = rng.normal(size=model.nv), np.zeros(model.nv)
    q: dict[str, float] = {}
    u: dict[str, float] = {}
    r: dict[str, float] = {}
    T, T_dot_v = np.zeros((model.nv, model.nv)), np.zeros(model.nv)
    for name, joint in zip(list(model.names)[1:], list(model.joints)[1:], strict=True):
        ours, span = robot.joints[name], slice(joint.idx_v, joint.idx_v + joint.nv)
        values, speeds = q_p[joint.idx_q : joint.idx_q + joint.nq], v_p[span]
        block, rate = np.eye(joint.nv), np.zeros(joint.nv)
        if joint.nq == 7:
            R = pin.Quaternion(*values[[6, 3, 4, 5]]).toRotationMatrix()
            block[:3, :3], rate[:3] = R, R @ np.cross(speeds[3:], speeds[:3])
            values = values[[0, 1, 2, 6, 3, 4, 5]]
        elif joint.nq == 2:
            values = [math.atan2(values[1], values[0])]
        q |= dict(zip((symbol.name for symbol in ours.q), values, strict=True))
        u |= dict(zip((symbol.name for symbol in ours.u), block @ speeds, strict=True))
        rows = [equations.u_names.index(symbol.name) for symbol in ours.u]
        T[np.ix_(rows, range(span.start, span.stop))], T_dot_v[rows] = block, rate
        if name in robot.drives:
            tau[span] = r[robot.drives[name].name] = rng.normal()
    order = [np.array([values[s.name] for s in symbols])
             for values, symbols in ((q, equations.q), (u, equations.u), (r, equations.r))]  # fmt: skip
    return State((q_p, v_p, tau), (order[0], order[1], order[2]), T, T_dot_v)


def must_agree(name: str, a: np.ndarray, b: np.ndarray) -> None:
    """What is compared computes the same."""
    difference = float(np.abs(a - b).max() / np.abs(b).max())
    if not difference < SAME:
        raise SystemExit(f"{name}: Latchwork and Pinocchio differ by {difference:.2g} of the largest value.")


# --- rows ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Job:
    """The same work for both: a loop of machine code and how long its program is; Pinocchio's function, its arguments,
    those of an empty call.
    """

    ours: bench.Loop
    operations: int
    theirs: tuple[Any, Any, Any] | None = None


def rows(rounds: int, quick: bool) -> Iterator[Row]:
    """Forward dynamics of every robot, then inverse dynamics."""
    pin, pairs = installed("pinocchio"), []
    for robot in few(ROBOTS, quick):
        with attempted(robot.name):
            pairs.append(pair(pin, robot, rounds))
    yield from (forward for forward, _ in pairs)
    yield from (inverse for _, inverse in pairs)


def pair(pin: Any, robot: Robot, rounds: int) -> tuple[Row, Row]:
    """Both rows of a robot."""
    forward = f"forward dynamics, {robot.name}", "Pinocchio `aba`", robot.forward
    inverse = f"inverse dynamics, {robot.name}", "Pinocchio `rnea`", robot.inverse
    text = text_of(robot.file)
    if text is None:
        return Row(*forward), Row(*inverse)
    model = loaded(robot, text)
    equations = model.equations()
    first, second = against(pin, robot, text, model, equations) if pin else alone(equations)
    return measured(forward, robot, equations, first, rounds), measured(inverse, robot, equations, second, rounds)


def measured(what: tuple[str, str, float], robot: Robot, equations: Any, job: Job, rounds: int) -> Row:
    """The row of a job."""
    empties: list[float] = []
    times, whole = alternate(job.ours.seconds, called(*job.theirs, empties) if job.theirs else None, rounds)
    subtracted = min(empties, default=0.0)
    n = len(equations.u)
    size = f"{n} speeds, floating" if robot.floating else f"{n}"
    theirs = [seconds - subtracted for seconds in whole]
    remarks = {"speeds": n, "subtracted": subtracted, "operations": job.operations}
    work, rival, at_least = what
    return Row(f"{work} ({size})", rival, at_least, times, theirs, remarks)


def against(pin: Any, robot: Robot, text: str, ours: Any, equations: Any) -> tuple[Job, Job]:
    """Forward and inverse dynamics of both at one state, where they have to agree."""
    base = (pin.JointModelFreeFlyer(), "root_joint") if robot.floating else ()
    model, none = pin.buildModelFromXML(text, *base), pin.Model()
    data, s = model.createData(), state(pin, model, ours, equations)
    q, u, r = s.ours
    vdot = np.array(pin.aba(model, data, *s.theirs))
    udot = s.T @ vdot + s.T_dot_v
    motion = (model, data, *s.theirs[:2], vdot)
    must_agree(f"{robot.name}, u̇", equations.udot(q, u, r), udot)
    must_agree(f"{robot.name}, forces", s.T.T @ equations.inverse(q, u, udot, r=0.0 * r), np.array(pin.rnea(*motion)))
    nothing = (none, none.createData(), np.zeros(0), np.zeros(0), np.zeros(0))
    forward, inverse = jobs(equations, q, u, r, udot)
    return (
        replace(forward, theirs=(pin.aba, (model, data, *s.theirs), nothing)),
        replace(inverse, theirs=(pin.rnea, motion, nothing)),
    )


def alone(equations: Any) -> tuple[Job, Job]:
    """Forward and inverse dynamics without a rival."""
    rng = np.random.default_rng(0)
    sizes = [len(symbols) for symbols in (equations.q, equations.u, equations.r, equations.u)]
    q, u, r, udot = (rng.uniform(0.1, 1.0, n) for n in sizes)
    return jobs(equations, q, u, r, udot)


def jobs(equations: Any, q: Any, u: Any, r: Any, udot: Any) -> tuple[Job, Job]:
    """Our side of forward and inverse dynamics."""
    forward, inverse = bench.udot_loop(equations, q, u, r), bench.inverse_loop(equations, q, u, udot, 0.0 * r)
    return Job(forward, len(equations.udot_program)), Job(inverse, len(bench.inverse_program(equations)))


def called(function: Any, arguments: Any, nothing: Any, empties: list[float]) -> Callable[[], float]:
    """Seconds of a call of Pinocchio; those of an empty one are noted beside it."""

    def work() -> None:
        function(*arguments)

    def empty() -> None:
        function(*nothing)

    calls = repeats(work)

    def seconds() -> float:
        empties.append(clocked(empty, calls))
        return clocked(work, calls)

    return seconds


if __name__ == "__main__":
    run(__file__, __doc__, rows, rounds=150)
