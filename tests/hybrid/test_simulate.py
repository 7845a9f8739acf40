"""Runs of systems without constraints: closed forms, conservation, audits, what a run can be asked, and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ellipj, ellipk

import latchwork as lw
from latchwork import cos, dt, sin
from random_trees import build, random_mechanism, random_state

TIGHT = lw.DormandPrince(rtol=1e-12, atol=1e-14)


def pendulum(damping=0.0):
    """A bob of mass m on a rod of length L, swinging about N.z."""
    model = lw.Model("pendulum")
    m, L, g = model.parameters(m=2.0, L=0.7, g=9.81)
    (q1,) = model.coordinates("q1")
    model.speeds(u1=dt(q1))
    A = model.frame.rotated("A", q1, model.frame.z)
    bob = model.origin.at("bob", -L * A.y)
    model.particle("bob", bob, m)
    model.gravity(-g * model.frame.y)
    model.torsion(A, None, A.z, q1, damping=damping)
    return model


def swing(**options):
    """A short run of the pendulum."""
    return lw.simulate(pendulum(), **({"until": 1.0, "q": [0.5], "u": [0.0]} | options))


def oscillator(damping=0.0):
    """A mass on a spring along N.x, with an input that pulls it."""
    model = lw.Model("oscillator")
    m, k, c = model.parameters(m=2.0, k=8.0, c=damping)
    (x,) = model.coordinates("x")
    model.speeds(v=dt(x))
    P = model.origin.at("P", x * model.frame.x)
    model.particle("mass", P, m)
    model.spring(P, model.origin, k, damping=0.0)
    pull = model.input("pull", 0.0)
    model.force(P, (pull - c * dt(x)) * model.frame.x)
    return model


# --- closed forms -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("amplitude", [0.1, 1.0, 2.5])
def test_a_pendulum_swings_by_the_elliptic_integral(amplitude):
    """Period 4 √(L/g) K(sin² ½q0), and q(t) = 2 asin(k cd(ω t)) between samples."""
    k, w = math.sin(amplitude / 2.0), math.sqrt(9.81 / 0.7)
    period = 4.0 * ellipk(k * k) / w
    run = lw.simulate(pendulum(), until=period, q=[amplitude], u=[0.0], method=TIGHT)
    assert run.q[-1, 0] == pytest.approx(amplitude, abs=1e-9)
    assert run.u[-1, 0] == pytest.approx(0.0, abs=1e-9)
    t = np.linspace(0.0, period, 201)
    _, cn, dn, _ = ellipj(w * t, k * k)
    assert run.at(t)["q1"] == pytest.approx(2.0 * np.arcsin(k * cn / dn), abs=1e-8)


def test_a_damped_oscillator_decays():
    """x = e^(−ζ ω t) (cos ω_d t + ...), and the damper's work is in the audit."""
    run = lw.simulate(oscillator(damping=1.6), until=6.0, q=[0.3], u=[0.0], method=TIGHT)
    decay, w = 1.6 / (2 * 2.0), math.sqrt(8.0 / 2.0 - 0.16)
    true = 0.3 * np.exp(-decay * run.t) * (np.cos(w * run.t) + decay / w * np.sin(w * run.t))
    assert run["x"] == pytest.approx(true, abs=1e-11)
    assert run.audit.work == pytest.approx(run.audit.energy_end - 0.5 * 8.0 * 0.09, abs=1e-11)
    assert run.audit.work < -0.3
    assert run.audit.energy_error < 1e-11


def test_a_torsion_damper_takes_energy():
    """dE/dt = −c q̇² along the run."""
    run = lw.simulate(pendulum(damping=0.4), until=3.0, q=[1.0], u=[0.0], method=TIGHT)
    assert run.audit.energy_error < 1e-10
    assert (np.diff(run.energy) <= 1e-12).all()
    assert run.audit.energy_end < run.audit.energy_start - 1.0


