"""Exported code: C against the interpreter bit for bit, Python, CasADi and JAX within rounding."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess

import numpy as np
import pytest

import latchwork as lw
import paper_models
from campaign import seeds
from elementary_arguments import FUNCTIONS, OF_TWO, hard
from latchwork.algebra.elimination import swap
from latchwork.export.equations import export_c, export_python, groups, programs, to_casadi, to_jax
from latchwork.hybrid.stops import guards_and_rates
from latchwork.program.c import CFunction
from latchwork.program.c_files import CExport, makefile
from latchwork.program.codegen.c_kernels import c_functions
from latchwork.program.interpret import evaluate
from latchwork.program.ir import OPS, Program
from latchwork.program.lower import lower
from latchwork.program.naming import Group, legal
from latchwork.program.python import module_text
from random_programs import SPECIAL, bits, meaning, program_of, random_inputs, random_program

WARNINGS = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror"]
MODELS = [paper_models.disk_on_a_ramp, paper_models.wrist, paper_models.two_revolutes,
          paper_models.revolute_and_prismatic]  # fmt: skip
FOUND = [name for name in ("gcc", "clang") if shutil.which(name)]
COMPILERS = [
    pytest.param(name, marks=pytest.mark.skipif(name not in FOUND, reason=f"needs {name}")) for name in ("gcc", "clang")
]
ONE_COMPILER = seeds(FOUND[:1], FOUND)  # bits of all operations are compared with each; of whole models with the first


def library(compiler, folder, export) -> ctypes.CDLL:
    """The exported C code as a library, compiled with the flags of its Makefile and without a warning."""
    export.write(folder)
    strict = re.search(r"^STRICT = (.*)$", makefile(export), re.MULTILINE)[1].split()
    target = folder / f"{compiler}.so"
    source = folder / f"{export.prefix}.c"
    command = [compiler, "-O2", *WARNINGS, *strict, "-shared", "-fPIC", "-o", str(target), str(source), "-lm"]
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""
    return ctypes.CDLL(str(target))


def array(values) -> ctypes.Array:
    return (ctypes.c_double * max(len(values), 1))(*values)


def call(function, groups, x, count) -> list[float]:
    """What a C function writes for one row of inputs."""
    out, arguments, rest = array([0.0] * count), [], list(x)
    for group in groups:
        values, rest = rest[: len(group.names)], rest[len(group.names) :]
        arguments.append(ctypes.c_double(values[0]) if group.scalar else array(values))
    function(*arguments, out)
    return list(out)[:count]


def of_programs(*parts: Program) -> CExport:
    """Programs with the same inputs as one file."""
    groups = (Group("x", "numbers", parts[0].inputs),)
    return CExport("programs", groups, tuple(CFunction(f"f{i}", "", part) for i, part in enumerate(parts)))


@pytest.mark.parametrize("compiler", COMPILERS)
def test_c_gives_the_bits_of_the_interpreter(compiler, tmp_path):
    """Random programs with every operation, in C: every slot is equal bit for bit, and there is no warning."""
    export = of_programs(*(random_program(seed, length=60) for seed in range(12)))
    compiled = library(compiler, tmp_path, export)
    for seed, function in enumerate(export.functions):
        x = random_inputs(seed)
        found = [call(compiled[f"programs_{function.name}"], export.groups, row, 60) for row in x]
        assert bits(found) == meaning(function.program, x)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_each_operation_in_c_at_special_values(compiler, tmp_path):
    """Operations agree at zeros, infinities, nan, denormals and huge numbers."""
    export = of_programs(*(program_of("a b c", (), [(op.name, *range(op.arity))], (3,)) for op in OPS))
    compiled = library(compiler, tmp_path, export)
    x = np.array([(a, b, 7.0) for a in SPECIAL for b in SPECIAL])
    for function in export.functions:
        found = [call(compiled[f"programs_{function.name}"], export.groups, row, 1) for row in x]
        assert bits(found) == meaning(function.program, x)


@pytest.mark.parametrize("compiler", COMPILERS)
def test_elementary_functions_in_c_at_hard_arguments(compiler, tmp_path):
    """Exported C holds the elementary functions themselves: the same bits, and the C library has no part in them."""
    rows = {name: (name, 0, 1) if name in OF_TWO else (name, 0) for name in FUNCTIONS}
    export = of_programs(*(program_of("x y", (), [row], (2,)) for row in rows.values()))
    compiled = library(compiler, tmp_path, export)
    for function, name in zip(export.functions, rows, strict=True):
        x = np.column_stack(hard(name))
        found = [call(compiled[f"programs_{function.name}"], export.groups, row, 1) for row in x]
        assert bits(found) == meaning(function.program, x)
    asked = {line.split()[-1].partition("@")[0] for line in undefined(tmp_path / f"{compiler}.so")}
    assert asked.isdisjoint(FUNCTIONS)


def undefined(path) -> list[str]:
    """The lines in which ``nm`` names what a library takes from others."""
    said = subprocess.run(["nm", "-D", "--undefined-only", str(path)], capture_output=True, text=True, check=True)
    return said.stdout.splitlines()


@pytest.mark.parametrize("compiler", ONE_COMPILER)
@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_a_model_in_c(compiler, make, tmp_path):
    """q̇, u̇, M, f and the energies of a model have the interpreter's bits; the example builds and runs."""
    equations = make().equations()
    source = export_c(equations, tmp_path)[0]
    subprocess.run(["make", "-C", str(tmp_path), f"CC={compiler}"], check=True, capture_output=True)
    printed = subprocess.run([str(tmp_path / "example")], check=True, capture_output=True, text=True).stdout
    found = {line.split(" =")[0]: [float(x) for x in line.split("=")[1].split()] for line in printed.splitlines()}
    state = [float(f"{0.1 * (i + 1):.15g}") for i in range(max(len(equations.q), len(equations.u)))]
    values = [equations.system.values.get(symbol, 0.0) for symbol in (*equations.r, *equations.p)]
    x = [0.0, *state[: len(equations.q)], *state[: len(equations.u)], *values]
    assert source.name == f"{equations.name.replace(' ', '_')}.c"
    assert found.keys() == {"qdot", "udot", "M", "f", "energy"}
    for name, _, program in programs(equations):
        assert bits(found[name]) == bits(evaluate(program, x))


