"""Advice on generalized speeds: sets that suit the joints, derived side by side, and which one to take.

The definition of the speeds has a profound effect on how compact the equations are, and it shows only when they are
formulated. So they are.  [Gillespie §2, Table 3; Mitiguy & Kane 1996]
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape

from latchwork.kane.derive import TRIG_COST
from latchwork.kane.directives import SpeedSet, speed_sets
from latchwork.kane.equations import Equations, equations
from latchwork.kane.information import is_constant
from latchwork.kane.literal import speed_definitions
from latchwork.kane.speeds import solve_speeds
from latchwork.kane.table import Table
from latchwork.mechanics.system import System
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import DIV
from latchwork.symbolic.printing import text
from latchwork.symbolic.traverse import Operations, count_shared, reachable, rebuild

YES = {True: "yes", False: "no"}


@dataclass(frozen=True)
class Choice:
    """A set of speeds and the equations in them."""

    set: SpeedSet
    equations: Equations
    given: bool  # whether these are the model's own

    @property
    def title(self) -> str:
        return self.set.title + " (as given)" * self.given

    @property
    def operations(self) -> Operations:
        """Operations of q̇ and u̇ together, after sharing."""
        return count_shared([*self.equations.qdot_expressions, *self.equations.udot_expressions])

    @property
    def cost(self) -> int:
        """Operations, a sine or cosine counted as several."""
        return self.operations.total + (TRIG_COST - 1) * self.operations.trig


@dataclass(frozen=True)
class Advice:
    """Sets of speeds side by side, and the one to take."""

    name: str
    choices: tuple[Choice, ...]
    from_joints: bool

    @property
    def best(self) -> Choice:
        """The set with the least cost; the simplest among equals."""
        return min(self.choices, key=lambda choice: choice.cost)

    @property
    def table(self) -> Table:
        """Operation counts and the form of M, a column for each set.  [Gillespie Table 3]"""
        shared = [choice.equations.operations for choice in self.choices]
        printed = [choice.equations.operations_literal for choice in self.choices]
        rows = {
            "dt(u) shared: multiply, divide": [str(count.multiplies) for count in shared],
            "dt(u) shared: add, subtract": [str(count.adds) for count in shared],
            "dt(u) shared: sin, cos": [str(count.trig) for count in shared],
            "dt(u) as printed: multiply, divide": [str(count.multiplies) for count in printed],
            "dt(u) as printed: add, subtract": [str(count.adds) for count in printed],
            "dt(u) as printed: sin, cos": [str(count.trig) for count in printed],
            "dt(q) and dt(u) shared: all": [str(choice.operations.total) for choice in self.choices],
            "M diagonal": [YES[choice.equations.M.is_diagonal] for choice in self.choices],
            "M constant": [YES[is_constant(choice.equations.M)] for choice in self.choices],
        }
        heads = ("", *(choice.title for choice in self.choices))
        return Table(f"Speeds for '{self.name}'", heads, tuple(rows), tuple(map(tuple, rows.values())))

    @property
    def speeds(self) -> str:
        """The recommended definition, to be pasted; speeds that joints brought are changed in the equations."""
        chosen = self.best.set
        lines = [f"{name} = {value}" for name, value in chosen.where.items()]
        call = "model.equations().in_speeds" if self.from_joints else "model.speeds"
        return "\n".join([*lines, f"{call}({', '.join(f'{u}={e}' for u, e in chosen.written.items())})"])

    @property
    def why(self) -> str:
        """One or two sentences: what the recommended set saves, and where it fails."""
        best, others = self.best, [choice for choice in self.choices if choice is not self.best]
        against = ", ".join(f"{choice.operations.total} with {choice.set.title}" for choice in others)
        said = f"{best.set.title} takes {best.operations.total} operations"
        said += f" against {against}" if others else "; no other set suits this system"
        if best.equations.M.is_diagonal and not all(choice.equations.M.is_diagonal for choice in others):
            said += ", and M becomes diagonal: no equations are left to be solved for dt(u)"
        walls = singular_where(best.equations)
        return said + "." + f" These speeds fail where {' or '.join(walls)} vanishes." * bool(walls)

    def __str__(self) -> str:
        return "\n\n".join([str(self.table), f"Recommended: {self.best.title}\n{self.why}", self.speeds])

    def _repr_html_(self) -> str:
        return f"{self.table.html()}<p>{escape(self.why)}</p><pre>{escape(self.speeds)}</pre>"


def advise(system: System) -> Advice:
    """Derive the equations for each set of speeds that suits the joints, and for the model's own."""
    own = {u.name: definition for u, definition in speed_definitions(system).items()}
    sets = speed_sets(system)
    given = next((s for s in sets if all(own.get(name) == e for name, e in s.definitions.items())), None)
    choices = [Choice(s, equations(system if s is given else with_speeds(system, s)), s is given) for s in sets]
    if given is None:
        itself = SpeedSet("u", own, {name: text(e) for name, e in own.items()}, {})
        choices.append(Choice(itself, equations(system), True))
    return Advice(system.name, tuple(choices), from_joints=any(value.is_symbol for value in system.direct.values()))


def with_speeds(system: System, chosen: SpeedSet) -> System:
    """The system with other speeds of the same names; what mentions the former ones goes by their definitions."""
    g = system.graph
    fresh = {name: Expr(g, g.symbol(name, "speed")) for name in chosen.definitions}
    rates = {name: Expr(g, g.symbol(f"dt({name})", "acceleration", u.node)) for name, u in fresh.items()}
    changed = replace(
        system,
        u=tuple(fresh.get(u.name, u) for u in system.u),
        u_rates=tuple(rates.get(u.name, rate) for u, rate in zip(system.u, system.u_rates, strict=True)),
        definitions={fresh[name]: definition for name, definition in chosen.definitions.items()},
        direct={rate: value for rate, value in system.direct.items() if not value.is_symbol},
    )
    former = [u for u in system.u if u.name in fresh and u.node in _mentioned(system)]
    if not former:
        return changed
    definitions = speed_definitions(system)
    replaced = rebuild(g, [definitions[u].node for u in former], solve_speeds(changed).replaced)
    again = {u: Expr(g, node) for u, node in zip(former, replaced, strict=True)}
    return replace(changed, direct={**changed.direct, **again})


def _mentioned(system: System) -> set[int]:
    """Everything that loads and declared velocities depend on."""
    tree, vectors = system.tree, [] if system.gravity is None else [system.gravity]
    vectors += [vector for load in system.loads for _, vector in (*load.forces, *load.torques)]
    vectors += [frame.spun for frame in tree.frames.values() if frame.spun is not None]
    vectors += [point.moved for point in tree.points.values() if point.moved is not None]
    return set(reachable(system.graph, [node for vector in vectors for node in vector.nodes()]))


def singular_where(equations: Equations) -> list[str]:
    """Divisors in q̇ that depend on coordinates: where they vanish, the speeds do not determine q̇."""
    g = equations.system.graph
    coordinates = {q.node for q in equations.q}
    nodes = [g.nodes[i] for i in reachable(g, [e.node for e in equations.qdot_expressions])]
    divisors = dict.fromkeys(node[2] for node in nodes if node[0] == DIV)
    return [text(Expr(g, d)) for d in divisors if coordinates & set(reachable(g, [d]))]
