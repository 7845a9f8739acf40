"""A live mechanism: ticked, grabbed, rewound. There is no clock in it."""

import math

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork import dt
from latchwork.hybrid import fixed_stepper
from latchwork.realtime.coupler import Coupler
from latchwork.realtime.exhibit import Exhibit, exhibit_of
from latchwork.realtime.hand import Hands
from latchwork.realtime.live import Live
from latchwork.realtime.stepped import stepped

OWN = """
import latchwork as lw


def build():
    model = lw.Model("own")
    (x,) = model.coordinates("x")
    model.speeds()
    model.particle("P", model.origin.at("P", x * model.frame.x), 1.0)
    return model
"""
PATH = [(0.3 * math.sin(k / 9), 0.2 * math.sin(k / 7), 0.0) for k in range(40)]


def puck() -> Exhibit:
    """A disk above a floor with friction, free in the plane, with a button, a slider, and shapes that a fence stops."""
    model = lw.Model("puck")
    m, g, mu = model.parameters(m=1.0, g=9.81, mu=0.3)
    N, O = model.frame, model.origin
    link = model.planar("puck", N, q=["x", "y", "turn"], u=["vx", "vy", "w"])
    body = model.body("puck", link, link.origin, m, lw.inertia(link.frame, zz=0.5 * m * 0.01))
    model.gravity(-g * N.y)
    circle = body.circle(0.1)
    model.contact("floor", circle, lw.Line(point=O, direction=N.x, normal=N.y), friction=mu, restitution=0.5)
    return Exhibit(model, q={"x": 0.0, "y": 0.3, "turn": 0.0}, u={"vx": 0.4},
                   sliders={"mu": (0.0, 1.0), "g": (1.0, 20.0)},
                   constraints=(lw.Latch("hung up", model.symbols["y"]), lw.Constraint("no spin", dt(link.q[2]))),
                   fence=(circle,))  # fmt: skip


