"""Beams in what goes on besides: small motions, steady spin, batches, C and pages."""

from __future__ import annotations

import math
import shutil
import subprocess

import numpy as np
import pytest

import latchwork as lw

COMPILER = shutil.which("gcc") or shutil.which("clang")
STEP = 2.0**-11


def arm(contact=True, modes=2, **options):
    """An arm on a pin that falls onto a floor with its end."""
    model = lw.Model("arm")
    pin = model.revolute("pin", q=["theta"], u=["omega"])
    model.body("hub", pin, pin.origin, 1.0, lw.inertia(pin.frame, zz=0.1))
    EI = model.parameter("EI", 60.0)
    beam = model.beam("arm", pin, pin.origin, 1.0, EI=EI, rho_A=1.0, modes=modes, **options)
    model.particle("tip", beam.tip, 0.2)
    model.gravity(-9.81 * model.frame.y)
    if contact:
        floor = lw.Line(model.origin.at("F", -0.3 * model.frame.y), model.frame.x, normal=model.frame.y)
        model.contact("floor", beam.tip, floor, restitution=0.5, friction=0.3)
    return model


def built(folder):
    """What the exported example prints, compiled without a warning."""
    flags = "CFLAGS=-O0 -std=c99 -Wall -Wextra -pedantic -Werror"
    made = subprocess.run(["make", "-s", flags, f"CC={COMPILER}"], cwd=folder, capture_output=True, text=True)
    assert (made.returncode, made.stderr) == (0, "")
    told = subprocess.run([folder / "example"], capture_output=True, text=True)
    assert (told.returncode, told.stderr) == (0, "")
    return told.stdout.splitlines()


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
def test_equations_of_a_beam_in_c(tmp_path):
    """u̇ of the exported C has the bits of the equations, at the state of its example."""
    equations = arm(contact=False).equations()
    lw.export_c(equations, tmp_path)
    printed = {line.split(" =")[0]: line.split("=")[1].split() for line in built(tmp_path)}
    state = [float(f"{0.1 * (i + 1):.15g}") for i in range(len(equations.q))]
    assert [*map(float, printed["udot"])] == equations.udot(state, state).tolist()


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
def test_a_run_with_contacts_in_c(tmp_path):
    """The exported run of an arm that strikes a floor, bounces and slides: the bits of `Simulation.advance`."""
    sim = lw.Simulation(arm(modes=1), method=lw.RK4(STEP), q={"theta": -0.2}, u={"omega": -3.0})
    lw.export_c(sim, tmp_path)
    rows, seen = [[*map(float, line.split())] for line in built(tmp_path)], []
    for row in rows:
        seen += sim.advance(row[0])
        assert np.array(row).tobytes() == sim.state.row[: len(row)].tobytes()
    assert len(seen) > 2


@pytest.mark.parametrize("contact", [False, True])
def test_batches_of_beams(contact):
    """Rows of a table with different stiffnesses and starts: the bits of each run alone."""
    model = arm(contact)
    table = {"theta": np.array([0.0, 0.3]), "EI": np.array([60.0, 200.0])}
    runs = lw.simulate_many(model, table, 0.3)
    for i in range(2):
        alone = lw.simulate(model, 0.3, q={"theta": table["theta"][i]}, parameters={"EI": table["EI"][i]})
        assert runs.x[i, -1].tobytes() == alone.x[-1].tobytes()


def test_small_motions_of_a_hanging_arm():
    """Equilibrium, linear equations and `for_small` agree: a pendulum that bends, about the place where it hangs."""
    eq = arm(contact=False).equations()
    rest = eq.equilibrium(q={"theta": -1.5})
    assert rest.q["theta"] == pytest.approx(-math.pi / 2, abs=1e-9)
    linear = eq.linearize(**rest.arguments)
    small = eq.for_small(*eq.q_names[1:], *eq.u_names[1:])
    again = small.linearize(q=rest.q)
    assert np.sort(linear.eigenvalues.imag) == pytest.approx(np.sort(again.eigenvalues.imag), rel=1e-9, abs=1e-9)
    assert linear.eigenvalues.real == pytest.approx(np.zeros(2 * len(eq.q)), abs=1e-6)


def test_steady_spin_of_a_blade_that_is_free():
    """A blade on a hub without a motor: at a given speed it stands L (tan k/k - 1) longer, with k = Ω L √(ρA/EA)."""
    model = lw.Model("rotor")
    hub = model.revolute("hub", u=["spin"])
    model.body("hub", hub, hub.origin, 1.0, lw.inertia(hub.frame, zz=1.0))
    blade = model.beam("blade", hub, hub.origin, 2.0, EI=500.0, EA=4e4, rho_A=1.5, modes={"y": 1, "stretch": 3})
    eq = model.equations()
    found = eq.steady(u={"spin": 8.0}, hold=["spin"])
    (stretched,) = eq.evaluate([blade.tip.position().dot(hub.frame.x) - 2.0], **found.arguments)
    k = 8.0 * 2.0 * math.sqrt(1.5 / 4e4)
    assert stretched == pytest.approx(2.0 * (math.tan(k) / k - 1.0), rel=1e-6)


def test_a_page_of_a_beam(tmp_path):
    """The deflected axis is drawn, with a factor: its points are in the page, and move."""
    model = arm()
    beam = model.beams["arm"]
    run = lw.simulate(model, 0.1)
    run.animate(str(tmp_path / "arm.html"), draw=beam.axis(count=7, factor=5.0))
    assert "arm" in (tmp_path / "arm.html").read_text(encoding="utf-8")
    tip = beam.axis(count=2, factor=5.0)[1]
    off, bent = (run[point.position().dot(model.frame.y)][-1] for point in (tip, beam.tip))
    theta, deflection = run["theta"][-1], run[beam.deflection.position(1.0)[1]][-1]
    assert off - bent == pytest.approx(4.0 * deflection * math.cos(theta), abs=0.1 * abs(deflection))


def test_readable_equations_of_two_modes():
    """Printed equations of a beam with two modes name its integrals and its coordinates."""
    told = str(arm(contact=False).equations())
    for name in ("arm_E_y1_y1", "q_arm_y2", "EI"):
        assert name in told
