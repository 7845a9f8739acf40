"""What stays zero whatever the numbers, and how many operations equations need: exact counts, held as bounds."""

from __future__ import annotations

import inspect

import pytest

import latchwork as lw
from latchwork import cos, dt
from latchwork.symbolic.traverse import count_shared

# Operations of u̇ after sharing, of planar chains under gravity: links, angles relative to the link before, angles in N.
COUNTS = [(2, 50, 46), (3, 125, 102), (5, 357, 313), (10, 747, 730), (20, 1607, 1570)]


def chain(links: int, absolute: bool = False) -> lw.Model:
    """A planar chain of rods with full inertia dyadics, all numbers parameters."""
    model = lw.Model(f"chain of {links}")
    g = model.parameter("g", 9.81)
    q = model.coordinates(*(f"q{i}" for i in range(1, links + 1)))
    model.speeds()
    N = frame = model.frame
    end = model.origin
    for i in range(1, links + 1):
        m, L = model.parameter(f"m{i}", 1.0), model.parameter(f"L{i}", 1.0)
        six = [model.parameter(f"I{i}_{name}", 0.1) for name in ("xx", "yy", "zz", "xy", "yz", "zx")]
        parent = N if absolute else frame
        frame = parent.rotated(f"A{i}", q[i - 1], parent.z)
        model.body(f"B{i}", frame, end.at(f"C{i}", 0.5 * L * frame.x), m, lw.inertia(frame, *six))
        end = end.at(f"P{i}", L * frame.x)
    model.gravity(-g * N.y)
    return model


def names(matrix) -> set[str]:
    """The symbols that stand in a matrix."""
    return {symbol.name for symbol in matrix.free_symbols}


# --- counts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("links", "most"), [(links, relative) for links, relative, _ in COUNTS])
def test_chains_by_relative_angles(links, most):
    """No more operations than were counted once, and two functions per link at most beyond three links."""
    counted = chain(links).equations().operations
    assert counted.total <= most
    assert counted.trig <= max(2 * links, 8)


@pytest.mark.parametrize(("links", "most"), [(links, absolute) for links, _, absolute in COUNTS])
def test_chains_by_absolute_angles(links, most):
    """No more operations than were counted once, and two functions per link at most beyond three links."""
    counted = chain(links, absolute=True).equations().operations
    assert counted.total <= most
    assert counted.trig <= max(2 * links, 9)


def test_operations_grow_with_the_number_of_links():
    """Twice the links, about twice the operations: sweeps, not elimination."""
    ten, twenty = (chain(links).equations().operations.total for links in (10, 20))
    assert twenty < 2.3 * ten


@pytest.mark.parametrize(("kind", "most"), [("ball", 283), ("gimbal", 456), ("universal", 303)])
def test_two_bodies_on_joints(kind, most):
    """A spatial double pendulum: the second joint's spin is as short as its speeds make it."""
    model = lw.Model(kind)
    link = None
    for i in range(2):
        at = None if link is None else link.origin.at("tip", 0.5 * link.frame.x)
        link = model.joint(kind, f"L{i}", link, at=at)
        center = link.origin.at(f"c{i}", 0.2 * link.frame.x + 0.1 * link.frame.y)
        model.body(f"B{i}", link.frame, center, 1.0, lw.inertia(link.frame, 1.0, 2.0, 2.5))
    assert model.equations().operations.total <= most


# --- planar chains ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("absolute", [False, True])
@pytest.mark.parametrize("links", [1, 2, 4, 14])
def test_a_planar_chain_knows_nothing_out_of_its_plane(links, absolute):
    """Of six inertia scalars only I_zz stands in M and f."""
    eq = chain(links, absolute).equations()
    inertias = {name for name in names(eq.M) | names(eq.f) if name.startswith("I")}
    assert inertias == {f"I{i}_zz" for i in range(1, links + 1)}