@pytest.mark.parametrize("eccentricity", [0.0, 0.6])
def test_kepler_closes_its_orbit(eccentricity):
    """After 2π the planet is back, with its energy, angular momentum and the vector of Runge and Lenz."""
    model = lw.Model("planet")
    x, y = model.coordinates("x", "y")
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("planet", P, 1.0)
    r = P.position()
    model.force(P, r * (-1.0 / (x * x + y * y) ** 1.5))
    e = eccentricity
    start = [1.0 - e, 0.0], [0.0, math.sqrt((1.0 + e) / (1.0 - e))]
    run = lw.simulate(model, until=2.0 * math.pi, q=start[0], u=start[1], method=TIGHT)
    v = run.equations.velocity(P)
    spin = r.cross(v)
    lenz = v.cross(spin) - r / r.magnitude()
    assert [*run.q[-1], *run.u[-1]] == pytest.approx([*start[0], *start[1]], abs=1e-9)
    assert run[spin][:, 2] == pytest.approx(math.sqrt(1.0 - e * e), abs=1e-10)
    assert run[lenz] == pytest.approx(np.broadcast_to([e, 0.0, 0.0], (len(run.t), 3)), abs=1e-9)
    assert run.audit.energy_error < 1e-10


def satellite():
    """A free body: Euler's equations."""
    model = lw.Model("satellite")
    body = model.free("S")
    model.body("S", body.frame, body.origin, 2.0, lw.inertia(body.frame, 1.0, 2.0, 3.0))
    return model, body


def test_a_free_body_keeps_its_momenta():
    """Energy, H in N, |H|, the velocity of its centre, and quaternions of unit length, while it tumbles."""
    model, body = satellite()
    u = {"u_S_vx": 0.3, "u_S_wx": 0.1, "u_S_wy": 2.0, "u_S_wz": 0.1}
    run = lw.simulate(model, until=12.0, q=dict.fromkeys(["q_S_px", "q_S_py", "q_S_pz"], 0.0), u=u, method=TIGHT)
    H = run[run.equations.angular_momentum(body.origin)]
    assert pytest.approx(np.broadcast_to(H[0], H.shape), abs=1e-9) == H
    assert run["u_S_wy"].min() < -1.9
    assert run["q_S_px"] == pytest.approx(0.3 * run.t, abs=1e-11)
    assert run.audit.quaternion_error < 1e-10
    assert run.audit.energy_error < 1e-10


def test_a_symmetric_top_precesses():
    """ω1 + i ω2 turns at (I3 − I1) ω3 / I1 in the body."""
    model = lw.Model("top")
    ball = model.ball("B")
    model.body("B", ball.frame, ball.origin, 1.0, lw.inertia(ball.frame, 1.0, 1.0, 1.5))
    run = lw.simulate(model, until=5.0, u=[0.2, 0.0, 3.0], method=TIGHT)
    assert run["u_B_wx"] == pytest.approx(0.2 * np.cos(1.5 * run.t), abs=1e-11)
    assert run["u_B_wy"] == pytest.approx(0.2 * np.sin(1.5 * run.t), abs=1e-11)
    assert run["u_B_wz"] == pytest.approx(3.0, abs=1e-13)


# --- audits -----------------------------------------------------------------------------------------------------------


def test_prescribed_motion_does_work():
    """A pendulum on a swayed pivot: the drive's work balances the energy."""
    model = lw.Model("shaken pendulum")
    (q,) = model.coordinates("q")
    A = model.frame.rotated("A", q, model.frame.z)
    pivot = model.origin.at("pivot", 0.3 * sin(4.0 * model.time) * model.frame.x)
    model.particle("bob", pivot.at("bob", -0.7 * A.y), 2.0)
    model.gravity(-9.81 * model.frame.y)
    run = lw.simulate(model, until=5.0, q=[0.4], u=[0.0], method=TIGHT)
    assert run.audit.energy_error < 1e-9
    assert np.ptp(run.energy) > 1.0


def test_speeds_with_a_remainder_do_no_work_of_their_own():
    """u = q̇ + c(t), X ≠ 0: the pendulum's energy stays, and no work is booked."""
    model = lw.Model("odd speeds")
    (q,) = model.coordinates("q")
    model.speeds(u=dt(q) + sin(model.time))
    A = model.frame.rotated("A", q, model.frame.z)
    model.particle("bob", model.origin.at("bob", -0.7 * A.y), 2.0)
    model.gravity(-9.81 * model.frame.y)
    run = lw.simulate(model, until=3.0, q=[0.4], u=[0.0], method=TIGHT)
    plain = lw.simulate(pendulum(), until=3.0, q=[0.4], u=[0.0], method=TIGHT)
    assert run.q[-1, 0] == pytest.approx(plain.q[-1, 0], abs=1e-10)
    assert run.audit.work == 0.0
    assert run.audit.energy_error < 1e-10


