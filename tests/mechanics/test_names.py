"""Names: what can name a thing, and that nothing a terminal would obey gets into one or out of an error."""

from __future__ import annotations

import re
from functools import cache

import pytest

import latchwork as lw
from latchwork.errors import SYNONYMS, answering

ESCAPE = "\x1b[31mred"


def given():
    """A model with something to name things about."""
    model = lw.Model("names")
    hinge = model.revolute("hinge", q=["q"], u=["u"])
    return model, hinge, model.frame, model.origin


@cache
def falling():
    """A run of a stone."""
    model = lw.Model("stone")
    y = model.coordinate("y")
    model.particle("P", model.origin.at("P", y * model.frame.y), 1.0)
    return lw.simulate(model, 0.1, q=[0.0], u=[1.0])


NAMED = {
    "model": lambda m, h, N, O: lw.Model(ESCAPE),
    "frame": lambda m, h, N, O: N.rotated(ESCAPE, 0.1, N.z),
    "point": lambda m, h, N, O: O.at(ESCAPE, 0.1 * N.x),
    "body": lambda m, h, N, O: m.body(ESCAPE, h, h.origin, 1.0, lw.inertia(h.frame, zz=1.0)),
    "particle": lambda m, h, N, O: m.particle(ESCAPE, h.origin, 1.0),
    "joint": lambda m, h, N, O: m.revolute(ESCAPE),
    "load": lambda m, h, N, O: m.force(h, N.x, name=ESCAPE),
    "constraint": lambda m, h, N, O: m.constraint(ESCAPE, h.q[0]),
    "free constraint": lambda m, h, N, O: lw.Constraint(ESCAPE, h.q[0]),
    "contact": lambda m, h, N, O: m.contact(ESCAPE, h.origin, lw.Line(O, N.x, N.y)),
    "limit": lambda m, h, N, O: m.limit(ESCAPE, h, (0.0, 1.0)),
    "rule": lambda m, h, N, O: m.rule(ESCAPE, h.q[0], stop=True),
    "latch": lambda m, h, N, O: lw.Latch(ESCAPE, h.q[0]),
    "coordinate": lambda m, h, N, O: m.coordinates(ESCAPE),
    "parameter": lambda m, h, N, O: m.parameter(ESCAPE, 1.0),
    "file": lambda m, h, N, O: lw.loads('latchwork: 1\nname: "\\e[31mred"\n'),
    "joint in a file": lambda m, h, N, O: lw.loads('latchwork: 1\nname: a\njoints: {"\\e[31mred": {type: weld}}\n'),
}


@pytest.mark.parametrize("make", NAMED.values(), ids=NAMED.keys())
def test_what_a_terminal_would_obey_names_nothing(make):
    """Escapes, and all that is not printed, are refused, and shown written out."""
    with pytest.raises(lw.LatchworkError, match=r"\\x1b\[31mred") as caught:
        make(*given())
    assert "\x1b" not in str(caught.value)


def test_errors_write_out_what_they_quote():
    """Whatever is quoted, from a file or from a call; lines stay lines."""
    model, *_ = given()
    with pytest.raises(lw.EvaluationError, match=r"\\x1b\[31mred") as caught:
        model.equations().udot(q={ESCAPE: 1.0})
    assert "\x1b" not in str(caught.value)
    assert str(lw.LatchworkError("one\ntwo\x9b")) == "one\ntwo\\x9b"


@pytest.mark.parametrize(("name", "meaning"), [("t", "the time of every model"), ("pi", "the number"),
                                               ("sin", "a function in expressions")])  # fmt: skip
def test_names_that_mean_something_already(name, meaning):
    """A coordinate called t is refused because t is the time."""
    model, *_ = given()
    with pytest.raises(lw.ModelError, match=f"'{name}' cannot name a coordinate of 'names': '{name}' is {meaning}"):
        model.coordinate(name)


def test_a_name_that_a_model_does_not_have_is_answered_by_the_nearest():
    """`model.beem`; and what asks whether there is such a name hears that there is not."""
    with pytest.raises(AttributeError, match=r"Model has no 'beem'\. Did you mean 'beam'\?"):
        _ = lw.Model("arm").beem
    with pytest.raises(AttributeError, match=r"Model has no 'spherical'\. Did you mean 'ball'\?"):
        _ = lw.Model("arm").spherical
    with pytest.raises(AttributeError, match=r"It is a function: write lw\.simulate\(model, \.\.\.\)"):
        lw.Model("arm").simulate(until=1.0)
    with pytest.raises(AttributeError, match=r"Its equations have: write model\.equations\(\)\.linearize"):
        lw.Model("arm").linearize()
    assert not hasattr(lw.Model("arm"), "wings")
    assert not hasattr(lw.Model("arm"), "_repr_html_of_notebooks_")


