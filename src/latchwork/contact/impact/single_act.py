"""One act of an impact: a contact by its own law, or several at once; and what acts instead where a law cannot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latchwork.algebra.products import dot, norm
from latchwork.contact.impact.coulomb import Array
from latchwork.contact.impact.dissipation import rubbed
from latchwork.contact.impact.laws import LAWS
from latchwork.contact.impact.planar import FLOOR, GAIN
from latchwork.contact.impact.problem import Impact
from latchwork.contact.impact.simultaneous import rows_of, together
from latchwork.errors import ContactError

SLIPS = 1e-9  # this near the edge of its cone a contact slips


@dataclass(frozen=True, eq=False)
class Act:
    """The impulses of some contacts, the law that made them, and notes."""

    rows: Array
    impulse: Array
    law: str
    notes: tuple[str, ...] = ()


def moved(W: Array, v: Array, impulse: Array) -> Array:
    """v⁺ = v⁻ + W Λ; of one contact in plain numbers."""
    if len(v) > 2 or len(impulse) != len(v):
        return np.asarray(v + dot(W, impulse))
    push = impulse.tolist()
    return np.array([a + sum([w * x for w, x in zip(row, push, strict=True)])
                     for a, row in zip(v.tolist(), W.tolist(), strict=True)])  # fmt: skip


def gained(W: Array, v: Array, impulse: Array, floor: float) -> float:
    """½ Λᵀ(v⁻ + v⁺) where it is above rounding and ``floor``, else zero."""
    after = moved(W, v, impulse)
    energy = 0.5 * sum([x * (a + b) for x, a, b in zip(impulse.tolist(), v.tolist(), after.tolist(), strict=True)])
    if energy <= floor:
        return 0.0
    return energy if energy > floor + GAIN * float(dot(np.abs(impulse), np.abs(v) + np.abs(after))) else 0.0


def floor_of(impact: Impact) -> float:
    """Energy below notice: a part of what the whole impact could move."""
    fastest = max(map(abs, impact.v.tolist()))
    return FLOOR * (fastest * fastest / max(impact.W.diagonal().tolist()))


def one(impact: Impact, i: int, law: str, v: Array, e: float) -> Act:
    """Contact i by its law; by the energetic law where its own would gain energy or has no answer."""
    rows = impact.rows[i]
    W, here, name = impact.W[rows, rows], v[rows], impact.names[i]
    given = (W, here, e, float(impact.mu_s[i]), float(impact.mu_d[i]))
    impulse, notes, floor = LAWS[law].one(*given), [], floor_of(impact)
    energy = 0.0 if impulse is None else gained(W, here, impulse, floor)
    if law != "energetic" and (impulse is None or energy > 0.0):
        why = f"would have gained {energy:.3g} J" if energy > 0.0 else "finds no consistent slip"
        notes.append(f"{law.capitalize()}'s law with friction {why} at '{name}': the energetic law acted instead")
        law, impulse = "energetic", LAWS["energetic"].one(*given)
        energy = 0.0 if impulse is None else gained(W, here, impulse, floor)
    if impulse is None or energy > 0.0:
        notes.append(f"friction would hold '{name}' wedged while it approaches: it acted without friction")
        impulse = np.zeros(len(here))
        impulse[0] = -(1.0 + e) * here[0] / W[0, 0]
    return Act(np.arange(rows.start, rows.stop), impulse, law, tuple(notes))


@dataclass(frozen=True, eq=False)
class Group:
    """Contacts that act at once: their part of an impact, before it."""

    names: tuple[str, ...]
    tangents: tuple[int, ...]
    rows: Array
    W: Array
    v: Array
    e: Array
    mu_s: Array
    mu_d: Array
    floor: float  # energy below notice
    speed: float  # the largest of the whole impact
    before: Array  # normal speeds before the whole impact

    @property
    def normals(self) -> Array:
        """The row of each contact's normal, within the group."""
        return np.array([rows.start for rows in rows_of(self.tangents)], dtype=int)


def group_of(impact: Impact, members: Sequence[int], v: Array, e: Array) -> Group:
    """The part of an impact that belongs to some contacts."""
    pick = list(members)
    rows = np.concatenate([np.arange(impact.rows[i].start, impact.rows[i].stop) for i in pick])
    names, tangents = tuple(impact.names[i] for i in pick), tuple(impact.tangents[i] for i in pick)
    W = impact.W[np.ix_(rows, rows)]
    mu_s, mu_d, speed = impact.mu_s[pick], impact.mu_d[pick], float(np.abs(impact.v).max())
    before = impact.v[impact.normals[pick]]
    return Group(names, tangents, rows, W, v[rows], e[pick], mu_s, mu_d, floor_of(impact), speed, before)


