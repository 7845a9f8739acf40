"""What a run starts from: the mechanism, the method, the span of time, the state."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from latchwork.algebra.products import norm
from latchwork.constraint.constrained import Constrained
from latchwork.constraint.constraint import Constraint
from latchwork.constraint.given_state import by_name, rest_coordinates, unsaid
from latchwork.contact.law import Contact
from latchwork.contact.shapes.base import numeric
from latchwork.errors import EvaluationError, ModelError, listed, must_be
from latchwork.hybrid.table import Array
from latchwork.integrate.methods import RK4, DormandPrince, Method, Radau
from latchwork.integrate.stiffness import Stiffness
from latchwork.kane.equations import Equations
from latchwork.kane.values import argument_vector
from latchwork.model import Model

UNIT = 1e-6  # how far from unit length a quaternion may start
MOST_SAMPLES = 10_000_000
ROUNDING, SLIVER = 1e-12, 1e-9  # of an interval between samples: what is rounding of it, and no interval of its own
USUAL, FOR_STIFF = DormandPrince(), Radau()


def mechanism(model: Model | Equations | Constrained) -> tuple[Equations, tuple[Constraint, ...]]:
    """The equations to run, of something that can move, and the constraints that always hold."""
    constraints: tuple[Constraint, ...] = ()
    if isinstance(model, Model):
        equations, constraints = model.equations(), model.constraints
    elif isinstance(model, Constrained):
        equations, constraints = model.unconstrained, model.constraints
    elif isinstance(model, Equations):
        equations = model
    else:
        raise ModelError(f"{model!r} cannot be run: a mechanism is needed. Give a model, model.equations(), or "
                         "model.constrained().")  # fmt: skip
    if not equations.u:
        raise ModelError(f"'{equations.name}' has no coordinates, so nothing can move. Add coordinates or joints; load "
                         "a robot that has none with floating=True.")  # fmt: skip
    return equations, constraints


def given_constraints(name: str, constraints: Any) -> list[Constraint]:
    """Constraints besides those of the model, as a list."""
    advice = "Give a list: constraints=[lw.Constraint('rolling', u1 + u2)]."
    found = listed(constraints, f"'constraints' of '{name}'", advice)
    for each in found:
        must_be(each, Constraint, f"one of the constraints of '{name}'", advice)
    return found


def method_of(method: Method | None) -> Method | None:
    """The method asked for; none where it is chosen as a run begins."""
    if isinstance(method, type):
        raise ModelError(f"the method of integration is {method.__name__} itself, without settings. Make one of it: "
                         f"lw.{method.__name__}({'step=1e-3' if method is RK4 else ''}).")  # fmt: skip
    if method is not None and not hasattr(method, "solve"):
        raise ModelError(f"{method!r} is no method of integration. Give lw.DormandPrince(...), lw.RK4(step), "
                         "lw.Radau(...), lw.SciPy(name) or lw.Sundials(...).")  # fmt: skip
    return method


def chosen_method(stiffness: Stiffness | None) -> Method:
    """The method of a run that none was given for."""
    return FOR_STIFF if stiffness is not None and stiffness.implicit else USUAL


def seconds(what: str, given: Any) -> float:
    """A time, or a length of time, as a number."""
    try:
        return float(given)
    except (TypeError, ValueError):
        raise EvaluationError(
            f"{what} = {given!r} is no time. Give a number of seconds, without a unit: {what}=5.0."
        ) from None


def times_of(given: Any, what: str) -> Array:
    """Times as numbers: one, or several."""
    try:
        return np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise EvaluationError(f"{what} are {given!r:.60}, which are no times. Give numbers of seconds.") from None


def span(start: Any, until: Any) -> tuple[float, float]:
    """Start and end of a run, in order."""
    t0, t_end = seconds("start", start), seconds("until", until)
    if not (math.isfinite(t0) and math.isfinite(t_end) and t_end > t0):
        raise EvaluationError(f"a run goes from start = {start} to until = {until}. Give a finite end after the start.")
    return t0, t_end


@dataclass(frozen=True)
class Given:
    """A state as it was given: the row (t, q, u, r, p), which coordinates and speeds were given by name, and which
    coordinates nobody gave."""

    x: Array
    q_held: list[int]
    u_held: list[int]
    q_unsaid: list[int]
    states: int

    @property
    def parts(self) -> tuple[Array, Array]:
        """(q, u, work), and what is held."""
        return np.append(self.x[1 : 1 + self.states], 0.0), self.x[1 + self.states :]


def start_of(equations: Equations, q: Any, u: Any, held: Mapping[str, float], parameters: Any, t0: float,
             contacts: Iterable[Contact] = ()) -> Given:  # fmt: skip
    """The state at the start of a run. Coordinates and speeds that are not given are 0, or at the stop that is nearest
    to it, quaternions unturned."""
    u, u_held = by_name(u, dict.fromkeys(equations.u_names, 0.0))
    given = q
    q, q_held = by_name(q, rest_coordinates(equations) | nearest_stops(equations, contacts))
    x = argument_vector(equations.system, t0, q, u, held, parameters)
    must_be_unit(equations, x[1:])
    must_have_masses(equations, x)
    free = unsaid(given, q_held, len(equations.q))
    return Given(x, q_held, u_held, free, len(equations.q) + len(equations.u))


def nearest_stops(equations: Equations, contacts: Iterable[Contact]) -> dict[str, float]:
    """Of coordinates that stops keep from zero, the stop that is nearest to it: low > 0, or high < 0."""
    found = {}
    for contact in contacts:
        if contact.bounds is not None and contact.bounds[0] in equations.q:
            q, *bounds = contact.bounds
            low, high = (None if bound is None else numeric(bound) for bound in bounds)
            if low is not None and low > 0.0:
                found[q.name] = low
            elif high is not None and high < 0.0:
                found[q.name] = high
    return found


def must_have_masses(equations: Equations, x: np.ndarray) -> None:
    """Refuse parameters that give a body a negative mass."""
    values = dict(zip(equations.p, x[len(x) - len(equations.p) :].tolist(), strict=True))
    for body in equations.system.bodies:
        if values.get(body.mass, 0.0) < 0.0:
            raise EvaluationError(f"the mass of '{body.name}', {body.mass}, is {values[body.mass]:g} in this run. Give "
                                  "one that is not negative.")  # fmt: skip


def must_be_unit(equations: Equations, x: np.ndarray) -> None:
    """Refuse a state whose quaternions are not of unit length."""
    names = equations.q_names
    for four in equations.system.quaternions:
        values = x[[names.index(e.name) for e in four]]
        if abs(norm(values) - 1.0) > UNIT:
            raise EvaluationError(
                f"the quaternion ({', '.join(e.name for e in four)}) starts as {values.tolist()}, of length "
                f"{norm(values):.6g}. Give it unit length."
            )


def even_times(t0: float, t_end: float, every: float) -> np.ndarray:
    """Times ``t0 + i every``, and the end."""
    every = seconds("every", every)
    if not every > 0:
        raise EvaluationError(f"samples every {every} s cannot be had. Give a positive interval.")
    if (t_end - t0) / every > MOST_SAMPLES:
        raise EvaluationError(
            f"samples every {every} s from {t0} to {t_end} s are more than {MOST_SAMPLES}. Give a longer interval."
        )
    count = math.floor((t_end - t0) / every * (1.0 + ROUNDING))
    even = np.minimum(t0 + every * np.arange(count + 1), t_end)
    return even if t_end - even[-1] < SLIVER * every else np.append(even, t_end)
