"""Handing over: from the end of one lap to where the next may begin, as a kernel; see `hybrid.handover`."""

from __future__ import annotations

from latchwork.constraint.delassus_kernel import Delassus
from latchwork.constraint.embedded.final_state import placed, whole
from latchwork.contact.complementarity.single_contact import OPEN, SLIDE, STICK
from latchwork.contact.tolerances import Tolerances
from latchwork.hybrid.contacts.enforced_contact_reset import KeepAt, KeepGiven, keep_one
from latchwork.hybrid.contacts.single_contact_reset import PARTED, PassFound, PassGiven, pass_one
from latchwork.hybrid.contacts.step_limit import FOREVER, longest_at
from latchwork.program.bundle import run_at
from latchwork.program.kernel import (
    copysign,
    divide,
    executor,
    f64,
    f64p,
    fabs,
    floor,
    i32p,
    i64,
    i64p,
    kernel,
    offset,
)
from latchwork.program.native import together
from latchwork.program.records.view import record_at
from latchwork.program.scalar import maximum, minimum

DEEPEST = 1e15
# what a contact is to a handover: the one that is near, closed before, hit, opened before, hit while clear, left at the
# end of its patch, behind, held by the coordinates
NEAR, CLOSED, HITS, GRAZES, CLEARED, LEAVES, BEHIND, KEPT = 1, 2, 4, 8, 16, 32, 64, 128
NOTHING, PASS, KEEP = range(3)  # how the contact that is near comes through
SCALES = 3  # the fastest approach and motion so far, and hops shorter than this end in contact
HEAD = 2  # outcomes: state of what is near, sign of its slip; one more than how deep each opened, 0 for others


@kernel
def _has(role: i64, bit: i64) -> i64:
    """Whether a role has a bit."""
    return role // bit % 2


@kernel
def expanded(
    held: i64, expand: executor, code: i32p, z: f64p, fresh: f64p, size: i64, out: f64p, n: i64, x: f64p, t: f64,
    n_q: i64, n_u: i64, n_rest: i64, rest: f64p, full: f64p,
) -> i64:  # fmt: skip
    """(t, q, u, rest) at the end of a stage from its n states; 0 where they may not belong to it."""
    full[0] = t
    for i in range(n_rest):
        full[1 + n_q + n_u + i] = rest[i]
    if held == 0:
        for i in range(n_q + n_u):
            full[1 + i] = x[i]
        return 1
    return whole(expand, code, z, fresh, size, out, n, n_q, n_u, t, x, n_rest, rest, offset(full, 1))


@kernel
def begins(
    row: i64, press: executor, code: i32p, z: f64p, fresh: f64p, size: i64, out: f64p, n: i64, x: f64p, t: f64,
    kept: i64p, n_u: i64, n_rest: i64, rest: f64p, full: f64p,
) -> f64:  # fmt: skip
    """The direction in which slip begins: against the force of a row; 0 where it has none. After `expanded`."""
    work = x[n - 1]
    for i in range(n - 1):
        out[i] = full[1 + kept[i]]
    out[n - 1] = work
    placed(size, fresh, z, t, n, out, n_rest, rest)
    press(code, z, out)
    force = out[2 * n_u + row]
    return -copysign(1.0, force) if fabs(force) > 0.0 else 0.0


@kernel
def depth(gap: f64, small: Tolerances) -> i64:
    """How deep a contact opens, as `standing.deep_in`; one more."""
    deep = divide(-gap, small.closed) - 0.5
    return 1 + int(-floor(-minimum(deep, DEEPEST))) if deep > 0.0 else 1


