"""The text of one LLVM module: functions and constant tables."""

from __future__ import annotations

import struct
from typing import Any

from latchwork.program.codegen.signature import Signature, signature
from latchwork.program.kernel import Kernel

INTRINSICS = ("sqrt.f64(double)", "fabs.f64(double)", "floor.f64(double)", "copysign.f64(double, double)")
COUNTER = "declare i64 @llvm.readcyclecounter()"


class Module:
    """Kernels and tables enter as they are met; bodies are written by `emit`."""

    def __init__(self) -> None:
        self.kernels: dict[Kernel[..., Any], Signature] = {}
        self.functions: list[str] = []
        self.tables: dict[tuple[type, tuple[float, ...]], str] = {}

    def add(self, kernel: Kernel[..., Any]) -> Signature:
        """The signature of a kernel, which becomes part of the module."""
        if kernel not in self.kernels:
            self.kernels[kernel] = signature(kernel)
        return self.kernels[kernel]

    def table(self, values: tuple[float, ...]) -> str:
        """The address of a constant table."""
        return self.tables.setdefault((type(values[0]), values), f"@table.{len(self.tables)}")

    def __str__(self) -> str:
        parts = [f"declare double @llvm.{form}" for form in INTRINSICS] + [COUNTER]
        parts += [f"{name} = internal unnamed_addr constant {_array(key[1])}" for key, name in self.tables.items()]
        return "\n".join([*parts, *self.functions, ""])


def number(x: float) -> str:
    """A double in LLVM's text: its 64 bits."""
    return f"0x{struct.unpack('<Q', struct.pack('<d', x))[0]:016X}"


def _array(values: tuple[float, ...]) -> str:
    """A constant array of doubles or of 64-bit integers."""
    entries = [f"i64 {value}" if isinstance(value, int) else f"double {number(value)}" for value in values]
    return f"[{len(values)} x {entries[0].split()[0]}] [{', '.join(entries)}]"