def test_a_driven_constraint_does_work():
    """A bead on a rod turned at a given rate (zero=): x = x0 cosh ω t, its energy grows by the drive's work."""
    model = lw.Model("driven bead")
    x, th = model.coordinates("x", "th")
    A = model.frame.rotated("A", th, model.frame.z)
    model.speeds(v=dt(x), zero=[dt(th) - 2.0])
    model.particle("bead", model.origin.at("P", x * A.x), 3.0)
    run = lw.simulate(model, until=1.5, q=[0.1, 0.0], u=[0.0], method=TIGHT)
    assert run["x"] == pytest.approx(0.1 * np.cosh(2.0 * run.t), rel=1e-10)
    assert run["th"] == pytest.approx(2.0 * run.t, rel=1e-13)
    assert run.audit.work == pytest.approx(run.audit.energy_end - run.audit.energy_start, rel=1e-10)
    assert run.audit.work > 1.0


@pytest.mark.parametrize("seed", [2, 3, 4, 7, 14, 19])
def test_energy_balances_on_random_trees(seed):
    """E − E0 is the work of loads without potential and of what is prescribed in time."""
    mechanism = random_mechanism(seed, bodies=3)
    state = random_state(mechanism, seed)
    q, u = np.concatenate(state.q), np.concatenate(state.u)
    run = lw.simulate(build(mechanism).model, until=0.5, q=q, u=u, inputs={"effort": 1.2})
    assert run.audit.energy_error < 1e-6 * (1.0 + np.ptp(run.energy))
    assert run.audit.quaternion_error < 1e-8


def test_gravity_on_a_body_of_unknown_place_does_work():
    """A climber of which only the velocity is declared: its weight has no potential, and the balance still holds."""
    model = lw.Model("climber")
    (q,) = model.coordinates("q")
    (u,) = model.speeds(u=dt(q))
    P = model.origin.at("P", 0.0 * model.frame.x)
    P.moves(model.frame, u * model.frame.y, located=False)
    model.particle("climber", P, 2.0)
    model.gravity(-9.81 * model.frame.y)
    run = lw.simulate(model, until=1.0, q=[0.0], u=[0.0], method=TIGHT)
    assert run.audit.work == pytest.approx(0.5 * 2.0 * 9.81**2, rel=1e-12)
    assert run.audit.energy_error < 1e-10


def test_conservative_runs_book_no_work():
    """Gravity and springs have a potential: work is exactly zero."""
    run = swing()
    assert run.audit.work == 0.0
    assert not run.work.any()


# --- methods ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("rtol", [1e-5, 1e-8, 1e-11])
def test_the_error_follows_the_tolerance(rtol):
    """Error of the pendulum after a period, within a hundred tolerances, and of that order at all."""
    period = 4.0 * ellipk(math.sin(0.5) ** 2) / math.sqrt(9.81 / 0.7)
    method = lw.DormandPrince(rtol=rtol, atol=1e-3 * rtol)
    run = lw.simulate(pendulum(), until=period, q=[1.0], u=[0.0], method=method)
    assert 1e-3 * rtol < max(abs(run.q[-1, 0] - 1.0), abs(run.u[-1, 0])) < 100.0 * rtol


def test_rk4_is_of_order_four():
    """Halving the step divides the error by sixteen."""
    true = lw.simulate(pendulum(), until=1.0, q=[1.0], u=[0.0], method=TIGHT).q[-1, 0]
    errors = [abs(swing(q=[1.0], method=lw.RK4(h)).q[-1, 0] - true) for h in (0.01, 0.005, 0.0025)]
    assert np.log2(np.divide(errors[:-1], errors[1:])) == pytest.approx([4.0, 4.0], abs=0.2)


