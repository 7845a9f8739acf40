"""Time stepping: a scheme on the rows of contacts that takes over where events come too thick."""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np
import pytest

import latchwork as lw
from latchwork.contact.time_stepping.cone_problem import ConeProblem
from latchwork.contact.time_stepping.impulses import proximal, solve_cones
from latchwork.contact.time_stepping.islands import find_profile
from latchwork.contact.time_stepping.projection import CONVEX
from latchwork.hybrid.time_stepping import near_pairs, stepped_interval
from latchwork.hybrid.time_stepping.broad_phase import ALWAYS as UNENCLOSED
from latchwork.hybrid.time_stepping.broad_phase import ROUND, BroadPhase, is_deeper
from latchwork.hybrid.time_stepping.contact_programs import GAP, MOTION, SPREAD, ContactPrograms, KnownPrograms
from latchwork.hybrid.time_stepping.settings import event_rate_of
from latchwork.program.lower import lower
from latchwork.program.native import interpret, invoke
from latchwork.program.records.memory import block_of, lay_out
from latchwork.program.restriction import restricted

ALWAYS = lw.TimeStepping(always=True)
G = 9.81


def disk(model, name, radius=0.1):
    """A disk of mass 1 that moves in the plane."""
    link = model.planar(name, q=[f"x_{name}", f"y_{name}", f"a_{name}"], u=[f"vx_{name}", f"vy_{name}", f"w_{name}"])
    light = 0.25 * radius**2
    return model.body(name, link.frame, link.origin, 1.0, lw.inertia(link.frame, light, light, 2.0 * light))


def ball(restitution=0.5, friction=0.3):
    model = lw.Model("ball")
    model.contact("floor", disk(model, "b").circle(0.1), lw.Line(model.origin, model.frame.x, model.frame.y),
                  restitution=restitution, friction=friction)  # fmt: skip
    model.gravity(-G * model.frame.y)
    return model


def incline(ratio, tilt=0.3):
    """A particle on a slope whose friction is ``ratio`` times what holds it."""
    model = lw.Model("incline")
    N = model.frame
    link = model.planar("p", q=["x", "y", "a"], u=["vx", "vy", "w"])
    body = model.body("p", link.frame, link.origin, 1.0, lw.inertia(link.frame, 0.1, 0.1, 0.1))
    along = N.x * float(np.cos(tilt)) - N.y * float(np.sin(tilt))
    across = N.x * float(np.sin(tilt)) + N.y * float(np.cos(tilt))
    model.contact("slope", body.center, lw.Line(model.origin, along, across), friction=ratio * float(np.tan(tilt)))
    model.gravity(-G * N.y)
    return model


def pile(count, friction=0.5, restitution=0.2):
    model = lw.Model(f"pile of {count}")
    N, O = model.frame, model.origin
    walls = {"floor": lw.Line(O, N.x, N.y), "left": lw.Line(O.at("left", -0.25 * N.x), N.y, N.x),
             "right": lw.Line(O.at("right", 0.25 * N.x), N.y, -N.x)}  # fmt: skip
    circles = [disk(model, f"d{i}").circle(0.1) for i in range(count)]
    law = {"restitution": restitution, "friction": friction}
    for i, circle in enumerate(circles):
        for name, wall in walls.items():
            model.contact(f"d{i} on {name}", circle, wall, **law)
        for j in range(i):
            model.contact(f"d{i} on d{j}", circle, circles[j], **law)
    model.gravity(-G * N.y)
    q = {}
    for i in range(count):
        q |= {f"x_d{i}": 0.05 * (-1.0) ** i, f"y_d{i}": 0.15 + 0.21 * i, f"a_d{i}": 0.0}
    return model, q


def gaps(run, count):
    """The least gap of a pile at any sample."""
    x, y = (np.array([run[f"{c}_d{i}"] for i in range(count)]) for c in "xy")
    found = [y - 0.1, x + 0.15, 0.15 - x]
    found += [np.hypot(x[i] - x[j], y[i] - y[j]) - 0.2 for i in range(count) for j in range(i)]
    return min(float(np.min(gap)) for gap in found)


# --- impulses ---------------------------------------------------------------------------------------------------------


def cones(rng, tangents, contacts, freedoms, blocks=1):
    """Contacts that touch one or two blocks each, of as many freedoms."""
    rows, size = contacts * (1 + tangents), freedoms // blocks
    touched = [sorted(rng.choice(blocks, min(2, blocks), replace=False).tolist()) for _ in range(contacts)]
    G = rng.normal(size=(rows, size * len(touched[0])))
    u, b = rng.normal(size=freedoms), []
    for c, some in enumerate(touched):
        own = np.concatenate([np.arange(size * k, size * (k + 1)) for k in some])
        b += (G[c * (1 + tangents) : (c + 1) * (1 + tangents)] @ u[own]).tolist()
    wide = G.shape[1] * (1 + tangents)
    return lay_out(ConeProblem, most_contacts=contacts, most_rows=rows, most_touched=contacts * len(touched[0]),
                   most_entries=G.size, n=freedoms, blocks=blocks, block_start=range(0, freedoms + 1, size),
                   contacts=contacts, tangents=[tangents] * contacts, mu=rng.uniform(0.0, 0.8, contacts),
                   least=rng.uniform(0.0, 0.1, contacts), touched=[k for some in touched for k in some],
                   touch_at=[len(touched[0]) * c for c in range(contacts + 1)],
                   entry_at=[wide * c for c in range(contacts + 1)], G=G.ravel(), b=b)  # fmt: skip


