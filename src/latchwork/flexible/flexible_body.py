"""Any body with modes: a floating frame and shapes of a finite-element model.  [Craig and Bampton; Shabana]

A node i of mass m_i is at p_i = X_i + Σ Φ_ij q_j from the root, in the frame. Its moments are sums over the nodes,

    S = Σ m_i p_i,   J = Σ m_i (p_i·p_i U - p_i p_i),   H_j = Σ m_i p_i × Φ_ij,   M_jk = Σ m_i Φ_ij · Φ_ik

with J to the second order and H to the first; V = ½ qᵀ K q. Second-order displacements, which shapes of finite elements
lack, come as geometric stiffness: G_a is what a unit acceleration of the frame along a adds to K, G_ab what unit rates
ω_a ω_b add. They belong to the moments, S_a + ½ qᵀ G_a q, J_aa - qᵀ G_aa q and J_ab - ½ qᵀ G_ab q, so that the
frame feels them too and energy is kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from operator import index
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from latchwork.algebra.linear import cholesky, eigh, solve, solve_lower
from latchwork.errors import ModelError
from latchwork.mechanics.elastic_body import ElasticBody
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.loads import GeneralizedForce
from latchwork.mechanics.point import Point
from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import Expr

if TYPE_CHECKING:
    from latchwork.model.model import Model

Array = np.ndarray
INDEPENDENT = 1e-10  # smallest eigenvalue of the modes' mass matrix, relative to the largest
NOTHING = 1e-14  # of the largest entry: what a moment is left without
SYMMETRIC = 1e-9
POSITIVE = 1e-13  # smallest eigenvalue of a matrix, relative to the largest
GEOMETRIC = ("x", "y", "z", "xx", "xy", "xz", "yy", "yz", "zz")
EPSILON = np.zeros((3, 3, 3))
for _i, _j, _k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
    EPSILON[_i, _j, _k], EPSILON[_i, _k, _j] = 1.0, -1.0


@dataclass(frozen=True, eq=False)
class FlexibleBody:
    """A body that bends by given mode shapes, in a floating frame, as `model.flexible_body` makes it.

    Nodes at ``places``, measured from ``root`` along the axes of ``frame``, are displaced by Σ q_j φ_j;
    ``body.at(node)`` is a node as a point.
    """

    name: str
    frame: Frame
    root: Point
    body: ElasticBody
    elasticity: GeneralizedForce
    places: Array
    shapes: Array
    turns: Array | None

    def __repr__(self) -> str:
        return self.name

    @property
    def q(self) -> tuple[Expr, ...]:
        """Elastic coordinates."""
        return self.body.q

    def at(self, node: int, name: str | None = None) -> Point:
        """The point of a node, by its number."""
        if not 0 <= node < len(self.places):
            raise ModelError(f"flexible body '{self.name}' has nodes 0 to {len(self.places) - 1}; got {node}.")
        known = self.frame.tree.points
        name = name or f"{self.name}_n{node}"
        if name in known and known[name].parent is self.root:
            return known[name]
        moved = [float(x) + _sum(float(c) * q for c, q in zip(row, self.q, strict=True) if c != 0.0)
                 for x, row in zip(self.places[node], self.shapes[node], strict=True)]  # fmt: skip
        return self.root.at(name, self.frame.vector(*moved))

    def frame_at(self, node: int, name: str | None = None) -> Frame:
        """The frame of a node, turned by the rotations of its shapes."""
        if self.turns is None:
            raise ModelError(f"the shapes of flexible body '{self.name}' have no rotations. Give them, turns=.")
        angles = [_sum(float(c) * q for c, q in zip(row, self.q, strict=True) if c != 0.0) for row in self.turns[node]]
        made = self.frame.body_fixed(name or f"{self.name}_f{node}", "xyz", *angles)
        self.body.stations[made] = self.at(node)
        return made


def _sum(terms: Any) -> Any:
    total: Any = 0.0
    for term in terms:
        total = total + term
    return total


def flexible_body_of(model: Model, name: str, frame: Frame, root: Point, *, places: ArrayLike, masses: ArrayLike,
                     shapes: ArrayLike, stiffness: ArrayLike, damping: Any, turns: ArrayLike | None,
                     geometric: Mapping[str, ArrayLike], mass: ArrayLike | None = None) -> FlexibleBody:  # fmt: skip
    """A body from arrays: nodes (N, 3), masses (N), shapes (N, 3, n), stiffness (n, n), rotations (N, 3, n); a mass
    matrix (n, n) of the modes where it is not that of the nodes, as the consistent one of finite elements."""
    X, m = _array(name, "places", places, (None, 3)), _array(name, "masses", masses, (None,))
    N = len(X)
    shaped = _array(name, "shapes", shapes, (N, 3, None))
    n = shaped.shape[2]
    K, turned = _array(name, "stiffness", stiffness, (n, n)), None
    if turns is not None:
        turned = _array(name, "turns", turns, (N, 3, n))
    if len(m) != N or not (m >= 0.0).all() or not m.sum() > 0.0:
        raise ModelError(f"flexible body '{name}' has {N} nodes and {len(m)} masses, the least {m.min():g}. Give one "
                         "for each node, none negative.")  # fmt: skip
    _must_be_symmetric(name, "stiffness", K)
    M = np.einsum("i,iaj,iak->jk", m, shaped, shaped) if mass is None else _array(name, "mass matrix", mass, (n, n))
    _must_be_symmetric(name, "mass matrix", M)
    values = eigh(M)[0]
    if not values.min() > INDEPENDENT * values.max():
        raise ModelError(f"the shapes of flexible body '{name}' are not independent: their mass matrix has eigenvalues "
                         f"from {values.min():.3g} to {values.max():.3g}. Leave some out.")  # fmt: skip
    q = model.coordinates(*(f"q_{name}_{i + 1}" for i in range(n)))
    for i, each in enumerate(q):
        model._direct[model._rates[each]] = model._speed(f"u_{name}_{i + 1}")
    own = root.at(f"{name}_root", frame.vector())
    moments = _moments(name, frame, own, q, X, m, shaped, M, _geometric(name, geometric, n))
    moments = replace(moments, slopes=_largest_turns(q, turned))
    load = _elasticity(name, q, K, damping)
    return FlexibleBody(name, frame, own, moments, load, X, shaped, turned)


def _largest_turns(q: Sequence[Expr], turns: Array | None) -> tuple[Expr, ...]:
    """How far the nodes turn that turn furthest by any of the shapes: what must stay small."""
    if turns is None:
        return ()
    nodes = dict.fromkeys(int(np.abs(turns[:, :, j]).max(axis=1).argmax()) for j in range(len(q)))
    rows = [_sum(float(c) * each for c, each in zip(row, q, strict=True) if c != 0.0)
            for node in nodes for row in turns[node]]  # fmt: skip
    return tuple(row for row in rows if isinstance(row, Expr))


def _array(name: str, what: str, given: ArrayLike, shape: tuple[int | None, ...]) -> Array:
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ModelError(f"the {what} of flexible body '{name}' are no array of numbers.") from None
    fits = found.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, found.shape, strict=False))
    if not fits or not np.isfinite(found).all():
        wanted = " x ".join("any" if n is None else str(n) for n in shape)
        raise ModelError(f"the {what} of flexible body '{name}' are an array of shape {found.shape}. Give finite "
                         f"numbers, {wanted}.")  # fmt: skip
    return found


def _must_be_symmetric(name: str, what: str, K: Array) -> None:
    off = np.abs(K - K.T).max(initial=0.0)
    if off > SYMMETRIC * np.abs(K).max(initial=0.0):
        raise ModelError(f"the {what} of flexible body '{name}' is not symmetric: it is off by {off:g}.")


def _form(c0: float, c1: Array, c2: Array, q: Sequence[Expr]) -> Any:
    """c0 + Σ c1_j q_j + Σ c2_jk q_j q_k, without what is rounding."""
    size = NOTHING * max(abs(c0), np.abs(c1).max(initial=0.0), np.abs(c2).max(initial=0.0))
    total: Any = float(c0) if abs(c0) > size else 0.0
    for j, a in enumerate(q):
        total = total + float(c1[j]) * a if abs(c1[j]) > size else total
        for k in range(j, len(q)):
            c = c2[j, k] + (c2[k, j] if k != j else 0.0)
            total = total + float(c) * (a * q[k]) if abs(c) > size else total
    return total


def _moments(name: str, frame: Frame, root: Point, q: tuple[Expr, ...], X: Array, m: Array, P: Array,
             M: Array, geometric: Mapping[str, Array]) -> ElasticBody:  # fmt: skip
    n, g = len(q), frame.graph
    none = np.zeros((n, n))
    S0, S1 = m @ X, np.einsum("i,iaj->aj", m, P)
    Q0 = np.einsum("i,ia,ib->ab", m, X, X)  # ∫ p p by the power of q
    Q1 = np.einsum("i,ia,ibj->abj", m, X, P)
    Q2 = np.einsum("i,iaj,ibk->abjk", m, P, P)

    def second(a: int, b: int) -> Any:
        return _form(Q0[a, b], Q1[a, b] + Q1[b, a], Q2[a, b], q)

    def expr(value: Any) -> Expr:
        return value if isinstance(value, Expr) else Expr(g, g.constant(float(value)))

    def inertia(a: int, b: int) -> Expr:
        """∫ (p·p δ_ab - p_a p_b) dm, less what rates ω_a ω_b stiffen."""
        a, b = min(a, b), max(a, b)
        stiffened = geometric.get("xyz"[a] + "xyz"[b], none) * (1.0 if a == b else 0.5)
        whole = _sum(second(c, c) for c in range(3) if c != a) if a == b else -1.0 * second(a, b)
        return expr(whole - _form(0.0, none[0], stiffened, q))

    J = [[inertia(a, b) for b in range(3)] for a in range(3)]
    H0 = np.einsum("abc,bcj->aj", EPSILON, Q1)
    H1 = np.einsum("abc,bckj->ajk", EPSILON, Q2)  # of q_k: Σ m Φ_ik × Φ_ij
    H = [tuple(expr(_form(H0[a, j], H1[a, j], none, q)) for a in range(3)) for j in range(n)]
    S = tuple(expr(_form(S0[a], S1[a], 0.5 * geometric.get("xyz"[a], none), q)) for a in range(3))
    size = NOTHING * np.abs(M).max()
    mass = {(j, k): expr(float(M[j, k])) for j in range(n) for k in range(j, n) if abs(M[j, k]) > size}
    return ElasticBody(name, frame, root, q, expr(float(m.sum())), S, tuple(map(tuple, J)), tuple(H), mass)  # type: ignore[arg-type]


def _elasticity(name: str, q: tuple[Expr, ...], K: Array, damping: Any) -> GeneralizedForce:
    """Q = -K (q + τ q̇)."""
    potential, efforts = _form(0.0, np.zeros(len(q)), 0.5 * K, q), []
    for j, each in enumerate(q):
        pull = _sum(float(K[j, k]) * (other + damping * dt(other)) for k, other in enumerate(q) if K[j, k] != 0.0)
        efforts.append((each, 0.0 * each - pull))
    return GeneralizedForce(tuple(efforts), f"elasticity of {name}", potential)


def _geometric(name: str, given: Mapping[str, ArrayLike], n: int) -> dict[str, Array]:
    """G_a and G_ab by their axes, in alphabetical order."""
    found = {}
    for key, G in given.items():
        axes = "".join(sorted(str(key)))
        if axes not in GEOMETRIC:
            raise ModelError(f"the geometric stiffness of '{name}' goes with an acceleration of its frame, x, y, z, or "
                             f"with a product of two rates, xx, xy, ... zz; got {key!r}.")  # fmt: skip
        found[axes] = _array(name, f"geometric stiffness {key}", G, (n, n))
        _must_be_symmetric(name, f"geometric stiffness {key}", found[axes])
    return found


def craig_bampton(M: ArrayLike, K: ArrayLike, interface: Sequence[int], modes: int) -> Array:
    """Modes of a finite-element model as columns: unit displacements of interface degrees of freedom with what follows
    them at rest, then the lowest modes of vibration with the interface held.  [Craig and Bampton 1968]
    """
    mass, stiffness = (_array("craig_bampton", what, given, (None, None)) for what, given in (("M", M), ("K", K)))
    size, held = len(mass), _interface(interface, len(mass))
    if mass.shape != (size, size) or stiffness.shape != mass.shape:
        raise ModelError(f"M and K of craig_bampton are {mass.shape} and {stiffness.shape}. Give two square matrices "
                         "of one size.")  # fmt: skip
    for what, given in (("M", mass), ("K", stiffness)):
        _must_be_symmetric("craig_bampton", what, given)
    free = [i for i in range(size) if i not in set(held)]
    if not isinstance(modes, int) or isinstance(modes, bool) or not 0 <= modes <= len(free):
        raise ModelError(f"{modes!r} modes with the interface held are asked for; {len(free)} are left.")
    for what, given in (("M", mass), ("K", stiffness)) if held else (("M", mass),):
        values = eigh(given[np.ix_(free, free)])[0] if free else np.ones(1)
        if not values.min() > POSITIVE * values.max():
            raise ModelError(f"{what} of craig_bampton is not positive with the interface held: something moves "
                             "freely, or has no mass. Take more of it into the interface.")  # fmt: skip
    inside = stiffness[np.ix_(free, free)]
    found = np.zeros((len(mass), len(held) + modes))
    found[held, range(len(held))] = 1.0
    if held:
        found[np.ix_(free, range(len(held)))] = -solve(inside, stiffness[np.ix_(free, held)])
    L = cholesky(mass[np.ix_(free, free)])
    values, vectors = eigh(solve_lower(L, solve_lower(L, inside).T))
    lowest = np.argsort(values, kind="stable")[:modes]
    if modes:
        found[np.ix_(free, range(len(held), len(held) + modes))] = solve(L.T, vectors[:, lowest])
    return found


def _interface(given: Any, size: int) -> list[int]:
    """Degrees of freedom of a model of some size, each once."""
    try:
        held = [index(i) for i in given]
    except (TypeError, ValueError):
        raise ModelError(f"the interface of craig_bampton is {given!r}. Give a list of degrees of freedom.") from None
    if len(set(held)) < len(held) or any(not 0 <= i < size for i in held):
        raise ModelError(f"the interface of craig_bampton is {held}. Give degrees of freedom from 0 to {size - 1}, "
                         "each once.")  # fmt: skip
    return held
