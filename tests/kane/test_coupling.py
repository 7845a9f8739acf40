"""What is known of M before it is written down."""

from __future__ import annotations

import pytest

import latchwork as lw
from latchwork.kane import solving
from latchwork.kane.articulated import swept_udot
from latchwork.kane.coupling import coupled, coupled_turns, fewest_by_solving, fewest_in_a_row, ltdl_operations
from latchwork.kane.linear import solve_ltdl
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import chain_of_nodes, count_shared, reachable


def planar(links: int, absolute: bool) -> lw.Model:
    """A planar chain of rods."""
    model = lw.Model(f"chain of {links}")
    q = model.coordinates(*(f"q{i}" for i in range(links)))
    frame, end = model.frame, model.origin
    for i in range(links):
        frame = (model.frame if absolute else frame).rotated(f"A{i}", q[i], model.frame.z)
        model.body(f"rod{i}", frame, end.at(f"C{i}", 0.5 * frame.x), 1.5, lw.inertia(frame, zz=0.1))
        end = end.at(f"P{i}", 1.25 * frame.x)
    model.gravity(9.81 * model.frame.x)
    return model


def cart(pendulums: int) -> lw.Model:
    """Pendulums on a cart: M is an arrow."""
    model = lw.Model("cart")
    x, *q = model.coordinates("x", *(f"q{i}" for i in range(pendulums)))
    pivot = model.origin.at("P", x * model.frame.x)
    model.particle("cart", pivot, 3.0)
    for i, angle in enumerate(q):
        frame = model.frame.rotated(f"A{i}", angle, model.frame.z)
        model.body(f"rod{i}", frame, pivot.at(f"C{i}", 1.25 * frame.x), 1.5, lw.inertia(frame, zz=0.1))
    model.gravity(9.81 * model.frame.x)
    return model


def spatial(links: int) -> lw.Model:
    """A chain of universal joints."""
    model = lw.Model("spatial")
    frame, end = model.frame, model.origin
    for i in range(links):
        link = model.joint("universal", f"j{i}", frame, at=end)
        frame = link.frame
        center = link.origin.at(f"C{i}", frame.vector(0.1, 0.2, 0.3))
        model.body(f"b{i}", frame, center, 1.0, lw.inertia(frame, 1.0, 2.0, 2.0))
        end = link.origin.at(f"P{i}", frame.vector(0.3, 0.2, 0.5))
    return model


def slides_and_turns(links: int) -> lw.Model:
    """Particles on an arm that slides twice for every turn."""
    model = lw.Model("slides and turns")
    frame, end = model.frame, model.origin
    for i, q in enumerate(model.coordinates(*(f"q{i}" for i in range(links)))):
        frame = frame if i % 3 else frame.rotated(f"A{i}", q, frame.z if i % 2 else frame.x)
        end = end.at(f"P{i}", 0.3 * frame.x if i % 3 == 0 else q * (frame.x if i % 2 else frame.y))
        model.particle(f"p{i}", end, 1.0 + i)
    return model


MODELS = [planar(10, True), planar(10, False), planar(30, True), cart(9), cart(30), spatial(6), slides_and_turns(9)]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model.name} {len(model.system().u)}")
def test_entries_of_M_lie_where_speeds_move_mass_together(model):
    """M_rs = 0 wherever no body is moved by both speeds."""
    d = model.equations().derivation
    rows = coupled(d.motion)
    assert all(node == ZERO or s in rows[r] for r, row in enumerate(d.M) for s, node in enumerate(row[:r]))


@pytest.mark.parametrize("model", MODELS, ids=lambda model: f"{model.name} {len(model.system().u)}")
def test_solving_takes_no_fewer_operations_than_foretold(model):
    """The bound by which sweeps are chosen without M is below what M, f and the solution take."""
    d = model.equations().derivation
    g = d.system.graph
    loads = swept_udot(d.motion).operations_of_loads
    solved = [Expr(g, node) for node in solve_ltdl(g, d.M, d.f)]
    rows = coupled_turns(d.motion)
    assert fewest_by_solving(rows, loads) <= count_shared(solved).total
    assert fewest_in_a_row(rows) <= chain_of_nodes(g, reachable(g, [e.node for e in solved]))


@pytest.mark.parametrize("model", [planar(10, True), planar(30, False)], ids=["10", "30"])
def test_long_chains_are_swept_without_M_and_f(model, monkeypatch):
    """Sweeps that are surely faster than solving are taken at once."""
    monkeypatch.setattr(solving, "_operations_to_solve", None)
    assert len(model.equations().udot_expressions) == len(model.system().u)


def test_operations_of_elimination_are_counted_exactly():
    """As many as `solve_ltdl` makes where M and f are symbols."""
    model = lw.Model("symbols")
    g = model.graph
    M = [[ZERO] * 4 for _ in range(4)]
    for r, s in [(0, 0), (1, 1), (2, 2), (3, 3), (1, 0), (2, 0), (3, 0), (3, 2)]:
        M[r][s] = M[s][r] = model.parameter(f"m{r}{s}").node
    f = [model.parameter(f"f{r}").node for r in range(4)]
    made = count_shared([Expr(g, node) for node in solve_ltdl(g, M, f)]).total
    assert made <= ltdl_operations([{s for s in range(r) if M[r][s] != ZERO} for r in range(4)]) <= made + 4
