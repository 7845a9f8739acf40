"""The laws that every scenario of contact obeys, checked after its run; `broken` names those that it breaks."""

from __future__ import annotations

from typing import Any

import numpy as np

import latchwork as lw
from latchwork.contact.law import Zones
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.trajectory import Samples
from random_scenes import Scene
from scene_shapes import Ground, separation

SINKS = 1e-9  # how deep, in metres, anything may be in anything else at a sample
BETWEEN = 1e-7  # and between samples, where the interpolant is
DENSE = 40
BEGUN = {1: 1e-3, 2: 0.1}  # m/s: slower slip, in the plane and in space, may still be led by how it began


def broken(s: Scene, run: lw.Trajectory) -> list[str]:
    """What is wrong with a run."""
    n_q, n_u, n = len(run.equations.q), len(run.equations.u), len(s.model.equations().q)
    if not np.isfinite(run.path.x[:, [*range(n), *range(n_q, n_q + n_u)]]).all():  # tracked parameters may come late
        return ["not finite"]
    return [*gaps(s, run), *energy(s, run), *forces(s, run), *friction(s, run), *momentum(s, run)]


def gaps(s: Scene, run: lw.Trajectory) -> list[str]:
    """Nothing sinks into anything."""
    t = run.path.t
    some = np.unique(np.linspace(0, len(t) - 1, 60).astype(int))
    found = []
    points = list(dict.fromkeys(p for _, a, b in s.delassus_programs for p in (*a.points, *getattr(b, "points", ()))))
    dense = run.at(between_steps(run, np.linspace(t[0], t[-1], DENSE)))
    for what, samples, deepest in (("at a sample", run, SINKS), ("between", dense, BETWEEN)):
        pick = some if samples is run else np.arange(np.size(samples.t))
        at = dict(zip(points, samples.each(*points), strict=True))
        for name, a, b in s.delassus_programs:
            start = s.late.get(name, -np.inf)
            p = np.stack([at[point] for point in a.points], axis=1)[pick]
            when = np.asarray(samples.t)[pick]
            if isinstance(b, Ground):
                depth = [b.apart(x, a.radius) for x, at_t in zip(p, when, strict=True) if at_t >= start]
            else:
                q = np.stack([at[point] for point in b.points], axis=1)[pick]
                depth = [separation(a, x, b, y) for x, y in zip(p, q, strict=True)]
            least = min(depth, default=0.0)
            if least < -deepest * loose(s):
                found.append(f"sinks in {what}: '{name}' by {-least:.2e}")
    return found


def between_steps(run: lw.Trajectory, t: np.ndarray) -> np.ndarray:
    """Times that no time stepping went through: its gaps are kept at the ends of steps, chords are in between."""
    stepped = [(start, end) for start, end, *_ in run.audit.stepped]
    return t[~np.any([(t > start) & (t < end) for start, end in stepped] or [np.zeros(len(t), bool)], axis=0)]


def energy(s: Scene, run: lw.Trajectory) -> list[str]:
    """E − E0 − work is nothing; and where nothing drives it, E never grows."""
    samples = all_samples(run)
    E, K, work = samples.energy, samples[run.equations.kinetic_energy], run.path.x[:, -1]
    scale = 1e-3 + float(K.max() + np.ptp(E))
    off = float(np.abs(E - E[0] - (work - work[0])).max())
    rise = 0.0 if s.driven else float(np.max(E - np.minimum.accumulate(E)))
    found = [f"energy balance off by {off:.2e} of {scale:.2e}"] if off > 1e-7 * loose(s) * scale else []
    return found + ([f"energy grows by {rise:.2e} of {scale:.2e}"] if rise > 1e-7 * loose(s) * scale else [])


def all_samples(run: lw.Trajectory) -> Samples:
    """All samples of the path, both sides of jumps."""
    return Samples(run.driven, run.path.t, run.path.x, run.rest)


def loose(s: Scene) -> float:
    """By how much a fixed step is less accurate."""
    return 1e4 if isinstance(s.method, lw.RK4) else 1.0


def forces(s: Scene, run: lw.Trajectory) -> list[str]:
    """Contacts push, stay within their cones, and do not creep where they stick."""
    contact_points = {contact_point.name: contact_point for contact_point in s.sim.state.contacts.contact_points}
    found = set()
    for solution, dynamics in run.path.segments:
        if not isinstance(dynamics, Recombined) or len(solution.t) < 2:
            continue
        rest = run.driven.rest_at(run.rest, solution.t)
        lam = dynamics.mode.multipliers(np.column_stack([solution.t, solution.x, rest]))
        full, _ = dynamics.full(solution.t, solution.x, rest)
        states = np.column_stack([solution.t, full[:, :-1], rest])
        size = 1e-5 * loose(s) * (float(np.abs(lam).max(initial=0.0)) + 1e-6)
        for label in dynamics.names:
            name, _, state = label.rpartition(": ")
            contact_point, rows = contact_points.get(name), dynamics.mode.terms.rows.slices.get(name)
            if contact_point is None or rows is None or contact_point.without_normal:
                continue
            normal, across = lam[:, rows][:, 0], np.linalg.norm(lam[:, rows][:, 1:], axis=1)
            found |= {f"'{name}' pulls"} if normal.min() < -size else set()
            if state == "stick" and states.shape[1] == len(contact_point.base.arguments):
                found |= sticking(contact_point, states, across - most(contact_point) * normal, size, loose(s))
    return sorted(found)


