"""Impact: contacts of zero gap at one instant, resolved in Kane's impulse-momentum form.

    v⁺ = v⁻ + W Λ,   W = J M̃⁻¹ Jᵀ,   ½ Λᵀ(v⁻ + v⁺) ≤ 0       (constraints are already held in M̃)

Several contacts act in one of three ways:
  * in sequence (``at_once=False``): the one that approaches most strongly (v_n/√W_nn) acts alone, by its law, the
    others free, also those at rest; and so on until none approaches. A blow travels through what rests: Newton's
    cradle, billiards. A sequence that does not end converges; its remainder is finished at once with e = 0, and a note.
  * at once (``at_once=True``): all contacts that are coupled act together, those at rest as well; none may penetrate.
    A block that lands flat keeps its symmetry.
  * as they come (``at_once=None``): in sequence, but contacts that approach at the same time and feel each other's
    impulses act together. A block lands flat, a cradle swings, and a ball at the head of a rack moves both behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from latchwork.algebra.products import dot
from latchwork.contact.impact.coulomb import Array
from latchwork.contact.impact.laws import LAWS, Law
from latchwork.contact.impact.planar import COUPLED, IMMOVABLE, REST
from latchwork.contact.impact.problem import Impact, Outcome
from latchwork.contact.impact.sequential import in_turn
from latchwork.contact.impact.single_act import Act, group_of, moved, one, plastic, several
from latchwork.errors import ContactError, did_you_mean

__all__ = ["Impact", "Outcome", "Law", "LAWS", "resolve", "jam"]

ROUNDS = 200  # acts of a sequence, for each contact, before what is left is taken up at once
DEAR = 5  # so many of them for an act of several at once
NUMBER = re.compile(r"gained \S+ J")


def resolve(impact: Impact, laws: Sequence[str], at_once: bool | None = False, capture: float = 0.0) -> Outcome:
    """The impulses of an impact by the law of each contact; a contact that would part slower than ``capture`` does not.

    Where a law would gain energy, as Newton's may with friction, the energetic law acts instead, and a note says so.
    """
    checked(impact, laws)
    quick = alone(impact, laws[0], capture) if len(laws) == 1 else None
    return finish(impact, laws, at_once, capture, []) if quick is None else quick


def alone(impact: Impact, law: str, capture: float) -> Outcome | None:
    """The same for one contact, whose law acts once; None where that is not the end of it."""
    W, v, slow = impact.W, impact.v, REST * max(map(abs, impact.v.tolist()))
    if v[0] >= -slow or W[0, 0] <= IMMOVABLE * max(W.diagonal().tolist()):
        return None
    e = float(impact.e[0])
    act = one(impact, 0, law, v, e)
    after = moved(W, v, act.impulse)
    if e > 0.0 and act.impulse[0] != 0.0 and after[0] < capture:
        act = one(impact, 0, law, v, 0.0)
        after = moved(W, v, act.impulse)
    if after[0] < -slow:
        return None
    acted = (act.law if act.impulse[0] != 0.0 else "",)
    return Outcome(act.impulse, after, acted, float(dot(0.5 * act.impulse, v + after)), act.notes)


def jam(impact: Impact, contact: int, laws: Sequence[str], at_once: bool | None = False) -> Outcome:
    """An impact without collision: contact at rest whose slip drives it in, W_nn − μ_d W_nt·s < 0 (Painlevé).

    Slip makes v_n fall from zero, stops or turns, and v_n comes back: compression, then restitution, by Stronge's law.
    Where slip does not drive it in, nothing happens.
    """
    checked(impact, laws)
    v = impact.v.copy()
    v[impact.normals[contact]] = 0.0
    return finish(impact, laws, at_once, 0.0, [one(impact, contact, "energetic", v, float(impact.e[contact]))])


def finish(impact: Impact, laws: Sequence[str], at_once: bool | None, capture: float, acts: list[Act]) -> Outcome:
    """Acts, one after the other, until nothing approaches."""
    diagonal = impact.W.diagonal()
    movable = diagonal[impact.normals] > IMMOVABLE * diagonal.max(initial=0.0)
    slow = REST * float(np.abs(impact.v).max(initial=0.0))
    impulses = np.zeros(len(impact.v))
    for act in acts:
        impulses[act.rows] += act.impulse
    left = ROUNDS * len(impact.names)
    while left > 0:
        turns, felt = in_turn(impact, laws, at_once, capture, left, impulses)
        left, acts = left - turns, acts + felt
        v = impact.v + dot(impact.W, impulses)
        members = next_members(impact, v, slow, movable, at_once)
        if not members:
            break
        left -= 1 if len(members) == 1 else DEAR
        acts.append(act_of(impact, members, laws, v, capture))
        impulses[acts[-1].rows] += acts[-1].impulse
    else:
        acts.append(remainder(impact, np.flatnonzero(movable).tolist(), impact.v + dot(impact.W, impulses)))
        impulses[acts[-1].rows] += acts[-1].impulse
    return outcome(impact, impulses, acts)


def next_members(impact: Impact, v: Array, slow: float, movable: Array, at_once: bool | None) -> list[int]:
    """The contacts that act next: none where none approaches."""
    if len(impact.names) == 1 and (v[0] >= -slow or movable[0]):
        return [0] if v[0] < -slow else []
    v_n = v[impact.normals]
    approaches = v_n < -slow
    for i in np.flatnonzero(approaches & ~movable):
        raise ContactError(
            f"'{impact.names[i]}' approaches at {-v_n[i]:.6g} m/s, and no impulse there changes that: constraints hold "
            "both sides. Release one, or let the surface stop."
        )
    if not approaches.any():
        return []
    strength = np.where(approaches, v_n / np.sqrt(np.where(movable, np.diag(impact.W)[impact.normals], 1.0)), 0.0)
    first = int(np.argmin(strength))
    if at_once is False:
        return [first]
    return joined(impact, first, movable if at_once else approaches)


def joined(impact: Impact, first: int, among: Array) -> list[int]:
    """The contacts that feel each other's impulses, from the first on."""
    found, pending = {first}, [first]
    while pending:
        i = pending.pop()
        fresh = [j for j in np.flatnonzero(among).tolist() if j not in found and coupled(impact, i, j)]
        found.update(fresh)
        pending += fresh
    return sorted(found)


