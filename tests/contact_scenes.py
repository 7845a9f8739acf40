"""Two shapes on two bodies that move freely, and their distance found another way: least norm over differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from scipy.optimize import nnls

import latchwork as lw
from latchwork.constraint.joints.spot import Spot, velocity
from latchwork.contact.closest_point.states import tracked_equations
from latchwork.contact.narrow_phase.pairs import features_of
from latchwork.contact.narrow_phase.parts import Crossing
from latchwork.kane.values import argument_vector
from latchwork.program.function import Function


class World:
    """Two free bodies A and B, in the plane or in space, and the fixed frame N."""

    def __init__(self, kind="planar"):
        self.model = lw.Model("scene")
        self.N, self.O = self.model.frame, self.model.origin
        self.links = [self.model.joint(kind, name) for name in "AB"]
        self.bodies = [
            self.model.body(f"body {link.name}", link, link.origin, 1.0, lw.inertia(link.frame, xx=1.0, yy=2.0, zz=2.5))
            for link in self.links
        ]
        self.count = 0

    def at(self, base, x=0.0, y=0.0, z=0.0):
        """A new point of body 0 or 1, or fixed in N (None)."""
        self.count += 1
        origin, frame = (self.O, self.N) if base is None else (self.links[base].origin, self.links[base].frame)
        return origin.at(f"P{self.count}", frame.vector(x, y, z))

    def frame(self, base):
        return self.N if base is None else self.links[base].frame


@dataclass
class Scene:
    """Shapes a and b; ``hulls_a`` and ``hulls_b`` are the convex pieces of each: points and a radius."""

    world: World
    a: object
    b: object
    hulls_a: list = field(default_factory=list)
    hulls_b: list = field(default_factory=list)
    spread: float = 2.5
    exact: bool = True  # the least gap is the distance wherever they are apart


@dataclass
class Found:
    """Numbers of one feature at one state."""

    gap: float
    rate: float
    approach: float
    normal: np.ndarray
    apart: np.ndarray  # the way from one material point to the other
    within: np.ndarray

    @property
    def valid(self):
        return bool((self.within >= 0.0).all())


class Sampler:
    """Features of a scene at random states."""

    def __init__(self, scene, swap=False):
        self.scene, self.world = scene, scene.world
        pair = (scene.b, scene.a) if swap else (scene.a, scene.b)
        # rims that cross are defined where they lie flat on each other, which they do at no random state
        self.features = [feature for feature in features_of("pair", *pair) if feature.tracked is None
                         and not all(isinstance(part, Crossing) for part in feature.parts or (None,))]  # fmt: skip
        plain = self.world.model.equations()
        self.equations, self.moving = tracked_equations(plain, self.features), len(plain.q_names)
        self.points = sorted({point for hulls in (scene.hulls_a, scene.hulls_b) for points, _ in hulls
                              for point in points}, key=lambda point: point.name)  # fmt: skip
        wanted, N = [], self.world.N
        for feature in self.features:
            relative = velocity(feature.on) - velocity(feature.other)
            wanted += [feature.gap, lw.dt(feature.gap), relative.dot(feature.normal), *feature.normal.measures(N)]
            wanted += [*(place(feature.on) - place(feature.other)).measures(N), *feature.within]
        for point in self.points:
            wanted += point.position().measures(N)
        self.function = Function(self.equations.program(wanted))

    def state(self, rng):
        """Random coordinates, Euler parameters of unit length, and speeds; azimuths of support triangles are zero."""
        q = np.zeros(len(self.equations.q_names))
        q[: self.moving] = rng.uniform(-1.0, 1.0, self.moving) * self.scene.spread
        for i, name in enumerate(self.equations.q_names):
            if name.endswith("e0"):
                e = rng.normal(size=4)
                q[i : i + 4] = e / np.linalg.norm(e)
        return q, rng.normal(size=len(self.equations.u_names))

    def at(self, rng):
        """Features and places of points at a random state."""
        return self.numbers(*self.state(rng))

    def numbers(self, q, u):
        """Features and places of points at a state."""
        values = np.asarray(self.function(argument_vector(self.equations.system, 0.0, q, u, None, None)))
        found, k = [], 0
        for feature in self.features:
            m = 9 + len(feature.within)
            part, k = values[k : k + m], k + m
            found.append(Found(part[0], part[1], part[2], part[3:6], part[6:9], part[9:]))
        return found, dict(zip(self.points, values[k:].reshape(-1, 3), strict=True))


@cache
def sampled(make: Callable[[], Scene]) -> Sampler:
    """The features of a scene that several laws are tested on."""
    return Sampler(make())


def place(spot):
    """Where a material point is."""
    return spot.point.position() + spot.arm if isinstance(spot, Spot) else spot.position()


def distance(scene, places):
    """The least distance between convex pieces, zero where they overlap."""
    return min(
        hull_distance(np.array([places[p] for p in ps]), np.array([places[p] for p in qs])) - r - s
        for ps, r in scene.hulls_a
        for qs, s in scene.hulls_b
    )


def hull_distance(p, q):
    """min |Σ λ_ij (p_i − q_j)| with λ ≥ 0 and Σ λ = 1, by non-negative least squares."""
    V = (p[:, None, :] - q[None, :, :]).reshape(-1, 3).T
    weight = max(1.0, np.abs(V).max())
    lam, _ = nnls(np.vstack([V, np.full(V.shape[1], weight)]), np.array([0.0, 0.0, 0.0, weight]))
    return float(np.linalg.norm(V @ lam) / lam.sum())
