"""The bytecode machine: programs as data, run by one kernel that is compiled once.

Bytecode is one block of 32-bit integers: a header ``(operations, first slot, outputs, inputs)``, a row of four per
operation, then the output slots. Sine and cosine of one angle become one row, which writes both slots. Sums,
differences and products, most of every program, share one path without a branch: a processor cannot guess their order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from latchwork.program.elementary.exponential import exp
from latchwork.program.elementary.hyperbolic import cosh, sinh, tanh
from latchwork.program.elementary.inverse_hyperbolic import acosh, asinh, atanh
from latchwork.program.elementary.inverse_trigonometric import acos, asin, atan, atan2
from latchwork.program.elementary.logarithm import log
from latchwork.program.elementary.power import pow
from latchwork.program.ir import OPS, Program
from latchwork.program.kernel import divide, executor, f64, f64p, fabs, i32p, i64, kernel, offset, sqrt
from latchwork.program.native import briefly, together
from latchwork.program.scalar import equal, less, less_equal, maximum, minimum, select, sign
from latchwork.program.sincos import sincos

NEG, ADD, SUB, MUL, DIV, SQRT, EXP, LOG, SIN, COS, ASIN, ACOS, ATAN, SINH, COSH, TANH, ASINH, ACOSH, ATANH = range(19)
ATAN2, POW, ABS, SIGN, MIN, MAX, LT, LE, EQ, SELECT = range(19, len(OPS))
SINCOS, SKIP = len(OPS), len(OPS) + 1  # known to bytecode only
HEADER = 4
IS_SUM = (0.0, 1.0, 0.0, 0.0)  # by opcode, from NEG to MUL
IS_PRODUCT = (0.0, 0.0, 0.0, 1.0)


def encode(program: Program) -> NDArray[np.int32]:
    """The bytecode of a checked program, read-only."""
    count = len(program.code)
    end = HEADER + 4 * count
    code = np.empty(end + len(program.outputs), dtype=np.int32)
    code[:HEADER] = count, program.first, len(program.outputs), len(program.inputs)
    code[end:] = program.outputs
    rows, lone = code[HEADER:end], np.empty(count, dtype=np.int32)
    briefly(write_rows, count, program.first, program.slots, program.code, rows, lone)
    code.setflags(write=False)
    return code


@kernel
def write_rows(count: i64, first: i64, spare: i64, code: i32p, rows: i32p, lone: i32p) -> None:
    """Rows of bytecode; ``sin a`` and ``cos a`` joined: one of them writes both, the other is skipped.

    A lone one writes a spare slot as well; ``lone`` is scratch.
    """
    waiting = 0
    for i in range(count):
        row = offset(rows, 4 * i)
        for column in range(4):
            row[column] = code[4 * i + column] if code[4 * i + column] > 0 else 0
        if row[0] == SIN or row[0] == COS:
            column, place = 2 if row[0] == SIN else 3, waiting - 1
            while place >= 0 and (rows[4 * lone[place] + 1] != row[1] or rows[4 * lone[place] + column] != spare):
                place -= 1
            if place >= 0:
                rows[4 * lone[place] + column] = first + i
                row[0] = SKIP
                waiting -= 1
                for later in range(place, waiting):
                    lone[later] = lone[later + 1]
            else:
                row[0], row[2], row[3] = SINCOS, spare, spare
                row[column] = first + i
                lone[waiting] = i
                waiting += 1


@kernel
def arithmetic(op: i64, a: f64, b: f64) -> f64:
    """``a + b``, ``a − b`` or ``a b``: all three are computed, one is kept."""
    total, difference, product = a + b, a - b, a * b
    linear = total if IS_SUM[op] != 0.0 else difference
    return product if IS_PRODUCT[op] != 0.0 else linear


@kernel
def operate(op: i64, a: f64, b: f64) -> f64:
    """Any other operation of one or two operands."""
    if op == NEG:
        return -a
    elif op == DIV:
        return divide(a, b)
    elif op == SQRT:
        return sqrt(a)
    elif op == EXP:
        return exp(a)
    elif op == LOG:
        return log(a)
    elif op == ASIN:
        return asin(a)
    elif op == ACOS:
        return acos(a)
    elif op == ATAN:
        return atan(a)
    elif op == SINH:
        return sinh(a)
    elif op == COSH:
        return cosh(a)
    elif op == TANH:
        return tanh(a)
    elif op == ASINH:
        return asinh(a)
    elif op == ACOSH:
        return acosh(a)
    elif op == ATANH:
        return atanh(a)
    elif op == ATAN2:
        return atan2(a, b)
    elif op == POW:
        return pow(a, b)
    elif op == ABS:
        return fabs(a)
    elif op == SIGN:
        return sign(a)
    elif op == MIN:
        return minimum(a, b)
    elif op == MAX:
        return maximum(a, b)
    elif op == LT:
        return less(a, b)
    elif op == LE:
        return less_equal(a, b)
    else:
        return equal(a, b)


@kernel
def run(code: i32p, z: f64p, out: f64p) -> None:
    """Run bytecode on slots whose inputs and constants are in place; write the outputs."""
    row = HEADER
    for i in range(code[1], code[1] + code[0]):
        op = code[row]
        a = code[row + 1]
        b = code[row + 2]
        if op >= ADD and op <= MUL:
            z[i] = arithmetic(op, z[a], z[b])
        elif op < SELECT:
            z[i] = operate(op, z[a], z[b])
        elif op == SINCOS:
            z[b], z[code[row + 3]] = sincos(z[a])
        elif op == SELECT:
            z[i] = select(z[a], z[b], z[code[row + 3]])
        row += 4
    for j in range(code[2]):
        out[j] = z[code[row + j]]


@kernel
def run_many(run: executor, k: i64, n: i64, code: i32p, x: f64p, z: f64p, out: f64p) -> None:
    """Run a program on k rows of n inputs; write k rows of outputs."""
    for row in range(k):
        for i in range(n):
            z[i] = x[row * n + i]
        run(code, z, offset(out, row * code[2]))


together(run, run_many, write_rows)
