"""What compiled programs call: kernels to inline, sine and cosine side by side, other functions lane by lane."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from latchwork.program import sincos
from latchwork.program.codegen.emit import emit
from latchwork.program.codegen.lanes import emit_lanes, splat, widen
from latchwork.program.codegen.module import INTRINSICS, number
from latchwork.program.elementary.functions import ELEMENTARY
from latchwork.program.kernel import Kernel

ALONE = f'@"{sincos.sincos.name}"'
MEDIUM = f'@"{sincos.sincos_medium.name}'


def vector(width: int) -> str:
    """The type of a number over lanes."""
    return "double" if width == 1 else f"<{width} x double>"


def pair(width: int) -> str:
    """The type of a sine and a cosine over lanes."""
    return f"{{ {vector(width)}, {vector(width)} }}"


def symbol(width: int) -> str:
    """The name of `sincos` over lanes."""
    return f"latchwork_sincos{width}"


def elementary_symbol(name: str) -> str:
    """The name of an elementary function in machine code."""
    return f"latchwork_{name}"


def declarations(width: int) -> list[str]:
    """The intrinsics, over lanes where there are several."""
    return [widen(f"declare double @llvm.{form}", width) if width > 1 else f"declare double @llvm.{form}"
            for form in INTRINSICS]  # fmt: skip


def inlined(roots: Sequence[Kernel[..., Any]], width: int) -> list[str]:
    """Kernels to be inlined, over lanes where there are several."""
    return emit(roots, visible=False).functions if width == 1 else emit_lanes(roots, width)


def library_text(widths: Iterable[int]) -> str:
    """A module with the elementary functions, and with `sincos` over each of these widths."""
    module = emit([sincos.sincos, sincos.sincos_medium, *ELEMENTARY.values()])
    wide = [width for width in widths if width > 1]
    parts = [line for width in wide for line in (*declarations(width), *emit_lanes([sincos.sincos_medium], width))]
    return "\n".join([str(module), *parts, *map(side_by_side, widths), ""])


def side_by_side(width: int) -> str:
    """`sincos` of so many angles: without a branch while all are below MEDIUM, else one after the other."""
    x, both, limit = vector(width), pair(width), number(sincos.MEDIUM)
    fabs, medium = ("f64", f'{MEDIUM}"') if width == 1 else (f"v{width}f64", f'{MEDIUM}.{width}"')
    bits = "i1" if width == 1 else f"<{width} x i1>"
    lines = [
        f"define dso_local {both} @{symbol(width)}({x} %x) nounwind {{",
        f"  %a = call {x} @llvm.fabs.{fabs}({x} %x)",
        f"  %small = fcmp olt {x} %a, {limit if width == 1 else splat(limit, width)}",
        f"  %bits = bitcast {bits} %small to i{width}",
        f"  %all = icmp eq i{width} %bits, -1",
        "  br i1 %all, label %fast, label %slow\nfast:",
        f"  %both = call {both} {medium}({x} %x)",
        f"  ret {both} %both\nslow:",
        *(line for i in range(width) for line in _one(i, width)),
        f"  %r = insertvalue {both} undef, {x} %s{width}, 0",
        f"  %rr = insertvalue {both} %r, {x} %c{width}, 1",
        f"  ret {both} %rr\n}}",
    ]
    return "\n".join(lines)


def _one(i: int, width: int) -> list[str]:
    """Lane i alone; ``%s`` and ``%c`` gather the lanes up to it."""
    x, scalar = vector(width), pair(1)
    if width == 1:
        call = f"  %y = call {scalar} {ALONE}(double %x)"
        return [call, f"  %s1 = extractvalue {scalar} %y, 0", f"  %c1 = extractvalue {scalar} %y, 1"]
    lines = [f"  %x{i} = extractelement {x} %x, i32 {i}", f"  %y{i} = call {scalar} {ALONE}(double %x{i})"]
    for k, name in enumerate("sc"):
        before = f"%{name}{i}" if i else "undef"
        lines.append(f"  %{name}.{i} = extractvalue {scalar} %y{i}, {k}")
        lines.append(f"  %{name}{i + 1} = insertelement {x} {before}, double %{name}.{i}, i32 {i}")
    return lines


def lane_by_lane(name: str, arity: int, width: int) -> str:
    """An elementary function over lanes."""
    x, names, symbol = vector(width), ["a", "b"][:arity], elementary_symbol(name)
    lines = [f'define internal {x} @"{symbol}.{width}"({", ".join(f"{x} %{n}" for n in names)}) nounwind {{']
    before = "undef"
    for i in range(width):
        lines += [f"  %{n}{i} = extractelement {x} %{n}, i32 {i}" for n in names]
        lines.append(f"  %y{i} = call double @{symbol}({', '.join(f'double %{n}{i}' for n in names)})")
        lines.append(f"  %r{i} = insertelement {x} {before}, double %y{i}, i32 {i}")
        before = f"%r{i}"
    return "\n".join([*lines, f"  ret {x} {before}", "}"])
