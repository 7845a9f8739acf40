"""Turns: contacts of an impact that act one after the other, each alone by its law, as a kernel; see `impact`.

A box that lands on one corner after the other takes dozens of such acts. Where contacts act together, and where an act
takes more care, `impact` does what comes next.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latchwork.contact.impact.planar import COUPLED, FLOOR, IMMOVABLE, LAWS, REST, Array, act
from latchwork.contact.impact.problem import Impact
from latchwork.contact.impact.single_act import Act
from latchwork.contact.impact.spatial import act_in_space
from latchwork.program.kernel import divide, f64, f64p, fabs, i64, i64p, kernel, local_f64, sqrt
from latchwork.program.native import briefly, together
from latchwork.program.scalar import maximum


@kernel
def _feel(rows: i64, W: f64p, a: i64, a_rows: i64, b: i64, b_rows: i64) -> i64:
    """Whether an impulse at one contact changes the velocity of another; their rows begin at a and b."""
    own_a, own_b, most = 0.0, 0.0, 0.0
    for i in range(a, a + a_rows):
        own_a = maximum(own_a, W[i * rows + i])
        for j in range(b, b + b_rows):
            most = maximum(most, fabs(W[i * rows + j]))
    for j in range(b, b + b_rows):
        own_b = maximum(own_b, W[j * rows + j])
    return 1 if most > COUPLED * sqrt(own_a * own_b) else 0


@kernel
def take_turns(
    k: i64, rows: i64, tangents: i64p, laws: i64p, W: f64p, before: f64p, coefficients: f64p, capture: f64, alone: i64,
    most: i64, v: f64p, impulses: f64p,
) -> i64:  # fmt: skip
    """Acts on top of impulses, until none approaches, or one takes more care: how many, ``most`` at most.

    ``coefficients`` are e, then μ_s, then μ_d of the k contacts. Where ``alone`` is 0, contacts that approach at the
    same time and feel each other take more care.
    """
    here, own, impulse = local_f64(3), local_f64(9), local_f64(3)
    fastest, largest = 0.0, 0.0
    for i in range(rows):
        fastest, largest = maximum(fastest, fabs(before[i])), maximum(largest, W[i * rows + i])
    slow, floor = REST * fastest, FLOOR * divide(fastest * fastest, largest)
    for made in range(most):
        for i in range(rows):
            v[i] = before[i]
            for j in range(rows):
                v[i] += W[i * rows + j] * impulses[j]
        first, at, strongest, row = -1, 0, 0.0, 0
        for i in range(k):
            if v[row] < -slow:
                if not W[row * rows + row] > IMMOVABLE * largest:
                    return made
                strength = divide(v[row], sqrt(W[row * rows + row]))
                if first < 0 or strength < strongest:
                    first, at, strongest = i, row, strength
            row += 1 + tangents[i]
        if first < 0:
            return made
        row = 0
        for i in range(k):
            rival = alone == 0 and i != first and v[row] < -slow
            if rival and _feel(rows, W, at, 1 + tangents[first], row, 1 + tangents[i]) == 1:
                return made
            row += 1 + tangents[i]
        wide, done = 1 + tangents[first], 0
        for i in range(wide):
            here[i] = v[at + i]
            for j in range(wide):
                own[wide * i + j] = W[(at + i) * rows + at + j]
        e, mu_s, mu_d = coefficients[first], coefficients[k + first], coefficients[2 * k + first]
        if wide == 3:
            done = act_in_space(own, here, e, mu_s, mu_d, capture, floor, impulse)
        else:
            if wide == 1:
                own[1], own[2], own[3], here[1] = 0.0, 0.0, 0.0, 0.0
            done = act(laws[first], tangents[first], own, here, e, mu_s, mu_d, capture, floor, impulse)
        if done == 0:
            return made
        for i in range(wide):
            impulses[at + i] += impulse[i]
    return most


together(take_turns)


def in_turn(impact: Impact, laws: Sequence[str], at_once: bool | None, capture: float, most: int,
            impulses: Array) -> tuple[int, list[Act]]:  # fmt: skip
    """Acts of contacts alone, on top of impulses, which they are added to: how many, and what each contact felt."""
    known = [law in LAWS if across < 2 else law == "newton" for law, across in zip(laws, impact.tangents, strict=True)]
    if at_once or not all(known):
        return 0, []
    before, rows = impulses.copy(), len(impulses)
    tangents = np.array(impact.tangents, dtype=np.int64)
    numbers = np.array([LAWS[law] for law in laws], dtype=np.int64)
    made = briefly(take_turns, len(laws), rows, tangents, numbers, np.ascontiguousarray(impact.W), impact.v,
                   np.concatenate([impact.e, impact.mu_s, impact.mu_d]), capture, int(at_once is False), most,
                   np.empty(rows), impulses)  # fmt: skip
    felt = [Act(np.arange(own.start, own.stop), impulses[own] - before[own], law)
            for own, law in zip(impact.rows, laws, strict=True)] if made else []  # fmt: skip
    return int(made), felt
