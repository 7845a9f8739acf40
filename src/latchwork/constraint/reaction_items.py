"""Which reactions there are, and each as vectors in terms of u̇ and λ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from latchwork.constraint.auxiliary import moved_to
from latchwork.constraint.constraint import Pull
from latchwork.constraint.rows import Rows
from latchwork.errors import ModelError
from latchwork.kane.equations import Equations
from latchwork.kane.joint_forces import JointForce, Resultants, of_body, of_link
from latchwork.mechanics.body import Body
from latchwork.mechanics.cuts import Cuts, stiff
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.mechanics.topology import body_connection
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr

Sides = tuple[str, str] | None


@dataclass(frozen=True, eq=False)
class Item:
    """One reaction: its rows of λ, and its force and torque as vectors in u̇ and λ, where it has them."""

    name: str
    on: str | None
    other: str | None
    rows: tuple[int, ...]
    wrench: JointForce | None


def items_of(equations: Equations, rows: Rows | None, lam: Sequence[Expr], at: Point | None) -> list[Item]:
    """Reactions of constraints, of joints, and of bodies that no joint carries; torques about ``at``, or where each is.

    Every row that has a pull is a load of size λ_i on the bodies; what is handed down the tree contains it.
    """
    pulls = rows.pulls if rows is not None else ()
    loads = [pull.load(amount) for pull, amount in zip(pulls, lam, strict=True) if pull is not None]
    resultants = Resultants(equations, loads)
    items = [*_of_constraints(rows, resultants.cuts, lam, at), *_of_joints(equations.system, resultants, at)]
    _names_differ(equations, items)
    return items


def _of_joints(system: System, resultants: Resultants, at: Point | None) -> Iterator[Item]:
    """Joints by name, then bodies that no joint carries."""
    for link in system.links:
        held = moved_to(of_link(resultants, link), at)
        yield Item(link.name, _name(resultants.cuts, link.frame), _name(resultants.cuts, link.inboard), (), held)
    met: set[tuple[Point, Frame | None]] = set()
    for body, j in zip(system.bodies, body_connection(system), strict=True):
        cut = resultants.cuts.of[body]
        place = cut.held, None if cut.frame is None else stiff(cut.frame)
        if cut.link is None and place not in met:
            met.add(place)  # bodies that are fixed to each other are held once
            held = moved_to(of_body(resultants, body), at)
            yield Item(body.name, body.name, _below(resultants.cuts, body, j), (), held)


def _below(cuts: Cuts, body: Body, j: int) -> str:
    """What holds a body that has no joint: the body it hangs on, or the joint in between that carries none."""
    owner = cuts.carrier(body.center.parent) if body.center.parent is not None else None
    if isinstance(owner, Link):
        return owner.name
    return cuts.system.bodies[j - 1].name if j else cuts.system.tree.newtonian.name


def _of_constraints(rows: Rows | None, cuts: Cuts, lam: Sequence[Expr], at: Point | None) -> Iterator[Item]:
    """A reaction for each constraint; for each row where rows act between different bodies, or some have no pull."""
    for constraint in rows.constraints if rows is not None else ():
        assert rows is not None
        first = rows.slices[constraint.name].start
        sides = [_sides(cuts, pull) for pull in constraint.pulls]
        own = tuple(range(first, first + len(sides)))
        if len(set(sides)) == 1:
            yield _item(constraint.name, sides[0], own, constraint.pulls, lam, at)
        else:
            for i, name in enumerate(constraint.row_names):
                yield _item(name, sides[i], own[i : i + 1], constraint.pulls[i : i + 1], lam, at)


def _item(name: str, sides: Sides, rows: tuple[int, ...], pulls: Sequence[Pull | None], lam: Sequence[Expr],
          at: Point | None) -> Item:  # fmt: skip
    if sides is None:
        return Item(name, None, None, rows, None)
    loads = [pull.load(lam[i]) for pull, i in zip(pulls, rows, strict=True) if pull is not None]
    forces = [load.forces[0] for load in loads if load.forces]
    torques = [load.torques[0][1] for load in loads if load.torques]
    tree = (forces[0][1] if forces else torques[0]).tree
    point = at if at is not None else forces[0][0] if forces else tree.origin
    force = sum((vector for _, vector in forces), start=Vector(tree, {}))
    torque = sum(torques, start=Vector(tree, {}))
    for place, vector in forces:
        torque = torque if place is point else torque + place.position(point).cross(vector)
    return Item(name, *sides, rows, JointForce(force, torque, point))


def _sides(cuts: Cuts, pull: Pull | None) -> Sides:
    return None if pull is None else (_name(cuts, pull.on), _name(cuts, pull.other))


def _name(cuts: Cuts, what: Point | Frame) -> str:
    owner = cuts.carrier(what)
    return cuts.system.tree.newtonian.name if owner is None else owner.name


def _names_differ(equations: Equations, items: Sequence[Item]) -> None:
    names = [item.name for item in items]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ModelError(
            f"{', '.join(map(repr, twice))} of '{equations.name}' names two of its constraints, joints and bodies that "
            "have a reaction. Rename one of them."
        )