@pytest.mark.parametrize("method", [lw.RK4(0.01), lw.DormandPrince()], ids=["RK4", "Dormand-Prince"])
def test_the_same_run_has_the_same_bits(method):
    """Two models, two derivations, two runs: every sample equal bit for bit."""
    first, second = (lw.simulate(pendulum(), until=2.0, q=[1.0], u=[0.3], method=method) for _ in range(2))
    assert first.t.tobytes() == second.t.tobytes()
    assert first.x.tobytes() == second.x.tobytes()
    assert first.energy.tobytes() == second.energy.tobytes()


def test_an_audit_counts_what_a_run_cost():
    """RK4: steps, four evaluations each and one at the start."""
    audit = swing(method=lw.RK4(0.01)).audit
    assert (audit.steps, audit.rejected, audit.evaluations) == (100, 0, 401)
    assert "energy balance" in str(audit)


# --- what a run can be asked ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def run():
    return lw.simulate(pendulum(), until=1.0, q=[0.5], u=[0.2], method=TIGHT)


def test_names_and_symbols(run):
    """Coordinates, speeds, time, parameters, by name or as symbols."""
    q1, u1 = run.equations.q[0], run.equations.u[0]
    assert run["q1"].tolist() == run[q1].tolist() == run.q[:, 0].tolist()
    assert run["u1"].tolist() == run[u1].tolist() == run.u[:, 0].tolist()
    assert run["t"].tolist() == run.t.tolist()
    assert set(run["L"]) == {0.7}


def test_expressions_and_their_text(run):
    """Any expression of the model, or its text read against the whitelist."""
    q1, u1 = run.equations.q[0], run.equations.u[0]
    true = np.sin(run["q1"]) ** 2 + 0.7 * run["u1"] * run.t
    L, t = run.equations.p[1], run.equations.t
    assert run[sin(q1) ** 2 + L * u1 * t] == pytest.approx(true, abs=1e-14)
    assert run["sin(q1)**2 + L*u1*t"] == pytest.approx(true, abs=1e-14)


def test_points_vectors_and_frames(run):
    """A point gives its place in N, a vector its measures in N, a frame its direction cosines."""
    tree = run.equations.system.tree
    q = run["q1"]
    place = 0.7 * np.column_stack([np.sin(q), -np.cos(q), 0 * q])
    assert run["bob"] == pytest.approx(place, abs=1e-15)
    assert run[tree.points["bob"]] == pytest.approx(place, abs=1e-15)
    assert run[-0.7 * tree.frames["A"].y] == pytest.approx(place, abs=1e-15)
    R = run[tree.frames["A"]]
    assert R.shape == (len(run.t), 3, 3)
    assert R[:, :, 1] * -0.7 == pytest.approx(place, abs=1e-15)


def test_rates_along_the_run(run):
    """dt(q) and dt(u) are q̇ and u̇ there, as symbols and as text."""
    q1, u1 = run.equations.q[0], run.equations.u[0]
    udot = -9.81 / 0.7 * np.sin(run["q1"])
    assert run[dt(u1)] == pytest.approx(udot, abs=1e-13)
    assert run["dt(u1)"] == pytest.approx(udot, abs=1e-13)
    assert run["dt(q1)"].tolist() == run["u1"].tolist()
    assert run[dt(q1) * 2.0] == pytest.approx(2.0 * run["u1"], abs=1e-15)


def test_velocities_and_accelerations_along_the_run(run):
    """v = L q̇ and a = √((L q̈)² + (L q̇²)²) of the bob."""
    eq, bob = run.equations, run.equations.system.tree.points["bob"]
    assert np.linalg.norm(run[eq.velocity(bob)], axis=1) == pytest.approx(0.7 * abs(run["u1"]), abs=1e-14)
    true = 0.7 * np.hypot(run["dt(u1)"], run["u1"] ** 2)
    assert np.linalg.norm(run[eq.acceleration(bob)], axis=1) == pytest.approx(true, abs=1e-13)


def test_points_made_after_the_run(run):
    """A run may be asked for what nobody had thought of before."""
    tree = run.equations.system.tree
    middle = tree.origin.at("middle", -0.35 * tree.frames["A"].y)
    assert run[middle] == pytest.approx(0.5 * run["bob"], abs=1e-15)
    assert run["middle"] == pytest.approx(0.5 * run["bob"], abs=1e-15)


