"""Programs as machine code: LLVM's text by a table, strict IEEE 754, the bits of the interpreter.

The result is an executor ``run(code, z, out)`` as the bytecode machine is one; it reads its inputs from z and ignores
the code. Sines and cosines of several angles are computed side by side in the lanes of a vector. A long program is cut
into functions that pass values on through z: the time of compilation then grows with its length, not faster.

Over lanes (``lanes=4``) every value is a vector of as many instances. The first ``shared`` inputs are then one number
for all, at the start of z; every other slot is a row of numbers, one for each lane.
"""

from __future__ import annotations

from collections.abc import Iterator

from latchwork.program.codegen.lanes import splat, widen
from latchwork.program.codegen.library import (
    SINCOS,
    declarations,
    inlined,
    lane_by_lane,
    over,
    pair,
    side_by_side,
    vector,
)
from latchwork.program.codegen.module import number
from latchwork.program.interpret import PYTHON
from latchwork.program.ir import OPS, Program
from latchwork.program.kernel import Kernel
from latchwork.program.libm import FOREIGN, Foreign
from latchwork.program.schedule import SIN, TRIGONOMETRIC, Schedule, Unit, schedule
from latchwork.program.sincos import sincos_medium

SYMBOL = "latchwork_program"
TOGETHER = 4  # angles in one vector
CHUNK = 1500  # units in one function
ARITHMETIC = {
    "neg": "fneg double {}", "add": "fadd double {}, {}", "sub": "fsub double {}, {}", "mul": "fmul double {}, {}",
    "div": "fdiv double {}, {}", "sqrt": "call double @llvm.sqrt.f64(double {})",
    "abs": "call double @llvm.fabs.f64(double {})",
}  # fmt: skip


def _instruction(name: str, arity: int) -> str:
    """The instruction of an operation: its row of the table, or a call of what the interpreter calls."""
    target = PYTHON[name]
    if isinstance(target, Foreign):
        return f"call double @{target.symbol}({', '.join(['double {}'] * arity)})"
    if isinstance(target, Kernel):
        return f'call double @"{target.name}"({", ".join(["double {}"] * arity)})'
    return ARITHMETIC[name]


INSTRUCTION = [_instruction(op.name, op.arity) for op in OPS]


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
    used = [PYTHON[OPS[code].name] for code in sorted({op for op, _ in plan.rows.values()} - set(TRIGONOMETRIC))]
    foreign = [item for item in used if isinstance(item, Foreign)]
    kernels = [item for item in used if isinstance(item, Kernel)]
    widths = sorted({_width(plan, unit, lanes) for unit in plan.units if plan.opcode(unit[0]) in TRIGONOMETRIC})
    found = declarations(foreign, {lanes, *widths})
    found += inlined(kernels, lanes)
    for width in widths:
        found += [*inlined([sincos_medium], width), side_by_side(width)]
    return found + ([lane_by_lane(item, lanes) for item in foreign] if lanes > 1 else [])


def _width(plan: Schedule, unit: Unit, lanes: int) -> int:
    """Lanes for the angles of a unit: as many as there are instances, or a power of two that holds the angles."""
    angles = len({plan.reads(slot)[0] for slot in unit})
    return lanes if lanes > 1 else 1 << (angles - 1).bit_length()


class _Writer:
    """Writes the functions of one program; each passes on through z what later ones read."""

    def __init__(self, plan: Schedule, cut: list[list[Unit]], lanes: int, shared: int) -> None:
        self.plan, self.cut, self.lanes, self.shared = plan, cut, lanes, shared
        self.last = {i: k for k, units in enumerate(cut) for unit in units for slot in unit for i in plan.reads(slot)}
        self.made = {slot: k for k, units in enumerate(cut) for unit in units for slot in unit}
        program = plan.program
        self.constants = {len(program.inputs) + i: number(value) for i, value in enumerate(program.constants)}

    def parts(self) -> Iterator[str]:
        for k, units in enumerate(self.cut):
            self.lines: list[str] = [f"define internal void @part.{k}(ptr noalias %z, ptr noalias %out) nounwind {{"]
            self.loaded: set[int] = set()
            for unit in units:
                self.compute(unit)
                for slot in unit:
                    if self.last.get(slot, k) > k:
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
        if slot not in self.loaded:
            self.loaded.add(slot)
            self.load(slot)
        return f"%z{slot}"

    def load(self, slot: int) -> None:
        self.lines.append(f"  %p{slot} = getelementptr inbounds double, ptr %z, i64 {self.place(slot)}")
        if slot >= self.shared or self.lanes == 1:
            self.write(f"%z{slot} = load double, ptr %p{slot}, align 8")
            return
        self.lines.append(f"  %one{slot} = load double, ptr %p{slot}, align 8")
        self.lines.append(f"  %in{slot} = insertelement {vector(self.lanes)} undef, double %one{slot}, i32 0")
        zeros = f"<{self.lanes} x i32> zeroinitializer"
        kind = vector(self.lanes)
        self.lines.append(f"  %z{slot} = shufflevector {kind} %in{slot}, {kind} undef, {zeros}")

    def store(self, slot: int, base: str, place: int) -> None:
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
        self.loaded.update(unit)

    def trigonometry(self, unit: Unit) -> None:
        """One call for the angles of a unit; each sine and cosine is taken out of its lane."""
        angles = list(dict.fromkeys(self.plan.reads(slot)[0] for slot in unit))
        width, name = _width(self.plan, unit, self.lanes), f"%both{unit[0]}"
        x = self.gather(unit[0], angles, width)
        self.lines.append(f"  {name} = call {pair(width)} {over(SINCOS, width)}({vector(width)} {x})")
        for slot in unit:
            which = int(self.plan.opcode(slot) != SIN)
            lane = angles.index(self.plan.reads(slot)[0])
            whole = f"%z{slot}" if len(angles) == 1 else f"%all{slot}"
            self.lines.append(f"  {whole} = extractvalue {pair(width)} {name}, {which}")
            if len(angles) > 1:
                self.lines.append(f"  %z{slot} = extractelement {vector(width)} {whole}, i32 {lane}")

    def gather(self, tag: int, angles: list[int], width: int) -> str:
        """The angles side by side; lanes that are left over hold zero."""
        refs = [self.ref(i) for i in angles]
        if len(angles) == 1:
            ref = refs[0]
            return ref if not ref.startswith("#") else splat(ref[1:], width) if width > 1 else ref[1:]
        whole = "zeroinitializer"
        for i, ref in enumerate(refs):
            self.lines.append(
                f"  %angle{tag}.{i} = insertelement {vector(width)} {whole}, double {ref.lstrip('#')}, i32 {i}"
            )
            whole = f"%angle{tag}.{i}"
        return whole


OUTSIDE = FOREIGN
