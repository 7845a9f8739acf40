"""Elementary functions: against mpmath to a part of the last place, special values of C99 Annex F, one set of bits."""

from __future__ import annotations

import math
import re
from pathlib import Path

import mpmath
import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from elementary_arguments import FUNCTIONS, OF_TWO, drawn, hard, machine_code, worst
from latchwork.program import sincos
from latchwork.program.batch import Lanes
from latchwork.program.elementary import exponential, inverse_trigonometric, logarithm, scalars
from latchwork.program.elementary.functions import ELEMENTARY
from latchwork.program.function import Function
from latchwork.program.interpret import PYTHON, evaluate
from latchwork.program.lower import lower
from latchwork.symbolic import Expr, Graph
from random_programs import SPECIAL, bits, program_of

INF, NAN, PI = math.inf, math.nan, math.pi
ROUGH = np.finfo(np.longdouble).eps > 2.0**-63  # where long doubles are doubles, they judge nothing
# Largest errors allowed, in units in the last place: what 10⁷ arguments gave, and a little.
BOUND = {
    "sin": 0.83, "cos": 0.83, "exp": 0.52, "log": 0.51, "pow": 0.54, "asin": 0.73, "acos": 0.69, "atan": 0.51,
    "atan2": 0.51, "sinh": 0.54, "cosh": 0.52, "tanh": 0.59, "asinh": 0.52, "acosh": 0.51, "atanh": 0.51,
}  # fmt: skip
NUMPY = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh",
         "atanh": "arctanh", "atan2": "arctan2", "pow": "power"}  # fmt: skip
each = pytest.mark.parametrize("name", FUNCTIONS)


def python(name, x, y) -> list[float]:
    """What the kernel gives as Python."""
    given = zip(x.tolist(), y.tolist(), strict=True) if name in OF_TWO else zip(x.tolist())
    return [PYTHON[name](*row) for row in given]


def estimated(name, x, y, found) -> np.ndarray:
    """Errors in units in the last place, by the C library's long doubles, to a thousandth of one."""
    wide = (x.astype(np.longdouble), y.astype(np.longdouble))[: 2 if name in OF_TWO else 1]
    with np.errstate(all="ignore"):
        truth = getattr(np, NUMPY.get(name, name))(*wide)
        near = truth.astype(float)
        error = np.abs(found.astype(np.longdouble) - truth) / np.spacing(np.abs(near))
    return np.where(np.isfinite(near), error, np.where(found == near, 0.0, np.inf)).astype(float)


# --- how far from the truth ---------------------------------------------------------------------------------------


@each
def test_hard_arguments(name):
    """Next to poles, zeros, overflow, underflow, ends of intervals and multiples of π/2, errors keep their bounds."""
    x, y = hard(name)
    assert worst(name, x, y, machine_code(name, x, y)) < BOUND[name]


