"""A stretch of a run that is time-stepped: step after step, until things are calm, a stop, or the end."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from latchwork.constraint.terms import Array
from latchwork.errors import IntegrationError
from latchwork.hybrid.contacts.contact_point import ContactPoint
from latchwork.hybrid.path import Segment
from latchwork.hybrid.time_stepping.impacts import struck
from latchwork.hybrid.time_stepping.penetration import balanced, projected
from latchwork.hybrid.time_stepping.rest import Forces, at_rest
from latchwork.hybrid.time_stepping.scene import Scene
from latchwork.hybrid.time_stepping.smooth_step import smooth
from latchwork.hybrid.time_stepping.stage import Stepped
from latchwork.integrate.dense_output import Solution, Stats
from latchwork.program.interrupt import interrupted

FINE = 1e-6  # of the kinetic energy: what a step may lose or gain by itself
LITTLE = 1e-2  # of the most there was: what is slower need not be as exact
ROUNDING = 1e-12  # of all energy: less is rounding
HALVINGS = 6
SLIVER = 1e-9  # of a step: shorter ones are not taken


@dataclass(eq=False)
class Stretch:
    """States of the steps so far, what was left over of contact laws, penetration, and the modes that were met."""

    scene: Scene
    x: Array
    work: float
    udot: Array
    warm: Mapping[ContactPoint, Array] = field(default_factory=dict)
    t: list[float] = field(default_factory=list)
    states: list[Array] = field(default_factory=list)
    slopes: list[Array] = field(default_factory=list)  # q̇ at the start of each step
    modes: set[frozenset[tuple[ContactPoint, bool]]] = field(default_factory=set)
    mode: frozenset[tuple[ContactPoint, bool]] = frozenset()
    rests: Forces | None = None  # what holds it, where everything is at rest
    impacts: int = 0
    calm: int = 0  # steps since the last impact
    most: float = 0.0  # kinetic energy so far
    lost: float = 0.0  # energy that smooth motion lost by the step itself: booked as work
    kept: float = 0.0  # and that it would have gained: taken from all speeds
    off: float = 0.0
    depth: float = 0.0
    stopped: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._keep()

    def _keep(self) -> None:
        self.t.append(float(self.x[0]))
        self.states.append(np.append(self.x[1 : 1 + sum(self.scene.sizes)], self.work))

    def step(self, h: float, halvings: int = HALVINGS) -> None:
        """Smooth motion that gains no energy, penetration out, impacts: K + V changes by the work that is booked.

        Where the midpoint rule is off by more than `FINE` of the kinetic energy, two halves take its place.
        """
        scene, x = self.scene, self.x
        before, inside = scene.gaps.at(x)
        real = scene.real(before, inside, before)
        moved = smooth(scene, x, h, before, real, self.udot, self.warm)
        energy = scene.energy(x)
        surplus = scene.energy(moved.x) - energy - moved.work
        K = scene.kinetic_energy(x)
        self.most = max(self.most, K)
        if halvings and abs(surplus) > FINE * max(K, LITTLE * self.most) + ROUNDING * abs(energy):
            self.step(0.5 * h, halvings - 1)
            if self.rests is None:
                self.step(0.5 * h, halvings - 1)
            return
        self.slopes.append(scene.held.motion(x).q_rates)
        smoothed = balanced(scene, moved.x, surplus) if surplus > 0.0 else moved.x
        after = projected(scene, smoothed, before)
        gap, inside = scene.gaps.at(after)
        real = scene.real(gap, inside, before)
        hit = struck(scene, after, h, gap, real)
        self.work += moved.work + min(surplus, 0.0)
        self.lost, self.kept = self.lost - min(surplus, 0.0), self.kept + max(surplus, 0.0)
        if hit.x is not smoothed:
            self.work += scene.energy(hit.x) - scene.energy(smoothed)
        self.x, self.udot, self.warm = hit.x, moved.udot, moved.impulses
        self.rests = None if hit.hard else at_rest(scene, self.x, h, gap, real)
        if self.rests is not None:
            self._stop()
        self._note(moved.mode, hit.hard, max(moved.off, hit.off), -float(gap[real].min(initial=0.0)))
        if not np.isfinite(self.x).all():
            raise IntegrationError(f"'{scene.base.equations.name}' has no finite state after a time step at "
                                   f"t = {x[0]:.9g}. Take a smaller step.")  # fmt: skip

    def _stop(self) -> None:
        """Everything is at rest from now on; what is left of kinetic energy is lost."""
        still = self.scene.with_speeds(self.x, np.zeros(self.scene.sizes[1]))
        self.work += self.scene.energy(still) - self.scene.energy(self.x)
        self.x = still

    def _note(self, mode: frozenset[tuple[ContactPoint, bool]], hard: bool, off: float, depth: float) -> None:
        self.mode = mode
        self.modes.add(mode)
        self.impacts += hard
        self.calm = 0 if hard else self.calm + 1
        self.off, self.depth = max(self.off, off), max(self.depth, depth)
        self.scene.enter_zones(self.x)
        self._keep()

    def segment(self) -> Segment:
        """The stretch as a part of the path: q by parabolas, u and work by straight lines."""
        t, x, n_q = np.array(self.t), np.array(self.states), self.scene.sizes[0]
        chords = np.diff(x, axis=0) / np.diff(t)[:, None]
        starts, ends = chords.copy(), chords.copy()
        starts[:, :n_q] = self.slopes
        ends[:, :n_q] = 2.0 * chords[:, :n_q] - starts[:, :n_q]
        steps = len(chords)
        solution = Solution(t, x, np.vstack([starts, ends[-1:]]), np.zeros_like(chords), Stats(steps, 0, 2 * steps),
                            None, ends)  # fmt: skip
        return Segment(solution, Stepped(t, chords[:, n_q:-1], self.scene.held, self.lost, self.kept))

    def labels(self) -> tuple[str, ...]:
        """What is closed at the end, and how."""
        return tuple(f"{contact_point.name}: {'slide' if slides else 'stick'}"
                     for contact_point, slides in sorted(self.mode, key=lambda item: item[0].name))  # fmt: skip

    def told(self) -> tuple[str, ...]:
        """What is worth knowing of it."""
        notes = [f"{len(self.slopes)} steps, {self.impacts} with impacts; {len(self.modes)} modes"]
        if max(self.lost, self.kept) > 1e-9 * self.scene.base.scales.energy:
            notes.append(f"the steps lost an energy of {self.lost:.2g}, and were kept from gaining {self.kept:.2g}")
        if self.off > 1e-9:
            notes.append(f"contact laws are met to {self.off:.2g} of the velocities")
        if self.depth > self.scene.small.stepped:
            notes.append(f"a penetration of {self.depth:.3g} could not be taken out")
        return tuple(notes)


def stretch(scene: Scene, x: Array, work: float, until: float, step: float, calm: float,
            stops: Callable[[Array], Mapping[str, float]],
            progress: Callable[[float], Any] | None) -> Stretch:  # fmt: skip
    """Steps until all is at rest, ``calm`` of them passed without an impact, a stop falls through zero, or the end."""
    made = Stretch(scene, x, work, scene.inertia.at(x).udot)
    pieces = scene.driven.pieces(float(x[0]), until)[1:].tolist()
    before = stops(x)
    while pieces and made.calm < calm and not made.stopped and made.rests is None:
        left = pieces[0] - made.x[0]
        made.step(left if left < (1.0 + SLIVER) * step else step)
        if made.x[0] >= pieces[0] - SLIVER * step:
            made.x[0] = made.t[-1] = pieces.pop(0)
        now = stops(made.x)
        made.stopped = [name for name in now if before[name] >= 0.0 > now[name]]
        before = now
        if progress is not None:
            progress(float(made.x[0]))
        if interrupted():
            break
    return made
