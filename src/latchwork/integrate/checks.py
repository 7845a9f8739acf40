"""What the settings of a method must be before they are compared with anything."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from latchwork.errors import IntegrationError, must_measure

TEXTS = ("name", "form")  # settings that are no numbers
ROWS = ("atol",)  # settings that may be several
COUNTS = ("every", "max_steps")  # whole numbers


def must_be_numbers(method: Any) -> None:
    """Refuse settings of a method that are no numbers: text, a truth value, a function; and counts that are none."""
    kind = type(method).__name__
    for field in fields(method):
        value = getattr(method, field.name)
        left_out = value is None and field.default is None
        if field.name not in TEXTS and not left_out and not _is_number(value, field.name in ROWS):
            raise IntegrationError(
                f"{field.name} of lw.{kind} is {value!r}, which is no number. Give it as a number, without quotes and "
                f"units: lw.{kind}({field.name}=1e-6)."
            )
        if field.name in COUNTS:
            must_measure(value, f"{field.name} of lw.{kind}", "Give a whole number, 1 or more.", 1, whole=True,
                         kind=IntegrationError)  # fmt: skip
        if field.name in ROWS and not left_out and not np.size(value):
            raise IntegrationError(f"{field.name} of lw.{kind} has no values. Give one, or one for each state.")


def _is_number(value: Any, row: bool) -> bool:
    """Whether it is a number, or a row of numbers where there may be several."""
    try:
        numbers = np.asarray(value)
        return numbers.dtype.kind in "iuf" and numbers.ndim <= row
    except ValueError:
        return False
