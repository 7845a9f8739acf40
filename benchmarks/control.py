"""One command of a constrained law: five-bar and humanoid, against Pinocchio and NumPy; bounds against libraries.

    python benchmarks/control.py [--out FOLDER] [--rounds N]

A command is what `lw.control.Projected` gives at a state: outputs and references, M, f, rows of the mode, what every
input does, the least inputs. Ours is the kernel that a run calls, all programs compiled, called from Python. The rival
is as much of it as can be put together from Pinocchio: `crba`, `nonLinearEffects`, Jacobians of the frames that close
loops and their drift, then the least inputs by NumPy's dense algebra; outputs are the coordinates themselves, which
spares it their Jacobians. It is called from Python, and what an empty call costs is not subtracted. Both have to give
the same torques before anything is timed.

Bounds: min ‖A x − b‖² + 1e-14 ‖x‖² over |x| ≤ 1, random and dense, a third of the bounds tight; each library by its own
interface for Python, set up anew for each problem, at its usual tolerance.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import Any

import numpy as np
from measure import Row, alternate, attempted, clocked, few, installed, repeats, run

import latchwork as lw
from latchwork.control.bounded_least_squares import least_within, work_size
from latchwork.hybrid.closed_loop import commands
from latchwork.program.native import address, native

SAME = 1e-8
HUMANOID = "simple_humanoid_description/urdf/simple_humanoid.urdf"
FIVE_BAR = """<robot name="five-bar"><link name="base"/>{links}{joints}</robot>"""
LINK = """<link name="{0}"><inertial><origin xyz="{1} 0 0"/><mass value="{2}"/>
<inertia ixx="0.001" iyy="0.01" izz="0.01" ixy="0" iyz="0" ixz="0"/></inertial></link>"""
JOINT = """<joint name="{0}" type="continuous"><parent link="{1}"/><child link="{2}"/><origin xyz="{3} 0 0"/>
<axis xyz="0 0 1"/></joint>"""
SIZES = (10, 20, 30, 45, 60)
LIBRARIES = ("quadprog", "proxsuite", "clarabel", "osqp")


def text_of(file: str) -> str | None:
    """A file of example-robot-data, or None."""
    try:
        found = [path for path in files("example-robot-data") or [] if str(path).endswith(file)]
    except PackageNotFoundError:
        return None
    return Path(str(found[0].locate())).read_text(encoding="utf-8") if found else None


def five_bar_text() -> str:
    """Two arms of two links."""
    links = "".join(LINK.format(name, place, mass) for name, place, mass in (
        ("left", 0.15, 1.0), ("left_rod", 0.2, 0.7), ("right", 0.15, 1.0), ("right_rod", 0.2, 0.7)))  # fmt: skip
    joints = "".join(JOINT.format(*each) for each in (
        ("q1", "base", "left", -0.1), ("q2", "left", "left_rod", 0.3),
        ("q3", "base", "right", 0.1), ("q4", "right", "right_rod", 0.3)))  # fmt: skip
    return FIVE_BAR.format(links=links, joints=joints)


class Case:
    """A mechanism of a URDF text with its loops closed, the state, and the command of a law, as a kernel."""

    def __init__(self, text: str, floating: bool) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "robot.urdf"
            path.write_text(text, encoding="utf-8")
            self.model: Any = lw.load(path, losses=False, floating=floating)
        self.equations = self.model.equations()

    def command(self, sim: lw.Simulation, law: Any) -> tuple[Callable[[], None], np.ndarray]:
        """The command where a simulation stands: a call, and where it writes."""
        law.at(sim)
        start = sim.state
        sim.advance(sim.t + 1e-4)
        dynamics = sim.dynamics
        mode: Any = dynamics.mode
        sim.state = start
        for function in mode.programs:
            function.compiled(wait=True)
        z, out, first = mode.workspace(), np.zeros(len(mode.law.places)), 1 + mode.states
        z[0], z[1:first] = sim.t, dynamics.reduced(sim.state.x)
        z[first : first + len(sim.state.rest_now)] = sim.state.rest_now
        call, given = native(commands).brief, [address(each) for each in (mode.code, z, out)]
        self.alive = z, mode
        return lambda: call(*given), out


def five_bar() -> tuple[Case, lw.Simulation, Any, dict[str, float]]:
    """Motors in q1 and q3 follow two angles."""
    case = Case(five_bar_text(), False)
    model = case.model
    a, b = (model.points[rod].at(f"{rod}_end", 0.4 * model.frames[rod].x) for rod in ("left_rod", "right_rod"))
    apart = a.position() - b.position()
    model.constraint("tip", [apart.dot(model.frame.x), apart.dot(model.frame.y)])
    start = model.constrained().start({"q1": 2.2, "q3": 0.9, "q2": -1.2, "q4": 1.2})
    motors = [model.drives[name].name for name in ("q1", "q3")]
    goal = {"q1": 2.0, "q3": 1.0}
    law = lw.control.Projected(tracks=goal, gains=(100.0, 20.0), inputs=motors)
    return case, lw.Simulation(model, start.q, controllers=[law]), law, goal


def humanoid(text: str) -> tuple[Case, lw.Simulation, Any, dict[str, float]]:
    """On two welded feet, knees bent; base and upper body are tracked."""
    case = Case(text, True)
    model, bent = case.model, {}
    for side in "RL":
        bent |= {f"{side}LEG_HIP_P": -0.4, f"{side}LEG_KNEE": 0.8, f"{side}LEG_ANKLE_P": -0.4}
    upper = [name for name in case.equations.q_names if not name.startswith("root") and "LEG" not in name]
    goal = {"root_joint_px": 0.0, "root_joint_py": 0.0, "root_joint_pz": -0.05, **dict.fromkeys(upper, 0.0)}
    law = lw.control.Projected(tracks={**goal, model.frames["root_joint"]: model.frame}, gains=(100.0, 20.0))
    sim = lw.Simulation(model, bent, controllers=[law])
    for side in "RL":
        sim.weld(f"{side} foot", model.frame, model.links[f"{side}LEG_ANKLE_R"])
    return case, sim, law, goal


# --- the rival ----------------------------------------------------------------------------------------------------


def theirs_five_bar(pin: Any, sim: lw.Simulation) -> Callable[[], np.ndarray]:
    """The same command by Pinocchio and NumPy."""
    model = pin.buildModelFromXML(five_bar_text())
    data = model.createData()
    ends = [model.addFrame(pin.Frame(f"end{i}", model.getJointId(name), 0, pin.SE3(np.eye(3), np.array([0.4, 0, 0])),
                                     pin.FrameType.OP_FRAME)) for i, name in enumerate(("q2", "q4"))]  # fmt: skip
    data = model.createData()
    names = ("q1", "q2", "q3", "q4")
    values = sim.q
    q = np.concatenate([[np.cos(values[name]), np.sin(values[name])] for name in names])
    v = np.array([sim.u[name] for name in sim.equations.u_names])
    wanted = np.array([100.0 * (2.0 - values["q1"]) - 20.0 * v[0], 100.0 * (1.0 - values["q3"]) - 20.0 * v[2]])
    return least(pin, model, data, q, v, ends, 2, [0, 2], [0, 2], wanted)


def least(pin: Any, model: Any, data: Any, q: np.ndarray, v: np.ndarray, ends: Any, rows: int, tracked: Any,
          motors: Any, wanted: np.ndarray) -> Callable[[], np.ndarray]:  # fmt: skip
    """M, h, B, c by Pinocchio; u̇ = Λ (wanted − …), torques of least norm by NumPy."""
    zero, n = np.zeros(model.nv), model.nv
    J = np.eye(n)[tracked]
    G = np.eye(n)[:, motors]

    def work() -> np.ndarray:
        M = pin.crba(model, data, q)
        M = np.triu(M) + np.triu(M, 1).T
        h = pin.nonLinearEffects(model, data, q, v)
        pin.computeJointJacobians(model, data, q)
        pin.forwardKinematics(model, data, q, v, zero)
        kind = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        blocks = [pin.getFrameJacobian(model, data, end, kind) for end in ends]
        drifts = [pin.getFrameClassicalAcceleration(model, data, end, kind).vector for end in ends]
        if rows < 6:
            B, c = (blocks[0] - blocks[1])[:rows], (drifts[0] - drifts[1])[:rows]
        else:
            B, c = np.vstack(blocks), np.concatenate(drifts)
        udot = np.linalg.lstsq(np.vstack([B, J]), np.concatenate([-c, wanted]), rcond=None)[0]
        force = M @ udot + h  # G τ + Bᵀ λ
        _, s, vt = np.linalg.svd(B)
        Z = vt[int((s > 1e-9 * s[0]).sum()) :].T
        return np.linalg.lstsq(Z.T @ G, Z.T @ force, rcond=1e-12)[0]

    return work


def theirs_humanoid(pin: Any, text: str, sim: lw.Simulation, goal: dict[str, float]) -> Callable[[], np.ndarray]:
    """The same on two feet, at rest."""
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer(), "root_joint")
    data, values = model.createData(), sim.q
    q, v, wanted, tracked, motors = np.zeros(model.nq), np.zeros(model.nv), [], [], []
    for name, joint in zip(list(model.names)[1:], list(model.joints)[1:], strict=True):
        if joint.nq == 7:
            q[:7] = [values[f"root_joint_{each}"] for each in ("px", "py", "pz", "e1", "e2", "e3", "e0")]
            tracked += range(6)
            moves = [f"root_joint_{each}" for each in ("px", "py", "pz")]
            wanted += [100.0 * (goal[each] - values[each]) for each in moves]
            wanted += [0.0] * 3
        else:
            q[joint.idx_q] = values[name]
            motors.append(joint.idx_v)
            if name in goal:
                tracked.append(joint.idx_v)
                wanted.append(100.0 * (goal[name] - values[name]))
    ends = [model.getFrameId(name) for name in ("r_ankle", "l_ankle")]
    return least(pin, model, data, q, v, ends, 12, tracked, motors, np.array(wanted))


# --- bounds -------------------------------------------------------------------------------------------------------


def problem(n: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """A random problem, of which about a third of the bounds are tight."""
    rng = np.random.default_rng(seed)
    A = np.vstack([rng.normal(size=(n, n)), 1e-7 * np.eye(n)])
    return A, np.concatenate([A[:n] @ (1.2 * rng.normal(size=n)), np.zeros(n)])


def ours_bounded(A: np.ndarray, b: np.ndarray) -> tuple[Callable[[], Any], np.ndarray]:
    rows, n = A.shape
    low, high, x, side = -np.ones(n), np.ones(n), np.zeros(n), np.zeros(n, dtype=np.int64)
    work = np.zeros(1 + work_size(rows, n))
    arrays = A, b, low, high, x, side, work
    call, given = native(least_within).brief, [address(each) for each in arrays]

    def solve(alive: Any = arrays) -> None:
        call(rows, n, *given)

    return solve, x


def theirs_bounded(name: str, library: Any, A: np.ndarray, b: np.ndarray) -> Callable[[], np.ndarray]:
    """min ½ xᵀHx + gᵀx over |x| ≤ 1 by a library."""
    n, H, g = A.shape[1], A.T @ A, -A.T @ b
    one = np.ones(n)
    if name == "quadprog":
        C, d = np.hstack([np.eye(n), -np.eye(n)]), -np.ones(2 * n)
        return lambda: np.asarray(library.solve_qp(H, -g, C, d)[0])
    if name == "proxsuite":
        qp = library.proxqp.dense
        return lambda: np.asarray(qp.solve(H, g, None, None, None, None, None, l_box=-one, u_box=one).x)
    from scipy import sparse

    if name == "clarabel":
        P, both = sparse.csc_matrix(np.triu(H)), sparse.csc_matrix(np.vstack([np.eye(n), -np.eye(n)]))
        settings = library.DefaultSettings()
        settings.verbose = False
        cones = [library.NonnegativeConeT(2 * n)]
        return lambda: np.asarray(library.DefaultSolver(P, g, both, np.ones(2 * n), cones, settings).solve().x)

    def osqp() -> np.ndarray:
        solver = library.OSQP()
        solver.setup(sparse.csc_matrix(np.triu(H)), g, sparse.csc_matrix(np.eye(n)), -one, one, verbose=False)
        return np.asarray(solver.solve().x)

    return osqp


# --- rows ---------------------------------------------------------------------------------------------------------


def rows(rounds: int, quick: bool) -> Iterator[Row]:
    """Commands, then bounds."""
    pin = installed("pinocchio")
    with attempted("five-bar"):
        case, sim, law, _ = five_bar()
        yield compared("command, five-bar (4 speeds, 2 rows, 2 motors)", case, sim, law,
                       None if pin is None else lambda: theirs_five_bar(pin, sim), rounds)  # fmt: skip
    text = text_of(HUMANOID)
    if text is None or quick:
        yield Row("command, humanoid (35 speeds, 12 rows, 29 motors)", "Pinocchio and NumPy", 10.0)
    else:
        with attempted("humanoid"):
            case, sim, law, goal = humanoid(text)
            yield compared("command, humanoid (35 speeds, 12 rows, 29 motors)", case, sim, law,
                           None if pin is None else lambda: theirs_humanoid(pin, text, sim, goal), rounds)  # fmt: skip
    for name in LIBRARIES:
        library = installed(name)
        for n in few(SIZES, quick):
            with attempted(f"{name} {n}"):
                yield bounded(name, library, n, rounds)


def compared(work: str, case: Case, sim: lw.Simulation, law: Any, rival: Any, rounds: int) -> Row:
    """A command of both, which have to agree."""
    call, out = case.command(sim, law)
    call()
    times = repeats(call)
    ours = lambda: clocked(call, times)  # noqa: E731
    if rival is None:
        return Row(work, "Pinocchio and NumPy", 10.0, alternate(ours, None, rounds)[0])
    other = rival()
    answer, p = other(), len(law.at(sim).inputs)
    off = float(np.abs(answer - out[:p]).max() / np.abs(out[:p]).max())
    if not off < SAME:
        raise SystemExit(f"{work}: Latchwork and the rival differ by {off:.2g} of the largest torque.")
    found = alternate(ours, lambda: clocked(other, 20), rounds)
    return Row(work, "Pinocchio and NumPy", 10.0, *found, {"off": off})


def bounded(name: str, library: Any, n: int, rounds: int) -> Row:
    """Bounds by a library."""
    A, b = problem(n)
    call, x = ours_bounded(A, b)
    call()
    times = repeats(call)
    ours, work = (lambda: clocked(call, times)), f"bounds, {n} inputs"
    if library is None:
        return Row(work, name, None, alternate(ours, None, rounds)[0])
    other = theirs_bounded(name, library, A, b)
    off = float(np.abs(np.asarray(other()) - x).max())
    return Row(work, name, None, *alternate(ours, lambda: clocked(other, 5), rounds), {"off": off})


if __name__ == "__main__":
    run(__file__, __doc__, rows, rounds=15)
