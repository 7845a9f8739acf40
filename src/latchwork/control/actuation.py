"""Actuation: which inputs of a model a law commands, and G = ∂f/∂r, by which they act."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latchwork.control.tracks import name_of
from latchwork.errors import ModelError, did_you_mean, listed
from latchwork.kane.equations import Equations
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.ops import ONE, ZERO
from latchwork.symbolic.traverse import reachable, rebuild


def inputs_of(equations: Equations, given: Sequence[Any] | None, whose: str,
              without: Sequence[str] = ()) -> tuple[str, ...]:  # fmt: skip
    """The inputs that are commanded: those named, or all that act by a force, ``without`` some."""
    known = [symbol.name for symbol in equations.r if symbol.name not in without]
    if given is None:
        g = equations.system.graph
        acting = set(reachable(g, rebuild(g, list(equations.derivation.f), equations.derivation.kinematics.replaced)))
        chosen = tuple(symbol.name for symbol in equations.r if symbol.name in known and symbol.node in acting)
        if not chosen:
            raise ModelError(f"'{equations.name}' has no input that {whose} could command. Declare motors: "
                             "T = model.input('T'); model.actuate(link, T).")  # fmt: skip
        return chosen
    given = listed(given, f"what {whose} is to command", "Give a list: inputs=['T1', 'T2'].")
    if not given:
        raise ModelError(f"{whose} is to command no input. Name some, or leave inputs out to command all that act by a "
                         f"force.{did_you_mean('', known)}")  # fmt: skip
    names = tuple(name_of(each) for each in given)
    for name in names:
        if name not in known:
            raise ModelError(f"'{name}', which {whose} is to command, is no input of '{equations.name}'."
                             f"{did_you_mean(name, known)}")  # fmt: skip
    if len(set(names)) < len(names):
        raise ModelError(f"{whose} is to command {', '.join(names)}, some of them twice. Name each once.")
    return names


def actuation(equations: Equations, inputs: Sequence[str], whose: str) -> list[int]:
    """G by inputs, ∂f/∂r; inputs act linearly."""
    g, replaced = equations.system.graph, equations.derivation.kinematics.replaced
    symbols = {symbol.name: symbol.node for symbol in equations.r}
    f = rebuild(g, list(equations.derivation.f), replaced)
    found, every = [], {symbols[name] for name in inputs}
    for name in inputs:
        column = rebuild(g, tangents(g, f, {symbols[name]: ONE}), replaced)
        if all(node == ZERO for node in column):
            raise ModelError(f"input '{name}' of '{equations.name}' acts by no force, so {whose} cannot use "
                             "it. Name inputs that stand in a force or torque.")  # fmt: skip
        if every & set(reachable(g, column)):
            raise ModelError(f"input '{name}' of '{equations.name}' does not act linearly, so {whose} cannot "
                             "invert it. Let the input be the force or torque itself.")  # fmt: skip
        found += column
    return found
