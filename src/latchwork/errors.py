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

import difflib
import functools
import inspect
import os
import reprlib
import traceback
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

Callee = TypeVar("Callee", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)
Item = TypeVar("Item")


class LatchworkError(Exception):
    """Base of every error that Latchwork raises on purpose; what it says can be printed, whatever it quotes."""

    def __str__(self) -> str:
        return printable(super().__str__())

    def _render_traceback_(self) -> list[str]:
        """What a notebook shows: where the user's own lines were, and what is wrong; nothing of the inside."""
        inside = os.path.dirname(os.path.abspath(__file__))
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


def listed(value: Any, what: str, advice: str) -> list[Any]:
    """The items of a list or another sequence; a text, a mapping, or what has no items, is refused."""
    if isinstance(value, (str, bytes, Mapping)) or not isinstance(value, Iterable):
        raise ArgumentError(f"{what} is {reprlib.repr(value)} ({type(value).__name__}), not a list. {advice}")
    return list(value)


def another(owner: str, model: str) -> str:
    """``"the model 'a', not to 'b'"``, also where two models have one name."""
    return f"the model '{owner}', not to '{model}'" if owner != model else f"another model that is named '{owner}' too"


# What books and other programs call what has another name here; of several, the first that is known.
SYNONYMS = {
    **dict.fromkeys(("hinge", "pin", "rotary", "rotational", "continuous"), ("revolute",)),
    **dict.fromkeys(("slider", "slide", "sliding", "linear", "translational"), ("prismatic",)),
    **dict.fromkeys(("spherical", "ball_joint", "quaternion"), ("ball",)),
    **dict.fromkeys(("cardan", "hooke"), ("universal",)),
    **dict.fromkeys(("floating", "freejoint", "six_dof", "sixdof"), ("free",)),
    **dict.fromkeys(("fixed", "rigid", "fix"), ("weld",)),
    **dict.fromkeys(("add_body", "rigid_body", "link"), ("body",)),
    **dict.fromkeys(("point_mass", "mass"), ("particle",)),
    **dict.fromkeys(("motor", "actuator"), ("actuate",)),
    **dict.fromkeys(("damper", "spring_damper"), ("spring",)),
    **dict.fromkeys(("loop", "close_loop"), ("close",)),
    **dict.fromkeys(("stop", "stops", "limits"), ("limit",)),
    **dict.fromkeys(("cable", "tendon", "string"), ("rope",)),
    **dict.fromkeys(("clutch", "ratchet"), ("one_way",)),
    **dict.fromkeys(("t_end", "tf", "t_final", "duration", "stop_time"), ("until",)),
    **dict.fromkeys(("mu", "coefficient_of_friction"), ("friction",)),
    **dict.fromkeys(("bounce", "elasticity", "coefficient_of_restitution"), ("restitution",)),
    **dict.fromkeys(("k", "stiff"), ("stiffness",)),
    **dict.fromkeys(("rest_length", "free_length"), ("length",)),
    **dict.fromkeys(("x0", "y0", "positions", "initial_positions"), ("q",)),
    **dict.fromkeys(("velocities", "initial_velocities", "qdot"), ("u",)),
    **dict.fromkeys(("ode45", "rk45", "dopri5", "solver"), ("DormandPrince", "method")),
}


class ByName(dict[str, Item]):
    """Things by name, ``what`` they are; a name that is not among them is answered with the nearest."""

    def __init__(self, things: Mapping[str, Item], what: str) -> None:
        super().__init__(things)
        self.what = what

    def __missing__(self, name: str) -> Item:
        raise UnknownName(f"'{name}' is no {self.what}.{did_you_mean(str(name), self)}")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """``" Did you mean 'q1'?"`` where a known name is close, or means the same elsewhere, else the known names."""
    names = [str(item) for item in known]
    same = [each for each in names if each.casefold() == name.casefold()]
    same = same or [each for each in SYNONYMS.get(name.lower(), ()) if each in names]
    close = same or difflib.get_close_matches(name, names, n=1)
    if close:
        return f" Did you mean '{close[0]}'?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else ".")
    return f" Known: {shown}" if names else ""


