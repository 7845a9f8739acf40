"""Walks over the graph: which operations wait for which."""

from __future__ import annotations

import latchwork as lw
from latchwork.symbolic.traverse import chain_of_nodes, count_shared, reachable


def longest_chain(*expressions):
    """The longest chain of operations that wait for each other."""
    graph = expressions[0].graph
    return chain_of_nodes(graph, reachable(graph, [e.node for e in expressions]))


def test_a_sum_in_a_row_waits_for_every_term():
    """((a + b) + c) + d is a chain of three, (a + b) + (c + d) one of two, with three operations each."""
    a, b, c, d = lw.Model("sums").coordinates("a", "b", "c", "d")
    row, pairs = ((a + b) + c) + d, (a + b) + (c + d)
    assert count_shared([row]).total == count_shared([pairs]).total == 3
    assert (longest_chain(row), longest_chain(pairs)) == (3, 2)


def test_the_longest_chain_is_that_of_the_slowest_output():
    """A division counts four, a sine nothing, a symbol nothing."""
    a, b = lw.Model("outputs").coordinates("a", "b")
    assert longest_chain(a, lw.sin(a) * b, a / b + 1.0) == 5
    assert longest_chain(a) == 0