def awkward() -> lw.Model:
    """A model whose names are keywords, functions and results of C."""
    model = lw.Model('3 "arms" */ of C: x\\y')
    double, p0, udot, z1 = model.parameters(double=1.0, p0=2.0, udot=0.5, z1=9.81)
    HUGE_VAL, fabs = model.parameters(HUGE_VAL=1.5, fabs=0.7)
    (main,) = model.inputs(main=0.0)
    q, M = model.coordinates("q", "M")
    model.speeds(int=lw.dt(q), NAN=lw.dt(M))
    N, O = model.frame, model.origin
    A = N.rotated("A", q, N.z)
    P = O.at("P", p0 * A.x + M * A.y)
    model.particle("P", P, double)
    model.gravity(-z1 * N.y)
    model.force(P, (main * HUGE_VAL - abs(udot - fabs)) * A.x)
    return model


@pytest.mark.parametrize("compiler", ONE_COMPILER)
def test_names_are_legal_c(compiler, tmp_path):
    """Names that C keeps for itself, or that the export uses, are changed; values and bits are not."""
    equations = awkward().equations()
    export_c(equations, tmp_path)
    flags = f"CFLAGS=-O2 {' '.join(WARNINGS)}"
    subprocess.run(["make", "-C", str(tmp_path), f"CC={compiler}", flags], check=True, capture_output=True)
    printed = subprocess.run([str(tmp_path / "example")], check=True, capture_output=True, text=True).stdout
    x = [0.0, 0.1, 0.2, 0.1, 0.2, 0.0, 1.0, 2.0, 0.5, 9.81, 1.5, 0.7]
    expected = evaluate(equations.udot_program, x)
    line = next(line for line in printed.splitlines() if line.startswith("udot"))
    assert bits([float(value) for value in line.split("=")[1].split()]) == bits(expected)


