"""A rotating cantilever: frequencies of the literature, with and without a hub, and what is lost without stiffening."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

import latchwork as lw

# µ = ω √(ρA L⁴/EI) at γ = Ω √(ρA L⁴/EI), by power series in 40 digits: flap 1, flap 2
NO_HUB = {0: (3.516015268, 22.034491558), 1: (3.681646814, 22.181011152), 2: (4.137319573, 22.614921953),
          4: (5.585001421, 24.273349391)}  # fmt: skip


def blade(gamma, direction, hub=0.0, modes=6, **options):
    model = lw.Model("rotor")
    L, EI, rho_A, spin = model.parameters(L=2.0, EI=3.0, rho_A=0.7, spin=gamma * np.sqrt(3.0 / (0.7 * 2.0**4)))
    R = model.frame.rotated("R", spin * model.time, model.frame.z)
    root = model.origin.at("hub", hub * L * R.x)
    model.beam("blade", R, root, L, EI={direction: EI}, rho_A=rho_A, modes=modes, **options)
    return model


def frequencies(model):
    """µ of the equations made linear, and the largest real part of an eigenvalue."""
    values = model.equations().linearize().eigenvalues
    unit = np.sqrt(0.7 * 2.0**4 / 3.0)
    return np.sort(np.abs(values.imag))[::2] * unit, values.real.max() * unit


@pytest.mark.parametrize("gamma", NO_HUB)
def test_flap_and_lag_without_a_hub(gamma):
    """Flap 1 to 1e-6 and flap 2 to 1e-4 with six modes; lag² = flap² - γ²."""
    flap, _ = frequencies(blade(gamma, "z"))
    assert flap[0] == pytest.approx(NO_HUB[gamma][0], rel=1e-6)
    assert flap[1] == pytest.approx(NO_HUB[gamma][1], rel=1e-4)
    lag, _ = frequencies(blade(gamma, "y"))
    assert lag[0] == pytest.approx(np.sqrt(NO_HUB[gamma][0] ** 2 - gamma**2), rel=1e-6)


def by_finite_elements(gamma, hub, n=30):
    """Flap µ with cubic elements and the tension T(x) = γ² ∫ₓ¹ (δ + ξ) dξ: an independent model."""
    M, K = np.zeros((2, 2 * n + 2, 2 * n + 2))
    h = 1.0 / n
    z, w = np.polynomial.legendre.leggauss(5)
    for e in range(n):
        t = (z + 1) / 2
        N = np.array([1 - 3 * t**2 + 2 * t**3, h * (t - 2 * t**2 + t**3), 3 * t**2 - 2 * t**3, h * (t**3 - t**2)])
        d = np.array([-6 * t + 6 * t**2, h * (1 - 4 * t + 3 * t**2), 6 * t - 6 * t**2, h * (3 * t**2 - 2 * t)]) / h
        c = np.array([-6 + 12 * t, h * (-4 + 6 * t), 6 - 12 * t, h * (6 * t - 2)]) / h**2
        x = (e + t) * h
        tension = gamma**2 * (hub * (1 - x) + (1 - x**2) / 2)
        at = slice(2 * e, 2 * e + 4)
        M[at, at] += (N * w) @ N.T * h / 2
        K[at, at] += ((c * w) @ c.T + (d * w * tension) @ d.T) * h / 2
    return np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(M[2:, 2:], K[2:, 2:])).real))


@pytest.mark.parametrize(("gamma", "hub"), [(3.0, 0.5), (6.0, 1.0), (2.0, 0.1)])
def test_flap_and_lag_with_a_hub(gamma, hub):
    """A hub of radius δL stiffens the blade more; finite elements with the tension of the hub agree."""
    reference = by_finite_elements(gamma, hub)[:2]
    flap, _ = frequencies(blade(gamma, "z", hub))
    lag, _ = frequencies(blade(gamma, "y", hub))
    assert flap[:2] == pytest.approx(reference, rel=1e-5)
    assert lag[:2] == pytest.approx(np.sqrt(reference**2 - gamma**2), rel=1e-5)


def test_without_stiffening_the_lag_mode_becomes_unstable():
    """Linear too early: the blade flies apart beyond γ = 3.516; with foreshortening it never does."""
    assert frequencies(blade(3.50, "y", stiffening=False))[1] < 1e-6
    assert frequencies(blade(3.53, "y", stiffening=False))[1] > 0.1
    assert frequencies(blade(40.0, "y"))[1] < 1e-5


def test_modes_converge():
    """The first flap frequency at γ = 4 comes down to its value; every mode more is better."""
    errors = [frequencies(blade(4, "z", modes=n))[0][0] / NO_HUB[4][0] - 1 for n in (1, 2, 4, 6, 8)]
    assert all(later < 0.2 * before for before, later in pairwise(errors))
    assert errors[0] < 0.02
    assert errors[-1] < 1e-8
