"""What a symbol stands for, for people: a value with its unit, and what it is in words."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any

from latchwork.errors import ModelError, spelled
from latchwork.symbolic.units import read

LONGEST = 200  # characters of a description


@dataclass(frozen=True)
class Quantity:
    """A value, its unit and a description; each may be left out."""

    value: float | None = None
    unit: str = ""
    description: str = ""


@spelled
def quantity(value: Any = None, unit: str = "", description: str = "") -> Quantity:
    """A value with its unit and a description: ``model.parameters(m=lw.quantity(2.0, "kg", "mass of the basket"))``.

    Units are labels, for axes, tables, sliders and generated code; numbers are taken as they are. Coordinates and
    speeds have no value: ``model.coordinates(x=lw.quantity(unit="m", description="along the rail"))``.
    """
    if not isinstance(unit, str) or not isinstance(description, str):
        raise ModelError(f"a quantity is a value, a unit and a description; got {unit!r:.60} and {description!r:.60}. "
                         'Write lw.quantity(2.0, "kg", "mass of the basket").')  # fmt: skip
    read(unit)
    if value is not None and (isinstance(value, bool) or not isinstance(value, Real)):
        raise ModelError(f"the value of a quantity is {value!r:.60}, which is no number. Write lw.quantity(2.0, "
                         '"kg"), or leave the value out: lw.quantity(unit="m").')  # fmt: skip
    if len(description) > LONGEST or any(not character.isprintable() for character in description):
        raise ModelError(f"the description {description!r:.60} is longer than {LONGEST} characters or no plain text. "
                         "Say it in one line.")  # fmt: skip
    return Quantity(None if value is None else float(value), " ".join(unit.split()), description.strip())


def described_by(text: str) -> Quantity:
    """The quantity that a text such as ``"mass of the basket [kg]"`` describes: words, then the unit in brackets."""
    words, bracket, unit = text.rstrip().removesuffix("]").rpartition("[")
    return quantity(None, unit, words) if bracket and text.rstrip().endswith("]") else quantity(None, "", text)
