"""Expressions: what they mean, and what is refused, with the column where it goes wrong."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import latchwork as lw
from latchwork.formats.expressions.parser import parse, parse_in


@pytest.fixture
def model() -> lw.Model:
    """A pendulum's symbols, frame and point."""
    model = lw.Model("small")
    _, L = model.parameters(m=1.0, L=2.0)
    q1, _ = model.coordinates("q1", "q2")
    A = model.frame.rotated("A", q1, model.frame.z)
    A.body_fixed("the arm", "xy", q1, 0.2)
    model.origin.at("P", L * A.x)
    model.input("T")
    return model


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("m*L**2*-q1", lambda s: s.m * s.L**2 * -s.q1),
        ("-q1**2", lambda s: -(s.q1**2)),
        ("2**-q1**2", lambda s: 2 ** (-(s.q1**2))),
        ("2**3**2", lambda s: 512),
        ("1 + 2*3 - 4/8", lambda s: 6.5),
        ("q1 - q2 - m", lambda s: s.q1 - s.q2 - s.m),
        ("q1/m/L", lambda s: s.q1 / s.m / s.L),
        ("2*-q1*m", lambda s: 2 * -s.q1 * s.m),
        ("+q1", lambda s: s.q1),
        ("2e-3*q1 + .5", lambda s: 2e-3 * s.q1 + 0.5),
        ("sin(pi/2)", lambda s: 1),
        ("atan2(q1, q2)", lambda s: lw.atan2(s.q1, s.q2)),
        ("min(q1, 2) + max(q1, 2)", lambda s: lw.minimum(s.q1, 2) + lw.maximum(s.q1, 2)),
        ("abs(q1)*sign(q1)*sqrt(m)", lambda s: abs(s.q1) * lw.sign(s.q1) * lw.sqrt(s.m)),
        ("dt(sin(q1))", lambda s: lw.cos(s.q1) * lw.dt(s.q1)),
        ("dt(t)", lambda s: 1),
        ("where((q1 < 2) & (q2 >= L), 1, 2)", lambda s: lw.where((s.q1 < 2) & (s.q2 >= s.L), 1, 2)),
        ("where(~(q1 > 2) | (q1 == m), 1, 2)", lambda s: lw.where(~(s.q1 > 2) | lw.equal(s.q1, s.m), 1, 2)),
        ("where(equal(q1, 1), 1, 2)", lambda s: lw.where(lw.equal(s.q1, 1), 1, 2)),
        ("3*(q1 < 2)", lambda s: 3 * (s.q1 < 2)),
        ("dot(velocity(P), A.y)", lambda s: s.L * lw.dt(s.q1)),
        ("dot(position(P, O), A.x)", lambda s: s.L),
        ("dot(cross(N.x, N.y), N.z)", lambda s: 1),
        ("magnitude(2*A.x - 4*A.x)", lambda s: 2),
        ("dot(angular_velocity(A), N.z) + dot(angular_velocity(A, N), A.z)", lambda s: 2 * lw.dt(s.q1)),
        ("dot(`the arm`.x, `the arm`.x)", lambda s: 1),
    ],
)
def test_scalars(model, text, meaning):
    """Operators bind as in Python, functions are those of the package."""
    assert parse(text, model) == meaning(SimpleNamespace(**model.symbols))


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("L*A.x + 2*N.y", lambda m, A, L: L * A.x + 2 * m.frame.y),
        ("-(A.x - A.y)/L", lambda m, A, L: (A.y - A.x) / L),
        ("A.x*L*2", lambda m, A, L: 2 * L * A.x),
        ("position(P)", lambda m, A, L: L * A.x),
        ("cross(A.x, velocity(P))", lambda m, A, L: A.x.cross(m.points["P"].velocity())),
    ],
)
def test_vectors(model, text, meaning):
    """Vectors are made of unit vectors, positions and velocities."""
    assert parse(text, model) == meaning(model, model.frames["A"], model.symbols["L"])


def test_expressions_without_a_model(model):
    """A table of symbols and a tree of frames are enough."""
    tree = model.frame.tree
    assert parse_in("2*s", {"s": model.symbols["q1"]}, tree, {}) == 2 * model.symbols["q1"]