def test_what_other_programs_call_a_thing_is_answered_by_its_name_here():
    """Joints of other programs, and arguments; every name that is offered exists."""
    model = lw.Model("arm")
    with pytest.raises(lw.ModelError, match=r"there is no joint type 'hinge'\. Did you mean 'revolute'\?"):
        model.joint("hinge", "elbow")
    with pytest.raises(lw.ArgumentError, match=r"takes no argument 'k' .*Did you mean 'stiffness'\?"):
        model.spring(model.origin, model.origin, k=3.0)
    methods, options = {*dir(lw.Model)}, {"until", "friction", "restitution", "stiffness", "length", "q", "u", "method"}
    assert {name for names in SYNONYMS.values() for name in names} <= methods | options | {*dir(lw)}


def test_the_name_of_a_joint_is_answered_by_its_coordinate():
    """In a run, where a joint called hinge has the coordinate q_hinge."""
    model = lw.Model("arm")
    link = model.revolute("hinge")
    model.particle("bob", link.origin.at("bob", link.frame.x), 1.0)
    with pytest.raises(lw.EvaluationError, match=r"'hinge' is not in the run of 'arm'\. Did you mean 'q_hinge'\?"):
        _ = lw.simulate(model, until=0.1)["hinge"]


def test_a_model_is_counted_in_words():
    """One body, two bodies."""
    model = lw.Model("arm")
    first = model.revolute("shoulder")
    model.particle("hand", first.origin.at("hand", first.frame.x), 1.0)
    assert repr(model) == "<Model 'arm': 1 body, 1 coordinate, 0 loads, 0 constraints>"
    model.particle("elbow", first.origin.at("elbow", 0.5 * first.frame.x), 1.0)
    assert repr(model) == "<Model 'arm': 2 bodies, 1 coordinate, 0 loads, 0 constraints>"


ASKED = {
    "run": (lambda run: run.plott("q1"), "Trajectory has no 'plott'. Did you mean 'plot'?"),
    "equations": (lambda run: run.equations.lineariz, "Equations has no 'lineariz'. Did you mean 'linearize'?"),
    "vector": (lambda run: lw.Model("a").frame.x.Dot, "Vector has no 'Dot'. Did you mean 'dot'?"),
    "frame": (lambda run: lw.Model("a").frame.X, "Frame has no 'X'. Did you mean 'x'?"),
    "point": (lambda run: lw.Model("a").origin.att, "Point has no 'att'. Did you mean 'at'?"),
    "audit": (lambda run: run.audit.energy_eror, "Audit has no 'energy_eror'. Did you mean 'energy_error'?"),
    "event": (lambda run: run.events.foo, "Events has no 'foo'. Known: count, index."),
    "symbol": (lambda run: lw.Model("a").parameter("length", 1.0).graf, "Expr has no 'graf'. Did you mean 'graph'?"),
}  # fmt: skip


@pytest.mark.parametrize("what", ASKED)
def test_what_an_object_does_not_have_is_answered(what):
    """Of every kind of object that users hold; as an error of Latchwork, which a notebook shows in two lines."""
    ask, words = ASKED[what]
    with pytest.raises(lw.UnknownAttribute, match=re.escape(words)):
        ask(falling())


def test_a_property_that_fails_inside_says_so():
    """An AttributeError inside a property is not taken for a name that is not there."""

    @answering
    class Odd:
        @property
        def broken(self):
            return None.inside

    with pytest.raises(AttributeError, match="'NoneType' object has no attribute 'inside'"):
        _ = Odd().broken


def test_a_table_answers_a_name_that_it_does_not_have():
    """Symbols, points, frames, bodies and joints by name: a KeyError that says what was meant."""
    model = lw.Model("arm")
    model.parameter("length", 1.0)
    with pytest.raises(KeyError, match=r"'lenght' is no symbol of 'arm'\. Did you mean 'length'\?"):
        _ = model.symbols["lenght"]
    with pytest.raises(lw.UnknownName, match="'Q' is no point of 'arm'"):
        _ = model.points["Q"]
    assert model.symbols.get("lenght") is None
