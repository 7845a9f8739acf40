"""Finite elements of a body that bends, by scikit-fem, as arrays for `model.flexible_body`.  [Craig and Bampton 1968]

Quadratic displacements in the cells of a mesh, clamped where the body is fixed to its frame. Nodes are the vertices of
the mesh, without mass, and then the Gauss points, with m = ρ w: so that sums over them are the consistent integrals.
Shapes are unit displacements of interface vertices, then modes of vibration with those held. What accelerations and
rates of the frame stiffen, shapes of finite elements lack; it comes from the stress σ that they cause by themselves:

    K u = -∫ ρ e_a · v,   K u = ∫ ρ (p ω² - ω (ω · p)) · v,       G_jk = ∫ σ_ab(u) ∂_a Φ_j · ∂_b Φ_k
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import combinations_with_replacement
from typing import Any

import numpy as np

from latchwork.errors import ModelError

Array = np.ndarray
CELLS = {"MeshTri": "ElementTriP2", "MeshQuad": "ElementQuad2", "MeshTet": "ElementTetP2", "MeshHex": "ElementHex2"}


def elastic_solid(mesh: Any, *, E: float, nu: float, rho: float, clamped: Any, interface: Iterable[int] = (),
                  modes: int = 6, thickness: float | None = None) -> dict[str, Any]:  # fmt: skip
    """Arrays of a scikit-fem mesh: ``model.flexible_body("bracket", frame, root, **lw.elastic_solid(mesh, ...))``.

    ``clamped`` says which part of the boundary is fixed to the frame of the body, by its name in the mesh or as a
    function of places, such as ``lambda x: x[0] == 0``; ``interface`` are numbers of vertices at which forces act and
    joints sit. A mesh in the plane has a ``thickness``, and plane stress.
    """
    solid = _Solid(mesh, _material(E, nu, rho), thickness)
    held, vertices = solid.clamped(clamped), solid.vertices(interface)
    shapes = _craig_bampton(solid, held, vertices, modes)
    fields = [solid.at_gauss_points(column) for column in shapes.T]
    places = np.vstack([solid.in_space(mesh.p), solid.in_space(solid.gauss)])
    return {
        "places": places, "masses": np.concatenate([np.zeros(mesh.p.shape[1]), solid.masses]),
        "shapes": _stacked(solid, [(column[solid.nodal], value) for column, (value, _) in
                                   zip(shapes.T, fields, strict=True)]),
        "turns": _stacked(solid, [solid.rotations(gradient) for _, gradient in fields], turned=True),
        "stiffness": shapes.T @ (solid.K @ shapes),
        "geometric": _geometric(solid, held, np.array([gradient for _, gradient in fields])),
    }  # fmt: skip


def _material(E: float, nu: float, rho: float) -> tuple[float, float, float]:
    for what, value in (("E", E), ("rho", rho)):
        if not (isinstance(value, int | float) and 0.0 < value < np.inf):
            raise ModelError(f"{what} of an elastic solid is {value!r}. Give a positive number.")
    if not (isinstance(nu, int | float) and -1.0 < nu < 0.5):
        raise ModelError(f"nu of an elastic solid is {nu!r}. Give Poisson's ratio, between -1 and 0.5.")
    return float(E), float(nu), float(rho)


class _Solid:
    """A mesh with its elements, mass and stiffness."""

    def __init__(self, mesh: Any, material: tuple[float, float, float], thickness: float | None) -> None:
        skfem = _skfem()
        kind = next((name for name in CELLS if isinstance(mesh, getattr(skfem, name))), None)
        if kind is None:
            raise ModelError(f"an elastic solid is made of a mesh of scikit-fem, {', '.join(CELLS)}; got "
                             f"{type(mesh).__name__}.")  # fmt: skip
        self.mesh, self.dim = mesh, mesh.dim()
        self.thick = _thickness(self.dim, thickness)
        self.basis = skfem.Basis(mesh, skfem.ElementVector(getattr(skfem, CELLS[kind])()), intorder=5)
        self.nodal = self.basis.nodal_dofs[: self.dim]
        (E, nu, self.rho), flat = material, self.dim == 2
        self.mu, self.lam = E / (2.0 * (1.0 + nu)), E * nu / ((1.0 + nu) * (1.0 - (nu if flat else 2.0 * nu)))
        self.weights = self.thick * self.basis.dx
        self.masses = (self.rho * self.weights).ravel()
        self.gauss = np.asarray(self.basis.global_coordinates()).reshape(self.dim, -1)
        self.K = skfem.BilinearForm(lambda u, v, w: self.thick * np.einsum("ab...,ab...", self.stress(u.grad), v.grad)
                                    ).assemble(self.basis).tocsc()  # fmt: skip
        self.M = skfem.BilinearForm(lambda u, v, w: self.thick * self.rho * np.einsum("a...,a...", u, v)
                                    ).assemble(self.basis).tocsc()  # fmt: skip

    def stress(self, gradient: Array) -> Array:
        """σ = λ tr ε + 2 µ ε."""
        strain = 0.5 * (gradient + np.swapaxes(gradient, 0, 1))
        trace = np.einsum("aa...", strain)
        return np.asarray(self.lam * np.einsum("ab,...->ab...", np.eye(self.dim), trace) + 2.0 * self.mu * strain)

    def clamped(self, where: Any) -> Array:
        """The degrees of freedom that are fixed to the frame."""
        if where is None or isinstance(where, int | float):
            raise ModelError(f"an elastic solid is clamped at {where!r}. Give the part of the boundary that is fixed "
                             "to the frame: its name in the mesh, or a function, lambda x: x[0] == 0.")  # fmt: skip
        names = self.mesh.boundaries or {}
        if isinstance(where, str) and where not in names:
            known = ", ".join(map(repr, names)) or "none"
            raise ModelError(f"the mesh has no boundary named {where!r}; it has {known}. Give one of these, or a "
                             "function of places.")  # fmt: skip
        found = np.unique(self.basis.get_dofs(where).all())
        if len(found) < (6 if self.dim == 3 else 3):
            raise ModelError(f"an elastic solid is clamped at {len(found)} degrees of freedom, too few to hold it. "
                             "Give a part of the boundary, such as lambda x: np.isclose(x[0], 0.0).")  # fmt: skip
        return found

    def vertices(self, numbers: Iterable[int]) -> list[int]:
        """Vertices of the mesh, by their numbers."""
        found, most = [int(i) for i in numbers], self.mesh.p.shape[1]
        for i in found:
            if not 0 <= i < most:
                raise ModelError(f"vertex {i} of the interface is none of the mesh, which has 0 to {most - 1}.")
        return found

    def at_gauss_points(self, dofs: Array) -> tuple[Array, Array]:
        """A displacement and its gradient, (dim, points) and (dim, dim, points)."""
        field = self.basis.interpolate(dofs)
        return np.asarray(field).reshape(self.dim, -1), np.asarray(field.grad).reshape(self.dim, self.dim, -1)

    def rotations(self, gradient: Array) -> tuple[Array, Array]:
        """½ ∇ × u at the vertices, averaged over cells, and at the Gauss points: about z alone in the plane."""
        pairs = ((2, 1), (0, 2), (1, 0)) if self.dim == 3 else ((1, 0),)
        turned = 0.5 * np.array([gradient[a, b] - gradient[b, a] for a, b in pairs])
        cells = turned.reshape(len(pairs), *self.weights.shape).mean(axis=2)
        total, count = np.zeros((len(pairs), self.mesh.p.shape[1])), np.zeros(self.mesh.p.shape[1])
        for corner in self.mesh.t:
            np.add.at(count, corner, 1.0)
            for k, values in enumerate(cells):
                np.add.at(total[k], corner, values)
        return total / count, turned

    def in_space(self, rows: Array, turned: bool = False) -> Array:
        """(N, 3) of (dim, N); what turns in the plane turns about z."""
        made = np.zeros((rows.shape[1], 3))
        made[:, slice(2, 3) if turned and self.dim == 2 else slice(0, self.dim)] = rows.T
        return made


def _thickness(dim: int, given: float | None) -> float:
    if dim == 3 and given is None:
        return 1.0
    if dim == 3 or not isinstance(given, int | float) or not 0.0 < given < np.inf:
        raise ModelError(f"the thickness of an elastic solid is {given!r}, and its mesh has {dim} dimensions. Give a "
                         "positive number for a mesh in the plane, and none in space.")  # fmt: skip
    return float(given)


def _stacked(solid: _Solid, pairs: Sequence[tuple[Array, Array]], turned: bool = False) -> Array:
    """(N, 3, n): vertices and then Gauss points, of each shape."""
    rows = [np.vstack([solid.in_space(each, turned) for each in pair]) for pair in pairs]
    return np.stack(rows, axis=2)


def _craig_bampton(solid: _Solid, held: Array, vertices: Sequence[int], modes: int) -> Array:
    """Unit displacements of the interface, then modes with it held, as columns; the largest entry is positive."""
    from scipy.sparse.linalg import eigsh, splu

    size = solid.K.shape[0]
    moved = np.setdiff1d(solid.nodal[:, list(vertices)].T.ravel(), held)
    free = np.setdiff1d(np.arange(size), np.concatenate([held, moved]))
    if not isinstance(modes, int) or isinstance(modes, bool) or not 0 <= modes < len(free) or modes + len(moved) == 0:
        raise ModelError(f"an elastic solid is to have {modes!r} modes beside {len(moved)} displacements of its "
                         f"interface. Give a whole number, and less than {len(free)}.")  # fmt: skip
    inside, found = splu(solid.K[np.ix_(free, free)].tocsc()), np.zeros((size, len(moved) + modes))
    for k, dof in enumerate(moved):
        found[dof, k] = 1.0
        found[free, k] = inside.solve(-solid.K[free, :][:, [dof]].toarray()[:, 0])
    if modes:
        values, vectors = eigsh(solid.K[np.ix_(free, free)], k=modes, M=solid.M[np.ix_(free, free)], sigma=0.0,
                                v0=np.ones(len(free)))  # fmt: skip
        chosen = vectors[:, np.argsort(values, kind="stable")]
        largest = chosen[np.abs(chosen).argmax(axis=0), range(modes)]
        found[free, len(moved) :] = chosen / largest
    return found


def _geometric(solid: _Solid, held: Array, gradients: Array) -> dict[str, Array]:
    """G_a and G_ab of unit accelerations and rates of the frame."""
    from scipy.sparse.linalg import splu

    free = np.setdiff1d(np.arange(solid.K.shape[0]), held)
    inside, unit, p = splu(solid.K[np.ix_(free, free)].tocsc()), np.eye(3), solid.in_space(solid.gauss).T
    forces = {"xyz"[a]: -unit[a][:, None] * np.ones(p.shape[1]) for a in range(3)}
    for a, b in combinations_with_replacement(range(3), 2):
        along = np.outer(unit[a], p[b]) + np.outer(unit[b], p[a])
        forces["xyz"[a] + "xyz"[b]] = p - 0.5 * along if a == b else -along
    found = {}
    for axes, force in forces.items():
        u = np.zeros(solid.K.shape[0])
        u[free] = inside.solve(_load(solid, force[: solid.dim])[free])
        sigma = solid.stress(solid.at_gauss_points(u)[1]) * solid.weights.ravel()
        G = np.einsum("abx,jcax,kcbx->jk", sigma, gradients, gradients, optimize=True)
        found[axes] = 0.5 * (G + G.T)
    return found


def _load(solid: _Solid, force: Array) -> Array:
    """∫ ρ f · v."""
    per_cell = (solid.thick * solid.rho * force).reshape(solid.dim, *solid.weights.shape)
    form = _skfem().LinearForm(lambda v, w: np.einsum("a...,a...", per_cell, v))
    return np.asarray(form.assemble(solid.basis))


def _skfem() -> Any:
    try:
        import skfem
    except ImportError as error:
        raise ModelError("lw.elastic_solid needs scikit-fem, which is not installed. Run: pip install latchwork[fem]; "
                         "or give model.flexible_body arrays of another program.") from error  # fmt: skip
    return skfem
