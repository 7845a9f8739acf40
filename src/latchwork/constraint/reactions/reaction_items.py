"""Which reactions there are, and each as vectors in terms of u̇ and λ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from latchwork.constraint.reactions.auxiliary_speeds import moved_to
from latchwork.constraint.rows import Rows
from latchwork.errors import EvaluationError, ModelError, did_you_mean
from latchwork.kane.equations import Equations
from latchwork.kane.joint_forces import JointForce, Resultants, of_body, of_elastic, of_link
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


@dataclass(frozen=True)
class About:
    """The points about which torques are taken: one for all, or one for each name; else where each reaction acts."""

    all: Point | None = None
    each: tuple[tuple[str, Point], ...] = ()

    def of(self, name: str) -> Point | None:
        return dict(self.each).get(name, self.all)


def about(system: System, at: Any) -> About:
    """What a user gives as ``at``: a point, or points by the name of the joint, body or constraint."""
    if at is None or isinstance(at, About):
        return at or About()
    for point in at.values() if isinstance(at, Mapping) else (at,):
        if not isinstance(point, Point) or point.tree is not system.tree:
            raise EvaluationError(
                f"reactions of '{system.name}' were asked for about {point!r:.60}. Give a point of the model, or "
                "points by the names of joints and constraints: at={'elbow': P}; or leave it out."
            )
    if isinstance(at, Point):
        return About(at)
    return About(None, tuple((str(getattr(name, "name", name)), point) for name, point in at.items()))


def items_of(equations: Equations, rows: Rows | None, lam: Sequence[Expr], at: About, motors: bool) -> list[Item]:
    """Reactions of constraints, of joints, and of bodies that no joint carries; torques about ``at``, or where each is.

    Every row that has a pull is a load of size λ_i on the bodies; what is handed down the tree contains it. With
    ``motors``, what acts between the two sides of a joint is contained in its reaction, else it is a load of its own.
    """
    pulls = rows.pulls if rows is not None else ()
    loads = [pull.load(amount) for pull, amount in zip(pulls, lam, strict=True) if pull is not None]
    resultants = Resultants(equations, loads)
    driving = (*equations.system.loads, *equations.added) if motors else ()
    items = [*_of_constraints(rows, resultants.cuts, lam, at), *_of_joints(equations.system, resultants, at, driving)]
    _names_differ(equations, items)
    return items


def _of_joints(system: System, resultants: Resultants, at: About, driving: Sequence[Load]) -> Iterator[Item]:
    """Joints by name, with the loads that drive them, then bodies that no joint carries."""
    for link in system.links:
        held = moved_to(_driven(of_link(resultants, link), resultants.cuts, link, driving), at.of(link.name))
        yield Item(link.name, _name(resultants.cuts, link.frame), _name(resultants.cuts, link.inboard), (), held)
    met: set[tuple[Point, Frame | None]] = set()
    for body, j in zip(system.bodies, body_connection(system), strict=True):
        cut = resultants.cuts.of[body]
        place = cut.held, None if cut.frame is None else stiff(cut.frame)
        if cut.link is None and place not in met:
            met.add(place)  # bodies that are fixed to each other are held once
            held = moved_to(of_body(resultants, body), at.of(body.name))
            yield Item(body.name, body.name, _below(resultants.cuts, body, j), (), held)
    for elastic in system.elastic_bodies:
        held = moved_to(of_elastic(resultants, elastic), at.of(elastic.name))
        yield Item(elastic.name, elastic.name, _name(resultants.cuts, elastic.frame), (), held)


def _driven(held: JointForce, cuts: Cuts, link: Link, driving: Sequence[Load]) -> JointForce:
    """The force of a joint and of what drives it: torques between its two sides, forces between its two points."""
    sides = _name(cuts, link.frame), _name(cuts, link.inboard)
    for load in driving:
        frames = [_name(cuts, frame) for frame, _ in load.torques]
        points = [point for point, _ in load.forces]
        if len(frames) == 2 and {*frames} == {*sides} and not points:
            held = held._replace(torque=held.torque + load.torques[frames.index(sides[0])][1])
        elif {*points} == {link.origin, link.base} and not frames:
            held = held._replace(force=held.force + load.forces[points.index(link.origin)][1])
    return held


def _below(cuts: Cuts, body: Body, j: int) -> str:
    """What holds a body that has no joint: the body it hangs on, or the joint in between that carries none."""
    owner = cuts.carrier(body.center.parent) if body.center.parent is not None else None
    if isinstance(owner, Link):
        return owner.name
    return cuts.system.bodies[j - 1].name if j else cuts.system.tree.newtonian.name


def _of_constraints(rows: Rows | None, cuts: Cuts, lam: Sequence[Expr], at: About) -> Iterator[Item]:
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


def _exerted(cuts: Cuts, name: str, pulled: Sequence[tuple[int, Load]], at: About) -> Iterator[Item]:
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
        yield Item(name, bodies[0], bodies[-1], tuple(on.rows), on.about(at.of(name), none))
        return
    for body in bodies:
        if body != ground:
            share, label = shares[body], f"{name} on {body}"
            yield Item(label, body, None, tuple(share.rows), share.about(at.of(label) or at.of(name), none))


def _share(shares: dict[str, Share], body: str, i: int) -> Share:
    """The share of a body, which row i adds to."""
    share = shares.setdefault(body, Share([], [], []))
    share.rows += [i] if i not in share.rows else []
    return share


def _name(cuts: Cuts, what: Point | Frame) -> str:
    owner = cuts.carrier(what)
    return cuts.system.tree.newtonian.name if owner is None else owner.name


def must_be_names(equations: Equations, items: Sequence[Item], at: About) -> None:
    """Refuse a point for a reaction that there is not."""
    names = [item.name for item in items] + [item.name.rpartition(" on ")[0] for item in items if " on " in item.name]
    for name, _ in at.each:
        if name not in names:
            hint = did_you_mean(name, names)
            raise EvaluationError(f"'{equations.name}' has no reaction named '{name}' to give a point for.{hint}")


def _names_differ(equations: Equations, items: Sequence[Item]) -> None:
    names = [item.name for item in items]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise ModelError(
            f"{', '.join(map(repr, twice))} of '{equations.name}' names two of its constraints, joints and bodies that "
            "have a reaction. Rename one of them."
        )
