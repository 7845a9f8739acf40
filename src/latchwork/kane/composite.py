"""The mass matrix by composite bodies, for any trees of frames and points that are nested in the ordinary way.

Turning a frame F at the rate λ, everything that rides on F or on frames above F moves as one body; its momentum is

    P = λ × S,   H = J λ          S = Σ μ p,   J = Σ μ (p·p U - p p) + Σ I

with μ the mass beyond each step p of the point tree. M_rs is the generalized force r of the momentum of u_s, handed
down the trees from where it arises. Composites are accumulated once, from the tips to the root:

    S' = S + μ p,   J' = J + ((S + S')·p) U - S p - p S'                     (shifted by p, μ the mass beyond)
"""

from __future__ import annotations

from dataclasses import dataclass

from latchwork.kane.motion import Motion, PointEdge, PointPart, Settle
from latchwork.kane.wrenches import Wrenches, generalized_forces
from latchwork.mechanics.algebra import NULL, Square, Triple, add3, cross3, dot3, matmul, matvec, scale3, transpose
from latchwork.mechanics.frame import Frame, Turn
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector, add_squares
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import ZERO

EMPTY: Square = (NULL, NULL, NULL)


@dataclass(frozen=True)
class Composite:
    """What rides on a frame, beyond a point: first moment S and inertia J, measures in the frame.

    Where one vector has parts in several moving frames, ``between`` holds those that still lead from the point to here.
    """

    frame: Frame
    base: Point
    S: Triple
    J: Square
    between: tuple[PointPart, ...] = ()


def is_nested(motion: Motion) -> bool:
    """Whether no path of points comes back to a frame it has left.

    A step's frame is on or above the frames of the steps before it, down to the first that shares no moving frame with
    it; none further down shares one either. Then no step crosses back over a joint, and composites are exact.
    """
    moving = _moving_ancestors(motion)
    paths: dict[Point, tuple[Frame, ...]] = {motion.system.tree.origin: ()}
    for point, edge in motion.point_edges.items():
        path = () if edge.parent is None else paths[edge.parent]
        for part in _outward(edge):
            if moving[part.frame] and part.frame not in path[-1:]:
                if not _goes_on(moving, path, part.frame):
                    return False
                path = (*path, part.frame)
        paths[point] = path
    return True


def _goes_on(moving: dict[Frame, frozenset[Frame]], path: tuple[Frame, ...], frame: Frame) -> bool:
    """Whether a step in this frame may follow the frames of a path."""
    left = False
    for other in reversed(path):
        if moving[frame].isdisjoint(moving[other]):
            left = True
        elif left or other not in moving[frame]:
            return False
    return True


def _outward(edge: PointEdge) -> list[PointPart]:
    """The parts of one vector as steps from the parent to the point, the deeper frames further out."""
    return sorted(edge.parts, key=lambda part: part.frame.depth)


def _moving_ancestors(motion: Motion) -> dict[Frame, frozenset[Frame]]:
    """Each frame's chain of frames that turn, itself included."""
    found: dict[Frame, frozenset[Frame]] = {motion.system.tree.newtonian: frozenset()}
    for frame, edge in motion.frame_edges.items():
        above = frozenset() if edge.parent is None else found[edge.parent]
        found[frame] = above | {frame} if edge.spin != NULL or above else frozenset()
    return found


