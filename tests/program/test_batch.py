"""Programs over lanes and threads: each instance has the bits it has alone."""

from __future__ import annotations

import numpy as np
import pytest

from campaign import seeds
from latchwork.errors import EvaluationError, ProgramError
from latchwork.program import llvm
from latchwork.program.batch import Lanes, grouped, separate, shares
from latchwork.program.codegen.lanes import emit_lanes
from latchwork.program.ir import OPS
from latchwork.program.kernel import f64, kernel
from random_programs import SPECIAL, bits, meaning, program_of, random_inputs, random_program


@pytest.fixture(autouse=True)
def place(tmp_path, monkeypatch):
    """A cache of its own for each test."""
    monkeypatch.setenv("LATCHWORK_CACHE", str(tmp_path))


@pytest.mark.parametrize("lanes", [2, 4, 8])
@pytest.mark.parametrize("seed", seeds(range(4), range(40)))
def test_every_lane_has_the_bits_it_has_alone(seed, lanes):
    """Random programs with every operation, on rows that fill the last group or do not."""
    program, x = random_program(seed), random_inputs(seed, rows=19)
    assert bits(Lanes(program, lanes=lanes).many(x, threads=1)) == meaning(program, x)


@pytest.mark.parametrize("op", OPS, ids=lambda op: op.name)
def test_each_operation_over_lanes_at_special_values(op):
    """Operations agree at zeros, infinities, nan, denormals and huge numbers, side by side."""
    program = program_of("a b c", (), [(op.name, *range(op.arity))], (3,))
    x = np.array([(a, b, 7.0) for a in SPECIAL for b in SPECIAL])
    assert bits(Lanes(program).many(x)) == meaning(program, x)


@pytest.mark.parametrize("threads", [1, 2, 5, None])
def test_threads_change_nothing(threads):
    """However the rows are shared out, the numbers are the same."""
    program, x = random_program(20), random_inputs(20, rows=101)
    assert bits(Lanes(program).many(x, threads)) == meaning(program, x)


def test_parts_pass_lanes_on(monkeypatch):
    """A program cut into functions gives the same bits over lanes."""
    program, x = random_program(21), random_inputs(21, rows=16)
    text = llvm.text
    monkeypatch.setattr(llvm, "text", lambda *args: text(*args, chunk=13))
    assert bits(Lanes(program).many(x)) == meaning(program, x)


def test_shared_inputs_are_one_number():
    """A shared input stands once, before the rows, and reaches every lane."""
    program = program_of("t x", (2.0,), [("mul", 0, 1), ("add", 3, 2), ("sin", 0)], (4, 5))
    lanes, out = Lanes(program, shared=1, lanes=4), np.zeros((2, 4))
    z = lanes.workspace()
    z[:5] = [3.0, 1.0, 2.0, 3.0, 4.0]
    lanes.executor.function(lanes.code.ctypes.data, z.ctypes.data, out.ctypes.data)
    assert out[0].tolist() == [5.0, 8.0, 11.0, 14.0]
    assert bits(out[1]) == meaning(program, np.array([[3.0, 0.0]]))[1:] * 4


@pytest.mark.parametrize("x", [np.zeros((3, 2)), np.zeros(4), np.zeros((0, 5))])
def test_inputs_must_fit(x):
    """Rows of another length are refused, with the names of the inputs."""
    with pytest.raises(EvaluationError, match="Give rows of 4 numbers: x0, x1, x2, x3"):
        Lanes(random_program(22)).many(x)


def test_no_rows_give_no_rows():
    """An empty table of the right width is legal."""
    assert Lanes(random_program(23)).many(np.zeros((0, 4))).shape == (0, 120)


@pytest.mark.parametrize("count", range(1, 12))
def test_groups_can_be_separated(count):
    """Rows become groups and rows again; the filling is gone."""
    rows = np.arange(3.0 * count).reshape(count, 3)
    assert separate(grouped(rows, 4), count).tolist() == rows.tolist()


@pytest.mark.parametrize(("count", "threads", "most"), [(0, 2, 9), (1, 4, 9), (10, 3, 9), (100, 2, 7)])
def test_shares_cover_everything_once(count, threads, most):
    """Parts follow each other, none is longer than allowed."""
    parts = shares(count, threads, most)
    assert [i for part in parts for i in range(part.start, part.stop)] == list(range(count))
    assert all(0 < part.stop - part.start <= most for part in parts)


@kernel
def parting(x: f64) -> f64:
    """Takes one of two ways."""
    if x > 0.0:
        return 1.0
    return x


def test_lanes_may_not_part():
    """A kernel with a branch is refused over lanes, by its line."""
    with pytest.raises(ProgramError, match="lanes may part here"):
        emit_lanes([parting], 4)
