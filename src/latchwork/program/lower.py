"""From the expression graph to a Program: the second arrow of Model → Equations → Program → Trajectory."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from itertools import chain

import numpy as np

from latchwork.errors import EvaluationError
from latchwork.program.ir import OPCODE, Program
from latchwork.symbolic.arguments import Arguments
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.graph import Graph
from latchwork.symbolic.ops import COS, DIV, OPS, SIN, SYMBOL, TAN
from latchwork.symbolic.traverse import reachable

OPCODE_OF = {op: OPCODE[row.name] for op, row in OPS.items() if row.name in OPCODE}


def lower(graph: Graph, outputs: Sequence[int], inputs: Sequence[Expr]) -> Program:
    """Straight-line code for some nodes of a graph as functions of some of its symbols.

    Each node is one operation, in the order in which the nodes were made; a tangent is a sine over a cosine.
    """
    needed = reachable(graph, outputs)
    rows = [graph.nodes[i] for i in needed]
    given = inputs if isinstance(inputs, Arguments) else Arguments(inputs)
    leaves = [i for i, row in zip(needed, rows, strict=True) if row[0] == SYMBOL]
    _must_be_given(graph, leaves, given.slots)
    slot = {i: given.slots[i] for i in leaves}
    constants = sorted([a for a in {*chain.from_iterable(rows), *outputs} if a < 0], reverse=True)
    slot.update({a: len(inputs) + k for k, a in enumerate(constants)})
    code = np.array(array("i", _emit(rows, needed, slot, len(inputs) + len(constants))), dtype=np.int32)
    code.setflags(write=False)
    return Program(
        inputs=given.names,
        constants=tuple([graph.value(a) for a in constants]),
        code=code.reshape(-1, 4),
        outputs=tuple([slot[a] for a in outputs]),
        sound=given.are_distinct,
    )


def _emit(rows: Sequence[tuple[int, ...]], names: Sequence[int], slot: dict[int, int], first: int) -> list[int]:
    """Four numbers for each operation; ``slot`` learns where each node's value is."""
    code: list[int] = []
    trigonometric: dict[tuple[int, int], int] = {}
    opcode = OPCODE_OF

    def once(op: int, argument: int) -> int:
        """The slot of a sine or cosine, which a tangent may have asked for already."""
        if (op, argument) not in trigonometric:
            trigonometric[op, argument] = first + len(code) // 4
            code.extend((opcode[op], slot[argument], -1, -1))
        return trigonometric[op, argument]

    for i, row in zip(names, rows, strict=True):
        if len(row) == 3:  # most of them
            op, a, b = row
            slot[i] = first + len(code) // 4
            code += opcode[op], slot[a], slot[b], -1
            continue
        op = row[0]
        if op == SYMBOL:
            continue
        if op in (SIN, COS):
            slot[i] = once(op, row[1])
            continue
        if op == TAN:
            sine, cosine = once(SIN, row[1]), once(COS, row[1])
            code += (opcode[DIV], sine, cosine, -1)
        elif len(row) == 2:
            code += (opcode[op], slot[row[1]], -1, -1)
        else:
            code += (opcode[op], slot[row[1]], slot[row[2]], slot[row[3]])
        slot[i] = first + len(code) // 4 - 1
    return code


def _must_be_given(graph: Graph, leaves: Sequence[int], slot: dict[int, int]) -> None:
    missing = [graph.symbols[i].name for i in leaves if i not in slot]
    if missing:
        names = ", ".join(f"'{name}'" for name in missing[:6])
        raise EvaluationError(f"{names} of '{graph.name}' have no value here. Give values, or replace them first.")