def operator(problem):
    """A = G Gᵀ, and G as one matrix."""
    start, n = np.array(problem.block_start), np.array(problem.first)
    G = np.zeros((problem.rows, problem.n))
    for c in range(problem.contacts):
        some = problem.touched[problem.touch_at[c] : problem.touch_at[c + 1]].tolist()
        own = np.concatenate([np.arange(start[k], start[k + 1]) for k in some])
        rows = np.array(problem.G[problem.entry_at[c] : problem.entry_at[c + 1]]).reshape(-1, len(own))
        G[n[c] : n[c] + len(rows), own] = rows
    return G @ G.T


@pytest.mark.parametrize("tangents", [0, 1, 2])
@pytest.mark.parametrize(("contacts", "freedoms", "blocks"), [(3, 12, 1), (12, 18, 1), (12, 18, 6), (30, 60, 20)])
def test_impulses_obey_every_law(tangents, contacts, freedoms, blocks):
    """P_n − least ⟂ w_n, P_t within the cone and against the slip, also where there are more rows than freedoms."""
    rng, near = np.random.default_rng(contacts + tangents), 1e-8 if contacts <= 12 else 1e-6
    for _ in range(10):
        problem = cones(rng, tangents, contacts, freedoms, blocks)
        invoke(solve_cones, problem)
        P, n, least = np.array(problem.impulse), np.array(problem.first), np.array(problem.least)
        w = operator(problem) @ P + np.array(problem.b)
        size = np.abs(np.array(problem.b)).max()
        assert problem.off < near
        assert (P[n] - least).min() > -1e-12
        assert w[n].min() > -10.0 * near * size
        assert np.abs((P[n] - least) * w[n]).max() < 10.0 * near * size * P.max()
        for c, i in enumerate(n):
            P_t, w_t = P[i + 1 : i + 1 + tangents], w[i + 1 : i + 1 + tangents]
            limit = problem.mu[c] * P[i]
            assert np.linalg.norm(P_t) <= limit * (1.0 + 1e-9)
            assert np.linalg.norm(np.linalg.norm(w_t) * P_t + limit * w_t) < 10.0 * near * size * P.max()


def test_convex_problems_have_the_least_energy():
    """Without friction P minimizes ½ PᵀAP + bᵀP over P ≥ least: no other choice of impulses leaves less."""
    rng = np.random.default_rng(3)
    problem = cones(rng, 0, 20, 30, 10)
    invoke(solve_cones, problem)
    A, b, P, least = operator(problem), np.array(problem.b), np.array(problem.impulse), np.array(problem.least)

    def left(P):
        return 0.5 * P @ A @ P + b @ P

    for _ in range(100):
        assert left(P) <= left(np.maximum(P + 0.1 * rng.normal(size=20), least)) + 1e-10


def column(bodies, places):
    """Bodies with two freedoms, a height and a turn, over each other without friction; each stands on so many places
    of the one below, more than two of which are redundant."""
    rng, arms = np.random.default_rng(1), np.linspace(-1.0, 1.0, places)
    rows = [[1.0, x] if k == 0 else [-1.0, -x, 1.0, x] for k in range(bodies) for x in arms]
    touched = [[k - 1, k] if k else [0] for k in range(bodies) for _ in arms]
    count, G = len(rows), [x for row in rows for x in row]
    return lay_out(ConeProblem, most_contacts=count, most_rows=count, most_touched=sum(map(len, touched)),
                   most_entries=len(G), n=2 * bodies, blocks=bodies, block_start=range(0, 2 * bodies + 1, 2),
                   contacts=count, tangents=[0] * count, mu=[0.0] * count, least=[0.0] * count,
                   touched=[k for some in touched for k in some],
                   touch_at=list(accumulate(map(len, touched), initial=0)),
                   entry_at=list(accumulate(map(len, rows), initial=0)), G=G,
                   b=1e-3 * rng.normal(size=count) - 0.01)  # fmt: skip


@pytest.mark.parametrize(("bodies", "places"), [(20, 2), (30, 3), (40, 4), (30, 6)])
def test_columns_of_redundant_contacts_take_few_steps(bodies, places):
    """Where a whole step changes no region, what is left is rounding, and no failure: all laws are met, and Newton's
    method is not begun anew."""
    problem = column(bodies, places)
    invoke(solve_cones, problem)
    P = np.array(problem.impulse)
    w = operator(problem) @ P + np.array(problem.b)
    assert problem.off < 1e-8
    assert problem.convex == 0
    assert problem.steps < 30
    assert w.min() > -1e-9
    assert np.abs(P * w).max() < 1e-8 * P.max()


def test_islands_are_solved_by_themselves():
    """A contact of its own island, beside a heap that it does not touch, has the impulse that it has alone."""
    rng = np.random.default_rng(5)
    heap, alone = cones(rng, 1, 12, 24, 8), cones(rng, 1, 1, 3, 1)
    mixed = lay_out(ConeProblem, most_contacts=13, most_rows=26, most_touched=25, most_entries=len(heap.G) + 6, n=27,
                    blocks=9, block_start=range(0, 28, 3), contacts=13, tangents=[1] * 13, mu=[*heap.mu, *alone.mu],
                    least=[*heap.least, *alone.least], touched=[*heap.touched, 8], touch_at=[*heap.touch_at, 25],
                    entry_at=[*heap.entry_at, len(heap.G) + 6], G=[*heap.G, *alone.G],
                    b=[*heap.b, *alone.b])  # fmt: skip
    for problem in (heap, alone, mixed):
        invoke(solve_cones, problem)
    assert mixed.islands > heap.islands
    assert np.array(mixed.impulse)[-2:] == pytest.approx(np.array(alone.impulse), abs=1e-7)


