"""Equations handed on: to C99, to plain Python, to CasADi, to JAX; each tested against the interpreter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from latchwork.kane.equations import Equations
from latchwork.program.c import CFunction
from latchwork.program.c_files import CExport
from latchwork.program.ir import Program
from latchwork.program.naming import Group
from latchwork.symbolic.expr import Expr


def export_c(equations: Equations, directory: str | Path) -> list[Path]:
    """Write ``NAME.c``, ``NAME.h``, ``main.c`` and a ``Makefile`` with q̇, u̇, M, f and the energies; their paths."""
    functions = [CFunction(name, meaning, program) for name, meaning, program in programs(equations)]
    r, p = (tuple(_value(equations, symbol) for symbol in symbols) for symbols in (equations.r, equations.p))
    return CExport(equations.name, groups(equations), tuple(functions), {"r": r, "p": p}).write(Path(directory))


def export_python(equations: Equations, path: str | Path) -> Path:
    """Write one file of plain Python with NumPy: a function for each of q̇, u̇, M, f and the energies."""
    from latchwork.program.python import module_text

    parts = [(name, meaning, program) for name, meaning, program in programs(equations)]
    target = Path(path)
    target.write_text(module_text(equations.name, groups(equations), parts), encoding="utf-8", newline="\n")
    return target


def to_casadi(equations: Equations) -> dict[str, Any]:
    """A ``casadi.Function`` of (t, q, u, r, p) for each of q̇, u̇, M, f and the energies. Needs the extra 'casadi'."""
    from latchwork.program.casadi import casadi_function

    return {name: casadi_function(name, program, groups(equations)) for name, _, program in programs(equations)}


def to_jax(equations: Equations) -> dict[str, Any]:
    """A JAX function of (t, q, u, r, p) for each of q̇, u̇, M, f and the energies. Needs the extra 'jax'."""
    from latchwork.program.jax import jax_function

    return {name: jax_function(program, groups(equations)) for name, _, program in programs(equations)}


def groups(equations: Equations) -> tuple[Group, ...]:
    """The arguments of every exported function: (t, q, u, r, p)."""
    return (
        Group("t", "time", ("t",), scalar=True),
        Group("q", "coordinates", equations.q_names),
        Group("u", "generalized speeds", equations.u_names),
        Group("r", "inputs", tuple(symbol.name for symbol in equations.r)),
        Group("p", "parameters", tuple(symbol.name for symbol in equations.p)),
    )


def programs(equations: Equations) -> list[tuple[str, str, Program]]:
    """What is exported: name, meaning, program."""
    energies = [equations.kinetic_energy, equations.potential_energy]
    return [
        ("qdot", "time derivatives of the coordinates", equations.program(equations.qdot_expressions)),
        ("udot", "time derivatives of the speeds, M^-1 f", equations.udot_program),
        ("M", "mass matrix, row after row", equations.program(equations.M)),
        ("f", "right side of M udot = f", equations.program(equations.f)),
        ("energy", "kinetic energy, potential energy", equations.program(energies)),
    ]


def _value(equations: Equations, symbol: Expr) -> float:
    """The value of an input or parameter in the model; zero where it has none."""
    return float(equations.system.values.get(symbol, 0.0))
