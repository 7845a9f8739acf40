"""Latchwork compiles a mechanism: Kane's equations from a description, to read, to run, to hand on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from latchwork.constraint.constraint import Constraint, Pull
from latchwork.constraint.joints.rolling import wheel_foot
from latchwork.constraint.rule import Latch, Rule
from latchwork.errors import (
    ArgumentError,
    AuditError,
    AuditWarning,
    ConstraintError,
    ContactError,
    ControlError,
    CouplerError,
    EvaluationError,
    ExpressionError,
    FileError,
    Incomplete,
    IntegrationError,
    Interference,
    Interrupted,
    Jammed,
    LatchworkError,
    ModelError,
    ProgramError,
    SpeedsError,
    StudyError,
    UnknownAttribute,
    UnknownName,
    Unsettled,
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
from latchwork.symbolic.quantity import Quantity, quantity

if TYPE_CHECKING:
    from latchwork import bench, control
    from latchwork.constraint.constrained import Constrained
    from latchwork.constraint.joints import makers
    from latchwork.constraint.linearization.equilibrium import Steady
    from latchwork.constraint.linearization.linear import Eigenmode, Linear
    from latchwork.contact.closest_point.samples import joined
    from latchwork.contact.curves import Curve, Surface
    from latchwork.contact.law import Contact, Coulomb, Zones, zones
    from latchwork.contact.shapes import (
        Arc,
        Boundary,
        Box,
        Capsule,
        Circle,
        Cone,
        Cylinder,
        Hull,
        Line,
        Plane,
        Polyline,
        Rim,
        Segment,
        Sphere,
    )
    from latchwork.export.equations import export_c, export_python, to_casadi, to_jax
    from latchwork.export.fmu import export_fmu
    from latchwork.flexible.beam import Beam
    from latchwork.flexible.elastic_solid import elastic_solid
    from latchwork.flexible.end_conditions import polynomial_shapes
    from latchwork.flexible.flexible_body import FlexibleBody, craig_bampton
    from latchwork.formats import dump, load, loads
    from latchwork.formats.remote.remote_shape import Remote
    from latchwork.formats.remote.shape_server import ShapeServer
    from latchwork.hybrid.batch import simulate_many
    from latchwork.hybrid.designs import (
        AugmentedLagrangian,
        Automaton,
        Embedded,
        Multipliers,
        NullSpace,
        Operator,
        Penalty,
        Projected,
    )
    from latchwork.hybrid.implicit import BackwardDifferences
    from latchwork.hybrid.simulate import simulate
    from latchwork.hybrid.simulation import Simulation
    from latchwork.hybrid.state import SimState
    from latchwork.hybrid.table import Table
    from latchwork.hybrid.time_stepping.settings import TimeStepping
    from latchwork.hybrid.trajectory import Trajectory
    from latchwork.identification.base_parameters import base_parameters
    from latchwork.identification.excitation import exciting
    from latchwork.identification.fit import identify
    from latchwork.integrate.methods import RK4, DormandPrince, Radau
    from latchwork.integrate.stiff import SciPy, Sundials
    from latchwork.kane.equations import Equations
    from latchwork.realtime.exhibit import Exhibit, exhibit_of
    from latchwork.realtime.live import Live
    from latchwork.realtime.process import Loop
    from latchwork.realtime.replay import replay
    from latchwork.study.minimum import DifferentialEvolution, NelderMead, Optuna, minimize
    from latchwork.study.points import grid, points, sampled
    from latchwork.study.study import Study
    from latchwork.view.beams import plot_beam_modes, plot_campbell, plot_deflection
    from latchwork.view.linear import plot_eigenvalues
    from latchwork.view.widget import show

_LATE = {
    "Curve": "latchwork.contact.curves",
    "Surface": "latchwork.contact.curves",
    "joined": "latchwork.contact.closest_point.samples",
    "Constrained": "latchwork.constraint.constrained",
    "Linear": "latchwork.constraint.linearization.linear",
    "Eigenmode": "latchwork.constraint.linearization.linear",
    "Steady": "latchwork.constraint.linearization.equilibrium",
    "plot_eigenvalues": "latchwork.view.linear",
    **dict.fromkeys(("plot_beam_modes", "plot_campbell", "plot_deflection"), "latchwork.view.beams"),
    **dict.fromkeys(
        "Line Plane Segment Polyline Arc Boundary Circle Sphere Capsule Cylinder Cone Rim Box Hull".split(),
        "latchwork.contact.shapes",
    ),
    **dict.fromkeys(("Contact", "Coulomb", "Zones", "zones"), "latchwork.contact.law"),
    "Equations": "latchwork.kane.equations",
    "Beam": "latchwork.flexible.beam",
    **dict.fromkeys(("FlexibleBody", "craig_bampton"), "latchwork.flexible.flexible_body"),
    "elastic_solid": "latchwork.flexible.elastic_solid",
    "polynomial_shapes": "latchwork.flexible.end_conditions",
    "show": "latchwork.view.widget",
    "simulate": "latchwork.hybrid.simulate",
    "SimState": "latchwork.hybrid.state",
    "Simulation": "latchwork.hybrid.simulation",
    "Embedded": "latchwork.hybrid.designs",
    "Automaton": "latchwork.hybrid.designs",
    "NullSpace": "latchwork.hybrid.designs",
    "Operator": "latchwork.hybrid.designs",
    "Multipliers": "latchwork.hybrid.designs",
    "AugmentedLagrangian": "latchwork.hybrid.designs",
    "Penalty": "latchwork.hybrid.designs",
    "Projected": "latchwork.hybrid.designs",
    "BackwardDifferences": "latchwork.hybrid.implicit",
    "simulate_many": "latchwork.hybrid.batch",
    **dict.fromkeys(("export_c", "export_python", "to_casadi", "to_jax"), "latchwork.export.equations"),
    "export_fmu": "latchwork.export.fmu",
    "Trajectory": "latchwork.hybrid.trajectory",
    "TimeStepping": "latchwork.hybrid.time_stepping.settings",
    "Table": "latchwork.hybrid.table",
    "RK4": "latchwork.integrate.methods",
    "DormandPrince": "latchwork.integrate.methods",
    "Radau": "latchwork.integrate.methods",
    "SciPy": "latchwork.integrate.stiff",
    "Sundials": "latchwork.integrate.stiff",
    "load": "latchwork.formats",
    "loads": "latchwork.formats",
    "dump": "latchwork.formats",
    "Remote": "latchwork.formats.remote.remote_shape",
    "ShapeServer": "latchwork.formats.remote.shape_server",
    "Exhibit": "latchwork.realtime.exhibit",
    "exhibit_of": "latchwork.realtime.exhibit",
    "Live": "latchwork.realtime.live",
    "Loop": "latchwork.realtime.process",
    "replay": "latchwork.realtime.replay",
    "Study": "latchwork.study.study",
    **dict.fromkeys(("minimize", "DifferentialEvolution", "NelderMead", "Optuna"), "latchwork.study.minimum"),
    "base_parameters": "latchwork.identification.base_parameters",
    "identify": "latchwork.identification.fit",
    "exciting": "latchwork.identification.excitation",
    **dict.fromkeys(("grid", "sampled", "points"), "latchwork.study.points"),
}
_MODULES = {"bench": "latchwork.bench", "control": "latchwork.control", "makers": "latchwork.constraint.joints.makers"}

__all__ = [
    "Model",
    "Quantity",
    "quantity",
    "Frame",
    "Point",
    "Vector",
    "Dyadic",
    "Body",
    "inertia",
    "Link",
    "JOINTS",
    "Force",
    "Torque",
    "Spring",
    "Torsion",
    "Constraint",
    "Pull",
    "Latch",
    "Rule",
    "wheel_foot",
    "makers",
    "Line",
    "Plane",
    "Segment",
    "Polyline",
    "Arc",
    "Boundary",
    "Circle",
    "Sphere",
    "Capsule",
    "Cone",
    "Cylinder",
    "Rim",
    "Box",
    "Hull",
    "Curve",
    "Surface",
    "Contact",
    "Coulomb",
    "Zones",
    "zones",
    "joined",
    "Remote",
    "ShapeServer",
    "Constrained",
    "Equations",
    "Beam",
    "polynomial_shapes",
    "FlexibleBody",
    "craig_bampton",
    "elastic_solid",
    "plot_beam_modes",
    "plot_campbell",
    "plot_deflection",
    "Linear",
    "Eigenmode",
    "Steady",
    "plot_eigenvalues",
    "show",
    "simulate",
    "SimState",
    "Simulation",
    "Embedded",
    "Automaton",
    "NullSpace",
    "Operator",
    "Multipliers",
    "AugmentedLagrangian",
    "Penalty",
    "Projected",
    "BackwardDifferences",
    "simulate_many",
    "Study",
    "grid",
    "sampled",
    "points",
    "minimize",
    "DifferentialEvolution",
    "NelderMead",
    "Optuna",
    "base_parameters",
    "identify",
    "exciting",
    "TimeStepping",
    "Trajectory",
    "Table",
    "DormandPrince",
    "Radau",
    "RK4",
    "SciPy",
    "Sundials",
    "load",
    "loads",
    "dump",
    "export_c",
    "export_fmu",
    "export_python",
    "to_casadi",
    "to_jax",
    "bench",
    "control",
    "Exhibit",
    "exhibit_of",
    "Live",
    "Loop",
    "replay",
    "Expr",
    "Matrix",
    "dt",
    "gradient",
    "jacobian",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "atan2",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "log",
    "sqrt",
    "sign",
    "minimum",
    "maximum",
    "where",
    "equal",
    "LatchworkError",
    "ExpressionError",
    "ModelError",
    "SpeedsError",
    "VelocityError",
    "ArgumentError",
    "UnknownAttribute",
    "UnknownName",
    "ConstraintError",
    "ContactError",
    "ControlError",
    "CouplerError",
    "ProgramError",
    "EvaluationError",
    "IntegrationError",
    "Interrupted",
    "Interference",
    "Jammed",
    "Unsettled",
    "AuditError",
    "AuditWarning",
    "FileError",
    "StudyError",
    "Incomplete",
]


def __getattr__(name: str) -> Any:
    """What runs or reads files is imported when it is first asked for."""
    if name == "__version__":
        from importlib.metadata import version

        return version("latchwork")
    if name in _MODULES:
        from importlib import import_module

        return import_module(_MODULES[name])
    if name in _LATE:
        from importlib import import_module

        return getattr(import_module(_LATE[name]), name)
    from latchwork.errors import did_you_mean

    raise AttributeError(f"latchwork has no '{name}'.{did_you_mean(name, __all__)}")


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
