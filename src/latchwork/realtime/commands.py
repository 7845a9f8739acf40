"""Commands to a running mechanism, one row each. Whoever sends them is a stranger: nothing is believed before it fits.

A command is a mapping with ``do`` and what its row asks for; it may carry an ``id``, which comes back with the answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from latchwork.errors import EvaluationError, did_you_mean

LONGEST = 200  # of a name, in characters
FARTHEST = 1e6  # of a place, in units of the model
MOST_POINTS = 200
Check = Callable[[Any], Any]


def text(value: Any) -> str:
    """A name."""
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST:
        raise EvaluationError(f"it should be a name of 1 to {LONGEST} characters")
    return value


def number(low: float, high: float) -> Check:
    """A number within bounds."""

    def check(value: Any) -> float:
        fits = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not fits or not low <= value <= high:
            raise EvaluationError(f"it should be a number from {low:g} to {high:g}")
        return float(value)

    return check


def whole(low: int, high: int) -> Check:
    """A whole number within bounds."""

    def check(value: Any) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise EvaluationError(f"it should be a whole number from {low} to {high}")
        return value

    return check


def truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise EvaluationError("it should be true or false")
    return value


def numbers(count: int) -> Check:
    """A place: so many finite numbers."""
    inside = number(-FARTHEST, FARTHEST)

    def check(value: Any) -> tuple[float, ...]:
        if not isinstance(value, (list, tuple)) or len(value) != count:
            raise EvaluationError(f"it should be {count} numbers")
        return tuple(inside(each) for each in value)

    return check


def places(value: Any) -> tuple[tuple[float, float], ...]:
    """The corners of a line drawn in the plane."""
    pair = numbers(2)
    if not isinstance(value, (list, tuple)) or not 2 <= len(value) <= MOST_POINTS:
        raise EvaluationError(f"it should be 2 to {MOST_POINTS} points of two numbers each")
    return tuple(pair(each) for each in value)


COMMANDS: dict[str, dict[str, Check]] = {
    "grab": {"body": text, "at": numbers(3)},
    "move": {"to": numbers(3)},
    "drop": {},
    "set": {"name": text, "value": number(-1e12, 1e12)},
    "aim": {"name": text, "to": numbers(3)},
    "hold": {"name": text},
    "release": {"name": text},
    "fence": {"points": places},
    "unfence": {},
    "coupler": {"stiffness": number(0.0, 1e9), "damping": number(0.0, 1e9)},
    "pause": {},
    "go": {},
    "step": {"ticks": whole(1, 10_000)},
    "speed": {"value": number(0.01, 4.0)},
    "rewind": {"seconds": number(0.0, 3600.0)},
    "reset": {},
    "record": {"on": truth},
    "pose": {"body": text, "at": numbers(3), "to": numbers(3)},
}


def parsed(command: Any) -> dict[str, Any]:
    """The command with its values checked, or an error in words; what no row asks for is left out."""
    if not isinstance(command, Mapping):
        raise EvaluationError(f"a command is {type(command).__name__}. Send a mapping such as {{'do': 'pause'}}.")
    do = command.get("do")
    if not isinstance(do, str) or do not in COMMANDS:
        shown = do[:LONGEST] if isinstance(do, str) else type(do).__name__
        raise EvaluationError(f"there is no command '{shown}'.{did_you_mean(shown, COMMANDS)}")
    made: dict[str, Any] = {"do": do}
    for name, check in COMMANDS[do].items():
        try:
            made[name] = check(command.get(name))
        except EvaluationError as error:
            raise EvaluationError(f"'{name}' of the command '{do}' is {command.get(name)!r:.60}: {error}.") from None
    if name_of(command) is not None:
        made["id"] = name_of(command)
    return made


def name_of(command: Any) -> str | int | None:
    """The id that a command carries, where it is a short text or a number."""
    found = command.get("id") if isinstance(command, Mapping) else None
    if isinstance(found, bool) or not isinstance(found, (str, int)):
        return None
    if isinstance(found, int):
        return found if math.fabs(found) < 2**53 else None
    return found[:LONGEST]
