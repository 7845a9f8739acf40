"""Aghili's analysis at a state: his circle, and his slider-crank with the equations as corrected."""

from __future__ import annotations

import math

import numpy as np
import pytest

from constraint_models import circle, four_bar, pendulum, slider_crank
from latchwork.constraint.analysis import operator_at
from latchwork.errors import ConstraintError, EvaluationError

M, L, G = 1.2, 0.8, 9.81
ANGLES = [0.3, 1.1, 2.0, 4.0]


def crank(angle, rate=0.7):
    """The operator of the slider-crank at q1, and sines and cosines of q1 and q2 = 2π − 2 q1."""
    operator = operator_at(slider_crank(), q=[angle, 2 * math.pi - 2 * angle], u=[rate, -2 * rate])
    return operator, math.cos(angle), math.cos(2 * angle), -math.sin(2 * angle)


def test_circle():
    """P of Eq. 33, Ṗu of Eqs. 34, 35, m q̈ = f∥ along the circle, and ℱ = f⊥ + m |q̇|²/ρ outwards."""
    rho, mass, theta, spin = 0.7, 1.3, 0.6, 2.0
    s, c = math.sin(theta), math.cos(theta)
    tangent, normal = np.array([-s, c]), np.array([c, s])
    q, u, F = rho * normal, rho * spin * tangent, np.array([0.4, -1.7])
    constrained = circle(rho, mass)
    operator = operator_at(constrained, q=q, u=u, r=F)
    assert pytest.approx(np.array([[s * s, -s * c], [-s * c, c * c]])) == operator.P
    assert operator.potent(F) == pytest.approx(tangent * (tangent @ F))
    assert operator.impotent(F) == pytest.approx(normal * (normal @ F))
    assert operator.coupling < 1e-10
    udot = constrained.udot(q=q, u=u, r=F)
    assert udot == pytest.approx(operator.potent(F) / mass - rho * spin**2 * normal)
    assert operator.constraint_force() == pytest.approx(-operator.impotent(F) - mass * rho * spin**2 * normal)


@pytest.mark.parametrize("angle", ANGLES)
def test_slider_crank_matrices(angle):
    """M of Eq. 66; P of Eq. 68 away from the singularity; M_c'' of Eq. 69 with γ = m l²."""
    operator, _, c2, _ = crank(angle)
    assert pytest.approx(M * L**2 * np.array([[3 + 2 * c2, 1 + c2], [1 + c2, 1]])) == operator.M
    assert pytest.approx(np.array([[0.2, -0.4], [-0.4, 0.8]])) == operator.P
    expected = M * L**2 * np.array([[1, (1 + c2) / 5], [0, (3 - 2 * c2) / 5]])
    assert operator.inertia(M * L**2) == pytest.approx(expected, abs=1e-12)
    assert operator.freedoms == 1


@pytest.mark.parametrize("angle", [math.pi / 2, -math.pi / 2])
def test_slider_crank_at_the_singularity(angle):
    """P = I where the row vanishes (Eq. 68 as corrected): two degrees of freedom, M_c'' = M."""
    operator = operator_at(slider_crank(copies=2), q=[angle, 2 * math.pi - 2 * angle], u=[0.7, -1.4])
    assert pytest.approx(np.eye(2)) == operator.P
    assert operator.freedoms == 2
    assert operator.inertia(3.0) == pytest.approx(operator.M)


@pytest.mark.parametrize("angle", ANGLES)
def test_slider_crank_inverse_dynamics(angle):
    """The force of least norm, Eq. 71 as corrected; it gives the acceleration asked for."""
    rate, wanted = 0.7, 1.9
    operator, c1, c2, s2 = crank(angle, rate)
    force = operator.inverse_dynamics([wanted, -2 * wanted])
    f1 = M * L**2 * (3 - 2 * c2) * wanted / 5 + M * G * L * c1 / 5 - 2 * M * L**2 * s2 * rate**2 / 5
    assert force == pytest.approx([f1, -2 * f1])
    moved = np.linalg.solve(operator.inertia(), operator.P @ (operator.f + force) - operator.M @ np.zeros(2))
    assert moved == pytest.approx([wanted, -2 * wanted])


@pytest.mark.parametrize("angle", ANGLES)
def test_slider_crank_hybrid_force(angle):
    """Motion and constraint force at once: f⊥ is Eq. 72 as corrected, f⊥2 = f⊥1/2, u2* Aghili's ℱ = −F_c."""
    rate, wanted, pull = 0.7, 1.9, 0.8
    operator, c1, c2, s2 = crank(angle, rate)
    force = operator.hybrid([wanted, -2 * wanted], [-pull, -pull / 2])
    f1 = 2 * M * L**2 * (1 + c2) * wanted / 5 + pull + 14 * M * G * L * c1 / 5 + 2 * M * L**2 * s2 * rate**2 / 5
    assert operator.impotent(force) == pytest.approx([f1, f1 / 2])
    assert operator.potent(force) == pytest.approx(operator.inverse_dynamics([wanted, -2 * wanted]))


