"""u̇ and constraint forces from numbers, in NumPy: what the compiled loops compute, written to be read.

    D = −B1⁻¹ B2,   u̇ = T u̇_ind + γ,   M̃ u̇_ind = Tᵀ (f − M γ),   F_c = M u̇ − f = Bᵀ λ
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from latchwork.algebra.linear import SingularMatrix, left_vectors, lstsq, solve
from latchwork.algebra.products import dot
from latchwork.constraint.selection import RANK, Selection, Units, scaled, weights_of
from latchwork.constraint.terms import Array

CUT = 1e-12  # rows of λ: singular values below this part of the largest are redundancy


class Partition(NamedTuple):
    """T, and B1⁻¹ applied to anything."""

    T: Array
    B1: Array


def solved(A: Array, b: Array) -> Array:
    """A⁻¹ b; not a number where A is singular, so that whoever knows the state can say so."""
    try:
        return np.asarray(solve(A, b))
    except SingularMatrix:
        return np.full(b.shape, np.nan)


def partition(B: Array, selection: Selection) -> Partition:
    """T stacks [I; D] in the order of u."""
    kept, dep, ind = (list(part) for part in (selection.kept, selection.dependent, selection.independent))
    B1 = B[np.ix_(kept, dep)]
    T = np.zeros((B.shape[1], len(ind)))
    T[ind, range(len(ind))] = 1.0
    if dep:
        T[dep] = -solved(B1, B[np.ix_(kept, ind)])
    return Partition(T, B1)


def all_speeds(B: Array, C: Array, selection: Selection, u_ind: Array) -> Array:
    """u = T u_ind + S."""
    T, B1 = partition(B, selection)
    u = dot(T, u_ind)
    if selection.dependent:
        u[list(selection.dependent)] -= solved(B1, C[list(selection.kept)])
    return np.asarray(u)


def accelerations(M: Array, f: Array, B: Array, c: Array, selection: Selection) -> Array:
    """u̇ of all speeds, by embedding."""
    T, B1 = partition(B, selection)
    gamma = np.zeros(len(f))
    if selection.dependent:
        gamma[list(selection.dependent)] = -solved(B1, c[list(selection.kept)])
    return np.asarray(dot(T, solved(dot(T.T, M, T), dot(T.T, f - dot(M, gamma)))) + gamma)


def multipliers(B: Array, force: Array, M: Array, unit: Units = 1.0, rows: Units = 1.0) -> Array:
    """λ of least norm with Bᵀ λ = F_c, each row measured in the kinetic metric; unique where rows are independent.

    ``unit`` are those of the speeds, ``rows`` those of the rows.
    """
    if not len(B):
        return np.zeros(0)
    lengths = scaled(B, M, unit=unit, rows=rows).lengths
    lengths = np.where(np.isfinite(lengths), lengths, rows)
    weights = weights_of(M, unit)
    A = B / lengths[:, None] * weights
    lam = lstsq(A.T, force * weights, CUT)
    lam += lstsq(A.T, force * weights - dot(A.T, lam), CUT)
    return np.asarray(lam / lengths)


def unfelt(B: Array, M: Array, unit: Units = 1.0, rows: Units = 1.0) -> Array:
    """Columns that span the λ with Bᵀ λ = 0, which no motion feels; none if rows are independent.  [Aghili Remark 4]"""
    forms = scaled(B, M, unit=unit, rows=rows)
    left, singular = left_vectors(forms.columns)
    rank = int((singular > RANK * singular.max(initial=0.0)).sum())
    lengths = np.where(np.isfinite(forms.lengths), forms.lengths, rows)
    return np.asarray(left[:, rank:] / lengths[:, None])


def least_norm(lam: Array, B: Array, M: Array, unit: Units = 1.0, rows: Units = 1.0) -> Array:
    """λ with the same Bᵀ λ and least norm, each row measured in the kinetic metric: without what no motion feels."""
    lengths, y = scaled(B, M, unit=unit, rows=rows).lengths, unfelt(B, M, unit, rows)
    lengths = np.where(np.isfinite(lengths), lengths, rows)
    return np.asarray(lam - dot(y, dot((lengths[:, None] * y).T, lengths * lam)))
