"""Rules in model files: read, written, read again; errors with their lines."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import latchwork as lw
from formats.rule_texts import HEAD, RULES, SWITCHED, TOUCHING
from latchwork.constraint.forces import force_of

EXAMPLES = Path(__file__).parents[2] / "examples"


def model() -> lw.Model:
    """What the file says, in Python."""
    made = lw.loads(HEAD)
    q1, q2, u1, u2, limit, closer, gust, since, t = (
        made.symbols[name] for name in ("q1", "q2", "u1", "u2", "limit", "closer", "gust", "since", "t")
    )
    latch, bolt, both = lw.Constraint("latch", q1), lw.Latch("bolt", q2), lw.Constraint("both", [u1, u2])
    made.rule("falls shut", q1, hold=[latch, bolt], inputs={closer: 0.0, gust: 2.0, since: t})
    made.rule("is torn open", limit - abs(latch.force), release=[latch, bolt], reset={"u2": 0.5 * u1}, once=True)
    made.rule("stops", 2 - bolt.force - both.forces[1], hold=both, without=latch, needs=[bolt], stop=True)
    return made


def said(rule: lw.Rule) -> dict[str, Any]:
    """A rule in words."""
    texts = {key: {name: str(value) for name, value in getattr(rule, key).items()} for key in ("reset", "inputs")}
    held = [(type(item).__name__, item.name) for item in rule.held]
    plain = {key: getattr(rule, key) for key in ("name", "release", "needs", "without", "once", "stop")}
    return {**plain, **texts, "hold": held, "when": str(rule.when)}


def test_a_file_says_what_a_script_says():
    """Every word of a rule: the same rules from a file and from Python."""
    found = lw.loads(HEAD + SWITCHED + RULES)
    assert [said(rule) for rule in found.rules] == [said(rule) for rule in model().rules]
    shut, torn, stops = found.rules
    assert torn.when == found.symbols["limit"] - abs(force_of(found.graph, "latch"))
    assert [str(e) for e in stops.held[0].zero] == ["u1", "u2"]
    assert found.constraints == ()
    assert shut.held[0].name in torn.release


def test_what_is_written_reads_back():
    """Rules and what they hold, written and read, are the same, and are written the same again."""
    text = lw.dump(model())
    again = lw.loads(text)
    assert [said(rule) for rule in again.rules] == [said(rule) for rule in model().rules]
    assert lw.dump(again) == text


def test_conditions_as_texts_survive():
    """A condition that was given as text is written as it is."""
    made = lw.loads(HEAD)
    made.rule("late", "3 - t", stop=True)
    (rule,) = lw.loads(lw.dump(made)).rules
    assert str(rule.when) == "3 - t"


@pytest.mark.parametrize(("name", "until"), [("latch", 4.0), ("clutch", 3.0)])
def test_a_file_runs_as_a_script_does(monkeypatch, name, until):
    """Examples with rules, written and read: the same events at the same times."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    monkeypatch.delitem(sys.modules, name, raising=False)
    example = __import__(name)
    script = example.build()
    events = [[(event.name, event.t) for event in example.run(each, until).events]
              for each in (script, lw.loads(lw.dump(script)))]  # fmt: skip
    assert len(events[0]) >= 2
    assert events[0] == events[1]


def test_long_conditions_on_forces_survive():
    """A condition that would get names under 'let' is written whole where it has forces, which 'let' cannot know."""
    made = lw.loads(HEAD)
    q1, q2, u1, limit = (made.symbols[name] for name in ("q1", "q2", "u1", "limit"))
    latch = lw.Constraint("latch", q1)
    shared = lw.sin(latch.force + limit * q1 * q2 - u1**2 + 0.1 * limit**2 * u1 * q2 - 3.0)
    made.rule("odd", shared**2 + lw.cos(shared) + lw.exp(shared) * shared - 1.0, hold=latch)
    (rule,) = lw.loads(lw.dump(made)).rules
    assert str(rule.when) == str(made.rules[0].when)


def test_two_things_of_one_name_are_refused():
    """Rules that hold different things under one name cannot be written, and say so."""
    made = lw.loads(HEAD)
    made.rule("one", made.symbols["q1"], hold=lw.Constraint("latch", made.symbols["q1"]))
    made.rule("two", made.symbols["q2"], hold=lw.Constraint("latch", made.symbols["q2"]))
    with pytest.raises(lw.FileError, match="rule 'two' holds 'latch', which is something else for another rule"):
        lw.dump(made)


def test_forces_of_contacts():
    """A contact is named as a whole or by feature, and by how it stands."""
    made = lw.loads(HEAD + TOUCHING)
    box, tip = made.contacts
    assert len(box.features) > 1
    assert made.rules[0].when == 1 - box.force
    assert made.rules[1].when == 2 - tip.features[0].force
    assert lw.dump(lw.loads(lw.dump(made))) == lw.dump(made)


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("rules: {k: {}}", "11:12", "rules.k needs the key 'when'"),
        ("rules: {k: {when: q1, holds: x}}", "11:23", "rules.k has no key 'holds'. Did you mean 'hold'"),
        ("rules: {k: {when: q1 < 0}}", "11:19", "a scalar is needed here"),
        ("rules: {k: {when: q1, hold: latch}}", "11:29", "'hold' names 'latch', which is none"),
        ("rules: {k: {when: q1, needs: [latch]}}", "11:31", "'needs' names 'latch', which is none"),
        ("rules: {k: {when: q1, reset: {v1: 0}}}", "11:31", "'reset' names 'v1', which is none"),
        ("rules: {k: {when: q1, inputs: {limit: 0}}}", "11:32", "'inputs' names 'limit', which is none. .*closer"),
        ("rules: {k: {when: q1, once: 1}}", "11:29", "rules.k.once is true or false; found '1'"),
        ("rules: {k: {when: q1, reset: 3}}", "11:30", "rules.k.reset is a mapping from names to values"),
        ("rules: {k: {when: 1 - force(latch)}}", "11:29", "the force of 'latch' is not known here"),
        ("rules: {k: {when: 1 - force(q1 + q2)}}", "11:32", "takes the name of a constraint or contact here"),
        ("rules: {k: {when: nan}}", "11:19", "unknown name 'nan'"),
        ("switched: {latch: {zero: q1}}", "11:12", "'latch' is under 'switched', and no rule holds it"),
        ("switched: {latch: {bolt: q1}}", "11:20", "switched.latch has no key 'bolt'"),
        ("switched: {latch: {zero: q1, latch: q1}}", "11:30", "needs exactly one of"),
        ("constraints: {k: {zero: q1}}\nswitched: {k: {zero: q1}}", "12:12", "'k' is a constraint or contact already"),
        ("constraints: {k: {zero: q1}}\nrules: {k: {when: 1 - force(h)}}", "12:29", "no constraint or contact 'h'"),
        ("run: {outputs: {F: force(latch)}}", "11:26", "there is no joint, load, constraint or contact 'latch'"),
    ],
)
def test_errors_say_where(text, where, message):
    """A rule that has no meaning is an error at its line and column."""
    with pytest.raises(lw.FileError, match=f"file:{where}: .*{message}"):
        lw.loads(HEAD + text, "file")
