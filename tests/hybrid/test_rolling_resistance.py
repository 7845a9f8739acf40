"""Friction that rolls and turns: torques within a limit in proportion to the normal force, against closed forms."""

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork.contact.impact.problem import NoteCode
from latchwork.errors import IntegrationError
from latchwork.hybrid.contacts import impact_reset
from latchwork.hybrid.contacts.reset_requests import as_python

G, M, R = 9.81, 2.0, 0.5


def disk(friction, slope=0.0, restitution=0.0):
    """A disk on a line, in the plane."""
    model = lw.Model("disk")
    link, N = model.planar("A"), model.frame
    body = model.body("A", link, link.origin, M, lw.inertia(link.frame, zz=0.5 * M * R * R))
    model.gravity(N.vector(G * math.sin(slope), -G * math.cos(slope), 0.0))
    floor = lw.Line(model.origin, N.x, N.y)
    model.contact("floor", body.circle(R), floor, friction=friction, restitution=restitution)
    return model


def ball(friction, restitution=0.0):
    """A ball on a plane, in space."""
    model = lw.Model("ball")
    link, N, J = model.free("A"), model.frame, 0.4 * M * R * R
    body = model.body("A", link, link.origin, M, lw.inertia(link.frame, xx=J, yy=J, zz=J))
    model.gravity(-G * N.z)
    model.contact("floor", body.sphere(R), lw.Plane(model.origin, N.z), friction=friction, restitution=restitution)
    return model, J


STANDS = [0.0, 0.0, R, 1.0, 0.0, 0.0, 0.0]


def kinds(run):
    return [(event.kind, event.name) for event in run.events]


def test_a_disk_with_rolling_resistance_stops():
    """(J + m R²) ω̇ = −ρ m g: it rolls v²/2a far, stops at v/a, and rests at exactly zero."""
    run = lw.simulate(disk(lw.Coulomb(0.5, rolling=0.01)), until=30.0, q=[0.0, R, 0.0], u=[3.0, 0.0, -6.0])
    a = 0.01 * G / (1.5 * R)
    assert kinds(run) == [("stick", "floor: rolling")]
    assert run.events[0].t == pytest.approx(3.0 / a, rel=1e-10)
    assert run.x[-1, 0] == pytest.approx(9.0 / (2.0 * a), rel=1e-10)
    assert (run.x[-1, 3:6] == 0.0).all()


@pytest.mark.parametrize(("part", "rolls"), [(0.999, False), (1.001, True)])
def test_a_disk_rolls_where_the_slope_is_above_rolling_resistance(part, rolls):
    """It holds on a slope up to tan θ = ρ/R, and rolls off beyond by what is left."""
    rho, until = 0.02, 2.0
    slope = math.atan(part * rho / R)
    run = lw.simulate(disk(lw.Coulomb(0.5, rolling=rho), slope), until=until, q=[0.0, R, 0.0], u=[0.0] * 3)
    a = (math.sin(slope) - rho / R * math.cos(slope)) * G / 1.5
    assert run.events == () or kinds(run) == []
    assert run.x[-1, 0] == (pytest.approx(0.5 * a * until**2, rel=1e-9) if rolls else 0.0)


def test_a_disk_that_is_pushed_begins_to_roll_at_the_limit():
    """A force k t at its centre: it rolls where k t R = ρ m g."""
    model = disk(lw.Coulomb(0.5, rolling=0.02))
    link = model.links["A"]
    model.force(link.origin, 0.1 * model.time * model.frame.x)
    run = lw.simulate(model, until=10.0, q=[0.0, R, 0.0], u=[0.0] * 3)
    begins = 0.02 * M * G / (0.1 * R)
    assert kinds(run) == [("slide", "floor: rolling")]
    assert run.events[0].t == pytest.approx(begins, rel=1e-9)
    assert run.x[-1, 0] == pytest.approx(0.1 * (10.0 - begins) ** 3 / 6.0 / (1.5 * M), rel=1e-7)


def test_a_spinning_ball_stops_by_pivoting_friction():
    """J ω̇ = −σ m g about the normal, and nothing else moves."""
    model, J = ball(lw.Coulomb(0.5, pivoting=0.02))
    run = lw.simulate(model, until=3.0, q=STANDS, u=[0, 0, 0, 0, 0, 5.0])
    assert kinds(run) == [("stick", "floor: pivoting")]
    assert run.events[0].t == pytest.approx(5.0 * J / (0.02 * M * G), rel=1e-9)
    assert (run.x[-1, 7:13] == 0.0).all()


