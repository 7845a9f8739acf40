"""The form of a program: equality, counts, listing, and everything the checker refuses."""

from __future__ import annotations

import numpy as np
import pytest

from latchwork.errors import EvaluationError, ProgramError
from latchwork.program.function import Function
from latchwork.program.interpret import PYTHON, evaluate
from latchwork.program.ir import OPCODE, OPS, Program, check
from latchwork.symbolic.traverse import Operations


def code(*rows: tuple[object, ...]) -> np.ndarray:
    """Rows of names and slots, padded."""
    full = [[OPCODE[str(name)], *slots, *[-1] * (3 - len(slots))] for name, *slots in rows]
    return np.array(full, dtype=np.int32).reshape(-1, 4)


def example() -> Program:
    """``z4 = select(u1 < 2, −u1 q, sin q) / 2``."""
    rows = [("mul", 1, 0), ("neg", 3), ("sin", 0), ("lt", 1, 2), ("select", 6, 4, 5), ("div", 7, 2)]
    return Program(("q", "u1"), (2.0,), code(*rows), (8, 0))


def test_a_program_is_what_the_interpreter_says():
    """The example computes its formula on both branches."""
    assert evaluate(example(), [3.0, 1.5]) == [-2.25, 3.0]
    assert evaluate(example(), [0.0, 5.0]) == [0.0, 0.0]


def test_every_operation_has_a_meaning_in_python():
    """The interpreter's table has one row for each operation."""
    assert sorted(PYTHON) == sorted(op.name for op in OPS)


def test_equal_content_is_one_program():
    """Programs compare and hash by content, down to the sign of a zero."""
    same, other = example(), Program(("q", "u1"), (2.0,), example().code, (8, 1))
    assert same == example()
    assert hash(same) == hash(example())
    assert other != example()
    assert Program((), (0.0,), code(), (0,)) != Program((), (-0.0,), code(), (0,))
    assert Program((), (1.0,), code(), (0,)) != "a program"


def test_the_fingerprint_is_the_same_in_every_process():
    """Content alone makes the fingerprint: this one was found in another process."""
    program = Program(("q", "u"), (0.5,), code(("mul", 0, 1)), (3,))
    assert program.fingerprint == "dfd9ae89e488c0f501e1f690d1778bd3e7b58e6a56e6e154089bed5d3b187cab"


def test_a_program_cannot_be_changed():
    """Code is read-only, and apart from the array it was made of."""
    rows = code(("neg", 0))
    program = Program(("q",), (), rows, (1,))
    rows[0, 1] = 5
    assert program.code[0, 1] == 0
    with pytest.raises(ValueError, match="read-only"):
        program.code[0, 1] = 5


def test_counts_follow_the_books():
    """Divisions are multiplies, signs are adds, sine and cosine are trig."""
    assert example().counts == Operations(multiplies=2, adds=1, trig=1, others=2)
    assert example().counts.total == len(example()) == 6


def test_the_listing_reads_as_equations():
    """One line per operation, inputs by name, constants as numbers."""
    assert example().listing().splitlines() == [
        "z1 = u1 * q",
        "z2 = -z1",
        "z3 = sin(q)",
        "z4 = u1 < 2.0",
        "z5 = select(z4, z2, z3)",
        "z6 = z5 / 2.0",
        "return z6, q",
    ]


REFUSED = [
    (("q", "q"), (), code(), (0,), "Two inputs are called 'q'"),
    (("",), (), code(), (0,), "has no name"),
    (("q",), (1,), code(), (0,), "Constant 0 is 1, which is not a float"),
    (("q",), (), code().astype(np.int64), (0,), r"Code is int64 of shape \(0, 4\)"),
    (("q",), (), np.zeros((2, 3), dtype=np.int32), (0,), r"int32 of shape \(2, 3\)"),
    (("q",), (), np.array([[99, 0, -1, -1]], dtype=np.int32), (0,), "opcode 99, but opcodes are 0 to 28"),
    (("q",), (), np.array([[-1, 0, -1, -1]], dtype=np.int32), (0,), "Operation 0 has opcode -1"),
    (("q",), (), code(("neg", 0), ("add", 0, 2)), (1,), r"Operation 1 \('add'\) reads slots \[0, 2, -1\].*below 2"),
    (("q",), (), code(("add", 0)), (1,), r"reads slots \[0, -1, -1\]: it needs 2"),
    (("q",), (), code(("neg", 0, 0)), (1,), r"reads slots \[0, 0, -1\]: it needs 1"),
    (("q",), (), code(("neg", 0)), (2,), "Output 0 reads slot 2"),
    (("q",), (), code(("neg", 0)), (0, -1), "Output 1 reads slot -1"),
]


@pytest.mark.parametrize(("inputs", "constants", "rows", "outputs", "message"), REFUSED)
def test_the_checker_refuses_what_breaks_the_rules(inputs, constants, rows, outputs, message):
    """Every rule of the form, broken once, gives an error that says which and where."""
    with pytest.raises(ProgramError, match=message):
        check(Program(inputs, constants, rows, outputs))


def test_the_checker_accepts_a_program_without_operations():
    """Outputs may be inputs or constants."""
    program = Program(("q",), (3.0,), code(), (1, 0))
    assert check(program) is program
    assert Function(program)([2.0]).tolist() == [3.0, 2.0]


def test_inputs_must_be_as_many_as_the_program_has():
    """Too few or too many numbers are an error, in every way to call."""
    with pytest.raises(EvaluationError, match="3 numbers were given for 2 inputs"):
        evaluate(example(), [1.0, 2.0, 3.0])
    with pytest.raises(EvaluationError, match=r"shape \(1,\) do not fit. Give 2 numbers: q, u1"):
        Function(example())([1.0])
    with pytest.raises(EvaluationError, match=r"shape \(4, 3\) do not fit"):
        Function(example()).many(np.zeros((4, 3)))
