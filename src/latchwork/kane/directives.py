"""Sets of generalized speeds worth trying, for open chains with revolute, Hooke's and ball joints.

The motion of a body relative to the one before is a run of turns, through frames without mass. Its speeds may be

    1 turn     ω · λ                the absolute angular velocity of the body along the joint's axis
    2 turns    ω · b_i, ω · b_j     the two components that the turns determine best
    3 turns    ω · b_1, b_2, b_3    all components, in the body's own frame

in place of u = q̇.  [after Mitiguy & Kane 1996; Gillespie §2, Example 2]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from latchwork.kane.motion import Local
from latchwork.kane.sample import random_states
from latchwork.mechanics.frame import AXES, Frame, Turn
from latchwork.mechanics.system import System
from latchwork.mechanics.topology import edge_nodes
from latchwork.mechanics.vector import Vector
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.printing import text
from latchwork.symbolic.traverse import count_literal, reachable

REGULAR = 1e-6  # determinants of direction cosines


@dataclass(frozen=True)
class SpeedSet:
    """Definitions u = Y q̇ + Z by name, and how an analyst would write them."""

    title: str
    definitions: Mapping[str, Expr]
    written: Mapping[str, str]
    where: Mapping[str, str]  # names that the written definitions use


@dataclass(frozen=True)
class Run:
    """Turns, each by a coordinate of its own, from one frame that carries mass to the next."""

    frame: Frame
    turns: tuple[tuple[Frame, Expr], ...]


def speed_sets(system: System) -> list[SpeedSet]:
    """u = q̇; ω · b for every run of turns; and, where they differ, ω · b for runs of two or three alone."""
    names = chosen_names(system)
    if not names:
        return []
    runs = [run for run in mass_to_mass(system, names) if 1 <= len(run.turns) <= 3]
    several = [run for run in runs if len(run.turns) > 1]
    letter = several[0].frame.name.lower() if len(several) == 1 else "b"
    sets = [_assembled(system, names, "u = dt(q)", [])]
    if runs:
        sets.append(_assembled(system, names, f"u_i = w.{letter}_i" if several else "u = absolute rates", runs))
    if several and len(several) < len(runs):
        sets.append(_assembled(system, names, f"u_i = w.{letter}_i, dt(q) at single turns", several))
    return [s for i, s in enumerate(sets) if all(s.definitions != other.definitions for other in sets[:i])]


def chosen_names(system: System) -> dict[Expr, str]:
    """The name of a speed for each coordinate whose speed can be chosen; none where constraints are built in."""
    if system.zero:
        return {}
    direct = {rate: u for rate, u in system.direct.items() if rate in set(system.q_rates)}
    pairs = zip(system.q, system.q_rates, strict=True)
    defined = iter([u.name for u in system.u if u in system.definitions])
    found = {}
    for q, rate in pairs:
        if rate not in direct:
            found[q] = next(defined)
        elif direct[rate].is_symbol:
            found[q] = direct[rate].name
    return found


def mass_to_mass(system: System, names: Mapping[Expr, str]) -> Iterator[Run]:
    """The runs of turns between frames that carry mass, in the order of the tree."""
    home = Local(system).home
    carriers = {body.frame if body.frame is not None else home[body.center] for body in system.bodies}
    seen: set[Expr] = set()
    for frame in system.tree.frames.values():
        if frame in carriers and frame.parent is not None:
            turns = tuple((f, q) for f, q in _turns(system, frame, carriers) if q in names and q not in seen)
            seen |= {q for _, q in turns}
            yield Run(frame, turns)


def _turns(system: System, frame: Frame, carriers: set[Frame]) -> list[tuple[Frame, Expr]]:
    """The frames down to the next carrier that turn by one coordinate each, inboard first."""
    found: list[tuple[Frame, Expr]] = []
    step: Frame | None = frame
    while step is not None and step.parent is not None and (step is frame or step not in carriers):
        inside = set(reachable(system.graph, edge_nodes(step)))
        moving = [q for q in system.q if q.node in inside]
        if len(moving) == 1 and (isinstance(step.edge, Turn) or "rotate" in step.recipe):
            found.append((step, moving[0]))
        step = step.parent
    return found[::-1]


# --- definitions --------------------------------------------------------------------------------------------------


def _assembled(system: System, names: Mapping[Expr, str], title: str, runs: list[Run]) -> SpeedSet:
    """q̇ for every coordinate but those of the runs."""
    rate = dict(zip(system.q, system.q_rates, strict=True))
    definitions = {name: rate[q] for q, name in names.items()}
    components: dict[str, tuple[Frame, Vector]] = {}
    for run in runs:
        for (_, q), (frame, direction) in zip(run.turns, _directions(system, run), strict=True):
            definitions[names[q]] = frame.angular_velocity().dot(direction)
            if not _is_sum_of_rates(definitions[names[q]]):
                components[names[q]] = frame, direction
    spins = tuple(dict.fromkeys(frame for frame, _ in components.values()))
    symbol = {frame: "w" if len(spins) == 1 else f"w_{frame.name}" for frame in spins}
    written = {name: text(definition) for name, definition in definitions.items()}
    written |= {name: f"{symbol[frame]}.dot({direction})" for name, (frame, direction) in components.items()}
    return SpeedSet(title, definitions, written, {symbol[frame]: f"{frame}.angular_velocity(N)" for frame in spins})


def _is_sum_of_rates(definition: Expr) -> bool:
    """Whether a definition reads well as it stands: u2 = q̇1 + q̇2."""
    count = count_literal([definition])
    return count.total == count.adds


def _directions(system: System, run: Run) -> list[tuple[Frame, Vector]]:
    """For each turn, the frame and the unit vector along which its angular velocity is taken."""
    if len(run.turns) == 1:
        frame = run.turns[0][0]
        return [(frame, _axis(frame))]
    axes = (0, 1, 2) if len(run.turns) == 3 else _best_pair(system, run)
    return [(run.frame, getattr(run.frame, AXES[k])) for k in axes]


def _axis(frame: Frame) -> Vector:
    """The axis that a frame turns about."""
    if isinstance(frame.edge, Turn):
        return getattr(frame, AXES[frame.edge.axis])
    axis: Vector = frame.recipe["rotate"]["axis"]
    return axis


def _best_pair(system: System, run: Run) -> tuple[int, ...]:
    """The two axes of the outer frame that see the turns best: at q = 0, or where none do, at a random state."""
    columns = [_axis(frame).components(run.frame) for frame, _ in run.turns]
    program = lower(system.graph, [column[k] for k in range(3) for column in columns], system.arguments)
    states = random_states(system, 2)
    states[0, 1 : 1 + len(system.q)] = 0.0
    for J in Function(program).many(states).reshape(-1, 3, 2):
        seen = {pair: abs(np.linalg.det(J[list(pair)])) for pair in combinations(range(3), 2)}
        best = max(seen, key=lambda pair: seen[pair])
        if seen[best] > REGULAR:
            break
    return best