def test_between_samples(run):
    """run.at(t): samples are exact, times between them follow the motion."""
    assert run.at(run.t)["q1"].tolist() == run["q1"].tolist()
    t = np.linspace(0.0, 1.0, 7)
    again = lw.simulate(pendulum(), until=1.0, q=[0.5], u=[0.2], method=lw.RK4(1.0 / 600.0))
    assert run.at(t)["bob"] == pytest.approx(again["bob"][::100], abs=1e-9)
    assert run.at(t).energy == pytest.approx(run.energy[0], abs=1e-9)


def test_one_time_gives_numbers(run):
    """run.at(number): a scalar is a number, a point three, a frame nine; each is the row of an array of one."""
    now, row = run.at(0.25), run.at([0.25])
    assert [np.shape(now[what]) for what in ("t", "q1", "2*u1", "bob")] == [(), (), (), (3,)]
    assert now["q1"] == row["q1"][0]
    assert (now.q.tolist(), now.u.tolist()) == (row.q[0].tolist(), row.u[0].tolist())
    assert (now["bob"].tolist(), now.energy, now.work) == (row["bob"][0].tolist(), row.energy[0], row.work[0])
    assert (f"{now['q1']:.3f}", repr(now)) == (f"{row['q1'][0]:.3f}", repr(row))


def test_even_samples():
    """every= gives even times and the end; the audit is still that of the method's own steps."""
    even, own = swing(every=0.3), swing()
    assert even.t == pytest.approx([0.0, 0.3, 0.6, 0.9, 1.0], abs=1e-15)
    assert even["q1"] == pytest.approx(own.at(even.t)["q1"], abs=1e-15)
    assert even.audit == own.audit
    assert swing(every=0.25).t.tolist() == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert swing(every=5.0).t.tolist() == [0.0, 1.0]


def test_a_run_says_what_it_is(run):
    """The repr is one line."""
    assert repr(run) == f"<Trajectory of 'pendulum': {len(run.t)} samples, t = 0 ... 1>"


# --- inputs and parameters --------------------------------------------------------------------------------------------


def test_inputs_are_held_or_follow_laws():
    """A constant pull moves the rest to pull/k; a law in t and q is compiled with the equations."""
    held = lw.simulate(oscillator(), until=2.0, q=[0.5], u=[0.0], inputs={"pull": 4.0}, method=TIGHT)
    assert held["x"] == pytest.approx(0.5, abs=1e-13)
    model = oscillator()
    x = model.symbols["x"]
    law = lw.simulate(model, until=2.0, q=[0.5], u=[0.0], inputs={"pull": 8.0 * x + sin(model.time)}, method=TIGHT)
    assert law["x"] == pytest.approx(0.5 + (law.t - np.sin(law.t)) / 2.0, abs=1e-12)
    assert law["pull"] == pytest.approx(8.0 * law["x"] + np.sin(law.t), abs=1e-14)
    assert law.audit.energy_error < 1e-11


def test_laws_may_mention_each_other():
    """An input that follows another follows its law, not its default."""
    model = oscillator()
    scale = model.input("scale", 0.0)
    inputs = {"pull": 8.0 * model.symbols["x"] + scale, "scale": cos(model.time)}
    equations = model.equations().with_loads(lw.Force(model.points["P"], 0.0 * scale * model.frame.x))
    run = lw.simulate(equations, until=2.0, q=[0.5], u=[0.0], inputs=inputs, method=TIGHT)
    assert run["x"] == pytest.approx(0.5 + (1.0 - np.cos(run.t)) / 2.0, abs=1e-12)


def test_laws_in_a_circle_are_refused():
    """a = b, b = a has no value."""
    model = oscillator()
    scale = model.input("scale", 0.0)
    with pytest.raises(
        lw.EvaluationError, match="laws of pull, scale of 'oscillator' depend on each other in a circle"
    ):
        lw.simulate(model, until=1.0, q=[0.5], u=[0.0], inputs={"pull": scale, "scale": model.symbols["pull"]})


