"""Changes of mode that are learned before they are made: handed over the first time, with the same bits."""

from __future__ import annotations

import pytest

import latchwork as lw
from contact_ways import TIGHT, disk
from latchwork.contact.complementarity.solution import State
from latchwork.hybrid import foresight
from latchwork.hybrid.foresight import changes
from latchwork.integrate import problem
from latchwork.realtime.live import Live
from latchwork.view import gallery


@pytest.fixture(autouse=True)
def _a_step_at_a_time(monkeypatch):
    """There is a spare moment after every step."""
    monkeypatch.setattr(problem, "OPERATIONS_PER_CALL", 0)
    monkeypatch.setattr(problem, "FEWEST", 1)


def belt(until):
    """The double pendulum of Patoglu's third example over its belt, which it hits, slides and sticks on, and leaves."""
    start = {"q1": -0.19634954084936207, "q2": -1.3962634015954636}, {"u1": 3.0, "u2": -0.3}
    sim = lw.Simulation(gallery.load("patoglu_3_belt").module.build(), *start, method=TIGHT)
    sim.advance(until)
    return sim


def bouncing(until, **stops):
    """A disk that bounces on a rough floor."""
    model, shape = disk()
    N, O = model.frame, model.origin
    model.contact("floor", shape, lw.Line(O, N.x, N.y), restitution=0.9, friction=0.2)
    sim = lw.Simulation(model, {"x": 0.0, "y": 0.6, "a": 0.0}, {"u": 1.0}, method=TIGHT)
    sim.advance(until, **stops)
    return sim


def told(sim):
    """The path, events and switches."""
    events = [(e.t, e.kind, e.name, e.before, e.after, e.energy) for e in sim.events]
    return sim.run.path.x.tobytes(), sim.run.path.t.tobytes(), events, [(s.t, s.after) for s in sim.switches]


def blind(monkeypatch, run, *given):
    """What a run gives where nothing is foreseen."""
    with monkeypatch.context() as patched:
        patched.setattr(foresight.Foresight, "foresee", lambda self: False)
        return run(*given)


def test_the_first_bounce_is_handed_over(handed):
    """A disk that falls freely bounces back to the mode it is in: that is known before it hits."""
    sim = bouncing(0.5)
    assert [event.kind for event in sim.events] == ["impact"]
    assert handed == [sim.events[0].t]


def test_only_modes_that_were_never_met_are_entered_by_hand(handed, monkeypatch):
    """Every change that leads to a mode met before is handed over, but where another guard falls with its own."""
    sim = belt(3.4)
    met, by_hand = set(), []
    for switch in sim.switches:
        stage = next(s.stage for s in sim.run.path.segments if s.solution.t[0] == switch.t)
        if stage in met and switch.t not in handed:
            by_hand.append(switch.t)
        met.add(stage)
    assert len(handed) >= 6
    assert by_hand == []
    assert told(sim) == told(blind(monkeypatch, belt, 3.4))


def test_without_foresight_first_changes_are_made_by_hand(handed, monkeypatch):
    """What the tests above rest on: where nothing is foreseen, fewer changes are handed over."""
    blind(monkeypatch, belt, 3.4)
    blindly = len(handed)
    handed.clear()
    belt(3.4)
    assert len(handed) >= blindly + 3


def test_nothing_is_foreseen_where_a_stop_is_watched(handed):
    """A run that may stop at any guard asks Python each time."""
    sim = bouncing(2.0, stop_when={"low": "y + 10"})
    assert [event.kind for event in sim.events].count("impact") > 1
    assert handed == []


def test_another_contact_begins_anew():
    """Where other contacts are watched, what was met before tells nothing."""
    sim = bouncing(1.0)
    before = {mode.again for mode in sim.mode_table.foresight._known.values()}
    shape, floor = sim.state.contacts.members[0].shapes
    sim.contact("lid", shape, lw.Line(floor.point.at("lid", 9.0 * floor.normal), floor.direction, -floor.normal))
    sim.advance(1.1)
    assert before
    assert not before & {mode.again for mode in sim.mode_table.foresight._known.values()}


def test_many_modes_are_not_foreseen(handed, monkeypatch):
    """Where more are met it is given up, and nothing of it is kept; what was made is made again all the same."""
    monkeypatch.setattr(foresight, "MOST", 2)
    sim = belt(3.4)
    ahead = sim.mode_table.foresight
    assert ahead._given_up
    assert (len(ahead._known), len(ahead._laps), len(ahead._pairs)) == (0, 0, 0)
    assert handed


def test_what_a_guard_may_lead_to():
    """A contact that lets go is open, one that begins to slip does not stick, and slip that ends does not part."""
    sim = belt(3.4)
    modes = list(sim.mode_table.foresight._known.values())
    assert len(modes) >= 4
    leads = set()
    for before in modes:
        for i, guard in enumerate(before.guards):
            for after in modes:
                if any(True for _ in changes(before, i, after)):
                    states = {contact_state.state for contact_state in after.closed.values()}
                    leads.add((guard.kind, next(iter(states), State.OPEN), bool(after.leaving_depths)))
    ways = {kind: {state for each, state, _ in leads if each == kind} for kind in ("touch", "release", "slip", "stick")}
    assert ways["touch"] == {State.OPEN, State.SLIDE, State.STICK}
    assert ways["release"] == {State.OPEN}
    assert ways["slip"] >= {State.SLIDE}
    assert State.STICK not in ways["slip"]
    assert ways["stick"] >= {State.SLIDE, State.STICK}
    assert ("stick", State.OPEN, False) not in leads


def test_a_loop_foresees_in_idle_moments():
    """Ticks leave it to the moments between them."""
    exhibit = gallery.load("patoglu_3_belt").module.live()
    live = Live(exhibit, step=1e-3)
    ahead = live.sim.mode_table.foresight
    while not ahead._pairs and live.sim.t < 1.0:
        live.tick()
    learned = sum(len(handover.afters) for lap in ahead._laps for handover in lap.following)
    assert live.scout.look(0.0)
    assert sum(len(handover.afters) for lap in ahead._laps for handover in lap.following) == learned + 1
    while ahead.foresee():
        pass
    assert not ahead._pairs


def test_what_cannot_be_learned_is_left():
    """Contacts in space take more care: nothing is learned of them, and nothing is tried again."""
    model = lw.Model("ball")
    link = model.free("ball", q=["x", "y", "z", "e0", "e1", "e2", "e3"], u=["vx", "vy", "vz", "w1", "w2", "w3"])
    body = model.body("ball", link, link.origin, 1.0, lw.inertia(link.frame, 0.004, 0.004, 0.004))
    N, O = model.frame, model.origin
    model.gravity(-9.81 * N.z)
    model.contact("floor", body.sphere(0.1), lw.Plane(O, N.z), restitution=0.5, friction=0.1)
    sim = lw.Simulation(model, {"x": 0.0, "y": 0.0, "z": 0.4, "e0": 1.0}, {"vx": 2.0})
    sim.advance(0.5)
    ahead = sim.mode_table.foresight
    assert ahead._laps
    assert not ahead._pairs
    assert not any(lap.following for lap in ahead._laps)