def test_a_ball_that_rolls_and_spins_comes_to_rest():
    """Rolling across any direction, and spin about the normal, stop by themselves, each at its time."""
    model, J = ball(lw.Coulomb(0.5, rolling=0.03, pivoting=0.02))
    v = np.array([1.0, 2.0])
    run = lw.simulate(model, until=6.0, q=STANDS, u=[*v, 0.0, -v[1] / R, v[0] / R, 1.5])
    a, fast = 0.03 * G * R * M / (J + M * R * R), math.hypot(*v)
    assert kinds(run) == [("stick", "floor: pivoting"), ("stick", "floor: rolling")]
    assert [event.t for event in run.events] == pytest.approx([1.5 * J / (0.02 * M * G), fast / a], rel=1e-8)
    assert run.x[-1, :2] == pytest.approx(v * fast / (2.0 * a), rel=1e-7)
    assert (run.x[-1, 7:13] == 0.0).all()
    assert run.audit.energy_error < 1e-8


def test_an_impact_limits_turns_as_it_does_friction():
    """Λ_τ = ρ Λ_n at most: of the spin about the normal, σ Λ_n/J is left behind; energy is lost, never gained."""
    model, J = ball(lw.Coulomb(0.0, pivoting=0.02), restitution=0.5)
    start = [0.0, 0.0, R + 0.5, 1.0, 0.0, 0.0, 0.0]
    run = lw.simulate(model, until=0.4, q=start, u=[0, 0, 0, 0, 0, 5.0])
    (hit,) = run.events
    pushed = 1.5 * M * math.sqrt(G)
    assert hit.impulses["floor"][0] == pytest.approx(pushed, rel=1e-9)
    assert hit.impulses["floor: pivoting"] == pytest.approx([-0.02 * pushed], rel=1e-9)
    assert run.x[-1, 12] == pytest.approx(5.0 - 0.02 * pushed / J, rel=1e-9)
    slow = lw.simulate(model, until=0.4, q=start, u=[0, 0, 0, 0, 0, 0.1])
    assert slow.x[-1, 12] == 0.0


def test_sweeps_that_end_early_are_noted(monkeypatch):
    """A ball that strikes the floor rolling and spinning: after one sweep impulses are lawful and gain nothing, and the
    replayed event says that they are not those of the least energy."""
    model, _ = ball(lw.Coulomb(0.4, rolling=0.02, pivoting=0.03), restitution=0.5)
    start = [0.0, 0.0, R + 0.5, 1.0, 0.0, 0.0, 0.0]
    sim = lw.Simulation(model, q=start, u=[1.0, 0.5, 0.0, 1.0, 3.0, 5.0])
    sim.advance(0.4)
    (hit,) = sim.events
    assert hit.notes == ()
    monkeypatch.setattr(impact_reset, "SWEEPS", 1)
    noted, lost = set(), 0.0

    def call(memory, x):
        nonlocal lost
        outcome, impact = as_python(memory, x), memory.scene.impact
        noted.update(NoteCode(impact.note[i].code) for i in range(impact.notes))
        lost = memory.scene.energy
        return outcome

    with pytest.raises(IntegrationError, match="other bits"):
        sim.record.resets[-1].replay(call)
    assert noted == {NoteCode.TURNS}
    assert 0.0 < lost <= hit.energy


def test_a_ball_that_bounces_to_rest_keeps_its_books():
    """Zeno bounces with rolling, pivoting and friction together: nothing is gained, and it comes to rest."""
    model, _ = ball(lw.Coulomb(0.4, rolling=0.02, pivoting=0.03), restitution=0.5)
    run = lw.simulate(model, until=6.0, q=[0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0], u=[1.0, 0.5, 0.0, 1.0, 3.0, 5.0])
    assert all(event.energy >= 0.0 for event in run.events)
    assert (run.x[-1, 7:13] == 0.0).all()
    assert run.audit.energy_error < 1e-8


def test_time_steps_keep_the_same_limits():
    """Stepped, it stops where it does by events, to the size of a step."""
    model, J = ball(lw.Coulomb(0.5, rolling=0.03, pivoting=0.02))
    v = np.array([1.0, 2.0])
    run = lw.simulate(model, until=6.0, q=STANDS, u=[*v, 0.0, -v[1] / R, v[0] / R, 1.5],
                      thick=lw.TimeStepping(step=1e-2, always=True))  # fmt: skip
    a = 0.03 * G * R * M / (J + M * R * R)
    assert run.x[-1, :2] == pytest.approx(v * math.hypot(*v) / (2.0 * a), rel=1e-4)
    assert (run.x[-1, 7:13] == 0.0).all()


