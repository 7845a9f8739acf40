"""What is asked of equations at a state, in any units: selections, accelerations, forces, branches, linear equations.

Powers of four scale every number without rounding, so that the answers have the same bits, scaled.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork.constraint.designs.bdf import GGL, INDEX_2, INDEX_3, bdf
from latchwork.constraint.terms import Array
from scaled_scenes import MECHANISMS, Scaled, Units, g, rod

POWERS = {f"{what}*4^{k}": Units(**{what: 4.0**k}) for what in ("length", "time", "mass") for k in (-15, 10)}
POWERS |= {"length*4^-8": Units(length=4.0**-8), "all": Units(4.0**-8, 4.0**5, 4.0**-12)}


def parallelogram(one: Units) -> Scaled:
    """A parallelogram that lies flat, where two branches of motion meet, on its way along one of them."""
    model = lw.Model("parallelogram")
    O, x = model.origin, model.frame.x
    a, D = rod(model, one, "a", O, 0.5), O.at("D", 1.0 * one.length * x)
    B = O.at("B", 0.5 * one.length * a.frame.x)
    b, c = rod(model, one, "b", B, 1.0, a), rod(model, one, "c", D, 0.5)
    gap = B.at("end", 1.0 * one.length * b.frame.x).position(D.at("C", 0.5 * one.length * c.frame.x))
    model.constraint("pin", [gap.dot(x), gap.dot(model.frame.y)])
    g(model, one, model.frame.y)
    u = {"u_a": 2.0 / one.time, "u_b": -2.0 / one.time, "u_c": 2.0 / one.time}
    return Scaled(model, 1.0 * one.time, {"a": 0.0, "b": 0.0, "c": 0.0}, u)


MADE: dict[str, Callable[[Units], Scaled]] = {**MECHANISMS, "parallelogram": parallelogram}
del MADE["cart with rules"]  # it has no constraints


class Asked:
    """A mechanism in some units, and what is asked of it, without units."""

    def __init__(self, scene: str, one: Units) -> None:
        s, self.one = MADE[scene](one), one
        eq = s.model.equations()
        scales = np.array(s.scales(one))
        self.qs, self.us = scales[: len(eq.q)], scales[len(eq.q) : -1]
        self.fs = one.energy / self.us / one.time
        self.named = dict(zip((*eq.q_names, *eq.u_names), scales, strict=False))
        self.c, self.u = s.model.constrained(at=s.q), s.u
        self.q = self.c.assemble(s.q)

    def operator(self) -> lw.Constrained:
        return self.c.operator(self.q, self.u, metric=1.0 / (self.us * self.one.time) ** 2)

    def selection(self) -> Array:
        chosen = self.c.selection
        return np.array([len(chosen.kept), *chosen.kept, *chosen.dependent])

    def assembled(self) -> Array:
        return np.array([*self.q.values()]) / self.qs

    def udot(self) -> Array:
        return self.c.udot(self.q, self.u) * self.one.time / self.us

    def force(self) -> Array:
        return self.c.constraint_force(self.q, self.u) / self.fs

    def projection(self) -> Array:
        return self.operator().P * self.us / self.us[:, None]

    def inverse_dynamics(self) -> Array:
        return self.operator().inverse_dynamics(self.c.udot(self.q, self.u)) / self.fs

    def impossible(self) -> Array:
        """Accelerations that break rows are refused: by the same ones."""
        with pytest.raises(lw.ConstraintError, match="cannot have the accelerations") as refused:
            self.operator().inverse_dynamics(self.c.udot(self.q, self.u) + 1e-4 * self.us / self.one.time)
        return np.array([str(refused.value).count("by ")])

    def hybrid(self) -> Array:
        return self.operator().hybrid(self.c.udot(self.q, self.u), self.c.constraint_force(self.q, self.u)) / self.fs

    def operator_force(self) -> Array:
        return self.operator().constraint_force() / self.fs

    def branches(self) -> Array:
        found = self.c.branches(self.q, self.u)
        ways = [branch.directions / self.us[:, None] / self.one.time for branch in found.branches]
        return np.array([found.freedoms, len(ways), -1 if found.follows is None else found.follows,
                         *np.concatenate(ways, axis=1).ravel()])  # fmt: skip

    def linear(self) -> Array:
        found = self.c.linearize(self.q, self.u)
        states = np.array([self.named[name] for name in found.states])
        return found.A * states / states[:, None] * self.one.time

    def backward_differences(self) -> Array:
        ends = []
        for form in (GGL, INDEX_2, INDEX_3):
            path = bdf(self.c.terms, self.c.arguments(self.q, self.u), 0.05 * self.one.time, 8, form)
            ends += [path.q[-1] / self.qs, path.u[-1] / self.us]
        return np.concatenate(ends)


QUESTIONS = [name for name, value in vars(Asked).items() if callable(value) and name not in ("__init__", "operator")]
REFUSED = {("parallelogram", "linear"): "no linear equations describe motions there",
           ("parallelogram", "equilibrium"): "no equilibrium"}  # fmt: skip


@cache
def asked(scene: str, one: Units) -> Asked:
    return Asked(scene, one)


@pytest.mark.parametrize("name", seeds(["length*4^-15", "all"], POWERS))
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("scene", MADE)
def test_answers_have_the_same_bits(scene, question, name):
    """In other units the answer is that of metres, seconds and kilograms; what is refused there is refused here."""
    if refused := REFUSED.get((scene, question)):
        with pytest.raises(lw.ConstraintError, match=refused):
            getattr(asked(scene, POWERS[name]), question)()
        return
    answer, base = (getattr(asked(scene, one), question)() for one in (POWERS[name], Units()))
    assert np.array_equal(answer, base)


@pytest.mark.parametrize("name", POWERS)
@pytest.mark.parametrize("scene", ["slider-crank", "pendulum"])
def test_equilibria_in_any_units(scene, name):
    """An equilibrium is the same position in all units, but for rounding."""
    both = [asked(scene, POWERS[name]), asked(scene, Units())]
    found, base = (np.array([*each.c.equilibrium(each.q).q.values()]) / each.qs for each in both)
    assert found == pytest.approx(base, rel=1e-13, abs=1e-13)
