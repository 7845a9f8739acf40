"""Press: a force that a law is to keep in a constraint or contact.

    λ* = λ_d + G_F e + G_I ∫ e dt,   e = λ_d − λ        [Aghili Eqs. 49, 50; λ of M u̇ = f + Bᵀ λ, contacts press: λ > 0]

The force that is fed back is the one that comes of the command itself: the two are solved together, so that

    (1 + G_F) ė + G_I e = 0.

With a ``filter`` τ it is what a sensor behind a lag shows, λ̂, and its own equation is τ ë + (1 + G_F) ė + G_I e = 0 in
e = λ_d − λ̂. ∫e and λ̂ are memory: coordinates of the run, at rest while what is pressed on does not hold.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from latchwork.constraint.rows import Rows
from latchwork.contact.rolling_resistance import PIVOTING, ROLLING
from latchwork.control.cone import is_of
from latchwork.errors import ModelError, did_you_mean, spelled
from latchwork.symbolic.expr import Expr

MOST_ROWS = 3  # of a contact point: its normal, and two across it


@spelled
@dataclass(frozen=True, eq=False)
class Press:
    """``Press("table", 10.0)``: 10 N in the contact or constraint of this name, or in one of its rows or features.

    ``on`` may be several of them with factors, ``{"left": 0.5, "right": -0.5}``. With ``speed`` it is the generalized
    constraint force 𝓕 = Bᵀλ on this speed, which is there at singular positions as well, where λ is not. Signs are
    those of the multipliers: a contact presses with positive force.
    """

    on: str | Mapping[str, float]
    force: Any
    gains: tuple[Any, Any] = (0.0, 0.0)  # G_F, G_I
    filter: float = 0.0  # τ
    speed: Any = None

    def __post_init__(self) -> None:
        parts = self.on.items() if isinstance(self.on, Mapping) else [(self.on, 1.0)]
        if not parts or not all(isinstance(name, str) and _is_factor(factor) for name, factor in parts):
            raise ModelError(f"a force is to be kept in {self.on!r:.80}. Give the name of a constraint, a contact or a "
                             "row, or several with factors: {\"left\": 0.5, \"right\": -0.5}.")  # fmt: skip
        self._must_be_finite()

    def _must_be_finite(self) -> None:
        """Refuse gains, a filter and a force that are no numbers."""
        parts = self.gains if isinstance(self.gains, Sequence) else ()
        if len(parts) != 2:
            raise ModelError(f"the gains of the force in '{self.name}' are {self.gains!r}. Give (G_F, G_I).")
        if not (isinstance(self.filter, (int, float)) and math.isfinite(self.filter) and self.filter >= 0.0):
            raise ModelError(f"the filter of the force in '{self.name}' is {self.filter!r}. Give a time constant in "
                             "seconds, or 0.")  # fmt: skip
        numbers = [self.force, *parts]
        if any(isinstance(each, (int, float)) and not math.isfinite(each) for each in numbers):
            raise ModelError(f"the force in '{self.name}' is {self.force!r} with gains {self.gains!r}. Give finite "
                             "numbers.")  # fmt: skip

    @property
    def factors(self) -> dict[str, float]:
        """What it is made of."""
        return dict(self.on) if isinstance(self.on, Mapping) else {self.on: 1.0}

    @property
    def name(self) -> str:
        return " and ".join(self.on) if isinstance(self.on, Mapping) else str(self.on)

    @property
    def integrates(self) -> bool:
        """Whether it has an integral."""
        return isinstance(self.gains[1], Expr) or float(self.gains[1]) != 0.0

    @property
    def lags(self) -> bool:
        """Whether it sees its force through a filter."""
        return self.filter > 0.0

    def weights(self, rows: Rows, bilateral: frozenset[str]) -> list[float] | None:
        """The factors of the multipliers of some rows; none where nothing of it holds. ``bilateral`` are the names of
        constraints: of all others, which are contacts, the first row of each feature is its normal."""
        found, held = [0.0] * len(rows), False
        for name, factor in self.factors.items():
            for i in self._places(rows, name, bilateral):
                found[i] += factor
                held = True
        return found if held else None

    def _places(self, rows: Rows, name: str, bilateral: frozenset[str]) -> list[int]:
        """The rows of a constraint, all of them for a force on a speed; of a contact, the normals of its features."""
        if name in rows.names and name not in rows.slices:
            return [rows.names.index(name)]
        places, whole = list[int](), name.partition("[")[0]
        if whole != name and whole in rows.slices and whole in bilateral:
            raise ModelError(f"'{whole}' has no row '{name}', in which a law is to keep a force. Its rows are "
                             f"{', '.join(rows.names[rows.slices[whole]])}.")  # fmt: skip
        for whose, part in rows.slices.items():
            if whose.endswith((ROLLING, PIVOTING)) or not is_of(whose, name):
                continue
            if self.speed is not None:
                places += range(part.start, part.stop)
            elif whose not in bilateral or part.stop - part.start == 1:
                places.append(part.start)
            else:
                raise ModelError(f"'{name}' has {part.stop - part.start} rows, {', '.join(rows.names[part])}: a force "
                                 "in it is that of one of them. Name the row, or the speed on which it "
                                 "acts.")  # fmt: skip
        return places

    def must_be_known(self, model: str, names: Sequence[str], contacts: Sequence[str]) -> None:
        """Refuse what is not there, and pulling on what can only be pressed."""
        for name, factor in self.factors.items():
            if name not in names and name.partition(":")[0] not in names and name.partition("[")[0] not in names:
                raise ModelError(f"'{name}', in which a law is to keep a force, is no constraint or contact of "
                                 f"'{model}'.{did_you_mean(name, names)}")  # fmt: skip
            whole, bracket, row = name.partition("[")
            if bracket and whole.partition(":")[0] in contacts and row not in [f"{i}]" for i in range(MOST_ROWS)]:
                raise ModelError(f"'{name}', in which a law is to keep a force, is no row of the contact '{whole}' of "
                                 f"'{model}': 0 is its normal, 1 and 2 are across it.")  # fmt: skip
            value = self.force if isinstance(self.force, (int, float)) else None
            if value is not None and self.speed is None and value * factor < 0.0 and len(self.factors) == 1 \
                    and name.partition(":")[0] in contacts:
                raise ModelError(f"a force of {value:g} in the contact '{name}' of '{model}' would pull on it, and it "
                                 "can only be pressed. Give a force that is not negative; it opens where that falls to "
                                 "zero.")  # fmt: skip


def _is_factor(factor: Any) -> bool:
    """Whether a force can be multiplied by it."""
    return isinstance(factor, (int, float)) and not isinstance(factor, bool) and math.isfinite(factor) and factor != 0.0