def most(contact_point: Any) -> float:
    """The largest static friction of a contact, wherever it is."""
    mu = contact_point.contact.friction.mu
    return max(mu.values) if isinstance(mu, Zones) else mu


def sticking(contact_point: Any, states: np.ndarray, beyond: np.ndarray, size: float, slack: float) -> set[str]:
    """What is wrong with a contact that sticks: forces beyond its cone, slip."""
    slip = np.abs(contact_point.lowered(list(contact_point.slip_velocity)).many(states)).max(initial=0.0)
    wrong = {f"'{contact_point.name}' outside its cone"} if beyond.max() > size else set()
    creeps = slip > 1e-8 * slack * (1.0 + np.abs(states).max())
    return wrong | ({f"'{contact_point.name}' creeps by {slip:.1e}"} if creeps else set())


def friction(s: Scene, run: lw.Trajectory) -> list[str]:
    """M u̇ = f + Bᵀ λ where friction is −μ_d λ_n v/|v|, with the coefficient of the zone that a state lies in."""
    contact_points = {
        contact_point.name: contact_point
        for contact_point in (*s.sim.state.contacts.contact_points, *s.sim.state.contacts.asleep)
    }
    found = set()
    for solution, dynamics in run.path.segments:
        names = [label.rpartition(": ")[0] for label in dynamics.names if label.endswith(": slide")]
        known = names and contact_points.keys() >= set(names)
        if not isinstance(dynamics, Recombined) or len(solution.t) < 3 or not known:
            continue
        i = len(solution.t) // 2
        t, x = solution.t[i : i + 1], solution.x[i : i + 1]
        rest = run.driven.rest_at(run.rest, t)
        lam = dynamics.mode.multipliers(np.column_stack([t, x, rest]))[0]
        full, udot = dynamics.full(t, x, rest)
        state = np.concatenate([t, full[0, :-1], rest[0]])
        left = unbalanced(dynamics, state, udot[0], lam, [contact_points[name] for name in names])
        if left is not None and left > 1e-6:
            found.add(f"friction of {', '.join(names)} is not Coulomb's by {left:.1e}")
    return sorted(found)


def unbalanced(dynamics: Recombined, x: np.ndarray, udot: np.ndarray, lam: np.ndarray,
               sliding: list[Any]) -> float | None:  # fmt: skip
    """What is left of M u̇ − f − Bᵀ λ, as a part of its terms; none where slip or a zone has hardly begun."""
    terms = dynamics.mode.terms
    if any(contact_point.without_normal or len(x) != len(contact_point.base.arguments) for contact_point in sliding):
        return None
    n_q, n, _ = terms.sizes
    motion, B, u = terms.motion(x), terms.place(x).B, x[1 + n_q : 1 + n_q + n]
    parts = [motion.M @ udot, -motion.f, -B.T @ lam]
    for contact_point in sliding:
        place, mu = contact_point.terms.place(x), mu_at(contact_point, x)
        slip = place.B[1:] @ u + place.C[1:]
        if mu is None or (mu > 0.0 and np.linalg.norm(slip) < BEGUN[len(slip)]):
            return None
        if mu > 0.0:
            push = lam[terms.rows.slices[contact_point.name]][0]
            parts.append(mu * push * place.B[1:].T @ (slip / np.linalg.norm(slip)))
    return float(np.abs(sum(parts)).max() / (np.abs(parts).max() + 1e-9))


def mu_at(contact_point: Any, x: np.ndarray) -> float | None:
    """Dynamic friction where a state lies; none at a bound."""
    zones = {}
    for zone in contact_point.zones:
        along, *bounds = contact_point.lowered([zone.x, *(zone.x * 0.0 + bound for bound in zone.bounds)])(x)
        if np.abs(np.array(bounds) - along).min() < 1e-9:
            return None
        zones[zone] = int(np.searchsorted(bounds, along))
    return float(contact_point.laws.at(x, zones)[2])


def momentum(s: Scene, run: lw.Trajectory) -> list[str]:
    """Free bodies among themselves keep their momentum."""
    if not s.alone:
        return []
    masses = [float(body.mass) for _, body, _ in s.solids]
    speeds = all_samples(run).each(*(link.origin.velocity() for link, _, _ in s.solids))
    total = sum(m * v for m, v in zip(masses, speeds, strict=True))
    size = sum(m * np.abs(v).max() for m, v in zip(masses, speeds, strict=True)) + 1e-9
    off = float(np.abs(total - total[0]).max() / size)
    return [f"momentum off by {off:.1e}"] if off > 1e-9 * loose(s) else []
