"""Modes of designs that integrate all speeds: x = (q, u, work)."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from latchwork.constraint.designs.table import Design
from latchwork.constraint.embedded import all_speeds_kernels
from latchwork.constraint.embedded.mode import Mode
from latchwork.constraint.embedded.mode_block import Frame, frame
from latchwork.constraint.embedded.slider import ENFORCED
from latchwork.constraint.selection import Selection
from latchwork.constraint.terms import Array
from latchwork.errors import ConstraintError
from latchwork.program.kernel import Kernel
from latchwork.program.native import Native, native


@dataclass(eq=False)
class AllSpeeds(Mode):
    """Constraints held by accelerations, all speeds integrated: x = (q, u, work), u̇ by a design of `designs`."""

    design: Design = field(kw_only=True)
    settings: Array = field(kw_only=True)

    @cached_property
    def _frame(self) -> Frame:
        _, n, m = self.terms.sizes
        return frame(self.terms, 0, n, len(self.rest), settings=self.settings, scratch=self.design.work_size(n, m))

    @property
    def _solver(self) -> int:
        return native(self.design.solve).address

    @property
    def executor(self) -> Kernel[..., None] | Native:
        """The right-hand side."""
        return all_speeds_kernels.all_of

    def expanded(self, x: ArrayLike) -> tuple[Array, Array]:
        """u and u̇ for rows of inputs."""
        n_q, n, _ = self.terms.sizes
        return np.asarray(x)[:, 1 + n_q : 1 + n_q + n], self.many(x)[:, n_q : n_q + n]


def all_speeds_mode(mode: Mode, design: Design, settings: Array) -> AllSpeeds:
    """The same constraints by a design that integrates all speeds; it knows no friction."""
    if mode.sliders:
        held = sum(slider.row == ENFORCED for slider in mode.sliders)
        raise ConstraintError(
            f"the design '{design.name}' knows no sliding friction; {len(mode.sliders) - held} rows and "
            f"{held} held contacts of '{mode.terms.rows.equations.name}' slide. Use lw.Embedded()."
        )
    n = mode.terms.sizes[1]
    free = Selection((), (), tuple(range(n)), tuple(range(len(mode.terms.rows))))
    return AllSpeeds(mode.terms, free, mode.rest, mode.weights, mode.typical, mode.lengths, 0.0, mode.course,
                     mode.numbers, design=design, settings=settings)  # fmt: skip
