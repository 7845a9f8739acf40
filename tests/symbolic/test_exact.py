"""Constants as people write them: what a double stands for, arithmetic that rounds once, right angles, print."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

import latchwork as lw
from latchwork.formats.expressions.literal import Literal
from latchwork.symbolic import exact
from latchwork.symbolic.exact import PI, RATIONAL, Exact
from latchwork.symbolic.expr import Expr, cos, sin, tan
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.printing import latex, mathml, text
from latchwork.symbolic.sympy_bridge import to_sympy

GIVEN = {
    1 / 3: "1/3", 1 + 2 / 3: "5/3", -7 / 15: "-7/15", 0.1**2: "0.01", 0.1 + 0.2: "0.3", 0.1 * 0.12**2 / 12: "0.00012",
    math.pi: "pi", math.pi / 36: "pi/36", -5 * math.pi / 36: "-5*pi/36", math.radians(110): "11*pi/18", 2.5: "2.5",
    math.sqrt(3) / 2: "sqrt(3)/2", math.sqrt(0.5): "sqrt(2)/2", 3.14159: "3.14159", 1e-7: "1e-7", 1 / 1001: "1/1001",
    0.9999999999999999: "0.9999999999999999", 1.0000000000000002: "1.0000000000000002", 2**-30: "9.313225746154785e-10",
    9.80665: "9.80665", 0.1234567890123456: "0.1234567890123456",
}  # fmt: skip


def symbol(name: str = "x") -> Expr:
    graph = Graph("numbers")
    return Expr(graph, graph.symbol(name, "coordinate"))


@pytest.mark.parametrize(("value", "written"), GIVEN.items())
def test_numbers_stand_as_they_were_given(value, written):
    """A number from Python is written short where it is short, and its text is the same double when read."""
    x = symbol()
    number = sin(x) * value
    assert text(number).removesuffix("*sin(x)") == written
    assert Literal(x.graph).reads_as(text(number), number.node)


@given(st.fractions(-6, 6, max_denominator=36).filter(bool), st.sampled_from([PI, RATIONAL, 2, 3]))
def test_a_double_stands_for_what_it_was_rounded_from(c, unit):
    """exact(rounded(c · unit)) is c · unit, whatever its sign and unit."""
    assert exact.exact(exact.rounded(Exact(c, unit))) == Exact(c, unit)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_what_a_double_stands_for_is_no_farther_than_roundings(value):
    """A number from Python is moved by two parts in 10¹⁶ at most, and once only."""
    moved = exact.nearest(value)
    assert abs(moved - value) <= 2.0**-50.9 * abs(value)
    assert exact.nearest(moved) == moved


def test_numbers_are_moved_by_chance_only_rarely():
    """Of 20,000 drawn doubles none is taken for a short number but by chance of 10⁻⁵."""
    rng = random.Random(5)
    drawn = [rng.uniform(-10, 10) for _ in range(20_000)]
    assert sum(exact.nearest(x) != x for x in drawn) <= 3


SHORT = st.one_of(st.fractions(-60, 60, max_denominator=12), st.decimals(-100, 100, places=3).map(Fraction))


@given(SHORT, SHORT)
def test_arithmetic_rounds_once(a, b):
    """Sums, products and quotients are those of the numbers, not of their doubles."""
    assert exact.plus(float(a), float(b)) == float(a + b)
    assert exact.times(float(a), float(b)) == float(a * b)
    if b:
        assert exact.over(float(a), float(b)) == float(a / b)


def test_arithmetic_knows_units():
    """√2 √2 = 2, 1/√3 = √3/3, 2π/3 + π/3 = π, π/π = 1."""
    root2, root3 = math.sqrt(2), math.sqrt(3)
    assert exact.times(root2, root2) == 2.0
    assert exact.over(1.0, root3) == exact.rounded(Exact(Fraction(1, 3), 3))
    assert exact.plus(2 * math.pi / 3, math.pi / 3) == math.pi
    assert exact.over(math.pi, math.pi) == 1.0
    assert exact.root(8.0) == 2 * root2
    assert exact.root(4 / 9) == 2 / 3
    assert exact.root(7.0) is None


@pytest.mark.parametrize("degrees", range(-720, 721, 15))
def test_angles_give_what_they_give_on_paper(degrees):
    """sin and cos of whole multiples of 30° and 45° are 0, ±1/2, ±√2/2, ±√3/2, ±1; others are the kernel's."""
    angle = math.radians(degrees)
    c, s = float(cos(angle)), float(sin(angle))
    assert c == pytest.approx(math.cos(angle), abs=1e-15)
    assert s == pytest.approx(math.sin(angle), abs=1e-15)
    if degrees % 90 == 0:
        assert {abs(c), abs(s)} == {0.0, 1.0}
    if degrees % 180 and degrees % 45 == 0 and degrees % 90:
        assert abs(c) == abs(s) == math.sqrt(2) / 2
        assert abs(tan(angle)) == 1.0
    if degrees % 30 == 0:
        assert {round(4 * c * c, 12), round(4 * s * s, 12)} <= {0.0, 1.0, 3.0, 4.0}
        assert 0.5 in (abs(c), abs(s)) or degrees % 90 == 0