def driven(live: Live, ticks: int) -> np.ndarray:
    """Grab what a script would take, drag it about, let go; all states on the way."""
    body = live.exhibit.taken
    place = live.grip.pose(body, (0.0, 0.0, 0.0), live.x).place
    assert live.do({"do": "grab", "body": body, "at": list(place)})["ok"]
    found = []
    for k in range(ticks):
        if k % 16 == 0:
            live.do({"do": "move", "to": [a + b for a, b in zip(place, PATH[k // 16 % 40], strict=True)]})
        live.tick()
        found.append(live.sim.x)
    live.do({"do": "drop"})
    return np.array(found)


def exhibit(name: str) -> Exhibit:
    return puck() if name == "puck" else exhibit_of(name)


# --- determinism --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["puck", "caster"])
def test_the_same_commands_at_the_same_ticks_give_the_same_bits(name):
    """Two live mechanisms, and one after a rewind and after a reset, go the same way to the last bit."""
    one, other = Live(exhibit(name)), Live(exhibit(name))
    first = driven(one, 500)
    assert np.array_equal(driven(other, 500), first)
    assert other.do({"do": "rewind", "seconds": 0.5})["seconds"] == pytest.approx(0.5)
    assert np.array_equal(driven(other, 500), first)
    assert other.do({"do": "reset"})["ok"]
    assert np.array_equal(driven(other, 500), first)


def test_a_rewind_goes_back_to_the_tick_that_was():
    """From anywhere, across commands and marks, the state is that of the tick gone back to, and so is what follows."""
    live = Live(puck())
    states = [live.sim.x]
    for k in range(2300):
        if k == 700:
            live.do({"do": "set", "name": "mu", "value": 0.9})
        if k == 900:
            live.do({"do": "hold", "name": "no spin"})
        if k == 1900:
            live.do({"do": "release", "name": "no spin"})
        live.tick()
        states.append(live.sim.x)
    for target in (2100, 1999, 1500, 901, 800):
        live.do({"do": "rewind", "seconds": 1e-3 * (live.past.tick - target)})
        assert live.past.tick == target
        assert live.sim.t == target * 1e-3
        assert np.array_equal(live.sim.x, states[target])
    assert live.sim.active == ("floor: stick",)
    live.tick()
    assert np.array_equal(live.sim.x, states[801])


def test_looking_changes_nothing():
    """States and news may be asked for at any time or never."""
    one, other = Live(exhibit_of("caster")), Live(exhibit_of("caster"))
    for _ in range(200):
        one.tick()
        other.tick()
        other.state()
        other.news()
    assert np.array_equal(one.sim.x, other.sim.x)


def test_no_past_is_kept_but_the_last_minute():
    """Events, segments, switches and news of thousands of ticks are drained; the ring has a fixed length."""
    live = Live(exhibit_of("bouncing_ball"))
    for _ in range(6000):
        live.tick()
    sim = live.sim
    assert len(sim.run.path.segments) <= 1
    assert [len(each) for each in (sim.events, *sim.drained(), sim.timeline)] == [0, 0, 0, 0]
    assert len(live.past) == 7
    assert len(live.news()) <= 1000


def test_hops_shorter_than_a_tick_are_none():
    """A ball with e = 0.9 bounces until e^k v is less than g h/2, and rests from then on: so many impacts, no more."""
    live = Live(exhibit_of("bouncing_ball"))
    fast, slow = math.sqrt(2.0 * 9.81 * 1.0), 0.5 * 9.81 * 1e-3
    impacts = 0
    for _ in range(9000):
        live.tick()
        impacts += sum(row.get("what") == "impact" for row in live.news())
    assert impacts == math.ceil(math.log(slow / fast) / math.log(0.9))
    assert live.sim.active == ("ground: slide",)


# --- looking ahead ------------------------------------------------------------------------------------------------


def scouting(name: str, looks: bool) -> Live:
    """A mechanism that is dragged about, and looked ahead of between the ticks, or not."""
    live = Live(exhibit(name))
    place = live.grip.pose(live.exhibit.taken, (0.0, 0.0, 0.0), live.x).place
    live.do({"do": "grab", "body": live.exhibit.taken, "at": list(place)})
    for k in range(800):
        if k % 16 == 0:
            live.do({"do": "move", "to": [a + 2.0 * b for a, b in zip(place, PATH[k // 16 % 40], strict=True)]})
        live.tick()
        if looks:
            live.scout.look(math.inf)
    return live


@pytest.mark.parametrize("name", seeds(["puck", "rocking_block"], ["caster"]))
def test_to_look_ahead_changes_no_bit(name):
    """What is prepared before it is met has the same values as what is prepared then."""
    one, other = scouting(name, True), scouting(name, False)
    assert one.scout.met > 0
    assert np.array_equal(one.sim.x, other.sim.x)


def test_an_impact_is_foreseen_when_it_will_be():
    """A puck dropped from 0.2 m meets the floor after √(2h/g), and that is known 50 ms before."""
    live = Live(puck())
    falls = math.sqrt(2.0 * 0.2 / 9.81)
    while live.sim.t < falls - 0.02:
        live.tick()
        live.scout.look(math.inf)
    first = live.scout.foreseen[0]
    assert first.name == "floor"
    assert first.t == pytest.approx(falls, abs=1e-5)
    assert first.made < falls - 0.03
    while not live.scout.met:
        live.tick()
    assert live.scout.off == pytest.approx(falls - first.t, abs=1e-12)


# --- the hand -----------------------------------------------------------------------------------------------------


def test_a_hand_is_a_force_at_a_point_of_a_body():
    """The wrench at the mass centre gives the accelerations of the same force at the point, by the model itself."""
    shown = exhibit_of("double_pendulum")
    sim, force, arm = stepped(shown, 1e-3), (3.0, -2.0, 0.0), (0.1, -0.3, 0.0)
    own = sim.equations
    hands = Hands(sim)
    lower = shown.model.bodies["lower"]
    N, L = shown.model.frame, lower.frame
    point = lower.center.at("taken", arm[0] * L.x + arm[1] * L.y)
    pulled = own.with_loads(lw.Force(point, force[0] * N.x + force[1] * N.y))
    q, u = {"q1": 0.6, "q2": 0.5}, {"u1": 1.0, "u2": -2.0}
    expected = pulled.udot(q=q, u=u)
    angle = q["q1"] + q["q2"]
    lever = (arm[0] * math.cos(angle) - arm[1] * math.sin(angle), arm[0] * math.sin(angle) + arm[1] * math.cos(angle))
    torque = (0.0, 0.0, lever[0] * force[1] - lever[1] * force[0])
    hands.put(sim, "lower", force, torque)
    assert sim.equations.udot(q=q, u=u, r=dict(sim.inputs)) == pytest.approx(expected, rel=1e-12)


def test_a_hand_that_lets_go_leaves_nothing_behind():
    """After a drop no force is held, and the puck falls as it would by itself."""
    live = Live(puck(), coupler=Coupler(300.0, 30.0))
    live.do({"do": "grab", "body": "puck", "at": [0.0, 0.3, 0.0]})
    for _ in range(50):
        live.do({"do": "move", "to": [0.0, 0.8, 0.0]})
        live.tick()
    assert live.state().hand.force != (0.0, 0.0, 0.0)
    live.do({"do": "drop"})
    before = live.sim.x
    live.tick()
    assert live.state().hand.body == -1
    assert live.sim.x[4] - before[4] == pytest.approx(-9.81e-3, rel=1e-12)


@pytest.mark.parametrize("command", [{"do": "drop"}, {"do": "rewind", "seconds": 0.001}, {"do": "reset"}])
def test_a_hand_lets_go_while_time_stands_still(command):
    """Paused, no tick reads the device: that it holds nothing any more is seen all the same."""
    live = Live(puck())
    live.do({"do": "grab", "body": "puck", "at": [0.0, 0.3, 0.0]})
    live.tick()
    live.do({"do": "pause"})
    assert live.state().hand.body == 0
    live.do(command)
    assert live.state().hand.body == -1
    assert live.state().hand.force == (0.0, 0.0, 0.0)
    assert live.tick_count == 1


def test_components_that_move_nothing_are_no_inputs():
    """In the plane a hand has two forces and a torque; a ball on a line has one."""
    flat, line = (stepped(exhibit(name), 1e-3) for name in ("puck", "bouncing_ball"))
    for sim, count in ((flat, 3), (line, 1)):
        Hands(sim)
        assert len(sim.equations.r) == count


# --- commands -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("command", "words"), [
    ({"do": "grab", "body": "pukc", "at": [0, 0, 0]}, "no body 'pukc'.*puck"),
    ({"do": "set", "name": "m", "value": 2.0}, "'m' has no slider"),
    ({"do": "set", "name": "mu", "value": 2.0}, "range of its slider, 0 to 1"),
    ({"do": "hold", "name": "floor"}, "no button for 'floor'"),
    ({"do": "release", "name": "no spin"}, "does not hold now"),
    ({"do": "fence", "points": [[-1, 0.3], [1, 0.3]]}, "overlaps"),
    ({"do": "fence", "points": [[1, 1], [1, 1]]}, "single point"),
    ({"do": "dance"}, "no command 'dance'"),
])  # fmt: skip
def test_what_is_refused_says_why_and_changes_nothing(command, words):
    """The answer has the words, and goes to whoever asked; the run goes on as if nothing had been said."""
    live, other = Live(puck()), Live(puck())
    for _ in range(20):
        live.tick()
        other.tick()
    answer = live.do(command | {"id": 4})
    assert not answer["ok"]
    with pytest.raises(AssertionError, match=words):
        raise AssertionError(answer["why"])
    assert [row for row in live.news() if row["kind"] == "answer"] == [{"kind": "answer", "id": 4, **answer}]
    for _ in range(300):
        live.tick()
        other.tick()
    assert np.allclose(live.sim.x, other.sim.x, rtol=0.0, atol=1e-12)


def test_buttons_hold_and_release():
    """A latch keeps the value of now, and its release lets the puck fall; the modes are told."""
    live = Live(puck())
    for _ in range(30):
        live.tick()
    assert live.do({"do": "hold", "name": "hung up"})["ok"]
    height = live.sim.q["y"]
    for _ in range(100):
        live.tick()
    assert live.sim.q["y"] == pytest.approx(height, abs=1e-12)
    assert live.state().lam == pytest.approx([9.81], rel=1e-9)
    assert live.do({"do": "release", "name": "hung up"})["ok"]
    live.tick()
    rows = live.news()
    assert [row["names"] for row in rows if row["kind"] == "mode"] == [[], ["hung up"], []]
    assert [row["what"] for row in rows if row["kind"] == "event"] == ["hold", "release"]
    assert live.sim.u["vy"] < 0.0


def test_sliders_act_at_once():
    """Without friction the puck slides on at the speed it had; with gravity of 1 it weighs a newton."""
    live = Live(puck())
    live.do({"do": "set", "name": "g", "value": 1.0})
    for _ in range(3000):
        live.tick()
    assert live.state().lam[0] == pytest.approx(1.0, rel=1e-9)
    assert live.values() == {"mu": 0.3, "g": 1.0}
    assert live.do({"do": "reset"})["values"] == {"mu": 0.3, "g": 9.81}


def test_a_fence_stops_the_puck():
    """Drawn across its way it is met, redrawn further away it gives way, and taken down it is gone."""
    live = Live(puck())
    assert live.do({"do": "fence", "points": [[0.3, -1.0], [0.3, 1.0]]})["ok"]
    for _ in range(3000):
        live.tick()
    assert live.sim.q["x"] <= 0.2 + 1e-9
    assert any(row["kind"] == "event" and row["name"].startswith("fence 1") for row in live.news())
    assert live.do({"do": "fence", "points": [[2.0, -1.0], [2.0, 1.0]]})["ok"]
    assert live.do({"do": "unfence"})["ok"]
    assert live.sim.places == {"floor": True}


def test_trouble_pauses_and_is_told():
    """A model that cannot go on stops where it was, says why, and goes on after a reset."""
    model = lw.Model("root")
    (x,) = model.coordinates("x")
    model.speeds(v=dt(x))
    P = model.origin.at("P", x * model.frame.x)
    model.particle("P", P, 1.0)
    model.force(P, -lw.sqrt(x) * model.frame.x)
    live = Live(Exhibit(model, q={"x": 1e-4}, u={"v": -0.05}))
    for _ in range(10):
        live.tick()
    (trouble,) = [row for row in live.news() if row["kind"] == "trouble"][:1]
    assert live.paused
    assert "Reset, or rewind" in trouble["why"]
    assert np.isfinite(live.sim.x).all()
    assert live.do({"do": "reset"})["ok"]
    assert live.sim.q["x"] == 1e-4


def test_single_steps_and_speeds_are_for_the_loop():
    """Paused, so many ticks are asked for; what a tick does is the same at any speed."""
    live = Live(puck())
    assert live.do({"do": "step", "ticks": 3})["ok"]
    assert (live.paused, live.steps) == (True, 3)
    assert live.do({"do": "speed", "value": 0.25})["speed"] == 0.25
    assert live.do({"do": "go"})["ok"]
    assert (live.paused, live.steps, live.speed) == (False, 0, 0.25)


# --- exhibits -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["patoglu_3_belt", "four_bar", "sphere_slip", "clutch", "gillespie_2_wrist"])
def test_mechanisms_of_the_gallery_are_live(name):
    """They tick, give a state of the width that the exhibit says, and can be taken where a script takes them."""
    shown = exhibit_of(name)
    live = Live(shown)
    driven(live, 60)
    state = live.state()
    assert len(state.x) == shown.width
    assert math.isfinite(state.energy)
    assert not [row for row in live.news() if row["kind"] == "trouble"]


@pytest.mark.parametrize(("given", "words"), [
    ({"view": "xx"}, "two axes of N"),
    ({"sliders": {"mue": (0.0, 1.0)}}, "'mue' is no parameter or input of 'puck'.*mu"),
    ({"sliders": {"mu": (1.0, 0.0)}}, "two finite numbers in order"),
    ({"draw": ("P",)}, "no point 'P'"),
    ({"hold": "pukc"}, "no body 'pukc'.*puck"),
    ({"step": 1.0}, "1e-5 to 0.1 s"),
])  # fmt: skip
def test_exhibits_name_what_there_is(given, words):
    """What an exhibit names must be in its model."""
    with pytest.raises(lw.ModelError, match=words):
        lw.Exhibit(puck().model, **given)


@pytest.mark.parametrize(("source", "words"), [
    ("double_pendulun", "no example 'double_pendulun'.*double_pendulum"),
    ("../secret", "no example"),
    ("nowhere.yaml", "no file nowhere.yaml"),
])  # fmt: skip
def test_sources_that_are_none_are_refused(source, words):
    """An example's name, or the path of a file that is there."""
    with pytest.raises(lw.FileError, match=words):
        exhibit_of(source)


def test_a_script_and_a_model_file_are_exhibits(tmp_path):
    """A script with build() and a YAML file can be put on the table too."""
    script = tmp_path / "own.py"
    script.write_text(f'"""Mine. It is short."""\n{OWN}')
    own = exhibit_of(str(script))
    assert (own.title, own.story, own.width) == ("Mine", "It is short.", 2)
    from latchwork.realtime.scripts import folder

    assert exhibit_of(str(folder() / "double_pendulum.yaml")).width == 4


@pytest.mark.parametrize("name", ["block_on_incline", "piano_action", "four_bar"])
def test_the_first_tick_runs_no_loop_in_python(name, monkeypatch):
    """What holds where a run begins, and its mode, are there before the first tick, and after a reset."""
    live = Live(exhibit_of(name))
    monkeypatch.setattr(fixed_stepper, "advance", None)
    for _ in range(2):
        for _ in range(5):
            live.tick()
        assert not live.paused
        assert live.sim.t == pytest.approx(5 * live.step)
        live.do({"do": "reset"})