@pytest.mark.parametrize(
    ("text", "taken", "name"),
    [("q1", (), "q1"), ("2 links", (), "x2_links"), ("", (), "x"), ("a-b", ("a_b",), "a_b_"), ("Ω", (), "x")],
)
def test_legal_names(text, taken, name):
    """What is no identifier becomes one; a name that is taken gets an underscore."""
    assert legal(text, taken) == name


def ordinary(seed: int) -> tuple[Program, np.ndarray]:
    """A random program without the corners of its operations, and inputs between 0.2 and 0.8."""
    names = "neg add sub mul sqrt exp log sin cos asin acos atan sinh cosh tanh asinh atanh atan2 pow abs".split()
    rng = np.random.default_rng(seed)
    rows = [(name, *rng.integers(4, size=OPS[[op.name for op in OPS].index(name)].arity)) for name in names]
    rows += [("min", 4, 5), ("max", 6, 7), ("sign", 8), ("lt", 0, 1), ("le", 1, 2), ("eq", 0, 0), ("select", 27, 9, 10)]
    return program_of("a b c", (0.5,), rows, tuple(range(4, 4 + len(rows)))), rng.uniform(0.2, 0.8, 3)


@pytest.mark.parametrize("seed", range(5))
def test_plain_python_agrees(seed):
    """The text of a program, run as Python with NumPy, gives the interpreter's numbers, also for arrays of inputs."""
    program, x = ordinary(seed)
    space: dict = {}
    exec(module_text("programs", (Group("x", "numbers", program.inputs),), [("f", "outputs", program)]), space)
    assert space["f"](x) == pytest.approx(evaluate(program, x), rel=1e-13, nan_ok=True)
    assert space["f"](np.column_stack([x, x])).shape == (len(program.outputs), 2)


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_a_model_in_python(make, tmp_path):
    """The exported module gives u̇ and M of the model."""
    equations, space = make().equations(), {}
    exec(export_python(equations, tmp_path / "model.py").read_text(encoding="utf-8"), space)
    q, u = [0.3, 0.4, 0.5][: len(equations.q)], [0.7, 0.8, 0.9][: len(equations.u)]
    r, p = ([equations.system.values.get(s, 0.0) for s in symbols] for symbols in (equations.r, equations.p))
    assert space["udot"](0.0, q, u, r, p) == pytest.approx(equations.udot(q, u), rel=1e-12)
    assert space["M"](0.0, q, u, r, p) == pytest.approx(equations.evaluate(equations.M, q, u).ravel(), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_casadi_agrees(seed):
    """A program as a CasADi function gives the interpreter's numbers."""
    pytest.importorskip("casadi")
    from latchwork.program.casadi import casadi_function

    program, x = ordinary(seed)
    function = casadi_function("f", program, (Group("x", "numbers", program.inputs),))
    assert np.array(function(x)).ravel() == pytest.approx(evaluate(program, x), rel=1e-12)


@pytest.mark.parametrize("make", MODELS, ids=lambda make: make.__name__)
def test_a_model_in_casadi(make):
    """u̇ of a model as a CasADi function of (t, q, u, r, p)."""
    pytest.importorskip("casadi")
    equations = make().equations()
    q, u = [0.3, 0.4, 0.5][: len(equations.q)], [0.7, 0.8, 0.9][: len(equations.u)]
    r, p = ([equations.system.values.get(s, 0.0) for s in symbols] for symbols in (equations.r, equations.p))
    found = to_casadi(equations)["udot"](0.0, q, u, r, p)
    assert np.array(found).ravel() == pytest.approx(equations.udot(q, u), rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_jax_agrees(seed):
    """A program as a JAX function gives the interpreter's numbers, to the precision JAX is set to."""
    jax = pytest.importorskip("jax")
    from latchwork.program.jax import jax_function

    program, x = ordinary(seed)
    function = jax.jit(jax_function(program, (Group("x", "numbers", program.inputs),)))
    assert np.array(function(x)) == pytest.approx(evaluate(program, x), rel=1e-4)


def test_a_model_in_jax():
    """u̇ of a model as a JAX function, and its derivative with respect to q."""
    jax = pytest.importorskip("jax")
    equations = paper_models.two_revolutes().equations()
    q, u, r, p = [0.3, 0.4], [0.7, 0.8], [0.0, 0.0], [1.0, 0.5, 9.81]
    udot = to_jax(equations)["udot"]
    slope = jax.jacobian(udot, argnums=1)(0.0, *(np.array(v) for v in (q, u, r, p)))
    expected = [equations.evaluate(e.diff(symbol), q, u) for e in equations.udot_expressions for symbol in equations.q]
    assert np.array(slope).ravel() == pytest.approx(expected, rel=1e-3)


# --- outputs and guards -------------------------------------------------------------------------------------------


def arm() -> tuple[lw.Equations, dict, dict]:
    """Equations with outputs and guards of every kind, under names that no language likes."""
    equations = paper_models.two_revolutes().equations()
    (q1, q2), (u1, u2) = equations.q, equations.u
    tree = equations.system.tree
    point = next(point for point in tree.points.values() if point.parent is not None)
    frame = next(frame for frame in tree.frames.values() if frame.parent is not None)
    outputs = {
        "tip": point, "q": q1 + q2, "p0": lw.where(u1 < u2, q1, q2), "udot": "dt(u1)", "left arm": point.velocity(),
        "turned": frame, "double": lw.sqrt(abs(u1)), "sqrt": lw.sqrt(2 + q1), "z1": q1 * q2, "show": 3 * u1, "2*/*": u2,
        "lambda": lw.exp(q1), "*/ ??/ \\": u1**2, "q1": q1, "stop_low": q2,
        "INT32_MAX": q1, "class": q2,
    }  # fmt: skip
    return equations, outputs, {"low": q1 - lw.sin(q2), "too fast": "3 - u1*u2", "late": "5 - t"}


NAMES = [
    "qdot", "udot", "M", "f", "energy", "tip", "q_", "p0_", "udot_", "left_arm", "turned", "double_", "sqrt_", "z1_",
    "show_", "x2", "lambda_", "x", "q1_", "stop_low", "INT32_MAX_", "class_", "stop_low_", "stop_low_rate",
    "stop_too_fast", "stop_too_fast_rate", "stop_late", "stop_late_rate",
]  # fmt: skip


def test_outputs_and_guards_have_legal_names():
    """Each is there once, and collides with nothing of the languages, of the model or of the export."""
    assert [name for name, _, _ in programs(*arm())] == NAMES


@pytest.mark.parametrize("compiler", ONE_COMPILER)
def test_outputs_and_guards_in_c(compiler, tmp_path):
    """Every function compiles without a warning, the example runs, and the bits are the interpreter's."""
    equations, outputs, stop_when = arm()
    paths = export_c(equations, tmp_path, outputs=outputs, stop_when=stop_when)
    flags = f"CFLAGS=-O2 {' '.join(WARNINGS)}"
    subprocess.run(["make", "-C", str(tmp_path), f"CC={compiler}", flags], check=True, capture_output=True)
    subprocess.run([tmp_path / "example"], check=True, capture_output=True)
    strict = re.search(r"^STRICT = (.*)$", (tmp_path / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1].split()
    target = tmp_path / "arm.so"
    subprocess.run([compiler, "-O2", *strict, "-shared", "-fPIC", "-o", target, paths[0], "-lm"], check=True)
    compiled, prefix = ctypes.CDLL(str(target)), paths[0].stem
    x = np.random.default_rng(4).uniform(-1.0, 1.0, (8, len(equations.arguments)))
    for name, _, program in programs(equations, outputs, stop_when):
        found = [call(compiled[f"{prefix}_{name}"], groups(equations), row, len(program.outputs)) for row in x]
        assert bits(found) == meaning(program, x)


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_the_header_is_legal_in_cplusplus(tmp_path):
    """Names that only C++ keeps for itself are changed as well."""
    equations, outputs, stop_when = arm()
    header = export_c(equations, tmp_path, outputs=outputs, stop_when=stop_when)[1]
    command = ["g++", "-x", "c++", "-std=c++17", "-Wall", "-Wextra", "-pedantic", "-Werror", "-fsyntax-only", header]
    subprocess.run(command, check=True, capture_output=True)


def test_outputs_and_guards_are_those_of_a_run():
    """Exported programs give what a run gives for the same names, bit for bit; guards and rates those of its watch."""
    equations, outputs, stop_when = arm()
    run = lw.simulate(equations, until=0.2, q=[0.3, 0.4], u=[0.5, 0.1], stop_when=stop_when)
    found = {name: program for name, _, program in programs(equations, outputs, stop_when)}
    rows = np.column_stack([run.t, run.q, run.u, np.tile(run.rest, (len(run.t), 1))])
    for name, what in (("tip", outputs["tip"]), ("udot_", "dt(u1)"), ("left_arm", outputs["left arm"])):
        assert bits(run[what].reshape(len(run.t), -1)) == meaning(found[name], rows)
    values, rates = guards_and_rates(equations, stop_when, run.driven.laws)
    guards = lower(equations.system.graph, [*values, *rates], run.driven.arguments)
    watched = [evaluate(guards, [row[0], *x, *row[5:]]) for row, x in zip(rows, run.x, strict=True)]
    order = ("stop_low_", "stop_too_fast", "stop_late", "stop_low_rate", "stop_too_fast_rate", "stop_late_rate")
    assert bits(watched) == bits([[evaluate(found[name], row)[0] for name in order] for row in rows])


def test_the_header_says_what_functions_mean(tmp_path):
    """Names as they were given, and the expression where it is short; nothing closes a comment."""
    equations, outputs, stop_when = arm()
    header = export_c(equations, tmp_path, outputs=outputs, stop_when=stop_when)[1].read_text(encoding="utf-8")
    assert "/* output 'left arm'" in header
    assert "/* guard 'too fast', 3 - u1*u2: the run ends where it falls through zero */" in header
    assert "/* rate of the guard 'late', 5 - t, along the motion, inputs held */" in header
    assert "/* output '2* / *', u2 */" in header


def test_outputs_and_guards_in_python(tmp_path):
    """The exported module has every function, with the interpreter's numbers."""
    equations, outputs, stop_when = arm()
    space: dict = {}
    path = export_python(equations, tmp_path / "arm.py", outputs=outputs, stop_when=stop_when)
    exec(path.read_text(encoding="utf-8"), space)
    q, u, r, p = [0.3, 0.4], [0.7, 0.8], [0.1, 0.2][: len(equations.r)], [0.9, 0.8, 0.7, 0.6][: len(equations.p)]
    for name, _, program in programs(equations, outputs, stop_when):
        assert space[name](0.5, q, u, r, p) == pytest.approx(evaluate(program, [0.5, *q, *u, *r, *p]), rel=1e-12)


@pytest.mark.parametrize(("export", "needs"), [(to_casadi, "casadi"), (to_jax, "jax")])
def test_outputs_and_guards_elsewhere(export, needs):
    """CasADi and JAX get them under the same names."""
    pytest.importorskip(needs)
    equations, outputs, stop_when = arm()
    functions = export(equations, outputs=outputs, stop_when=stop_when)
    q, u, r, p = (np.full(n, 0.4) for n in map(len, (equations.q, equations.u, equations.r, equations.p)))
    for name, _, program in programs(equations, outputs, stop_when):
        expected = evaluate(program, [0.5, *q, *u, *r, *p])
        assert np.array(functions[name](0.5, q, u, r, p)).ravel() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"outputs": {"tip": 3}}, "output 'tip' of '.*': a run cannot be asked for 3"),
        ({"outputs": {"tip": "tipp"}}, "output 'tip' of '.*': 'tipp' is not in the run"),
        ({"stop_when": {"low": "N.x"}}, "stop_when 'low' of '.*' is N.x, not a scalar"),
    ],
)
def test_what_cannot_be_exported(given, message):
    """What a run cannot be asked for, or stop at."""
    with pytest.raises(lw.EvaluationError, match=message):
        programs(arm()[0], **given)


def test_entries_that_are_exchanged_in_c_are_read_before_they_are_written():
    """``A[i], A[j] = A[j], A[i]`` takes both values first."""
    (text,) = c_functions([swap])
    assert text.index("new0 = A[j]") < text.index("new1 = A[i]") < text.index("A[i] = new0")
