"""Controllability of a constrained mechanism with passive joints: what its motors can command, in the user's names.

    f = (I + H) f∥ ∈ R(B),   H = −(I − P) Q⁺ (I − B),   Q = (I − B)(I − P),   B projects onto forces of the motors
    controllable:  N ∩ B⊥ ⊆ N⊥ ∩ B⊥                                                    [Aghili Eqs. 53-62]

N is the tangent space. What breaks the condition are motions v ∈ N on which no motor does work, Gᵀ v = 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.algebra.linear import cholesky, matrix_rank, pinv, solve, svd
from latchwork.algebra.products import dot
from latchwork.constraint.analysis import state_at
from latchwork.constraint.constrained import Constrained
from latchwork.constraint.terms import Array
from latchwork.control.actuation import actuation, inputs_of
from latchwork.errors import ModelError, spelled
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.trajectory import Trajectory
from latchwork.kane.equations import Equations
from latchwork.model import Model
from latchwork.program.function import Function
from latchwork.program.lower import lower

CUT = 1e-9  # of the largest: what motors do in a smaller part is nothing
SHOWN = 1e-6  # parts of a motion that are smaller are not named


@dataclass(frozen=True, eq=False)
class Controllability:
    """What motors can command at a state; true where every motion that the constraints leave can be.

    ``lost`` are motions on which no motor works, as shares of the speeds; ``H`` corrects f∥ for joints without motors.
    """

    model: str
    inputs: tuple[str, ...]
    speeds: tuple[str, ...]
    freedoms: int
    lost: Array
    P: Array
    H: Array | None
    G: Array

    def __bool__(self) -> bool:
        return not len(self.lost)

    @property
    def motions(self) -> list[dict[str, float]]:
        """The motions that cannot be commanded, by speed, the largest share 1."""
        return [{name: float(part) for name, part in zip(self.speeds, row / row[np.abs(row).argmax()], strict=True)
                 if abs(part) > SHOWN} for row in self.lost]  # fmt: skip

    def __str__(self) -> str:
        motors = ", ".join(self.inputs)
        if self:
            return f"'{self.model}' has {self.freedoms} degrees of freedom here, and {motors} command them all"
        shown = "; ".join(" with ".join(f"{share:.3g} {name}" for name, share in each.items()) for each in self.motions)
        return (f"'{self.model}' has {self.freedoms} degrees of freedom here, and {motors} cannot command "
                f"{len(self.lost)} of them: no motor works on {shown}")  # fmt: skip

    __repr__ = __str__


@spelled
def controllability(model: Model | Constrained, q: Any = None, u: Any = None, *, inputs: Sequence[Any] | None = None,
                    t: float = 0.0, p: Any = None) -> Controllability:  # fmt: skip
    """What the motors of a mechanism can command at a state; all inputs that act by a force, or those named.

    A row that vanishes at a singular position, and only there, holds nothing: the mechanism has more freedoms there.
    """
    if not isinstance(model, (Model, Constrained)):
        raise ModelError(f"the controllability of {model!r} is not known. Give a model, or model.constrained().")
    constrained = model.constrained() if isinstance(model, Model) else model
    equations, chosen = constrained.unconstrained, inputs_of(constrained.unconstrained, inputs, "controllability")
    x = state_at(constrained, q, u, None, t, p)
    operator = constrained.operator(*_split(equations, x), t=t, p=p)
    return judged(equations, chosen, operator.P, actuation_at(equations, chosen)(x), operator.freedoms)


def _split(equations: Equations, x: Array) -> tuple[list[float], list[float]]:
    n_q, n = len(equations.q), len(equations.u)
    return x[1 : 1 + n_q].tolist(), x[1 + n_q : 1 + n_q + n].tolist()


def actuation_at(equations: Equations, inputs: Sequence[str]) -> Function:
    """G by inputs, as a program of (t, q, u, r, p)."""
    nodes = actuation(equations, inputs, "controllability")
    return Function(lower(equations.system.graph, nodes, equations.arguments))


def judged(equations: Equations, inputs: Sequence[str], P: Array, G: Array, freedoms: int) -> Controllability:
    n, p = len(equations.u), len(inputs)
    columns = np.asarray(G).reshape(p, n).T
    return Controllability(equations.name, tuple(inputs), tuple(equations.u_names), freedoms,
                           lost_motions(P, columns), P, passive_correction(P, columns), columns)  # fmt: skip


def lost_motions(P: Array, G: Array) -> Array:
    """An orthonormal basis, by rows, of the motions v = P v with Gᵀ v = 0."""
    U, s, _ = svd(P)
    Z = U[:, : int((s > 0.5).sum())]
    if not Z.shape[1]:
        return np.zeros((0, len(P)))
    _, sigma, Vt = svd(dot(G.T, Z))
    rank = int((sigma > CUT * max(float(np.abs(G).max()), 1e-300)).sum())
    return np.asarray(dot(Vt[rank:], Z.T))


def passive_correction(P: Array, G: Array) -> Array | None:
    """H = −(I − P) Q⁺ (I − B); none where Q does not reach what is asked of it.  [Aghili Eqs. 55-59]"""
    one = np.eye(len(P))
    B = dot(G, pinv(G))
    Q = dot(one - B, one - P)
    if matrix_rank(np.column_stack([Q, dot(one - B, P)]), CUT) > matrix_rank(Q, CUT):
        return None
    return np.asarray(-dot(one - P, pinv(Q, CUT), one - B))


@spelled
def controllability_along(run: Trajectory, inputs: Sequence[Any] | None = None) -> Array:
    """How well motors command a run, sample by sample: the least singular value of √W⁻¹-weighed work per motion.

    Motions have unit kinetic energy; 0 where one of them gets no work, and nan where the mode has no freedom.
    """
    equations = run.equations
    chosen = inputs_of(equations, inputs, "controllability")
    program = actuation_at(equations, chosen)
    starts = np.array([segment.solution.t[0] for segment in run.path.segments])
    held, found = run.path.rest_at(run.rest, run.t, run.x), np.full(len(run.t), np.nan)
    for i, (t, x) in enumerate(zip(run.t, run.x, strict=True)):
        dynamics = run.path.segments[max(int(np.searchsorted(starts, t, side="right")) - 1, 0)].dynamics
        row = np.concatenate([[t], x[:-1], held[i]])
        G = program(row[: len(equations.arguments)]).reshape(len(chosen), -1)
        found[i] = _least(dynamics, row, G)
    return found


def _least(dynamics: Any, row: Array, G: Array) -> float:
    if not isinstance(dynamics, Recombined):
        return float("nan")
    terms = dynamics.mode.terms
    M, B = terms.motion(row).M, terms.place(row).B
    root = cholesky(M)
    _, s, Vt = svd(solve(root, B.T).T) if len(B) else (None, np.zeros(0), np.eye(len(M)))
    Z = Vt[int((s > CUT * max(float(s.max(initial=0.0)), 1e-300)).sum()) :]
    if not len(Z):
        return float("nan")
    values = svd(dot(solve(root, G.T).T, Z.T)).s if len(G) >= len(Z) else np.zeros(1)
    return float(values[len(Z) - 1]) if len(values) >= len(Z) else 0.0
