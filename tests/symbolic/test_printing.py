"""What a reader sees: golden cases, text that reads back, and forms that are well made."""

from __future__ import annotations

from fractions import Fraction
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

import latchwork.symbolic as sym
from latchwork.errors import ExpressionError
from latchwork.symbolic import (
    Expr,
    Graph,
    atan2,
    cos,
    dt,
    equal,
    exp,
    latex,
    listing,
    log,
    mathml,
    minimum,
    sin,
    sqrt,
    text,
    where,
)
from latchwork.symbolic.printing.names import natural, split_name
from symbolic.plain import EXACT, NAMES, RECIPES, WRITTEN, evaluate, symbols, written

FUNCTIONS = WRITTEN | {"where": sym.where, "equal": sym.equal, "dt": dt}
CORE = {
    "math", "mrow", "mi", "mn", "mo", "msup", "msub", "mfrac", "msqrt", "mover", "mtext", "mtable", "mtr", "mtd",
    "mspace",
}  # fmt: skip

# expression, text, LaTeX
GOLDEN = {
    "double pendulum": (
        lambda s: (3 + 2 * cos(s["q2"])) * s["L"] * s["m"] * s["L"],
        "m*L**2*(3 + 2*cos(q2))",
        r"m L^{2} \left(3 + 2 \cos q_{2}\right)",
    ),
    "a positive term first": (
        lambda s: -s["m"] * s["gravity"] * s["L"] * sin(s["q1"]) + s["T"],
        "T - gravity*m*L*sin(q1)",
        r"T - \mathrm{gravity} m L \sin q_{1}",
    ),
    "centripetal": (
        lambda s: s["u1"] ** 2 * sin(s["q2"]) ** 2 * s["L"] * s["m"],
        "m*L*sin(q2)**2*u1**2",
        r"m L u_{1}^{2} \sin^{2} q_{2}",
    ),
    "kinetic energy": (lambda s: 0.5 * s["m"] * s["u1"] ** 2, "0.5*m*u1**2", r"\frac{1}{2} m u_{1}^{2}"),
    "a third": (lambda s: s["q1"] * (1 / 3), "1/3*q1", r"\frac{1}{3} q_{1}"),
    "a tenth": (lambda s: 0.1 * s["q1"], "0.1*q1", "0.1 q_{1}"),
    "small": (lambda s: 2.5e-9 * s["q1"], "2.5e-9*q1", r"2.5 \cdot 10^{-9} q_{1}"),
    "one fraction": (
        lambda s: s["q1"] / s["m"] / (2 * s["L"]),
        "q1/(2*m*L)",
        r"\frac{q_{1}}{2 m L}",
    ),
    "rates": (
        lambda s: dt(s["q1"]) * s["q2"] + dt(s["u1"]),
        "q2*dt(q1) + dt(u1)",
        r"q_{2} \dot{q}_{1} + \dot{u}_{1}",
    ),
    "all negative": (lambda s: -(s["q1"] + s["q2"]), "-q1 - q2", "-q_{1} - q_{2}"),
    "nested difference": (lambda s: s["m"] - (s["q1"] - s["q2"]), "m - q1 + q2", "m - q_{1} + q_{2}"),
    "numbers last if negative": (lambda s: s["q1"] - 1, "q1 - 1", "q_{1} - 1"),
    "powers": (
        lambda s: s["q1"] ** -2 + s["q2"] ** 1.5 + s["q2"] ** s["m"],
        "1/q1**2 + q2**1.5 + q2**m",
        r"\frac{1}{q_{1}^{2}} + q_{2}^{\frac{3}{2}} + q_{2}^{m}",
    ),
    "Greek": (
        lambda s: cos(s["theta2"] + s["q1"]) * s["k10"] * s["k2"],
        "k2*k10*cos(q1 + theta2)",
        r"k_{2} k_{10} \cos\left(q_{1} + \theta_{2}\right)",
    ),
    "functions": (
        lambda s: sqrt(s["q1"]) * exp(-s["q1"]) / log(s["m"]) + abs(s["q1"]) + atan2(s["q1"], s["m"]),
        "abs(q1) + atan2(q1, m) + exp(-q1)*sqrt(q1)/log(m)",
        r"\left|q_{1}\right| + \operatorname{atan2}\left(q_{1}, m\right) + \frac{e^{-q_{1}} \sqrt{q_{1}}}{\ln m}",
    ),
    "cases": (
        lambda s: where((s["q1"] < 0) | ~(s["q1"] <= s["m"]), 1, minimum(s["q2"], s["q1"])),
        "where((q1 < 0) | ~(q1 <= m), 1, min(q1, q2))",
        r"\begin{cases} 1 & \text{if } \left(q_{1} < 0\right) \lor \lnot \left(q_{1} \le m\right) \\ "
        r"\min\left(q_{1}, q_{2}\right) & \text{otherwise} \end{cases}",
    ),
    "equality": (lambda s: where(equal(s["q1"], 2), 3, 4), "where(equal(2, q1), 3, 4)", None),
}


