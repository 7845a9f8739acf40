"""What the information report and the page show, as tables: sizes, bodies, coordinates, loads, costs, energies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from latchwork.kane.literal import WRITE, speed_definitions
from latchwork.kane.table import Cell, Sign, Table
from latchwork.kane.units import known_units
from latchwork.mechanics.body import Body
from latchwork.mechanics.joints import Link
from latchwork.mechanics.loads import Force, GeneralizedForce, Load, Spring, Torque, Torsion, Wrench
from latchwork.mechanics.printing import dyadic_latex, dyadic_mathml, dyadic_text
from latchwork.mechanics.system import System
from latchwork.mechanics.topology import body_connection, joints_between, own_coordinates
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.matrix import Matrix
from latchwork.symbolic.tidy import tidy
from latchwork.symbolic.traverse import Operations, count_literal, count_shared
from latchwork.symbolic.units import pretty, written

if TYPE_CHECKING:
    from latchwork.kane.equations import Equations

NONE = "-"
WIDEST_PICTURE = 60  # speeds beyond which the pattern of M is not drawn
SHORT_INERTIA = 48  # characters
SHORT_ENERGY = 120  # operations


def _names(items: Iterable[Any]) -> str:
    return ", ".join(item.name for item in items) or NONE


def _symbols(symbols: Sequence[Expr]) -> Cell:
    """Names of symbols, as they are written in equations."""
    if not symbols:
        return NONE
    text, latex, mathml = ([write(symbol) for symbol in symbols] for write in WRITE.values())
    return Sign(", ".join(text), ", ".join(latex), "<mo>,</mo>".join(mathml))


def sizes(equations: Equations) -> Table:
    """How many there are of what, by name."""
    system = equations.system
    names = [row[1] or f"{row[0]} on {row[2]}" for row in map(load_row, (*system.loads, *equations.added))]
    loads = names if system.gravity is None else ["gravity", *names]
    rows: list[tuple[str, int, Cell]] = [
        ("coordinates q", len(system.q), _symbols(system.q)),
        ("speeds u", len(system.u), _symbols(system.u)),
        ("bodies", len(system.bodies), _names(system.bodies)),
        *([("elastic bodies", len(elastic), _names(elastic))] if (elastic := system.elastic_bodies) else []),
        ("joints", len(system.joints), ", ".join(system.joints) or NONE),
        ("loads", len(loads), "; ".join(loads) or NONE),
        ("inputs r", len(system.r), _symbols(system.r)),
        ("parameters p", len(system.p), _symbols(system.p)),
    ]
    return _table("", ("", "number", "names"), [(what, str(number), names) for what, number, names in rows])


def quantities(equations: Equations) -> Table:
    """Values, units and descriptions of symbols, where any were given."""
    system = equations.system
    named = [symbol for symbol in (*system.q, *system.u, *system.r, *system.p)]
    if not any(symbol.unit or symbol.description for symbol in named):
        named = []
    known = known_units(system)
    rows: list[tuple[Cell, ...]] = []
    for symbol in named:
        value, unit = system.values.get(symbol), symbol.unit or written(known.get(symbol.node, {}))
        shown = "" if value is None else Expr(system.graph, system.graph.constant(value))
        rows.append((_symbols([symbol]), shown, pretty(unit), symbol.description))
    return _table("Quantities", ("", "value", "unit", "what it is"), rows)


def bodies(equations: Equations) -> Table:
    """Bodies with the body connection array L(k): the body that body k hangs on, 0 for N.  [Kelly §2]"""
    system = equations.system
    inboard, joints = body_connection(system), joints_between(system)
    rows = [
        (str(k), body.name, str(j), _joint_text(links), _frame_name(body), body.center.name, body.mass, _inertia(body))
        for k, (body, j, links) in enumerate(zip(system.bodies, inboard, joints, strict=True), start=1)
    ]
    return _table("Bodies", ("k", "body", "L(k)", "joint", "frame", "centre", "mass", "inertia"), rows)


def _joint_text(links: Iterable[Link]) -> str:
    return ", ".join(f"{link.joint.name} {link.name}" for link in links) or NONE


def _frame_name(body: Body) -> str:
    return body.frame.name if body.frame is not None else NONE


def _inertia(body: Body) -> Cell:
    """The inertia dyadic, or that there is one."""
    if body.inertia is None:
        return "particle" if body.is_particle else NONE
    if len(dyadic_text(body.inertia)) > SHORT_INERTIA:
        return f"given in {_frame_name(body)}"
    return Sign(dyadic_text(body.inertia), dyadic_latex(body.inertia), dyadic_mathml(body.inertia, inner=True))


def coordinates(equations: Equations) -> Table:
    """Which coordinates and speeds came with which body; elastic bodies stand after the others."""
    system = equations.system
    bending = {q for body in system.elastic_bodies for q in body.q}
    own = [tuple(q for q in qs if q not in bending) for qs in own_coordinates(system)]
    groups = [*zip(_named(system.bodies), own, strict=True), *((body.name, body.q) for body in system.elastic_bodies)]
    owner = {rate: k for k, (_, qs) in reversed(list(enumerate(groups, 1))) for q, rate in _rated(system) if q in qs}
    speeds: dict[int, list[Expr]] = {}
    for u, definition in speed_definitions(system).items():
        k = max((owner.get(rate, 0) for rate in definition.free_symbols), default=0)
        speeds.setdefault(k, []).append(u)
    rows: list[tuple[Cell, ...]] = [
        (str(k), name, _symbols(qs), _symbols(speeds.get(k, []))) for k, (name, qs) in enumerate(groups, start=1)
    ]
    others = [q for q, rate in _rated(system) if rate not in owner]
    if others or 0 in speeds:
        rows.append((NONE, "massless", _symbols(others), _symbols(speeds.get(0, []))))
    return _table("Coordinates and speeds", ("k", "body", "q", "u"), rows)


def _named(bodies: Iterable[Body]) -> list[str]:
    return [body.name for body in bodies]


def _rated(system: System) -> list[tuple[Expr, Expr]]:
    return list(zip(system.q, system.q_rates, strict=True))


# --- loads --------------------------------------------------------------------------------------------------------


def loads(equations: Equations) -> Table:
    """All loads: what acts where."""
    system = equations.system
    rows: list[tuple[Cell, ...]] = []
    if system.gravity is not None:
        rows.append(("gravity", "every body", system.gravity))
    for load in (*system.loads, *equations.added):
        kind, name, where, what = load_row(load)
        later = ", added" if load in equations.added else ""
        rows.append((f"{kind} {name}".strip() + later, where, what))
    return _table("Loads", ("", "load", "on", "what"), [(str(i), *row) for i, row in enumerate(rows, start=1)])


def load_row(load: Load) -> tuple[str, str, str, Cell]:
    """Kind, name, where it acts, and its vector or its constants."""
    return LOADS[type(load)](load)


def _force(load: Force) -> tuple[str, str, str, Cell]:
    return "force", load.name, _with_reaction(load.point, load.reaction), load.vector


def _torque(load: Torque) -> tuple[str, str, str, Cell]:
    return "torque", load.name, _with_reaction(load.frame, load.reaction), load.vector


def _spring(load: Spring) -> tuple[str, str, str, Cell]:
    what = f"stiffness {load.stiffness}, length {load.length}, damping {load.damping}"
    return "spring", load.name, f"{load.p.name} and {load.q.name}", what


def _torsion(load: Torsion) -> tuple[str, str, str, Cell]:
    what = f"stiffness {load.stiffness}, angle {load.angle} from {load.rest}, damping {load.damping}"
    return "torsion", load.name, _with_reaction(load.frame, load.reaction), what


def _wrench(load: Wrench) -> tuple[str, str, str, Cell]:
    where = [point.name for point, _ in load.forces] + [frame.name for frame, _ in load.torques]
    what = ", ".join(str(vector) for _, vector in (*load.forces, *load.torques))
    return "wrench", load.name, ", ".join(where), what


def _generalized(load: GeneralizedForce) -> tuple[str, str, str, Cell]:
    return "generalized force", load.name, ", ".join(q.name for q, _ in load.efforts), "on coordinates"


LOADS: dict[type, Callable[[Any], tuple[str, str, str, Cell]]] = {
    Force: _force, Torque: _torque, Spring: _spring, Torsion: _torsion, Wrench: _wrench,
    GeneralizedForce: _generalized,
}  # fmt: skip


def _with_reaction(on: Any, reaction: Any) -> str:
    return on.name if reaction is None else f"{on.name}, reaction on {reaction.name}"


# --- costs and energies -------------------------------------------------------------------------------------------


def operations(equations: Equations) -> Table:
    """Operations of q̇ and u̇, after sharing and as printed."""
    qdot = list(equations.qdot_expressions)
    rows = [
        ("dt(u), shared", equations.operations),
        ("dt(u), as printed", equations.operations_literal),
        ("dt(q), shared", count_shared(qdot)),
        ("dt(q), as printed", count_literal(qdot)),
    ]
    heads = ("operations", "multiply, divide", "add, subtract", "sin, cos", "other")
    return _table("", heads, [(what, *count_cells(count)) for what, count in rows])


def count_cells(count: Operations) -> tuple[str, str, str, str]:
    """The numbers of an operation count."""
    return str(count.multiplies), str(count.adds), str(count.trig), str(count.others)


def mass_matrix_text(M: Matrix) -> str:
    """``3 x 3, diagonal, constant, 3 of 9 entries not zero``."""
    n = M.shape[0]
    filled = sum(not M.is_zero(i, j) for i in range(n) for j in range(n))
    shape = "diagonal" if M.is_diagonal else "symmetric"
    return f"{n} x {n}, {shape}, {'constant' if is_constant(M) else 'varying'}, {filled} of {n * n} entries not zero"


def is_constant(M: Matrix) -> bool:
    """Whether a matrix depends on parameters alone."""
    return all(symbol.kind == "parameter" for symbol in M.free_symbols)


def pattern(M: Matrix) -> str:
    """A picture of a matrix: ``x`` for an entry, ``.`` for a zero."""
    m, n = M.shape
    if max(m, n) > WIDEST_PICTURE:
        return ""
    return "\n".join(" ".join("." if M.is_zero(i, j) else "x" for j in range(n)) for i in range(m))


def energies(equations: Equations) -> list[tuple[str, Cell]]:
    """Kinetic energy K and potential energy V, tidied where they are short, counted where they are long."""
    found: list[tuple[str, Cell]] = []
    for name, energy in (("K", equations.kinetic_energy), ("V", equations.potential_energy)):
        count = count_shared([energy])
        if count.total <= SHORT_ENERGY:
            found.append((name, tidy([energy])[0]))
        else:
            found.append((name, str(count)))
    return found


def _table(title: str, heads: tuple[Cell, ...], rows: Iterable[tuple[Cell, ...]]) -> Table:
    lines = list(rows)
    return Table(title, heads, tuple(line[0] for line in lines), tuple(line[1:] for line in lines))
