"""Everything Latchwork refuses, in one tree.

    LatchworkError
    ├── ExpressionError      an expression that has no meaning (two models mixed, a comparison used as a truth value)
    ├── ModelError           a description that contradicts itself or is incomplete
    │   ├── SpeedsError      a definition of generalized speeds that cannot be solved for q̇
    │   ├── VelocityError    a declared velocity that disagrees with the coordinates
    │   ├── ConstraintError  a constraint that has no meaning, contradicts others, or cannot be met
    │   ├── ContactError     a contact that has no meaning, or an impact that nothing can take up
    │   └── CouplerError     a virtual coupler that would not be stable
    ├── ProgramError         a program or a kernel that is not well formed
    ├── EvaluationError      numbers that are missing, unknown, or not finite
    ├── ArgumentError        an argument that a function does not take (a TypeError too)
    ├── UnknownAttribute     an attribute that an object does not have (an AttributeError too)
    ├── UnknownName          a name that a table does not have (a KeyError too)
    ├── IntegrationError     a run that could not go on
    │   ├── Interference     two shapes that have passed into each other
    │   ├── Jammed           sliding contacts that can neither stay closed nor open (Painlevé)
    │   ├── Unsettled        contacts for which no set of open, sliding and sticking obeys all laws
    │   ├── ControlError     a law that cannot command what it tracks, or returns no number
    │   └── AuditError       a run whose energy or constraints are far off what its method promises
    ├── FileError            a file or text that cannot be read as a model
    └── StudyError           a study whose points or outputs do not fit, or whose store cannot be written
        └── Incomplete       statistics of a study that has not all its points

    KeyboardInterrupt
    └── Interrupted          Ctrl-C in a run, which it carries

A message has three parts: what is wrong with which named thing; the values seen; what to do.

`AuditWarning`, a UserWarning, says what `AuditError` would where a run was to go on.
"""

from __future__ import annotations

import math
import os
import reprlib
import traceback
from collections.abc import Iterable, Mapping
from numbers import Integral, Real
from typing import Any


class LatchworkError(Exception):
    """Base of every error that Latchwork raises on purpose; what it says can be printed, whatever it quotes."""

    def __str__(self) -> str:
        return printable(super().__str__())

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: where the user's own lines were, and what is wrong; nothing of the inside."""
        inside = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        frames = [frame for frame in traceback.extract_tb(self.__traceback__) if "IPython" not in frame.filename
                  and not os.path.abspath(frame.filename).startswith(inside)]  # fmt: skip
        lines = "".join(traceback.format_list(frames[-3:])).splitlines()
        return [*lines, f"{type(self).__name__}: {self}"]


class ExpressionError(LatchworkError):
    """An expression that has no meaning."""


class ModelError(LatchworkError):
    """A description that contradicts itself or is incomplete."""


class SpeedsError(ModelError):
    """A definition of generalized speeds that cannot be solved for q̇."""


class VelocityError(ModelError):
    """A declared velocity that disagrees with the coordinates."""


class ConstraintError(ModelError):
    """A constraint that has no meaning, contradicts others, or cannot be met."""


class ContactError(ModelError):
    """A contact that has no meaning, or an impact that nothing can take up."""


class CouplerError(ModelError):
    """A virtual coupler that would not be stable with this step, device and mechanism."""


class ProgramError(LatchworkError):
    """A program or a kernel that is not well formed: an unknown operation, an argument that is no slot before it."""


class EvaluationError(LatchworkError):
    """Numbers that are missing, unknown, or not finite."""


class ArgumentError(LatchworkError, TypeError):
    """An argument that a function does not take."""


class UnknownAttribute(LatchworkError, AttributeError):
    """An attribute that an object does not have."""


class UnknownName(LatchworkError, KeyError):
    """A name that a table of things by name does not have."""

    def __str__(self) -> str:
        return printable(str(self.args[0]))


class IntegrationError(LatchworkError):
    """A run that could not go on; ``solution`` (or ``run``) holds what had been computed until then.

    ``reason`` is why steps ended, where it was there that the run could not go on.
    """

    def __init__(self, message: str, solution: Any = None, run: Any = None, reason: Any = None) -> None:
        super().__init__(message)
        self.solution, self.run, self.reason = solution, run, reason


class Interference(IntegrationError):
    """Two shapes that have passed into each other, at time ``t``, by ``depth``; ``contact`` is the name of theirs."""

    def __init__(self, message: str, solution: Any, run: Any, contact: str, t: float, depth: float) -> None:
        super().__init__(message, solution, run)
        self.contact, self.t, self.depth = contact, t, depth