@pytest.mark.parametrize("quarter", range(-5, 6))
@pytest.mark.parametrize("function", ["sin", "cos"])
def test_right_angles_leave_the_sum(quarter, function):
    """cos(x + π/2) is -sin x, sin(π - x) is sin x, and so on for every quarter turn."""
    x, turn, value = symbol(), quarter * math.pi / 2, 0.7
    ours, known = getattr(lw, function), getattr(math, function)
    for made, expected in ((ours(x + turn), known(value + turn)), (ours(turn - x), known(turn - value)),
                           (ours(x - turn), known(value - turn))):  # fmt: skip
        assert text(made).removeprefix("-") in ("sin(x)", "cos(x)")
        assert float(made.subs({x: value})) == pytest.approx(expected, abs=1e-14)


def test_a_frame_turned_by_a_right_angle_exchanges_axes():
    """Direction cosines of quarter turns are 0 and ±1, so that zeros are structural; of π/6, 1/2 and √3/2."""
    model = lw.Model("axes")
    N = model.frame
    A = N.rotated("A", math.pi / 2, N.x).rotated("B", math.radians(270), N.x)
    C = N.rotated("C", math.radians(90), N.z)
    assert {float(e) for row in N.direction_cosines(C) for e in row} == {0.0, 1.0, -1.0}
    assert N.direction_cosines(A)[1][1] == 1.0
    tilted = N.rotated("D", math.pi / 6, N.y)
    assert str(N.direction_cosines(tilted)) == "[[sqrt(3)/2, 0, 0.5], [0, 1, 0], [-0.5, 0, sqrt(3)/2]]"


def test_an_axis_between_axes_is_exact():
    """A turn about (1, 1, 0) by π: R = 2 λ λᵀ - U exchanges x and y."""
    model = lw.Model("axis")
    N = model.frame
    A = N.rotated("A", math.pi, N.x + N.y)
    assert [[float(e) for e in row] for row in N.direction_cosines(A)] == [[0, 1, 0], [1, 0, 0], [0, 0, -1]]


def test_units_are_typeset():
    """π and roots stand over the fraction bar."""
    x = symbol("q")
    assert latex(x * (math.pi / 36)) == r"\frac{\pi}{36} q"
    assert latex(x * (5 * math.pi / 36)) == r"\frac{5 \pi}{36} q"
    assert latex(1 / x * (math.sqrt(3) / 2)) == r"\frac{\sqrt{3}}{2 q}"
    assert latex(x + math.pi) == r"\pi + q"
    assert latex(x * (2 * math.pi)) == r"2 \pi q"
    assert latex(-x * (7 / 15)) == r"-\frac{7}{15} q"
    assert mathml(x * (math.pi / 36), inner=True) == (
        "<mrow><mfrac><mi>π</mi><mn>36</mn></mfrac><mo>&#x2062;</mo><mi>q</mi></mrow>"
    )


def test_sympy_gets_the_numbers_that_were_meant():
    """5/3 is a Rational there, π/36 a multiple of pi, √3/2 one of a root; all come back as the same constants."""
    sympy = pytest.importorskip("sympy")
    x = symbol()
    for value, meant in ((1 + 2 / 3, sympy.Rational(5, 3)), (math.pi / 36, sympy.pi / 36),
                         (math.sqrt(3) / 2, sympy.sqrt(3) / 2), (0.35, sympy.Rational(7, 20))):  # fmt: skip
        out = to_sympy(sin(x) * value)
        assert sympy.simplify(out / meant).has(sympy.sin)
        assert not (out / meant).atoms(sympy.Number, sympy.NumberSymbol) - {sympy.Integer(1)}