@pytest.mark.skipif(ROUGH, reason="needs long doubles of 64 bits")
@pytest.mark.parametrize("draw", seeds([(0, 40_000)], [(seed, 10**6) for seed in range(1, 11)]), ids=str)
@each
def test_drawn_arguments(name, draw):
    """The error is within its bound over the whole domain; long doubles find the largest ones, mpmath judges those.

    Some more, taken at random, hold the long doubles themselves to mpmath.
    """
    seed, count = draw
    rng = np.random.default_rng(seed)
    x, y = drawn(name, rng, count)
    found = machine_code(name, x, y)
    errors = estimated(name, x, y, found)
    largest = np.argsort(errors)[-20 * (count // 20_000) :]
    assert worst(name, x[largest], y[largest], found[largest]) < BOUND[name]
    some = rng.integers(count, size=20)
    for i in some.tolist():
        assert worst(name, x[[i]], y[[i]], found[[i]]) == pytest.approx(errors[i], abs=0.01)


@pytest.mark.parametrize(("x", "y"), [(3.0, 5.0), (7.0, 18.0), (10.0, 22.0), (-5.0, 3.0), (0.5, 1074.0), (1.5, 32.0)])
def test_powers_that_are_doubles_are_exact(x, y):
    """xʸ is exact where a double is."""
    assert PYTHON["pow"](x, y) == float(mpmath.power(x, int(y)))


def test_powers_of_two_are_exact():
    """2ᵏ for every exponent of a double, subnormal ones too; x¹ = x."""
    k = np.arange(-1074.0, 1024.0)
    assert machine_code("pow", np.full(len(k), 2.0), k).tolist() == np.ldexp(1.0, k.astype(int)).tolist()
    x = np.abs(np.array([value for value in SPECIAL if value == value]))
    assert bits(machine_code("pow", x, np.ones(len(x)))) == bits(x)


@pytest.mark.parametrize(
    ("table", "tail", "value"),
    [
        (exponential.ROOT, exponential.ROOT_TAIL, lambda i: mpmath.mpf(2) ** (mpmath.mpf(i) / 64)),
        (logarithm.LOG, logarithm.LOG_TAIL, lambda i: -mpmath.log(logarithm.RECIPROCAL[i])),
        (inverse_trigonometric.ATAN, inverse_trigonometric.ATAN_TAIL, lambda i: mpmath.atan(mpmath.mpf(i) / 16)),
    ],
    ids=["2^(i/64)", "-log c", "atan(i/16)"],
)
def test_tables_are_what_they_say(table, tail, value):
    """Head and tail of every entry are its value to more than 85 bits."""
    with mpmath.workdps(60):
        off = [abs(mpmath.mpf(h) + mpmath.mpf(t) - value(i)) for i, (h, t) in enumerate(zip(table, tail, strict=True))]
    assert max(off) < 2.0**-90


# --- special values -----------------------------------------------------------------------------------------------

SPECIALS = [  # C99, F.9.1 to F.9.4
    ("exp", (0.0,), 1.0), ("exp", (-0.0,), 1.0), ("exp", (INF,), INF), ("exp", (-INF,), 0.0), ("exp", (709.79,), INF),
    ("exp", (-745.14,), 0.0), ("log", (1.0,), 0.0), ("log", (0.0,), -INF), ("log", (-0.0,), -INF), ("log", (INF,), INF),
    ("log", (-1.0,), NAN), ("log", (-INF,), NAN), ("log", (-5e-324,), NAN),
    ("asin", (0.0,), 0.0), ("asin", (-0.0,), -0.0), ("asin", (1.0,), PI / 2), ("asin", (-1.0,), -PI / 2),
    ("asin", (1.0000000000000002,), NAN), ("asin", (-INF,), NAN),
    ("acos", (1.0,), 0.0), ("acos", (-1.0,), PI), ("acos", (0.0,), PI / 2), ("acos", (-1.0000000000000002,), NAN),
    ("acos", (INF,), NAN), ("atan", (0.0,), 0.0), ("atan", (-0.0,), -0.0), ("atan", (INF,), PI / 2),
    ("atan", (-INF,), -PI / 2), ("sinh", (0.0,), 0.0), ("sinh", (-0.0,), -0.0), ("sinh", (INF,), INF),
    ("sinh", (-INF,), -INF), ("sinh", (-711.0,), -INF), ("cosh", (0.0,), 1.0), ("cosh", (-0.0,), 1.0),
    ("cosh", (-INF,), INF), ("cosh", (711.0,), INF), ("tanh", (0.0,), 0.0), ("tanh", (-0.0,), -0.0),
    ("tanh", (INF,), 1.0), ("tanh", (-INF,), -1.0), ("asinh", (0.0,), 0.0), ("asinh", (-0.0,), -0.0),
    ("asinh", (INF,), INF), ("asinh", (-INF,), -INF), ("acosh", (1.0,), 0.0), ("acosh", (0.9999999999999999,), NAN),
    ("acosh", (-INF,), NAN), ("acosh", (INF,), INF), ("atanh", (0.0,), 0.0), ("atanh", (-0.0,), -0.0),
    ("atanh", (1.0,), INF), ("atanh", (-1.0,), -INF), ("atanh", (1.5,), NAN), ("atanh", (-INF,), NAN),
    ("atan2", (0.0, -0.0), PI), ("atan2", (-0.0, -0.0), -PI), ("atan2", (0.0, 0.0), 0.0), ("atan2", (-0.0, 0.0), -0.0),
    ("atan2", (0.0, -2.0), PI), ("atan2", (-0.0, -2.0), -PI), ("atan2", (0.0, 2.0), 0.0), ("atan2", (-0.0, 2.0), -0.0),
    ("atan2", (-2.0, 0.0), -PI / 2), ("atan2", (-2.0, -0.0), -PI / 2), ("atan2", (2.0, 0.0), PI / 2),
    ("atan2", (2.0, -0.0), PI / 2), ("atan2", (2.0, -INF), PI), ("atan2", (-2.0, -INF), -PI),
    ("atan2", (2.0, INF), 0.0), ("atan2", (-2.0, INF), -0.0), ("atan2", (INF, 2.0), PI / 2),
    ("atan2", (-INF, -2.0), -PI / 2), ("atan2", (INF, -INF), 3 * PI / 4), ("atan2", (-INF, -INF), -3 * PI / 4),
    ("atan2", (INF, INF), PI / 4), ("atan2", (-INF, INF), -PI / 4), ("atan2", (NAN, 1.0), NAN),
    ("atan2", (1.0, NAN), NAN), ("atan2", (0.0, NAN), NAN),
    ("pow", (0.0, -3.0), INF), ("pow", (-0.0, -3.0), -INF), ("pow", (0.0, -2.0), INF), ("pow", (-0.0, -2.0), INF),
    ("pow", (-0.0, -2.5), INF), ("pow", (0.0, -INF), INF), ("pow", (-0.0, -INF), INF), ("pow", (0.0, 3.0), 0.0),
    ("pow", (-0.0, 3.0), -0.0), ("pow", (-0.0, 2.0), 0.0), ("pow", (-0.0, 2.5), 0.0), ("pow", (-0.0, INF), 0.0),
    ("pow", (-1.0, INF), 1.0), ("pow", (-1.0, -INF), 1.0), ("pow", (1.0, NAN), 1.0), ("pow", (1.0, INF), 1.0),
    ("pow", (NAN, 0.0), 1.0), ("pow", (NAN, -0.0), 1.0), ("pow", (INF, 0.0), 1.0), ("pow", (-0.0, 0.0), 1.0),
    ("pow", (-2.0, 0.5), NAN), ("pow", (-2.0, 3.0), -8.0), ("pow", (-2.0, 2.0), 4.0), ("pow", (-2.0, -3.0), -0.125),
    ("pow", (0.5, -INF), INF), ("pow", (-0.5, -INF), INF), ("pow", (2.0, -INF), 0.0), ("pow", (0.5, INF), 0.0),
    ("pow", (-2.0, INF), INF), ("pow", (-INF, -3.0), -0.0), ("pow", (-INF, -2.0), 0.0), ("pow", (-INF, -2.5), 0.0),
    ("pow", (-INF, 3.0), -INF), ("pow", (-INF, 2.0), INF), ("pow", (-INF, 2.5), INF), ("pow", (INF, -1e-9), 0.0),
    ("pow", (INF, 1e-9), INF), ("pow", (NAN, 1.0), NAN), ("pow", (2.0, NAN), NAN), ("pow", (10.0, 400.0), INF),
    ("pow", (10.0, -400.0), 0.0), ("pow", (-10.0, 401.0), -INF), ("pow", (-10.0, -401.0), -0.0),
    ("pow", (1.0000000000000002, 1e300), INF), ("pow", (0.9999999999999999, 1e300), 0.0), ("pow", (-1.0, 1e300), 1.0),
    ("pow", (-1.0, 9007199254740991.0), -1.0), ("pow", (2.0, 1e-320), 1.0),
    *((name, (NAN,), NAN) for name in FUNCTIONS if name not in OF_TWO),
]  # fmt: skip


@pytest.mark.parametrize(("name", "x", "value"), SPECIALS)
def test_special_values(name, x, value):
    """Zeros with their signs, infinities, nan, poles and exact cases are as in C99, Annex F."""
    assert bits([PYTHON[name](*x)]) == bits([value])


@pytest.mark.parametrize("name", "sin asin atan sinh tanh asinh atanh".split())
def test_odd_functions(name):
    """f(−x) = −f(x), bit for bit."""
    x, _ = hard(name)
    assert bits(machine_code(name, -x)) == bits(-machine_code(name, x))


@pytest.mark.parametrize("name", ["cos", "cosh"])
def test_even_functions(name):
    """f(−x) = f(x), bit for bit."""
    x, _ = hard(name)
    assert bits(machine_code(name, -x)) == bits(machine_code(name, x))


def test_quadrants():
    """atan2(y, 1) = atan y; the signs of y and of x turn the angle over as they should."""
    x, y = hard("atan2")
    x, y = x[np.abs(x) < 1e300], y[np.abs(x) < 1e300]
    assert bits(machine_code("atan2", x, np.ones(len(x)))) == bits(machine_code("atan", x))
    assert bits(machine_code("atan2", -x, y)) == bits(-machine_code("atan2", x, y))


# --- one set of bits ----------------------------------------------------------------------------------------------


def arguments(name, rows=240) -> tuple[np.ndarray, np.ndarray]:
    """Hard ones, drawn ones, special ones."""
    parts = [hard(name), drawn(name, np.random.default_rng(5), rows)]
    parts.append(tuple(np.array([(a, b) for a in SPECIAL for b in SPECIAL]).T))
    x, y = (np.concatenate(column) for column in zip(*parts, strict=True))
    return x, y


@each
def test_every_executor_gives_the_bits_of_python(name):
    """Interpreter, bytecode machine, machine code, lanes, and functions for Python: the same bits everywhere."""
    x, y = arguments(name)
    meant = bits(python(name, x, y))
    program = program_of("x y", (), [(name, 0, 1) if name in OF_TWO else (name, 0)], (2,))
    rows = np.column_stack([x, y])
    function = Function(program)
    assert bits(machine_code(name, x, y)) == meant
    assert bits(function.many(rows)) == meant
    assert function.compiled(wait=True)
    assert bits(function.many(rows)) == meant
    assert bits(Lanes(program).many(rows)) == meant


@pytest.mark.parametrize("name", [name for name in vars(scalars) if name in FUNCTIONS])
def test_functions_for_python_give_the_bits_of_kernels(name):
    """What code in Python calls has the kernels' bits."""
    x, y = arguments(name)
    given = zip(x.tolist(), y.tolist(), strict=True) if name in OF_TWO else zip(x.tolist())
    assert bits([getattr(scalars, name)(*row) for row in given]) == bits(machine_code(name, x, y))


@pytest.mark.parametrize("name", [*FUNCTIONS, "tan", "sqrt"])
def test_what_is_folded_has_the_bits_of_what_is_evaluated(name):
    """f(c) of a constant is f(x) evaluated at x = c."""
    rng = np.random.default_rng(3)
    for a, b in zip(*drawn("exp" if name in ("tan", "sqrt") else name, rng, 60), strict=True):
        graph = Graph("folding")
        q, r = (Expr(graph, graph.symbol(letter, "coordinate")) for letter in "qr")
        count = 2 if name in OF_TWO else 1
        written = (lambda x, y: x**y) if name == "pow" else getattr(lw, name)
        program = lower(graph, [written(*(q, r)[:count]).node], [q, r])
        (value,) = evaluate(program, [float(a), float(b)])
        constants = [Expr(graph, graph.constant(float(x))) for x in (a, b)]
        folded = written(*constants[:count])
        assert folded.is_constant == math.isfinite(value)
        assert not folded.is_constant or float(folded) == value


# --- nothing else is called ---------------------------------------------------------------------------------------

PACKAGE = Path(lw.__file__).parent
NAMES = (*FUNCTIONS, *NUMPY.values(), "tan", "exp2", "expm1", "log1p", "log2", "cbrt", "float_power", "logaddexp")
PLATFORM = re.compile(rf"\b(?:math|np)\.(?:{'|'.join(NAMES)})\b")
SHOWN = ("view/", "cli/")  # pictures and tables
ALLOWED = {
    "identification/excitation.py",  # draws up a motion to be measured, by searching
    "kane/recognise.py",  # compares at random states, to 1e-9
    "mechanics/primitives.py",  # solids that are drawn
    "program/python.py",  # writes text that needs nothing of Latchwork
}


def test_no_number_of_a_run_comes_from_the_platforms_library():
    """No layer but those that show things calls an elementary function of ``math`` or NumPy."""
    files = {path.relative_to(PACKAGE).as_posix(): path for path in sorted(PACKAGE.rglob("*.py"))}
    looked = {name: path for name, path in files.items() if not name.startswith(SHOWN) and name not in ALLOWED}
    called = {name: PLATFORM.findall(path.read_text(encoding="utf-8")) for name, path in looked.items()}
    assert {name: found for name, found in called.items() if found} == {}


def test_the_table_of_functions_is_whole():
    """Every elementary function of the interpreter is a kernel of ours."""
    assert {name: PYTHON[name] for name in FUNCTIONS} == {"sin": sincos.sin, "cos": sincos.cos, **ELEMENTARY}
