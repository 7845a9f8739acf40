"""What a text means in a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from latchwork.errors import EvaluationError, did_you_mean
from latchwork.hybrid import meters
from latchwork.kane.equations import Equations

if TYPE_CHECKING:
    from latchwork.hybrid.trajectory import Samples


def look_up(equations: Equations, name: str, samples: Samples | None = None) -> Any:
    """What a text means in a model: a symbol, a point, a meter, or an expression of them."""
    system = equations.system
    symbols = {symbol.name: symbol for symbol in equations.arguments}
    points = system.tree.points
    if name in symbols:
        return symbols[name]
    if name in points:
        return points[name]
    if name in meters.NAMES and (found := meters.meter(equations, name, samples)) is not None:
        return found
    if name.isidentifier():
        of_joint = f"q_{name}"  # the name of a joint, where its coordinate is meant
        hint = did_you_mean(of_joint if of_joint in symbols else name, [*symbols, *points, *meters.NAMES])
        raise EvaluationError(f"'{name}' is not in the run of '{system.name}'.{hint}")
    from latchwork.formats.expressions.parser import parse_in

    symbols |= {each: found for each in meters.NAMES if each in name and each not in symbols
                and (found := meters.meter(equations, each, samples)) is not None}  # fmt: skip
    return parse_in(name, symbols, system.tree, meters.exerting(equations, samples))
