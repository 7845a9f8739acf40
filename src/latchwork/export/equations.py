"""Equations handed on: to C99, to plain Python, to CasADi, to JAX; each tested against the interpreter.

Besides q̇, u̇, M, f and the energies, each can be given ``outputs`` and ``stop_when``: what a run can be asked for, and
what ends it, by name, as `simulate` and model files have them. Each output becomes a function of its own name, each
guard NAME the functions ``stop_NAME`` and ``stop_NAME_rate``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from latchwork.errors import EvaluationError, must_be, must_be_name, spelled
from latchwork.export.runs import export_run
from latchwork.files import write_text
from latchwork.hybrid.simulation import Simulation
from latchwork.hybrid.stops import guards_and_rates
from latchwork.hybrid.trajectory import quantity
from latchwork.kane.equations import Equations
from latchwork.kane.units import label_of
from latchwork.mechanics.point import Point
from latchwork.model import Model
from latchwork.program.c import CALLED, CPLUSPLUS, MACROS, CFunction
from latchwork.program.c_files import CExport
from latchwork.program.ir import Program
from latchwork.program.lower import lower
from latchwork.program.naming import KEYWORDS, Group, legal
from latchwork.program.python import RESERVED
from latchwork.symbolic.expr import Expr

Part = tuple[str, str, Program]  # name, meaning, program
SHAPES = {(): "", (3,): ": measures in N", (3, 3): ": direction cosines, row after row"}
SLOT = re.compile(r"z[0-9]+\Z")  # what intermediate results are called
CASADI = ("null", "jac", "hess")  # no functions of CasADi
MAX_COMMENT = 60  # characters of an expression that a comment shows


@spelled
def export_c(equations: Equations | Simulation, directory: str | Path, *, outputs: Mapping[str, Any] | None = None,
             stop_when: Mapping[str, Any] | None = None) -> list[Path]:  # fmt: skip
    """Write ``NAME.c``, ``NAME.h``, ``main.c`` and a ``Makefile`` with q̇, u̇, M, f, energies and more; their paths.

    A `Simulation` is written as a run that goes on from where it stands, with its contacts, modes and impacts.
    """
    target = _place(directory)
    if isinstance(equations, Simulation):
        if outputs or stop_when:
            raise EvaluationError("outputs and stop_when are functions of equations, and a simulation is exported as a "
                                  "run. Export model.equations() besides, with these.")  # fmt: skip
        return export_run(equations, target)
    functions = [CFunction(*part) for part in programs(equations, outputs, stop_when)]
    r, p = (tuple(_value(equations, symbol) for symbol in symbols) for symbols in (equations.r, equations.p))
    return CExport(equations.name, groups(equations), tuple(functions), {"r": r, "p": p}).write(target)


@spelled
def export_python(equations: Equations, path: str | Path, *, outputs: Mapping[str, Any] | None = None,
                  stop_when: Mapping[str, Any] | None = None) -> Path:  # fmt: skip
    """Write one file of plain Python with NumPy: a function for each of q̇, u̇, M, f, the energies and more."""
    from latchwork.program.python import module_text

    target, parts = _place(path, file=True), programs(equations, outputs, stop_when)
    text = module_text(equations.name, groups(equations), parts)
    return write_text(target, text)


@spelled
def to_casadi(equations: Equations, *, outputs: Mapping[str, Any] | None = None,
              stop_when: Mapping[str, Any] | None = None) -> dict[str, Any]:  # fmt: skip
    """A ``casadi.Function`` of (t, q, u, r, p) for each of q̇, u̇, M, f, energies and more. Needs the extra 'casadi'."""
    from latchwork.program.casadi import casadi_function

    parts = programs(equations, outputs, stop_when)
    return {name: casadi_function(name, program, groups(equations)) for name, _, program in parts}


@spelled
def to_jax(equations: Equations, *, outputs: Mapping[str, Any] | None = None,
           stop_when: Mapping[str, Any] | None = None) -> dict[str, Any]:  # fmt: skip
    """A JAX function of (t, q, u, r, p) for each of q̇, u̇, M, f, the energies and more. Needs the extra 'jax'."""
    from latchwork.program.jax import jax_function

    parts = programs(equations, outputs, stop_when)
    return {name: jax_function(program, groups(equations)) for name, _, program in parts}


def groups(equations: Equations) -> tuple[Group, ...]:
    """The arguments of every exported function: (t, q, u, r, p)."""
    meanings = {"q": "coordinates", "u": "generalized speeds", "r": "inputs", "p": "parameters"}
    found = [Group("t", "time", ("t",), scalar=True)]
    for letter, meaning in meanings.items():
        symbols = getattr(equations, letter)
        names = tuple(symbol.name for symbol in symbols)
        found.append(Group(letter, meaning, names, notes=_notes(equations, symbols)))
    return tuple(found)


def _notes(equations: Equations, symbols: Iterable[Expr]) -> tuple[str, ...]:
    """``[rad] angle of the crank`` for each symbol, as far as it is known."""
    labels = [label_of(equations.system, symbol) for symbol in symbols]
    return tuple(" ".join([f"[{label.unit}]"] * bool(label.unit) + [label.description]).strip() for label in labels)


def programs(equations: Equations, outputs: Mapping[str, Any] | None = None,
             stop_when: Mapping[str, Any] | None = None) -> list[Part]:  # fmt: skip
    """What is exported: name, meaning, program. Names are legal in every target, and each is there once."""
    if not isinstance(equations, Equations):
        raise EvaluationError(
            f"{equations!r} cannot be exported: equations are needed. Give model.equations(), or "
            f"model.constrained().equations where constraints are to be embedded.{_left_out(equations)}"
        )
    energies = [equations.kinetic_energy, equations.potential_energy]
    parts = [
        ("qdot", "time derivatives of the coordinates", equations.program(equations.qdot_expressions)),
        ("udot", "time derivatives of the speeds, M^-1 f", equations.udot_program),
        ("M", "mass matrix, row after row", equations.program(equations.M)),
        ("f", "right side of M udot = f", equations.program(equations.f)),
        ("energy", "kinetic energy, potential energy", equations.program(energies)),
    ]
    taken = {*KEYWORDS, *MACROS, *CPLUSPLUS, *CALLED, *RESERVED, *CASADI, *(name for name, _, _ in parts)}
    for group in groups(equations):
        taken |= {group.letter, f"{group.letter}0", *group.names}
    for wanted, meaning, program in (*_outputs(equations, outputs or {}), *_guards(equations, stop_when or {})):
        name = legal(wanted, taken)
        name = legal(wanted, {*taken, name}) if SLOT.match(name) else name
        taken.add(name)
        parts.append((name, meaning, program))
    return parts


def _place(given: Any, file: bool = False) -> Path:
    """Where files are written."""
    if not isinstance(given, (str, os.PathLike)):
        raise EvaluationError(f"an export cannot be written to {given!r}, which is no path. Give the path as text "
                              "(\"build/pendulum\"), or as a pathlib.Path.")  # fmt: skip
    if Path(given).is_dir() and file:
        raise EvaluationError(f"'{given}' is a folder. Give the name of a file to write.")
    return Path(given)


def _left_out(model: Any) -> str:
    """What no equations hold."""
    if not isinstance(model, Model) or not (model.contacts or model.collisions or model.rules):
        return ""
    changing: tuple[Any, ...] = (*model.contacts, *model.collisions, *model.rules)
    names = ", ".join(f"'{each.name}'" for each in changing)
    return f" Contacts and rules ({names}) are left out of both: they change the equations in a run."


def _outputs(equations: Equations, outputs: Mapping[str, Any]) -> Iterator[Part]:
    """What a run could be asked for, each by its name."""
    must_be(outputs, Mapping, f"the outputs of '{equations.name}'", 'Give them by name: outputs={"height": "q1"}.')
    for name, what in outputs.items():
        must_be_name(name, "an output")
        try:
            nodes, shape = quantity(equations, what)
        except EvaluationError as error:
            raise EvaluationError(f"output '{name}' of '{equations.name}': {error}") from None
        yield name, f"output '{name}'{_shown(what)}{SHAPES[shape]}", _program(equations, *equations.in_states(nodes))


def _guards(equations: Equations, stop_when: Mapping[str, Any]) -> Iterator[Part]:
    """Guards, and their rates along the motion with the inputs held."""
    if not stop_when:
        return
    found = guards_and_rates(equations, stop_when, {})
    for (name, what), value, rate in zip(stop_when.items(), *found, strict=True):
        about = f"guard '{name}'{_shown(what)}"
        yield f"stop_{name}", f"{about}: the run ends where it falls through zero", _program(equations, value)
        yield f"stop_{name}_rate", f"rate of the {about}, along the motion, inputs held", _program(equations, rate)


def _program(equations: Equations, *nodes: int) -> Program:
    """Nodes without q̇ and u̇ as straight-line code of (t, q, u, r, p)."""
    return lower(equations.system.graph, nodes, equations.arguments)


def _shown(what: Any) -> str:
    """What is behind a name, where it is short."""
    text = f"position of {what.name}" if isinstance(what, Point) else str(what)
    return f", {text}" if len(text) <= MAX_COMMENT else ""


def _value(equations: Equations, symbol: Expr) -> float:
    """The value of an input or parameter in the model; zero where it has none."""
    return float(equations.system.values.get(symbol, 0.0))
