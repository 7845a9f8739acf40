"""Random mechanisms, and their dynamics a second way: kinetic energy in NumPy, differentiated by complex steps.

Nothing here uses the package to differentiate or to turn vectors. A mechanism is data; ``build`` describes it to a
Model, ``Lagrange`` works out its accelerations from

    d/dt ∂K/∂ξ̇ − ∂K/∂ξ = Q,        K = Σ ½ m ẋ·ẋ + ½ tr(Ṙ E Ṙᵀ),  E = ½ tr(I) U − I

in coordinates ξ that vanish at the state: q = q0 + ξ, and R = R0 exp[ξ×] where a joint turns freely. Then u = ξ̇ and
u̇ = ξ̈ at that state, for quaternions too (Boltzmann and Hamel's terms are those of the chart).
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import latchwork as lw

G = 9.81
H = 1e-30  # complex step: exact to rounding
KINDS = "revolute prismatic cylindrical universal gimbal ball planar free weld".split()
SPEEDS = dict(zip(KINDS, (1, 1, 2, 2, 3, 3, 3, 6, 0), strict=True))
SIZES = (1, 2, 3, 4, 5, 6, 2, 3, 4, 8, 10, 12)
SKEW = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0), (0.6, 0.0, 0.8), (0.48, -0.6, 0.64)]

Triple = tuple[float, float, float]
Place = tuple[int, Triple]  # a part (-1: the ground) and measure numbers in its frame


# --- a mechanism as data ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """A joint on a parent and the body it carries.

    The joint sits at ``at`` in the parent's frame, plus ``aside`` written in another part's frame, plus a sway
    a sin(w t) along one axis; it is mounted in a frame turned by b + a sin(w t) about one axis (``tilt``).
    """

    kind: str
    parent: int
    axis: Triple
    at: Triple
    center: Triple
    mass: float
    inertia: tuple[float, ...]  # xx yy zz xy yz zx, central
    aside: Place | None = None
    sway: tuple[int, float, float] | None = None  # axis, a, w
    tilt: tuple[int, float, float, float] | None = None  # axis, b, a, w


@dataclass(frozen=True)
class Push:
    """A force (or ``twist``: a torque) of ``vector`` in the frame of a part, times a law; with or without reaction."""

    on: Place
    vector: Place
    law: str  # one, input, time
    reaction: Place | None = None
    twist: bool = False


@dataclass(frozen=True)
class Coil:
    """A spring and damper between two places."""

    p: Place
    q: Place
    stiffness: float
    length: float
    damping: float


@dataclass(frozen=True)
class Hinge:
    """A spring, damper and motor in a revolute or prismatic joint."""

    part: int
    stiffness: float
    rest: float
    damping: float


@dataclass(frozen=True)
class Mechanism:
    """Parts, parents before children, and loads."""

    name: str
    parts: tuple[Part, ...]
    loads: tuple[Any, ...] = ()
    gravity: bool = True
    rheonomic: bool = False

    @property
    def n(self) -> int:
        return sum(SPEEDS[part.kind] for part in self.parts)

    @property
    def masses(self) -> np.ndarray:
        return np.array([part.mass for part in self.parts])


@dataclass(frozen=True, eq=False)
class State:
    """Numbers: time, coordinates by part, speeds by part, the input."""

    t: float
    q: list[np.ndarray]
    u: list[np.ndarray]
    r: float

    @property
    def arguments(self) -> dict[str, Any]:
        inputs = {"r": {"effort": self.r}}
        return {"t": self.t, "q": np.concatenate(self.q), "u": np.concatenate(self.u)} | inputs


def triple(rng: random.Random, size: float = 1.0) -> Triple:
    return (rng.uniform(-size, size), rng.uniform(-size, size), rng.uniform(-size, size))


def random_inertia(rng: random.Random) -> tuple[float, ...]:
    """Principal moments between ½ and 1 (so that no two sum to less than the third), turned at random."""
    Q, _ = np.linalg.qr(np.array([triple(rng) for _ in range(3)]))
    I = Q @ np.diag([rng.uniform(0.5, 1.0) for _ in range(3)]) @ Q.T
    return (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[1, 2], I[2, 0])


def random_part(rng: random.Random, i: int, kinds: list[str], rheonomic: bool, aside: float) -> Part:
    parent = rng.randrange(i) if i and rng.random() < 0.9 else -1
    elsewhere = rng.randrange(i) if i and rng.random() < aside else None
    return Part(
        kind=rng.choice(kinds),
        parent=parent,
        axis=rng.choice(SKEW),
        at=triple(rng),
        center=triple(rng, 0.5),
        mass=rng.uniform(0.5, 2.0),
        inertia=random_inertia(rng),
        aside=None if elsewhere is None else (elsewhere, triple(rng, 0.5)),
        sway=(rng.randrange(3), rng.uniform(0.1, 0.4), rng.uniform(0.5, 2.0))
        if rheonomic and rng.random() < 0.3
        else None,
        tilt=(rng.randrange(3), rng.uniform(-1.0, 1.0), 0.3 * (rheonomic and rng.random() < 0.5), rng.uniform(0.5, 2.0))
        if rng.random() < 0.3
        else None,
    )


def random_loads(rng: random.Random, parts: list[Part]) -> list[Any]:
    def place(least: int = 0) -> Place:
        return rng.randrange(least, len(parts)), triple(rng, 0.5)

    loads: list[Any] = []
    for twist in (False, True):
        reaction = place(-1) if rng.random() < 0.5 else None
        loads.append(Push(place(), place(-1), rng.choice(["one", "input", "time"]), reaction, twist))
    first, second = place(), place(-1)
    if first[0] != second[0]:
        loads.append(Coil(first, second, rng.uniform(1.0, 9.0), rng.choice([0.0, 0.7]), rng.choice([0.0, 0.4])))
    for i, part in enumerate(parts):
        if part.kind in ("revolute", "prismatic") and rng.random() < 0.4:
            loads.append(Hinge(i, rng.uniform(1.0, 5.0), rng.uniform(-0.5, 0.5), rng.uniform(0.0, 0.5)))
    return loads


def random_mechanism(seed: int, bodies: int | None = None, kinds: list[str] = KINDS, rheonomic: bool | None = None,
                     loads: bool = True, aside: float = 0.1) -> Mechanism:  # fmt: skip
    """1 to 12 bodies; every second mechanism moves in a way prescribed in time as well."""
    rng = random.Random(seed)
    moves = bool(seed % 2) if rheonomic is None else rheonomic
    first = random_part(rng, 0, [kind for kind in kinds if kind != "weld"], moves, aside)
    count = SIZES[seed % 12] if bodies is None else bodies
    parts = [first, *(random_part(rng, i, kinds, moves, aside) for i in range(1, count))]
    return Mechanism(f"tree {seed}", tuple(parts), tuple(random_loads(rng, parts)) if loads else (), rheonomic=moves)


def floating_mechanism(seed: int, bodies: int) -> Mechanism:
    """A tree on one free joint, with internal loads only and no gravity."""
    rng = random.Random(seed)
    root = Part("free", -1, SKEW[0], triple(rng), triple(rng, 0.5), 1.3, random_inertia(rng))
    kinds = [kind for kind in KINDS if kind != "free"]
    parts = [root]
    for i in range(1, bodies):
        part = random_part(rng, i, kinds, rheonomic=False, aside=0.0)
        parts.append(Part(part.kind, rng.randrange(i), part.axis, part.at, part.center, part.mass, part.inertia))
    loads = [
        Coil((0, triple(rng)), (bodies - 1, triple(rng)), 5.0, 0.4, 0.3),
        Push((0, (0.0, 0.0, 0.0)), (bodies - 1, triple(rng)), "one", (bodies - 1, (0.0, 0.0, 0.0)), twist=True),
        *(Hinge(i, 2.0, 0.1, 0.2) for i, part in enumerate(parts) if part.kind in ("revolute", "prismatic")),
    ]
    return Mechanism(f"floating tree {seed}", tuple(parts), tuple(loads), gravity=False)


def random_state(mechanism: Mechanism, seed: int = 0) -> State:
    """Coordinates and speeds up to 1, away from the singular positions of the angles."""
    rng = np.random.default_rng(seed)
    q, u = [], []
    for part in mechanism.parts:
        slides = {"prismatic": 1, "cylindrical": 1, "planar": 2, "free": 3}.get(part.kind, 0)
        four = rng.normal(size=4)
        angles = SPEEDS[part.kind] - slides
        turns = four / np.linalg.norm(four) if part.kind in ("ball", "free") else rng.uniform(-1.0, 1.0, angles)
        q.append(np.concatenate([rng.uniform(-1.0, 1.0, slides), turns]))
        u.append(rng.uniform(-1.0, 1.0, SPEEDS[part.kind]))
    return State(rng.uniform(0.0, 2.0), q, u, rng.uniform(0.5, 1.5))


# --- described to a Model ---------------------------------------------------------------------------------------------


@dataclass(eq=False)
class Built:
    """A model, and the frame, origin and mass centre of each part."""

    model: lw.Model
    named: bool = True  # masses are parameters
    frames: list[lw.Frame] = field(default_factory=list)
    origins: list[lw.Point] = field(default_factory=list)
    centers: list[lw.Point] = field(default_factory=list)
    links: list[lw.Link] = field(default_factory=list)

    def frame(self, i: int) -> lw.Frame:
        return self.model.frame if i < 0 else self.frames[i]

    def origin(self, i: int) -> lw.Point:
        return self.model.origin if i < 0 else self.origins[i]

    def vector(self, place: Place) -> lw.Vector:
        return self.frame(place[0]).vector(*place[1])

    def point(self, place: Place, name: str) -> lw.Point:
        return self.origin(place[0]).at(name, self.vector(place))


def build(mechanism: Mechanism, named: bool = True) -> Built:
    """The mechanism by joints, with masses as parameters (or, not ``named``, as numbers) and one input."""
    built = Built(lw.Model(mechanism.name), named)
    for i, part in enumerate(mechanism.parts):
        inboard, base = mount(built, part, i)
        axis = {"axis": inboard.vector(*part.axis)} if lw.JOINTS[part.kind].has_axis else {}
        link = built.model.joint(part.kind, f"L{i}", inboard, at=base, **axis)
        built.links.append(link)
        carry(built, part, i, link.frame, link.origin)
    add_loads(built, mechanism)
    return built


def mount(built: Built, part: Part, i: int) -> tuple[lw.Frame, lw.Point]:
    """The frame and point that a joint sits on."""
    t, frame = built.model.time, built.frame(part.parent)
    offset = frame.vector(*part.at)
    if part.aside is not None:
        offset = offset + built.vector(part.aside)
    if part.sway is not None:
        axis, a, w = part.sway
        offset = offset + [frame.x, frame.y, frame.z][axis] * (a * lw.sin(w * t))
    base = built.origin(part.parent).at(f"j{i}", offset)
    if part.tilt is not None:
        axis, b, a, w = part.tilt
        frame = frame.rotated(f"T{i}", b + a * lw.sin(w * t), [frame.x, frame.y, frame.z][axis])
    return frame, base


def carry(built: Built, part: Part, i: int, frame: lw.Frame, origin: lw.Point) -> None:
    """The body of a part."""
    center = origin.at(f"c{i}", frame.vector(*part.center))
    mass = built.model.parameter(f"m{i}", part.mass) if built.named else part.mass
    built.model.body(f"B{i}", frame, center, mass, lw.inertia(frame, *part.inertia))
    built.frames.append(frame)
    built.origins.append(origin)
    built.centers.append(center)


def add_loads(built: Built, mechanism: Mechanism) -> None:
    model, effort = built.model, built.model.input("effort", 1.0)
    laws = {"one": 1.0, "input": effort, "time": lw.cos(2.0 * model.time)}
    if mechanism.gravity:
        model.gravity(-model.parameter("g", G) * model.frame.z)
    for k, load in enumerate(mechanism.loads):
        if isinstance(load, Push) and load.twist:
            other = None if load.reaction is None else built.frame(load.reaction[0])
            model.torque(built.frame(load.on[0]), built.vector(load.vector) * laws[load.law], reaction=other)
        elif isinstance(load, Push):
            other = None if load.reaction is None else built.point(load.reaction, f"R{k}")
            model.force(built.point(load.on, f"P{k}"), built.vector(load.vector) * laws[load.law], reaction=other)
        elif isinstance(load, Coil):
            p, q = built.point(load.p, f"P{k}"), built.point(load.q, f"Q{k}")
            model.spring(p, q, load.stiffness, load.length, load.damping)
        else:
            link = built.links[load.part]
            model.resist(link, load.stiffness, load.rest, load.damping)
            model.actuate(link, 0.5 * effort)


def build_by_hand(mechanism: Mechanism, definitions: Any, named: bool = True) -> Built:
    """The same without joints: coordinates, frames and points; ``definitions(rates, q, t)`` gives the speeds.

    ``rates`` are q̇, and ω for a quaternion. Quaternions are four coordinates, their unit length a motion constraint.
    """
    built, zero, q, rates = Built(lw.Model(mechanism.name), named), [], [], []
    for i, part in enumerate(mechanism.parts):
        inboard, base = mount(built, part, i)
        joint = lw.JOINTS[part.kind]
        own = built.model.coordinates(*(f"q{i}_{suffix}" for suffix in joint.q_suffixes))
        slides, turns = own[: len(joint.slides)], own[len(joint.slides) :]
        axes = [inboard.vector(*part.axis)] if joint.has_axis else [getattr(inboard, a) for a in joint.slides]
        offset = sum((s * a for s, a in zip(slides, axes, strict=False)), start=inboard.x * 0.0)
        frame, turning = turned_by_hand(part, inboard, f"F{i}", turns)
        carry(built, part, i, frame, base.at(f"o{i}", offset))
        built.links.append(
            lw.Link(f"L{i}", joint, inboard, base, frame, built.origins[i], own, (), axes[0] if axes else None)
        )
        q += own
        rates += [*map(lw.dt, slides), *turning]
        zero += [sum(e * lw.dt(e) for e in turns)] if len(turns) == 4 else []
    built.model.speeds(**definitions(rates, q, built.model.time), zero=zero)
    add_loads(built, mechanism)
    return built


def turned_by_hand(part: Part, inboard: lw.Frame, name: str, turns: Any) -> tuple[lw.Frame, list[lw.Expr]]:
    """The outboard frame, and the rates of the turns: those of the angles, or ω."""
    if len(turns) == 4:
        frame = inboard.quaternion(name, *turns)
        return frame, list(frame.relative_spin().measures(frame))
    if not turns:
        return inboard.rotated(name, 0.0, inboard.x), []
    joint = lw.JOINTS[part.kind]
    rates = [lw.dt(angle) for angle in turns]
    if joint.has_axis:
        return inboard.rotated(name, turns[0], inboard.vector(*part.axis)), rates
    return inboard.body_fixed(name, joint.turns, *turns), rates


# --- the same dynamics a second way -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Dual:
    """A quantity and its rate, over a batch."""

    value: np.ndarray
    rate: np.ndarray

    def __add__(self, other: Dual) -> Dual:
        return Dual(self.value + other.value, self.rate + other.rate)

    def __matmul__(self, other: Dual) -> Dual:
        return Dual(self.value @ other.value, self.rate @ other.value + self.value @ other.rate)

    def on(self, a: Any) -> Dual:
        """This matrix times constant measure numbers."""
        a = np.asarray(a)
        return Dual(self.value @ a, self.rate @ a)

    def of(self, other: Dual) -> Dual:
        """This matrix times a column."""
        value = np.einsum("...ij,...j->...i", self.value, other.value)
        return Dual(value, np.einsum("...ij,...j->...i", self.rate, other.value)
                    + np.einsum("...ij,...j->...i", self.value, other.rate))  # fmt: skip


def skew(a: np.ndarray) -> np.ndarray:
    """[a×]."""
    o = np.zeros_like(a[..., 0])
    rows = [[o, -a[..., 2], a[..., 1]], [a[..., 2], o, -a[..., 0]], [-a[..., 1], a[..., 0], o]]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def axial(S: np.ndarray) -> np.ndarray:
    """a of [a×]."""
    return np.stack([S[..., 2, 1], S[..., 0, 2], S[..., 1, 0]], axis=-1)


def about(axis: Any, angle: Dual) -> Dual:
    """R = U + sin θ [λ×] + (1 − cos θ) [λ×]²."""
    K = skew(np.asarray(axis, dtype=float))
    s, c = np.sin(angle.value)[..., None, None], np.cos(angle.value)[..., None, None]
    return Dual(np.eye(3) + s * K + (1.0 - c) * K @ K, (c * K + s * K @ K) * angle.rate[..., None, None])


def small_turn(xi: Dual) -> Dual:
    """exp[ξ×] to second order, exact for the infinitesimal ξ of a complex step."""
    X, dX = skew(xi.value), skew(xi.rate)
    return Dual(np.eye(3) + X + 0.5 * X @ X, dX + 0.5 * (X @ dX + dX @ X))


def of_quaternion(e: np.ndarray) -> np.ndarray:
    """R = (e0² − e·e) U + 2 e eᵀ + 2 e0 [e×]."""
    v = e[1:]
    return (e[0] ** 2 - v @ v) * np.eye(3) + 2.0 * np.outer(v, v) + 2.0 * e[0] * skew(v)


def frame_turn(q: np.ndarray, xi: Dual, axes: list[Any]) -> Dual:
    """Turns by q + ξ about new axes, one after the other."""
    total = about(axes[0], Dual(q[0] + xi.value[..., 0], xi.rate[..., 0]))
    for k in range(1, len(axes)):
        total = total @ about(axes[k], Dual(q[k] + xi.value[..., k], xi.rate[..., k]))
    return total


def along(q: np.ndarray, xi: Dual, axes: Any) -> Dual:
    """Slides by q + ξ along axes."""
    A = np.asarray(axes, dtype=float)
    return Dual((q + xi.value) @ A, xi.rate @ A)


X, Y, Z = np.eye(3)


def joint_pose(part: Part, q: np.ndarray, xi: Dual) -> tuple[Dual | None, Dual | None]:
    """R and p of a joint; None where it does not turn, or does not slide."""

    def cut(a: int, b: int) -> Dual:
        return Dual(xi.value[..., a:b], xi.rate[..., a:b])

    if part.kind == "revolute":
        return frame_turn(q, xi, [part.axis]), None
    if part.kind == "prismatic":
        return None, along(q, xi, [part.axis])
    if part.kind == "cylindrical":
        return frame_turn(q[1:], cut(1, 2), [part.axis]), along(q[:1], cut(0, 1), [part.axis])
    if part.kind == "universal":
        return frame_turn(q, xi, [X, Y]), None
    if part.kind == "gimbal":
        return frame_turn(q, xi, [X, Y, Z]), None
    if part.kind == "planar":
        return frame_turn(q[2:], cut(2, 3), [Z]), along(q[:2], cut(0, 2), [X, Y])
    turned = small_turn(cut(SPEEDS[part.kind] - 3, SPEEDS[part.kind]))
    first = of_quaternion(q[-4:])
    R = Dual(first @ turned.value, first @ turned.rate)
    return R, along(q[:3], cut(0, 3), np.eye(3)) if part.kind == "free" else None


class Lagrange:
    """A mechanism at a state: positions and rates for a batch of ξ and ξ̇, energies, and Lagrange's equations."""

    def __init__(self, mechanism: Mechanism, state: State) -> None:
        self.mechanism, self.state, self.n = mechanism, state, mechanism.n
        self.u = np.concatenate(state.u)
        self.first = np.cumsum([0, *(SPEEDS[part.kind] for part in mechanism.parts)])

    # --- positions and rates ----------------------------------------------------------------------------------------

    def poses(self, xi: Any, rates: Any, dt: complex = 0.0) -> list[tuple[Dual, Dual]]:
        """R and origin of every part at ξ, at time t + dt, with their rates, over a batch of rows."""
        xi, rates = np.broadcast_arrays(np.asarray(xi, dtype=complex), np.asarray(rates, dtype=complex))
        batch, t = xi.shape[:-1], self.state.t + dt
        still = np.zeros((*batch, 3, 3))
        ground = (Dual(still + np.eye(3), still), Dual(still[..., 0], still[..., 0]))
        found: list[tuple[Dual, Dual]] = []
        for i, part in enumerate(self.mechanism.parts):
            R, x = found[part.parent] if part.parent >= 0 else ground
            at = np.asarray(part.at, dtype=complex)
            moving = Dual(at, np.zeros(3))
            if part.sway is not None:
                axis, a, w = part.sway
                moving = Dual(at + a * np.sin(w * t) * np.eye(3)[axis], a * w * np.cos(w * t) * np.eye(3)[axis])
            x = x + R.of(moving)
            if part.aside is not None:
                x = x + found[part.aside[0]][0].on(part.aside[1])
            if part.tilt is not None:
                axis, b, a, w = part.tilt
                angle = Dual(np.full(batch, b + a * np.sin(w * t)), np.full(batch, a * w * np.cos(w * t)))
                R = R @ about(np.eye(3)[axis], angle)
            own = slice(self.first[i], self.first[i + 1])
            if part.kind != "weld":
                turn, slide = joint_pose(part, self.state.q[i], Dual(xi[..., own], rates[..., own]))
                x = x if slide is None else x + R.of(slide)
                R = R if turn is None else R @ turn
            found.append((R, x))
        return found

    def place(self, poses: list[tuple[Dual, Dual]], place: Place) -> Dual:
        """A point fixed in a part, or in the ground."""
        if place[0] < 0:
            fixed = np.broadcast_to(np.asarray(place[1]), poses[0][1].value.shape)
            return Dual(fixed, np.zeros_like(fixed))
        R, x = poses[place[0]]
        return x + R.on(place[1])

    def centers(self, poses: list[tuple[Dual, Dual]]) -> list[Dual]:
        return [x + R.on(part.center) for (R, x), part in zip(poses, self.mechanism.parts, strict=True)]

    # --- energies ---------------------------------------------------------------------------------------------------

    def bilinear(self, a: list[tuple[Dual, Dual]], b: list[tuple[Dual, Dual]], pairs: str = "ab") -> np.ndarray:
        """Σ m ẋ·ẏ + tr(Ṙ E Ṡᵀ) for all pairs of rows of two batches of rates."""
        total: Any = 0.0
        for part, (Ra, _), (Rb, _), xa, xb in zip(
            self.mechanism.parts, a, b, self.centers(a), self.centers(b), strict=True
        ):
            total = total + part.mass * np.einsum(f"{pairs[0]}i,{pairs[-1]}i->{pairs}", xa.rate, xb.rate)
            total = total + np.einsum(f"{pairs[0]}ij,{pairs[-1]}ij->{pairs}", Ra.rate @ second_moments(part), Rb.rate)
        return total

    def kinetic(self, poses: list[tuple[Dual, Dual]]) -> np.ndarray:
        """K of each row of a batch."""
        return 0.5 * self.bilinear(poses, poses, pairs="a")

    def potential(self, poses: list[tuple[Dual, Dual]], xi: Any, rams: bool = True) -> np.ndarray:
        """V of gravity, springs and springs in joints, by rows of a batch; rams are those of prismatic joints."""
        total = np.zeros(len(poses[0][1].value), dtype=complex)
        if self.mechanism.gravity:
            total += sum(
                G * part.mass * x.value[:, 2] for part, x in zip(self.mechanism.parts, self.centers(poses), strict=True)
            )
        for load in self.mechanism.loads:
            if isinstance(load, Coil):
                total += 0.5 * load.stiffness * (self.distance(poses, load).value - load.length) ** 2
            if isinstance(load, Hinge) and (rams or self.mechanism.parts[load.part].kind == "revolute"):
                angle = self.state.q[load.part][0] + np.atleast_2d(xi)[:, self.first[load.part]]
                total += 0.5 * load.stiffness * (angle - load.rest) ** 2
        return total

    def distance(self, poses: list[tuple[Dual, Dual]], coil: Coil) -> Dual:
        p, q = self.place(poses, coil.p), self.place(poses, coil.q)
        line, rate = q.value - p.value, q.rate - p.rate
        d = np.sqrt(np.sum(line * line, axis=-1))
        return Dual(d, np.sum(line * rate, axis=-1) / d)

    # --- Lagrange's equations -----------------------------------------------------------------------------------------

    @property
    def along_motion(self) -> list[tuple[Dual, Dual]]:
        """A complex step along the motion: rows e_1 ... e_n, 0 and u of rates."""
        rates = np.vstack([np.eye(self.n), np.zeros(self.n), self.u])
        return self.poses(1j * H * self.u, rates, 1j * H)

    def solve(self) -> Solved:
        """M = ∂²K/∂ξ̇∂ξ̇, and ξ̈ from M ξ̈ = Q + ∂K/∂ξ − d/dt(∂K/∂ξ̇) with ξ̈ = 0."""
        n = self.n
        poses = self.along_motion
        pairs = self.bilinear(poses, poses)
        columns = pairs[:n] - pairs[n]  # rates are affine in ξ̇: what is left is their coefficient
        M = (columns[:, :n] - columns[:, n : n + 1]).real
        momenta_rate = columns[:, n + 1].imag / H
        steps = 1j * H * np.eye(n)
        around = self.poses(steps, self.u)
        gradient = (self.kinetic(around) - self.potential(around, steps)).imag / H
        forces = self.forces(poses)
        return Solved(M, np.linalg.solve(M, gradient + forces - momenta_rate), forces)

    def forces(self, poses: list[tuple[Dual, Dual]]) -> np.ndarray:
        """Q of dampers (from Rayleigh's function), motors, and of pushes and twists by virtual work."""
        n, Q = self.n, np.zeros(self.n)
        for load in self.mechanism.loads:
            if isinstance(load, Coil):
                rate = self.distance(poses, load).rate.real
                Q -= load.damping * rate[n + 1] * (rate[:n] - rate[n])
            elif isinstance(load, Hinge):
                Q[self.first[load.part]] += 0.5 * self.state.r - load.damping * self.u[self.first[load.part]]
            else:
                Q += self.push_rate(poses, load)[:n] - self.push_rate(poses, load)[n]
        return Q

    def push_rate(self, poses: list[tuple[Dual, Dual]], push: Push) -> np.ndarray:
        """F · (ẋ − ẏ), or T · (ω − ω'), for each row of rates."""
        law = {"one": 1.0, "input": self.state.r, "time": np.cos(2.0 * self.state.t)}[push.law]
        part, measures = push.vector
        vector = law * (poses[part][0].value[0].real @ measures if part >= 0 else np.asarray(measures))
        places = [push.on] if push.reaction is None else [push.on, push.reaction]
        rates = [self.spin(poses, p[0]) if push.twist else self.place(poses, p).rate.real for p in places]
        return (rates[0] - rates[1] if len(rates) > 1 else rates[0]) @ vector

    def spin(self, poses: list[tuple[Dual, Dual]], i: int) -> np.ndarray:
        """ω of a part, measures in N, from Ṙ Rᵀ = [ω×]."""
        if i < 0:
            return np.zeros((len(poses[0][1].value), 3))
        R = poses[i][0]
        return axial((R.rate @ np.swapaxes(R.value, -1, -2)).real)

    # --- along the motion ---------------------------------------------------------------------------------------------

    def moving(self, udot: np.ndarray) -> list[tuple[Dual, Dual]]:
        """One row, a complex step along the motion with ξ̈ = u̇: imaginary parts over H are time derivatives."""
        return self.poses([1j * H * self.u], [self.u + 1j * H * udot], 1j * H)

    def energy_rate(self, udot: np.ndarray) -> float:
        """dK/dt."""
        return float(self.kinetic(self.moving(udot))[0].imag / H)


@dataclass(frozen=True, eq=False)
class Solved:
    """M, u̇ and the generalized forces that have no potential."""

    M: np.ndarray
    udot: np.ndarray
    forces: np.ndarray


def second_moments(part: Part) -> np.ndarray:
    """E = ½ tr(I) U − I."""
    xx, yy, zz, xy, yz, zx = part.inertia
    I = np.array([[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]])
    return 0.5 * np.trace(I) * np.eye(3) - I


def relative_error(found: Any, true: Any) -> float:
    """The largest difference, relative to the largest true value or one."""
    found, true = np.asarray(found, dtype=float), np.asarray(true, dtype=float)
    assert found.shape == true.shape
    return float(np.abs(found - true).max(initial=0.0) / max(1.0, np.abs(true).max(initial=0.0)))
