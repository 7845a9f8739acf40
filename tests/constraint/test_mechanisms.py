"""Mechanisms of the gallery against independent references, along whole runs."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork.view import gallery
from references import andrews, bricard, governor, iftomm, rolling, slider_crank

TIGHT = lw.DormandPrince(rtol=1e-11, atol=1e-12)


def example(name):
    return gallery.load(name).module


@pytest.mark.parametrize("copies", [1, 3])
def test_slider_crank_follows_the_exact_equation(copies):
    """Through a score of singular positions θ, θ̇ and the constraint force are those of one degree of freedom."""
    module, exact = example("aghili_slider_crank"), slider_crank.SliderCrank()
    run = module.run(module.build(copies), until=10.0)
    theta, rate = exact.solve()(run.t)
    assert np.abs(run["q1"] - theta).max() < 1e-7
    assert np.abs(run["u1"] - rate).max() < 1e-6
    eq = run.equations
    force = [run[sum((eq.M[i, j] * lw.dt(u) for j, u in enumerate(eq.u)), start=-eq.f[i])] for i in (0, 1)]
    expected = np.array([exact.constraint_force(*state) for state in zip(run["q1"], run["u1"], strict=True)])
    assert np.abs(np.column_stack(force) - expected).max() < 1e-5


@pytest.mark.parametrize("tolerance", [1e-10, 1e-11, 1e-12, 1e-13])
def test_singular_positions_do_not_stop_the_steps(tolerance):
    """However sharp the tolerance, ten seconds take their steps, few of them rejected, and errors fall with it."""
    module = example("aghili_slider_crank")
    start = {"q1": module.START, "q2": 2 * np.pi - 2 * module.START}
    run = lw.simulate(module.build(), 10.0, q=start, method=lw.DormandPrince(rtol=tolerance, atol=tolerance))
    assert run.audit.rejected < 60
    assert abs(run["q1"][-1] - slider_crank.REFERENCE_END[0]) < max(1000 * tolerance, 2e-9)


def test_andrews_follows_the_reference():
    """All angles at 0.01, 0.02 and 0.03 s to 1e-8 and better, all speeds at the end to 1e-9 of their size."""
    module = example("andrews_squeezer")
    run = module.run(module.build())
    names = list(module.END)
    for t in (0.01, 0.02):
        q, _ = andrews.solve(t, rtol=1e-10, pieces=4)
        assert [run.at(t)[name] for name in names] == pytest.approx(q, abs=1e-8)
    assert [run[name][-1] for name in names] == pytest.approx(andrews.REFERENCE_Q, abs=1e-10)
    assert [run[f"u_{name}"][-1] for name in names] == pytest.approx(andrews.REFERENCE_U, rel=1e-9)


def test_pendulum_follows_elliptic_functions():
    """x, y and their rates over 10 s to 1e-9."""
    module = example("iftomm_a01_pendulum")
    run = module.run(module.build(), until=10.0)
    got = np.array([run[name] for name in ("x", "y", "vx", "vy")])
    assert np.abs(got - iftomm.pendulum(run.t)).max() < 1e-9


@pytest.mark.parametrize(("windows", "until"), [(2, 10.0), (7, 3.0)])
def test_windows_follow_the_exact_equation(windows, until):
    """The uprights turn as one rod, through the flat position, to 1e-7; the energy is that of the reference."""
    module = example("iftomm_a02_four_bars")
    run = module.run(module.build(windows), until=until)
    angle, rate = iftomm.four_bar(windows, until)(run.t)
    assert np.abs(run["q0"] - angle).max() < 1e-7
    assert np.abs(run["u0"] - rate).max() < 1e-6
    assert run.energy[0] == pytest.approx(iftomm.four_bar_energy(windows, angle[0], rate[0]))


def test_bricard_follows_the_reference():
    """Angles over 1 s to 1e-9."""
    module, reference = example("iftomm_a04_bricard"), bricard.Bricard()
    run = module.run(module.build(), until=1.0)
    times = np.linspace(0.0, 1.0, 6)
    assert np.abs(run.at(times).q - reference.solve(times)[:, :5]).max() < 1e-9


@pytest.mark.parametrize("hinges", ["joints", "constraints"])
def test_governor_follows_its_curve(hinges):
    """s every 0.1 s over 10 s to 1e-10, with the rods on joints and with the rods on constraints."""
    module = example("iftomm_a05_governor")
    run = module.run(module.build(hinges), until=10.0)
    t, s = governor.reference()
    assert np.abs(run.at(t)["s"] - s).max() < 1e-10


def rolls_as(run, body, state, frame, times):
    """The largest difference of γ, and of ω, from the reference."""
    expected = rolling.solve(body, *state, times)
    samples = run.at(times)
    gamma = samples[frame][:, 2]
    omega = np.column_stack([samples[name] for name in ("w1", "w2", "w3")])
    return np.abs(gamma - expected[:, :3]).max(), np.abs(omega - expected[:, 3:]).max()


def test_disk_rolls_as_newton_and_euler_say():
    """Tilt and angular velocity over 3 s to 1e-7 at 1 kHz; over 8 s the integrals of Appell and Korteweg are kept."""
    module, disk = example("rolling_disk"), rolling.Disk()
    model = module.build()
    run = module.run(model)
    state = disk.state(0.9, 1.5, -2.0, 0.8)
    assert max(rolls_as(run, disk, state, model.frames["disk"], np.linspace(0.0, 3.0, 31))) < 1e-7
    end = run.at(8.0)
    gamma = end[model.frames["disk"]][2]
    assert disk.momenta(gamma, end.u[3:]) == pytest.approx(disk.momenta(*state), abs=1e-6)


def test_rattleback_rolls_as_newton_and_euler_say():
    """Tilt and angular velocity over half a second, to 1e-7; then its spin, until it has turned back."""
    module, stone = example("rattleback"), rolling.Rattleback()
    model = module.build()
    run = module.run(model)
    assert max(rolls_as(run, stone, stone.state(), model.frames["stone"], np.linspace(0.0, 0.5, 11))) < 1e-7
    assert run.at([1.0, 2.0, 3.0, 4.0])["w3"] == pytest.approx(module.SPIN, abs=1e-6)


def test_four_bar_runs_as_its_direct_equations():
    """Recombined on line, and derived directly in the crank's speed: the same motion over 3 s to 1e-8."""
    module = example("four_bar")
    model = module.build()
    start = model.constrained().start({"q1": 0.0, "q2": 1.0, "q3": 2.0}, {"u1": 6.0})
    run = lw.simulate(model, 3.0, q=start.q, u=start.u, method=TIGHT)
    direct = model.constrained(independent=["u1"]).equations
    expected = lw.simulate(direct, 3.0, q=start.q, u=start.u[:1], method=TIGHT)
    times = np.linspace(0.0, 3.0, 31)
    assert np.abs(run.at(times).q - expected.at(times).q).max() < 1e-8


@pytest.mark.parametrize("name", ["four_bar", "rolling_disk", "rattleback"])
def test_fixed_steps_converge_to_fourth_order(name):
    """With constraints embedded RK4 keeps its order: half the step, a sixteenth of the error, or less."""
    module = example(name)
    model = module.build()
    first = module.run(model, until=0.01)
    q, u = first.at(0.0).q, first.at(0.0).u

    def end(method):
        return lw.simulate(model, 0.3, q=q, u=u, method=method).x[-1, :-1]

    exact = end(lw.DormandPrince(rtol=1e-12, atol=1e-13))
    coarse, fine = (np.abs(end(lw.RK4(h)) - exact).max() for h in (2e-3, 1e-3))
    assert coarse / fine > 12.0