def test_parameters_of_a_run():
    """A run may change parameters; the model keeps its own."""
    run = lw.simulate(pendulum(), until=0.1, q=[0.5], u=[0.0], parameters={"L": 1.4})
    assert run["dt(u1)"][0] == pytest.approx(-9.81 / 1.4 * math.sin(0.5), rel=1e-14)
    assert swing()["dt(u1)"][0] == pytest.approx(-9.81 / 0.7 * math.sin(0.5), rel=1e-14)


def test_a_run_starts_when_it_is_told():
    """start= is the time of the first sample, and loads that depend on time see it."""
    model = oscillator()
    run = lw.simulate(model, start=2.0, until=3.0, q=[0.0], u=[0.0], inputs={"pull": model.time}, method=TIGHT)
    assert (run.t[0], run.t[-1]) == (2.0, 3.0)
    assert run["dt(v)"][0] == pytest.approx(1.0, rel=1e-15)


def test_progress_is_heard():
    """progress hears growing times up to the end."""
    heard = []
    swing(progress=heard.append)
    assert heard == sorted(heard)
    assert heard[-1] == 1.0


# --- refused and stopped ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"q": {"q2": 0.1}}, r"'q2' is not among the coordinates q of 'pendulum'\. Known: q1\."),
        ({"u": {"u11": 0.1}}, r"'u11' is not among the speeds u of 'pendulum'\. Did you mean 'u1'\?"),
        ({"q": [0.1, 0.2]}, r"coordinates q of 'pendulum' are 1 numbers \(q1\); got 2"),
        ({"q": [math.nan]}, r"q1 \(coordinates q\) is nan\. Give a finite number"),
        ({"u": {"u1": math.inf}}, r"u1 \(speeds u\) is inf\. Give a finite number"),
        ({"q": "ab"}, r"coordinates q of 'pendulum' must be numbers; got 'ab'"),
        ({"until": 0.0}, r"from start = 0\.0 to until = 0\.0\. Give a finite end after the start"),
        ({"until": -1.0}, r"to until = -1\.0"),
        ({"until": math.inf}, r"to until = inf"),
        ({"until": 1.0, "start": 2.0}, r"from start = 2\.0 to until = 1\.0"),
        ({"every": 0.0}, r"samples every 0\.0 s cannot be had"),
        ({"inputs": {"T": 1.0}}, r"'T' is not an input of 'pendulum'\. It has no inputs: declare one with model"),
        ({"until": "5 s"}, r"until = '5 s' is no time\. Give a number of seconds, without a unit: until=5\.0"),
        ({"start": None}, r"start = None is no time\. Give a number of seconds"),
        ({"every": "0.1 s"}, r"every = '0\.1 s' is no time\. Give a number of seconds"),
        ({"parameters": {"LL": 1.0}}, r"'LL' is not among the parameters p of 'pendulum'"),
    ],
)
def test_starts_that_make_no_sense_are_refused(options, match):
    """Which quantity, what was given, what to give."""
    with pytest.raises(lw.EvaluationError, match=match):
        swing(**options)


def test_python_functions_are_no_inputs():
    """An input is a number or an expression; the error says so."""
    with pytest.raises(lw.EvaluationError, match="input 'pull' of 'oscillator' is a Python function"):
        lw.simulate(oscillator(), until=1.0, q=[0.0], u=[0.0], inputs={"pull": math.sin})


def test_quaternions_start_with_unit_length():
    """A quaternion that is no rotation is refused; one that is left out is unturned."""
    model, _ = satellite()
    still = dict.fromkeys(["q_S_px", "q_S_py", "q_S_pz"], 0.0)
    with pytest.raises(
        lw.EvaluationError, match=r"the quaternion \(q_S_e0, .*\) starts as \[1\.0, 0\.5, .* length 1\.11803"
    ):
        lw.simulate(model, until=1.0, q=still | {"q_S_e1": 0.5})
    assert lw.simulate(model, until=1.0, q=still)["q_S_e0"].tolist()[-1] == 1.0


@pytest.mark.parametrize("what", [3, None, [1, 2]])
def test_a_run_is_asked_for_things_of_its_model(run, what):
    """Anything else is refused."""
    with pytest.raises(lw.EvaluationError, match="a run cannot be asked for"):
        run[what]


