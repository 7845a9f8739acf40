"""Constraints: steps against the multiplier design and Pinocchio, and what it costs to embed one and to delete it.

    python benchmarks/constraints.py [--out FOLDER] [--rounds N]

The slider-crank has three bodies and one loop, the six-bar five bodies and two. Ours is the right-hand side of the
embedded mode (q̇, u̇ and the power for the audit), repeated by a loop of machine code, and a whole step of RK4 with the
return onto Φ = 0. Pinocchio's is ``constraintDynamics`` with a loop closed by ``CONTACT_3D``, called from Python; what
an empty call costs (the same function on a model without joints and constraints) is subtracted. It needs a proximal
term, since the third row of a planar loop is redundant. Before anything is timed both have to give the same u̇.

Then a constraint never seen before is embedded into chains of links and deleted again: in symbols, to be read (the
equations in independent speeds, tidied) and to be run (one program, as a mode that is known before a run), and
recombined in a running simulation, from the request to equations that are ready, the impact included.
"""

from __future__ import annotations

import argparse
import json
import math
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measure import (
    HEADS,
    QUICK,
    RESULTS,
    Row,
    Seconds,
    alternate,
    attempted,
    clocked,
    few,
    finish,
    installed,
    machine,
    repeats,
    shown,
    table,
)
from mechanisms import CRANK_SLIDER, SIX_BAR, G, Mechanism, rod, stepping

import latchwork as lw
from latchwork import bench
from latchwork.constraint.embed import Embedding
from latchwork.hybrid.mode_dynamics import Written
from latchwork.program.ir import Program
from latchwork.program.lower import lower
from latchwork.symbolic.ops import ZERO

SAME = 1e-9
LINKS = (2, 3, 5, 10, 20, 40)
PAPER = (0.1, 0.4), (0.03, 0.08)  # seconds to embed and to delete  [Patoglu §6]
STEPS = 1000

# Bodies: (name, parent, joint, where it stands on its parent, length), branch by branch; loops: (body, at, body, at).
CRANK = (("crank", None, "RZ", 0.0, 0.3), ("rod", "crank", "RZ", 0.3, 0.9), ("slider", None, "PX", 0.0, None))
WATT = (("crank", None, "RZ", 0.0, 0.6), ("coupler", "crank", "RZ", 0.6, 1.7), ("rocker", None, "RZ", 2.0, 1.1),
        ("second", "rocker", "RZ", 0.7, 1.4), ("last", None, "RZ", 3.5, 0.9))  # fmt: skip
RIVALS = {
    "slider-crank": (CRANK, (("rod", 0.9, "slider", 0.0),)),
    "six-bar": (WATT, (("coupler", 1.7, "rocker", 1.1), ("second", 1.4, "last", 0.9))),
}


# --- steps ----------------------------------------------------------------------------------------------------------


def rows(rounds: int, quick: bool) -> Iterator[Row]:
    """Evaluations and steps of both mechanisms."""
    pinocchio = installed("pinocchio")
    for mechanism in few((CRANK_SLIDER, SIX_BAR), quick):
        with attempted(mechanism.name):
            yield from compared(mechanism, dynamics(pinocchio, mechanism) if pinocchio else None, rounds)


def compared(mechanism: Mechanism, rival: Seconds | None, rounds: int) -> Iterator[Row]:
    """One evaluation and one step, against Pinocchio and against the multiplier design."""
    embedded, appended = stepping(mechanism, lw.Embedded()), stepping(mechanism, lw.Multipliers())
    name, dynamics = mechanism.name, embedded.dynamics
    assert isinstance(dynamics, Written)
    loop = bench.program_loop(dynamics.program.program,
                              np.concatenate([[0.0], dynamics.reduced(embedded.x), embedded.rest]))  # fmt: skip
    four = None if rival is None else lambda: 4.0 * rival()

    def row(work: str, against: str, ours: Seconds, theirs: Seconds | None) -> Row:
        return Row(f"{work} with constraints, {name}", against, None, *alternate(ours, theirs, rounds),
                   {"operations": len(dynamics.program.program)})  # fmt: skip

    def step() -> float:
        return embedded.seconds(STEPS)

    yield row("u̇", "Pinocchio `constraintDynamics`", loop.seconds, rival)
    yield row("step of RK4", "Pinocchio, 4 × `constraintDynamics`", step, four)
    yield row("step of RK4", "Latchwork, `Multipliers()`", step, lambda: appended.seconds(STEPS))


