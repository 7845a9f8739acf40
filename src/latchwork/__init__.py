"""Latchwork compiles a mechanism: Kane's equations from a description, to read, to run, to hand on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from latchwork.errors import (
    EvaluationError,
    ExpressionError,
    FileError,
    IntegrationError,
    LatchworkError,
    ModelError,
    ProgramError,
    SpeedsError,
    VelocityError,
)
from latchwork.mechanics.body import Body, inertia
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import JOINTS, Link
from latchwork.mechanics.loads import Force, Spring, Torque, Torsion
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Dyadic, Vector
from latchwork.model import Model
from latchwork.symbolic.derivative import dt, gradient, jacobian
from latchwork.symbolic.expr import (
    Expr,
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    equal,
    exp,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sinh,
    sqrt,
    tan,
    tanh,
    where,
)
from latchwork.symbolic.matrix import Matrix

if TYPE_CHECKING:
    from latchwork.export import export_c
    from latchwork.formats import dump, load, loads
    from latchwork.hybrid.many import simulate_many
    from latchwork.hybrid.simulate import simulate
    from latchwork.hybrid.trajectory import Trajectory
    from latchwork.integrate.method import RK4, DormandPrince
    from latchwork.kane.equations import Equations

_LATE = {
    "Equations": "latchwork.kane.equations",
    "simulate": "latchwork.hybrid.simulate",
    "simulate_many": "latchwork.hybrid.many",
    "export_c": "latchwork.export",
    "Trajectory": "latchwork.hybrid.trajectory",
    "RK4": "latchwork.integrate.method",
    "DormandPrince": "latchwork.integrate.method",
    "load": "latchwork.formats",
    "loads": "latchwork.formats",
    "dump": "latchwork.formats",
}

__all__ = [
    "JOINTS",
    "RK4",
    "Body",
    "DormandPrince",
    "Dyadic",
    "Equations",
    "EvaluationError",
    "Expr",
    "ExpressionError",
    "FileError",
    "Force",
    "Frame",
    "IntegrationError",
    "LatchworkError",
    "Link",
    "Matrix",
    "Model",
    "ModelError",
    "Point",
    "ProgramError",
    "SpeedsError",
    "Spring",
    "Torque",
    "Torsion",
    "Trajectory",
    "Vector",
    "VelocityError",
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "cos",
    "cosh",
    "dt",
    "dump",
    "equal",
    "exp",
    "export_c",
    "gradient",
    "inertia",
    "jacobian",
    "load",
    "loads",
    "log",
    "maximum",
    "minimum",
    "sign",
    "simulate",
    "simulate_many",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "where",
]


def __getattr__(name: str) -> Any:
    """What runs or reads files is imported when it is first asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("latchwork")
    if name == "bench":
        from importlib import import_module

        return import_module("latchwork.bench")
    if name in _LATE:
        from importlib import import_module

        return getattr(import_module(_LATE[name]), name)
    from latchwork.errors import did_you_mean

    raise AttributeError(f"latchwork has no '{name}'.{did_you_mean(name, __all__)}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