def test_unknown_names_are_refused(run):
    """With the nearest name, or the names there are."""
    with pytest.raises(lw.EvaluationError, match=r"'bobb' is not in the run of 'pendulum'\. Did you mean 'bob'\?"):
        run["bobb"]


@pytest.mark.parametrize("pick", [lambda m: m.symbols["q1"], lambda m: m.points["bob"], lambda m: m.frames["A"],
                                  lambda m: m.frames["A"].x])  # fmt: skip
def test_things_of_another_model_are_refused(run, pick):
    """A run of one model cannot be asked for symbols, points, frames or vectors of another."""
    with pytest.raises(lw.ExpressionError, match="belongs to another model that is named 'pendulum' too"):
        run[pick(pendulum())]


def test_times_outside_the_run_are_refused(run):
    """With the times there are."""
    with pytest.raises(lw.EvaluationError, match=r"t = 1\.5 lies outside the solution, which runs from 0\.0 to 1\.0"):
        run.at([0.5, 1.5])


@pytest.mark.parametrize("thing", [None, 3, "pendulum.yaml"])
def test_only_mechanisms_run(thing):
    """A mechanism is needed; the error says which forms there are."""
    with pytest.raises(lw.ModelError, match=r"cannot be run: a mechanism is needed\. Give a model"):
        lw.simulate(thing, until=1.0)


def test_nothing_cannot_run():
    """A model without coordinates has no motion."""
    with pytest.raises(lw.ModelError, match="'empty' has no coordinates, so nothing can move"):
        lw.simulate(lw.Model("empty"), until=1.0)


def runaway():
    """ẍ = 2 x³: from x = ẋ = 1 it is 1/(1 − t), infinite at t = 1."""
    model = lw.Model("runaway")
    (x,) = model.coordinates("x")
    P = model.origin.at("P", x * model.frame.x)
    model.particle("P", P, 1.0)
    model.force(P, 2.0 * x**3 * model.frame.x)
    return model


def edge():
    """A force √(1 − x) that ends at x = 1."""
    model = lw.Model("edge")
    (x,) = model.coordinates("x")
    P = model.origin.at("P", x * model.frame.x)
    model.particle("P", P, 1.0)
    model.force(P, lw.sqrt(1.0 - x) * model.frame.x)
    return model


def stopped(model, match, **options):
    """The error of a run that cannot go on."""
    with pytest.raises(lw.IntegrationError, match=match) as caught:
        lw.simulate(model, until=5.0, **options)
    return caught.value.run


def test_a_run_that_blows_up_is_kept_until_then():
    """x = 1/(1 − t) as far as it goes, with the time it stopped."""
    run = stopped(runaway(), r"'runaway': .* stopped at t = 0\.99999.* grows without bound", q=[1.0], u=[1.0])
    early = run.t < 0.9
    assert run["x"][early] == pytest.approx(1.0 / (1.0 - run.t[early]), rel=1e-7)
    assert run.t[-1] == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("method", [lw.RK4(0.01), lw.DormandPrince()], ids=["RK4", "Dormand-Prince"])
def test_a_run_over_the_edge_is_kept_until_then(method):
    """Every sample that is kept is finite, up to x = 1, and so is the audit."""
    run = stopped(
        edge(), r"'edge': .* stopped at t = 0\.7\d.* the derivative is not finite", q=[0.0], u=[1.0], method=method
    )
    assert np.isfinite(run.x).all()
    assert 0.99 < run["x"][-1] <= 1.0
    assert run.audit.energy_error < 1e-5


def test_a_run_that_cannot_start_says_so():
    """At x = 2 the force has no value at all."""
    assert stopped(edge(), r"stopped at t = 0\.0: the derivative is not finite", q=[2.0], u=[0.0]) is None


def test_a_name_is_no_method():
    """A method of integration is an object."""
    model = lw.Model("slider")
    q1 = model.coordinate("q1")
    model.particle("P", model.origin.at("P", q1 * model.frame.x), 1.0)
    with pytest.raises(lw.ModelError, match="'RK4' is no method of integration"):
        lw.simulate(model, 1.0, q=[0.0], method="RK4")
