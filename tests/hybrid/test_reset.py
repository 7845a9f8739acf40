"""The reset as a kernel: the Delassus operator against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import latchwork as lw
from latchwork.errors import EvaluationError
from latchwork.hybrid.contacts.free_motion import free_motion_of
from latchwork.hybrid.contacts.near_set import assemble
from latchwork.hybrid.contacts.reset_outcome import ResetOutcome
from latchwork.hybrid.contacts.scene_memory import workspace_of
from latchwork.program.bundle import Bundle
from latchwork.program.native import invoke

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


def near(sim: lw.Simulation) -> Any:
    """The scene of a simulation, with all contact points near."""
    resets, s = sim.mode_table.resets, sim.state.contacts
    resets.memory.hold(s.contact_points)
    room, row = workspace_of(sim.mode_table.base, sim.mode_table.constraint_terms(sim.state.holds), 4, 1), 0
    resets.memory.ready(room)
    resets.memory.write(s)
    delassus = room.delassus
    for k, point in enumerate(s.contact_points):
        i = resets.memory.places[point]
        resets.memory.make_ready(i)
        delassus.point[k], delassus.first[k], delassus.tangents[k] = i, row, len(point.tangents)
        row += 1 + len(point.tangents)
    delassus.contacts, delassus.rows, delassus.extra, delassus.drags = len(s.contact_points), row, 0, 0
    return resets.memory.scene, delassus, room


@pytest.mark.parametrize("more", [False, True])
@pytest.mark.parametrize("held", [0, 1, 2])
def test_the_operator_is_that_of_numpy(held, more):
    """v = J u + C, A = J P Jᵀ and b = J u̇₀ + c as NumPy makes them of the programs, with rows and friction besides."""
    sim = simulation(held)
    scene, delassus, _room = near(sim)
    points, terms = sim.state.contacts.contact_points, sim.mode_table.constraint_terms(sim.state.holds)
    rng, n = np.random.default_rng(4), 4
    for x in states(sim):
        extra = [(rng.normal(size=n), 0.7)] if more else []
        drags = [(0.1 * rng.normal(size=n), 0.1 * rng.normal(size=n), 0.5)] if more else []
        delassus.calls, delassus.supplied, delassus.extra, delassus.drags = 0, 0, len(extra), len(drags)
        for B, c in extra:
            np.asarray(delassus.B)[held * n : (held + 1) * n], delassus.held_c[held] = B, c
        for g, N1, N0 in drags:
            np.asarray(delassus.friction)[: 2 * n + 1] = [*g, *N1, N0]
        assert invoke(assemble, scene, x) == ResetOutcome.DONE
        free = free_motion_of(sim.mode_table.base, terms, x, extra, drags)
        J = np.concatenate([point.terms.place(x).B for point in points])
        C = np.concatenate([point.terms.place(x).C for point in points])
        c = np.concatenate([point.terms.bias_function(x) for point in points])
        r = len(J)
        assert np.array(delassus.v[:r]) == approx(J @ x[5:9] + C, rel=1e-9, abs=1e-9)
        assert np.array(delassus.A[: r * r]).reshape(r, r) == approx(J @ free.inverse @ J.T, rel=1e-9, abs=1e-9)
        assert np.array(delassus.b[:r]) == approx(J @ free.udot + c, rel=1e-8, abs=1e-8)


def test_rows_that_depend_on_each_other_are_given():
    """With a row that is held twice P is asked for; no number is made up."""
    sim = simulation(1)
    scene, delassus, _room = near(sim)
    x = sim.state.row
    delassus.calls, delassus.supplied, delassus.extra = 0, 0, 1
    B = sim.mode_table.constraint_terms(sim.state.holds).place(x).B
    np.asarray(delassus.B)[4:8], delassus.held_c[1] = B[0], 0.0
    assert invoke(assemble, scene, x) == ResetOutcome.CAREFUL


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


def row_of_blocks() -> lw.Model:
    """Four blocks on a rail, each touching the next."""
    model = lw.Model("row")
    ends = []
    for i in range(4):
        link = model.prismatic(f"b{i}", axis=model.frame.x, q=[f"x{i}"], u=[f"v{i}"])
        model.particle(f"b{i}", link.origin, 1.0 + i)
        ends.append(lw.Circle(link.origin, 0.5, body=link.frame))
    for i in range(3):
        model.contact(f"c{i}", ends[i], ends[i + 1], restitution=0.3)
    return model


@pytest.mark.parametrize(("speed", "events"), [(1e-12, 1), (1e-312, 0)])
def test_what_underflow_leaves_of_no_motion_is_no_impact(speed, events):
    """Impacts are decided by parts of the fastest approach, however slow it is; but what is lost of numbers so small
    that they have few bits left would lead to sequences of impacts that never end."""
    u = [speed * part for part in (1.3, 0.1, -0.02, -1.7)]
    run = lw.simulate(row_of_blocks(), 0.1, q=[0.0, 1.0, 2.0, 3.0], u=u)
    assert len(run.events) == events
    assert not any("did not end" in note for event in run.events for note in event.notes)