@pytest.fixture
def s():
    return symbols(Graph("arm"))


def read(written_text, leaves):
    """Text read back by Python with the package's functions."""
    graph = leaves["m"].graph
    value = eval(written_text, {"__builtins__": {}}, FUNCTIONS | dict(leaves))
    return value if isinstance(value, Expr) else Expr(graph, graph.constant(float(value)))


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_text(s, name):
    """Expressions read as a person would write them."""
    make, expected, _ = GOLDEN[name]
    assert text(make(s)) == expected


@pytest.mark.parametrize("name", [name for name, row in GOLDEN.items() if row[2]])
def test_golden_latex(s, name):
    """Fractions, roots, dots, Greek letters and subscripts as they are typeset."""
    make, _, expected = GOLDEN[name]
    assert latex(make(s)) == expected


@pytest.mark.parametrize("name", GOLDEN)
def test_mathml_is_well_formed(s, name):
    """MathML is XML made of core elements, with the arguments its elements need."""
    tree = ElementTree.fromstring(mathml(GOLDEN[name][0](s)))
    assert tree.tag == "math"
    assert tree.get("display") == "block"
    assert {element.tag for element in tree.iter()} <= CORE
    assert all(len(element) == 2 for element in tree.iter() if element.tag in {"msup", "msub", "mfrac", "mover"})


def test_mathml_of_a_rate(s):
    """A dot over the letter, the number below it, and no enclosing element when only the inside is asked for."""
    dotted = '<mover><mi>θ</mi><mo>&#x2D9;</mo></mover>'
    assert mathml(dt(s["theta2"]), inner=True) == f"<msub>{dotted}<mn>2</mn></msub>"


def test_notebooks_show_latex(s):
    """The notebook's hook gives displayed LaTeX."""
    assert s["q1"]._repr_latex_() == r"$\displaystyle q_{1}$"


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_text_reads_back(s, name):
    """Text evaluated by Python is the same text again."""
    make, expected, _ = GOLDEN[name]
    assert text(read(expected, s)) == expected
    assert read(expected, s).free_symbols == make(s).free_symbols


@given(RECIPES)
def test_text_reads_back_with_the_same_value(recipe):
    """What is printed has the value of what was printed, in exact arithmetic."""
    leaves = symbols(Graph("arm"))
    expression = written(recipe, leaves)
    assert evaluate(read(text(expression), leaves), EXACT, Fraction) == evaluate(expression, EXACT, Fraction)


@given(RECIPES)
def test_every_form_can_be_written(recipe):
    """Whatever can be built can be typeset."""
    expression = written(recipe, symbols(Graph("arm")))
    assert latex(expression).count("{") == latex(expression).count("}")
    assert ElementTree.fromstring(mathml(expression)).tag == "math"


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_read_back_bit_for_bit(value):
    """A constant in text is the same double when read."""
    leaves = symbols(Graph("arm"))
    assert read(text(where(leaves["q1"] < 0, value, leaves["m"])), leaves) == where(
        leaves["q1"] < 0, value, leaves["m"]
    )


