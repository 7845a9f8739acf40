"""Numbers of contacts at a state: in two calls of machine code as by NumPy, and as the same kernels in Python."""

from __future__ import annotations

import numpy as np
import pytest

import latchwork as lw
from latchwork.constraint.delassus_kernel import gather
from latchwork.contact.impact.laws import strike
from latchwork.contact.impact.problem import ImpactLaw
from latchwork.errors import EvaluationError
from latchwork.hybrid.contacts import delassus_programs
from latchwork.hybrid.contacts.delassus_assembly import Gathering
from latchwork.program.bundle import Bundle, run_each
from latchwork.program.kernel import Kernel
from latchwork.program.native import invoke, native

NAMES = ("M", "f", "inverse", "udot", "J", "C", "c", "v", "pace", "swiftest", "A", "b", "first")
approx = pytest.approx


def simulation(held: int) -> lw.Simulation:
    """Four rods on hinges whose ends may touch a rough floor and a smooth wall; so many of the hinges are locked."""
    model = lw.Model("chain")
    N, O = model.frame, model.origin
    link, at, ends = None, None, []
    for i in range(4):
        link = model.revolute(f"L{i}", link, at=at, axis=N.z)
        model.body(f"rod {i}", link, link.origin.at(f"C{i}", 0.25 * link.frame.x), 1.0 + i,
                   lw.inertia(link.frame, zz=0.02))  # fmt: skip
        at = link.origin.at(f"E{i}", 0.5 * link.frame.x)
        ends.append(at)
    model.gravity(-9.81 * N.y)
    floor = lw.Line(point=O.at("floor", -3.0 * N.y), direction=N.x, normal=N.y)
    wall = lw.Line(point=O.at("wall", 3.0 * N.x), direction=N.y, normal=-1.0 * N.x)
    model.contact("end on floor", ends[3], floor, friction=lw.Coulomb(0.5))
    model.contact("knee on wall", ends[1], wall)
    sim = lw.Simulation(model, q=[0.1, -0.4, 0.3, 0.2], u=[1.0, -2.0, 0.5, 0.3])
    for i in range(held):
        sim.constrain(f"lock {i}", sim.equations.q[1 + i] - sim.x[1 + i])
    return sim


def states(sim: lw.Simulation, count: int = 10) -> list[np.ndarray]:
    """States about the present one."""
    rng, n = np.random.default_rng(2), 2 * len(sim.equations.q)
    found = []
    for _ in range(count):
        x = sim.state.row
        x[1 : 1 + n] += rng.normal(size=n)
        found.append(x)
    return found


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize("held", [0, 1, 2])
def test_contacts_in_two_calls_are_those_of_numpy(held, more, monkeypatch):
    """J, A, b and all else agree with what NumPy makes of the programs, with rows and friction besides."""
    sim = simulation(held)
    shop, contact_points = sim.mode_table, sim.state.contacts.contact_points
    terms, rng = shop.held(sim.state.holds), np.random.default_rng(4)
    for x in states(sim):
        extra = [(rng.normal(size=4), np.array(0.7))] if more else []
        drags = [(0.1 * rng.normal(size=4), 0.1 * rng.normal(size=4), 0.5)] if more else []
        quick = shop.delassus_programs.at(x, terms, contact_points, extra, drags)
        assert "A" in vars(quick)
        with monkeypatch.context() as patched:
            patched.setattr(delassus_programs, "pays", lambda speeds, rows: False)
            slow = shop.delassus_programs.at(x, terms, contact_points, extra, drags)
        assert "A" not in vars(slow)
        for name in NAMES:
            assert getattr(quick, name) == approx(getattr(slow, name), rel=1e-9, abs=1e-9), name


def test_rows_that_depend_on_each_other_are_left_to_numpy():
    """A row that is held twice is no case for the quick way, and none is lost by it."""
    sim = simulation(1)
    shop, contact_points, x = sim.mode_table, sim.state.contacts.contact_points, sim.state.row
    terms = shop.held(sim.state.holds)
    again = (terms.place(x).B[0], np.array(0.0))
    assert Gathering(shop.base, terms, contact_points).at(x, [again]) is None
    assert np.isfinite(shop.delassus_programs.at(x, terms, contact_points, [again]).A).all()


@pytest.mark.parametrize("held", [0, 1])
def test_kernels_of_a_meeting_are_the_same_in_python(held, monkeypatch):
    """Programs and algebra give the same bits as machine code and as Python."""
    sim = simulation(held)
    shop, contact_points = sim.mode_table, sim.state.contacts.contact_points
    one = Gathering(shop.base, shop.held(sim.state.holds), contact_points)
    for x in states(sim, 2):
        expected = one.at(x)
        python(one.bundle.__dict__, "_call", run_each, (one.bundle._code, one.bundle._z, one.bundle.out))
        arrays = (one.delassus, one.bundle.out, one._x, 0, one._more, 0, one._drag)
        python(one.__dict__, "_call", gather, arrays)
        again = one.at(x)
        one.bundle._call, one._call = native(run_each).brief, native(gather).brief
        for name in NAMES:
            assert np.array_equal(again[name], expected[name]), name


def python(owner: dict, name: str, kernel: Kernel, arrays: tuple) -> None:
    """Have a kernel run as Python on these arrays, whatever addresses it is given."""
    owner[name] = lambda *addresses: kernel(*arrays)


def test_a_bundle_gives_what_its_functions_give():
    """Functions of the same inputs, together as one by one; others are refused."""
    sim = simulation(0)
    base, contact_points = sim.mode_table.base, sim.state.contacts.contact_points
    functions = [base.motion, *(contact_point.terms.place_function for contact_point in contact_points)]
    bundle = Bundle(functions)
    for x in states(sim):
        assert np.array_equal(bundle(x), np.concatenate([function(x) for function in functions]))
    with pytest.raises(EvaluationError, match="functions of the same inputs"):
        Bundle([base.motion, sim.mode_table.side.function])


def line_data(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """W and v of a contact that approaches."""
    L = rng.normal(size=(2, 2))
    return L @ L.T, np.array([-rng.uniform(0.1, 2.0), rng.normal()])


@pytest.mark.parametrize("law", list(map(int, ImpactLaw)))
def test_an_impact_of_one_contact_is_the_same_in_python(law):
    """Both laws give the same bits as machine code and as Python."""
    rng, both = np.random.default_rng(6), [np.zeros(2), np.zeros(2)]
    acted = 0
    for _ in range(60):
        W, v = line_data(rng)
        numbers = (rng.uniform(), *(rng.uniform(0.05, 1.5) * np.array([1.0, 0.8])).tolist(), 0.0)
        done = [invoke(strike, law, 1, W, v, *numbers, both[0]), strike(law, 1, W, v, *numbers, both[1])]
        assert done[0] == done[1]
        assert np.array_equal(*both)
        acted += done[0]
    assert acted > 40
