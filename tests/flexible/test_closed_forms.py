"""Closed forms: deflection and rotation of ends, buckling, the stretch of a spinning rod, twist, tapered beams."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw

L, EI, RHO_A = 2.0, 5e4, 3.0


def beam_on_the_wall(**options):
    model = lw.Model("wall")
    options = {"EI": EI, "rho_A": RHO_A} | options
    return model, model.beam("b", model.frame, model.origin, L, **options)


def at_rest(model, *wanted):
    eq = model.equations()
    rest = eq.equilibrium()
    return eq.evaluate(list(wanted), **rest.arguments)


def test_cantilever_under_a_force_and_a_moment_at_its_tip():
    """w = F L³/3EI + M L²/2EI and θ = F L²/2EI + M L/EI: cubics are among the polynomials from two shapes on."""
    F, M = 10.0, 7.0
    model, beam = beam_on_the_wall(shapes=[lambda x: x**2, lambda x: x**3])
    model.force(beam.tip, F * model.frame.y)
    model.torque(beam.tip_frame, M * model.frame.z)
    w, turned = at_rest(model, beam.tip.position().dot(model.frame.y), beam.tip_frame.y.dot(model.frame.x))
    assert w == pytest.approx(F * L**3 / (3 * EI) + M * L**2 / (2 * EI), rel=1e-9)
    assert -turned == pytest.approx(F * L**2 / (2 * EI) + M * L / EI, rel=1e-6)


HANDBOOK = [("clamped-free", 1.0, 1 / 8), ("pinned-pinned", 0.5, 5 / 384), ("clamped-clamped", 0.5, 1 / 384),
            ("clamped-pinned", 0.5, 1 / 192)]  # fmt: skip


@pytest.mark.parametrize(("ends", "x", "factor"), HANDBOOK)
def test_deflection_under_its_own_weight(ends, x, factor):
    """w = k ρA g L⁴/EI with k of the handbooks, for every way of holding the ends."""
    model, beam = beam_on_the_wall(shapes=ends, modes=6, EI=5e6)
    model.gravity(-9.81 * model.frame.y)
    (w,) = at_rest(model, beam.at(x * L).position().dot(model.frame.y))
    assert w == pytest.approx(-factor * RHO_A * 9.81 * L**4 / 5e6, rel=2e-4)


@pytest.mark.parametrize(("ends", "k"), [("clamped-free", 0.25), ("pinned-pinned", 1.0), ("clamped-pinned", 2.0457491)])
@pytest.mark.parametrize("polynomials", [True, False])
def test_buckling_load_of_a_column(ends, k, polynomials):
    """P = k π² EI/L² (Euler's cases): up to it a straight column is stable; to 1e-6 by polynomials, 1e-4 by modes."""
    shapes = lw.polynomial_shapes(ends, 6) if polynomials else ends
    model, beam = beam_on_the_wall(shapes=shapes, modes=6)
    P = model.parameter("P", 0.0)
    model.force(beam.tip, -P * model.frame.x)
    eq, critical, off = model.equations(), k * math.pi**2 * EI / L**2, 1e-6 if polynomials else 1e-4
    still = dict.fromkeys(eq.q_names, 0.0)
    assert eq.linearize(q=still, p={"P": (1 - off) * critical}).eigenvalues.real.max() < 1e-6
    assert eq.linearize(q=still, p={"P": (1 + off) * critical}).eigenvalues.real.max() > 1e-3


def spinning(modes, EA=2.8e7, **options):
    """The bar of Kane, Ryan and Banerjee at its final speed."""
    model = lw.Model("bar")
    (spin,) = model.parameters(spin=6.0)
    R = model.frame.rotated("R", spin * model.time, model.frame.z)
    beam = model.beam("bar", R, model.origin, 10.0, EI=1.4e4, EA=EA, rho_A=1.2, modes=modes, **options)
    return model, beam, R


def test_stretch_of_a_spinning_rod():
    """u(L) = ρA Ω² L³/(3 EA) = 5.143e-4 m, and by rotation of the stretched bar a little more."""
    model, beam, R = spinning({"y": 1, "stretch": 2})
    (stretched,) = at_rest(model, beam.tip.position().dot(R.x) - 10.0)
    k = 6.0 * 10.0 * math.sqrt(1.2 / 2.8e7)  # u'' = -k² (x + u): u(L) = L (tan k / k - 1)
    assert stretched == pytest.approx(10.0 * (math.tan(k) / k - 1.0), rel=1e-6)
    assert stretched == pytest.approx(1.2 * 36.0 * 1000.0 / (3 * 2.8e7), rel=1e-3)
    assert stretched == pytest.approx(5.143e-4, rel=1e-3)


def test_twist_of_a_shaft():
    """θ = T L/GJ, and the first frequency π/2 √(GJ/ρJ)/L."""
    model, beam = beam_on_the_wall(GJ=40.0, rho_J=0.03, modes={"twist": 3})
    T = model.parameter("T", 1.5)
    model.torque(beam.tip_frame, T * model.frame.x)
    (turned,) = at_rest(model, lw.asin(beam.tip_frame.y.dot(model.frame.z)))
    assert turned == pytest.approx(1.5 * L / 40.0, rel=1e-9)
    values = model.equations().linearize(p={"T": 0.0}).eigenvalues
    assert np.sort(np.abs(values.imag))[0] == pytest.approx(math.pi / 2 * math.sqrt(40.0 / 0.03) / L, rel=1e-4)


def test_a_section_that_varies_along_the_beam():
    """A wedge (rho_A ~ z, EI ~ z³ to the tip's 1/5): µ² by Ritz with twice as many shapes; mass and weight by hand."""
    section = {"EI": lambda s: EI * (1 - 0.8 * s / L) ** 3, "rho_A": lambda s: RHO_A * (1 - 0.8 * s / L)}
    few, _ = beam_on_the_wall(**section, modes=4)
    many, _ = beam_on_the_wall(**section, modes=9)
    first = [np.sort(np.abs(model.equations().linearize().eigenvalues.imag))[0] for model in (few, many)]
    assert first[0] == pytest.approx(first[1], rel=1e-5)
    # Mabie and Rogers: wedge of constant width, height ratio 5, (βL)² = 4.2925
    assert first[1] * math.sqrt(RHO_A * L**4 / EI) == pytest.approx(4.2925, abs=2e-3)
    assert few.system().elastic_bodies[0].mass.free_symbols == {few.symbols["b_r0"]}
    assert few.graph.symbols[few.symbols["b_r0"].node].value * L == pytest.approx(0.6 * RHO_A * L, rel=1e-13)


def test_material_damping():
    """Kelvin and Voigt: ζ_i = τ ω_i / 2 of every mode."""
    model, _ = beam_on_the_wall(damping=1e-4, modes=2)
    for mode in model.equations().linearize().modes():
        assert mode.damping == pytest.approx(0.5e-4 * mode.frequency, rel=1e-6)


def test_foreshortening_at_a_station_that_slides():
    """A station by an expression is the station by its number: points, frames and their velocities."""
    model = lw.Model("slide")
    (s,) = model.coordinates("s")
    beam = model.beam("b", model.frame, model.origin, L, EI={"y": EI, "z": EI}, rho_A=RHO_A, modes=8)
    model.particle("rider", beam.at(s), 1.0)
    fixed, moving = beam.at(0.3 * L), beam.at(s)
    frames = beam.frame_at(0.3 * L), beam.frame_at(s)
    eq = model.equations()
    rng = np.random.default_rng(2)
    q = dict(zip(eq.q_names, 0.1 * rng.normal(size=len(eq.q)), strict=True)) | {"s": 0.3 * L}
    u = dict(zip(eq.u_names, rng.normal(size=len(eq.u)), strict=True)) | {"u_s": 0.0}
    for axis in (model.frame.x, model.frame.y, model.frame.z):
        a, b = eq.evaluate([eq.velocity(p).dot(axis) for p in (fixed, moving)], q=q, u=u)
        assert a == pytest.approx(b, rel=1e-12)
        a, b = eq.evaluate([eq.angular_velocity(f).dot(axis) for f in frames], q=q, u=u)
        assert a == pytest.approx(b, rel=1e-12)