@pytest.mark.parametrize("tangents", [1, 2])
def test_cone_problems_have_the_same_bits_as_machine_code(tangents):
    """Sweeps and Newton's steps, with both projections, run as Python and as machine code."""
    found = []
    for run in (invoke, interpret):
        problem = cones(np.random.default_rng(4), tangents, 6, 9, 3)
        run(solve_cones, problem)
        run(proximal, problem, 0, run(find_profile, problem, 0), 0.1, CONVEX)
        found.append(block_of(problem).tobytes())
    assert found[0] == found[1]


# --- one body ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def bouncing():
    """A ball that is let fall while it moves along the floor, to rest on it in the end."""
    return lw.simulate(ball(), 2.0, q={"x_b": 0.0, "y_b": 1.1, "a_b": 0.0}, u={"vx_b": 1.0}, thick=ALWAYS)


def test_ball_bounces_and_comes_to_rest(bouncing):
    """It rests on the floor after t0 (1 + e)/(1 − e), never below it; slip has ended in rolling, v = 2/3 v0."""
    run = bouncing
    assert run["y_b"].min() > 0.1 - 1e-12
    after = run.t > 3.0 * np.sqrt(2.0 / G) + 0.01
    assert run["y_b"][after] == pytest.approx(0.1, abs=1e-12)
    assert run["vx_b"][-1] == pytest.approx(2.0 / 3.0, abs=1e-9)


def test_ball_parts_at_the_restitution_asked_for():
    """The first rebound rises to e² of the height, to the part of a step at which it met the floor."""
    run = lw.simulate(ball(0.5), 0.9, q={"x_b": 0.0, "y_b": 1.1, "a_b": 0.0}, thick=ALWAYS)
    top = run["y_b"][(run.t > 0.5)].max() - 0.1
    assert top == pytest.approx(0.25, abs=2e-6)


def test_energy_is_booked(bouncing):
    """What impacts and friction take is in the work; K + V never grows."""
    assert bouncing.audit.energy_error < 1e-11
    assert np.diff(bouncing.energy).max() < 1e-12


def test_block_sticks_without_creep():
    """At 1.001 of the friction limit it does not move by 1e-12 in 500 steps."""
    run = lw.simulate(incline(1.001), 0.5, q={"x": 0.0, "y": 0.0, "a": 0.0}, thick=ALWAYS)
    assert np.hypot(run["x"], run["y"]).max() < 1e-12


def test_block_slides_below_the_limit():
    """At 0.9 of the limit it slides with g sin φ (1 − 0.9)."""
    run = lw.simulate(incline(0.9), 0.3, q={"x": 0.0, "y": 0.0, "a": 0.0}, thick=ALWAYS)
    assert np.hypot(run["x"][-1], run["y"][-1]) == pytest.approx(0.5 * G * np.sin(0.3) * 0.1 * 0.09, rel=1e-9)


# --- the scheme -------------------------------------------------------------------------------------------------------


def pendulum():
    model = lw.Model("double pendulum")
    tip = model.origin
    link = None
    for k in (1, 2):
        link = model.revolute(f"l{k}", link, at=tip, q=[f"q{k}"], u=[f"u{k}"])
        tip = link.origin.at(f"P{k}", 1.0 * link.frame.x)
        model.particle(f"P{k}", tip, 1.0)
    model.gravity(-G * model.frame.y)
    return model


def test_scheme_is_of_second_order():
    """On a smooth mechanism half the step leaves a quarter of the error."""
    model, start = pendulum(), {"q1": 0.3, "q2": -0.4}
    exact = lw.simulate(model, 0.2, q=start).x[-1, :4]
    steps = [lw.TimeStepping(step=h, always=True) for h in (2e-3, 1e-3, 5e-4)]
    errors = [np.abs(lw.simulate(model, 0.2, q=start, thick=thick).x[-1, :4] - exact).max() for thick in steps]
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx([2.0, 2.0], abs=0.1)


def test_constraints_stay_held():
    """A permanent constraint holds at every step, at positions and at speeds."""
    model = pendulum()
    q1 = model.symbols["q1"]
    q2 = model.symbols["q2"]
    level = lw.Constraint("level", [lw.sin(q1) + lw.sin(q1 + q2) + 1.0])
    run = lw.simulate(model, 0.25, q={"q1": -0.5, "q2": 0.2}, constraints=[level], thick=ALWAYS)
    assert run.audit.constraint_error < 1e-12
    follow = lw.simulate(model, 0.25, q={"q1": -0.5, "q2": 0.2}, constraints=[level])
    assert run.x[-1, :4] == pytest.approx(follow.x[-1, :4], abs=1e-5)


def level(model, name="level", factor=1.0):
    """The tip of a double pendulum is kept on a line."""
    q1, q2 = model.symbols["q1"], model.symbols["q2"]
    return lw.Constraint(name, [factor * (lw.sin(q1) + lw.sin(q1 + q2) + 1.0)])


