"""Which body hangs on which: the body connection array L(k), and the coordinates that each body adds.  [Kelly §2]"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, takewhile
from typing import Any

from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame, Turn
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point
from latchwork.mechanics.system import System
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import reachable

Places = dict[Any, list[int]]  # numbers of bodies by frame or point


def body_connection(system: System) -> tuple[int, ...]:
    """L(k), k = 1, ..., N: the number of the body that body k hangs on, 0 for the Newtonian frame.

    It is the nearest one found down the frames that a body is turned from, then down the points that its mass centre is
    located from. Of several bodies fixed in one frame, each hangs on the one before.
    """
    carried, centered = _numbers_by_place(system)
    L = [0] * len(system.bodies)
    for k, body in enumerate(system.bodies, start=1):
        nearest = chain(_down_frames(body, k, carried), _down_points(body, carried, centered))
        L[k - 1] = next((j for j in nearest if not _hangs_on(L, j, k)), 0)
    return tuple(L)


def _numbers_by_place(system: System) -> tuple[Places, Places]:
    """The numbers of the bodies fixed in each frame, and of those centred on each point."""
    carried: Places = {}
    centered: Places = {}
    for k, body in enumerate(system.bodies, start=1):
        carried.setdefault(body.frame, []).append(k)
        centered.setdefault(body.center, []).append(k)
    return carried, centered


def _hangs_on(L: list[int], j: int, k: int) -> bool:
    """Whether body j is body k, or hangs on it."""
    while j not in (0, k):
        j = L[j - 1]
    return j == k


def _down_frames(body: Body, k: int, carried: Places) -> Iterator[int]:
    """Bodies before this one in its own frame, then one for each frame below."""
    if body.frame is None:
        return
    yield from reversed([j for j in carried[body.frame] if j < k])
    for frame in body.frame.ancestry()[1:]:
        yield from carried.get(frame, [])[:1]


def _down_points(body: Body, carried: Places, centered: Places) -> Iterator[int]:
    """Bodies met on the way from a mass centre to the origin: those in whose frame a step is written, or at its end."""
    point: Point | None = body.center
    while point is not None:
        for frame in sorted(point.offset.parts, key=lambda frame: -frame.depth):
            for below in frame.ancestry():
                yield from carried.get(below, [])[:1]
        point = point.parent
        yield from centered.get(point, [])


def own_coordinates(system: System) -> tuple[tuple[Expr, ...], ...]:
    """The coordinates that locate each body but not the one it hangs on: what its joint, or its frames, bring."""
    poses = [_pose_symbols(body) for body in system.bodies]
    return tuple(
        tuple(q for q in system.q if q.node in pose and (j == 0 or q.node not in poses[j - 1]))
        for pose, j in zip(poses, body_connection(system), strict=True)
    )


def _pose_symbols(body: Body) -> set[int]:
    """The symbols that a body's frame and mass centre depend on."""
    nodes: list[int] = []
    point: Point | None = body.center
    frames = set(body.frame.ancestry()) if body.frame is not None else set()
    while point is not None:
        nodes += point.offset.nodes()
        frames |= {below for frame in point.offset.parts for below in frame.ancestry()}
        point = point.parent
    nodes += [node for frame in frames for node in edge_nodes(frame)]
    g = body.mass.graph
    return {node for node in reachable(g, nodes) if node in g.symbols}


def edge_nodes(frame: Frame) -> list[int]:
    """What the orientation of a frame in its parent is made of."""
    if frame.edge is None:
        return []
    return [frame.edge.angle] if isinstance(frame.edge, Turn) else [a for row in frame.edge.matrix for a in row]


def joints_between(system: System) -> tuple[tuple[Link, ...], ...]:
    """The joints between each body and the one it hangs on, inboard first; none where frames alone place it."""
    by_frame = {link.frame: link for link in system.links}
    return tuple(
        tuple(by_frame[frame] for frame in _frames_between(system, body, below) if frame in by_frame)
        for body, below in zip(system.bodies, body_connection(system), strict=True)
    )


def _frames_between(system: System, body: Body, below: int) -> list[Frame]:
    """The frames from that of an inboard body (left out) to that of a body."""
    if body.frame is None:
        return []
    stop = system.bodies[below - 1].frame if below else None
    frames = takewhile(lambda frame: frame is not stop, body.frame.ancestry())
    return list(frames)[::-1]