def test_absolute_angles_enter_by_differences():
    """M_ij is a constant times cos(q_i − q_j), and constant on the diagonal."""
    eq = chain(3, absolute=True).equations()
    q = eq.q
    for i in range(3):
        assert not names(lw.Matrix([[eq.M[i, i]]])) & {"q1", "q2", "q3"}
        for j in range(i):
            ratio = eq.M[i, j].diff(q[i], q[i]) + eq.M[i, j]
            assert count_shared([eq.M[i, j]]).trig == 1
            assert eq.evaluate(ratio, q=[0.3, 0.8, -0.4], u=[0, 0, 0]) == pytest.approx(0.0, abs=1e-15)
            assert eq.M[i, j].subs({q[i]: q[j]}).subs({q[j]: 0.0}).diff(q[j]) == 0


def test_a_mass_matrix_does_not_know_where_its_chain_points():
    """With relative angles M is free of q1, and f knows it by gravity only."""
    eq = chain(4).equations()
    assert "q1" not in names(eq.M)
    assert "q1" not in names(eq.h)
    assert "q1" in names(eq.f)


def test_a_double_pendulum_is_as_short_as_in_the_books():
    """M = [m1 + m2, m2 cos(q1 − q2)] with unit lengths: one cosine in all of M."""
    model = lw.Model("double pendulum")
    m1, m2 = model.parameters(m1=1.0, m2=1.0)
    q1, q2 = model.coordinates("q1", "q2")
    A, B = (model.frame.rotated(name, q, model.frame.z) for name, q in (("A", q1), ("B", q2)))
    P = model.origin.at("P", 1.0 * A.x)
    model.particle("P", P, m1)
    model.particle("Q", P.at("Q", 1.0 * B.x), m2)
    M = model.equations().M
    assert M.tolist() == [[m1 + m2, m2 * cos(q1 - q2)], [m2 * cos(q1 - q2), m2]]


# --- bodies in space --------------------------------------------------------------------------------------------------


def wrist():
    """Gillespie's spherical wrist with u_i = ω · c_i."""
    model = lw.Model("wrist")
    I = model.parameters(I1=1.0, I2=2.0, I3=3.0)
    q = model.coordinates("q1", "q2", "q3")
    C = model.frame.body_fixed("C", "zyz", *q)
    w = C.angular_velocity()
    model.speeds(u1=w.dot(C.x), u2=w.dot(C.y), u3=w.dot(C.z))
    model.body("hand", C, model.origin, 1.0, lw.inertia(C, *I))
    return model, I


def test_a_wrist_has_a_diagonal_mass_matrix():
    """M = diag(I1, I2, I3), and Euler's equations have no trigonometry."""
    model, (I1, I2, I3) = wrist()
    eq = model.equations()
    u1, u2, u3 = eq.u
    assert eq.M.tolist() == [[I1, 0, 0], [0, I2, 0], [0, 0, I3]]
    assert eq.operations.trig == 0
    assert not names(eq.f) & set(eq.q_names)
    values = {I1: 1.0, I2: 2.0, I3: 3.0, u1: 0.5, u2: 0.7, u3: -0.3}
    assert float(eq.f[0].subs(values)) == pytest.approx((2.0 - 3.0) * 0.7 * -0.3, rel=1e-15)


def test_a_free_body_falls_and_turns_apart():
    """At the mass centre M is diagonal, and neither attitude nor place stands in M and f."""
    model = lw.Model("stone")
    m, I1, I2, I3 = model.parameters(m=1.0, I1=1.0, I2=2.0, I3=3.0)
    stone = model.free("S")
    model.body("stone", stone.frame, stone.origin, m, lw.inertia(stone.frame, I1, I2, I3))
    model.gravity(-9.81 * model.frame.z)
    eq = model.equations()
    assert eq.M.is_diagonal
    assert [eq.M[i, i] for i in range(6)] == [m, m, m, I1, I2, I3]
    assert not (names(eq.M) | names(eq.f)) & set(eq.q_names)


def test_branches_do_not_feel_each_other():
    """Two arms on the ground: M has zero blocks between them, whatever the numbers."""
    model = lw.Model("two arms")
    for side in "ab":
        link = None
        for i, kind in enumerate(("revolute", "ball", "prismatic")):
            at = None if link is None else link.origin.at(f"{side}{i}_at", 0.3 * link.frame.y)
            link = model.joint(kind, f"{side}{i}", link, at=at)
            center = link.origin.at(f"{side}{i}_c", 0.1 * link.frame.x)
            model.body(f"{side}{i}_body", link.frame, center, 1.0, lw.inertia(link.frame, 1.0, 1.5, 2.0, 0.1))
    M = model.equations().M
    assert all(M.is_zero(i, j) and M.is_zero(j, i) for i in range(5) for j in range(5, 10))
    assert not M.is_zero(0, 1)