def coulombs(group: Group, v: Array, least: Array) -> Array | None:
    """Λ with v_n⁺ ≥ ``least``: each contact sticks within the cone of μ_s, or slips with μ_d."""
    mu = group.mu_s
    for _ in range(len(mu) + 1):
        impulse = together(group.W, v, least, mu, group.tangents, group.speed)
        if impulse is None:
            return None
        slips = [
            norm(impulse[r.start + 1 : r.stop]) >= m * impulse[r.start] * (1.0 - SLIPS) > 0.0
            for r, m in zip(rows_of(group.tangents), mu, strict=True)
        ]
        slower = np.where(slips, group.mu_d, mu)
        if np.array_equal(slower, mu):
            return impulse
        mu = slower
    return impulse


def plastic(group: Group, v: Array) -> tuple[Array, tuple[str, ...]]:
    """Λ with 0 ≤ Λ_n ⟂ v_n⁺ ≥ 0, without friction where there is none with it. It never gains: Λᵀv⁺ ≤ 0."""
    still = np.zeros(len(group.names))
    impulse = coulombs(group, v, still)
    if impulse is not None:
        return impulse, ()
    impulse = together(group.W, v, still, still, group.tangents, group.speed)
    named = ", ".join(repr(name) for name in group.names)
    if impulse is None:
        raise ContactError(
            f"an impact at {named} cannot be taken up: {group.before} m/s along the normals, no impulses part them. "
            "Two surfaces close upon what cannot yield: release a constraint, or stop one of the surfaces."
        )
    return impulse, (f"no impulses with friction were found for {named} at once: they acted without friction",)


def by_speeds(group: Group) -> Array | None:
    """Newton's law at once: 0 ≤ Λ_n ⟂ v_n⁺ + e v_n⁻ ≥ 0 where it approaches, v_n⁺ ≥ 0 elsewhere."""
    return coulombs(group, group.v, group.e * np.maximum(0.0, -group.v[group.normals]))


def by_impulses(group: Group, pressed: Array, e: Array) -> Array:
    """Poisson's law at once: Λ_n = (1 + e) Λ_c at each contact, and friction in restitution that loses most."""
    again = np.concatenate([np.full(1 + d, ratio) for d, ratio in zip(group.tangents, e, strict=True)]) * pressed
    rows = rows_of(group.tangents)
    # what stuck in compression may use as much of its cone again: the start is then within, and energy can only fall
    used = [norm(pressed[r][1:]) / pressed[r.start] if pressed[r.start] > 0.0 else 0.0 for r in rows]
    return pressed + rubbed(group.W, group.v + dot(group.W, pressed), again, np.maximum(group.mu_d, used), rows)


def several(group: Group, laws: Sequence[str]) -> Act:
    """Several contacts at once, by the most careful of their laws; by one that cannot gain energy where it would.

    newton, smith: Newton's, a ratio of speeds.  poisson: a ratio of impulses.  energetic: that, with the least e of
    those that push. With friction in proportion the velocity would move on a straight line through the end of
    compression, on which all three ratios are one, and with ½ Λᵀ(v⁻ + v⁺) ≤ −½ (1 − e²) |Λ_cᵀ v⁻|; friction that loses
    most loses more, and does not turn back what it has stopped.
    """
    pressed, notes = plastic(group, group.v)
    law = next((name for name in ("energetic", "poisson") if name in laws), "newton")
    found = None if notes else by_speeds(group) if law == "newton" else by_impulses(group, pressed, group.e)
    if law != "energetic" and found is not None:
        energy = gained(group.W, group.v, found, group.floor)
        if energy == 0.0:
            return Act(group.rows, found, law)
        named = ", ".join(repr(name) for name in group.names)
        notes += (
            f"{law.capitalize()}'s law at once would have gained {energy:.3g} J at {named}: "
            "impulses in proportion to those of compression acted instead",
        )
    pushing = pressed[group.normals] > 0.0
    e = float(group.e[pushing].min()) if pushing.any() else 0.0
    return Act(group.rows, by_impulses(group, pressed, np.full(len(group.names), e)), "energetic", notes)
