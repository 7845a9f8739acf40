"""What moves at a state with the constraints of the run held: q̇, M, f, and u̇₀ without contacts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.terms import Array, Motion, Terms
from latchwork.hybrid.contacts.free_motion import left_over


class Moving(NamedTuple):
    """The motion at a state, T M̃⁻¹ Tᵀ, and u̇₀."""

    motion: Motion
    inverse: Array
    udot: Array


@dataclass(eq=False)
class Inertia:
    """Gives `Moving` at states; an inverse is made again only where M or the rows that hold have changed."""

    held: Terms
    _last: tuple[Array, Array, Moving] | None = field(default=None, init=False, repr=False)

    def at(self, x: Array) -> Moving:
        motion, B = self.held.motion(x), self.held.place(x).B
        if self._last is not None and not len(B):
            M, f, last = self._last
            if np.array_equal(M, motion.M):
                same = np.array_equal(f, motion.f)
                return Moving(motion, last.inverse, last.udot if same else dot(last.inverse, motion.f))
        inverse, udot = left_over(self.held.base, motion.M, motion.f, B, motion.c, B)
        moving = Moving(motion, inverse, udot)
        self._last = motion.M, motion.f, moving
        return moving
