"""The contact problem as a record: the same bits as Python and as machine code, whatever room there is."""

from __future__ import annotations

import ctypes
import itertools
import shutil
import subprocess

import numpy as np
import pytest

from latchwork.contact.complementarity import linear_program
from latchwork.contact.complementarity.open_slide_stick import solve_contact_problem
from latchwork.contact.complementarity.problem import ContactProblem, Note, State, Status
from latchwork.contact.complementarity.redundant_forces import HELD, INVALID, NO_SHARE, SLIP_TOGETHER, feasible, hold_on
from latchwork.contact.complementarity.solution import refusal, settle
from latchwork.errors import Unsettled
from latchwork.program.codegen.c_expressions import c_name
from latchwork.program.codegen.c_kernels import c_functions
from latchwork.program.native import interpret, invoke
from latchwork.program.records.memory import copied, lay_out
from latchwork.program.records.view import address_of
from resting_laws import plane_block, resting, space_box

G = 9.81
COMPILER = shutil.which("gcc") or shutil.which("clang")
DIAGONAL = np.array([0.6, 0.8])


def written(r, guess=None, contacts=0, rows=0):
    """A record with the problem in it, and room for more."""
    k, n = len(r.names), len(r.b)
    made = lay_out(ContactProblem, most_contacts=k + contacts, most_rows=n + rows)
    made.contacts = k
    for name in ("A", "b", "mu_s", "mu_d", "tangents"):
        part = np.ravel(getattr(r, name))
        np.asarray(getattr(made, name))[: part.size] = part
    for flags, where, directions in ((made.slips, made.slip, r.slip), (made.must_slip, made.onset, r.must_slip)):
        for i, d in enumerate(directions):
            flags[i] = int(d is not None)
            for j in range(0 if d is None else len(d)):
                where[2 * i + j] = float(d[j])
    np.asarray(made.guess)[:k] = State.STICK if guess is None else guess
    return made


def answer(made):
    """What a record says."""
    k, n = made.contacts, made.rows
    parts = (made.state[:k], made.directed[:k], made.direction[: 2 * k], made.lam[:n], made.a[:n], made.note[:k])
    return [part.tolist() for part in parts] + [made.tries]


def box(rng, slope, k=4):
    """A box in space on its corners, on an incline: twelve rows on six freedoms."""
    corners = [(x, y, -0.5) for x in (-1.0, 1.0) for y in (-0.7, 0.7)][:k]
    J, f, Minv = space_box(corners, force=(*(G * np.sin(slope) * DIAGONAL), -G * np.cos(slope)))
    must = [DIAGONAL if rng.random() < 0.2 else None for _ in corners]
    return resting(J, f, Minv, 0.4, [2] * k, must=must)


def rod(spin):
    """Painlevé's rod, whose lower tip slides; faster than its weight it may lift off."""
    c, s = np.cos(1.0), np.sin(1.0)
    return resting([[0, 1, -c], [1, 0, s]], np.array([0.0, -G, 0.0]), np.diag([1.0, 1.0, 3.0]), 1.6, [1],
                   slip=[np.array([-1.0])], jdot=spin**2 * np.array([s, c]))  # fmt: skip


