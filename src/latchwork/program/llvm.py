"""Programs as machine code: LLVM's text by a table, strict IEEE 754, the bits of the interpreter.

The result is an executor ``run(code, z, out)`` as the bytecode machine is one; it reads its inputs from z and ignores
the code. Sines and cosines of several angles are computed side by side in the lanes of a vector. A long program is cut
into functions that pass values on through z: the time of compilation then grows with its length, not faster.

Over lanes (``lanes=4``) every value is a vector of as many instances. The first ``shared`` inputs are then one number
for all, at the start of z; every other slot is a row of numbers, one for each lane.
"""

from __future__ import annotations

import ctypes
import threading
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from latchwork.program.codegen.lanes import splat, widen
from latchwork.program.codegen.library import (
    declarations,
    elementary_symbol,
    inlined,
    lane_by_lane,
    library_text,
    pair,
    symbol,
    vector,
)
from latchwork.program.codegen.module import number
from latchwork.program.elementary.functions import ELEMENTARY
from latchwork.program.interpret import PYTHON
from latchwork.program.ir import OPS, Program
from latchwork.program.kernel import Kernel
from latchwork.program.machine import link, named_code
from latchwork.program.native import Native
from latchwork.program.schedule import SIN, TRIGONOMETRIC, Schedule, Unit, schedule
from latchwork.program.sources import digest

SYMBOL = "latchwork_program"
PASSES = ("always_inliner", "sroa")  # nothing more is left to gain in straight-line code, by measurement
WIDTHS = (1, 2, 4, 8)  # of sine and cosine
TOGETHER = 8  # angles in one vector
CHUNK = 2000  # units in one function
ARITHMETIC = {
    "neg": "fneg double {}", "add": "fadd double {}, {}", "sub": "fsub double {}, {}", "mul": "fmul double {}, {}",
    "div": "fdiv double {}, {}", "sqrt": "call double @llvm.sqrt.f64(double {})",
    "abs": "call double @llvm.fabs.f64(double {})",
}  # fmt: skip


def _instruction(name: str, arity: int) -> str:
    """The instruction of an operation: its row of the table, or a call of what the interpreter calls."""
    target = PYTHON[name]
    if name in ELEMENTARY:
        return f"call double @{elementary_symbol(name)}({', '.join(['double {}'] * arity)})"
    if isinstance(target, Kernel):
        return f'call double @"{target.name}"({", ".join(["double {}"] * arity)})'
    return ARITHMETIC.get(name, "")


INSTRUCTION = [_instruction(op.name, op.arity) for op in OPS]
_lock = threading.Lock()


def compiled(program: Program, lanes: int = 1, shared: int = 0) -> Native:
    """The program as machine code, compiled here and now or taken from the cache."""
    return linked(program_code(program, lanes, shared))


def program_code(program: Program, lanes: int = 1, shared: int = 0) -> bytes:
    """The object code of a program."""
    name = f"program {program.fingerprint} {lanes} {shared} {digest()}"
    return named_code(name, lambda: text(program, lanes, shared), PASSES)


def linked(code: bytes) -> Native:
    """The executor in the object code of a program."""
    (address,), engine = link(code, [SYMBOL], _outside().addresses)
    kinds = [ctypes.c_void_p] * 3
    return Native(SYMBOL, address, ctypes.CFUNCTYPE(None, *kinds)(address), engine,
                  ctypes.PYFUNCTYPE(None, *kinds)(address))  # fmt: skip


class Outside(NamedTuple):
    """Addresses by name, and the engine that owns some of them."""

    addresses: dict[str, int]
    engine: Any


def _outside() -> Outside:
    """What compiled programs call: made by the first thread that asks, kept as long as the process."""
    with _lock:
        return _made_outside()


@cache
def _made_outside() -> Outside:
    """The elementary functions, compiled once."""
    names = [symbol(width) for width in WIDTHS] + [kernel.name for kernel in ELEMENTARY.values()]
    known = [*names[: len(WIDTHS)], *map(elementary_symbol, ELEMENTARY)]
    own, engine = link(named_code(f"elementary {digest()}", lambda: library_text(WIDTHS)), names, {})
    return Outside(dict(zip(known, own, strict=True)), engine)


def text(program: Program, lanes: int = 1, shared: int = 0, chunk: int = CHUNK) -> str:
    """A module with one visible function, SYMBOL."""
    plan = schedule(program, TOGETHER if lanes == 1 else 1)
    cut = [plan.units[i : i + chunk] for i in range(0, len(plan.units), chunk)] or [[]]
    parts = list(_Writer(plan, cut, lanes, shared).parts())
    calls = [f"  call void @part.{i}(ptr %z, ptr %out)" for i in range(len(parts))]
    head = f"define dso_local void @{SYMBOL}(ptr %code, ptr noalias %z, ptr noalias %out) nounwind {{"
    return "\n".join([*_library(plan, lanes), *parts, head, *calls, "  ret void", "}", ""])


def _library(plan: Schedule, lanes: int) -> list[str]:
    """The functions that a program calls, no others."""
    used = [OPS[code] for code in sorted({op for op, _ in plan.rows.values()} - set(TRIGONOMETRIC))]
    called = [op for op in used if op.name in ELEMENTARY]
    kernels = [item for op in used if op not in called and isinstance(item := PYTHON[op.name], Kernel)]
    found = [*declarations(lanes), *inlined(kernels, lanes)]
    found += [f"declare double @{elementary_symbol(op.name)}({', '.join(['double'] * op.arity)}) nounwind"
              for op in called]  # fmt: skip
    found += [f"declare {pair(w)} @{symbol(w)}({vector(w)}) nounwind" for w in WIDTHS]
    return found + ([lane_by_lane(op.name, op.arity, lanes) for op in called] if lanes > 1 else [])


