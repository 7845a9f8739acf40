"""What a model says, frozen: the input of every derivation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from latchwork.mechanics.body import Body
from latchwork.mechanics.elastic_body import ElasticBody
from latchwork.mechanics.joints import Link
from latchwork.mechanics.loads import Load
from latchwork.mechanics.tree import Tree
from latchwork.mechanics.vector import Vector
from latchwork.mechanics.visual import Visual
from latchwork.symbolic.arguments import Arguments
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph


@dataclass(frozen=True)
class System:
    """Bodies, loads and the definition of the speeds.

    ``definitions`` holds u = Y q̇ + Z as {u: expression in q̇}; ``direct`` holds q̇ = W u + X for coordinates whose joint
    says so, as {q̇: expression in u}; ``zero`` holds the motion constraints built into the speeds; ``former_speeds``
    says what speeds of an earlier choice, which loads may mention, are in terms of u.
    """

    name: str
    tree: Tree
    t: Expr
    q: tuple[Expr, ...]
    u: tuple[Expr, ...]
    r: tuple[Expr, ...]
    p: tuple[Expr, ...]
    q_rates: tuple[Expr, ...]
    u_rates: tuple[Expr, ...]
    values: Mapping[Expr, float]
    definitions: Mapping[Expr, Expr]
    direct: Mapping[Expr, Expr]
    zero: tuple[Expr, ...]
    bodies: tuple[Body, ...]
    loads: tuple[Load, ...]
    gravity: Vector | None
    links: tuple[Link, ...] = ()
    joints: tuple[str, ...] = ()  # by name: links, and what a robot file calls a joint, whatever it is made of
    quaternions: tuple[tuple[Expr, ...], ...] = ()
    former_speeds: Mapping[Expr, Expr] = field(default_factory=dict)
    elastic_bodies: tuple[ElasticBody, ...] = ()
    contacts: tuple[str, ...] = ()  # by name: equations do not hold them, runs of the model do
    visuals: tuple[Visual, ...] = ()  # what is drawn of it

    @property
    def graph(self) -> Graph:
        return self.tree.graph

    @cached_property
    def arguments(self) -> Arguments:
        """All symbols a number can be given for, in the order (t, q, u, r, p), then the rates."""
        return Arguments((self.t, *self.q, *self.u, *self.r, *self.p, *self.q_rates, *self.u_rates))
