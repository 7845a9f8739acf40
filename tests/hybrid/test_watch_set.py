"""What sleeps never touches: runs in which far contacts sleep have the events of runs that watch everything."""

from __future__ import annotations

import math
import pickle
from contextlib import suppress
from functools import cache

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork.contact import construction
from latchwork.contact.narrow_phase import convex_pairs
from latchwork.hybrid import stepper_flow
from latchwork.hybrid.contacts import sleeping_contacts, watch_set
from latchwork.hybrid.flow_memory import FlowMemory
from random_scenes import scene as random_scene
from switching_scenes import asleep

EXACT = lw.DormandPrince(rtol=1e-12, atol=1e-13)


def watch_all(monkeypatch):
    """From now on, nothing sleeps, and all features of solids are made."""
    monkeypatch.setattr(sleeping_contacts, "FEWEST", 10**9)
    monkeypatch.setattr(construction, "EAGER", 10**9)


def balls(n, seed=1, restitution=0.9, friction=None, gravity=0.0, radius=0.3, still=False):
    """Disks in a box of four walls, each with a contact with each: the model and a start."""
    model, rng = lw.Model("balls"), np.random.default_rng(seed)
    N, O = model.frame, model.origin
    k = math.ceil(math.sqrt(n))
    side, q, u, shapes = 1.6 * k, {}, {}, []
    symbols = [model.coordinates(f"x{i}", f"y{i}", f"a{i}") for i in range(n)]
    model.speeds()
    model.gravity(-gravity * N.y)
    for i, (x, y, a) in enumerate(symbols):
        center = O.at(f"C{i}", x * N.x + y * N.y)
        body = model.body(f"b{i}", N.rotated(f"B{i}", a, N.z), center, 1.0, lw.inertia(N, zz=0.05))
        shapes.append(body.circle(radius, center))
        place = (np.array([i % k, i // k]) + 0.5) * side / k + rng.uniform(-0.2, 0.2, 2)
        q |= {f"x{i}": place[0], f"y{i}": place[1], f"a{i}": 0.0}
        u |= {} if still else dict(zip((f"u_x{i}", f"u_y{i}"), rng.normal(size=2) * 2.0, strict=True))
    laws = {"restitution": restitution, "friction": friction}
    for i in range(n):
        for j in range(i):
            model.contact(f"{j} on {i}", shapes[j], shapes[i], **laws)
    corners = [O, *(O.at(f"W{i}", side * v) for i, v in enumerate((N.x, N.x + N.y, N.y)))]
    for w, (d, normal) in enumerate(((N.x, N.y), (N.y, -N.x), (-N.x, -N.y), (-N.y, N.x))):
        for i in range(n):
            wall = lw.Segment(corners[w], corners[(w + 1) % 4], normal) if w % 2 else lw.Line(corners[w], d, normal)
            model.contact(f"{i} at wall {w}", shapes[i], wall, **laws)
    return model, q, u


def same(a, b, times=1e-9):
    """Two runs have the same events and the same modes."""
    told, others = ([(e.kind, e.name, e.before, e.after) for e in run.events] for run in (a, b))
    assert told == others
    assert [e.t for e in a.events] == pytest.approx([e.t for e in b.events], abs=times)
    assert a.x[-1] == pytest.approx(b.x[-1], abs=1e-7)
    assert [span.names for span in a.modes] == [span.names for span in b.modes]


@pytest.mark.parametrize("laws", seeds([{"friction": 0.3}, {"gravity": 5.0, "restitution": 0.5, "still": True}], [{}]))
def test_balls_meet_as_if_all_were_watched(monkeypatch, laws):
    """Events, modes and the last state are those of watching every pair; most pairs sleep meanwhile."""
    model, q, u = balls(9, **laws)
    sim = lw.Simulation(model, q, u, method=EXACT)
    awake = []
    for t in np.linspace(0.1, 0.8, 8):
        sim.advance(t)
        awake.append(sum(sim.places.values()))
    watch_all(monkeypatch)
    other = lw.Simulation(model, q, u, method=EXACT)
    other.advance(0.8)
    same(sim.run, other.run)
    assert len(sim.events) > 5
    assert len(sim.switches) == len(other.switches)
    assert sum(awake) < 0.5 * len(awake) * sum(other.places.values())


def test_few_contacts_are_all_watched():
    """With fewer features than it pays for, nothing sleeps, nothing is computed for it, and legs have no end."""
    model, q, u = balls(2)
    sim = lw.Simulation(model, q, u)
    sim.advance(0.5)
    assert sum(sim.places.values()) < sleeping_contacts.FEWEST
    assert sim.world.watch_set.bounds is None
    assert not sim.state.sleeping.sleeps
    assert not sim.state.contacts.asleep


def test_what_is_pulled_from_rest_is_met_in_time(monkeypatch):
    """Where nothing moves at the start, no pace tells when: the path is checked, and run again if it went too far."""
    model, q, u = balls(6, still=True, gravity=50.0, restitution=0.0)
    run = lw.simulate(model, until=0.6, q=q, u=u, method=EXACT)
    watch_all(monkeypatch)
    same(run, lw.simulate(model, until=0.6, q=q, u=u, method=EXACT))
    assert run.audit.least_gap > -1e-9


@pytest.mark.parametrize("above", [0.0, 6e-17, 2e-10])
def test_what_rests_to_begin_with_is_closed(above):
    """Where nothing moves, no pace tells of what touches but for rounding: it is awake, and no impact is told of."""
    model = lw.Model("row")
    N, O = model.frame, model.origin
    symbols = [model.coordinates(f"x{i}", f"y{i}") for i in range(sleeping_contacts.FEWEST)]
    model.speeds()
    model.gravity(-9.81 * N.y)
    for i, (x, y) in enumerate(symbols):
        center = O.at(f"C{i}", x * N.x + y * N.y)
        model.contact(f"{i}", model.body(f"b{i}", N, center, 1.0).circle(0.3), lw.Line(O, N.x, N.y), restitution=0.5)
    run = lw.simulate(model, 0.1, q={str(q): float(i) if k == 0 else 0.3 + above
                                     for i, pair in enumerate(symbols) for k, q in enumerate(pair)})  # fmt: skip
    assert not run.events
    assert [len(mode.names) for mode in run.modes] == [sleeping_contacts.FEWEST]


def test_samples_are_those_of_all_steps():
    """Runs that keep samples only check every step all the same, and keep the samples that were asked for."""
    model, q, u = balls(7)
    run, kept = (lw.simulate(model, until=0.5, q=q, u=u, every=0.07, keep=keep, method=EXACT)
                 for keep in ("steps", "samples"))  # fmt: skip
    assert kept.t == pytest.approx(run.t, abs=1e-12)
    assert kept.x == pytest.approx(run.x, abs=1e-9)
    assert [e.t for e in kept.events] == pytest.approx([e.t for e in run.events], abs=1e-10)


def test_fixed_steps_stay_on_their_grid(monkeypatch):
    """Legs end on steps of a method whose steps are fixed: states are those of watching everything."""
    model, q, u = balls(7, gravity=3.0)
    run = lw.simulate(model, until=0.3, q=q, u=u, method=lw.RK4(1e-3))
    watch_all(monkeypatch)
    other = lw.simulate(model, until=0.3, q=q, u=u, method=lw.RK4(1e-3))
    same(run, other)
    assert len(run.t) == len(other.t)


def test_ticks_wake_what_comes_near(monkeypatch):
    """A loop of ticks has the events of one that watches everything."""
    model, q, u = balls(7)

    def ticked():
        sim = lw.Simulation(model, q, u, method=lw.RK4(2e-3))
        return [(event.t, event.name) for _ in range(400) for event in sim.tick(2e-3)], sim

    events, sim = ticked()
    assert sim.state.contacts.asleep or sum(sim.places.values()) < len(model.contacts)
    watch_all(monkeypatch)
    others, _ = ticked()
    assert [name for _, name in events] == [name for _, name in others]
    assert [t for t, _ in events] == pytest.approx([t for t, _ in others], abs=1e-9)
    assert len(events) > 3


STEP = 2.0**-8  # sums of it are exact


def begun(method):
    """Eight balls in a box, most pairs of which sleep."""
    model, q, u = balls(8, gravity=2.0)
    return lw.Simulation(model, q, u, method=method)


def reached(sim, events=None):
    """All bits of where a simulation stands, what sleeps there, and how it came there."""
    told = tuple((event.t, event.name, event.after) for event in (sim.events if events is None else events))
    return sim.t, sim.x.tobytes(), [(rooms.room.tobytes(), rooms.until) for rooms in sim.state.sleeping.rooms], told


def in_one_go(method, until):
    sim = begun(method)
    sim.advance(until)
    return reached(sim)


def in_pieces(method, until):
    sim = begun(method)
    for t in np.arange(0.0, until + STEP, 16 * STEP):
        sim.advance(t)
    return reached(sim)


def by_ticks(method, until):
    sim = begun(method)
    return reached(sim, [event for _ in range(round(until / STEP)) for event in sim.tick(STEP)])


def put_away(method, until):
    """Piece by piece, each by a simulation of its own from the state of the last, which is pickled."""
    sims = [begun(method)]
    for t in np.linspace(0.0, until, 9)[1:]:
        sims.append(begun(method))
        sims[-1].state = pickle.loads(pickle.dumps(sims[-2].state))
        sims[-1].advance(t)
    return reached(sims[-1], [event for sim in sims for event in sim.events])


@pytest.mark.parametrize("way", [in_pieces, by_ticks, put_away])
def test_what_was_seen_is_part_of_the_state(way):
    """Whether a run of fixed steps ends and goes on on its way, is ticked, or goes on in other simulations by pickled
    states, it looks at what sleeps at the same times: the same bits, also of the rooms that are left."""
    whole = in_one_go(lw.RK4(STEP), 2.0)
    assert way(lw.RK4(STEP), 2.0) == whole
    assert len(whole[-1]) > 8
    assert whole[2][1][0]


@pytest.mark.parametrize("method", seeds([EXACT], [EXACT, None, lw.RK4(STEP)]))
@pytest.mark.parametrize("stops", ["at every event", "where modes are forgotten"])
def test_events_do_not_end_what_was_seen(stops, method, monkeypatch):
    """Machine code goes on through events while others sleep, with the bits of coming back at each, or wherever a mode
    is met: it is looked where time or rooms are used up, and nowhere else."""
    looks, see = [], watch_set.WatchSet.see
    monkeypatch.setattr(watch_set.WatchSet, "see", lambda *given: looks.append(float(given[3][0])) or see(*given))
    whole, times = in_one_go(method, 6.0), looks.copy()
    looks.clear()
    if stops == "at every event":
        monkeypatch.setattr(stepper_flow, "CHANGES", 0)
    else:
        enter = FlowMemory.enter
        monkeypatch.setattr(FlowMemory, "enter", lambda memory, *given: memory.forget() or enter(memory, *given))
    assert in_one_go(method, 6.0) == whole
    assert looks == times
    assert not {event[0] for event in whole[-1]} & {*times}


@pytest.mark.parametrize("seed", seeds(range(20000, 20006), range(20000, 20400)))
def test_events_of_random_scenes_do_not_end_what_was_seen(seed, monkeypatch):
    """Random scenes in which all sleeps that can: the bits of machine code that comes back at every event."""

    def played():
        s = random_scene(seed)
        sim = lw.Simulation(s.model, q=s.q, u=s.u, inputs=s.inputs, method=s.method)
        with suppress(lw.IntegrationError):
            sim.advance(s.until)
        return reached(sim)

    asleep(monkeypatch)
    whole = played()
    monkeypatch.setattr(stepper_flow, "CHANGES", 0)
    assert played() == whole


def test_time_stepping_looks_at_all(monkeypatch):
    """A run that is stepped from the start is the same to the last bit, whatever slept before."""
    model, q, u = balls(6, gravity=9.8, restitution=0.0, friction=0.4)
    stepped = lw.TimeStepping(step=2e-3, always=True)
    run = lw.simulate(model, until=0.3, q=q, u=u, thick=stepped)
    watch_all(monkeypatch)
    assert (run.x == lw.simulate(model, until=0.3, q=q, u=u, thick=stepped).x).all()


def test_thick_events_are_stepped_through():
    """A pile that settles goes over to time stepping and back with contacts that slept."""
    model, q, u = balls(5, gravity=9.8, restitution=0.3, still=True)
    run = lw.simulate(model, until=1.2, q=q, u=u, thick=lw.TimeStepping(step=1e-3, most=8, calm=10))
    assert any(event.kind == "time stepping" for event in run.events)
    assert run.audit.least_gap > -1e-9
    assert run.audit.energy_error < 1e-6


def test_a_jump_of_coordinates_wakes(monkeypatch):
    """A rule that puts a ball elsewhere wakes what is near there, before anything is decided."""

    def jumping():
        model, q, u = balls(7)
        model.rule("jump", 0.11 - model.time, reset={"x0": "4.3", "y0": "4.2"}, once=True)
        return lw.simulate(model, until=0.5, q=q, u=u, method=EXACT)

    run = jumping()
    watch_all(monkeypatch)
    same(run, jumping())


def one_row(r):
    """Eight disks of radius r in a row, each with a contact with each; the first may fly into the others."""
    model = lw.Model("one row")
    r, s = model.parameters(r=r, s=0.1)
    symbols = model.coordinates(*(f"x{i}" for i in range(8)))
    model.speeds()
    N, O = model.frame, model.origin
    shapes = []
    for i, x in enumerate(symbols):
        center = O.at(f"C{i}", x * N.x)
        shapes.append(model.body(f"b{i}", N, center, 1.0).circle(s if i == 7 else r, center))
    for i in range(8):
        for j in range(i):
            model.contact(f"{j} on {i}", shapes[j], shapes[i], restitution=1.0)
    return model, {f"x{i}": 1.0 * i for i in range(8)}, {"u_x0": 3.0}


def test_other_lengths_in_the_run_wake():
    """Bounds are those of the model; shapes that have other lengths in a run are watched throughout: closed forms."""
    model, q, u = one_row(0.1)
    for r in (0.4, 0.1):
        run = lw.simulate(model, until=2.0, q=q, u=u, parameters={"r": r, "s": r}, method=EXACT)
        assert [event.name for event in run.events] == [f"{i} on {i + 1}" for i in range(7)]
        times = [(1.0 - 2.0 * r) / 3.0 * (i + 1) for i in range(7)]
        assert [event.t for event in run.events] == pytest.approx(times, abs=1e-9)


def test_lengths_that_change_while_a_run_goes_on_wake():
    """As a slider does it: disks that slept are met by the radius that they have now, be it of one of them."""
    model, q, u = one_row(0.1)
    for name in ("r", "s"):
        sim = lw.Simulation(model, q, u, method=EXACT)
        sim.advance(0.05)
        assert sum(sim.places.values()) < 28
        rest = sim.state.rest.copy()
        rest[[symbol.name for symbol in (*sim.equations.r, *sim.equations.p)].index(name)] = 0.4
        sim.state = sim.state.but(rest=rest, settled=False)
        sim.advance(2.0)
        apart = [0.2 if name == "r" else 0.8] * 6 + [0.5]
        assert [event.name for event in sim.events] == [f"{i} on {i + 1}" for i in range(7)]
        assert [event.t for event in sim.events] == pytest.approx(np.cumsum(apart) / 3.0, abs=1e-9)


def test_sleeping_contacts_can_be_removed_and_reshaped():
    """What sleeps, or was never made, is known by name, and is changed like any other."""
    model, q, u = balls(7)
    sim = lw.Simulation(model, q, u)
    sim.advance(0.01)
    asleep = next(
        c
        for c in sim.state.contacts.members
        if c not in {contact_point.contact for contact_point in sim.state.contacts.contact_points}
    )
    with pytest.raises(lw.ModelError, match=r"has a contact or constraint named .* already"):
        sim.contact(asleep.name, *asleep.shapes)
    sim.reshape(asleep.name, lw.Line(model.origin, model.frame.x, model.frame.y))
    sim.remove(asleep.name)
    sim.advance(0.1)
    assert asleep.name not in [contact.name for contact in sim.run.contacts]
    assert len(sim.run.gaps()) >= len(model.contacts)


def test_sets_that_come_back_are_not_made_again():
    """Two balls that go to and fro between walls and a row of others: the modes of sets seen before are used again."""
    model, q, u = balls(8)
    sim = lw.Simulation(model, q, u)
    for t in np.linspace(0.5, 6.0, 12):
        sim.advance(t)
    assert len(sim.state.modes) <= 400
    assert len(sim.mode_table._contents) <= 400
    legs = sum(work.lane == "integrate" for work in sim.timeline)
    assert len(sim.state.modes) < legs


# --- solids -----------------------------------------------------------------------------------------------------------


def round_hull(n, size, seed=0):
    """Points on a sphere."""
    x = np.random.default_rng(seed).normal(size=(n, 3))
    return size * x / np.linalg.norm(x, axis=1)[:, None]


def convex_distance(x, y):
    """The least distance of two hulls, as the least of |Σ λ x − Σ μ y|² over shares λ and μ."""
    from scipy.optimize import nnls

    big = 1e3
    rows = np.block([[x.T, -y.T], [np.full(len(x), big), np.zeros(len(y))], [np.zeros(len(x)), np.full(len(y), big)]])
    shares, _ = nnls(rows, np.array([0.0, 0.0, 0.0, big, big]), maxiter=10_000)
    return float(np.linalg.norm(shares[: len(x)] @ x - shares[len(x) :] @ y))


def solids(a, b, **laws):
    """A solid that falls on another, which is fixed; each the points of a hull or the sizes of a box."""
    model = lw.Model("solids")
    N, O = model.frame, model.origin
    link = model.joint("free", "a")
    body = model.body("a", link, link.origin, 1.0, lw.inertia(link.frame, xx=0.1, yy=0.12, zz=0.09))
    model.gravity(-9.81 * N.z)
    upper = body.box(a) if isinstance(a, tuple) else body.hull(a)
    lower = lw.Box(O, b) if isinstance(b, tuple) else lw.Hull(b, body=N, center=O)
    model.contact("c", upper, lower, **({"restitution": 0.3, "friction": 0.4} | laws))
    return model


ABOVE = {"q_a_px": 0.0, "q_a_py": 0.0}
FALLS = {"q_a_px": 0.1, "q_a_py": 0.05, "q_a_pz": 0.9}, {"u_a_wx": 1.0, "u_a_wy": 2.0}
FLAT = np.array([1.0, 1.0, 0.3])
PAIRS = {
    "box on box": ((0.5, 0.4, 0.3), (2.0, 2.0, 0.5), 0.6),
    "hull on box": (round_hull(8, 0.4), (2.0, 2.0, 0.5), 0.6),
    "hull on hull": (round_hull(7, 0.4), round_hull(6, 1.0, 5) * FLAT, 0.75),
}


@cache
def watched_whole(name):
    """The run of a pair in which every feature is watched, and how many there are."""
    a, b, until = PAIRS[name]
    with pytest.MonkeyPatch.context() as patch:
        watch_all(patch)
        model = solids(a, b)
        return lw.simulate(model, until, *FALLS, method=EXACT), len(model.contacts[0].features)


WITH_GJK, WITH_COAL = ([(name, method) for name in PAIRS] for method in ("gjk", "coal"))


@pytest.mark.parametrize("case", seeds([WITH_GJK[1], WITH_COAL[1]], [*WITH_GJK, *WITH_COAL]), ids=" by ".join)
def test_picked_solids_meet_as_if_all_features_were_watched(monkeypatch, case):
    """Impacts, slip and stick of solids are those of watching every corner, edge and face, whatever picks."""
    name, method = case
    if method == "coal":
        pytest.importorskip("coal")
    a, b, until = PAIRS[name]
    monkeypatch.setattr(convex_pairs, "has_coal", lambda: method == "coal")
    monkeypatch.setattr(construction, "EAGER", 0)
    model = solids(a, b)
    run = lw.simulate(model, until, *FALLS, method=EXACT)
    whole, count = watched_whole(name)
    same(run, whole)
    assert len(run.events) > 3
    assert len(model.contacts[0].features) < 0.3 * count


def test_a_box_that_lies_flat_stands_on_all_corners():
    """Where faces lie on each other all corners are picked, however far they are from the places that are nearest."""
    model = solids((0.5, 0.4, 0.3), (2.0, 2.0, 0.5))
    run = lw.simulate(model, 1.0, ABOVE | {"q_a_pz": 0.4, "q_a_px": 0.3})
    assert len(run.modes[-1].names) == 4
    assert run.x[-1][:3] == pytest.approx([0.3, 0.0, 0.4], abs=1e-12)
    assert all(name.startswith("c: corner") for name in run.modes[-1].names)


@pytest.mark.parametrize("under", seeds(["box"], ["box", "hull"]))
def test_hulls_of_200_points_run(under):
    """Far more pairs than could be watched: few are made, corners never enter, and no energy comes from anywhere."""
    model = solids(round_hull(200, 0.4), (2.0, 2.0, 0.5) if under == "box" else round_hull(200, 1.0, 5) * FLAT)
    contact = model.contacts[0]
    run = lw.simulate(model, 0.5, *FALLS)
    assert contact.picker.count > convex_pairs.MAX_PAIRS
    assert len(contact.features) < 200
    assert len(run.events) > 3
    assert run.audit.energy_error < 1e-8
    assert run.audit.least_gap > -1e-9
    assert np.nanmin(list(run.gaps().values())) > -1e-9
    apart = run.interference(*contact.shapes)
    assert apart.min() == pytest.approx(0.0, abs=1e-9)
    upper, lower = (side.corners for side in contact.picker.sides)
    for i in (0, len(run.t) // 3):
        R, p = run[contact.shapes[0].frame][i], run[contact.shapes[0].center][i]
        assert apart[i] == pytest.approx(convex_distance(upper @ R.T + p, lower), abs=1e-6)


def test_large_solids_that_overlap_are_refused():
    """Hulls of many points that lie in each other at the start are refused with the depth, and just touching is not."""
    model = solids(round_hull(200, 0.4), (2.0, 2.0, 0.5))
    with pytest.raises(lw.ModelError, match=r"'c' overlaps at t = 0: its shapes lie 0\.2\d* deep in each other"):
        lw.Simulation(model, ABOVE | {"q_a_pz": 0.4})
    lowest = float(round_hull(200, 0.4)[:, 2].min())
    sim = lw.Simulation(model, ABOVE | {"q_a_pz": 0.25 - lowest})
    sim.advance(0.01)
    assert sim.active


def test_rules_know_the_force_of_picked_solids():
    """The force of a contact whose features are picked is the sum over those that are closed."""
    model = solids(round_hull(60, 0.4), (2.0, 2.0, 0.5), restitution=0.0)
    contact = model.contacts[0]
    assert not contact.is_eager
    model.rule("lands", 4.0 - contact.force, stop=True, needs="c")
    run = lw.simulate(model, 1.0, ABOVE | {"q_a_pz": 0.8})
    assert run.events[-1].name == "lands"
    assert 0.0 < run.events[-1].t < 0.5


def test_what_must_watch_all_features_refuses_large_hulls():
    """Automata look at all features, and say so where these are too many."""
    model = solids(round_hull(200, 0.4), (2.0, 2.0, 0.5))
    with pytest.raises(lw.ModelError, match=r"too many to watch all their pairs, as lw\.Automaton"):
        lw.simulate(model, 0.1, *FALLS, design=lw.Automaton())


def test_time_steps_of_large_hulls_make_few_features():
    """Far more pairs of parts than could be made: those near each other are, and what falls comes to lie on the box."""
    model = solids(round_hull(200, 0.4), (2.0, 2.0, 0.5), restitution=0.0)
    run = lw.simulate(model, 1.0, *FALLS, thick=lw.TimeStepping(step=2e-3, always=True))
    assert 0 < len(model.contacts[0].features) < 2000
    assert run.audit.least_gap > -1e-9
    assert np.diff(run.energy).max() < 1e-9 * run.energy[0]
    assert 0.6 < run["q_a_pz"][-1] < 0.66


def test_a_box_that_spins_fast_is_watched_whole():
    """Where legs would be shorter than steps, all features of a pair that has all of them are awake."""
    sims = [lw.Simulation(solids((0.5, 0.4, 0.3), (2.0, 2.0, 0.5)), ABOVE | {"q_a_pz": 0.41}, {"u_a_wz": spin})
            for spin in (3000.0, 30.0)]  # fmt: skip
    for sim in sims:
        sim.advance(1e-3)
    assert [sum(sim.places.values()) for sim in sims] == [240, 4]
    assert len(sims[0].run.path.segments) == 1


def test_solids_far_from_each_other_are_not_looked_into(monkeypatch):
    """While spheres around two solids are apart, nobody asks for their nearest places."""
    model = solids(round_hull(60, 0.4), (2.0, 2.0, 0.5))
    asked = []
    monkeypatch.setattr(convex_pairs.Picker, "near", lambda *_: asked.append(1))
    lw.simulate(model, 0.3, ABOVE | {"q_a_pz": 30.0})
    assert not asked