def number_of(n: int, noun: str) -> str:
    """``"1 body"``, ``"2 bodies"``."""
    plural = noun[:-1] + "ies" if noun.endswith("y") else noun + "s"
    return f"{n} {noun if n == 1 else plural}"


def undeclared(name: str, inputs: Iterable[str]) -> str:
    """What to do about an input that a model does not have."""
    return did_you_mean(name, inputs) or f" It has no inputs: declare one with model.inputs({name}=0.0), or give none."


def spelled(what: Callee) -> Callee:
    """A function, or a class, that answers an argument it does not take with the one that may have been meant."""
    if isinstance(what, type):
        what.__init__ = _spelled(what.__init__)  # type: ignore[misc]
        return what
    return _spelled(what)


def spelled_methods(what: Callee) -> Callee:
    """A class whose public methods do so."""
    for name, method in list(vars(what).items()):
        if inspect.isfunction(method) and not name.startswith("_"):
            kinds = [each.kind for each in inspect.signature(method).parameters.values()]
            if inspect.Parameter.VAR_KEYWORD not in kinds and not hasattr(method, "__wrapped__"):
                setattr(what, name, _spelled(method))
    return what


def answering(what: Kind) -> Kind:
    """A class whose objects answer an attribute that they do not have with the nearest that there is."""

    def answer(self: Any, name: str) -> Any:
        if name.startswith("_") or hasattr(type(self), name):  # a property that failed inside says so itself
            return object.__getattribute__(self, name)
        known = [each for each in (*getattr(self, "__dict__", ()), *dir(type(self))) if not each.startswith("_")]
        elsewhere = getattr(type(self), "_elsewhere", None)  # what the class says of names of other things
        hint = (elsewhere(name) if elsewhere else "") or did_you_mean(name, known)
        # ``obj`` keeps Python from adding a guess of its own
        raise UnknownAttribute(f"{type(self).__name__} has no '{name}'.{hint}", obj=self)

    what.__getattr__ = answer  # type: ignore[attr-defined]
    return what


def _method_hint(key: str) -> str:
    """Where a setting belongs that is one of the method of integration."""
    if not difflib.get_close_matches(key, ("rtol", "atol", "tolerance", "max_step", "dt", "timestep"), n=1, cutoff=0.8):
        return ""
    return " Tolerances and steps belong to the method: method=lw.DormandPrince(rtol=1e-9), or method=lw.RK4(1e-3)."


def _spelled(function: Callee) -> Callee:
    signature = inspect.signature(function)
    known, each_of = [each for each in signature.parameters if each != "self"], signature.parameters.values()
    in_order = [each.name for each in each_of if each.kind is each.POSITIONAL_OR_KEYWORD]
    needed = [each.name for each in each_of if each.default is each.empty]
    is_plain = all(each.kind in (each.POSITIONAL_OR_KEYWORD, each.KEYWORD_ONLY) for each in each_of)

    def fits(count: int, options: Mapping[str, Any]) -> bool:
        """Whether so many values, and these by name, surely fit: the usual case, at little cost."""
        first = in_order[:count]
        return (is_plain and count <= len(in_order) and not any([name in options for name in first])
                and all([name in options or name in first for name in needed]))  # fmt: skip

    @functools.wraps(function)
    def call(*values: Any, **options: Any) -> Any:
        name = type(values[0]).__name__ if function.__name__ == "__init__" else function.__name__
        for key, value in options.items():
            if key not in known:
                hint = _method_hint(key) if "method" in known else ""
                raise ArgumentError(f"{name} takes no argument '{key}' (given {reprlib.repr(value)})."
                                    f"{hint or did_you_mean(key, known)}")  # fmt: skip
        try:
            if not fits(len(values), options):
                signature.bind(*values, **options)
        except TypeError as problem:
            raise ArgumentError(f"{name}: {problem}. It takes {', '.join(known)}.") from None
        return function(*values, **options)

    return call  # type: ignore[return-value]
