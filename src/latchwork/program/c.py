"""Programs as C99: one function each, readable, with the bits of the interpreter (compiled as the Makefile says).

Intermediate results are called z1, z2, ... (AUTOLEV's Z variables); inputs keep their names. The arguments of every
function are arrays, in which inputs stand in groups: ``(t, q, u, r, p)`` of a mechanism.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from latchwork.program import sincos
from latchwork.program.codegen.c_expressions import c_name, literal
from latchwork.program.codegen.c_kernels import c_functions
from latchwork.program.interpret import PYTHON
from latchwork.program.ir import OPS, Program
from latchwork.program.kernel import Kernel
from latchwork.program.naming import KEYWORDS, Group, Names
from latchwork.program.schedule import SIN, TRIGONOMETRIC, Schedule, Unit, schedule

# Macros of the headers that are included, and what C++ keeps for itself where it reads the header.
INTEGERS = [f"{least}{size}" for least in ("", "_LEAST", "_FAST") for size in (8, 16, 32, 64)] + ["MAX", "PTR"]
MACROS = frozenset(
    {f"{kind}INT{size}_{end}" for kind in ("", "U") for size in INTEGERS for end in ("MIN", "MAX")}
    | {f"{kind}_{end}" for kind in ("PTRDIFF", "SIG_ATOMIC", "SIZE", "WCHAR", "WINT") for end in ("MIN", "MAX")}
    | {f"FP_{kind}" for kind in ("ILOGB0", "ILOGBNAN", "INFINITE", "NAN", "NORMAL", "SUBNORMAL", "ZERO")}
    | {f"HUGE_VAL{kind}" for kind in ("", "F", "L")}
    | set("BUFSIZ FILENAME_MAX FOPEN_MAX L_tmpnam MATH_ERREXCEPT MATH_ERRNO SEEK_CUR SEEK_END SEEK_SET TMP_MAX".split())
    | {"math_errhandling"}
)
CPLUSPLUS = frozenset(
    "and and_eq bitand bitor bool catch char8_t char16_t char32_t class compl concept const_cast consteval constexpr "
    "constinit co_await co_return co_yield decltype delete dynamic_cast explicit export false friend mutable namespace "
    "new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires "
    "static_assert static_cast template this thread_local throw true try typeid typename using virtual wchar_t xor "
    "xor_eq".split()
)
# What a function calls by name, or the example does: nothing inside them may have these names.
CALLED = frozenset(
    {"sqrt", "fabs", "show", c_name(sincos.sincos)}
    | {c_name(item) for item in PYTHON.values() if isinstance(item, Kernel)}
)
ARITHMETIC = {"neg": "-{}", "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}",
              "sqrt": "sqrt({})", "abs": "fabs({})"}  # fmt: skip


@dataclass(frozen=True)
class CFunction:
    """A program to export: the name of its result, and what it means."""

    name: str
    meaning: str
    program: Program


def comment(text: str) -> str:
    """A text that neither ends nor starts a comment, and holds no trigraph, on one line."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    for wrong in ("*/", "/*", "??"):
        while wrong in line:
            line = line.replace(wrong, " ".join(wrong))
    return line.rstrip("\\")


def head(prefix: str, function: CFunction, groups: Sequence[Group]) -> str:
    """The declaration of a function."""
    arguments = [f"double {g.letter}" if g.scalar else f"const double {g.letter}[]" for g in groups]
    return f"void {prefix}_{function.name}({', '.join([*arguments, f'double {function.name}[]'])})"


def definition(prefix: str, function: CFunction, groups: Sequence[Group]) -> str:
    """The function itself."""
    plan = schedule(function.program, 1)
    names = Names(plan, groups, {*KEYWORDS, *MACROS, *CALLED, function.name}, literal)
    lines = [f"/* {comment(function.meaning)} */", head(prefix, function, groups), "{"]
    lines += [f"    (void){group.letter};" for group in groups if group.letter not in names.used]
    lines += [f"    const double {name} = {place};" for name, place in names.inputs]
    lines += [f"    {line}" for unit in plan.units for line in statements(plan, unit, names)]
    lines += [f"    {function.name}[{i}] = {names[slot]};" for i, slot in enumerate(plan.outputs)]
    return "\n".join([*lines, "}"])


def support(programs: Iterable[Program]) -> list[str]:
    """The static functions that these programs call: elementary functions, and what C has no operator for."""
    kernels: dict[Kernel[..., Any], None] = {}
    for program in programs:
        plan = schedule(program, 1)
        for unit in plan.units:
            target = _trigonometric(plan, unit) or PYTHON[OPS[plan.opcode(unit[0])].name]
            if isinstance(target, Kernel):
                kernels[target] = None
    return c_functions(kernels)


def _trigonometric(plan: Schedule, unit: Unit) -> Kernel[..., Any] | None:
    """The kernel of a unit of trigonometry: for both, or for one."""
    if plan.opcode(unit[0]) not in TRIGONOMETRIC:
        return None
    if len(unit) == 2:
        return sincos.sincos
    return sincos.sin if plan.opcode(unit[0]) == SIN else sincos.cos


def statements(plan: Schedule, unit: Unit, names: Names) -> list[str]:
    """The statements of a unit."""
    operands = [names[i] for i in plan.reads(unit[0])]
    kernel = _trigonometric(plan, unit)
    if len(unit) == 2:
        s, c = (names[slot] for slot in sorted(unit, key=plan.opcode))
        return [f"double {s}, {c};", f"{c_name(sincos.sincos)}({operands[0]}, &{s}, &{c});"]
    return [f"const double {names[unit[0]]} = {_expression(plan.opcode(unit[0]), operands, kernel)};"]


def _expression(opcode: int, operands: list[str], kernel: Kernel[..., Any] | None) -> str:
    name = OPS[opcode].name
    if name in ARITHMETIC:
        return ARITHMETIC[name].format(*operands)
    target: Any = kernel or PYTHON[name]
    return f"{c_name(target)}({', '.join(operands)})"
