"""The right-hand side of a run: ẋ for the state x = (q, u, work), one Program."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from latchwork.hybrid.input_laws import Driven, driven
from latchwork.kane.equations import Equations
from latchwork.kane.sample import vanish
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.ops import ZERO
from latchwork.symbolic.traverse import rebuild


@dataclass(frozen=True)
class RightSide:
    """ẋ as a function of (t, x, rest), and what drives it."""

    driven: Driven
    function: Function

    @property
    def equations(self) -> Equations:
        return self.driven.equations


def right_side(equations: Equations, inputs: Mapping[str, Any] | None) -> tuple[RightSide, dict[str, float]]:
    """The program of (q̇, u̇, power), and the inputs that are plain numbers."""
    drive, held = driven(equations, inputs)
    return unconstrained(drive), held


def unconstrained(drive: Driven) -> RightSide:
    """The program of (q̇, u̇, power) of what is driven, with no constraint held."""
    equations, system, g = drive.equations, drive.equations.system, drive.equations.system.graph
    udot = [e.node for e in equations.udot_expressions]
    accelerations = dict(zip((rate.node for rate in system.u_rates), udot, strict=True))
    power = _without_rates(equations, drive.power, accelerations)
    outputs = rebuild(g, [*equations.derivation.kinematics.q_rates, *udot, power], drive.laws)
    return RightSide(drive, Function(lower(g, outputs, drive.arguments)))


def _without_rates(equations: Equations, power: int, accelerations: dict[int, int]) -> int:
    """A power with u̇ put in; it may turn out to be nothing."""
    moved = rebuild(equations.system.graph, [power], accelerations)[0]
    return ZERO if moved != power and vanish(equations.system, [power], accelerations) else moved
