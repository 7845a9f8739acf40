"""Latchwork compiles a mechanism: Kane's equations from a description, to read, to run, to hand on."""

from latchwork.mechanics.body import Body, inertia
from latchwork.mechanics.loads import Force, Spring, Torque, Torsion
from latchwork.model import Model
from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import (Expr, acos, acosh, asin, asinh, atan, atan2, atanh, cos, cosh, equal, exp, log, maximum, minimum, sign, sin, sinh, sqrt, tan, tanh, where)
