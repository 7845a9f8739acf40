"""What compiled programs call: kernels to inline, sine and cosine side by side, the C library lane by lane."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from latchwork.program import sincos
from latchwork.program.codegen.emit import emit
from latchwork.program.codegen.lanes import emit_lanes, splat, widen
from latchwork.program.codegen.module import INTRINSICS, number
from latchwork.program.kernel import Kernel
from latchwork.program.libm import Foreign

SINCOS = f'@"{sincos.sincos.name}'
MEDIUM = f'@"{sincos.sincos_medium.name}'
SLOW = "latchwork_sincos"  # `sincos_into`, from outside


def vector(width: int) -> str:
    """The type of a number over lanes."""
    return "double" if width == 1 else f"<{width} x double>"


def pair(width: int) -> str:
    """The type of a sine and a cosine over lanes."""
    return f"{{ {vector(width)}, {vector(width)} }}"


def over(symbol: str, width: int) -> str:
    """A quoted symbol over lanes."""
    return f'{symbol}"' if width == 1 else f'{symbol}.{width}"'


def declarations(foreign: Iterable[Foreign], widths: Iterable[int]) -> list[str]:
    """Names from outside: intrinsics of every width, the C library, and the sine and cosine of large angles."""
    scalar = [f"declare double @llvm.{form}" for form in INTRINSICS]
    wide = [widen(line, width) for line in scalar for width in sorted(set(widths) - {1})]
    libm = [f"declare double @{item.symbol}({', '.join(['double'] * item.arity)}) nounwind" for item in foreign]
    return [*scalar, *wide, *libm, f"declare void @{SLOW}(double, ptr) nounwind"]


def inlined(roots: Sequence[Kernel[..., Any]], width: int) -> list[str]:
    """Kernels to be inlined, over lanes where there are several."""
    return emit(roots, visible=False).functions if width == 1 else emit_lanes(roots, width)


def side_by_side(width: int) -> str:
    """`sincos` of so many angles: without a branch while all are below MEDIUM, else one after the other."""
    x, both, limit = vector(width), pair(width), number(sincos.MEDIUM)
    fabs = "@llvm.fabs.f64" if width == 1 else f"@llvm.fabs.v{width}f64"
    bits = "i1" if width == 1 else f"<{width} x i1>"
    lines = [
        f"define internal {both} {over(SINCOS, width)}({x} %x) nounwind noinline {{",
        "  %room = alloca [2 x double]",
        "  %second = getelementptr inbounds double, ptr %room, i64 1",
        f"  %a = call {x} {fabs}({x} %x)",
        f"  %small = fcmp olt {x} %a, {limit if width == 1 else splat(limit, width)}",
        f"  %bits = bitcast {bits} %small to i{width}",
        f"  %all = icmp eq i{width} %bits, -1",
        "  br i1 %all, label %fast, label %slow\nfast:",
        f"  %both = call {both} {over(MEDIUM, width)}({x} %x)",
        f"  ret {both} %both\nslow:",
    ]
    s = c = "undef"
    for i in range(width):
        lines += _one(i, width, s, c)
        s, c = f"%s{i}", f"%c{i}"
    lines += [f"  %r = insertvalue {both} undef, {x} {s}, 0", f"  %rr = insertvalue {both} %r, {x} {c}, 1"]
    return "\n".join([*lines, f"  ret {both} %rr", "}"])


def _one(i: int, width: int, s: str, c: str) -> list[str]:
    """Lane i by the slow way; s and c hold the lanes before it."""
    x = f"%x{i}" if width > 1 else "%x"
    lines = [] if width == 1 else [f"  %x{i} = extractelement {vector(width)} %x, i32 {i}"]
    lines.append(f"  call void @{SLOW}(double {x}, ptr %room)")
    for name, place, before in (("s", "%room", s), ("c", "%second", c)):
        if width == 1:
            lines.append(f"  %{name}0 = load double, ptr {place}")
        else:
            lines.append(f"  %{name}{i}.1 = load double, ptr {place}")
            lines.append(f"  %{name}{i} = insertelement {vector(width)} {before}, double %{name}{i}.1, i32 {i}")
    return lines


def lane_by_lane(function: Foreign, width: int) -> str:
    """A function of the C library over lanes."""
    x, names = vector(width), ["a", "b"][: function.arity]
    lines = [f"define internal {x} @\"{function.symbol}.{width}\"({', '.join(f'{x} %{n}' for n in names)}) nounwind {{"]
    before = "undef"
    for i in range(width):
        lines += [f"  %{n}{i} = extractelement {x} %{n}, i32 {i}" for n in names]
        lines.append(f"  %y{i} = call double @{function.symbol}({', '.join(f'double %{n}{i}' for n in names)})")
        lines.append(f"  %r{i} = insertelement {x} {before}, double %y{i}, i32 {i}")
        before = f"%r{i}"
    return "\n".join([*lines, f"  ret {x} {before}", "}"])
