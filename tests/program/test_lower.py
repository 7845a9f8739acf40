"""From the expression graph to programs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from latchwork.errors import EvaluationError, ProgramError
from latchwork.program.function import Function
from latchwork.program.interpret import evaluate
from latchwork.program.ir import check
from latchwork.program.linking import Linked, join, linked, move_each
from latchwork.program.lower import lower
from latchwork.program.native import invoke
from latchwork.symbolic import Expr, Graph, cos, sin, tan, where
from latchwork.symbolic.ops import OPS


@pytest.fixture
def symbols():
    graph = Graph("test")
    return graph, *(Expr(graph, graph.symbol(name, "coordinate")) for name in ("x", "y"))


def test_a_node_is_an_operation(symbols):
    """Shared subexpressions are computed once, symbols and constants not at all."""
    graph, x, y = symbols
    z = x * y + 2.0
    program = check(lower(graph, [(z * z).node, z.node, x.node], [x, y]))
    assert len(program) == 3
    assert evaluate(program, [3.0, 4.0]) == [196.0, 14.0, 3.0]


def test_a_tangent_shares_its_sine_and_cosine(symbols):
    """tan is a sine over a cosine, and neither is computed twice."""
    graph, x, y = symbols
    program = check(lower(graph, [tan(x).node, sin(x).node, cos(x).node], [x, y]))
    assert len(program) == 3
    assert evaluate(program, [0.7, 0.0]) == pytest.approx([math.tan(0.7), math.sin(0.7), math.cos(0.7)], rel=1e-15)


def test_constants_can_be_outputs(symbols):
    """An output that folded to a number is that number."""
    graph, x, y = symbols
    assert evaluate(lower(graph, [(x - x).node, graph.constant(2.5)], [x, y]), [1.0, 2.0]) == [0.0, 2.5]


def test_every_operation_of_the_graph_has_code(symbols):
    """Each row of the graph's operations lowers, and runs the same in interpreter and VM."""
    graph, x, y = symbols
    nodes = [graph.make(op, (x.node, y.node, x.node)[: row.arity]) for op, row in OPS.items()]
    program = check(lower(graph, nodes, [x, y]))
    meant = evaluate(program, [0.3, 0.8])
    assert Function(program)([0.3, 0.8]).tolist() == pytest.approx(meant, rel=0, abs=0, nan_ok=True)


def test_a_symbol_without_a_value_is_named(symbols):
    """What is not among the inputs is refused by name."""
    graph, x, y = symbols
    with pytest.raises(EvaluationError, match="'y' of 'test' have no value here"):
        lower(graph, [where(x < y, x, y).node], [x])


def test_linked_programs_give_what_each_gives(symbols):
    """Programs lowered apart, of the first so many inputs, as one: every output has its bits; others are refused."""
    graph, x, y = symbols
    parts = [lower(graph, [(sin(x) * 2.0 + 1.0).node, x.node], (x,)), lower(graph, [], (x,)),
             lower(graph, [(cos(x) * y - y * 2.0 + 7.0).node, graph.constant(3.0)], (x, y))]  # fmt: skip
    joined = Function(check(linked(parts, ("x", "y"))))
    at = np.array([0.3, -1.7])
    expected = [Function(part)(at[: len(part.inputs)]) for part in parts]
    assert np.array_equal(joined(at), np.concatenate(expected))
    assert evaluate(joined.program, at.tolist()) == joined(at).tolist()
    with pytest.raises(ProgramError, match="cannot be linked"):
        linked(parts, ("y", "x"))


def test_slots_move_alike_in_python_and_in_machine_code():
    """The kernel that links gives the same integers either way."""
    rng = np.random.default_rng(1)
    code = rng.integers(-1, 9, size=(6, 4)).astype(np.int32)
    moves = np.array([[4, 2, 5, 3, 10], [2, 1, 3, 6, 20]], dtype=np.int64)
    native, python = code.copy(), code.copy()
    invoke(move_each, 2, moves, native)
    move_each(2, moves, python)
    assert np.array_equal(native, python)


@pytest.fixture
def parts(symbols):
    """Functions of the first so many of (x, y), each with as many values as rates: sines shared, alone, and none."""
    graph, x, y = symbols
    given = [([sin(x) * 2.0, x * 3.0, cos(x), x * 0.0 + 3.0], (x,)), ([cos(y) + y, -sin(x + y)], (x, y)),
             ([graph.constant(3.0), x], (x,)), ([cos(x + y) / (y + 7.0), y], (x, y))]  # fmt: skip
    nodes = [([e if isinstance(e, int) else e.node for e in outputs], inputs) for outputs, inputs in given]
    return [Function(lower(graph, outputs, inputs)) for outputs, inputs in nodes]


def test_linked_functions_give_all_values_then_all_rates(parts):
    """Bytecode linked in one call: the bits of each part, as the program of all means them, before and after it is
    compiled."""
    both = Linked(parts, ("x", "y"))
    at = np.array([0.3, -1.7])
    halves = [np.split(part(at[: len(part.inputs)]), 2) for part in parts]
    expected = np.concatenate([value for value, _ in halves] + [rate for _, rate in halves])
    assert np.array_equal(both(at), expected)
    assert np.array_equal(Function(check(both.program))(at), expected)
    assert evaluate(both.program, at.tolist()) == expected.tolist()
    assert (both.slots, both.first, both.length) == (both.program.slots, both.program.first, len(both.program))
    assert both.compiled(wait=True)
    assert np.array_equal(both(at), expected)
    assert np.array_equal(both.many(np.tile(at, (3, 1))), np.tile(expected, (3, 1)))
    with pytest.raises(ProgramError, match="cannot be linked"):
        Linked(parts, ("y", "x"))


def test_bytecode_is_linked_alike_in_python_and_in_machine_code(parts):
    """The kernel that links bytecode gives the same integers either way."""
    both, table = Linked(parts, ("x", "y")), np.array([at for part in parts for at in part.where], dtype=np.int64)
    native, python = ((np.zeros_like(both.code), np.zeros_like(both.constants)) for _ in range(2))
    invoke(join, len(parts), 2, table, *native)
    join(len(parts), 2, table, *python)
    for made in (native, python):
        assert np.array_equal(made[0], both.code)
        assert np.array_equal(made[1], both.constants)
