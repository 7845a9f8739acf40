"""How a rule stands in a run: armed, due, spent. Decided by kernels, in Python where a rule is looked at in the loop of
a run, and in machine code where a change of contacts begins another mode (`flow`).

    g ≤ 0     spent: it has fired, or was armed below zero, and must come above zero first
    |g| small rising: it is at zero, and fires if it falls from there
    g < 0     due, if it is not spent
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from latchwork.hybrid.contacts.initial_contacts import INSTANT
from latchwork.integrate.guard_location import armed_kind
from latchwork.program.kernel import f64, fabs, i64, kernel
from latchwork.program.scalar import maximum

AT_ZERO = 1e-9  # of the unit of a condition: as small as this it is at zero, and fires when it falls from there


@kernel
def same_instant(t: f64, last: f64, scale: f64) -> i64:
    """1 where two times are one instant; ``scale`` is the time of the model."""
    return 1 if t - last <= INSTANT * maximum(scale, fabs(t)) else 0


@kernel
def is_still_spent(g: f64, small: f64, recent: i64) -> i64:
    """1 where a condition that has fallen has not come above zero yet; clearly so at the instant at which it fell."""
    return 1 if g <= (small if recent == 1 else 0.0) else 0


@kernel
def is_rising(spent: i64, g: f64, rate: f64, small: f64) -> i64:
    """1 where a condition is at zero and does not fall: it may fall from there."""
    return 1 if fabs(g) <= small and (rate > 0.0 or (spent == 0 and rate >= 0.0)) else 0


class RuleState(NamedTuple):
    """How a rule stands in a run.

    ``armed`` now; ``since`` when, or since it fired; ``fresh``: not looked at since. ``due``: its condition has fallen
    through zero, and is not to be looked at again where that is ``sure``. ``spent``: it must come above zero first.
    ``rising``: it is at zero, and fires if it falls from there. ``last`` is when it fired.
    """

    armed: bool = False
    fresh: bool = False
    due: bool = False
    sure: bool = False
    spent: bool = False
    rising: bool = False
    since: float = -np.inf
    last: float = -np.inf

    def arm(self, armed: bool) -> RuleState:
        """Armed from now on or not."""
        return self._replace(armed=armed, fresh=armed and (self.fresh or not self.armed), due=self.due and armed)

    def look(self, t: float, scale: float, g: float, rate: float, unit: float, begins: bool, jumps: bool) -> RuleState:
        """The condition and its rate, where the run begins or on its way: is the rule due, or must that rise first?

        ``scale`` is the time of the model, ``unit`` that of the condition.
        """
        spent, since, small = self.spent, self.since, AT_ZERO * unit
        if self.fresh:
            since = t
            spent = not jumps and g <= (-small if begins else small)
        elif spent:
            spent = bool(is_still_spent(g, small, same_instant(t, since, scale)))
        rising = bool(is_rising(int(spent), g, rate, small))
        due = not spent and (g < -small or (self.due and (self.sure or g <= small)))
        return self._replace(fresh=False, since=since, spent=spent, rising=rising, due=due)

    @property
    def kind(self) -> int:
        """Where its guard is armed."""
        return armed_kind(int(self.spent), int(self.rising))
