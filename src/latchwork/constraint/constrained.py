"""Constrained: equations with constraints embedded, frozen. What `Equations.embed` and `Model.constrained` give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.consistency import Start, assemble_q, assemble_u, at_time, consistent, normalised
from latchwork.constraint.constrained_state import bounded_multipliers, complete_state, must_be_finite
from latchwork.constraint.constraint import Constraint
from latchwork.constraint.embed import Embedding, directly
from latchwork.constraint.given_state import by_name, given_parameters, rest_coordinates, unsaid
from latchwork.constraint.linearization.equilibrium import Steady, equilibrium, steady
from latchwork.constraint.linearization.linear import Linear
from latchwork.constraint.linearization.linearize import linearize
from latchwork.constraint.linearization.variation import Slopes, slopes_of
from latchwork.constraint.reactions.reaction_items import about, must_be_names
from latchwork.constraint.reactions.reaction_plan import Plan, plan_of, pulls_must_fit
from latchwork.constraint.reactions.reactions import Reactions
from latchwork.constraint.rows import Rows, rows_of
from latchwork.constraint.scales import measured
from latchwork.constraint.selection import POOR, Selection, conditioning, must_agree, select
from latchwork.constraint.terms import Array, Terms, terms_of
from latchwork.errors import ConstraintError, answering, did_you_mean, listed, spelled_methods
from latchwork.kane.equations import Equations
from latchwork.kane.sample import random_states
from latchwork.kane.tables import Table
from latchwork.kane.values import argument_vector, read
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.matrix import Matrix
from latchwork.symbolic.traverse import Operations, count_shared

if TYPE_CHECKING:
    from latchwork.constraint.analysis import Operator
    from latchwork.constraint.bifurcation import Bifurcation
    from latchwork.constraint.branch_limit import BranchLimit

MEETS, ROUNDING = 1e-6, 1e-15  # of what rows make of speeds, and of what they usually make: speeds meet them
ATTEMPTS = 8  # random states from which an assembled one is sought


@answering
@spelled_methods
class Constrained:
    """Equations of motion with constraints embedded, F̃_r + F̃_r* = 0: one for each independent speed u_r.

    From the constraints B u + C = 0 dependent speeds follow as u_s = Σ D_sr u_r + E_s. Active and inertia forces are
    combined, F̃_r = F_r + Σ D_sr F_s and F̃_r* = F_r* + Σ D_sr F_s*.  [Gillespie §4]
    """

    def __init__(self, terms: Terms, selection: Selection, x: Array) -> None:
        self.terms, self.selection = terms, selection
        self.rows: Rows = terms.rows
        self.unconstrained: Equations = terms.rows.equations
        self._x = x

    # --- names --------------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        return self.unconstrained.name

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        return self.rows.constraints

    @property
    def independent(self) -> tuple[Expr, ...]:
        """Speeds that remain, in the order of the model."""
        return tuple(self.unconstrained.u[j] for j in self.selection.independent)

    @property
    def dependent(self) -> tuple[Expr, ...]:
        """Speeds that the constraints determine."""
        return tuple(self.unconstrained.u[j] for j in self.selection.dependent)

    @property
    def redundant(self) -> tuple[str, ...]:
        """Rows that say nothing new, by name."""
        return tuple(self.rows.names[i] for i in self.selection.redundant)

    # --- symbolic -----------------------------------------------------------------------------------------------

    @property
    def x(self) -> Array:
        """(t, q, u, r, p) at which rows and speeds were chosen."""
        return self._x.copy()

    @cached_property
    def _embedding(self) -> Embedding:
        return Embedding(self.rows.tidied, self.selection, self.terms.place(self._x).B)

    @cached_property
    def B(self) -> Matrix:
        """B u + C = 0, all rows."""
        return self.rows.B

    @cached_property
    def C(self) -> Matrix:
        """B u + C = 0, all rows."""
        return self.rows.C

    @cached_property
    def D(self) -> Matrix:
        """u_dep = D u_ind + E."""
        return matrix_of(self.unconstrained, self._embedding.D, len(self.independent))

    @cached_property
    def E(self) -> Matrix:
        """u_dep = D u_ind + E."""
        return matrix_of(self.unconstrained, [[node] for node in self._embedding.E], 1)

    @cached_property
    def T(self) -> Matrix:
        """u = T u_ind + S."""
        return matrix_of(self.unconstrained, self._embedding.T, len(self.independent))

    @cached_property
    def S(self) -> Matrix:
        """u = T u_ind + S."""
        return matrix_of(self.unconstrained, [[node] for node in self._embedding.S], 1)

    @cached_property
    def _recombined(self) -> tuple[list[list[int]], list[int]]:
        return self._embedding.recombined()

    @cached_property
    def M(self) -> Matrix:
        """M̃ = Tᵀ M T."""
        return matrix_of(self.unconstrained, self._recombined[0], len(self.independent))

    @cached_property
    def f(self) -> Matrix:
        """f̃ = Tᵀ (f − M (Ṫ u_ind + Ṡ))."""
        return matrix_of(self.unconstrained, [[node] for node in self._recombined[1]], 1)

    @cached_property
    def equations(self) -> Equations:
        """The same equations derived directly in the independent speeds: to read, to run, to write as C."""
        return directly(self._embedding)

    @cached_property
    def operations(self) -> Operations:
        """Operations of M̃ and f̃ after sharing."""
        return count_shared([*self.M, *self.f])

    def partial_velocities(self) -> Table:
        """ṽ_r and ω̃_r: the table of the constrained mechanism."""
        return self.equations.partial_velocities()

    # --- numbers ------------------------------------------------------------------------------------------------

    def arguments(self, q: Any, u: Any, r: Any = None, *, t: float = 0.0, p: Any = None) -> Array:
        """(t, q, u, r, p), with dependent speeds computed; they may be left out where u is a mapping."""
        return complete_state(self, q, u, r, t, p)

    def is_close(self, x: Array) -> bool:
        """Whether a position is close to a singular one."""
        from latchwork.constraint.branch_limit import is_close

        return is_close(self.terms, self.selection, x, self.B_chosen)

    def meets(self, B: Array, C: Array, u: Array) -> bool:
        """Whether speeds meet the rows, but for rounding, also where these vanish."""
        size, usual = dot(np.abs(B), np.abs(u)) + np.abs(C), dot(np.abs(self.B_chosen), np.abs(u))
        return bool((np.abs(dot(B, u) + C) <= MEETS * size + ROUNDING * usual).all())

    def limit_at(self, x: Array) -> BranchLimit:
        """How values are taken at a state (t, q, u, r, p): there, or close to a singular position beside it."""
        from latchwork.constraint.branch_limit import BranchLimit, limit_at

        if self.is_close(x):
            return limit_at(self.terms, x, self.selection, self.B_chosen)
        return BranchLimit(self.terms, self.selection, x, (x,), (1.0,))

    def _limit(self, q: Any, u: Any, r: Any, t: float, p: Any) -> BranchLimit:
        limit = self.limit_at(complete_state(self, q, u, r, t, p))
        must_be_finite(self, limit.udot, limit.x)
        return limit

    @cached_property
    def B_chosen(self) -> Array:
        """B where rows and speeds were chosen."""
        return self.terms.place(self._x).B

    def udot(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0, p: Any = None) -> Array:
        """u̇ of all speeds. ``u`` holds the independent ones (others are computed), as a sequence or by name.

        Close to a singular position, this and all that follows from it are the limit along the branch of motion; at
        the position itself the branch is that of the speeds, which are then all given.
        """
        return self._limit(q, u, r, t, p).udot

    def multipliers(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0,
                    p: Any = None) -> dict[str, Array]:  # fmt: skip
        """λ of M u̇ = f + Bᵀ λ for each constraint by name; of least norm where rows are redundant."""
        lam = bounded_multipliers(self, self._limit(q, u, r, t, p))
        return {name: lam[part] for name, part in self.rows.slices.items()}

    def constraint_force(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0, p: Any = None) -> Array:
        """F_c = M u̇ − f: the generalized constraint force, unique also where λ is not.  [Aghili Remark 4]"""
        return self._limit(q, u, r, t, p).force

    def reactions(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0, p: Any = None,
                  at: Any = None, motors: bool = False) -> Reactions:  # fmt: skip
        """Forces and torques of every constraint and every joint by name, as ``Equations.reactions``."""
        limit = self._limit(q, u, r, t, p)
        lam = bounded_multipliers(self, limit)
        B = self.terms.place(limit.x).B
        return self.reaction_plan(at, motors).at_state(limit.x, limit.udot, lam, B, limit.unfelt)

    def reaction_plan(self, at: Any = None, motors: bool = False) -> Plan:
        """Reactions as one program of (t, q, u, r, p, u̇, λ), for one state or for many rows."""
        key = about(self.unconstrained.system, at), bool(motors)
        if key not in self._plans:
            pulls_must_fit(self.rows, self._x, self.terms.place(self._x).B, self.terms.motion(self._x).M)
            self._plans[key] = plan_of(self.unconstrained, self.rows, *key)
            must_be_names(self.unconstrained, self._plans[key].items, key[0])
        return self._plans[key]

    @cached_property
    def _plans(self) -> dict[Any, Plan]:
        return {}

    # --- states -------------------------------------------------------------------------------------------------

    def assemble(self, q: Any = None, *, t: float = 0.0, p: Any = None, weights: Any = None) -> dict[str, float]:
        """Coordinates that meet all constraints, from a guess; those given by name are kept if possible."""
        if weights is not None:
            weights = read(weights, self.unconstrained.u, "weights of the speeds", self.name)
        x, held, _ = self._rough(q, None, t, p)
        placed = assemble_q(self.terms, x, held, weights, unsaid=unsaid(q, held, len(self.unconstrained.q)))
        return dict(zip(self.unconstrained.q_names, placed[1:].tolist(), strict=False))

    def velocities(self, q: Any, u: Any = None, *, t: float = 0.0, p: Any = None) -> dict[str, float]:
        """Speeds that meet all constraints at an assembled position; those given by name are kept if possible."""
        x, _, held = self._rough(q, u, t, p)
        moved, _ = assemble_u(self.terms, x, held)
        return dict(zip(self.unconstrained.u_names, moved[1 + len(self.unconstrained.q) :].tolist(), strict=False))

    def start(self, q: Any = None, u: Any = None, *, t: float = 0.0, p: Any = None) -> Start:
        """A consistent state near a given one, and what had to be changed."""
        x, q_held, u_held = self._rough(q, u, t, p)
        return consistent(self.terms, x, q_held, u_held, unsaid(q, q_held, len(self.unconstrained.q)))[1]

    def _rough(self, q: Any, u: Any, t: float, p: Any, r: Any = None) -> tuple[Array, list[int], list[int]]:
        """(t, q, u, r, p) as given, the rest at rest; and which coordinates and speeds were given by name."""
        equations = self.unconstrained
        q, q_held = by_name(q, rest_coordinates(equations))
        u, u_held = by_name(u, dict.fromkeys(equations.u_names, 0.0))
        return argument_vector(equations.system, t, q, u, r, p), q_held, u_held

    # --- small motions ------------------------------------------------------------------------------------------

    @cached_property
    def slopes(self) -> Slopes:
        """Derivatives of all terms with respect to q, u and r, as one program."""
        return slopes_of(self.terms)

    def linearize(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0, p: Any = None,
                  keep: Sequence[Any] = (), outputs: Mapping[str, Any] | None = None) -> Linear:  # fmt: skip
        """δẋ = A δx + B δr, δy = C δx + D δr about a state, with dependent coordinates and speeds eliminated.

        The state is made consistent as by ``start``. ``keep`` names coordinates and speeds that are to be states;
        ``outputs`` are expressions by name, which may contain dt(u). Without them the outputs are the states.
        """
        x, q_held, u_held = self._rough(q, u, t, p, r)
        return linearize(self, consistent(self.terms, normalised(self.terms, x), q_held, u_held)[0], keep, outputs)

    def equilibrium(self, q: Any = None, r: Any = None, *, t: float = 0.0, p: Any = None, hold: Sequence[Any] = (),
                    find: Sequence[Any] = ()) -> Steady:  # fmt: skip
        """A position near q in which everything can stay at rest: u = 0 and u̇ = 0, with all constraints.

        ``hold`` names coordinates that keep the values given; ``find`` names inputs that are to be found as well.
        """
        return equilibrium(self, self._rough(q, None, t, p, r)[0], hold, find)

    def steady(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0, p: Any = None,
               hold: Sequence[Any] = (), find: Sequence[Any] = (),
               vanish: Sequence[Any] | None = None) -> Steady:  # fmt: skip
        """A motion near a given one in which the speeds ``vanish`` (default: the independent ones) have u̇ = 0.

        Coordinates are found, save those in ``hold``; independent speeds and inputs are as given, save those in
        ``find``; dependent speeds follow.
        """
        return steady(self, self._rough(q, u, t, p, r)[0], hold, find, vanish)

    # --- about a position ---------------------------------------------------------------------------------------

    def branches(self, q: Any = None, u: Any = None, *, t: float = 0.0, p: Any = None) -> Bifurcation:
        """The branches of motion that meet at a position; a velocity, if there is one, tells which is followed."""
        from latchwork.constraint.bifurcation import bifurcation

        return bifurcation(self, q, u, t, p)

    def operator(self, q: Any = None, u: Any = None, r: Any = None, *, t: float = 0.0, p: Any = None,
                 metric: Any = None) -> Operator:  # fmt: skip
        """Aghili's projection P at a state: forces that move the mechanism and those that do not, the least ones for a
        motion, joints without motors. ``metric`` weighs speeds of unequal units."""
        from latchwork.constraint.analysis import operator_at

        return operator_at(self, q, u, r, t, p, metric=metric)

    # --- to read ------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        left = f"{len(self.independent)} of {len(self.unconstrained.u)} speeds left"
        return f"<'{self.name}' with {', '.join(self.rows.slices) or 'nothing'} embedded: {left}>"

    def __str__(self) -> str:
        lines = [f"'{self.name}' with {', '.join(self.rows.slices) or 'no constraints'}"]
        lines += [f"  {u.name} = {Expr(u.graph, self._embedding.back[u.node])}" for u in self.dependent]
        if self.redundant:
            lines.append(f"  redundant: {', '.join(self.redundant)}")
        return "\n".join([*lines, str(self.equations)])

    def _repr_latex_(self) -> str:
        return self.equations._repr_latex_()

    def _repr_html_(self) -> str:
        return self.equations._repr_html_()


def matrix_of(equations: Equations, nodes: Sequence[Sequence[int]], width: int) -> Matrix:
    """Nodes of an expression graph, row by row, as a matrix that is so wide."""
    g = equations.system.graph
    rows = [[Expr(g, node) for node in row] for row in nodes]
    return Matrix(rows) if rows and width else Matrix.zeros(g, len(rows), width)


def embed(equations: Equations, constraints: Sequence[Constraint], independent: Sequence[Any] | None = None,
          at: Any = None, t: float = 0.0, p: Any = None) -> Constrained:  # fmt: skip
    """Equations with constraints embedded. Speeds are chosen at the coordinates ``at``, or at assembled random ones."""
    rows = rows_of(equations, constraints)
    terms = terms_of(rows)
    x = _representative(terms, at, t, p)
    terms = Terms(rows, measured(terms.base, _at_rest(terms, x)), terms.sources)
    place = terms.place(x)
    must_agree(rows.names, place.B, place.C, terms.motion(x).M, at_time(x), unit=terms.base.units.u,
               scales=terms.base.scales, rows=terms.typical(x))  # fmt: skip
    pinned = None if independent is None else _pinned(equations, independent)
    return Constrained(terms, choose(terms, x, pinned), x)


def _at_rest(terms: Terms, x: Array) -> Array:
    """x = (t, q, u, rest) without speeds."""
    rest, (n_q, n, _) = x.copy(), terms.sizes
    rest[1 + n_q : 1 + n_q + n] = 0.0
    return rest


def choose(terms: Terms, x: Array, pinned: Sequence[int] | None = None) -> Selection:
    """Rows and speeds at a state; a choice by hand is checked."""
    B, M = terms.place(x).B, terms.motion(x).M
    first, unit = terms.rows.configuration, terms.base.units.u
    rows = terms.typical(x)
    chosen = select(B, M, usual=terms.usual_rows(x), first=first, unit=unit, rows=rows)
    if pinned is None:
        return chosen
    rank, n = chosen.rank, B.shape[1]
    names = terms.rows.equations.u_names
    if len(pinned) != n - rank:
        raise ConstraintError(
            f"'{terms.rows.equations.name}' has {n - rank} independent speeds under these constraints ({n} speeds, "
            f"rank {rank}); {len(pinned)} were chosen ({', '.join(names[j] for j in pinned)}). Choose {n - rank}."
        )
    by_hand = select(B, M, rank, pinned, first=first, unit=unit, rows=rows)
    if by_hand.rank < rank or conditioning(B, M, by_hand, unit) > POOR * conditioning(B, M, chosen, unit):
        raise ConstraintError(
            f"the speeds {', '.join(names[j] for j in pinned)} of '{terms.rows.equations.name}' do not determine the "
            f"others under {', '.join(terms.rows.slices)}. Choose others, e.g. "
            f"{', '.join(names[j] for j in chosen.independent)}."
        )
    return by_hand


def _pinned(equations: Equations, chosen: Sequence[Any]) -> list[int]:
    every = listed(chosen, f"the independent speeds of '{equations.name}'", "Give a list of speeds: [u1, u2].")
    names = [item.name if isinstance(item, Expr) else str(item) for item in every]
    for name in names:
        if name not in equations.u_names:
            hint = did_you_mean(name, equations.u_names)
            raise ConstraintError(f"'{name}' is not a speed of '{equations.name}'.{hint}")
    return [equations.u_names.index(name) for name in names]


def _representative(terms: Terms, at: Any, t: float, p: Any) -> Array:
    """A state at which to choose: the one given, assembled; or the best of some random ones that can be assembled."""
    equations, system = terms.rows.equations, terms.rows.equations.system
    zero = np.zeros(len(equations.u))
    if at is not None:
        at, _ = by_name(at, rest_coordinates(equations))
        return assemble_q(terms, argument_vector(system, t, at, zero, None, p))
    states = random_states(system, ATTEMPTS)
    values = {s.name: v for s, v in system.values.items()} | given_parameters(equations, p)
    failed: ConstraintError | None = None
    for state in states:
        x = state[: len(equations.arguments)].copy()
        for i, symbol in enumerate(equations.arguments):
            x[i] = values.get(symbol.name, x[i])
        try:
            return assemble_q(terms, x)
        except ConstraintError as error:
            failed = error
    raise ConstraintError(f"{failed} Or say where speeds are to be chosen, with at=...") from None