class _Writer:
    """Writes the functions of one program; each passes on through z what later ones read."""

    def __init__(self, plan: Schedule, cut: list[list[Unit]], lanes: int, shared: int) -> None:
        self.plan, self.cut, self.lanes, self.shared = plan, cut, lanes, shared
        self.last = {i: k for k, units in enumerate(cut) for unit in units for slot in unit for i in plan.reads(slot)}
        self.made = {slot: k for k, units in enumerate(cut) for unit in units for slot in unit}
        program = plan.program
        self.constants = {len(program.inputs) + i: number(value) for i, value in enumerate(program.constants)}
        self.lines: list[str] = []
        self.known: set[int] = set()  # slots that have a name in this part

    def parts(self) -> Iterator[str]:
        """The text of each part."""
        for k, units in enumerate(self.cut):
            self.lines = [f"define internal void @part.{k}(ptr noalias %z, ptr noalias %out) nounwind {{"]
            self.known = set()
            for unit in units:
                self.compute(unit)
            for slot in (slot for unit in units for slot in unit if self.last.get(slot, k) > k):
                self.store(slot, "%z", self.place(slot))
            self.results(k)
            yield "\n".join([*self.lines, "  ret void", "}"])

    def write(self, line: str) -> None:
        """A line over lanes; constants in it are marked."""
        self.lines.append("  " + (line.replace("#", "") if self.lanes == 1 else widen(line, self.lanes)))

    def results(self, k: int) -> None:
        """Write the outputs made in part k; in the last part also those that are inputs or constants."""
        end = len(self.cut) - 1
        for j, slot in enumerate(self.plan.outputs):
            if self.made.get(slot, end) == k:
                self.store(slot, "%out", j * self.lanes)

    def place(self, slot: int) -> int:
        """Where a slot is in z."""
        return slot if slot < self.shared else self.shared + (slot - self.shared) * self.lanes

    def ref(self, slot: int) -> str:
        """The operand that a slot is: a constant, a value made here, or one loaded from z."""
        if slot in self.constants:
            return f"#{self.constants[slot]}"
        if slot not in self.known:
            self.known.add(slot)
            self.load(slot)
        return f"%z{slot}"

    def load(self, slot: int) -> None:
        """Take a slot from z; a shared input is one number, copied to every lane."""
        self.lines.append(f"  %p{slot} = getelementptr inbounds double, ptr %z, i64 {self.place(slot)}")
        if slot >= self.shared or self.lanes == 1:
            self.write(f"%z{slot} = load double, ptr %p{slot}, align 8")
            return
        kind, zeros = vector(self.lanes), f"<{self.lanes} x i32> zeroinitializer"
        self.lines += [
            f"  %one{slot} = load double, ptr %p{slot}, align 8",
            f"  %in{slot} = insertelement {kind} undef, double %one{slot}, i32 0",
            f"  %z{slot} = shufflevector {kind} %in{slot}, {kind} undef, {zeros}",
        ]

    def store(self, slot: int, base: str, place: int) -> None:
        """Write a slot to z or to the outputs."""
        value, name = self.ref(slot), f"%to.{base[1:]}{place}"
        self.lines.append(f"  {name} = getelementptr inbounds double, ptr {base}, i64 {place}")
        self.write(f"store double {value}, ptr {name}, align 8")

    def compute(self, unit: Unit) -> None:
        """The instructions of a unit."""
        opcode = self.plan.opcode(unit[0])
        if opcode in TRIGONOMETRIC:
            self.trigonometry(unit)
        else:
            operands = [self.ref(i) for i in self.plan.reads(unit[0])]
            self.write(f"%z{unit[0]} = {INSTRUCTION[opcode].format(*operands)}")
        self.known.update(unit)

    def trigonometry(self, unit: Unit) -> None:
        """One call for the angles of a unit; each sine and cosine is taken out of its lane."""
        angles = list(dict.fromkeys(self.plan.reads(slot)[0] for slot in unit))
        width, name = self.lanes if self.lanes > 1 else 1 << (len(angles) - 1).bit_length(), f"%both{unit[0]}"
        x = self.gather(unit[0], angles, width)
        self.lines.append(f"  {name} = call {pair(width)} @{symbol(width)}({vector(width)} {x})")
        for slot in unit:
            which, lane = int(self.plan.opcode(slot) != SIN), angles.index(self.plan.reads(slot)[0])
            whole = f"%z{slot}" if len(angles) == 1 else f"%all{slot}"
            self.lines.append(f"  {whole} = extractvalue {pair(width)} {name}, {which}")
            if len(angles) > 1:
                self.lines.append(f"  %z{slot} = extractelement {vector(width)} {whole}, i32 {lane}")

    def gather(self, tag: int, angles: list[int], width: int) -> str:
        """The angles side by side; lanes that are left over hold zero."""
        refs = [self.ref(i) for i in angles]
        if len(refs) == 1:
            constant = refs[0].startswith("#") and width > 1
            return splat(refs[0][1:], width) if constant else refs[0].lstrip("#")
        whole = "zeroinitializer"
        for i, ref in enumerate(refs):
            name = f"%angle{tag}.{i}"
            self.lines.append(f"  {name} = insertelement {vector(width)} {whole}, double {ref.lstrip('#')}, i32 {i}")
            whole = name
        return whole
