"""Which reactions there are, and each as vectors in terms of u̇ and λ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from latchwork.constraint.reacting.auxiliary import moved_to
from latchwork.constraint.rows import Rows
from latchwork.errors import ModelError
from latchwork.kane.equations import Equations
from latchwork.kane.joint_forces import JointForce, Resultants, of_body, of_link
from latchwork.mechanics.body import Body
from latchwork.mechanics.cuts import Cuts, stiff
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.loads import Load
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.mechanics.topology import body_connection
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr


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
    """A reaction for each constraint between two bodies; where more take part, one for each of them but the ground."""
    for constraint in rows.constraints if rows is not None else ():
        assert rows is not None
        own = range(rows.slices[constraint.name].start, rows.slices[constraint.name].stop)
        pulled = [(i, pull.load(lam[i])) for i, pull in zip(own, constraint.pulls, strict=True) if pull is not None]
        if not pulled:
            yield Item(constraint.name, None, None, tuple(own), None)
            continue
        yield from _exerted(cuts, constraint.name, pulled, at)
        for i, name, pull in zip(own, constraint.row_names, constraint.pulls, strict=True):
            if pull is None:
                yield Item(name, None, None, (i,), None)


@dataclass
class Share:
    """What one body gets from a constraint."""

    rows: list[int]
    forces: list[tuple[Point, Vector]]
    torques: list[Vector]

    def about(self, point: Point | None, none: Vector) -> JointForce:
        """Σ R and Σ T + p × R, about a point or where the first force acts."""
        first = self.forces[0][0] if self.forces else none.tree.origin
        total = JointForce(none, sum(self.torques, start=none), point if point is not None else first)
        for place, vector in self.forces:
            moved = moved_to(JointForce(vector, none, place), total.about)
            total = JointForce(total.force + moved.force, total.torque + moved.torque, total.about)
        return total


def _exerted(cuts: Cuts, name: str, pulled: Sequence[tuple[int, Load]], at: Point | None) -> Iterator[Item]:
    """The loads of a constraint's rows, gathered by the bodies that get them; the first two get opposite ones."""
    shares: dict[str, Share] = {}
    for i, load in pulled:
        for point, force in load.forces:
            _share(shares, _name(cuts, point), i).forces.append((point, force))
        for frame, torque in load.torques:
            _share(shares, _name(cuts, frame), i).torques.append(torque)
    none, ground, bodies = Vector(cuts.system.tree, {}), cuts.system.tree.newtonian.name, list(shares)
    if len(bodies) <= 2:
        on = shares[bodies[0]]
        yield Item(name, bodies[0], bodies[-1], tuple(on.rows), on.about(at, none))
        return
    for body in bodies:
        if body != ground:
            share = shares[body]
            yield Item(f"{name} on {body}", body, None, tuple(share.rows), share.about(at, none))


def _share(shares: dict[str, Share], body: str, i: int) -> Share:
    """The share of a body, which row i adds to."""
    share = shares.setdefault(body, Share([], [], []))
    share.rows += [i] if i not in share.rows else []
    return share


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