class Composites:
    """Composites of every moving frame, and the mass beyond every point."""

    def __init__(self, motion: Motion) -> None:
        self.motion = motion
        self.g: Graph = motion.g
        self.moving = _moving_ancestors(motion)
        self.turns_about = _turning_axes(motion)
        self.mass: dict[Point, int] = {}
        self.groups: dict[Point, list[Composite]] = {}
        self.of_frame: dict[Frame, list[Composite]] = {}
        self.riding = self._riding()
        self._accumulate()

    def _riding(self) -> dict[Point, frozenset[Frame]]:
        """The moving frames that carry some step on the way to each point."""
        found: dict[Point, frozenset[Frame]] = {self.motion.system.tree.origin: frozenset()}
        for point, edge in self.motion.point_edges.items():
            above = frozenset() if edge.parent is None else found[edge.parent]
            found[point] = above.union(*(self.moving[part.frame] for part in edge.parts))
        return found

    def _accumulate(self) -> None:
        """From the tips to the root: masses, then composites, handed from each point to its parent."""
        g, origin = self.g, self.motion.system.tree.origin
        for body in self.motion.system.bodies:
            self.mass[body.center] = g.add(self.mass.get(body.center, ZERO), body.mass.node)
            if body.inertia is not None and body.frame is not None and self.moving[body.frame]:
                own = Composite(body.frame, body.center, NULL, body.inertia.components(body.frame))
                self._join(self.groups.setdefault(body.center, []), own)
        for point, edge in reversed(self.motion.point_edges.items()):
            groups = self._carried(edge, self.groups.get(point, []))
            parent = edge.parent
            if parent is None:
                for group in groups:
                    self._record(group, None)
                continue
            self.mass[parent] = g.add(self.mass.get(parent, ZERO), self.mass.get(point, ZERO))
            table = self.groups.setdefault(parent, [])
            for group in groups:
                self._join(table, group)
        for group in self.groups.get(origin, []):
            self._record(group, None)

    def _join(self, groups: list[Composite], new: Composite) -> None:
        """Composites of one frame that hang at one point are one composite."""
        for i, old in enumerate(groups):
            if old.frame is new.frame and old.base is new.base and old.between == new.between:
                J = add_squares(self.g, old.J, new.J)
                groups[i] = Composite(old.frame, old.base, add3(self.g, old.S, new.S), J, old.between)
                return
        groups.append(new)

    def _carried(self, edge: PointEdge, groups: list[Composite]) -> list[Composite]:
        """The composites beyond a point, seen from its parent: shifted along each step whose frame they ride on."""
        mu = self.mass.get(edge.point, ZERO)
        parts = [part for part in reversed(_outward(edge)) if self.moving[part.frame]]
        for k, part in enumerate(parts if mu != ZERO else []):
            rest: list[Composite] = []
            S, J = NULL, EMPTY
            for group in groups:
                if part.frame in self.moving[group.frame]:
                    riding = self._record(group, part.frame)
                    S, J = add3(self.g, S, riding.S), add_squares(self.g, J, riding.J)
                else:
                    rest.append(group)
            base = edge.parent if edge.parent is not None else edge.point
            groups = [*rest, self._shifted(Composite(part.frame, base, S, J, tuple(parts[k + 1 :])), mu, part.p)]
        return groups

    def _shifted(self, c: Composite, mu: int, p: Triple) -> Composite:
        g, S = self.g, c.S
        T = add3(g, S, scale3(g, mu, p))
        Q = add3(g, S, T)
        J = [list(row) for row in c.J]
        for i, j in _entries(self.turns_about[c.frame]):
            if i == j:
                for k in range(3):
                    if k != i:
                        J[i][i] = g.add(J[i][i], g.mul(Q[k], p[k]))
            else:
                J[i][j] = J[j][i] = g.sub(g.sub(J[i][j], g.mul(S[i], p[j])), g.mul(p[i], T[j]))
        return Composite(c.frame, c.base, T, (tuple(J[0]), tuple(J[1]), tuple(J[2])), c.between)  # type: ignore[arg-type]

    def _record(self, c: Composite, upto: Frame | None) -> Composite:
        """Note a composite for its frame and every frame below it, down to but without ``upto``, where it ends up."""
        while c.frame is not upto:
            self.of_frame.setdefault(c.frame, []).append(c)
            parent = self.motion.frame_edges[c.frame].parent
            if parent is None:
                break
            c = Composite(parent, c.base, c.frame.carry(c.S, parent), self._turned(c, parent), c.between)
        return c

    def _turned(self, c: Composite, parent: Frame) -> Square:
        """R J Rᵀ; for a turn the trace of the turned block is kept."""
        edge = c.frame.edge
        if not isinstance(edge, Turn):
            assert edge is not None
            matrix = edge.matrix
            full = matmul(self.g, matmul(self.g, matrix, c.J), transpose(matrix))
            return (full[0], (full[0][1], *full[1][1:]), (full[0][2], full[1][2], full[2][2]))
        g, k = self.g, edge.axis
        i, j = (k + 1) % 3, (k + 2) % 3
        J = [list(row) for row in c.J]
        turned = c.frame.carry((J[k][0], J[k][1], J[k][2]), parent)
        for m in (i, j):
            J[k][m] = J[m][k] = turned[m]
        if self.turns_about[parent] == k or not (J[i][i] != ZERO or J[i][j] != ZERO or J[j][j] != ZERO):
            return (tuple(J[0]), tuple(J[1]), tuple(J[2]))  # type: ignore[return-value]
        a, b, d = J[i][i], J[i][j], J[j][j]
        cosine, sine = g.cos(edge.angle), g.sin(edge.angle)
        x = g.sub(g.mul(cosine, a), g.mul(sine, b))
        y = g.sub(g.mul(cosine, b), g.mul(sine, d))
        J[i][i] = g.sub(g.mul(cosine, x), g.mul(sine, y))
        J[i][j] = J[j][i] = g.add(g.mul(sine, x), g.mul(cosine, y))
        J[j][j] = g.sub(g.add(a, d), J[i][i])
        return (tuple(J[0]), tuple(J[1]), tuple(J[2]))  # type: ignore[return-value]


def _entries(axis: int | None) -> list[tuple[int, int]]:
    """Entries of J that are needed: all six, or the row of the only axis that anything below turns about."""
    if axis is None:
        return [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)]
    return [(axis, axis), *((min(axis, k), max(axis, k)) for k in range(3) if k != axis)]