class Jammed(IntegrationError):
    """A Painlevé paradox: sliding contacts that no finite forces can hold, and that cannot open.

    ``contacts`` names them; a smaller coefficient of friction, or `lw.TimeStepping`, may help.
    """

    def __init__(self, message: str, contacts: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.contacts = tuple(contacts)


class Unsettled(IntegrationError):
    """A contact problem without an answer: no set of open, sliding and sticking obeys all laws.

    ``contacts`` names them; `lw.TimeStepping` goes on without one.
    """

    def __init__(self, message: str, contacts: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.contacts = tuple(contacts)


class ControlError(IntegrationError):
    """A control law that cannot command what it tracks, or returned no finite number; ``run`` is the run so far."""


class StudyError(LatchworkError):
    """A study whose points or outputs do not fit, or whose store belongs to another study, is full or not writable."""


class Incomplete(StudyError):
    """Statistics of a study that were asked for before all of its points were computed."""


class Interrupted(KeyboardInterrupt):
    """Ctrl-C in a run; ``run`` holds what had been computed until then, None where there was nothing yet."""

    def __init__(self, message: str, run: Any = None) -> None:
        super().__init__(message)
        self.run = run


class AuditError(IntegrationError):
    """A run whose energy balance or constraints are off by far more than its method promises; ``run`` holds it."""


class AuditWarning(UserWarning):
    """What `AuditError` says, as a warning: where a run was given ``audit="warn"``."""


class FileError(LatchworkError):
    """A file or text that cannot be read as a model; says where: ``source:line:column``."""

    def __init__(self, message: str, source: str = "", line: int = 0, column: int = 0) -> None:
        self.message, self.source, self.line, self.column = message, source, line, column
        where = ":".join(str(part) for part in (source, line, column) if part)
        super().__init__(f"{where}: {message}" if where else message)


def printable(text: str) -> str:
    """A text in which characters that a terminal would obey are written out: ``\\x1b``; lines stay lines."""
    return text if text.isprintable() else "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def must_be_name(name: Any, of: str, kind: type[ModelError] = ModelError, advice: str = "") -> None:
    """Refuse what cannot name a thing: no text, an empty one, one with characters that are not printed."""
    if not isinstance(name, str) or not name.strip():
        raise kind(f"{of} needs a name that is a non-empty text; got {name!r}.{advice}")
    if not name.isprintable():
        raise kind(f"{of} cannot be named {name!r}: it holds characters that are not printed. Leave them out.")


def must_be(value: Any, kind: Any, what: str, advice: str) -> None:
    """Refuse an argument of another kind: what it is for, what was given, what to give."""
    if not isinstance(value, kind):
        raise ArgumentError(f"{what} is {reprlib.repr(value)} ({type(value).__name__}). {advice}")


def must_measure(value: Any, what: str, advice: str, least: float = -math.inf, above: float = -math.inf,
                 whole: bool = False, kind: type[LatchworkError] | None = None) -> None:  # fmt: skip
    """Refuse what is no finite number, or too small, or no whole number where one is asked for."""
    number = Integral if whole else Real
    if (not isinstance(value, number) or isinstance(value, bool) or not math.isfinite(value)
            or value < least or value <= above):  # fmt: skip
        raise (kind or ArgumentError)(f"{what} is {reprlib.repr(value)}. {advice}")


def listed(value: Any, what: str, advice: str) -> list[Any]:
    """The items of a list or another sequence; a text, a mapping, or what has no items, is refused."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise ArgumentError(f"{what} is {reprlib.repr(value)} ({type(value).__name__}), not a list. {advice}")
    return list(value)


def another(owner: str, model: str) -> str:
    """``"the model 'a', not to 'b'"``, also where two models have one name."""
    return f"the model '{owner}', not to '{model}'" if owner != model else f"another model that is named '{owner}' too"


def number_of(n: int, noun: str) -> str:
    """``"1 body"``, ``"2 bodies"``."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{n} {noun if n == 1 else plural}"


# What answers misspellings raises errors of the tree above, and is imported with them.
from latchwork.errors.misspellings import SYNONYMS as SYNONYMS  # noqa: E402
from latchwork.errors.misspellings import ByName as ByName  # noqa: E402
from latchwork.errors.misspellings import answering as answering  # noqa: E402
from latchwork.errors.misspellings import did_you_mean as did_you_mean  # noqa: E402
from latchwork.errors.misspellings import spelled as spelled  # noqa: E402
from latchwork.errors.misspellings import spelled_methods as spelled_methods  # noqa: E402
from latchwork.errors.misspellings import undeclared as undeclared  # noqa: E402