@pytest.mark.parametrize("angle", ANGLES)
def test_slider_crank_with_one_active_joint(angle):
    """H of Eq. 74, the force of Eq. 75 as corrected, and √5 times the norm of two active joints."""
    rate, wanted = 0.7, 1.9
    operator, c1, c2, s2 = crank(angle, rate)
    both = operator.inverse_dynamics([wanted, -2 * wanted])
    one = operator.actuated(both, ["u1"])
    H = np.array([[0.0, -2.0], [0.0, -1.0]])
    f1 = M * L**2 * (3 - 2 * c2) * wanted + M * G * L * c1 - 2 * M * L**2 * s2 * rate**2
    assert one == pytest.approx((np.eye(2) + H) @ both)
    assert one == pytest.approx([f1, 0.0])
    assert np.linalg.norm(one) == pytest.approx(math.sqrt(5) * np.linalg.norm(both))


def test_one_active_joint_is_too_few_at_the_singularity():
    """Two degrees of freedom and one joint: refused, with the number (Aghili after Eq. 74)."""
    operator = operator_at(slider_crank(), q=[math.pi / 2, math.pi])
    with pytest.raises(ConstraintError, match=r"2 degrees of freedom here, and forces on u1 alone cannot"):
        operator.actuated([1.0, 1.0], ["u1"])
    with pytest.raises(EvaluationError, match=r"\['u9'\] are no speeds of 'slider-crank'"):
        operator.actuated([1.0, 1.0], ["u9"])


def test_accelerations_must_be_possible():
    """Accelerations that break a row, and constraint forces that would move, are refused with the values."""
    operator, _, _, _ = crank(0.3)
    with pytest.raises(ConstraintError, match=r"cannot have the accelerations \[1.0, 1.0\]: they break 'C 0' by"):
        operator.inverse_dynamics([1.0, 1.0])
    with pytest.raises(ConstraintError, match=r"is no constraint force of 'slider-crank'"):
        operator.hybrid([1.0, -2.0], [1.0, 1.0])


FULL = np.array([[2.0, 0.3, 0.1], [0.3, 1.0, 0.2], [0.1, 0.2, 3.0]])


@pytest.mark.parametrize("metric", [None, [1.0, 4.0, 0.3], FULL])
def test_constraint_force_does_not_depend_on_the_metric(metric):
    """Eq. 32 in any metric is M u̇ − f of the embedded equations; P² = P and B P = 0."""
    constrained = four_bar((2.0, 1.0, 1.8, 1.3))
    q = constrained.assemble({"a": 1.0, "b": 0.2, "c": -1.0})
    u = constrained.velocities(q, {"ua": 0.8})
    operator = operator_at(constrained, q=q, u=u, metric=metric)
    B = constrained.terms.place(operator.x).B
    assert operator.constraint_force() == pytest.approx(constrained.constraint_force(q=q, u=u), rel=1e-9)
    assert pytest.approx(operator.P, abs=1e-12) == operator.P @ operator.P
    assert pytest.approx(np.zeros((2, 3)), abs=1e-12) == B @ operator.P


def test_force_of_least_norm_in_a_metric():
    """Of all forces with the same effect, the potent part has the least fᵀW⁻¹f."""
    constrained, weights = slider_crank(), np.array([0.5, 3.0])
    operator = operator_at(constrained, q=[0.4, 2 * math.pi - 0.8], metric=weights)
    force = np.array([1.0, 2.0])
    least, idle = operator.potent(force), operator.impotent([1.0, -0.7])
    norms = [(f**2 / weights).sum() for f in (least, least + 0.1 * idle, least - 0.1 * idle)]
    assert norms[0] < min(norms[1:])
    assert operator.potent(least + idle) == pytest.approx(least)


def test_kinetic_metric_decouples():
    """In the metric M every mechanism is decoupled (Proposition 3); in others this one is not."""
    operator = operator_at(slider_crank(), q=[0.4, 2 * math.pi - 0.8])
    assert operator.coupling > 0.05
    assert operator_at(slider_crank(), q=[0.4, 2 * math.pi - 0.8], metric=operator.M).coupling < 1e-10


def test_condition_against_gamma():
    """Over six decades of γ about m l², M_c'' is the worse conditioned the farther γ is from the best."""
    operator = operator_at(slider_crank(), q=[0.4, 2 * math.pi - 0.8])
    found = [operator.condition(M * L**2 * 10.0**k) for k in (-3, -2, -1, 0, 1, 2, 3)]
    best = found.index(min(found))
    assert 0 < best < 6
    assert found == sorted(found[:best], reverse=True) + sorted(found[best:])


def test_time_dependent_rows():
    """A rod whose length varies: the operator's constraint force is that of the embedded equations."""
    constrained = pendulum(copies=2, swing=0.2)
    t, length = 0.3, 1.0 + 0.2 * math.sin(0.9)
    q = [length * math.cos(0.4), -length * math.sin(0.4)]
    u = constrained.velocities(q, {"ux": 0.3}, t=t)
    operator = operator_at(constrained, q=q, u=u, t=t)
    assert operator.constraint_force() == pytest.approx(constrained.constraint_force(q=q, u=u, t=t), rel=1e-9)
    assert operator.inverse_dynamics(constrained.udot(q=q, u=u, t=t)) == pytest.approx([0.0, 0.0], abs=1e-10)


def test_metric_is_checked():
    """A metric that is not positive, or of another size, is refused."""
    with pytest.raises(EvaluationError, match=r"metric of 'slider-crank' must be 2 positive weights"):
        operator_at(slider_crank(), q=[0.4, 2 * math.pi - 0.8], metric=[1.0, 0.0])
    with pytest.raises(EvaluationError, match=r"metric of 'slider-crank' must be 2 positive weights"):
        operator_at(slider_crank(), q=[0.4, 2 * math.pi - 0.8], metric=[1.0, 1.0, 1.0])
