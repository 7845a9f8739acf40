"""Targets: points of a model that parameters move, and which values of these bring one to a place.

    p ← p + A⁺ (to − P),   A = ∂P/∂p,   within the ranges of the sliders
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from latchwork.algebra.linear import pinv
from latchwork.algebra.products import dot
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ONE, ZERO

if TYPE_CHECKING:
    from latchwork.realtime.live import Live

Place = tuple[float, float, float]


def slider_values(live: Live, target: str, to: Place) -> dict[str, float]:
    """The values of sliders that bring a target as near to a place as they can; where none moves it, none."""
    model, sliders = live.exhibit.model, live.exhibit.sliders
    where = model.points[target].position().measures(model.frame)
    g, nodes = model.system().graph, [each.node for each in where]
    columns = {name: tangents(g, nodes, {model.symbols[name].node: ONE}) for name in sliders}
    moving = {name: column for name, column in columns.items() if any(node != ZERO for node in column)}
    if not moving:
        return {}
    A = np.array([[live.value(Expr(g, node)) for node in column] for column in moving.values()]).T
    off = np.array(to) - np.array([live.value(each) for each in where])
    steps, values = dot(pinv(A), off), live.values()
    return {name: min(max(values[name] + float(step), sliders[name][0]), sliders[name][1])
            for name, step in zip(moving, steps, strict=True)}  # fmt: skip
