"""The information report: what was described, how it hangs together, what the equations cost. After SD/FAST's.

[Buffinton §6.7.1]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from latchwork.kane.literal import equation_blocks, literal, literal_latex, speed_definitions
from latchwork.kane.page import html
from latchwork.kane.table import Cell, Table
from latchwork.mechanics.loads import Force, Load, Spring, Torque, Torsion
from latchwork.mechanics.printing import dyadic_text
from latchwork.mechanics.system import System
from latchwork.mechanics.topology import body_connection, joints_between, own_coordinates
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.matrix import Matrix

if TYPE_CHECKING:
    from latchwork.kane.equations import Equations