def coupled(impact: Impact, i: int, j: int) -> bool:
    """Whether an impulse at one contact changes the velocity of the other."""
    a, b = impact.rows[i], impact.rows[j]
    own = np.diag(impact.W)[a].max() * np.diag(impact.W)[b].max()
    return bool(np.abs(impact.W[a, b]).max() > COUPLED * np.sqrt(own))


def act_of(impact: Impact, members: list[int], laws: Sequence[str], v: Array, capture: float) -> Act:
    """One act; contacts that it would part slower than ``capture`` are captured: they act again with e = 0."""
    e = impact.e.copy()
    normals = impact.normals[members]
    for _ in range(1 + len(members)):
        if len(members) == 1:
            act = one(impact, members[0], laws[members[0]], v, float(e[members[0]]))
        else:
            act = several(group_of(impact, members, v, e), [laws[i] for i in members])
        after = v + dot(impact.W[:, act.rows], act.impulse)
        pushed = {row for row, push in zip(act.rows.tolist(), act.impulse.tolist(), strict=True) if push != 0.0}
        captured = [i for i, row in zip(members, normals.tolist(), strict=True)
                    if row in pushed and e[i] > 0.0 and after[row] < capture]
        if not captured:
            break
        e[captured] = 0.0
    return act


def remainder(impact: Impact, members: list[int], v: Array) -> Act:
    """What a sequence that does not end leaves, at once and with e = 0."""
    group = group_of(impact, members, v, np.zeros(len(impact.names)))
    impulse, notes = plastic(group, group.v)
    left = -float(group.v[group.normals].min())
    note = f"a sequence of impacts did not end: the rest of it ({left:.3g} m/s) was taken up at once with e = 0"
    return Act(group.rows, impulse, "newton", (*notes, note))


def outcome(impact: Impact, impulses: Array, acts: list[Act]) -> Outcome:
    """All acts together."""
    v = impact.v + dot(impact.W, impulses)
    law = [""] * len(impact.names)
    for act in acts:
        pushing = set(act.rows[act.impulse != 0.0].tolist())
        law = [act.law if n in pushing else old for n, old in zip(impact.normals.tolist(), law, strict=True)]
    # of notes that differ only in a number, the first
    notes = {NUMBER.sub("", note): note for act in reversed(acts) for note in reversed(act.notes)}
    return Outcome(impulses, v, tuple(law), float(dot(0.5 * impulses, impact.v + v)), tuple(reversed(notes.values())))


def checked(impact: Impact, laws: Sequence[str]) -> None:
    """One known law for each contact."""
    if len(laws) != len(impact.names):
        raise ContactError(
            f"an impact of {len(impact.names)} contacts was given {len(laws)} laws. Give one law for each contact."
        )
    for name, law in zip(impact.names, laws, strict=True):
        if law not in LAWS:
            raise ContactError(f"'{name}' has no law of impact '{law}'.{did_you_mean(law, LAWS)}")
