"""Models of ``sympy.physics.mechanics`` taken over: a ``KanesMethod`` or a ``System``, before or after its equations.

Nothing that SymPy derives is used. Coordinates, speeds, parameters and specified inputs keep their names, frames and
points their place in SymPy's trees; dependent speeds are expressed by the independent ones, so that M and f are the
minimal ones; auxiliary speeds are zero.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from latchwork.errors import ModelError
from latchwork.formats.sympy_frames import Frames
from latchwork.formats.sympy_kinematics import definitions, solved
from latchwork.formats.sympy_points import Points
from latchwork.formats.sympy_symbols import Names, Symbols
from latchwork.kane.sample import numbers
from latchwork.kane.speeds import Kinematics, solve_speeds
from latchwork.model import Model
from latchwork.symbolic.derivative import tangents
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.traverse import rebuild


@dataclass(frozen=True)
class Description:
    """What a SymPy model says: expressions that vanish, bodies, and pairs (point or frame, vector) of loads."""

    name: str
    frame: Any
    q: Sequence[Any]
    u: Sequence[Any]
    dependent: Sequence[Any]
    auxiliary: Sequence[Any]
    kinematics: Sequence[Any]
    velocity: Sequence[Any]
    configuration: Sequence[Any]
    acceleration: Sequence[Any]
    bodies: Sequence[Any]
    loads: Sequence[Any]


@dataclass(frozen=True)
class Imported:
    """How an imported model hangs together with SymPy's.

    ``names`` gives SymPy's name for each name of the model (symbols, frames, points and bodies apart); ``symbols`` what
    each of SymPy's symbols became; ``dependent`` the dependent speeds in terms of the independent ones;
    ``configuration`` the configuration constraints, which the initial coordinates must satisfy.
    """

    names: Mapping[str, Mapping[str, str]]
    symbols: Mapping[Any, Expr]
    dependent: Mapping[str, Expr] = field(default_factory=dict)
    configuration: tuple[Expr, ...] = ()


class SympyModel(Model):
    """A model that came from SymPy; ``imported`` says what is what."""

    imported: Imported

    def define(self, kinematics: list[Expr], made: list[Expr]) -> None: ...


def from_kanes_method(kane: Any) -> SympyModel:
    """A ``sympy.physics.mechanics.KanesMethod`` as a model; ``kanes_equations()`` need not have been called."""
    if not kane.mass_matrix_kin:
        raise ModelError("the KanesMethod has no kinematical differential equations. Give it kd_eqs=[...].")
    implicit = copy.copy(kane)
    implicit.explicit_kinematics = False
    q, u = list(kane.q), list(kane.u)
    rates = kane.q.diff(_time())
    count = len(u) - len(kane._udep)
    derived = kane._k_dnh is not kane._k_nh
    return build(
        Description(
            name="KanesMethod",
            frame=kane._inertial,
            q=q,
            u=u[:count],
            dependent=u[count:],
            auxiliary=list(kane._uaux),
            kinematics=list(implicit.mass_matrix_kin * rates - implicit.forcing_kin),
            velocity=list(kane._k_nh * kane.u + kane._f_nh) if kane._udep else [],
            configuration=list(kane._f_h),
            acceleration=list(kane._k_dnh * kane.u.diff(_time()) + kane._f_dnh) if derived and kane._udep else [],
            bodies=list(kane.bodies or []),
            loads=list(kane.loads or []),
        )
    )


def from_system(system: Any) -> SympyModel:
    """A ``sympy.physics.mechanics.System`` as a model; ``form_eoms()`` need not have been called."""
    actuated = [load for actuator in system.actuators for load in actuator.to_loads()]
    return build(
        Description(
            name="System",
            frame=system.frame,
            q=list(system.q),
            u=list(system.u_ind),
            dependent=list(system.u_dep),
            auxiliary=list(system.u_aux),
            kinematics=list(system.kdes),
            velocity=list(system.velocity_constraints),
            configuration=list(system.holonomic_constraints),
            acceleration=[],
            bodies=list(system.bodies),
            loads=[*system.loads, *actuated],
        )
    )


def build(given: Description) -> SympyModel:
    """The model: symbols, kinematics, geometry, bodies, loads."""
    if not given.bodies:
        raise ModelError(
            f"the {given.name} has no bodies. Give it bodies=[...] and forcelist=[...], or call kanes_equations(bodies, "
            "loads) before it is handed over."
        )
    model = SympyModel(given.name)
    symbols = Symbols(model)
    dependent = _speeds(model, symbols, given)
    frames = Frames(model.system(), symbols, given.frame, solve_speeds(model.system()))
    ...
    return model


def _time() -> Any:
    from sympy.physics.mechanics import dynamicsymbols

    return dynamicsymbols._t