def test_two_wheels_against_each_other_resist_each_other():
    """The angular velocity is that between the two: a wheel on a wheel that turns with it is not resisted."""
    model = lw.Model("wheels")
    N, made = model.frame, []
    for name in "AB":
        link = model.planar(name)
        body = model.body(name, link, link.origin, M, lw.inertia(link.frame, zz=0.5 * M * R * R))
        made.append((link, body))
        model.force(link.origin, (20.0 if name == "A" else -20.0) * N.x)
    model.contact("wheels", made[0][1].circle(R), made[1][1].circle(R), friction=lw.Coulomb(0.0, rolling=0.01))
    start = [-R, 0.0, 0.0, R, 0.0, 0.0]
    same = lw.simulate(model, until=1.0, q=start, u=[0, 0, 2.0, 0, 0, 2.0])
    assert same.x[-1, [8, 11]] == pytest.approx([2.0, 2.0], abs=1e-12)
    apart = lw.simulate(model, until=2.0, q=start, u=[0, 0, 2.0, 0, 0, 0.0])
    assert apart.events[0].t == pytest.approx(1.0 / (0.01 * 20.0 / (0.5 * M * R * R)), rel=1e-9)
    assert apart.x[-1, [8, 11]] == pytest.approx([1.0, 1.0], abs=1e-9)


def test_lengths_may_be_expressions_and_zones():
    """Rough ground from x = 1 on; and a length that a parameter gives."""
    again = lw.Model("zones")
    link, N = again.planar("A"), again.frame
    body = again.body("A", link, link.origin, M, lw.inertia(link.frame, zz=0.5 * M * R * R))
    again.gravity(-G * N.y)
    rho = again.parameter("rho", 0.01)
    x = link.q[0]
    floor = lw.Line(again.origin, N.x, N.y)
    again.contact("floor", body.circle(R), floor, friction=lw.Coulomb(0.5, rolling=lw.zones(x, [1.0], [0.0, rho])))
    run = lw.simulate(again, until=30.0, q=[0.0, R, 0.0], u=[3.0, 0.0, -6.0])
    a = 0.01 * G / (1.5 * R)
    assert run.events[0].kind == "zone"
    assert run.events[-1].t == pytest.approx(1.0 / 3.0 + 3.0 / a, rel=1e-8)


def test_files_keep_rolling_and_pivoting():
    """Written and read again: the same run."""
    model = disk(lw.Coulomb(0.5, 0.4, rolling=0.01))
    again = lw.loads(lw.dump(model))
    one, other = (lw.simulate(each, until=5.0, q=[0.0, R, 0.0], u=[3.0, 0.0, -6.0]) for each in (model, again))
    assert (one.x[-1] == other.x[-1]).all()


def test_what_resists_turns_needs_a_force_that_a_row_holds():
    """A wheel whose coordinates keep it on the ground is refused, with what to do."""
    model = lw.Model("held")
    x, turn = model.coordinates("x", "turn")
    model.speeds()
    N = model.frame
    frame = N.rotated("B", turn, N.z)
    center = model.origin.at("C", x * N.x + R * N.y)
    body = model.body("B", frame=frame, center=center, mass=M, inertia=lw.inertia(frame, zz=1.0))
    model.contact("floor", body.circle(R), lw.Line(model.origin, N.x, N.y), friction=lw.Coulomb(0.5, rolling=0.01))
    with pytest.raises(lw.ContactError, match="goes with a force that no row holds"):
        lw.simulate(model, until=1.0)


@pytest.mark.parametrize("given", [-0.1, float("nan"), "soft"])
def test_a_length_that_is_none_is_refused(given):
    """Numbers that are no lengths are refused with what they are."""
    with pytest.raises(lw.ModelError, match="length of rolling friction"):
        lw.Coulomb(0.5, rolling=given)


def test_a_disk_rolls_over_the_joint_of_two_tables():
    """Across a seam it rolls on, and stops where one table would stop it: v² (m + J/r²) r / (2 ρ N)."""
    model = lw.Model("two tables")
    N, O = model.frame, model.origin
    x, y, turn = model.coordinates("x", "y", "turn")
    frame, center = N.rotated("F", turn, N.z), O.at("C", x * N.x + y * N.y)
    disk = model.body("disk", frame=frame, center=center, mass=1.0, inertia=lw.inertia(frame, zz=0.005))
    model.gravity(-10.0 * N.y)
    for k, name in enumerate(("left", "right")):
        table = lw.Segment(O.at(f"A{k}", (k - 1.0) * N.x), O.at(f"B{k}", float(k) * N.x))
        model.contact(name, disk.circle(0.1, center), table, friction=lw.Coulomb(0.5, rolling=0.01))
    run = lw.simulate(model, 2.0, q=[-0.5, 0.1, 0.0], u=[1.0, 0.0, -10.0])
    assert run["x"][-1] == pytest.approx(0.25, abs=1e-12)
    assert run.events[-1].t == pytest.approx(1.5, abs=1e-9)
    assert (run.u[-1] == 0.0).all()