def test_redundant_constraints_change_nothing():
    """A constraint stated twice, so that its rows depend on each other, gives the motion of one, up to the steps."""
    model, start = pendulum(), {"q1": -0.5, "q2": 0.2}
    one = lw.simulate(model, 0.05, q=start, constraints=[level(model)], thick=ALWAYS)
    both = [level(model), level(model, "again", 2.0)]
    two = lw.simulate(model, 0.05, q=start, constraints=both, thick=ALWAYS)
    assert two.x[-1, :4] == pytest.approx(one.x[-1, :4], abs=1e-5)
    assert two.audit.constraint_error < 1e-12


def balls():
    """Two balls over each other on a plane."""
    model = lw.Model("balls")
    spheres = []
    for k in range(2):
        link = model.free(f"b{k}")
        body = model.body(f"b{k}", link.frame, link.origin, 1.0, lw.inertia(link.frame, 4e-3, 4e-3, 4e-3))
        spheres.append(body.sphere(0.1))
        model.contact(f"{k} on floor", spheres[k], lw.Plane(model.origin, model.frame.z), friction=0.4, restitution=0.3)
    model.contact("1 on 0", spheres[1], spheres[0], friction=0.4, restitution=0.3)
    model.gravity(-G * model.frame.z)
    return model


RUNS = {
    "balls": (balls, {"q_b0_px": 0.0, "q_b0_py": 0.0, "q_b0_pz": 0.1, "q_b1_px": 0.05, "q_b1_py": 0.02,
                      "q_b1_pz": 0.294}, {}, 0.02),
    "ball": (ball, {"x_b": 0.0, "y_b": 0.1003, "a_b": 0.0}, {"vx_b": 1.0}, 0.03),
    "pile": (lambda: pile(3)[0], {"x_d0": 0.0, "y_d0": 0.1, "a_d0": 0.0, "x_d1": 0.12, "y_d1": 0.2601, "a_d1": 0.0,
                                  "x_d2": -0.13, "y_d2": 0.26, "a_d2": 0.0}, {"vx_d1": -0.3}, 0.006),
}  # fmt: skip


@pytest.mark.parametrize("name", RUNS)
def test_steps_have_the_same_bits_as_machine_code(name, monkeypatch):
    """The kernel run as Python and as machine code: impacts, slip, penetration and the test for rest."""
    build, q, u, until = RUNS[name]
    compiled = lw.simulate(build(), until, q=q, u=u, thick=ALWAYS)
    reasons = []
    monkeypatch.setattr(stepped_interval, "invoke", lambda *given: reasons.append(interpret(*given)) or reasons[-1])
    read = lw.simulate(build(), until, q=q, u=u, thick=ALWAYS)
    assert reasons
    assert compiled.x.tobytes() == read.x.tobytes()


def test_disks_pass_round_a_corner_onto_an_edge():
    """Pressed against a convex corner, a disk leads round it onto the edge, wherever in a step it gets there."""
    model = lw.Model("round a corner")
    N, O = model.frame, model.origin
    ground = lw.Polyline([O.at("left", -2.0 * N.x), O, O.at("foot", -2.0 * N.y)])
    model.contact("ground", disk(model, "b").circle(0.1), ground)
    model.gravity(-100.0 * N.x - 100.0 * N.y)
    for angle in np.radians(60.0 + 0.37 * np.arange(6)):
        c, s = float(np.cos(angle)), float(np.sin(angle))
        q, u = {"x_b": 0.1 * c, "y_b": 0.1 * s, "a_b": 0.0}, {"vx_b": -1.5 * s, "vy_b": 1.5 * c}
        run = lw.simulate(model, 0.08, q=q, u=u, thick=lw.TimeStepping(2e-3, always=True))
        x, y = run["x_b"], run["y_b"]
        assert np.where(x < 0.0, y, np.hypot(x, y)).min() > 0.1 - 1e-9
        assert (x[-1], y[-1]) == (pytest.approx(-0.35, abs=0.05), pytest.approx(0.1, abs=1e-12))


# --- many contacts ----------------------------------------------------------------------------------------------------


def test_pile_of_five_comes_to_rest():
    """No penetration beyond 1e-9, energy never grows, and nothing moves in the end: events are watched again."""
    model, q = pile(5)
    run = lw.simulate(model, 2.5, q=q, thick=lw.TimeStepping(step=2e-3, always=True))
    assert gaps(run, 5) > -1e-9
    assert np.diff(run.energy).max() < 1e-9 * run.energy[0]
    assert run.audit.energy_error < 1e-9 * run.energy[0]
    assert run.audit.stepped[-1][1] < 2.5
    assert run.events[-1].kind == "time stepping"
    assert np.abs(run.u[-1]).max() < 1e-12


def test_laws_of_a_crowd_are_met_in_every_step():
    """A pile that settles meets the laws of contact to 1e-6 of the velocities in each step, and the audit says so."""
    model, q = pile(9)
    audit = lw.simulate(model, 1.0, q=q, thick=lw.TimeStepping(step=2e-3, always=True)).audit
    assert 0.0 < audit.contact_error < 1e-6
    assert f"contact laws     met to {audit.contact_error:.2g} of the velocities" in str(audit)


def test_pairs_that_are_left_out_change_no_bit(monkeypatch):
    """A pile of which only pairs that are near are made and measured, beside one of which all are: the same bits."""
    model, q = pile(7)
    thick = lw.TimeStepping(step=2e-3, always=True)
    few = lw.Simulation(model, q, thick=thick)
    few.advance(0.5)
    monkeypatch.setattr(near_pairs, "MARGIN", 1e9)
    every = lw.Simulation(model, q, thick=thick)
    every.advance(0.5)
    assert len(few.state.contacts.every) < len(every.state.contacts.every) == len(model.contacts)
    assert few.run.x.tobytes() == every.run.x.tobytes()


