"""Equations of all examples as people write them: no number that a shorter one explains; the same bits when read."""

from __future__ import annotations

import io
import json
import re
import tokenize
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import latchwork as lw
from latchwork.cli.derive import as_assignments, as_json
from latchwork.formats.expressions.evaluate import evaluated
from latchwork.formats.expressions.functions import SCALAR
from latchwork.formats.expressions.literal import copied
from latchwork.formats.expressions.postfix import compiled
from latchwork.formats.expressions.scope import Scope, Value
from latchwork.formats.places import Place, Text
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.realtime.exhibit import exhibit_of
from latchwork.symbolic.exact import nearest
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.printing.numbers import explained
from latchwork.view import gallery

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
VARIANTS = [(name, k) for name in gallery.NAMES for k in range(len(gallery.load(name).models()))]
NUMBER = re.compile(r"(?<![A-Za-z0-9_.])(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e-?[0-9]+)?")
# Scripts that work numbers out before they give them: integrals of shapes, inertias in other axes.
COMPUTED = ("aghili_arm", "kelly_berthing", "buffinton_6_beam", "robot_on_floor", "spin_up")
FEW = 12  # digits of a number that was given, or made of given ones in one or two products


@cache
def derived(name: str, k: int) -> lw.Equations:
    return gallery.load(name).models()[k].equations()


def digits(number: str) -> str:
    return number.partition("e")[0].replace(".", "").strip("0")


@cache
def given(name: str) -> set[str]:
    """The digits of the numbers that stand in a script."""
    source = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return {digits(token.string) for token in tokens if token.type == tokenize.NUMBER}


@pytest.mark.parametrize(("name", "k"), VARIANTS)
def test_numbers_are_those_that_were_given(name, k):
    """What print(eq) shows: whole numbers, decimals, ratios, multiples of π; many digits where the script has them."""
    long = {number for number in NUMBER.findall(str(derived(name, k))) if len(digits(number)) > FEW}
    assert not {number for number in long if name not in COMPUTED and digits(number) not in given(name)}
    if name != "buffinton_6_beam":  # its integrals of shapes are rounded where they are worked out
        assert not {number for number in long if nearest(float(number)) != float(number) or explained(float(number))}


@pytest.mark.parametrize(("name", "k"), VARIANTS)
def test_printed_equations_give_the_same_bits(name, k):
    """Every assignment that ``latchwork derive --exact`` prints is, when read, the very expression that was printed;
    ``--json`` has the same ones."""
    eq = derived(name, k)
    written = [line.split(" = ", 1) for line in as_assignments(eq).splitlines()]
    assert json.loads(as_json(eq))["assignments"] == written
    graph = eq.system.graph
    twin = copied(graph)
    names = {symbol.name: Value(SCALAR, Expr(twin, i)) for i, symbol in graph.symbols.items()}
    read = {}
    for key, text in written:
        value = evaluated(compiled(Text(text, Place("equations"))), Scope(twin, symbols=names | read))
        read[key] = Value(SCALAR, value.it)
    n = len(eq.u)
    expected = {f"M[{i}][{j}]": eq.M[i, j].node for i in range(n) for j in range(n)}
    expected |= {f"f[{i}]": e.node for i, e in enumerate(eq.f)}
    expected |= {f"qdot[{i}]": e.node for i, e in enumerate(eq.qdot_expressions)}
    assert {key: read[key].it.node for key in expected} == expected


@pytest.mark.parametrize(("name", "k"), VARIANTS)
def test_text_for_people_gives_the_same_values(name, k):
    """What print(eq) shows orders sums and products for reading: read back, it is mostly the very expression, and else
    differs from it by the rounding of another order of additions and products."""
    eq = derived(name, k)
    graph = eq.system.graph
    names = {symbol.name: Value(SCALAR, Expr(graph, i)) for i, symbol in graph.symbols.items()}
    shown = [(e, str(e)) for e in (*eq.f, *eq.qdot_expressions)]
    shown = [(e, text) for e, text in shown if not text.startswith("<")]  # too long for a line: only counted
    read = [evaluated(compiled(Text(text, Place("equations"))), Scope(graph, symbols=names)).it for _, text in shown]
    pairs = [(e.node, value.node if isinstance(value, Expr) else graph.constant(float(value)))
             for (e, _), value in zip(shown, read, strict=True)]  # fmt: skip
    pairs = [(one, other) for one, other in pairs if one != other]
    symbols = [Expr(graph, i) for i in graph.symbols]
    both = Function(lower(graph, [node for pair in pairs for node in pair], symbols))
    for x in np.random.default_rng(0).uniform(0.2, 1.2, (8, len(symbols))):
        values = both(x).reshape(-1, 2)
        assert values[:, 0] == pytest.approx(values[:, 1], rel=1e-12, abs=1e-12, nan_ok=True)


def test_governor_has_no_dust_of_right_angles():
    """Frames turned by π/2 leave no 6.1e-17 in the equations, and none of the products that were multiplied by it."""
    assert "e-" not in str(derived("iftomm_a05_governor", 0))


def test_four_bar_windows_have_thirds():
    """A uniform rod's moment of inertia, m l²/3, and what it adds up to, stay ratios."""
    assert "5/3" in str(derived("double_pendulum", 0))
    assert "1.6666" not in str(derived("iftomm_a02_four_bars", 0))


@pytest.mark.parametrize(("name", "k"), VARIANTS)
def test_every_symbol_is_described(name, k):
    """Parameters and inputs of all examples have a unit, or say in words what they count."""
    system = derived(name, k).system
    assert [s.name for s in (*system.p, *system.r) if not s.unit and not s.description] == []


@pytest.mark.parametrize("name", gallery.live_names())
def test_every_slider_is_described(name):
    """What a visitor can change has a unit, or words."""
    exhibit = exhibit_of(name)
    symbols = {s.name: s for s in (*exhibit.model.system().p, *exhibit.model.system().r)}
    assert [s for s in exhibit.sliders if not symbols[s].unit and not symbols[s].description] == []