def test_slides_at_right_angles_do_not_feel_each_other():
    """A gantry: M = diag, free of q, and f is the weight."""
    model = lw.Model("gantry")
    masses = model.parameters(mx=3.0, my=2.0, mz=1.0)
    link = None
    for axis, m in zip("xyz", masses, strict=True):
        link = model.prismatic(axis, link, axis=getattr(model.frame, axis))
        model.particle(f"P{axis}", link.origin, m)
    model.gravity(-9.81 * model.frame.z)
    eq = model.equations()
    assert eq.M.is_diagonal
    assert eq.M[2, 2] == masses[2]
    assert not (names(eq.M) | names(eq.f)) & set(eq.q_names)
    assert [eq.f[0], eq.f[1]] == [0, 0]


def test_a_turn_about_the_vertical_does_not_feel_gravity():
    """A carousel: F_r = 0 for its speed, structurally, while the swing on it has one."""
    model = lw.Model("carousel")
    base = model.revolute("base", axis=model.frame.z)
    swing = model.revolute("swing", base, at=base.origin.at("edge", 2.0 * base.frame.x), axis=base.frame.y)
    model.particle("seat", swing.origin.at("seat", -1.0 * swing.frame.z), 20.0)
    model.gravity(-9.81 * model.frame.z)
    Fr = model.equations().Fr
    assert Fr[0] == 0
    assert Fr[1] != 0


def test_welded_bodies_cost_nothing_new():
    """A body welded on with another's frame leaves M and f as if it were one body."""

    def arm(welded: bool) -> lw.Equations:
        model = lw.Model("arm")
        (q,) = model.coordinates("q")
        A = model.frame.rotated("A", q, model.frame.z)
        model.particle("P", model.origin.at("P", 1.0 * A.x), 1.0)
        frame = model.weld("W", A).frame if welded else A
        model.particle("Q", model.origin.at("Q", 2.0 * frame.y), 3.0)
        model.gravity(-9.81 * model.frame.y)
        return model.equations()

    assert str(arm(welded=True).M) == str(arm(welded=False).M) == "[13]"
    assert arm(welded=True).operations == arm(welded=False).operations


def test_speeds_along_a_carried_frame_are_short():
    """A rolling vehicle's speeds along its own axes: M is constant."""
    model = lw.Model("vehicle")
    x, y, th = model.coordinates("x", "y", "th")
    B = model.frame.rotated("B", th, model.frame.z)
    C = model.origin.at("C", x * model.frame.x + y * model.frame.y)
    v = C.velocity()
    model.speeds(u1=v.dot(B.x), u2=v.dot(B.y), u3=dt(th))
    model.body("car", B, C.at("G", 0.4 * B.x), 3.0, lw.inertia(B, zz=2.0))
    eq = model.equations()
    assert not eq.M.free_symbols
    assert eq.operations.trig == 0


EVALUATED = [
    *((lw.Equations, name) for name in "udot qdot evaluate inverse forward_derivatives inverse_derivatives reactions "
      "linearize equilibrium steady".split()),
    *((lw.Constrained, name) for name in "udot multipliers constraint_force reactions assemble velocities start "
      "linearize equilibrium steady branches operator arguments".split()),
]  # fmt: skip


@pytest.mark.parametrize(("owner", "name"), EVALUATED, ids=lambda value: getattr(value, "__name__", value))
def test_arguments_have_one_order(owner, name):
    """By position only q, u, r, in this order; t and p by name: nothing else than (t, q, u, r, p) can be written."""
    parameters = inspect.signature(getattr(owner, name)).parameters.values()
    by_position = [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD]
    state = [each for each in by_position if each in ("t", "q", "u", "r", "p")]
    assert state == [each for each in ("q", "u", "r") if each in state]
    assert {"t", "p"} <= {each.name for each in parameters if each.kind is each.KEYWORD_ONLY}