def balance(q, forces, count, sign):
    """What contacts exert on each disk (forces, and torque over the radius), from centres alone."""
    place = {f"d{i}": np.array([q[f"x_d{i}"], q[f"y_d{i}"]]) for i in range(count)}
    normals = {"floor": np.array([0.0, 1.0]), "left": np.array([1.0, 0.0]), "right": np.array([-1.0, 0.0])}
    total = {name: np.zeros(3) for name in place}
    for name, (across, along) in forces.items():
        a, b = name.split(" on ")
        n = normals[b] if b in normals else (place[a] - place[b]) / 0.2
        force = across * n + sign * along * np.array([n[1], -n[0]])
        total[a] += [*force, sign * along]
        if b in place:
            total[b] += [*-force, sign * along]
    return np.array(list(total.values()))


def test_rest_is_held_by_forces_within_the_cones():
    """At rest every contact that holds something sticks; its forces balance the weight, and none leaves its cone."""
    model, q = pile(5)
    sim = lw.Simulation(model, q, thick=lw.TimeStepping(step=2e-3, always=True))
    sim.advance(2.5)
    forces = sim.state.contacts.lam
    assert all(label.endswith(": stick") for label in sim.active)
    assert min(force[0] - 2.0 * abs(force[1]) for force in forces.values()) > 0.0
    assert min(np.abs(balance(sim.q, forces, 5, sign) - [0.0, G, 0.0]).max() for sign in (1.0, -1.0)) < 1e-5 * G


def test_what_rolls_is_not_at_rest():
    """However slow, a disk that rolls on a plane goes on."""
    run = lw.simulate(ball(), 0.4, q={"x_b": 0.0, "y_b": 0.1, "a_b": 0.0}, u={"vx_b": 1e-4, "w_b": -1e-3}, thick=ALWAYS)
    assert run["x_b"][-1] == pytest.approx(4e-5, rel=1e-9)


def test_friction_does_no_work_where_slip_turns():
    """A disk that is spun back comes to a halt and turns round: the energy never grows by more than rounding."""
    q, u = {"x_b": 0.0, "y_b": 0.1, "a_b": 0.0}, {"vx_b": 1.0, "w_b": 60.0}
    run = lw.simulate(ball(0.0), 1.0, q=q, u=u, thick=ALWAYS)
    assert run["vx_b"][-1] < 0.0
    assert np.diff(run.energy).max() < 1e-12


def test_fast_whips_take_shorter_steps():
    """What the midpoint rule is off stays below 1e-6 of the kinetic energy in each step; the audit tells the sum."""
    thick = lw.TimeStepping(4e-3, always=True)
    run = lw.simulate(pendulum(), 0.2, q={"q1": 0.3, "q2": -0.4}, u={"u2": 40.0}, thick=thick)
    lost, kept = run.audit.numerical
    steps = run.audit.stepped[0][2]
    assert steps > 100
    assert max(lost, kept) < 1e-6 * steps * run.energy.max()
    assert np.diff(run.energy).max() < 1e-12 * run.energy.max()


def test_two_disks_rest_where_events_lead_them():
    """One disk slides into the other, both into the wall, plastic and without friction: both ways end at one place."""
    model, _ = pile(2, friction=None, restitution=0.0)
    q = {"x_d0": -0.1, "y_d0": 0.1, "a_d0": 0.0, "x_d1": 0.13, "y_d1": 0.15, "a_d1": 0.0}
    one, other = (lw.simulate(model, 0.8, q=q, u={"vx_d1": -0.5}, thick=thick) for thick in (None, ALWAYS))
    assert other.q[-1] == pytest.approx(one.q[-1], abs=1e-9)
    assert np.abs(other.u[-1]).max() < 1e-9


# --- taking over ------------------------------------------------------------------------------------------------------


def test_stepping_takes_over_and_gives_back():
    """Bounces that come thicker and thicker are stepped through; events and audit say when."""
    run = lw.simulate(ball(), 2.0, q={"x_b": 0.0, "y_b": 1.1, "a_b": 0.0}, thick=lw.TimeStepping(most=5))
    begin, end = [event for event in run.events if event.kind == "time stepping"]
    zeno = 3.0 * np.sqrt(2.0 / G)
    assert begin.t < zeno
    assert 0.0 < end.t - begin.t < 0.1
    assert begin.after == ("time stepping",)
    assert end.after == ("floor: stick",)
    assert [(start, stop) for start, stop, _ in run.audit.stepped] == [(begin.t, end.t)]
    assert f"time stepping    from t = {begin.t:.6g} to {end.t:.6g}, 1 steps" in str(run.audit)
    assert run["y_b"][-1] == pytest.approx(0.1, abs=1e-12)


def test_what_cannot_be_followed_makes_no_more_changes_by_itself():
    """A run of few contacts that is to be stepped from an instant has no event left there; before, as many as come."""
    rate = event_rate_of(None, 2, 1.0, 6)
    assert rate.left == math.inf
    assert rate.without_events().left == 0.0


def test_many_contacts_are_stepped_by_themselves():
    """Without thick= a run of more than a dozen contacts is stepped where events come too thick, and says so."""
    model, q = pile(7)
    run = lw.simulate(model, 0.5, q=q)
    assert len(run.audit.stepped) == 1
    assert {"impact", "time stepping"} <= {event.kind for event in run.events}
    assert gaps(run, 7) > -1e-9


