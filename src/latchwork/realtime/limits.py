"""How stiff a virtual coupler may be: what sampling allows, on both of its sides.

The coupler's force F = K e + B ė is worked out once a step T and held. On the **mechanism's side**, for a mass m, what
happens in a step is x⁺ = x + T v + T²F/2m and v⁺ = v + T F/m. With κ = K T²/m and β = B T/m the map of (x, T v) has the
trace 2 − κ/2 − β and the determinant 1 − β + κ/2, so that Jury's conditions read

    K T/2 < B < 2 m/T        (and K > 0):

a triangle in the plane of κ and β. Several degrees of freedom part into masses 1/λ_i(J M⁻¹ Jᵀ), the smallest of which
is the handle's effective mass; where translation and rotation are both coupled, B T/m + B_turn T/I < 2 is enough.

On the **device's side**, with the physical damping b of the device, Colgate's condition

    b > K T/2 + |B|

is necessary and sufficient for a sampled spring and damper to be passive, whatever passive hand holds the device.
[Colgate and Schenkel, Passivity of a class of sampled-data systems, 1994 and J. Robotic Systems 14, 1997]
"""

from __future__ import annotations

import math
from typing import NamedTuple

MARGIN = 0.9  # of a limit that scaling goes to


class Side(NamedTuple):
    """One of the two couplings, in translation or rotation, and what it is between."""

    what: str
    stiffness: float
    damping: float
    mass: float  # of the mechanism at the handle; a moment of inertia in rotation
    device: float | None  # damping of the device; None: it feels nothing
    units: tuple[str, str, str]  # of stiffness, damping, mass

    @property
    def coupled(self) -> bool:
        return self.stiffness > 0.0 or self.damping > 0.0


def load_of(sides: tuple[Side, ...], step: float) -> float:
    """Σ B T/m, which must stay below 2."""
    return sum(_over(side.damping, side.mass) * step for side in sides if side.coupled)


def why_not(sides: tuple[Side, ...], step: float) -> list[str]:
    """What is wrong with a coupler at this step, in words; nothing where it is stable."""
    wrong = []
    for side in (side for side in sides if side.coupled):
        k_unit, b_unit, _ = side.units
        least = 0.5 * side.stiffness * step
        if side.damping <= least:
            wrong.append(
                f"{side.what} has a stiffness of {side.stiffness:.4g} {k_unit} but a damping of only "
                f"{side.damping:.4g} {b_unit}; held over {step:.4g} s it needs more than K T/2 = {least:.4g} {b_unit}"
            )
        if side.device is not None and side.device <= least + side.damping:
            wrong.append(
                f"{side.what} needs a device that damps by more than K T/2 + B = {least + side.damping:.4g} {b_unit} "
                f"(Colgate's condition with K = {side.stiffness:.4g} {k_unit}, B = {side.damping:.4g} {b_unit}, "
                f"T = {step:.4g} s); it has {side.device:.4g} {b_unit}"
            )
    load = load_of(sides, step)
    if load >= 2.0:
        seen = " and ".join(
            f"{side.damping:.4g} {side.units[1]} on {side.mass:.4g} {side.units[2]}" for side in sides if side.coupled
        )
        wrong.append(
            f"damping is too much for the mass at the handle: {seen} give B T/m = {load:.4g}, and a force that is held "
            f"over {step:.4g} s needs less than 2"
        )
    return wrong


def within(sides: tuple[Side, ...], step: float) -> tuple[Side, ...]:
    """The sides brought within the limits, as stiff as can be: damping gives way before stiffness does.

    More damping where there is too little for the stiffness, less where it is too much for the mass or the device; then
    less stiffness where that is not enough.
    """
    damped = tuple(_with_damping(side, max(side.damping, _least(side, step))) for side in sides)
    share = min(1.0, _over(2.0 * MARGIN, load_of(damped, step)))
    lighter = tuple(_with_damping(side, share * side.damping) for side in damped)
    softer = tuple(side._replace(stiffness=min(side.stiffness, 2.0 * MARGIN * side.damping / step)) for side in lighter)
    return tuple(_for_device(side, step) for side in softer)


def _least(side: Side, step: float) -> float:
    """Damping enough for the stiffness, where there is not."""
    least = 0.5 * side.stiffness * step
    return least / MARGIN if side.damping <= least else side.damping


def _with_damping(side: Side, damping: float) -> Side:
    return side._replace(damping=damping)


def _for_device(side: Side, step: float) -> Side:
    """K T/2 + B at a share of b: by less damping, as far as the stiffness allows, then by less of both."""
    spring = 0.5 * side.stiffness * step
    if side.device is None or not side.coupled or side.device > spring + side.damping:
        return side
    room = MARGIN * side.device
    if spring + spring / MARGIN <= room:
        return _with_damping(side, room - spring)
    spring = room / (1.0 + 1.0 / MARGIN)
    return side._replace(stiffness=2.0 * spring / step, damping=spring / MARGIN)


def _over(a: float, b: float) -> float:
    """a/b, where b may be zero."""
    return a / b if b > 0.0 else math.inf if a > 0.0 else 0.0
