"""Constraints in model files: every word read, written and read again; errors with their lines."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from constraint.made import MADE, two_bodies
from latchwork.constraint.rows import rows_of
from latchwork.constraint.terms import terms_of
from latchwork.formats.model_file.constraint_tables import WORDS
from latchwork.kane.sample import random_states


def numbers(model: lw.Model) -> list[np.ndarray]:
    """Φ, B, C, c at a random state, and what the pulls exert there."""
    equations = model.equations()
    terms = terms_of(rows_of(equations, model.constraints))
    x = random_states(equations.system, 1)[0, : len(equations.arguments)]
    pulls = [pull for constraint in model.constraints for pull in constraint.pulls if pull is not None]
    loads = [pull.load(0.0 * model.time + 1.0 + i) for i, pull in enumerate(pulls)]
    added = equations.with_loads(*loads)
    n_q, n = len(equations.q), len(equations.u)
    force = added.evaluate(added.f, x[1 : 1 + n_q], x[1 + n_q : 1 + n_q + n], t=x[0])
    place = terms.place(x)
    return [place.Phi, place.B, place.C, terms.motion(x).c, np.ravel(force)]


@pytest.mark.parametrize("name", MADE)
def test_what_is_written_reads_back(name):
    """A model with any constraint, written and read, has the same rows and the same forces behind them."""
    model = two_bodies()
    MADE[name](model)
    text = lw.dump(model)
    again = lw.loads(text)
    assert lw.dump(again) == text
    for before, after in zip(numbers(model), numbers(again), strict=True):
        assert after == pytest.approx(before, rel=1e-12, abs=1e-12)


def test_every_word_is_written():
    """The makers of the tests between them use every word of the format."""
    words = set()
    for make in MADE.values():
        words |= make(two_bodies()).recipe.keys()
    assert words | {"zero"} == WORDS.keys()


FOUR_BAR = """
latchwork: 1
name: four-bar
parameters: {a: 0.4, b: 1.1, c: 0.9, d: 1.2}
joints:
  crank: {type: revolute}
  coupler: {type: revolute, inboard: crank, at: A}
  rocker: {type: revolute, at: D}
points:
  A: {from: crank, at: a*crank.x}
  B: {from: coupler, at: b*coupler.x}
  C: {from: rocker, at: c*rocker.x}
  D: {at: d*N.x}
bodies:
  1: {frame: crank, center: A, mass: 1, inertia: {zz: 0.1}}
  2: {frame: coupler, center: B, mass: 1, inertia: {zz: 0.1}}
constraints:
"""


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("  loop: {close: {type: revolute, a: coupler, b: rocker, at: B, to: C}}", 2),
        ("  loop: {zero: 'position(B, C)'}", 2),
        ("  loop: {zero: ['dot(position(B, C), N.x)', 'dot(position(B, C), N.y)']}", 2),
        ("  motor: {prescribe: {what: q_crank, law: 2*t}}", 1),
        ("  speed: {zero: dt(q_crank) - 2*dt(q_rocker)}", 1),
        ("  rod: {distance: {between: [B, O], length: 1 + 0.1*sin(t)}}", 1),
        ("  pin: {slot: {point: B, axis: rocker.x, on: rocker}}", 1),
        ("  circle: {implicit: {point: B, zero: x**2 + y**2 - a}}", 1),
    ],
)
def test_read(text, rows):
    """Constraints as a file writes them."""
    (constraint,) = lw.loads(FOUR_BAR + text).constraints
    assert constraint.name == text.split(":")[0].strip()
    assert len(constraint.zero) == rows


def test_the_words_of_a_file_are_the_methods_of_a_model():
    """A file and a script that say the same give the same accelerations."""
    model = lw.loads(FOUR_BAR + "  loop: {close: {type: revolute, a: coupler, b: rocker, at: B, to: C}}")
    peer = lw.loads(FOUR_BAR.removesuffix("constraints:\n"))
    links, points = peer.links, peer.points
    peer.close("revolute", "loop", links["coupler"], links["rocker"], at=points["B"], to=points["C"])
    held = model.constrained(independent=["u_crank"])
    q = held.assemble({"q_crank": 0.8})
    found = held.udot(q, {"u_crank": 1.0})
    assert found == pytest.approx(peer.constrained(independent=["u_crank"]).udot(q, {"u_crank": 1.0}), rel=1e-12)


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("  k: {}", "17:6", "constraints.k needs exactly one of zero, close, roll"),
        ("  k: {weld: {}}", "17:7", "constraints.k has no key 'weld'"),
        ("  k: {close: {type: hinge, a: N, b: crank}}", "17:21", "there is no joint type 'hinge'"),
        ("  k: {close: {type: free, a: N, b: crank}}", "17:3", "'k' cannot be closed by a joint of type 'free'"),
        ("  k: {close: {type: ball, a: M, b: crank}}", "17:30", "there is no frame 'M'"),
        ("  k: {close: {type: ball, a: N}}", "17:14", "constraints.k.close needs the key 'b'"),
        ("  k: {distance: {between: [B, C], length: q_crank}}", "17:3", "the length of 'k' contains q_crank"),
        ("  k: {gear: {a: crank, b: cog, ratio: 2}}", "17:27", "there is no joint 'cog'"),
        ("  k: {zero: q_crank < 1}", "17:13", "a scalar is needed here"),
        ("  k: {implicit: {point: B, zero: x*w}}", "17:36", "unknown name 'w'"),
        ("  k: {slot: {point: B, axis: 3}}", "17:30", "a vector is needed here"),
    ],
)
def test_errors_say_where(text, where, message):
    """A constraint that has no meaning is an error at its line and column."""
    with pytest.raises(lw.FileError, match=f"file:{where}: .*{message}"):
        lw.loads(FOUR_BAR.lstrip() + text, "file")


def test_places_that_have_other_names():
    """A function that needs a parameter called x is written as its row."""
    model = two_bodies()
    x = model.parameter("x", 2.0)
    model.implicit("made", model.points["P"], lambda a, b, c: a * a + b - x, on=model.links["b"])
    again = lw.loads(lw.dump(model))
    assert numbers(again)[1] == pytest.approx(numbers(model)[1], rel=1e-12, abs=1e-12)
    assert again.constraints[0].pulls == (None,)
