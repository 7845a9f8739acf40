"""Bodies that bend from meshes of scikit-fem: mass, frequencies, deflections and stiffening of beams, in cells."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

import latchwork as lw

skfem = pytest.importorskip("skfem", reason="scikit-fem is not installed (make peers)")

L, H, B, E, RHO = 1.0, 0.02, 0.01, 2e9, 1000.0
EI, RHO_A = E * B * H**3 / 12.0, RHO * B * H
MATERIAL = {"E": E, "nu": 0.0, "rho": RHO}


def root(x):
    return np.isclose(x[0], 0.0)


def strip(kind="MeshQuad"):
    """A slender bar along x, H high, in the plane or in space."""
    if kind in ("MeshQuad", "MeshTri"):
        mesh = skfem.MeshQuad.init_tensor(np.linspace(0, L, 21), np.linspace(-H / 2, H / 2, 2))
        return (mesh if kind == "MeshQuad" else mesh.to_meshtri()), {"thickness": B}
    high, wide = np.linspace(-H / 2, H / 2, 2), np.linspace(-B / 2, B / 2, 2)
    mesh = skfem.MeshHex.init_tensor(np.linspace(0, L, 13), high, wide)
    return (mesh if kind == "MeshHex" else mesh.to_meshtet()), {}


def on_the_wall(kind="MeshQuad", modes=2, interface=(), spin=None):
    """The bar, clamped at x = 0 in N or in a frame that turns."""
    model = lw.Model("bar")
    mesh, more = strip(kind)
    frame = model.frame
    if spin is not None:
        frame = model.frame.rotated("R", model.parameter("spin", spin) * model.time, model.frame.z)
    given = lw.elastic_solid(mesh, clamped=root, modes=modes, interface=interface, **MATERIAL, **more)
    return model, model.flexible_body("bar", frame, model.origin, **given), mesh


@pytest.mark.parametrize("kind", ["MeshQuad", "MeshTri", "MeshHex", "MeshTet"])
def test_the_first_frequency_and_the_mass_of_a_bar(kind):
    """3.516 √(EI/ρA)/L², less what shear and rotatory inertia of a slender bar take; the mass is ρ A L, its moment of
    inertia m L²/3."""
    model, body, _ = on_the_wall(kind)
    values = np.sort(np.abs(model.equations().linearize().eigenvalues.imag))[::2]
    least = 3.516015 * math.sqrt(EI / RHO_A) / L**2
    if kind in ("MeshHex", "MeshTet"):
        least *= B / H  # it bends first about its thin side
    assert values[0] == pytest.approx(least, rel=5e-3)
    assert float(body.body.mass) == pytest.approx(RHO_A * L, rel=1e-12)
    still = {q: 0.0 for q in body.q}
    assert float(body.body.J[2][2].subs(still)) == pytest.approx(RHO_A * L**3 / 3 + RHO_A * L * H**2 / 12, rel=1e-9)


def test_deflection_and_rotation_under_a_force_at_an_interface():
    """Unit displacements of the interface are exact statics: w = F L³/3EI with shear, θ = F L²/2EI."""
    mesh, _ = strip()
    tip = int(np.argmax(mesh.p[0] + 1e-3 * mesh.p[1]))
    model, body, _ = on_the_wall(modes=1, interface=[tip])
    model.force(body.at(tip), 0.3 * model.frame.y)
    eq = model.equations()
    rest = eq.equilibrium().arguments
    y = model.frame.y
    w, turned = eq.evaluate([body.at(tip).position().dot(y), body.frame_at(tip).x.dot(y)], **rest)
    assert w - H / 2 == pytest.approx(0.3 * L**3 / (3 * EI), rel=1e-3)
    assert turned == pytest.approx(0.3 * L**2 / (2 * EI), rel=2e-2)


def test_rotation_and_thrust_stiffen_as_they_do_a_beam():
    """A bar that spins about z: lag as the beam of the model has it; hanging and standing bars differ as theirs."""
    spin = 3.0 * math.sqrt(EI / RHO_A) / L**2
    model, _, _ = on_the_wall(spin=spin)
    beam = lw.Model("beam")
    frame = beam.frame.rotated("R", beam.parameter("spin", spin) * beam.time, beam.frame.z)
    beam.beam("b", frame, beam.origin, L, EI=EI, rho_A=RHO_A, modes=3)
    first = [np.sort(np.abs(m.equations().linearize().eigenvalues.imag))[0] for m in (model, beam)]
    assert first[0] == pytest.approx(first[1], rel=5e-3)
    for sign in (1.0, -1.0):
        pair = []
        for made in (on_the_wall()[0], lw.Model("beam")):
            if not made.elastic_bodies:
                made.beam("b", made.frame, made.origin, L, EI=EI, rho_A=RHO_A, modes=3)
            made.gravity(sign * 9.81 * made.frame.x)
            still = dict.fromkeys(made.equations().q_names, 0.0)
            pair.append(np.sort(np.abs(made.equations().linearize(q=still).eigenvalues.imag))[0])
        assert pair[0] == pytest.approx(pair[1], rel=5e-3)


def test_energy_is_kept_by_a_plate_that_is_thrown():
    """A body from a mesh, free in space: K + V stays."""
    model = lw.Model("plate")
    free = model.free("hub")
    model.body("hub", free, free.origin, 0.05, lw.inertia(free.frame, 1e-4, 1e-4, 1e-4))
    mesh, more = strip()
    model.flexible_body("bar", free, free.origin, **lw.elastic_solid(mesh, clamped=root, modes=2, **MATERIAL, **more))
    run = lw.simulate(model, 0.1, u={"u_hub_wx": 1.0, "u_hub_wy": 2.0, "u_hub_wz": -1.5})
    assert run.audit.energy_error < 1e-7


def test_turns_that_are_not_small_are_told():
    """A bar that is bent past what small means is told of, with the value, as a beam is."""
    mesh, _ = strip()
    tip = int(np.argmax(mesh.p[0]))
    model, body, _ = on_the_wall(modes=1, interface=[tip])
    model.force(body.at(tip), -40.0 * model.frame.y)
    with pytest.warns(lw.AuditWarning, match=r"sections of 'bar' turn by \d\.\d+ rad in its frame"):
        lw.simulate(model, 0.05)


def test_bad_meshes_and_materials(monkeypatch):
    """What is no mesh, holds nothing or is no material is refused by name; so is a machine without scikit-fem."""
    mesh, more = strip()
    good = {"clamped": root, **MATERIAL, **more}
    bad = [({"E": -1.0}, "E of an elastic solid is -1"), ({"nu": 0.5}, "nu of an elastic solid is 0.5"),
           ({"rho": "heavy"}, "rho of an elastic solid is 'heavy'"), ({"thickness": None}, "thickness .* is None"),
           ({"clamped": "left"}, "no boundary named 'left'; it has none"), ({"clamped": None}, "clamped at None"),
           ({"clamped": lambda x: x[0] > 2.0}, "clamped at 0 degrees"), ({"interface": [999]}, "vertex 999"),
           ({"modes": 0}, "have 0 modes beside 0"), ({"modes": 2.5}, "have 2.5 modes")]  # fmt: skip
    for change, words in bad:
        with pytest.raises(lw.ModelError, match=words):
            lw.elastic_solid(mesh, **(good | change))
    with pytest.raises(lw.ModelError, match="mesh of scikit-fem, MeshTri, MeshQuad, MeshTet, MeshHex; got str"):
        lw.elastic_solid("plate", **good)
    monkeypatch.setitem(sys.modules, "skfem", None)
    with pytest.raises(lw.ModelError, match=r"needs scikit-fem, which is not installed. Run: pip install"):
        lw.elastic_solid(mesh, **good)
