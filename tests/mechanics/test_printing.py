"""Vectors and dyadics as text, LaTeX and MathML."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

import latchwork as lw
from latchwork import sin
from latchwork.mechanics import printing


@pytest.fixture
def space():
    """Names for the expressions below: parameters L, r; angles q1, q2; speeds u1, u2; frames N, A, B, B', arm_2."""
    model = lw.Model("space")
    L, r = model.parameters(L=1.0, r=2.0)
    q1, q2 = model.coordinates("q1", "q2")
    u1, u2 = model.speeds()
    N = model.frame
    A = N.rotated("A", q1, N.z)
    B = A.rotated("B", q2, A.x)
    prime = B.rotated("B'", q1, B.y)
    arm = prime.rotated("arm_2", q2, prime.z)
    return {"L": L, "r": r, "q1": q1, "u1": u1, "u2": u2, "N": N, "A": A, "B": B, "P": prime, "arm": arm, "sin": sin}


TEXTS = [
    ("L*u1*A.y + L*(u1 + u2)*B.y", "L*u1*A.y + L*(u1 + u2)*B.y"),
    ("A.x - B.y", "A.x - B.y"),
    ("B.y - A.y", "-A.y + B.y"),
    ("B.x + N.x", "N.x + B.x"),
    ("-2*A.x - 1.5*A.z", "-2*A.x - 1.5*A.z"),
    ("A.z/r - B.y/r", "A.z/r - B.y/r"),
    ("u1/r*A.x", "u1/r*A.x"),
    ("-L*u1*A.x - (-u1 - u2)*A.y", "-L*u1*A.x + (u1 + u2)*A.y"),
    ("sin(q1)*A.x - L*sin(q1)*A.y", "sin(q1)*A.x - L*sin(q1)*A.y"),
    ("0*A.x", "0"),
    ("A.x - A.x", "0"),
]


@pytest.mark.parametrize(("written", "expected"), TEXTS)
def test_text_reads_as_an_analyst_writes(space, written, expected):
    """Unit coefficients are dropped, sums parenthesised, signs pulled out, parents stand before children."""
    assert printing.vector_text(eval(written, {}, space)) == expected


@pytest.mark.parametrize(("written", "text"), TEXTS)
def test_text_reads_back(space, written, text):
    """The text of a vector is an expression of the same vector."""
    again = eval(text, {}, space) if text != "0" else 0 * space["N"].x
    assert again == eval(written, {}, space)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("L*u1*A.y + L*(u1 + u2)*B.y", r"L u_{1} \,\mathbf{a}_{y} + L \left(u_{1} + u_{2}\right) \,\mathbf{b}_{y}"),
        ("A.x - B.y", r"\mathbf{a}_{x} - \mathbf{b}_{y}"),
        ("sin(q1)*A.x", r"\sin q_{1} \,\mathbf{a}_{x}"),
        ("P.x + arm.x", r"\mathbf{b}'_{x} + \boldsymbol{\mathrm{arm}}_{2,x}"),
        ("0*A.x", "0"),
    ],
)
def test_latex(space, written, expected):
    """Unit vectors are bold small letters with their axis below."""
    assert printing.vector_latex(eval(written, {}, space)) == expected


def test_capital_stays_where_the_small_letter_is_a_frame_too(space):
    r"""Frames A and a are told apart: \mathbf{A} and \mathbf{a}."""
    small = space["A"].rotated("a", space["q1"], space["A"].x)
    assert printing.vector_latex(space["A"].y + small.y) == r"\mathbf{A}_{y} + \mathbf{a}_{y}"


@pytest.mark.parametrize("written", [written for written, _ in TEXTS] + ["P.x + arm.x"])
def test_mathml_is_well_formed(space, written):
    """Every vector is one ``<math>`` element."""
    assert ElementTree.fromstring(printing.vector_mathml(eval(written, {}, space))).tag == "math"


def test_dyadics(space):
    """Dyads in the order of rows and columns, in all three forms."""
    A, L, r = space["A"], space["L"], space["r"]
    inertia = lw.inertia(A, xx=L, yy=1.0, xy=-L * r)
    assert str(inertia) == "L*(A.x|A.x) - r*L*(A.x|A.y) - r*L*(A.y|A.x) + (A.y|A.y)"
    assert printing.dyadic_latex(lw.inertia(A, xx=L)) == r"L \,\mathbf{a}_{x} \mathbf{a}_{x}"
    assert ElementTree.fromstring(printing.dyadic_mathml(inertia)).tag == "math"
    assert printing.dyadic_text(lw.inertia(A)) == "0"


def test_a_huge_measure_number_is_summarised(space):
    """A vector whose coefficient would fill pages says how large it is."""
    long = space["q1"]
    for _ in range(2500):
        long = sin(long) + space["L"]
    assert "operations of" in printing.vector_text(long * space["A"].x)
