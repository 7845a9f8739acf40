"""Misspellings: a name, an argument or an attribute that there is not is answered with the one that may be meant."""

from __future__ import annotations

import difflib
import functools
import inspect
import reprlib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from latchwork.errors import ArgumentError, UnknownAttribute, UnknownName

Callee = TypeVar("Callee", bound=Callable[..., Any])
Kind = TypeVar("Kind", bound=type)
Item = TypeVar("Item")

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


def did_you_mean(name: Any, known: Iterable[str]) -> str:
    """``" Did you mean 'q1'?"`` where a known name is close, or means the same elsewhere, else the known names."""
    name, names = str(name), [str(item) for item in known]
    same = [each for each in names if each.casefold() == name.casefold()]
    same = same or [each for each in SYNONYMS.get(name.lower(), ()) if each in names]
    close = same or difflib.get_close_matches(name, names, n=1)
    if close:
        return f" Did you mean '{close[0]}'?"
    shown = ", ".join(names[:12]) + (", ..." if len(names) > 12 else ".")
    return f" Known: {shown}" if names else ""


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
