"""Branches of a tree: what M = Lᵀ L and the rows of contacts have no entries for, and time steps that use it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import latchwork as lw
from latchwork.hybrid.time_stepping.blocks import branches_of
from latchwork.hybrid.time_stepping.clearances import ClearanceMemory
from latchwork.hybrid.time_stepping.inertia import apply_P, free_motion
from latchwork.hybrid.time_stepping.near_pairs import NearPairs
from latchwork.hybrid.time_stepping.rest import dense_blocks
from latchwork.hybrid.time_stepping.step_memory import StepMemory
from latchwork.program.native import interpret, invoke

DOG = Path(__file__).resolve().parents[2] / "examples" / "dog.urdf"


def stepping(sim):
    """The memory that a time-stepped interval of a run would begin with."""
    table, state = sim.mode_table, sim.state
    pairs = NearPairs(state.contacts.copied(), table.base, sim.world.watch_set)
    return StepMemory(table.resets.memory, table.constraint_terms(state.holds), pairs, state.row, 0.0, 1e-3, 0, {},
                      ClearanceMemory(*sim.world.broad_phase.clearances(sim.state.sleeping.pairs)),
                      sim.world.step_programs)  # fmt: skip


def test_branches_of_a_quadruped():
    """A trunk on a free joint, and four legs of two joints: five branches, each leg on the trunk."""
    blocks = stepping(lw.Simulation(lw.load(DOG, floating=True, ground=True))).blocks
    assert [len(branch.speeds) for branch in blocks.branches] == [6, 2, 2, 2, 2]
    assert [branch.path for branch in blocks.branches] == [(0,), (0, 1), (0, 2), (0, 3), (0, 4)]


@pytest.mark.parametrize("seed", range(5))
def test_factors_of_random_trees_have_no_entries_elsewhere(seed):
    """A random tree: M couples a speed with those above it alone; what L⁻¹ has is on the ways of its branches."""
    rng = np.random.default_rng(seed)
    n = 12
    parent = [-1, *(int(rng.integers(max(0, i - 3), i)) for i in range(1, n))]
    above = [[] for _ in range(n)]
    for i in range(1, n):
        above[i] = [*above[parent[i]], parent[i]]
    M = np.zeros((n, n))
    for i in range(n):  # a body of each: J Jᵀ along its way
        J = np.zeros((n, 3))
        J[[*above[i], i]] = rng.normal(size=(len(above[i]) + 1, 3))
        M += J @ J.T
    M += 0.1 * np.eye(n)
    branches = branches_of(range(n), [set(np.flatnonzero(M[i, :i])) for i in range(n)], 0)
    assert sorted(j for branch in branches for j in branch.speeds) == list(range(n))
    L = np.linalg.cholesky(M[::-1, ::-1])[::-1, ::-1].T  # M = Lᵀ L
    Z = np.linalg.inv(L)
    for branch in branches:
        way = {j for k in branch.path for j in branches[k].speeds}
        for j in branch.speeds:
            assert set(above[j]) <= way
            assert not Z[j, sorted(set(range(n)) - way)].any()


def test_fill_is_counted():
    """A ring is no tree: eliminating its last speed couples its neighbours, and all of it is one chain."""
    branches = branches_of(range(4), [set(), {0}, {1}, {0, 2}], 0)
    assert [branch.speeds for branch in branches] == [(0, 1, 2, 3)]


def test_inverse_of_a_robot_by_its_branches():
    """Z Zᵀ M = 1, and u̇₀ = M⁻¹ f, at a state that is no special one; as Python and as machine code with one bit."""
    sim = lw.Simulation(lw.load(DOG, floating=True, ground=True))
    memory, eq = stepping(sim), sim.equations
    rng = np.random.default_rng(0)
    x = sim.state.row.copy()
    n_q, n = len(eq.q), len(eq.u)
    x[8 : 1 + n_q] = rng.uniform(-1.0, 1.0, n_q - 7)
    x[1 + n_q : 1 + n_q + n] = rng.uniform(-1.0, 1.0, n)
    q, u = x[1 : 1 + n_q], x[1 + n_q : 1 + n_q + n]
    invoke(free_motion, memory.record, x)
    free, P = np.array(memory.record.free), dense_blocks(memory.record)
    M = eq.evaluate(eq.M, q, u)
    assert memory.record.dense == 0
    assert np.abs(P @ M - np.eye(n)).max() < 1e-10
    assert np.allclose(free, eq.udot(q, u), rtol=1e-10, atol=1e-10)
    push, out = rng.normal(size=n), np.zeros(n)
    invoke(apply_P, memory.record, push, out)
    assert np.allclose(out, P @ push, rtol=1e-12, atol=1e-12)
    again = stepping(sim)
    interpret(free_motion, again.record, x)
    assert np.array(again.record.free).tobytes() == free.tobytes()
    assert np.array(again.record.Z).tobytes() == np.array(memory.record.Z).tobytes()