@pytest.mark.parametrize(("thick", "contacts", "step"), [(None, 13, 2.0**-9), (None, 12, None), (False, 13, None),
                                                         (ALWAYS, 1, 1e-3)])  # fmt: skip
def test_time_stepping_is_forced_forbidden_or_by_contacts(thick, contacts, step):
    """thick=False forbids it, thick=lw.TimeStepping() has its say, and otherwise the number of contacts does."""
    rate = event_rate_of(thick, contacts, 1.0, 6)
    assert (rate.settings.step if rate.allowed else None) == step


@pytest.mark.parametrize(("closed", "followed"), [(0, 20), (2, 18), (8, 10), (30, 1), (100, 0)])
def test_more_closed_contacts_follow_fewer_events(closed, followed):
    """Within ten steps 20/(1 + (3 k/24)²) events are followed, one more is too thick; ten steps later none counts."""
    rate = event_rate_of(None, 13, 1.0, 300)
    for _ in range(followed):
        rate = rate.count(0.0, closed)
    assert not rate.is_thick
    assert followed == 0 or rate.left < 1.0 + 1e-12
    assert rate.count(0.0, closed).is_thick
    assert not rate.count(20.0 * rate.settings.step, closed).is_thick or closed == 100


def test_few_contacts_follow_events():
    """Without thick= a run of a dozen contacts or fewer follows every event."""
    run = lw.simulate(ball(), 2.0, q={"x_b": 0.0, "y_b": 1.1, "a_b": 0.0})
    assert run.audit.stepped == ()


@pytest.mark.campaign
def test_pile_rests_by_events_and_steps():
    """Followed where events are few, stepped where they are thick, it comes to the same: rest without penetration."""
    model, q = pile(4)
    run = lw.simulate(model, 3.0, q=q, thick=lw.TimeStepping(step=2e-3, most=10))
    assert {"impact", "time stepping"} <= {event.kind for event in run.events}
    assert gaps(run, 4) > -1e-9
    assert np.diff(run.energy).max() < 1e-9 * run.energy[0]
    assert np.abs(run.u[-1]).max() < 1e-12


def test_stop_ends_a_stretch():
    """stop_when is seen at the end of the step in which it falls through zero."""
    q = {"x_b": 0.0, "y_b": 1.1, "a_b": 0.0}
    run = lw.simulate(ball(), 2.0, q=q, thick=ALWAYS, stop_when={"half": "y_b - 0.6"})
    assert run.events[-1].name == "half"
    assert 0.0 <= run.t[-1] - np.sqrt(1.0 / G) <= 1e-3


@pytest.mark.parametrize(("name", "value"), [("step", 0.0), ("step", -1.0), ("most", 0), ("calm", float("inf"))])
def test_settings_are_positive(name, value):
    """Steps and counts that mean nothing are refused."""
    with pytest.raises(lw.EvaluationError, match=f"has {name} = .*Give a positive number"):
        lw.TimeStepping(**{name: value})


def test_contacts_of_the_coordinates_are_refused():
    """A gap that the coordinates hold has no row to step with."""
    model = lw.Model("slider")
    link = model.prismatic("s", axis=model.frame.x, q=["x"], u=["v"])
    body = model.body("s", link.frame, link.origin, 1.0, lw.inertia(link.frame, 1.0, 1.0, 1.0))
    model.contact("floor", body.center, lw.Line(model.origin, model.frame.x, model.frame.y), friction=0.3)
    model.gravity(-G * model.frame.y)
    with pytest.raises(lw.IntegrationError, match="held by the coordinates themselves"):
        lw.simulate(model, 0.1, q={"x": 0.0}, u={"v": 1.0}, thick=ALWAYS)


# --- solids in steps --------------------------------------------------------------------------------------------------


def square(model, name, side=0.18):
    """A square of mass 1 that moves in the plane."""
    link = model.planar(name, q=[f"x_{name}", f"y_{name}", f"a_{name}"], u=[f"vx_{name}", f"vy_{name}", f"w_{name}"])
    light = side**2 / 12.0
    return model.body(name, link.frame, link.origin, 1.0, lw.inertia(link.frame, light, light, 2.0 * light))


@pytest.mark.parametrize("offset", [0.0, 0.0027])
@pytest.mark.parametrize("tilt", [0.0, 0.1])
def test_a_square_lands_on_one_below_whichever_side_is_nearer(offset, tilt):
    """Equal squares a little out of line, 3 mm a step: the upper one ends on the lower one, not in it."""
    model = lw.Model("two squares")
    lower, upper = (square(model, name).box((0.18, 0.18)) for name in "ab")
    floor = lw.Line(model.origin, model.frame.x, model.frame.y)
    for name, one, other in (("a on floor", lower, floor), ("b on floor", upper, floor), ("b on a", upper, lower)):
        model.contact(name, one, other, friction=0.5)
    model.gravity(-G * model.frame.y)
    q = {"x_a": 0.0, "y_a": 0.09, "a_a": 0.0, "x_b": offset, "y_b": 0.45, "a_b": tilt}
    run = lw.simulate(model, 0.6, q=q, thick=lw.TimeStepping(2e-3, always=True))
    assert run["y_b"][-1] == pytest.approx(0.27, abs=1e-3 if tilt else 1e-9)
    assert np.diff(run.energy).max() < 1e-9