def dynamics(pinocchio: Any, mechanism: Mechanism) -> Callable[[], float]:
    """A round of Pinocchio's, an empty call subtracted; first it has to give our u̇."""
    held = mechanism.make().constrained(at=mechanism.q)
    start = held.start(mechanism.q, mechanism.u)
    names = held.unconstrained.q_names
    bodies, loops = RIVALS[mechanism.name]
    order = [names.index(f"q_{body[0]}") for body in bodies]
    model, call = prepared(pinocchio, bodies, loops)
    place = [model.joints[model.getJointId(body[0])].idx_v for body in bodies]
    q, u = np.zeros(len(bodies)), np.zeros(len(bodies))
    q[place], u[place] = start.q[order], start.u[order]
    found = call(q, u)
    if not np.allclose(found[place], held.udot(start.q, start.u)[order], rtol=SAME, atol=SAME):
        raise SystemExit(f"{mechanism.name}: Latchwork and Pinocchio give different accelerations.")
    _, empty = prepared(pinocchio, (), ())
    nothing, times = np.zeros(0), repeats(lambda: call(q, u))
    spare = min(clocked(lambda: empty(nothing, nothing), times) for _ in range(50))
    return lambda: clocked(lambda: call(q, u), times) - spare


def prepared(pinocchio: Any, bodies: Any, loops: Any) -> tuple[Any, Callable[[Any, Any], Any]]:
    """Pinocchio's model of a planar mechanism, and its constrained accelerations of (q, u)."""
    model = pinocchio.Model()
    model.gravity.linear = np.array([0.0, -G, 0.0])
    joints: dict[str | None, int] = {None: 0}

    def at(x: float) -> Any:
        return pinocchio.SE3(np.eye(3), np.array([x, 0.0, 0.0]))

    for name, parent, kind, x, length in bodies:
        joint = pinocchio.JointModelRZ() if kind == "RZ" else pinocchio.JointModelPX()
        joints[name] = model.addJoint(joints[parent], joint, at(x), name)
        across = 0.01 if length is None else length**3 / 12
        mass, center = (1.5, 0.0) if length is None else (length, 0.5 * length)
        inertia = pinocchio.Inertia(mass, np.array([center, 0.0, 0.0]), across * np.eye(3))
        model.appendBodyToJoint(joints[name], inertia, pinocchio.SE3.Identity())
    constraints, data = pinocchio.StdVec_RigidConstraintModel(), pinocchio.StdVec_RigidConstraintData()
    for a, x, b, y in loops:
        constraints.append(pinocchio.RigidConstraintModel(
            pinocchio.ContactType.CONTACT_3D, model, joints[a], at(x), joints[b], at(y), pinocchio.LOCAL))
    for constraint in constraints:
        data.append(constraint.createData())
    work, free = model.createData(), np.zeros(model.nv)
    pinocchio.initConstraintDynamics(model, work, constraints, data)
    proximal = pinocchio.ProximalSettings(1e-9, 1e-9, 1e-10, 10)
    run = pinocchio.constraintDynamics
    return model, lambda q, u: run(model, work, q, u, free, constraints, data, proximal)


# --- embedding and deleting -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cost:
    """Seconds of the best (and median) case for a chain of some links."""

    links: int
    read: tuple[float, float]  # embed one never seen before in symbols, to equations to read and their program
    written: tuple[float, float]  # the same, to a program that is only run
    constrain: tuple[float, float]  # embed one never seen before, in the run
    again: tuple[float, float]  # embed one that held before
    delete: tuple[float, float]  # delete one of two: the other never held alone
    release: tuple[float, float]  # delete one of two: the other held alone before


def chain(links: int) -> tuple[lw.Model, lw.Point]:
    """Uniform rods of 1 m on parallel hinges, and the free end."""
    model = lw.Model("chain")
    link, at = None, None
    for i in range(links):
        link = model.revolute(f"L{i}", link, at=at, axis=model.frame.z)
        at = rod(model, link, 1.0)
    assert at is not None
    model.gravity(-G * model.frame.y)
    return model, at


def direction(model: lw.Model, tip: lw.Point, k: int) -> lw.Constraint:
    """The end must not move in a direction that no other constraint has."""
    angle = 0.3 + 2.4 * ((0.6180339887498949 * k) % 1.0)
    along = math.cos(angle) * model.frame.x + math.sin(angle) * model.frame.y
    return lw.Constraint(f"k{k}", tip.velocity(model.frame).dot(along))


