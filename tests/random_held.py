"""Random mechanisms with random constraints, redundant, contradictory, singular, of wild units, far from met.

A case is a model, a start, and what must come of it: it ``runs``, it is ``refused``, or ``either`` may be.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

import numpy as np

import latchwork as lw
from random_rows import CONTRADICTORY, REGULAR, REPEATED, VANISHING, Bench
from random_trees import Mechanism, Part, build, random_inertia, random_mechanism, random_state

KINDS = "revolute prismatic cylindrical universal gimbal ball planar free".split()


@dataclass(frozen=True, eq=False)
class Case:
    """A constrained model, a start (a guess), and what must come of it."""

    model: lw.Model
    rows: tuple[str, ...]  # the recipes
    q: dict[str, float]
    u: dict[str, float]
    outcome: str


def chain(rng: random.Random, links: int) -> Mechanism:
    """A planar chain of revolutes: loops of it have rows across the plane that say nothing."""
    parts = [Part("revolute", i - 1, (0.0, 0.0, 1.0), (rng.uniform(0.5, 1.5) * (i > 0), 0.0, 0.0),
                  (rng.uniform(0.1, 0.9), 0.0, 0.0), rng.uniform(0.5, 2.0), random_inertia(rng))
             for i in range(links)]  # fmt: skip
    return Mechanism("chain", tuple(parts))


def planar_loop(b: Bench) -> None:
    """The end of a chain stays where it is: two rows, or three of which one says nothing."""
    P = b.built.point((len(b.built.frames) - 1, (1.0, 0.0, 0.0)), "end")
    e = P.position(b.model.origin).measures(b.model.frame)
    b.add("planar_loop", *(e[i] - b.value(e[i]) for i in range(b.rng.choice([2, 3]))))


def massless(b: Bench) -> None:
    """A coordinate that carries no mass, geared to another."""
    q, _ = b.simple[0]
    now = b.value(q)
    s = b.model.coordinate("s")
    del b.equations  # they have a coordinate more
    b.state = replace(b.state, q=[*b.state.q, np.array([1.3 * now])], u=[*b.state.u, np.zeros(1)])
    b.add("massless", s - 1.3 * q)


def everything(b: Bench) -> None:
    """Nothing is left free: every speed is prescribed."""
    t = b.model.time
    b.outcome = "either"
    b.add("everything", *(u - 0.1 * lw.sin(t + i) for i, u in enumerate(b.equations.u)))


def random_case(seed: int) -> Case:
    """A mechanism, one to four regular rows, then what its seed asks for."""
    rng = random.Random(f"constraints {seed}")
    planar = rng.random() < 0.3
    tree = chain(rng, rng.randint(2, 5)) if planar else random_mechanism(rng.randrange(10**6), rng.randint(1, 4), KINDS)
    if not any(part.kind != "ball" for part in tree.parts):
        tree = chain(rng, 3)
        planar = True
    state = replace(random_state(tree, seed), t=0.0)
    b = Bench(rng, build(tree), state)
    if planar:
        planar_loop(b)
    elif rng.random() < 0.15:
        massless(b)
    most = max(1, len(b.equations.u) - 2 * planar)
    for _ in range(rng.randint(1, min(most, 3))):
        rng.choice(REGULAR)(b)
    if len(b.scalars) >= most or tree.rheonomic:
        b.outcome = "either"
    kind = rng.random()
    for recipe in ([rng.choice(REPEATED)] if kind < 0.35 else [rng.choice(CONTRADICTORY)] if kind < 0.55 else
                   [rng.choice(VANISHING)] if kind < 0.7 else [everything] if kind < 0.75 else []):  # fmt: skip
        recipe(b)
    if rng.random() < 0.3:
        rng.choice(REPEATED)(b)
    return _started(b, rng.random() < 0.2)


def _started(b: Bench, far: bool) -> Case:
    """The case with its start; far ones are a rough guess."""
    equations = b.equations
    off = b.rng.choice([0.1, 0.5]) if far else 0.0
    turned = {e.name for four in equations.system.quaternions for e in four}
    q = dict(zip(equations.q_names, np.concatenate(b.state.q).tolist(), strict=True))
    q = {name: value if name in turned else value + b.rng.uniform(-off, off) for name, value in q.items()}
    u = dict(zip(equations.u_names, np.concatenate(b.state.u).tolist(), strict=True))
    outcome = "either" if far and b.outcome == "runs" else b.outcome
    return Case(b.model, tuple(b.names), q, u, outcome)