def problem(seed):
    """In turn: rows at random, in the plane or in space; rows of −1, 0 and 1; boxes, redundant, at their limits."""
    rng = np.random.default_rng(seed)
    if seed == 0:
        return rod(1.0)
    if seed % 4 == 3:
        return box(rng, np.arctan(0.4 * rng.choice([0.0, 0.9, 0.999, 1.0, 1.2])), int(rng.choice([2, 3, 3, 4])))
    k = int(rng.integers(1, 4))
    tangents = [int(t) for t in rng.choice([0, 1, 2], k, p=[0.1, 0.3, 0.6] if seed % 2 else [0.2, 0.8, 0.0])]
    n = k + sum(tangents)
    d = int(rng.integers(max(1, n // 2), n + 2))
    J, f = (rng.normal(size=(n, d)), rng.normal(size=d)) if seed % 4 else (
        rng.integers(-1, 2, (n, d)), rng.integers(-1, 2, d))  # fmt: skip
    mu = rng.uniform(0.0, 1.5, k) * (rng.random(k) < 0.9)
    ways = [rng.normal(size=t) for t in tangents]
    ways = [way / np.linalg.norm(way) if len(way) else None for way in ways]
    slips = rng.random(k)
    slip = [way if part < 0.3 else None for way, part in zip(ways, slips, strict=True)]
    must = [way if 0.3 <= part < 0.4 else None for way, part in zip(ways, slips, strict=True)]
    return resting(J, f, np.eye(d), mu, tangents, mu * rng.choice([1.0, 0.7], k), slip, must)


def test_python_and_machine_code_give_the_same_bits():
    """On 104 problems, aligned ones and redundant ones among them: the same status and answer."""
    met = set()
    for seed in range(104):
        rng, r = np.random.default_rng(seed), problem(seed)
        made = written(r, None if seed % 3 else rng.integers(0, 3, len(r.names)))
        same = copied(made)
        status = invoke(solve_contact_problem, made)
        assert interpret(solve_contact_problem, same) == status
        assert answer(same) == answer(made)
        met.add((Status(status), made.tries > 12))
    assert {(Status.SOLVED, False), (Status.SOLVED, True), (Status.JAMMED, True)} <= met


@pytest.mark.parametrize("mu", [0.9, 1.5, 3.0])
def test_a_force_that_is_rounding_has_no_direction(mu):
    """What hardly parts from the ground sticks as it stood, by less than rounding of the other's force, whatever μ."""
    r = resting(np.eye(4), np.array([-1.0, 0.0, 0.9e-8, 0.0]), np.eye(4), mu, [1, 1])
    found = settle(r, guess=(State.STICK, State.STICK))
    assert found.states == (State.STICK, State.STICK)
    assert found.iterations == 1


def test_shares_are_the_same_bits():
    """Forces within the cones, and who begins to slip, of boxes on inclines: as Python and as machine code."""
    met = set()
    for seed, part in itertools.product(range(2), (0.9, 0.9999, 1.0 - 1e-12, 1.001)):
        made = written(box(np.random.default_rng(seed), np.arctan(0.4 * part), 3 if seed == 1 else 4))
        np.asarray(made.state)[: made.contacts] = State.STICK
        firm = np.ones(4)
        for ask in (lambda run, of: run(feasible, of), lambda run, of, firm=firm: run(hold_on, of, firm)):
            same = copied(made)
            found = ask(invoke, made)
            assert ask(interpret, same) == found
            assert (same.lam.tolist(), same.must_slip.tolist(), same.onset.tolist()) == (
                made.lam.tolist(), made.must_slip.tolist(), made.onset.tolist())  # fmt: skip
            met.add(found)
    assert met == {NO_SHARE, HELD, SLIP_TOGETHER}


def test_a_share_that_is_not_found_is_refused_by_name(monkeypatch):
    """Where the linear program over the forces does not end, it is not said that no share holds."""
    made = written(box(np.random.default_rng(1), np.arctan(0.4 * 0.9), 3))
    np.asarray(made.state)[: made.contacts] = State.STICK
    monkeypatch.setattr(linear_program, "MAX_PIVOTS", 0)
    assert interpret(feasible, made) == INVALID
    found = refusal(made, [f"corner {i}" for i in range(made.contacts)])
    assert isinstance(found, Unsettled)
    assert "'corner 0', 'corner 1'" in str(found)
    assert "did not end in" in str(found)


@pytest.mark.skipif(COMPILER is None, reason="needs a C compiler")
def test_c_has_the_same_bits(tmp_path):
    """Forty problems by the kernel as C99, compiled without a warning: the same status and answer."""
    entry = f"int64_t entry(void *x);\nint64_t entry(void *x) {{ return {c_name(solve_contact_problem)}(x); }}\n"
    headers = [f"#include <{name}.h>" for name in ("stdint", "math", "string")]
    (tmp_path / "solve.c").write_text("\n".join([*headers, *c_functions([solve_contact_problem]), entry]))
    command = [COMPILER, "-O1", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-ffp-contract=off", "-shared",
               "-fPIC", "-o", str(tmp_path / "solve.so"), str(tmp_path / "solve.c"), "-lm"]  # fmt: skip
    assert subprocess.run(command, capture_output=True, text=True).stderr == ""
    run = ctypes.CDLL(str(tmp_path / "solve.so")).entry
    run.argtypes, run.restype = [ctypes.c_void_p], ctypes.c_int64
    for seed in range(40):
        made = written(problem(seed))
        same = copied(made)
        assert run(address_of(same)) == invoke(solve_contact_problem, made)
        assert answer(same) == answer(made)


def test_room_changes_nothing():
    """A record with room for more contacts and rows gives the same answer; one with less says so and is left alone."""
    for seed in range(40):
        r = problem(seed)
        made, wide = written(r), written(r, contacts=3, rows=5)
        assert invoke(solve_contact_problem, made) == invoke(solve_contact_problem, wide)
        assert answer(made) == answer(wide)
    small = lay_out(ContactProblem, most_contacts=1, most_rows=3)
    small.contacts = 2
    assert invoke(solve_contact_problem, small) == Status.NO_ROOM
    assert (invoke(feasible, small), invoke(hold_on, small, np.ones(2))) == (INVALID, INVALID)
    tight = lay_out(ContactProblem, most_contacts=2, most_rows=3)
    tight.contacts, tight.tangents[0], tight.tangents[1] = 2, 1, 2
    assert invoke(solve_contact_problem, tight) == Status.NO_ROOM


def test_the_record_and_the_face_say_the_same():
    """What `settle` returns are the numbers of the record."""
    for seed in (3, 7, 11):
        r = problem(seed)
        made, verdict = written(r), settle(r)
        assert invoke(solve_contact_problem, made) == Status.SOLVED
        assert made.lam[: made.rows].tolist() == verdict.lam.tolist()
        assert tuple(made.state[: made.contacts]) == verdict.states


def test_statuses_and_notes():
    """Numbers that are not finite, a contact that was to slide and sticks, friction that presses, and one that jams."""
    J, f, Minv = plane_block([(0.0, -0.5)], 0.05)
    made = written(resting(J, f, Minv, 0.5, [1], must=[np.array([1.0])]))
    assert (invoke(solve_contact_problem, made), made.state[0]) == (Status.SOLVED, State.STICK)
    assert made.note[0] == Note.STICKS_AFTER_ALL
    lost = written(resting(J, f * np.nan, Minv, 0.5, [1]))
    assert invoke(solve_contact_problem, lost) == Status.NOT_FINITE
    for spin, guess, status, note in (
        (8.0, State.SLIDE, Status.SOLVED, Note.PRESSES_KEPT),
        (8.0, State.OPEN, Status.SOLVED, Note.PRESSES_KEPT),
        (1.0, State.SLIDE, Status.JAMMED, Note.JAMS),
    ):
        made = written(rod(spin), [guess])
        assert (invoke(solve_contact_problem, made), made.note[0]) == (status, note)


@pytest.mark.parametrize("part", [0.5, 1.0 - 1e-6, 1.0 + 1e-6])
def test_a_redundant_box_holds_to_its_limit(part):
    """Four corners on an incline hold while tan θ < mu, however the load was shared; beyond, all slip down together."""
    J, f, Minv = plane_block([(-1.0, -0.5), (-0.3, -0.5), (0.4, -0.5), (1.0, -0.5)], np.arctan(0.4 * part))
    made = written(resting(J, f, Minv, 0.4, [1] * 4))
    np.asarray(made.state)[:] = State.STICK
    found = invoke(hold_on, made, np.ones(4))
    if part < 1.0:
        assert found == HELD
        assert np.abs(np.asarray(made.lam)[1::2]) == pytest.approx(0.4 * part * np.asarray(made.lam)[::2], rel=1.0)
        assert (np.abs(np.asarray(made.lam)[1::2]) <= 0.4 * np.asarray(made.lam)[::2]).all()
    else:
        assert found == NO_SHARE
        assert invoke(solve_contact_problem, made) == Status.SOLVED
        assert made.state.tolist() == [State.SLIDE] * 4
        assert made.direction[::2].tolist() == [-1.0] * 4