REFUSED = [
    ("q1 + A.x", 4, "'\\+' cannot join a scalar and a vector. Multiply the scalar by a unit vector"),
    ("A.x*A.y", 4, "cannot join a vector and a vector. Write dot\\(a, b\\)"),
    ("A.x**2", 4, "cannot join a vector and a scalar. Write dot\\(v, v\\)"),
    ("q3", 1, "unknown name 'q3' in an expression. Known: t, m, L, q1, q2, T"),
    ("m*whatever", 3, "unknown name 'whatever' in an expression. Known: t, m, L"),
    ("m*A", 3, "unknown name 'A'.* It is a frame: write A.x"),
    ("m*P", 3, "unknown name 'P'.* It is a point: write position\\(P\\)"),
    ("B.x", 1, "there is no frame 'B'. Known: N, A"),
    ("velocity(Q)", 10, "there is no point 'Q'"),
    ("sine(q1)", 1, "there is no function 'sine'. Did you mean 'sin'"),
    ("__import__('os')", 1, "there is no function '__import__'"),
    ("eval(q1)", 1, "there is no function 'eval'"),
    ("A.__class__", 3, "'A.__class__' means nothing: the only attributes are unit vectors"),
    ("q1.real", 4, "'q1.real' means nothing"),
    ("(q1).x", 5, "only the name of a frame can be followed by '.'"),
    ("A.x.y", 4, "only the name of a frame can be followed by '.'"),
    ("sin()", 1, "sin\\(...\\) takes 1 argument; got 0"),
    ("sin(q1, q2)", 1, "sin\\(...\\) takes 1 argument; got 2"),
    ("2*atan2(q1)", 3, "atan2\\(...\\) takes 2 arguments; got 1"),
    ("position(P, O, P)", 1, "position\\(...\\) takes 1 or 2 arguments; got 3"),
    ("velocity(P + O)", 12, "takes the name of a point here, not an expression"),
    ("cross(A.x, 2)", 1, "cross\\(...\\) takes a vector here, not a scalar"),
    ("dt(A.x)", 1, "dt\\(...\\) takes a scalar here, not a vector"),
    ("dt(dt(q1))", 1, "dt cannot differentiate 'dt\\(q1\\)'"),
    ("where(q1, 1, 2)", 1, "takes a condition here, not a scalar. Write a comparison"),
    ("q1 == 2", 1, "a scalar is needed here; 'q1 == 2' is a condition"),
    ("q1 < q2 < m", 9, "comparisons cannot be chained"),
    ("q1 & q2", 4, "'&' cannot join a scalar and a scalar. Put each comparison in parentheses"),
    ("~q1", 1, "'~' cannot stand before a scalar"),
    ("q1 $ 2", 4, "unexpected character '\\$'"),
    ("q1 = 2", 4, "unexpected character '='"),
    ("q1; m", 3, "unexpected character ';'"),
    ("'q1'", 1, "unexpected character \"'\""),
    ("q1[0]", 3, "unexpected character '\\['"),
    ("ω*2", 1, "unexpected character 'ω'"),
    ("q1 q2", 4, "an operator is missing before 'q2'"),
    ("2x", 2, "an operator is missing before 'x'"),
    ("lambda: 1", 7, "unexpected character ':'"),
    ("(q1 + 2", 1, "'\\(' is never closed"),
    ("q1 + 2)", 7, "'\\)' closes nothing"),
    ("q1 +", 5, "a value is missing before the end"),
    ("q1*/2", 4, "a value is missing before '/'"),
    ("atan2(q1,)", 10, "a value is missing before '\\)'"),
    ("", 1, "a value is missing before the end"),
    ("(q1, q2)", 4, "a comma stands outside of a function's arguments"),
    ("1/0", 2, "division by zero"),
    ("q1/(2 - 2)", 3, "division by zero"),
    ("A.x/0", 4, "division by zero"),
    ("1e999", 1, "the number 1e999 is out of range"),
    ("m*" + "9" * 400, 3, "the number 9{40}... is out of range"),
    ("10**400", 3, "'10\\*\\*400' has no finite value"),
    ("1e308*10", 6, "expressions hold finite numbers only"),
    ("sqrt(-1)", 1, "'sqrt\\(-1\\)' has no finite value"),
    ("nan", 1, "unknown name 'nan'"),
    ("inf", 1, "unknown name 'inf'"),
    ("(" * 10_000 + "q1" + ")" * 10_000, 201, "parentheses are nested more than 200 deep"),
    ("sin(" * 10_000, 801, "parentheses are nested more than 200 deep"),
    ("q1 + " * 200_000 + "q1", 1, "this expression has 1000002 characters; the limit is 50000"),
    ("dt(" * 150 + "t*exp(sin(t*t))" + ")" * 150, None, "grows by more than 10000 operations"),
]


@pytest.mark.parametrize(("text", "column", "message"), REFUSED, ids=lambda value: str(value)[:30])
def test_refused(model, text, column, message):
    """One error, at the column where the expression goes wrong."""
    with pytest.raises(lw.FileError, match=message) as caught:
        parse(text, model)
    assert (caught.value.source, caught.value.line) == ("expression", 1)
    assert column in (None, caught.value.column)


@pytest.mark.parametrize(
    "text", ["-" * 40_000 + "q1", "q1" + "+q1" * 16_000, "2" + "**1" * 16_000, "(q1)" + "*(q1)" * 9_000]
)
def test_long_is_not_deep(model, text):
    """Chains of operators as long as an expression may be are no trouble."""
    assert isinstance(parse(text, model), lw.Expr)


def test_nothing_is_executed(model, monkeypatch):
    """No text reaches Python's own evaluation."""

    def forbidden(*_: object) -> None:
        raise AssertionError

    for name in ("eval", "exec", "compile", "__import__"):
        monkeypatch.setattr(f"builtins.{name}", forbidden)
    for text in ("__import__('os').system('true')", "exec(1)", "(lambda: 0)()", "P.__init__.__globals__"):
        with pytest.raises(lw.FileError, match=r"there is no function|unexpected character|means nothing"):
            parse(text, model)