@pytest.mark.parametrize(
    ("value", "expected"),
    [(2.0, "2"), (-0.5, "-0.5"), (1 / 3, "1/3"), (-2 / 7, "-2/7"), (0.1, "0.1"), (1e22, "1e22"), (0.0, "0")],
)
def test_numbers_are_short(value, expected):
    """2, not 2.0; 1/3, not sixteen threes."""
    graph = Graph("arm")
    assert text(Expr(graph, graph.constant(value))) == expected


def test_the_order_is_that_of_names(s):
    """Neither terms nor factors depend on the order in which symbols and nodes were made."""
    graph = Graph("arm")
    backwards = {name: Expr(graph, graph.symbol(name, NAMES[name])) for name in reversed(NAMES)}

    def forward(x):
        return (x["m"] + x["L"]) * x["q1"] * x["u1"] + sin(x["q2"]) * x["k10"] * x["k2"] - minimum(x["q1"], x["T"])

    def reverse(x):
        return -minimum(x["T"], x["q1"]) + x["k2"] * (x["k10"] * sin(x["q2"])) + x["u1"] * (x["q1"] * (x["L"] + x["m"]))

    assert text(forward(s)) == text(reverse(backwards)) == "k2*k10*sin(q2) + (m + L)*q1*u1 - min(T, q1)"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("q1", ("q", ["1"])),
        ("m_B", ("m", ["B"])),
        ("theta2", ("theta", ["2"])),
        ("gravity", ("gravity", [])),
        ("x_hand_2", ("x", ["hand", "2"])),
        ("_", ("_", [])),
    ],
)
def test_names_split_into_subscripts(name, expected):
    """A trailing number and what follows an underscore are subscripts."""
    assert split_name(name) == expected


def test_names_sort_naturally():
    """q2 before q10, small letters before capitals."""
    assert sorted(["q10", "L", "q2", "m"], key=natural) == ["m", "q2", "q10", "L"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("mu_s", r"\mu_{s}"),
        ("ω3", r"\omega_{3}"),
        ("x_hand", r"x_{\mathrm{hand}}"),
        ("arm-1", r"\mathrm{arm\text{-}}_{1}"),
        ("50%", r"\mathrm{50\%}"),
    ],
)
def test_names_are_legal_latex(name, expected):
    """Greek letters, words and odd characters of file formats all typeset."""
    graph = Graph("arm")
    assert latex(Expr(graph, graph.symbol(name, "coordinate"))) == expected


def test_a_listing_names_what_is_shared(s):
    """Subexpressions used twice become z's; the lines in turn give the expressions back."""
    inertia = s["m"] * s["L"] ** 2 * (3 + 2 * cos(s["q2"]))
    expressions = [inertia * s["u1"] + sin(inertia), inertia]
    lines = listing(expressions, ["f", "M"])
    assert lines == [("z1", "m*L**2*(3 + 2*cos(q2))"), ("f", "sin(z1) + z1*u1"), ("M", "z1")]
    known = dict(s)
    for name, body in lines:
        known[name] = read(body, known)
    assert [known["f"], known["M"]] == expressions


def test_a_listing_avoids_the_names_of_the_model():
    """A model with a z1 of its own gets zz1."""
    graph = Graph("arm")
    z1 = Expr(graph, graph.symbol("z1", "coordinate"))
    shared = sin(z1 + cos(z1) * exp(z1))
    assert listing([shared * z1 + cos(shared)], ["f"], limit=1)[0][0] == "zz1"


@pytest.mark.parametrize(("form", "first"), [("latex", "z_{1}"), ("mathml", "<msub><mi>z</mi><mn>1</mn></msub>")])
def test_a_listing_can_be_typeset(s, form, first):
    """Names and lines in LaTeX and MathML."""
    shared = sin(s["q1"] + cos(s["q1"]) * s["m"] * s["L"])
    lines = listing([shared * s["u1"] + cos(shared)], ["f_1"], form=form)
    assert lines[0][0] == first
    assert first in lines[1][1]


def test_a_listing_needs_a_name_for_each_expression(s):
    """Two expressions and one name do not fit."""
    with pytest.raises(ExpressionError, match=r"2 expressions, 1 names"):
        listing([s["q1"], s["q2"]], ["f"])
