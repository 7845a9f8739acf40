"""Constraints that come and go while a mechanism runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from constrained_models import four_bar, slider_crank
from latchwork import dt


def two_masses():
    """Two masses on a line, coordinates x and y."""
    model = lw.Model("two masses")
    x, y = model.coordinates("x", "y")
    model.speeds(u=dt(x), v=dt(y))
    model.particle("A", model.origin.at("A", x * model.frame.x), 2.0)
    model.particle("B", model.origin.at("B", y * model.frame.x), 3.0)
    return model, x, y


def falling_rod():
    """A particle in the plane under gravity."""
    model = lw.Model("weight")
    x, y = model.coordinates("x", "y")
    model.particle("P", model.origin.at("P", x * model.frame.x + y * model.frame.y), 1.5)
    model.gravity(-9.81 * model.frame.y)
    return model, x, y


def free_bodies():
    """Two free bodies in space."""
    model = lw.Model("two bodies")
    links = [model.free(name) for name in ("one", "two")]
    for link, m in zip(links, (1.0, 2.0), strict=True):
        f = link.frame
        model.body(f"body {link.name}", link, link.origin, m, lw.inertia(f, xx=0.3 * m, yy=0.4 * m, zz=0.5 * m))
    return model, links


def test_a_coupling_is_a_plastic_impact():
    """Masses coupled in motion share their momentum; the impulse is that of the textbook."""
    model, x, y = two_masses()
    sim = lw.Simulation(model, q={"x": 0.0, "y": 1.0}, u={"u": 2.0, "v": -1.0})
    sim.advance(0.1)
    event = sim.constrain("coupling", dt(x) - dt(y))
    assert sim.u["u"] == pytest.approx((2.0 * 2.0 - 3.0) / 5.0, rel=1e-13)
    assert sim.u["v"] == pytest.approx(sim.u["u"], rel=1e-13)
    assert abs(event.impulses["coupling"][0]) == pytest.approx(3.0 * 2.0 / 5.0 * 3.0, rel=1e-12)
    assert (event.before, event.after) == ((), ("coupling",))


def test_energy_lost_is_that_of_the_change():
    """A plastic impact loses ½ δuᵀ M δu."""
    model, x, y = two_masses()
    sim = lw.Simulation(model, q={"x": 0.0, "y": 1.0}, u={"u": 2.0, "v": -1.0})
    before = np.array([*sim.u.values()])
    sim.constrain("coupling", dt(x) - dt(y))
    after = np.array([*sim.u.values()])
    M = np.diag([2.0, 3.0])
    change = after - before
    assert 0.5 * before @ M @ before - 0.5 * after @ M @ after == pytest.approx(0.5 * change @ M @ change, rel=1e-12)


def test_what_is_released_goes_on_as_it_was():
    """Nothing jumps at a release; the unconstrained motion goes on."""
    model, x, y = two_masses()
    sim = lw.Simulation(model, q={"x": 0.0, "y": 1.0}, u={"u": 2.0, "v": -1.0})
    sim.constrain("coupling", dt(x) - dt(y))
    sim.advance(1.0)
    speeds = sim.u
    sim.release("coupling")
    assert sim.u == speeds
    sim.advance(2.0)
    assert sim.u["u"] == pytest.approx(0.2, rel=1e-12)
    assert [event.name for event in sim.events] == ["coupling", "coupling"]
    assert [len(switch.after) for switch in sim.switches] == [1, 0]


def test_a_rod_breaks_where_its_tension_passes_the_limit():
    """A pendulum from the horizontal: the tension 3 m g sin θ passes the limit where the closed form says."""
    model, x, y = falling_rod()
    weight = 1.5 * 9.81
    sim = lw.Simulation(model, q={"x": 1.0, "y": 0.0})
    rod = (x**2 + y**2 - 1.0) * 0.5  # so that λ is the tension over the length
    sim.constrain("rod", rod, limit=2.0 * weight)
    sim.advance(2.0)
    (made, broken) = sim.events
    assert broken.name == "rod"
    assert broken.after == ()
    at = sim.run.at(broken.t)
    assert -at["y"] == pytest.approx(2.0 / 3.0, abs=1e-7)
    assert made.t == 0.0
    end = sim.run.at(2.0)
    flight = 2.0 - broken.t
    assert end["y"] == pytest.approx(at["y"] + at["dt(y)"] * flight - 0.5 * 9.81 * flight**2, abs=1e-6)


def test_a_weld_latches_the_pose_of_the_moment():
    """Two bodies welded in flight keep their relative pose; momentum is kept, energy is lost."""
    model, links = free_bodies()
    rng = np.random.default_rng(7)
    eq = model.equations()
    speeds = dict(zip(eq.u_names, rng.normal(size=12), strict=True))
    sim = lw.Simulation(model, q=[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0], u=speeds)
    sim.advance(0.4)
    p_before = eq.evaluate([*eq.linear_momentum().measures(model.frame), *eq.angular_momentum().measures(model.frame)],
                           list(sim.q.values()), list(sim.u.values()))  # fmt: skip
    sim.weld("tool", links[0], links[1])
    p_after = eq.evaluate([*eq.linear_momentum().measures(model.frame), *eq.angular_momentum().measures(model.frame)],
                          list(sim.q.values()), list(sim.u.values()))  # fmt: skip
    assert p_after == pytest.approx(p_before, abs=1e-10)  # quaternions are brought to unit length
    sim.advance(3.0)
    run, late = sim.run, np.linspace(0.41, 3.0, 20)
    turn = np.einsum("tki,tkj->tij", run.at(late)[links[0].frame], run.at(late)[links[1].frame])
    assert np.abs(turn - turn[0]).max() < 1e-9
    energy = run.at(late).energy
    assert np.ptp(energy) < 1e-7
    assert energy[0] < run.at(0.3).energy


def test_a_loop_can_be_closed_and_opened_in_the_run():
    """A four-bar whose loop is closed by a joint in the run moves as the one that was built with it."""
    whole = four_bar()
    q = whole.constrained().assemble({"q_crank": 0.7, "q_rocker": 1.9, "q_coupler": -0.2})
    u = whole.constrained().velocities(q, {"u_crank": 2.0})
    reference = lw.simulate(whole, until=0.5, q=list(q.values()), u=list(u.values()))
    model = four_bar(closed=False)
    sim = lw.Simulation(model, q=q, u=u)
    coupler, rocker = model.links["coupler"], model.links["rocker"]
    sim.close("revolute", "pin", coupler, rocker, at=model.points["B"], to=model.points["C"], axis=model.frame.z)
    sim.advance(0.5)
    assert sim.q["q_crank"] == pytest.approx(reference["q_crank"][-1], abs=1e-8)
    sim.release("pin")
    sim.advance(0.6)


def test_permanent_constraints_cannot_be_released():
    """A constraint of the model holds in every run."""
    sim = lw.Simulation(slider_crank((0.8, 1.3)), q={"q1": 0.4})
    with pytest.raises(lw.ConstraintError, match="'slot0' is a constraint of the model"):
        sim.release("slot0")


def test_what_does_not_hold_cannot_be_released():
    """A wrong name is answered by the right one."""
    sim = lw.Simulation(slider_crank((0.8, 1.3)), q={"q1": 0.4})
    with pytest.raises(lw.ConstraintError, match=r"'slot' does not hold now\. Did you mean 'slot0'"):
        sim.release("slot")


def test_a_name_is_used_once():
    """A constraint that holds cannot be imposed again."""
    model, x, y = two_masses()
    sim = lw.Simulation(model, q=[0.0, 1.0])
    sim.constrain("coupling", dt(x) - dt(y))
    with pytest.raises(lw.ConstraintError, match="'coupling' holds already"):
        sim.constrain("coupling", dt(x))


def test_a_position_that_is_not_met_cannot_be_imposed():
    """Constraints on coordinates must be met where they are imposed, and nothing is changed by the refusal."""
    model, x, _ = two_masses()
    sim = lw.Simulation(model, q=[0.0, 1.0])
    with pytest.raises(lw.ConstraintError, match=r"'stop' cannot be imposed at t = 0: it is off by 0\.5"):
        sim.constrain("stop", x - 0.5)
    assert sim.active == ()


def test_contradictions_are_refused_by_name():
    """Two speeds for one mass cannot be met."""
    model, x, _ = two_masses()
    sim = lw.Simulation(model, q=[0.0, 1.0])
    sim.constrain("slow", dt(x) - 1.0)
    with pytest.raises(lw.ConstraintError, match="'slow', 'fast' cannot hold together"):
        sim.constrain("fast", dt(x) - 2.0)
    assert sim.active == ("slow",)
    sim.advance(0.5)
    assert sim.u["u"] == pytest.approx(1.0)


def test_a_singular_start_needs_a_motion():
    """At a singular position at rest nobody knows the branch; in motion along one of them the run goes on."""
    top = [math.pi / 2, math.pi]
    with pytest.raises(lw.ConstraintError, match="is at a singular position and stands still"):
        lw.simulate(slider_crank(), until=1.0, q=top)
    with pytest.raises(lw.ConstraintError, match="moves as no branch of motion does"):
        lw.simulate(slider_crank(), until=1.0, q=top, u=[1.0, -1.0])
    straight = lw.simulate(slider_crank(), until=1.0, q=top, u=[1.0, -2.0])
    assert straight["q2"] + 2.0 * straight["q1"] == pytest.approx(2.0 * math.pi, abs=1e-9)
    folded = lw.simulate(slider_crank(), until=1.0, q=top, u=[1.0, 0.0])
    assert folded["q2"] == pytest.approx(math.pi, abs=1e-9)


@pytest.mark.parametrize("design", [
    lw.Embedded(), lw.Automaton(), lw.NullSpace(), lw.NullSpace(basis="QR"), lw.NullSpace(basis="Gauss"),
    lw.NullSpace(basis="zero eigenvalues"), lw.Operator(), lw.Operator(inertia="Mc'", rate="pseudoinverse"),
    lw.Operator(inertia="Mc''"), lw.Multipliers(), lw.Multipliers(alpha=10.0, beta=10.0),
    lw.Projected(lw.Multipliers()), lw.AugmentedLagrangian(),
], ids=str)  # fmt: skip
def test_all_designs_give_one_motion(design):
    """Away from singular positions the designs differ by their drift only."""
    method = lw.DormandPrince(rtol=1e-10, atol=1e-12)
    start = {"q": {"q1": 0.4}, "u": {"u1": 1.5}, "method": method}
    run = lw.simulate(slider_crank((0.8, 1.3)), until=2.0, design=design, **start)
    exact = lw.simulate(slider_crank((0.8, 1.3)), until=2.0, **start)
    assert run["q1"][-1] == pytest.approx(exact["q1"][-1], abs=1e-6)


def test_an_unknown_basis_is_answered():
    """A misspelt basis gets the right one."""
    with pytest.raises(lw.ConstraintError, match=r"there is no design 'null space by Gaus'\. Did you mean 'Gauss'"):
        lw.simulate(slider_crank((0.8, 1.3)), until=0.1, q={"q1": 0.4}, design=lw.NullSpace(basis="Gaus"))


@pytest.mark.parametrize("form", ["GGL", "index 2", "index 3"])
def test_backward_differences_follow(form):
    """The equations as a DAE, by backward differences of order two."""
    model = slider_crank((0.8, 1.3))
    start = {"until": 0.2, "q": {"q1": 0.4}, "u": {"u1": 1.5}}
    run = lw.simulate(model, design=lw.Multipliers(), method=lw.BackwardDifferences(2e-3, form), **start)
    assert run["q1"][-1] == pytest.approx(lw.simulate(model, **start)["q1"][-1], abs=1e-4)


def test_reactions_along_a_run_are_those_at_its_states():
    """Forces of joints and constraints at each sample equal those computed at that state."""
    model = four_bar()
    constrained = model.constrained(at={"q_crank": 0.7, "q_rocker": 1.9, "q_coupler": -0.2})
    run = lw.simulate(constrained, until=0.5, q={"q_crank": 0.7, "q_rocker": 1.9, "q_coupler": -0.2}, every=0.1)
    along = run.reactions()
    for i in (0, 3):
        here = constrained.reactions(run.q[i], run.u[i])
        assert along["crank"].force[i] == pytest.approx(here["crank"].force, abs=1e-8)
        assert along["loop"].lam[i] == pytest.approx(here["loop"].lam, abs=1e-8)
    with pytest.raises(lw.EvaluationError, match="no reaction named 'crak'"):
        along["crak"]


def test_a_reaction_is_zero_while_it_does_not_act():
    """The rod pulls until it breaks, then not any more."""
    model, x, y = falling_rod()
    sim = lw.Simulation(model, q={"x": 1.0, "y": 0.0})
    sim.constrain("rod", (x**2 + y**2 - 1.0) * 0.5, limit=20.0)
    sim.advance(1.0)
    run = sim.run
    lam, broken = run.reactions()["rod"].lam[:, 0], sim.events[-1].t
    assert lam[run.t < broken] == pytest.approx(3.0 * 1.5 * 9.81 * run["y"][run.t < broken], abs=1e-6)
    assert not lam[run.t > broken].any()


def test_rows_that_agree_at_first_and_not_later_are_told():
    """x = sin t and x = t say the same at t = 0, to the second derivative; later they do not."""
    model, x, _ = two_masses()
    t = model.time
    laws = [lw.Constraint("slow", x - lw.sin(t)), lw.Constraint("even", x - t)]
    with pytest.raises(lw.IntegrationError, match=r"'even' cannot be held at t = 0\.0.*make them agree") as error:
        lw.simulate(model, until=2.0, q={"x": 0.0, "y": 1.0}, constraints=laws)
    assert 0.0 < error.value.run.t[-1] < 0.1


def test_a_refused_constraint_leaves_nothing_behind():
    """What cannot be imposed does not hold afterwards, whatever the reason."""
    model, x, _ = two_masses()
    sim = lw.Simulation(model, q=[0.0, 1.0])
    sim.constrain("still", x - sim.q["x"])
    with pytest.raises(lw.ConstraintError, match="cannot hold together"):
        sim.constrain("push", dt(x) - (model.time - sim.t))
    other, z, _ = two_masses()
    with pytest.raises(lw.LatchworkError, match="two masses"):
        sim.constrain("foreign", z)
    assert other.name == "two masses"
    assert sim.active == ("still",)
    sim.advance(0.1)


def test_a_limit_that_is_passed_already_lets_go_at_once():
    """A rod that must carry more than it can breaks where it is put in."""
    model, x, y = falling_rod()
    sim = lw.Simulation(model, q=[0.0, -1.0])
    sim.constrain("rod", lw.sqrt(x * x + y * y) - 1.0, limit=1.0)
    sim.advance(1.0)
    assert sim.active == ()
    assert sim.q["y"] == pytest.approx(-1.0 - 0.5 * 9.81, rel=1e-9)


def test_the_energy_of_an_impact_is_booked():
    """The audit of a run with an impact balances: what the impact took is in the work."""
    model, x, y = falling_rod()
    sim = lw.Simulation(model, q=[0.0, 0.0], u=[3.0, 0.0])
    sim.advance(0.3)
    sim.constrain("hold", x - sim.q["x"])
    sim.advance(0.6)
    assert sim.run.audit.energy_error < 1e-9
    assert sim.run.audit.work == pytest.approx(-0.5 * 1.5 * 9.0, rel=1e-9)
    assert y.name == "y"


@pytest.mark.parametrize("limit", ["3", -1.0, 0.0, math.nan, math.inf])
def test_limits_are_positive_numbers(limit):
    """Anything else is refused by the name of the constraint."""
    model, x, _ = two_masses()
    sim = lw.Simulation(model, q=[0.0, 1.0])
    with pytest.raises(lw.ConstraintError, match="the force limit of 'stop' is"):
        sim.constrain("stop", x, limit=limit)
    assert sim.active == ()
