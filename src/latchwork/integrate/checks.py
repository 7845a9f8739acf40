"""What the settings of a method must be before they are compared with anything."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import numpy as np

from latchwork.errors import IntegrationError

TEXTS = ("name", "form")  # settings that are no numbers
ROWS = ("atol",)  # settings that may be several


def must_be_numbers(method: Any) -> None:
    """Refuse settings of a method that are no numbers: text, a truth value, a function."""
    kind = type(method).__name__
    for field in fields(method):
        value = getattr(method, field.name)
        left_out = value is None and field.default is None
        if field.name not in TEXTS and not left_out and not _is_number(value, field.name in ROWS):
            raise IntegrationError(
                f"{field.name} of lw.{kind} is {value!r}, which is no number. Give it as a number, without quotes and "
                f"units: lw.{kind}({field.name}=1e-6)."
            )


def _is_number(value: Any, row: bool) -> bool:
    """Whether it is a number, or a row of numbers where there may be several."""
    try:
        numbers = np.asarray(value)
        return numbers.dtype.kind in "iuf" and numbers.ndim <= row
    except ValueError:
        return False