@pytest.mark.parametrize("step", [1.0 / 64.0, 1.0 / 32.0])
def test_a_box_that_rocks_on_another_is_not_lifted_for_nothing(step):
    """Half over the edge of the other, dropped: penetration that long steps leave lifts it where no speed can pay for
    that; shorter steps leave none, and energy never grows."""
    model, boxes = lw.Model("stack"), []
    for name in "AB":
        link = model.planar(name)
        boxes.append(model.body(name, link, link.origin, 1.0, lw.inertia(link.frame, zz=1.0 / 6.0)).box((1.0, 1.0)))
        model.contact(f"{name} on floor", boxes[-1], lw.Line(model.origin, model.frame.x, model.frame.y),
                      friction=0.5, restitution=0.5)  # fmt: skip
    model.contact("B on A", boxes[1], boxes[0], friction=0.5, restitution=0.5)
    model.gravity(-G * model.frame.y)
    thick = lw.TimeStepping(always=True, step=step)
    run = lw.simulate(model, until=0.75, q=[0.0, 0.625, 0.0, 0.25, 1.75, 0.0], thick=thick)
    energy = np.asarray(run.energy)
    assert np.diff(energy).max() < 1e-9 * np.ptp(energy)


@pytest.mark.campaign
def test_a_tower_of_ten_stands():
    """Ten boxes dropped by a millimetre each, exactly in line, end as a tower at rest, without penetration."""
    model = lw.Model("tower")
    boxes = [square(model, f"b{k}").box((0.18, 0.18)) for k in range(10)]
    model.contact("floor", boxes[0], lw.Line(model.origin, model.frame.x, model.frame.y), friction=0.5)
    for k in range(9):
        model.contact(f"{k + 1} on {k}", boxes[k + 1], boxes[k], friction=0.5)
    model.gravity(-G * model.frame.y)
    q = {f"{c}_b{k}": {"x": 0.0, "y": 0.091 + 0.181 * k, "a": 0.0}[c] for k in range(10) for c in "xya"}
    run = lw.simulate(model, 0.5, q=q, thick=lw.TimeStepping(2e-3, always=True))
    assert [run[f"y_b{k}"][-1] for k in range(10)] == pytest.approx([0.09 + 0.18 * k for k in range(10)], abs=1e-9)
    assert np.abs(run.u[-1]).max() < 1e-12


def test_machine_code_that_arrives_is_told_by_the_places_that_it_serves():
    """Equal programs are one function in several places; where its machine code arrives, each is told once, and its
    words name it; other places keep theirs."""
    a, b, x = (lw.Model("m").input(name) for name in "abx")
    twice, other = (lower(e.graph, [e.node], [e_in]) for e, e_in in ((a * a + 3.0, a), (x * x + 5.0, x)))
    again = lower(b.graph, [(b * b + 3.0).node], [b])
    programs, known = ContactPrograms(KnownPrograms(None)), {}
    for place, program in ((MOTION, twice), (SPREAD, again), (GAP, other)):
        known[place] = programs.words((place, None), restricted(program, [0]))
    shared = programs.known.function(restricted(twice, [0]).program)
    assert programs.arrived() == []
    assert shared.compiled(wait=True)
    assert sorted(programs.arrived()) == [(MOTION, None), (SPREAD, None)]
    assert programs.arrived() == []
    for place, program in ((MOTION, twice), (SPREAD, again)):
        words = programs.words((place, None), restricted(program, [0]))
        assert words[0] == shared.entry != known[place][0]
        assert words[1:] == known[place][1:]
    assert programs.words((GAP, None), restricted(other, [0])) == known[GAP]


def test_a_crowd_at_rest_stays_in_one_step():
    """What more than a dozen contacts hold rests to the end of a default run, and of the next, by one step each, with
    places as they were; events tell since when."""
    model = lw.Model("row of boxes")
    O, N = model.origin, model.frame
    q = {}
    for k in range(12):
        name = f"b{k}"
        link = model.planar(name, q=[f"x_{name}", f"y_{name}", f"a_{name}"])
        model.body(name, link.frame, link.origin, 1.0, lw.inertia(link.frame, 0.01, 0.01, 0.02)).box((0.2, 0.2))
        q |= {f"x_{name}": 0.5 * k, f"y_{name}": 0.103 + 0.0003 * k, f"a_{name}": 0.0}
    model.collide(model.bodies, {"floor": lw.Line(O, N.x, N.y)}, friction=0.5, restitution=0.0)
    model.gravity(-G * N.y)
    sim = lw.Simulation(model, q)
    sim.advance(1.0)
    steps, rested = sim.run.audit.stepped[-1][2], sim.run.q[-1].copy()
    assert sim.run.audit.stepped[-1][1] == 1.0
    assert any("at rest from t = " in note for note in sim.events[-1].notes)
    sim.advance(5.0)
    assert sim.run.audit.stepped[-1][2] <= steps + 20
    assert not sim.run.u[-1].any()
    np.testing.assert_allclose(sim.run.q[-1], rested, rtol=0.0, atol=1e-13)


