"""The laws that every scenario of contact obeys, checked after its run; `broken` names those that it breaks."""

from __future__ import annotations

import numpy as np

import latchwork as lw
from latchwork.hybrid.stages import Held
from random_scenes import Scene
from scene_shapes import Ground, separation

SINKS = 1e-9  # how deep, in metres, anything may be in anything else at a sample
BETWEEN = 1e-7  # and between samples, where the interpolant is
DENSE = 40


def broken(s: Scene, run: lw.Trajectory) -> list[str]:
    """What is wrong with a run."""
    if not np.isfinite(run.path.x[:, : len(run.equations.q) + len(run.equations.u)]).all():
        return ["not finite"]
    return [*gaps(s, run), *energy(s, run), *forces(s, run), *momentum(s, run)]


def gaps(s: Scene, run: lw.Trajectory) -> list[str]:
    """Nothing sinks into anything."""
    loose = 1e3 if isinstance(s.method, lw.RK4) else 1.0
    t = run.path.t
    some = np.unique(np.linspace(0, len(t) - 1, 60).astype(int))
    found = []
    points = list(dict.fromkeys(p for _, a, b in s.meetings for p in (*a.points, *getattr(b, "points", ()))))
    dense = run.at(np.linspace(t[0], t[-1], DENSE))
    for what, samples, most in (("at a sample", run, SINKS), ("between", dense, BETWEEN)):
        pick = some if samples is run else np.arange(DENSE)
        at = dict(zip(points, samples.each(*points), strict=True))
        for name, a, b in s.meetings:
            start = s.late.get(name, -np.inf)
            p = np.stack([at[point] for point in a.points], axis=1)[pick]
            when = np.asarray(samples.t)[pick]
            if isinstance(b, Ground):
                depth = [b.apart(x, a.radius) for x, at_t in zip(p, when, strict=True) if at_t >= start]
            else:
                q = np.stack([at[point] for point in b.points], axis=1)[pick]
                depth = [separation(a, x, b, y) for x, y in zip(p, q, strict=True)]
            least = min(depth, default=0.0)
            if least < -most * loose:
                found.append(f"sinks in {what}: '{name}' by {-least:.2e}")
    return found


def energy(s: Scene, run: lw.Trajectory) -> list[str]:
    """E − E0 − work is nothing; and where nothing drives it, E never grows."""
    loose = 1e4 if isinstance(s.method, lw.RK4) else 1.0
    path = run.path
    samples = lw_samples(run)
    E = samples.energy
    K = samples[run.equations.kinetic_energy]
    scale = 1e-3 + float(K.max() + np.ptp(E))
    found = []
    off = float(np.abs(E - E[0] - (path.x[:, -1] - path.x[0, -1])).max())
    if off > 1e-7 * loose * scale:
        found.append(f"energy balance off by {off:.2e} of {scale:.2e}")
    if not s.driven:
        rise = float(np.max(E - np.minimum.accumulate(E)))
        if rise > 1e-7 * loose * scale:
            found.append(f"energy grows by {rise:.2e} of {scale:.2e}")
    return found


def lw_samples(run: lw.Trajectory):
    """All samples of the path, both sides of jumps."""
    from latchwork.hybrid.trajectory import Samples

    return Samples(run.driven, run.path.t, run.path.x, run.rest)


def forces(s: Scene, run: lw.Trajectory) -> list[str]:
    """Contacts push, stay within their cones, and do not creep where they stick."""
    loose = 1e4 if isinstance(s.method, lw.RK4) else 1.0
    standings, found = s.sim._standings, set()
    touches = {touch.name: touch for touch in standings.touches}
    for solution, stage in run.path.segments:
        if not isinstance(stage, Held) or len(solution.t) < 2:
            continue
        states = {label.rsplit(": ", 1)[0]: label.rsplit(": ", 1)[1] for label in stage.names if ": " in label}
        if any(name not in touches for name in states) or not states:
            continue
        rest = run.driven.rest_at(run.rest, solution.t)
        x = np.column_stack([solution.t, solution.x[:, : stage_width(stage)], rest])
        lam = stage.mode.multipliers(np.column_stack([solution.t, solution.x, rest]))
        full, _ = stage.full(solution.t, solution.x, rest)
        whole = np.column_stack([solution.t, full[:, :-1], rest])
        size = float(np.abs(lam).max(initial=0.0)) + 1e-6
        for name, state in states.items():
            if name not in stage.mode.terms.rows.slices or name not in touches or touches[name].held:
                continue
            touch, part = touches[name], lam[:, stage.mode.terms.rows.slices[name]]
            if part[:, 0].min() < -1e-5 * loose * size:
                found.add(f"'{name}' pulls")
            if state == "stick":
                mu = max(touch.laws(row, dict(standings.zones))[1] for row in whole[:1])
                zoned = bool(touch.zones)
                if not zoned and (np.linalg.norm(part[:, 1:], axis=1) - mu * part[:, 0]).max() > 1e-5 * loose * size:
                    found.add(f"'{name}' outside its cone")
                if touch.base.equations is run.equations and whole.shape[1] == len(touch.base.arguments):
                    slip = touch.lowered(list(touch.slips)).many(whole)
                    if np.abs(slip).max(initial=0.0) > 1e-8 * loose * (1.0 + np.abs(full[:, :-1]).max()):
                        found.add(f"'{name}' creeps by {np.abs(slip).max():.1e}")
        del x
    return sorted(found)


def stage_width(stage: Held) -> int:
    return 0


def momentum(s: Scene, run: lw.Trajectory) -> list[str]:
    """Free bodies among themselves keep their momentum."""
    if not s.alone:
        return []
    masses = [float(body.mass) for _, body, _ in s.solids]
    samples = lw_samples(run)
    speeds = samples.each(*(lw_velocity(s, link) for link, _, _ in s.solids))
    total = sum(m * v for m, v in zip(masses, speeds, strict=True))
    size = sum(m * np.abs(v).max() for m, v in zip(masses, speeds, strict=True)) + 1e-9
    off = float(np.abs(total - total[0]).max() / size)
    loose = 1e4 if isinstance(s.method, lw.RK4) else 1.0
    return [f"momentum off by {off:.1e}"] if off > 1e-9 * loose else []


def lw_velocity(s: Scene, link: lw.Link):
    return link.origin.velocity()