def cost(links: int, rounds: int) -> Cost:
    """What switches take."""
    names = ("read", "written", "constrain", "again", "delete", "release")
    found: dict[str, list[float]] = {name: [] for name in names}
    rng = np.random.default_rng(links)
    model, tip = chain(links)
    equations = model.equations()
    q, u = rng.uniform(-1.0, 1.0, links), rng.uniform(-1.0, 1.0, links)
    at = dict(zip(equations.q_names, q, strict=True))
    sim = lw.Simulation(equations, q=q, u=u)
    for k in range(rounds + 1):
        one, other = direction(model, tip, 2 * k), lw.Constraint(f"hold {k}", equations.u[0] * (1.0 + k))
        found["constrain"].append(switch(sim, lambda: sim.constrain(one)))  # noqa: B023
        found["again"].append(switch(sim, lambda: (sim.release(one.name), sim.constrain(one))))  # noqa: B023
        if links > 2:
            sim.constrain(other)
            found["release"].append(switch(sim, lambda: sim.release(other.name)))  # noqa: B023
            sim.constrain(other)
            found["delete"].append(switch(sim, lambda: sim.release(one.name)))  # noqa: B023
            sim.release(other.name)
        else:
            found["release"].append(switch(sim, lambda: sim.release(one.name)))  # noqa: B023
            found["delete"].append(found["release"][-1])
    for k in range(max(2, rounds // 8)):
        new = direction(model, tip, 2 * k + 1)
        start = time.perf_counter()
        _ = equations.embed(new, at=at).equations.udot_program
        found["read"].append(time.perf_counter() - start)
        found["written"].append(clocked(lambda: written(equations, direction(model, tip, -k - 1), at)))  # noqa: B023
    return Cost(links, **{name: (min(times[1:]), statistics.median(times[1:])) for name, times in found.items()})


def written(equations: lw.Equations, constraint: lw.Constraint, at: dict[str, float]) -> Program:
    """The right-hand side with a constraint embedded, as it is lowered for a run."""
    held, system = equations.embed(constraint, at=at), equations.system
    x = held.arguments(at, None)
    embedding = Embedding(held.rows, held.selection, held.terms.place(x).B, lambda nodes: nodes)
    return lower(system.graph, embedding.rates(ZERO), (system.t, *system.q, *held.independent, *system.p))


def switch(sim: lw.Simulation, change: Callable[[], Any]) -> float:
    """Seconds of the last switch of a change, as the simulation reports them."""
    change()
    return 1e-6 * sim.switches[-1].microseconds


def costs_table(costs: list[Cost]) -> str:
    """Best and median of each."""

    def both(pair: tuple[float, float]) -> str:
        return f"{shown(pair[0])} ({shown(pair[1])})"

    heads = ("links", "embed, to read", "embed, to run", "embed in the run", "embed again", "delete",
             "delete, seen before")  # fmt: skip
    lines = [[c.links, *map(both, (c.read, c.written, c.constrain, c.again, c.delete, c.release))] for c in costs]
    (a, b), (c, d) = PAPER
    paper = ["Patoglu §6, three examples", f"{shown(a)} to {shown(b)}", "", "", "", f"{shown(c)} to {shown(d)}", ""]
    return table(heads, [*lines, paper])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=RESULTS, help="folder for the results")
    parser.add_argument("--rounds", type=int, default=40, help="rounds of each row (default: 40)")
    parser.add_argument("--quick", action="store_true", help=QUICK)
    options = parser.parse_args()
    rounds = 2 if options.quick else max(2, options.rounds)
    found, costs = [], []
    for row in rows(rounds, options.quick):
        print(f"{row.work}: {row.cells()[4] or row.cells()[3]}", file=sys.stderr, flush=True)
        found.append(row)
    for links in few(LINKS, options.quick):
        print(f"{links} links", file=sys.stderr, flush=True)
        with attempted(f"{links} links"):
            costs.append(cost(links, rounds))
    text = "\n\n".join([table(HEADS[:-1], [row.cells()[:-1] for row in found]), costs_table(costs)])
    options.out.mkdir(parents=True, exist_ok=True)
    facts = {"rows": [row.facts() for row in found], "embedding": [asdict(c) for c in costs], "machine": machine()}
    (options.out / "constraints.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (options.out / "constraints.md").write_text(text + "\n", encoding="utf-8")
    print(text)
    finish()


if __name__ == "__main__":
    main()
