"""From the expression graph to programs."""

from __future__ import annotations

import math

import pytest

from latchwork.errors import EvaluationError
from latchwork.program.function import Function
from latchwork.program.interpret import evaluate
from latchwork.program.ir import check
from latchwork.program.lower import lower
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