@kernel
def judged(
    count: i64, starts: i64p, gaps: f64p, roles: i64p, deep: i64p, notes: i64p, small: Tolerances,
) -> i64:  # fmt: skip
    """Whether the contact that is near is the one that was; what becomes of those that opened, or open now."""
    for i in range(count):
        role, gap, inside = roles[i], gaps[starts[i]], FOREVER
        for j in range(starts[i] + 1, starts[i + 1]):
            inside = minimum(inside, gaps[j])
        through = _has(role, HITS) == 1 and gap < -small.reach and inside < -gap
        if through or gap - gap != 0.0:
            return 0
        opened = _has(role, GRAZES) == 1 and _has(role, CLEARED) == 0 and not maximum(gap, -inside) > small.clear
        notes[i] = 1 + deep[i] if opened else 0
        if _has(role, KEPT) == 1:
            notes[i] = 0
        elif _has(role, LEAVES) == 1:
            notes[i] = depth(gap, small) if _has(role, BEHIND) == 0 else notes[i]
        elif _has(role, BEHIND) == 0:
            within = inside > 0.0 if opened else inside >= -small.reach
            near = 1 if _has(role, CLOSED) == 1 or (gap <= small.reach and within) else 0
            if near != _has(role, NEAR):
                return 0
            if near == 1 and inside < FOREVER and inside >= -2.0 * small.bound and inside < -gap:  # entered from below
                notes[i] = depth(gap, small)
    return 1


@kernel
def hand_over(
    held: i64, expand: executor, code: i32p, z: f64p, fresh: f64p, size: i64, out: f64p, n: i64, x: f64p, t: f64,
    n_q: i64, n_u: i64, n_rest: i64, rest: f64p, full: f64p, slip: i64, press: executor, kept: i64p,
    gap_code: i32p, gap_z: f64p, gaps: f64p, count: i64, starts: i64p, roles: i64p, deep: i64p, notes: i64p,
    how: i64, near: i64, programs: i32p, near_z: f64p, near_out: f64p, known: Delassus, at: KeepAt, given: f64p,
    row: f64p, found: PassFound, turn_code: i32p, turn_z: f64p, turns: f64p, bodies: i64, after: f64p, law: f64p,
    laws: i64, scales: f64p, small: Tolerances,
) -> i64:  # fmt: skip
    """From the end of a lap to where the next may begin; 0 where that is not as it was.

    ``after`` becomes (q, u, work), then the longest step that gaps can follow; ``notes`` the outcome. ``slip`` is the
    row of a contact that begins to slip, −1 for none. ``given`` become the ``laws`` numbers of ``law``; in their place,
    ``scales``: the fastest approach and motion so far, and which hops are brief.
    """
    inputs = 1 + n_q + n_u + n_rest
    for i in range(laws):
        given[i] = law[i]
    passing, keeping = record_at(PassGiven, given, 0), record_at(KeepGiven, given, 0)
    if how == PASS:
        passing.speed, passing.pace, passing.hop = scales[0], scales[1], scales[2]
    elif how == KEEP:
        keeping.fastest = maximum(scales[0], small.left * scales[1])
    if expanded(held, expand, code, z, fresh, size, out, n, x, t, n_q, n_u, n_rest, rest, full) == 0:
        return 0
    if slip >= 0:
        must = begins(slip, press, code, z, fresh, size, out, n, x, t, kept, n_u, n_rest, rest, full)
        if how == PASS:
            passing.must = must
        else:
            keeping.must = must
        if must == 0.0:
            return 0
    run_at(gap_code, gap_z, gaps, inputs, full)
    if judged(count, starts, gaps, roles, deep, offset(notes, HEAD), small) == 0:
        return 0
    notes[0], notes[1], found.gained, found.impacts = PARTED, 0, 0.0, 0.0
    way = 0.0
    if how == PASS:
        if pass_one(programs, near_z, near_out, known, inputs, full, passing, found, small) == 0:
            return 0
        notes[0], way = int(found.state), found.way
        if notes[0] == OPEN:
            notes[HEAD + near] = depth(gaps[starts[near]], small)
        elif notes[0] != PARTED:
            notes[HEAD + near] = 0
    elif how == KEEP:
        if keep_one(programs, near_z, near_out, known, at, inputs, full, keeping, row, small) == 0:
            return 0
        way = keeping.way
        notes[0] = STICK if way == 0.0 and keeping.mu_s > 0.0 else SLIDE
    notes[1] = 1 if way > 0.0 else (-1 if way < 0.0 else 0)
    for i in range(n_q + n_u):
        after[i] = full[1 + i]
    after[n_q + n_u] = x[n - 1] + found.gained
    after[n_q + n_u + 1] = longest_at(turn_code, turn_z, turns, inputs, full, bodies)
    return 1


together(hand_over)
