"""Rules: modes and guards written by the user, against closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import latchwork as lw
from latchwork import dt
from latchwork.hybrid import fallen_guards

approx = pytest.approx
G = 9.81


def block(name: str = "block", drive: bool = False) -> tuple[lw.Model, lw.Expr, lw.Expr]:
    """One kilogram on a line; with an input F that pushes it."""
    model = lw.Model(name)
    x = model.coordinate("x")
    (v,) = model.speeds(v=dt(x))
    P = model.origin.at("P", x * model.frame.x)
    model.particle("block", P, 1.0)
    if drive:
        model.force(P, model.input("F") * model.frame.x)
    return model, x, v


def ball() -> tuple[lw.Model, lw.Expr, lw.Expr]:
    """One kilogram that falls along x."""
    model, x, v = block("ball")
    model.gravity(-G * model.frame.x)
    return model, x, v


def wheels(J1: float = 2.0, J2: float = 3.0) -> tuple[lw.Model, lw.Expr, lw.Expr]:
    """Two wheels on one axis."""
    model = lw.Model("two wheels")
    speeds = []
    for k, J in enumerate((J1, J2), start=1):
        wheel = model.revolute(f"w{k}", q=[f"q{k}"], u=[f"u{k}"])
        model.body(f"wheel {k}", wheel, wheel.origin, 1.0, lw.inertia(wheel.frame, zz=J))
        speeds += wheel.u
    return model, *speeds


def names(run: lw.Trajectory) -> list[str]:
    return [event.name for event in run.events]


# --- closed forms --------------------------------------------------------------------------------------------------


def test_clutch_makes_speeds_one_by_momentum():
    """J1 u1 + J2 u2 is kept; the energy lost is ½ J1 J2/(J1 + J2) (u1 − u2)²; the impulse is J1 J2/(J1 + J2) Δu."""
    model, u1, u2 = wheels()
    model.rule("close", 1.0 - model.time, hold=lw.Constraint("clutch", u1 - u2))
    run = lw.simulate(model, 3.0, q=[0.0, 0.0], u=[10.0, -5.0])
    (event,) = run.events
    assert (event.kind, event.name, event.before, event.after) == ("rule", "close", (), ("clutch",))
    assert event.t == approx(1.0, abs=1e-12)
    assert run.u[-1] == approx([1.0, 1.0], rel=1e-13)
    assert event.energy == approx(0.5 * 1.2 * 15.0**2, rel=1e-12)
    assert event.impulses["clutch"] == approx([-1.2 * 15.0], rel=1e-12)
    assert run.audit.energy_error < 1e-10


@pytest.mark.parametrize("e", [0.5, 0.8, 1.0])
def test_reset_of_a_speed_is_a_bounce(e):
    """Times of a ball that leaves the floor with −e v each time, and its energy: booked as work."""
    model, x, v = ball()
    model.rule("bounce", x, reset={v: -e * v})
    fall = math.sqrt(2.0 / G)
    until = fall * (1.0 + 2.0 * sum(e**k for k in range(1, 8))) + 1e-3
    run = lw.simulate(model, until, q=[1.0])
    expected = fall * np.cumsum([1.0, *(2.0 * e**k for k in range(1, 8))])
    assert [event.t for event in run.events] == approx(expected.tolist(), abs=1e-9)
    assert [event.energy for event in run.events] == approx([G * (1 - e**2) * e ** (2 * k) for k in range(8)], abs=1e-8)
    assert run.audit.energy_error < 1e-9


def test_latch_lets_go_above_its_limit():
    """A latch that holds against F = k t lets go at t = limit/k, to the accuracy of the guard."""
    model, x, _v = block(drive=True)
    latch = lw.Constraint("latch", x)
    model.rule("hold", -1.0, hold=latch, once=True)
    model.rule("tear", 3.0 - abs(latch.force), release=latch)
    run = lw.simulate(model, 4.0, q=[0.0], inputs={"F": 1.5 * model.time})
    assert names(run) == ["hold", "tear"]
    assert run.events[1].t == approx(2.0, abs=1e-9)
    assert run["v"][-1] == approx(0.75 * (16.0 - 4.0), rel=1e-9)


def test_force_that_is_too_large_from_the_beginning_lets_go_at_once():
    """Forces jump where modes change: a rule on one fires when it becomes armed."""
    model, x, _v = block(drive=True)
    latch = lw.Constraint("latch", x)
    model.rule("catch", x, hold=latch)
    model.rule("tear", 3.0 - abs(latch.force), release=latch)
    run = lw.simulate(model, 3.0, q=[2.0], u=[0.0], inputs={"F": -4.0})
    assert names(run) == ["catch", "tear"]
    assert [event.t for event in run.events] == approx([1.0, 1.0], abs=1e-9)
    assert run.events[0].energy == approx(8.0, rel=1e-9)
    assert run["x"][-1] == approx(-8.0, rel=1e-9)


def test_latch_keeps_the_value_of_the_moment():
    """`lw.Latch` holds an expression where it is when the rule fires, as often as it does."""
    model, _u1, _u2 = wheels()
    q1, q2 = model.symbols["q1"], model.symbols["q2"]
    grip = lw.Latch("grip", q1 - 2.0 * q2)
    model.rule("grips", 1.0 - model.time, hold=grip)
    model.rule("lets go", 2.0 - model.time, release=grip)
    model.rule("grips again", 3.0 - model.time, hold=grip)
    run = lw.simulate(model, 4.0, q=[0.0, 0.0], u=[3.0, 0.5])
    difference = run.at([1.0, 1.7, 2.0, 3.0, 3.5])[q1 - 2.0 * q2]
    assert difference == approx([2.0, 2.0, 2.0, 2.0, 2.0], abs=1e-9)
    assert names(run) == ["grips", "lets go", "grips again"]
    assert run.audit.energy_error < 1e-10


def test_ratchet_never_turns_back():
    """A pawl catches where the speed falls through zero, and lets go where its own force does; steps may be long."""
    model, _x, v = block(drive=True)
    pawl = lw.Constraint("pawl", v)
    model.rule("catches", v, hold=pawl)
    model.rule("lets go", pawl.force, release=pawl)
    run = lw.simulate(model, 14.0, q=[0.0], inputs={"F": lw.sin(model.time) - 0.5}, u=[1.0])
    free = [event.t for event in run.events if event.name == "lets go"]
    assert free == approx([math.pi / 6 + 2 * math.pi * k for k in range(1, 3)], abs=1e-9)
    assert run["v"].min() > -1e-9


# --- when rules are armed ------------------------------------------------------------------------------------------


def test_condition_below_zero_at_the_start_must_rise_first():
    """A block that starts beyond the mark and comes back over it fires once, on its second way out."""
    model, x, _v = block(drive=True)
    model.rule("mark", x, inputs={"F": 0.0})
    run = lw.simulate(model, 6.0, q=[-1.0], u=[2.0], inputs={"F": -1.0})
    assert [event.t for event in run.events] == approx([2.0 + math.sqrt(2.0)], abs=1e-9)


def test_condition_at_zero_that_falls_fires_at_the_start():
    """As with stop_when: what starts at zero and falls is over at once."""
    model, x, v = block()
    model.rule("mark", x, reset={v: 0.0})
    run = lw.simulate(model, 1.0, q=[0.0], u=[-1.0])
    assert [event.t for event in run.events] == approx([0.0], abs=1e-9)
    assert abs(run["x"][-1]) < 1e-9


def test_self_transition_is_counted():
    """A rule that changes nothing but an input that counts: one event each, modes as before."""
    model, _x, _v = block()
    n = model.input("n")
    model.rule("tick", 0.25 * (n + 1.0) - model.time, inputs={n: n + 1.0})
    run = lw.simulate(model, 2.1, q=[0.0], u=[1.0])
    assert names(run) == ["tick"] * 8
    assert [event.t for event in run.events] == approx((0.25 * np.arange(1, 9)).tolist(), abs=1e-12)
    assert run[n][-1] == 8.0
    assert run.at([0.1, 0.3, 1.9])[n].tolist() == [0.0, 1.0, 7.0]


def test_hysteresis_does_not_chatter():
    """A thermostat: on below one mark, off above another; its period is known, and nothing else happens."""
    model, x, v = block(drive=True)
    F = model.symbols["F"]
    low, high = 0.2, 0.8
    model.rule("on", x - low, inputs={F: 1.0}, reset={v: 0.5})
    model.rule("off", high - x, inputs={F: 0.0}, reset={v: -0.5})
    run = lw.simulate(model, 12.0, q=[0.5], u=[0.5])
    up = math.sqrt(0.25 + 2.0 * (high - low)) - 0.5
    down = (high - low) / 0.5
    first = 0.3 / 0.5
    expected = [first, first + down, first + down + up, first + 2 * down + up, first + 2 * (down + up)]
    assert names(run)[:5] == ["off", "on", "off", "on", "off"]
    assert [event.t for event in run.events[:5]] == approx(expected, abs=1e-9)
    assert len(run.events) == 12


def test_several_transitions_between_one_pair_of_modes():
    """Two rules let one constraint go, for two reasons; which did is told by name."""
    def torn(slope: float) -> lw.RunEvent:
        model, x, _v = block(drive=True)
        latch = lw.Constraint("latch", x)
        model.rule("hold", -1.0, hold=latch, once=True)
        model.rule("force", 3.0 - abs(latch.force), release=latch)
        model.rule("time", 2.0 - model.time, release=latch)
        return lw.simulate(model, 4.0, q=[0.0], inputs={"F": slope * model.time}).events[1]

    assert [(torn(k).name, round(torn(k).t, 9)) for k in (1.0, 3.0)] == [("time", 2.0), ("force", 1.0)]
    assert torn(1.0).before == ("latch",)


def test_needs_and_without_arm_a_rule():
    """A condition that is met counts only in the modes that it is meant for."""
    model, u1, u2 = wheels()
    clutch = lw.Constraint("clutch", u1 - u2)
    model.rule("close", 2.0 - model.time, hold=clutch)
    model.rule("while open", 1.0 - model.time, without=clutch, reset={u2: 1.0})
    model.rule("never", 1.5 - model.time, needs="clutch", reset={u2: 7.0})
    model.rule("while closed", 3.0 - model.time, needs=clutch, stop=True)
    run = lw.simulate(model, 9.0, q=[0.0, 0.0], u=[1.0, 0.0])
    assert names(run) == ["while open", "close", "while closed"]
    assert run.t[-1] == approx(3.0, abs=1e-12)


def test_rules_of_one_instant_fire_in_their_order_and_are_looked_at_again():
    """The second sees what the first did; the third, whose condition the first lifted, does not fire."""
    model, _x, v = block()
    n = model.input("n")
    model.rule("first", 1.0 - model.time, reset={v: v + 1.0}, inputs={n: 1.0})
    model.rule("second", 1.0 - model.time, reset={v: 10.0 * v})
    model.rule("third", 1.0 - model.time + n, reset={v: 0.0})
    run = lw.simulate(model, 1.5, q=[0.0], u=[1.0])
    assert names(run) == ["first", "second"]
    assert run["v"][-1] == approx(20.0, rel=1e-14)


def test_one_rule_leads_to_the_next_at_one_instant():
    """A number below zero fires when it is armed: by a rule before it."""
    model, x, v = block()
    a, b = lw.Constraint("a", v), lw.Latch("b", x)
    model.rule("then", -1.0, needs="a", hold=b, release=a)
    model.rule("first", 1.0 - model.time, hold=a, once=True)
    run = lw.simulate(model, 2.0, q=[0.0], u=[1.0])
    assert names(run) == ["first", "then"]
    assert run.events[1].after == ("b",)
    assert run["x"][-1] == approx(1.0, abs=1e-12)


def test_rule_of_a_simulation_counts_from_now_on():
    """`sim.rule` is not part of the model, and of no use before it is given."""
    model, x, v = block()
    sim = lw.Simulation(model, q=[0.0], u=[1.0])
    sim.advance(2.0)
    sim.rule("stop", 3.0 - x, hold=lw.Constraint("wall", v))
    sim.advance(5.0)
    assert [(event.name, event.kind) for event in sim.events] == [("stop", "rule")]
    assert sim.q["x"] == approx(3.0, abs=1e-12)
    assert model.rules == ()


def test_rule_on_the_force_of_a_contact():
    """A block on a floor that is pulled up ever harder: half its weight is left at t = m g / (2 k)."""
    model = lw.Model("block on a floor")
    y = model.coordinate("y")
    model.speeds(v=dt(y))
    P = model.origin.at("P", y * model.frame.y)
    model.particle("block", P, 1.0)
    model.gravity(-G * model.frame.y)
    model.force(P, model.time * model.frame.y)
    floor = model.contact("floor", P, lw.Plane(model.origin, model.frame.y))
    model.rule("half", floor.force - 0.5 * G, stop=True)
    run = lw.simulate(model, 9.0, q=[0.0])
    assert names(run)[-1] == "half"
    assert run.t[-1] == approx(0.5 * G, abs=1e-9)


def test_rule_that_needs_a_contact_to_stick():
    """A block slides until v/(μ g); there it sticks, and a rule that needs that kicks it off again, ever weaker."""
    model = lw.Model("block on a floor")
    x, y = model.coordinates("x", "y")
    model.speeds(u=dt(x), v=dt(y))
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("block", P, 1.0)
    model.gravity(-G * model.frame.y)
    n = model.input("n", 1.0)
    model.contact("floor", P, lw.Plane(model.origin, model.frame.y), friction=0.5)
    model.rule("kick", -1.0, needs="floor: stick", reset={"u": 1.0 / n}, inputs={n: n + 1.0})
    run = lw.simulate(model, 0.6, q=[0.0, 0.0], u={"u": 1.0})
    kicks = [event.t for event in run.events if event.name == "kick"]
    assert kicks == approx((np.cumsum([1.0, 1.0, 1 / 2, 1 / 3]) / (0.5 * G)).tolist(), abs=1e-9)
    assert run.audit.energy_error < 1e-9


# --- inputs and energy ---------------------------------------------------------------------------------------------


def test_inputs_by_mode():
    """An input is what the last rule made it; the run remembers what it was before."""
    model, _x, v = block(drive=True)
    F = model.symbols["F"]
    model.rule("brake", 1.0 - model.time, inputs={F: -2.0 * v})
    model.rule("rest", v, inputs={"F": 0.0}, hold=lw.Constraint("rest", v))
    run = lw.simulate(model, 4.0, q=[0.0], u=[0.0], inputs={"F": 3.0})
    assert [event.t for event in run.events] == approx([1.0, 1.5], abs=1e-9)
    assert run.at([0.5, 1.2, 3.0])[F].tolist() == approx([3.0, -6.0, 0.0], abs=1e-9)
    assert run["x"][-1] == approx(1.5 + 0.75, abs=1e-9)
    assert run.audit.energy_error < 1e-9


def test_rule_ends_a_table():
    """From then on the input is what the rule says, not what its table would."""
    model, _x, _v = block(drive=True)
    model.rule("off", 1.5 - model.time, inputs={"F": 0.0})
    run = lw.simulate(model, 4.0, q=[0.0], inputs={"F": lw.Table([0.0, 1.0, 2.0], [1.0, 2.0, 50.0])})
    assert run["v"][-1] == approx(2.0, abs=1e-12)


def test_reset_of_a_coordinate_is_booked():
    """A jump in height changes K + V; the balance stays, and the event says what it took."""
    model, x, v = ball()
    model.rule("lift", x, reset={"x": x + 2.0, "v": 0.5 * v})
    run = lw.simulate(model, 0.8, q=[1.0])
    (event,) = run.events
    assert event.energy == approx(-2.0 * G + 0.75 * G, rel=1e-9)
    assert run.audit.energy_error < 1e-9


def test_reset_keeps_the_constraints_of_the_model():
    """Speeds that a reset leaves inconsistent become consistent by an impact."""
    model, u1, u2 = wheels()
    model.constraint("gear", u1 - 2.0 * u2)
    model.rule("kick", 1.0 - model.time, reset={u1: u1 + 3.0})
    run = lw.simulate(model, 2.0, q=[0.0, 0.0], u={"u1": 2.0})
    kick = 2.0 * 3.0 * 4.0 / (2.0 * 4.0 + 3.0)  # the momentum J1 3 moves J1 + J2/4
    assert run.u[-1] == approx([2.0 + kick, 1.0 + 0.5 * kick], rel=1e-12)
    assert run.audit.energy_error < 1e-10


# --- what is refused -----------------------------------------------------------------------------------------------


def test_rules_that_undo_each_other_are_refused():
    """Two rules without a gap between them fire in a circle; the message names both."""
    model, _x, v = block(drive=True)
    latch = lw.Constraint("latch", v)
    model.rule("holds", -1.0, hold=latch)
    model.rule("frees", 1.0 - abs(latch.force), release=latch)
    with pytest.raises(lw.IntegrationError, match="'holds', 'frees' of 'block' fire in a circle at t = 2: 'frees'"):
        lw.simulate(model, 3.0, q=[0.0], inputs={"F": 0.5 * model.time})


def test_bounces_without_end_are_refused():
    """At its Zeno time (1 + e)/(1 − e) times the first fall, a ball that is never held cannot go on."""
    model, x, v = ball()
    model.rule("bounce", x, reset={v: -0.5 * v})
    with pytest.raises(lw.IntegrationError, match=r"'bounce' of 'ball' fires again and again at t = 1.3545"):
        lw.simulate(model, 3.0, q=[1.0])


def test_relay_that_chatters_is_refused():
    """A force that always points to zero, with next to no gap, fires ever again: refused, with the names."""
    model, _x, v = block(drive=True)
    F = model.symbols["F"]
    model.rule("left", v + 1e-12, inputs={F: 1.0})
    model.rule("right", 1e-12 - v, inputs={F: -1.0})
    with pytest.raises(lw.IntegrationError, match=r"'left', 'right' of 'block' fire 100 times within .* they chatter"):
        lw.simulate(model, 3.0, q=[0.0], u=[1.0], inputs={"F": -1.0})


def test_reset_without_a_value_is_refused():
    """No number, no jump: the rule and what it would set are named."""
    model, x, v = block()
    model.rule("root", 1.0 - model.time, reset={v: lw.sqrt(x - 5.0)})
    with pytest.raises(lw.EvaluationError, match="rule 'root' of 'block' gives 'v' no finite value at t = 1"):
        lw.simulate(model, 2.0, q=[0.0], u=[1.0])


def test_constraint_that_is_not_met_is_refused():
    """A latch on coordinates holds where it is met, not elsewhere."""
    model, x, _v = block()
    model.rule("late", 1.0 - model.time, hold=lw.Constraint("latch", x))
    with pytest.raises(lw.ConstraintError, match="'late' cannot be imposed at t = 1: it is off by 1"):
        lw.simulate(model, 2.0, q=[0.0], u=[1.0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reset": {"m": 2.0}}, "resets 'm', which is not among the coordinates and speeds"),
        ({"reset": {"w": 2.0}}, "resets 'w', .* Known: x, v"),
        ({"inputs": {"G": 2.0}}, "sets the input 'G', which is not among the inputs .* Known: F"),
        ({"needs": "clutch"}, "'needs' of rule 'odd' names 'clutch', which 'block' does not have"),
        ({"release": "rail"}, "changes 'rail', which holds in every run"),
        ({"needs": "rial"}, "names 'rial', .* Did you mean 'rail'"),
        ({"when": "x + z"}, "z"),
        ({"when": "N.x"}, "rule 'odd' of 'block' is N.x, not a scalar"),
    ],
)
def test_names_that_mean_nothing_are_refused(changes, message):
    """What a rule names must be there, when the run begins."""
    model, x, v = block(drive=True)
    model.parameter("m", 1.0)
    model.constraint("rail", v - 1.0)
    model.rule("odd", **({"when": x} | changes))
    with pytest.raises(lw.LatchworkError, match=message):
        lw.simulate(model, 1.0, q=[0.0], u=[1.0])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"when": None}, "rule 'odd' watches None, not a scalar"),
        ({"hold": "latch"}, "rule 'odd' is to hold 'latch'"),
        ({"needs": [3]}, "'needs' of rule 'odd' has 3, which is no name"),
        ({"reset": 3.0}, "'reset' of rule 'odd' is 3.0"),
        ({"reset": {"v": [1.0]}}, "'reset' of rule 'odd' has 'v': \\[1.0\\]"),
        ({"name": " "}, "a rule needs a name"),
    ],
)
def test_what_is_no_rule_is_refused(changes, message):
    """A rule is checked where it is written."""
    with pytest.raises(lw.ModelError, match=message):
        lw.Rule(**({"name": "odd", "when": -1.0} | changes))


def test_law_cannot_be_set():
    """An input that follows a law is not set by a rule."""
    model, x, v = block(drive=True)
    model.rule("off", x, inputs={"F": 0.0})
    with pytest.raises(lw.ModelError, match="sets the input 'F', which follows a law"):
        lw.simulate(model, 1.0, q=[1.0], inputs={"F": -v})


def test_jump_cannot_depend_on_a_force():
    """Forces jump where a rule fires, so nothing is made of them there."""
    model, _x, v = block()
    latch = lw.Constraint("latch", v)
    model.rule("odd", 1.0 - model.time, hold=latch, reset={v: latch.force})
    with pytest.raises(lw.ModelError, match="makes 'v' depend on a force or an acceleration"):
        lw.simulate(model, 1.0, q=[1.0])


def test_force_of_several_rows_is_refused():
    """Which of them is meant has to be said."""
    _model, u1, u2 = wheels()
    both = lw.Constraint("both", [u1, u2])
    assert len(both.forces) == 2
    with pytest.raises(lw.ConstraintError, match=r"'both' has 2 rows. Say which of its forces"):
        both.force  # noqa: B018


def test_run_that_a_rule_broke_is_as_it_was():
    """A rule that cannot fire leaves the state and what holds alone."""
    model, x, v = block()
    model.rule("late", 1.0 - model.time, hold=[lw.Constraint("slow", v), lw.Constraint("latch", x)])
    sim = lw.Simulation(model, q=[0.0], u=[1.0])
    with pytest.raises(lw.ConstraintError, match="'late' cannot be imposed at t = 1"):
        sim.advance(2.0)
    assert (sim.active, sim.u, sim.q["x"]) == ((), {"v": 1.0}, approx(1.0))


def test_one_name_one_rule():
    """Two rules of one name are refused."""
    model, x, v = block()
    model.rule("mark", x)
    with pytest.raises(lw.ModelError, match="has a rule named 'mark' already"):
        model.rule("mark", v)


@pytest.mark.parametrize(("needs", "without", "stops"), [
    ("floor", (), True), ((), "floor", False), ("floor: corner +x-y", (), True), ("floor: corner +x+y", (), False),
    ("floor: corner +x-y: slide", (), True), ("floor: corner +x-y: stick", (), False),
])  # fmt: skip
def test_contacts_by_any_of_their_names(needs, without, stops):
    """A rule may need a contact to be closed, a feature of it, or how that is; a box lies on two of its corners."""
    model = lw.Model("box")
    link = model.planar("link", q=["x", "y", "turn"], u=["vx", "vy", "w"])
    box = model.body("box", link, link.origin, 1.0, lw.inertia(link.frame, zz=1.0))
    model.gravity(-9.8 * model.frame.y)
    model.contact("floor", box.box((1.0, 1.0)), lw.Line(model.origin, model.frame.x, model.frame.y))
    model.rule("late", 0.8 - model.time, needs=needs, without=without, stop=True)
    run = lw.simulate(model, 1.0, q={"x": 0.0, "y": 0.6, "turn": 0.0})
    assert run.t[-1] == pytest.approx(0.8 if stops else 1.0, abs=1e-12)


def test_contacts_change_in_machine_code_beside_rules(monkeypatch):
    """Rules that are armed do not stop machine code where a ball bounces: the loop of the run resets only where it
    begins and where a rule has fired. Times are those of the closed form, √(2 h / g) (1, 2, 2 + e, ...)."""
    made, plain = [], fallen_guards.reset
    monkeypatch.setattr(fallen_guards, "reset", lambda *given: made.append(given[1].t) or plain(*given))
    model = lw.Model("ball")
    y = model.coordinate("y")
    model.speeds(v=dt(y))
    N, O = model.frame, model.origin
    P = O.at("P", y * N.y)
    model.particle("ball", P, 1.0)
    model.force(P, (model.input("F") - 10.0) * N.y)
    model.contact("floor", P, lw.Line(O, N.x, N.y), restitution=0.5)
    model.rule("low", when="y - 0.8", inputs={"F": 0.0}, once=True)
    model.rule("never", when="y + 1", inputs={"F": 0.0})
    sim = lw.Simulation(model, q=[1.0], method=lw.DormandPrince(rtol=1e-10, atol=1e-12))
    sim.advance(1.2)
    fall = math.sqrt(0.2)
    assert [e.name for e in sim.events] == ["low", "floor", "floor", "floor"]
    assert [e.t for e in sim.events] == approx([0.2, fall, 2.0 * fall, 2.5 * fall], abs=1e-9)
    assert made == approx([0.0, 0.2], abs=1e-9)
