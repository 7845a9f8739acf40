"""Programs as plain Python with NumPy: text that needs nothing of Latchwork.

Arrays broadcast: a coordinate may be an array of values. Elementary functions are NumPy's, so last digits may differ.
"""

from __future__ import annotations

import keyword
import math
from collections.abc import Iterable, Sequence

from latchwork.program.ir import OPS, Program
from latchwork.program.naming import Group, Names
from latchwork.program.schedule import schedule

ROW = {
    "neg": "-{}", "add": "{} + {}", "sub": "{} - {}", "mul": "{} * {}", "div": "{} / {}", "abs": "np.abs({})",
    "sqrt": "np.sqrt({})", "exp": "np.exp({})", "log": "np.log({})", "sin": "np.sin({})", "cos": "np.cos({})",
    "asin": "np.arcsin({})", "acos": "np.arccos({})", "atan": "np.arctan({})", "sinh": "np.sinh({})",
    "cosh": "np.cosh({})", "tanh": "np.tanh({})", "asinh": "np.arcsinh({})", "acosh": "np.arccosh({})",
    "atanh": "np.arctanh({})", "atan2": "np.arctan2({}, {})", "pow": "np.power({}, {})", "sign": "np.sign({})",
    "min": "np.minimum({}, {})", "max": "np.maximum({}, {})", "lt": "np.where({} < {}, 1.0, 0.0)",
    "le": "np.where({} <= {}, 1.0, 0.0)", "eq": "np.where({} == {}, 1.0, 0.0)",
    "select": "np.where({} != 0.0, {}, {})",
}  # fmt: skip
RESERVED = frozenset({*keyword.kwlist, *keyword.softkwlist, "np", "float"})


def module_text(title: str, groups: Sequence[Group], parts: Iterable[tuple[str, str, Program]]) -> str:
    """One module with a function for each (name, meaning, program)."""
    functions = [function_text(name, meaning, groups, program) for name, meaning, program in parts]
    return "\n\n\n".join([f'"""{_told(title)}: written by Latchwork."""\n\nimport numpy as np', *functions]) + "\n"


def function_text(name: str, meaning: str, groups: Sequence[Group], program: Program) -> str:
    """A program as a function of its groups, which returns an array."""
    plan = schedule(program, 1)
    names = Names(plan, groups, {*RESERVED, name}, literal)
    lines = [f"def {name}({', '.join(group.letter for group in groups)}):", f'    """{_told(meaning)}."""']
    for group in groups:
        if group.letter in names.used:
            lines.append(f"    {group.letter} = np.asarray({group.letter}, dtype=float)")
    lines += [f"    {target} = {place}" for target, place in names.inputs]
    for slot in (slot for unit in plan.units for slot in unit):
        row = ROW[OPS[plan.opcode(slot)].name]
        lines.append(f"    {names[slot]} = {row.format(*(names[i] for i in plan.reads(slot)))}")
    results = [names[slot] for slot in plan.outputs]
    gathered = f"np.array(np.broadcast_arrays({', '.join(results)}))" if results else "np.zeros(0)"
    return "\n".join([*lines, f"    return {gathered}"])


def _told(text: str) -> str:
    """A text that a docstring can hold, on one line."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split()).replace('"', "'").replace("\\", "/")


def literal(x: float) -> str:
    """A number that Python reads as the same bits."""
    if math.isnan(x):
        return "np.nan"
    text = "np.inf" if math.isinf(x) else repr(abs(x))
    return f"(-{text})" if math.copysign(1.0, x) < 0.0 else text
