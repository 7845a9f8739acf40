"""A tree of carriers: rigid pieces of a mechanism, each moving relative to the one before by some speeds of its own.

A carrier is a frame and a base point in it. Following the points from the origin, a step written in a new frame starts
a carrier at the point where it is taken, and a step that slides starts one beyond the slide. Where every speed moves
one carrier only, the equations can be solved carrier by carrier.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from latchwork.kane.motion import Motion
from latchwork.mechanics.algebra import ACROSS, NULL, Square, Triple, add3, scale3
from latchwork.mechanics.frame import Frame, Turn
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import add_squares
from latchwork.symbolic.ops import ZERO

EMPTY: Square = (NULL, NULL, NULL)


class NotATree(Exception):
    """The mechanism is no tree of carriers; its equations are solved by elimination instead."""


@dataclass(eq=False)
class Carrier:
    """A rigid piece: measures are in ``frame``, moments about its base, which stands at ``d`` in the parent.

    ``turns`` and ``slides`` hold the directions of its speeds (slides in the parent's measures); ``free`` says that its
    orientation does not follow the parent's.
    """

    frame: Frame
    parent: Carrier | None
    d: Triple = NULL
    free: bool = False
    turns: dict[int, Triple] = field(default_factory=dict)
    slides: dict[int, Triple] = field(default_factory=dict)
    mass: int = ZERO
    S: Triple = NULL
    J: Square = EMPTY


Place = tuple[Carrier, Triple]  # a carrier and where in it, from its base


class Carriers:
    """The carriers of a motion, parents before children, and where points and frames ride."""

    def __init__(self, motion: Motion) -> None:
        self.motion, self.g = motion, motion.g
        self.ground = Carrier(motion.system.tree.newtonian, None)
        self.all: list[Carrier] = []
        self.place: dict[Point, Place] = {motion.system.tree.origin: (self.ground, NULL)}
        self.of_frame: dict[Frame, list[Place]] = {}
        self._carrier_at: dict[tuple[int, Triple, Frame], Carrier] = {}
        self.moving = self._moving_frames()
        self._locate_points()
        self._load_bodies()

    def _moving_frames(self) -> set[Frame]:
        moving: set[Frame] = set()
        for frame, edge in self.motion.frame_edges.items():
            if edge.spin != NULL or edge.parent in moving:
                moving.add(frame)
        return moving

    def _locate_points(self) -> None:
        for point, edge in self.motion.point_edges.items():
            if edge.velocity is not None or edge.parent is None:
                raise NotATree
            here = self.place[edge.parent]
            for part in sorted(edge.parts, key=lambda part: part.frame.depth):
                here = self._step(here, part.frame, part.p, part.partials)
            self.place[point] = here

    def _step(self, here: Place, frame: Frame, p: Triple, partials: dict[int, Triple]) -> Place:
        """One step p written in a frame, from a place."""
        carrier, x = self.mounted(here, frame)
        x = add3(self.g, x, frame.carry(p, carrier.frame))
        if not partials:
            return carrier, x
        slides = {s: frame.carry(rate, carrier.frame) for s, rate in partials.items()}
        beyond = Carrier(carrier.frame, carrier, x, slides=slides)
        self.all.append(beyond)
        return beyond, NULL

    def mounted(self, here: Place, frame: Frame) -> Place:
        """The same place as seen by a carrier of the given frame; carriers are made where there are none yet."""
        carrier, x = here
        if frame not in self.moving:
            if carrier.frame in self.moving:
                raise NotATree  # a step fixed in N from a point that rides on something
            return here
        if carrier.frame is frame:
            return here
        key = (id(carrier), x, frame)
        if key not in self._carrier_at:
            self._carrier_at[key] = self._mount(here, frame)
        return self._carrier_at[key], NULL

    def _mount(self, here: Place, frame: Frame) -> Carrier:
        """A new carrier for a frame; frames between it and the carrier it stands on come first."""
        edge = self.motion.frame_edges[frame]
        carrier, x = here
        free = edge.parent is None or edge.parent not in self.moving
        if not free and carrier.frame is not edge.parent:
            assert edge.parent is not None
            if carrier.frame not in edge.parent.ancestry():
                raise NotATree
            carrier, x = self.mounted(here, edge.parent)
        made = Carrier(frame, carrier, x, free=free and carrier.frame in self.moving, turns=edge.partials)
        self.all.append(made)
        self.of_frame.setdefault(frame, []).append((made, NULL))
        return made

    def turning_with(self, frame: Frame) -> Carrier | None:
        """A carrier that turns with a frame; None for a frame at rest."""
        if frame not in self.moving:
            return None
        if frame not in self.of_frame:
            raise NotATree
        return self.of_frame[frame][0][0]

    def _load_bodies(self) -> None:
        """Each body's mass, first moment and inertia about the base of the carrier it rides on."""
        g = self.g
        for body in self.motion.system.bodies:
            here = self.place[body.center]
            carrier, x = here if body.frame is None else self.mounted(here, body.frame)
            if carrier is self.ground:
                continue
            moment = scale3(g, body.mass.node, x)
            if body.frame is not None and body.inertia is not None and body.frame in self.moving:
                carrier.J = add_squares(g, carrier.J, body.inertia.components(body.frame))
            carrier.J = add_squares(g, carrier.J, _shift(self, moment, x))
            carrier.S = add3(g, carrier.S, moment)
            carrier.mass = g.add(carrier.mass, body.mass.node)

    def must_be_a_tree(self) -> None:
        """Every speed moves one carrier; NotATree otherwise."""
        seen: set[int] = set()
        for carrier in self.all:
            for r in (*carrier.turns, *carrier.slides):
                if r in seen:
                    raise NotATree
                seen.add(r)
        if seen != set(range(len(self.motion.speeds))):
            raise NotATree


def plane_of(carriers: Carriers) -> int | None:
    """The axis about which everything turns, where nothing slides along it: a plane mechanism; None for others."""
    rates = [rate for carrier in carriers.all for rate in carrier.turns.values()]
    k = next((k for k in range(3) if rates and rates[0][k] != ZERO), None)
    if k is None:
        return None
    i, j = ACROSS[k]
    for rate in rates:
        if rate[i] != ZERO or rate[j] != ZERO:
            return None
    for carrier in carriers.all:
        parent = carrier.parent
        for rate in carrier.slides.values():
            if rate[k] != ZERO:
                return None
        if parent is None or (parent is carriers.ground and not carrier.slides):
            continue
        for step in carrier.frame.path(parent.frame):
            if not isinstance(step, Turn) or step.axis != k:
                return None
    return k


def _shift(carriers: Carriers, moment: Triple, x: Triple) -> Square:
    """m (x·x U - x x) from the first moment m x; symmetric by construction."""
    g = carriers.g
    off = {(i, j): g.neg(g.mul(moment[i], x[j])) for i, j in ((0, 1), (1, 2), (0, 2))}
    squares = [g.mul(moment[k], x[k]) for k in range(3)]
    a, b, c = g.add(squares[1], squares[2]), g.add(squares[0], squares[2]), g.add(squares[0], squares[1])
    return (a, off[0, 1], off[0, 2]), (off[0, 1], b, off[1, 2]), (off[0, 2], off[1, 2], c)
