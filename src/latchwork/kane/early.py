"""Equations made linear early: terms of second order in small quantities are dropped before they are formed.

    v, ω nonlinear  →  v_r, ω_r nonlinear  →  both made linear  →  a, α from the linear v, ω  →  F_r + F_r* = 0

The order matters: partial velocities of velocities that are linear already would lack linear terms, such as those of
centrifugal stiffening.  [Buffinton §6.5.1; Kane and Levinson, Dynamics §6.4]
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from latchwork.errors import SpeedsError, did_you_mean
from latchwork.kane.columns import tidied, tidied_column
from latchwork.kane.elastic_inertia import add_inertia, mass_matrix_of_elastic
from latchwork.kane.equations import Equations
from latchwork.kane.forces import add_load, load_wrenches
from latchwork.kane.motion import mixed
from latchwork.kane.sample import numbers
from latchwork.kane.solving import by_elimination
from latchwork.kane.speeds import Kinematics
from latchwork.kane.wrenches import Wrenches, generalized_forces
from latchwork.mechanics.body import Body
from latchwork.mechanics.loads import Load
from latchwork.mechanics.point import Point
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.jet import NOTHING, Jet, Jet3, Jets
from latchwork.symbolic.matrix import Matrix
from latchwork.symbolic.ops import ONE, ZERO

VANISHES = 1e-12  # at random states of order one


class SmallMotion(Equations):
    """M u̇ = f and q̇ = W u + X to first order in ``small`` quantities; velocities and energies stay those of the whole.

    M keeps first-order terms save between two small speeds, whose u̇ is small itself; so it stays symmetric.
    """

    def __init__(self, whole: Equations, small: tuple[Expr, ...]) -> None:
        early = Early(whole, [symbol.node for symbol in small])
        M, Fr, h = early.equations()
        g, d = whole.system.graph, whole.derivation
        f = tidied(g, [g.sub(a, b) for a, b in zip(Fr, h, strict=True)])
        names = ", ".join(symbol.name for symbol in small)
        super().__init__(d.with_values(M, f, f"linear in {names}", early.kinematics()), whole.added)
        self.whole, self.small, self._Fr, self._h = whole, small, Fr, h

    @cached_property
    def Fr(self) -> Matrix:
        """Generalized active forces, linear in the small quantities."""
        return tidied_column(self.system.graph, self._Fr)

    @cached_property
    def h(self) -> Matrix:
        """What remains of the inertia forces with u̇ = 0, linear in the small quantities."""
        return tidied_column(self.system.graph, self._h)

    @cached_property
    def inverse_expressions(self) -> Matrix:
        """M u̇ - f."""
        needed = self.M @ Matrix.column(list(self.system.u_rates)) - self.f
        return tidied_column(self.system.graph, [e.node for e in needed])

    def with_loads(self, *loads: Load) -> SmallMotion:
        """With loads added afterwards, linear too."""
        return SmallMotion(self.whole.with_loads(*loads), self.small)

    def in_speeds(self, **definitions: Expr) -> Equations:
        raise SpeedsError(
            f"'{self.name}' is linear in speeds that would be exchanged for {', '.join(definitions)}. Exchange speeds "
            "first, eq.in_speeds(...), then say which are small."
        )

    def shortened(self) -> SmallMotion:
        """As it is: linear equations are short."""
        return self

    @cached_property
    def udot_expressions(self) -> Matrix:
        """u̇ from M u̇ = f; sweeps would form what was dropped."""
        return by_elimination(self.derivation)


class Early:
    """First-order velocities, partial velocities and accelerations of one system."""

    def __init__(self, whole: Equations, small: Sequence[int]) -> None:
        self.whole, self.motion = whole, whole.derivation.motion
        self.g, self.N = whole.system.graph, whole.system.tree.newtonian
        self.jets, self.speeds = Jets(self.g, small), [u.node for u in whole.u]
        self.q_rates = self.jets.of(whole.derivation.kinematics.q_rates)
        self.along = {q.node: rate for q, rate in zip(whole.q, self.q_rates, strict=True)}
        self.along[whole.t.node] = Jet(ONE, {})
        _rates_must_be_small(whole, self.along, small)
        self._velocities = self.motion.velocities(mixed)

    def kinematics(self) -> Kinematics:
        """q̇ to first order."""
        d = self.whole.derivation.kinematics
        rates = tuple(tidied(self.g, [self.jets.node(jet) for jet in self.q_rates]))
        along = {q.node: rate for q, rate in zip(self.whole.q, rates, strict=True)}
        replaced = {rate.node: node for rate, node in zip(self.whole.system.q_rates, rates, strict=True)}
        return Kinematics(rates, d.replaced | replaced, d.along | along)

    def equations(self) -> tuple[list[list[int]], list[int], list[int]]:
        """M, F_r and h of M u̇ + h = F_r."""
        n, jets = len(self.speeds), self.jets
        M = [[NOTHING] * n for _ in range(n)]
        h = [NOTHING] * n
        for body in self.whole.system.bodies:
            for vr, momentum, rate in self._bodies(body):
                h = [jets.add(h[r], jets.dot(vr[r], rate)) for r in range(n)]
                for r in range(n):
                    for s in range(r + 1):
                        M[r][s] = jets.add(M[r][s], jets.dot(vr[r], momentum[s]))
        for r, (row, rest) in enumerate(zip(*self._elastic(), strict=True)):
            h[r] = jets.add(h[r], rest)
            M[r] = [jets.add(M[r][s], row[s]) for s in range(n)]
        lower = [[self._entry(M[r][s], r, s) for s in range(r + 1)] for r in range(n)]
        nodes = iter(tidied(self.g, [node for row in lower for node in row]))
        lower = [[next(nodes) for _ in row] for row in lower]
        square = [[lower[max(r, s)][min(r, s)] for s in range(n)] for r in range(n)]
        return square, [jets.node(F) for F in self._forces()], [jets.node(jet) for jet in h]

    def _elastic(self) -> tuple[list[list[Jet]], list[Jet]]:
        """The shares of elastic bodies in M and h: short already, made linear."""
        motion = self.motion
        inertia = Wrenches(motion)
        add_inertia(inertia, motion.accelerations_t(mixed), ONE)
        M, h = mass_matrix_of_elastic(motion, mixed), generalized_forces(inertia, mixed)
        return [self.jets.of(row) for row in M], self.jets.of(h)

    def _entry(self, jet: Jet, r: int, s: int) -> int:
        both = self.speeds[r] in self.jets.small and self.speeds[s] in self.jets.small
        return jet.value if both else self.jets.node(jet)

    def _bodies(self, body: Body) -> list[tuple[list[Jet3], list[Jet3], Jet3]]:
        """Partial velocities, momenta per unit of u̇, rates of momenta with u̇ = 0: of the centre, then of turning."""
        jets, found = self.jets, []
        v = self._velocity(body.center)
        vr, a = self._partials(v), jets.rate(jets.of3(v), self.along)
        m = body.mass.node
        found.append((vr, [_scaled(jets, m, each) for each in vr], _scaled(jets, m, a)))
        if body.inertia is not None and body.frame is not None:
            for (F, _), square in body.inertia.parts.items():  # I is constant in F: d(I·ω)/dt = I·ω' + ω_F × I·ω
                w = body.frame.carry(self.motion.w[body.frame], F)
                wr, turning = self._partials(w), jets.of3(w)
                spin = jets.cross(jets.of3(self.motion.w[F]), jets.times(square, turning))
                own = jets.times(square, jets.rate(turning, self.along))
                total = tuple(jets.add(x, y) for x, y in zip(own, spin, strict=True))
                found.append((wr, [jets.times(square, each) for each in wr], total))  # type: ignore[arg-type]
        return found

    def _forces(self) -> list[Jet]:
        """F_r = Σ v_r · R + Σ ω_r · T."""
        jets, motion = self.jets, self.motion
        wrenches: Wrenches = load_wrenches(motion, mixed)
        for load in self.whole.added:
            add_load(wrenches, load)
        F = [NOTHING] * len(self.speeds)
        pairs = [(self._partials(self._velocity(point)), R.components(self.N)) for point, R in wrenches.forces.items()]
        pairs += [(self._partials(motion.w[frame]), T) for frame, T in wrenches.torques.items()]
        for partials, measures in pairs:
            acting = jets.of3(measures)
            F = [jets.add(total, jets.dot(partial, acting)) for total, partial in zip(F, partials, strict=True)]
        for q, effort in wrenches.efforts.items():
            (acting_on_q,) = jets.of([effort])
            for r, rate in motion.rate_partials(q).items():
                F[r] = jets.add(F[r], jets.mul(jets.of([rate])[0], acting_on_q))
        return F

    def _velocity(self, point: Point) -> tuple[int, ...]:
        return self._velocities[point].components(self.N)

    def _partials(self, nodes: Sequence[int]) -> list[Jet3]:
        """∂v/∂u_r of the nonlinear v, then made linear."""
        return [self.jets.of3(tangents(self.g, nodes, {u: ONE})) for u in self.speeds]


def _scaled(jets: Jets, k: int, a: Jet3) -> Jet3:
    x, y, z = (jets.scale(k, jet) for jet in a)
    return x, y, z


def for_small(whole: Equations, small: Sequence[Any]) -> SmallMotion:
    """The equations to first order in some coordinates and speeds."""
    known = {symbol.name: symbol for symbol in (*whole.q, *whole.u)}
    names = [item.name if isinstance(item, Expr) and item.is_symbol else str(item) for item in small]
    for name in names:
        if name not in known:
            raise SpeedsError(f"'{name}' is no coordinate or speed of '{whole.name}'.{did_you_mean(name, known)}")
    return SmallMotion(whole, tuple(known[name] for name in names))


def _rates_must_be_small(whole: Equations, along: dict[int, Jet], small: Sequence[int]) -> None:
    for q in whole.q:
        rate = along[q.node].value
        if q.node in small and rate != ZERO and np.abs(numbers(whole.system, [rate])).max() > VANISHES:
            shown = Expr(whole.system.graph, rate)
            raise SpeedsError(
                f"'{q.name}' of '{whole.name}' is to be small, but its rate {shown} is not: it would not stay small. "
                "Name the speeds that move it as well, or leave it out."
            )
