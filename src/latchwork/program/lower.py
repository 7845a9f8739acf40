"""From the expression graph to a Program: the second arrow of Model → Equations → Program → Trajectory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latchwork.errors import EvaluationError
from latchwork.program.ir import OPCODE, Program
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import COS, OPS, SIN, SYMBOL, TAN
from latchwork.symbolic.traverse import reachable

OPCODE_OF = {op: OPCODE[row.name] for op, row in OPS.items() if row.name in OPCODE}


def lower(graph: Graph, outputs: Sequence[int], inputs: Sequence[Expr]) -> Program:
    """Straight-line code for some nodes of a graph as functions of some of its symbols.

    Each node is one operation, in the order in which the nodes were made; a tangent is a sine over a cosine.
    """
    nodes = graph.nodes
    needed = reachable(graph, outputs)
    slot = {symbol.node: i for i, symbol in enumerate(inputs)}
    _must_be_given(graph, needed, slot)
    constants: dict[int, int] = {}
    for i in needed:
        if nodes[i][0] != SYMBOL:
            for a in nodes[i][1:]:
                if a < 0 and a not in constants:
                    constants[a] = len(inputs) + len(constants)
    for a in outputs:
        if a < 0 and a not in constants:
            constants[a] = len(inputs) + len(constants)
    slot.update(constants)
    code: list[tuple[int, int, int, int]] = []
    ready = len(inputs) + len(constants)
    trigonometric: dict[tuple[int, int], int] = {}

    def emit(op: int, *args: int) -> int:
        code.append((OPCODE_OF[op], *args, *(-1,) * (3 - len(args))))  # type: ignore[arg-type]
        return ready + len(code) - 1

    def once(op: int, argument: int) -> int:
        """A sine or cosine that a tangent may have asked for already."""
        if (op, argument) not in trigonometric:
            trigonometric[op, argument] = emit(op, slot[argument])
        return trigonometric[op, argument]

    for i in needed:
        op, *args = nodes[i]
        if op == SYMBOL:
            continue
        if op == TAN:
            slot[i] = emit(_DIV, once(SIN, args[0]), once(COS, args[0]))
        elif op in (SIN, COS):
            slot[i] = once(op, args[0])
        else:
            slot[i] = emit(op, *(slot[a] for a in args))
    return Program(
        inputs=tuple(symbol.name for symbol in inputs),
        constants=tuple(graph.value(a) for a in constants),
        code=np.array(code, dtype=np.int32).reshape(-1, 4),
        outputs=tuple(slot[a] for a in outputs),
    )


_DIV = next(op for op, row in OPS.items() if row.name == "div")


def _must_be_given(graph: Graph, needed: Sequence[int], slot: dict[int, int]) -> None:
    missing = [graph.symbols[i].name for i in needed if i in graph.symbols and i not in slot]
    if missing:
        kinds = ", ".join(f"'{name}'" for name in missing[:6])
        raise EvaluationError(f"{kinds} of '{graph.name}' have no value here. Give values for them, or replace them first.")
