"""Whatever a file holds, it is a model or it is one FileError."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import latchwork as lw
from formats.rule_texts import HEAD, RULES, SWITCHED, TOUCHING
from latchwork.formats.expressions.parser import parse
from latchwork.formats.model_file.yaml_reader import read_model

EXAMPLES = [path.read_text() for path in sorted((Path(__file__).parents[2] / "examples").glob("*.yaml"))]
EXAMPLES += [HEAD + SWITCHED + RULES, HEAD + TOUCHING]
WORDS = (
    "q1 q2 u1 m L t N O A B P N.x A.y . ' ` sin cos atan2 dt where dot cross velocity position angular_velocity "
    "magnitude min equal ( ) ( ) , + - * / ** < <= == & | ~ 0 1 2 1e9 .5 1e400 pi __class__ foo : [ ] { } # \\n"
).split()
YAML = "latchwork: name: parameters: frames: joints: loads: run: let: - [ ] { } , : & * ! | > ' # % @ 1 N.x ~".split()


@cache
def small() -> lw.Model:
    """A model with one of each."""
    model = lw.Model("small")
    _, L = model.parameters(m=1.0, L=2.0)
    q1, q2 = model.coordinates("q1", "q2")
    model.speeds(u1=lw.dt(q1), u2=lw.dt(q2))
    A = model.frame.rotated("A", q1, model.frame.z)
    A.rotated("B", q2, A.x)
    model.origin.at("P", L * A.x)
    return model


def outcome(read: Callable[[], object]) -> object:
    """What was read, or its refusal; any other error goes on."""
    try:
        return read()
    except lw.FileError as refusal:
        return refusal


def is_sound(found: object) -> bool:
    """A result, or a refusal that says where."""
    return not isinstance(found, lw.FileError) or (found.source == "fuzz" and found.line > 0 and found.column > 0)


@st.composite
def mutated(draw: st.DrawFn) -> str:
    """A valid file with a few pieces cut, doubled or replaced."""
    text = draw(st.sampled_from(EXAMPLES))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        end = min(len(text), start + draw(st.integers(0, 12)))
        new = draw(st.sampled_from(["", text[start:end] * 2, *WORDS, *YAML]) | st.text(max_size=4))
        text = text[:start] + new + text[end:]
    return text


TOKENS = st.lists(st.sampled_from(WORDS), max_size=25).map("".join) | st.text(max_size=40)


@given(TOKENS)
def test_expressions(text):
    """Random tokens and random characters are an expression, or one FileError."""
    found = outcome(lambda: parse(text, small(), "fuzz"))
    assert isinstance(found, lw.Expr | lw.Vector | lw.FileError)
    assert is_sound(found)


@given(st.text(max_size=200) | st.lists(st.sampled_from([*YAML, "\n", "\n  ", " "]), max_size=40).map(" ".join))
def test_pages(text):
    """Random text never gives anything but a FileError."""
    assert is_sound(outcome(lambda: read_model(text, "fuzz")))


@given(mutated())
def test_damaged_files(text):
    """A file that was good and has been damaged is a model or one FileError."""
    assert is_sound(outcome(lambda: read_model(text, "fuzz")))


@pytest.mark.campaign
@given(mutated())
@settings(max_examples=20_000)
def test_damaged_files_at_length(text):
    """The same for a long time."""
    assert is_sound(outcome(lambda: read_model(text, "fuzz")))


@pytest.mark.campaign
@given(TOKENS)
@settings(max_examples=20_000)
def test_expressions_at_length(text):
    """Random tokens for a long time."""
    assert is_sound(outcome(lambda: parse(text, small(), "fuzz")))
