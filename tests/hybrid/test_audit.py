"""The audit judges: what a method promises of energy and constraints, and what becomes of a run that is far off it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import latchwork as lw
from constrained_models import four_bar
from latchwork import dt, sin
from latchwork.hybrid.energy_balance import GROSS, SAFETY, allowance, allowed, displacements
from random_trees import build, random_mechanism, random_state

TURNING = {"until": 5.0, "q": {"q_crank": 0.3}, "u": {"u_crank": 6.0}}


@dataclass(frozen=True)
class Claims:
    """A method that claims a tolerance and keeps another."""

    rtol: float
    keeps: float
    atol: float = 1e-12

    def solve(self, problem):
        """Steps that are too long."""
        return lw.DormandPrince(rtol=self.keeps, atol=self.keeps).solve(problem)


def oscillator():
    """A mass of 2 kg on a spring of 8 N/m: ω = 2."""
    model = lw.Model("oscillator")
    (x,) = model.coordinates("x")
    model.speeds(v=dt(x))
    P = model.origin.at("P", x * model.frame.x)
    model.particle("mass", P, 2.0)
    model.spring(P, model.origin, 8.0)
    return model


def double_pendulum():
    """Two rods of 1 m with 1 kg at their ends: chaotic from high up."""
    model = lw.Model("double pendulum")
    a = model.revolute("a", axis=model.frame.z)
    P = a.origin.at("P", -1.0 * a.frame.y)
    b = model.revolute("b", a, at=P, axis=model.frame.z)
    model.particle("p", P, 1.0)
    model.particle("q", P.at("Q", -1.0 * b.frame.y), 1.0)
    model.gravity(-9.81 * model.frame.y)
    return model


# --- what is promised -------------------------------------------------------------------------------------------------


def test_what_errors_of_states_do_to_the_energy():
    """Of ½ m v² + ½ k x²: m |v| δ_v + ½ m δ_v² and k |x| δ_x + ½ k δ_x²."""
    energy = oscillator().equations().energy_function
    states, by = np.array([[0.0, 0.3, -0.5], [0.0, -0.1, 0.7]]), np.array([[0.02, -0.01], [-0.03, 0.04]])
    sizes = 8.0 * (np.abs(states[:, 1] * by[:, 0]) * np.sign(states[:, 1] * by[:, 0]) + 0.5 * by[:, 0] ** 2)
    speeds = 2.0 * (states[:, 2] * by[:, 1] + 0.5 * by[:, 1] ** 2)
    assert displacements(energy, states, by) == pytest.approx(np.abs(sizes) + np.abs(speeds), rel=1e-12)


@pytest.mark.parametrize("rtol", [1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("seed", [2, 3, 7, 19])
def test_runs_of_random_trees_keep_the_promise(seed, rtol):
    """The balance is off by less than the promise itself, without any safety; and that is as small as rtol."""
    mechanism = random_mechanism(seed, bodies=3)
    state, equations = random_state(mechanism, seed), build(mechanism).model.equations()
    q, u = np.concatenate(state.q), np.concatenate(state.u)
    method = lw.DormandPrince(rtol=rtol, atol=1e-3 * rtol)
    run = lw.simulate(equations, 0.5, q, u, method=method)
    states = np.column_stack([run.t, run.q, run.u, np.tile(run.rest, (len(run.t), 1))])
    units, work = np.ones(len(q) + len(u) + 1), np.abs(run.work).max()
    each = allowance(equations.energy_function, states, units, method).most
    promised = allowed(method, run.audit.steps, 1, work, each, units) / SAFETY
    size = each.gross / GROSS + work + 1.0
    assert run.audit.energy_error < promised < 2.0 * (run.audit.steps * rtol + 1e-9) * size


def test_chaos_is_held_to_the_promise_as_well():
    """A double pendulum loses its way within seconds, and keeps its energy all the same."""
    start = {"q": [2.0, 2.5], "method": lw.DormandPrince(rtol=1e-6, atol=1e-9)}
    one, other = (lw.simulate(double_pendulum(), 20.0, u=[0.0, du], **start) for du in (0.0, 1e-6))
    assert abs(one.q[-1] - other.q[-1]).max() > 0.1
    assert one.audit.energy_error < 1e-3


# --- what is caught ---------------------------------------------------------------------------------------------------


def test_a_linkage_that_is_off_by_a_hundredth():
    """Energy that is off by a hundredth at rtol = 1e-9 ends the run; the error says how much and where, and has it."""
    message = (
        r"'four-bar': the energy balance is off by .* at t = 5, and with Claims\(rtol=1e-09\) it may be off by .*: "
        r"K \+ V went from .* to .* and the work done was 0\. Most of it, .*, came between t = .* and .*, where "
        r"constraints hold \('loop\[\d\]' off by .*\)\. Take a smaller rtol, or look at these constraints\."
    )
    with pytest.raises(lw.AuditError, match=message) as found:
        lw.simulate(four_bar(), **TURNING, method=Claims(1e-9, 2e-4))
    run = found.value.run
    assert run.t[-1] == 5.0
    assert 2e-3 < run.audit.energy_error / run[run.equations.kinetic_energy].max() < 2e-2


@pytest.mark.parametrize("model", [oscillator(), double_pendulum()])
def test_a_method_that_does_not_keep_its_promise(model):
    """Steps of another tolerance than the one that is claimed."""
    start = [1.0] * len(model.equations().q)
    with pytest.raises(lw.AuditError, match="the energy balance is off by"):
        lw.simulate(model, 10.0, start, method=Claims(1e-10, 1e-3))


def test_fixed_steps_that_are_too_long():
    """RK4 blows up where ω h > 2.83; it promises nothing, and gross errors are told all the same."""
    with pytest.raises(lw.AuditError, match=r"with RK4\(step=1\.5\) it may be off by .*Take shorter steps\."):
        lw.simulate(oscillator(), 30.0, [1.0], method=lw.RK4(1.5))
    assert lw.simulate(oscillator(), 30.0, [1.0], method=lw.RK4(0.1)).audit.energy_error < 0.01


def test_warned_of_or_not_looked_at():
    """The same run with a warning, and without."""
    with pytest.warns(lw.AuditWarning, match="'oscillator': the energy balance is off by") as told:
        warned = lw.simulate(oscillator(), 30.0, [1.0], method=lw.RK4(1.5), audit="warn")
    assert told[0].filename == __file__
    assert np.array_equal(warned.x, lw.simulate(oscillator(), 30.0, [1.0], method=lw.RK4(1.5), audit="off").x)


def test_a_way_to_audit_that_is_unknown():
    """Three ways, and no other."""
    with pytest.raises(lw.ArgumentError, match=r"audit = False is no way to audit a run\. Give \"raise\", \"warn\" or"):
        lw.simulate(oscillator(), 1.0, [1.0], audit=False)


def test_it_is_judged_at_the_end_of_every_advance():
    """The first advance that is far off is refused; what was told is not told again, and the run can go on."""
    sim = lw.Simulation(oscillator(), [1.0], method=lw.RK4(0.1))
    sim.advance(3.0)
    sim.method = lw.RK4(1.5)
    with pytest.raises(lw.AuditError, match=r"Most of it, .* came between t = \d") as found:
        sim.advance(12.0)
    assert (sim.t, found.value.run.t[-1]) == (12.0, 12.0)
    sim.method = lw.RK4(0.1)
    sim.advance(13.0)
    assert sim.t == 13.0


def test_errors_of_many_advances_add_up():
    """Each piece is off by little; together they are not."""
    sim = lw.Simulation(double_pendulum(), [1.0, 1.0], method=Claims(1e-11, 1e-5))
    sim.advance(0.1)
    sim.advance(0.2)
    with pytest.raises(lw.AuditError, match="the energy balance is off by"):
        [sim.advance(0.1 * i) for i in range(3, 100)]


def test_ticks_are_not_judged():
    """A loop that cannot wait keeps nothing that could be judged."""
    sim = lw.Simulation(oscillator(), [1.0])
    for _ in range(20):
        sim.tick(1.5)
    assert sim.audit == "raise"
    assert abs(sim.q["x"]) > 10.0


def test_constraints_that_drift_far():
    """Accelerations alone do not hold a bead on its circle, where the energy tells little of it: the row is named."""
    model = lw.Model("bead")
    x, y, z = model.coordinates("x", "y", "z")
    model.speeds(u=dt(x), v=dt(y), w=dt(z))
    model.particle("bead", model.origin.at("P", x * model.frame.x + y * model.frame.y), 1.0)
    model.particle("other", model.origin.at("Q", z * model.frame.z), 100.0)
    model.constraint("circle", x**2 + y**2 - 1.0)
    with pytest.raises(lw.AuditError, match=r"'bead': constraints are not met at t = 60: off are 'circle' by .*lw\.Pr"):
        lw.simulate(model, 60.0, [1.0, 0.0, 0.0], [0.0, 1.0, 1.0], design=lw.NullSpace(basis="SVD"), method=lw.RK4(1.0))


def test_many_runs_are_judged_one_by_one():
    """Those that are far off have a reason, and nan; or a reason only."""
    equations, table = oscillator().equations(), {"x": [0.0, 1.0, 0.0, 2.0]}
    options = {"method": lw.RK4(1.5), "until": 30.0}
    refused, kept = (lw.simulate_many(equations, table, audit=way, **options) for way in ("raise", "warn"))
    assert sorted(refused.failed) == sorted(kept.doubtful) == [1, 3]
    assert refused.failed[1].startswith("the energy balance is off by")
    assert np.isnan(refused.x[[1, 3], -1]).all()
    assert np.isfinite(refused.x[[0, 2]]).all()
    assert np.isfinite(kept.x).all()
    assert not kept.failed
    assert not lw.simulate_many(equations, table, audit="off", **options).doubtful


@pytest.mark.parametrize("method", [lw.RK4(0.01), lw.DormandPrince(rtol=1e-6), Claims(1e-12, 1e-3)])
def test_many_runs_have_the_reasons_that_each_has_alone(method):
    """`simulate_many` doubts the runs that `simulate` refuses."""
    equations, starts = double_pendulum().equations(), [0.0, 0.5, 1.5, 2.5]
    found = lw.simulate_many(equations, {"q_a": starts}, 3.0, method=method, every=0.1)
    alone = []
    for i, start in enumerate(starts):
        try:
            lw.simulate(equations, 3.0, {"q_a": start}, method=method)
        except lw.AuditError:
            alone.append(i)
    assert sorted(found.failed) == alone


# --- work -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("law", ["law", "held", "linear"])
def test_a_potential_that_an_input_changes_is_none(law):
    """A spring whose end is moved by an input does work, and the balance holds."""
    model = lw.Model("moved")
    (x,), (r,) = model.coordinates("x"), model.inputs(r=0.0)
    model.speeds(v=dt(x))
    P = model.origin.at("P", x * model.frame.x)
    model.particle("mass", P, 1.0)
    model.force(P, -10.0 * (x - r) * model.frame.x, potential=5.0 * (x - r) ** 2)
    given = sin(3.0 * model.time) if law == "law" else lw.Table([0.0, 1.0, 2.0], [0.0, 1.0, 0.3], law)
    run = lw.simulate(model, 3.0, [1.0], inputs={"r": given})
    assert abs(run.audit.work) > 0.01
    assert run.audit.energy_error < 1e-6