def _turning_axes(motion: Motion) -> dict[Frame, int | None]:
    """The single axis about which a frame and all frames below it turn, or None where there are several."""
    found: dict[Frame, int | None] = {}
    for frame, edge in motion.frame_edges.items():
        own = {k for partial in edge.partials.values() for k in range(3) if partial[k] != ZERO}
        if edge.parent is not None and edge.parent in found:
            inherited = found[edge.parent]
            turn = frame.edge.axis if isinstance(frame.edge, Turn) else None
            fixed = isinstance(frame.edge, Turn) and frame.edge.angle == ZERO
            if inherited is None and _turns_below(motion, edge.parent):
                own = {0, 1, 2}
            elif inherited is not None:
                own |= {inherited} if turn == inherited or fixed else {0, 1, 2}
        found[frame] = own.pop() if len(own) == 1 else None
    return found


def _turns_below(motion: Motion, frame: Frame) -> bool:
    """Whether this frame or one below it turns at all."""
    step: Frame | None = frame
    while step is not None:
        edge = motion.frame_edges[step]
        if edge.partials:
            return True
        step = edge.parent
    return False


def composite_mass_matrix(motion: Motion, settle: Settle) -> list[list[int]]:
    """M: for every edge and speed the momentum of what it moves, handed down; pairs on one edge are counted once."""
    g, n = motion.g, len(motion.speeds)
    composites = Composites(motion)
    same = [[ZERO] * n for _ in range(n)]  # both speeds on one edge
    down = [[ZERO] * n for _ in range(n)]  # down[r][s]: the edge of u_r below the edge of u_s
    for frame, edge in motion.frame_edges.items():
        for s, rate in edge.partials.items():
            _frame_column(composites, frame, s, rate, settle, same, down)
    for point, point_edge in motion.point_edges.items():
        _point_columns(composites, point, point_edge, settle, same, down)
    return [[g.add(same[min(r, s)][max(r, s)], g.add(down[r][s], down[s][r])) for s in range(n)] for r in range(n)]


def _frame_column(composites: Composites, frame: Frame, s: int, rate: Triple, settle: Settle,
                  same: list[list[int]], down: list[list[int]]) -> None:  # fmt: skip
    motion, g = composites.motion, composites.g
    edge = motion.frame_edges[frame]
    wrenches = Wrenches(motion)
    H = NULL
    for c in composites.of_frame.get(frame, []):
        H = add3(g, H, matvec(g, c.J, rate))
        P = cross3(g, rate, c.S)
        if P != NULL and c.base.parent is not None:
            wrenches.push(c.base, settle(Vector(frame.tree, {frame: P}), c.base))
        for part in c.between:
            wrenches.twist(part.frame, cross3(g, part.p, frame.carry(P, part.frame)))
    for r, other in edge.partials.items():
        if r <= s:
            same[r][s] = g.add(same[r][s], dot3(g, other, H))
    if edge.parent is not None and H != NULL:
        wrenches.twist(edge.parent, frame.carry(H, edge.parent))
    _hand_down(wrenches, settle, s, down)


def _point_columns(composites: Composites, point: Point, edge: PointEdge, settle: Settle,
                   same: list[list[int]], down: list[list[int]]) -> None:  # fmt: skip
    """Speeds that slide a point: everything beyond it moves with one velocity."""
    motion, g, tree = composites.motion, composites.g, point.tree
    mu = composites.mass.get(point, ZERO)
    if mu == ZERO:
        return
    if edge.velocity is not None:
        slides = {f: motion.partials(part) for f, part in edge.velocity.parts.items()}
    else:
        slides = {part.frame: part.partials for part in edge.parts}
    for s in sorted({s for partials in slides.values() for s in partials}):
        velocity = Vector(tree, {f: partials[s] for f, partials in slides.items() if s in partials})
        momentum = velocity * Expr(g, mu)
        for f, partials in slides.items():
            for r, partial in partials.items():
                if r <= s:
                    same[r][s] = g.add(same[r][s], dot3(g, partial, momentum.components(f)))
        wrenches = Wrenches(motion)
        if edge.velocity is None:
            _slide_momentum(composites, point, edge, velocity, momentum, settle, wrenches)
        _hand_down(wrenches, settle, s, down)


def _slide_momentum(composites: Composites, point: Point, edge: PointEdge, velocity: Vector, momentum: Vector,
                    settle: Settle, wrenches: Wrenches) -> None:  # fmt: skip
    g = composites.g
    for group in composites.groups.get(point, []):
        frame, H = group.frame, cross3(g, group.S, velocity.components(group.frame))
        below: Frame | None = frame
        while below is not None and below not in composites.riding[point]:  # beyond the slide: has its own column
            frame, below = below, composites.motion.frame_edges[below].parent
            H = frame.carry(H, below) if below is not None else NULL
        if below is not None:
            wrenches.twist(below, H)
    for part in edge.parts:
        wrenches.twist(part.frame, cross3(g, part.p, momentum.components(part.frame)))
    if edge.parent is not None and edge.parent.parent is not None:
        wrenches.push(edge.parent, settle(momentum, edge.parent))


def _hand_down(wrenches: Wrenches, settle: Settle, s: int, down: list[list[int]]) -> None:
    for r, value in enumerate(generalized_forces(wrenches, settle)):
        if value != ZERO:
            down[s][r] = wrenches.motion.g.add(down[s][r], value)