def crate_beside_a_tower(**options):
    """Three crates on each other; a fourth lands beside them, slides on and pushes the lowest: the load of the second
    passes from one to the other, which are flush."""
    model = lw.Model("tower")
    O, N = model.origin, model.frame
    q = {"y_S0": 0.5, "y_S1": 1.5, "y_S2": 2.5, "x_H": -3.0, "y_H": 1.5}
    for name in ("S0", "S1", "S2", "H"):
        link = model.planar(name, q=[f"x_{name}", f"y_{name}", f"a_{name}"], u=[f"u_{name}", f"v_{name}", f"w_{name}"])
        model.body(name, link, link.origin, 1.0, lw.inertia(link.frame, zz=1.0 / 6.0)).box((1.0, 1.0))
    model.collide(model.bodies, {"floor": lw.Line(O, N.x, N.y)}, friction=0.5, restitution=0.0)
    model.gravity(-G * N.y)
    return lw.simulate(model, 1.5, q=q, u={"u_H": 4.0}, **options)


def test_where_a_few_contacts_cannot_get_on_they_are_stepped():
    """Where a load passes from one crate to another flush with it no forces exist for an instant: the run is stepped
    from there and says so; all energy that H brought, v²/2 + g h, is lost to friction and plastic impacts."""
    run = crate_beside_a_tower()
    landed = np.sqrt(2.0 / G)
    v = 4.0 - 0.5 * G * landed  # friction of the landing takes μ of its normal impulse
    meets = landed + (v - np.sqrt(v**2 - G * (2.0 - 4.0 * landed))) / (0.5 * G)
    assert run.audit.stepped[0][0] == pytest.approx(meets, abs=1e-9)
    assert run["work"][-1] == pytest.approx(-8.0 - G, abs=1e-9)
    assert run.audit.energy_error < 1e-9
    assert not run.u[-1].any()
    assert run["x_S0"][-1] - run["x_H"][-1] > 1.0 - 1e-9
    with pytest.raises(lw.IntegrationError, match=r"not a number|without getting on"):
        crate_beside_a_tower(thick=False)


@pytest.mark.parametrize(("gap", "deeper"), [(0.3, 0), (-1e-3, 0), (-0.0999, 0), (-0.1001, 1), (-0.5, 1)])
def test_no_feature_is_deeper_than_its_shapes(gap, deeper):
    """Two balls of radius 0.2 whose centres are 0.3 apart are 0.1 deep in each other; a face or an edge of what they
    enclose that says more is met from behind. What has no enclosure may be as deep as it says."""
    broad = lay_out(BroadPhase, enclosures=2, pairs=2, most_places=2, n_out=24, radius=[0.2, 0.2], one=[0, 0],
                    other=[1, 1], pair_of=[0, 1])  # fmt: skip
    broad.kind[0], broad.kind[1] = ROUND, UNENCLOSED
    for place in (12, 15):
        broad.out[place] = 0.3
    assert interpret(is_deeper, broad, 0, gap) == invoke(is_deeper, broad, 0, gap) == deeper
    assert invoke(is_deeper, broad, 1, gap) == 0


@pytest.mark.campaign
def test_boxes_and_balls_settle_in_space():
    """Twenty in layers over a floor, a little out of line: no penetration, no energy gained, and they come lower."""
    model, q, rng = lw.Model("layers"), {}, np.random.default_rng(3)
    N, O = model.frame, model.origin
    shapes = []
    for k in range(20):
        layer, place = divmod(k, 9)
        at = np.array([0.3 * (place % 3), 0.3 * (place // 3), 0.2 + 0.3 * layer]) + rng.uniform(-0.02, 0.02, 3)
        link = model.free(f"b{k}")
        light = 0.4 * 0.1**2 if k % 2 else 0.2**2 / 6.0
        body = model.body(f"b{k}", link, link.origin, 1.0, lw.inertia(link.frame, light, light, light))
        shapes.append(body.sphere(0.1) if k % 2 else body.box((0.2, 0.2, 0.2)))
        q |= {f"q_b{k}_p{c}": float(value) for c, value in zip("xyz", at, strict=True)}
    model.collide(*shapes, lw.Plane(O, N.z), friction=0.5, restitution=0.0)
    model.gravity(-G * N.z)
    run = lw.simulate(model, 0.5, q=q)
    assert run.audit.least_gap > -1e-9
    assert np.diff(run.energy).max() < 1e-9 * run.energy[0]


def test_crowds_meet_their_laws():
    """In a hexagonal pile of eighty disks that falls between two walls every step meets the laws of contact."""
    model, rng, q, columns = lw.Model("crowd"), np.random.default_rng(1), {}, 9
    N, O = model.frame, model.origin
    dx, dy = rng.uniform(-0.01, 0.01, (2, 80))
    shapes = []
    for k in range(80):
        row, along = divmod(k, columns)
        link = model.planar(f"b{k}", q=[f"x{k}", f"y{k}", f"a{k}"], u=[f"vx{k}", f"vy{k}", f"w{k}"])
        body = model.body(f"b{k}", link.frame, link.origin, 1.0, lw.inertia(link.frame, 0.0025, 0.0025, 0.005))
        shapes.append(body.circle(0.1))
        q[f"x{k}"] = 0.27 * (along - 4.0) + dx[k] + (0.0625 if row % 2 else -0.0625)
        q[f"y{k}"] = 0.15 + 0.25 * row + dy[k]
    walls = [lw.Line(O.at(f"side {side}", -side * 1.35 * N.x), N.y, side * N.x) for side in (1.0, -1.0)]
    model.collide(*shapes, lw.Line(O, N.x, N.y), *walls, friction=0.5, restitution=0.0)
    model.gravity(-9.81 * N.y)
    run = lw.simulate(model, 0.7, q, thick=lw.TimeStepping(step=2e-3, always=True))
    assert run.audit.contact_error < 2e-6
    assert run.audit.least_gap > -1e-11
