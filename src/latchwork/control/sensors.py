"""Sensors: what a sampled law reads, as expressions of the run, with noise and resolution.

    encoder          a coordinate, in steps of its resolution
    gyro             ω of a frame, in its own axes
    accelerometer    a_P − g in the axes of a frame: what a mass on springs shows
    force            the multiplier of a constraint, the normal force of a contact: ``contact.force``

They are expressions in t, q, u, dt(u) and forces. A law that is sampled sees its force as it was with the inputs held
until then: the last sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from latchwork.constraint.forces import forces_in
from latchwork.constraint.terms import Array, Base
from latchwork.control.tracks import name_of
from latchwork.errors import ModelError, must_be, spelled
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.path import ModeDynamics
from latchwork.hybrid.symbol_lookup import look_up
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.model import Model
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.derivative import dt
from latchwork.symbolic.expr import Expr, operand
from latchwork.symbolic.traverse import rebuild

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

AXES = "xyz"


@spelled
def gyro(name: str, frame: Frame | Link) -> dict[str, Expr]:
    """The angular velocity of a frame in N, in its own axes: ``name_x``, ``name_y``, ``name_z``."""
    must_be(frame, (Frame, Link), f"what gyro '{name}' is fixed to", "Give a frame, or a link.")
    frame = frame.frame if isinstance(frame, Link) else frame
    omega = frame.angular_velocity()
    return {f"{name}_{axis}": each for axis, each in zip(AXES, omega.measures(frame), strict=True)}


@spelled
def accelerometer(name: str, model: Model, point: Point, frame: Frame | Link) -> dict[str, Expr]:
    """The acceleration of a point in N without that of gravity, in the axes of a frame."""
    must_be(model, Model, f"the model of accelerometer '{name}'", "Give the model.")
    must_be(point, Point, f"the place of accelerometer '{name}'", "Give a point.")
    must_be(frame, (Frame, Link), f"what accelerometer '{name}' is fixed to", "Give a frame, or a link.")
    frame = frame.frame if isinstance(frame, Link) else frame
    N, g, replaced = model.frame, model.graph, model.equations().derivation.kinematics.replaced
    velocity = rebuild(g, [operand(g, each) for each in point.velocity().measures(N)], replaced)  # in terms of u
    acceleration = [dt(Expr(g, node)) for node in velocity]
    felt: Vector = N.x * acceleration[0] + N.y * acceleration[1] + N.z * acceleration[2]
    if model.uniform_gravity is not None:
        felt = felt - model.uniform_gravity
    return {f"{name}_{axis}": each for axis, each in zip(AXES, felt.measures(frame), strict=True)}


class Readings(NamedTuple):
    """What a law reads: programs of sensors in (t, q, u, rest, u̇, forces), and what spoils each number."""

    base: Base
    names: tuple[str, ...]
    function: Function | None
    forces: tuple[str, ...]
    noise: Array  # of q, u and sensors
    resolution: Array

    @staticmethod
    def of(base: Base, whose: str, sensors: Mapping[str, Any], noise: Any, resolution: Any) -> Readings:
        """Sensors of a law for the equations of a run."""
        equations, g = base.equations, base.equations.system.graph
        known = [*equations.q_names, *equations.u_names, *sensors]
        spoils = [_each(whose, what, given, known) for what, given in (("noise", noise), ("resolution", resolution))]
        if not sensors:
            return Readings(base, (), None, (), *spoils)
        given = [look_up(equations, each) if isinstance(each, str) else each for each in sensors.values()]
        for name, each in zip(sensors, given, strict=True):
            if not isinstance(each, Expr):
                raise ModelError(f"sensor '{name}' of '{whose}' is {each!r}. Give an expression, its text, or what "
                                 "lw.control.gyro and lw.control.accelerometer give.")  # fmt: skip
        nodes = rebuild(g, [operand(g, each) for each in given], equations.derivation.kinematics.replaced)
        nodes = rebuild(g, nodes, base.laws)
        forces = forces_in(g, nodes)
        arguments = (*base.arguments, *equations.system.u_rates, *(Expr(g, node) for node in forces))
        return Readings(base, tuple(sensors), Function(lower(g, nodes, arguments)), tuple(forces.values()), *spoils)

    def read(self, sim: Simulation, dynamics: ModeDynamics, row: Array,
             random: np.random.Generator) -> tuple[Array, Any]:  # fmt: skip
        """The row (t, q, u, rest) as the law sees it, and the readings of its sensors by name."""
        n = len(self.base.equations.q) + len(self.base.equations.u)
        seen, sensed = row.copy(), np.zeros(0)
        if self.function is not None:
            sensed = self.function(np.concatenate([row, *_accelerations_and_forces(sim, dynamics, row, self.forces)]))
        spoiled = np.append(seen[1 : 1 + n], sensed)
        if self.noise.any():
            spoiled = spoiled + self.noise * random.standard_normal(len(spoiled))
        steps = np.where(self.resolution > 0.0, self.resolution, 1.0)
        spoiled = np.where(self.resolution > 0.0, steps * np.floor(spoiled / steps + 0.5), spoiled)
        seen[1 : 1 + n] = spoiled[:n]
        return seen, dict(zip(self.names, spoiled[n:].tolist(), strict=True))


def _accelerations_and_forces(sim: Simulation, dynamics: ModeDynamics, row: Array,
                              forces: tuple[str, ...]) -> tuple[Array, Array]:  # fmt: skip
    """u̇ and the forces of rows at a state, with the inputs that are held."""
    state = sim.state
    x, rest = dynamics.reduced(state.x)[None], state.rest_now[None]
    udot = dynamics.accelerations(np.array([state.t]), x, rest)[0]
    lam = np.zeros(len(forces))
    if isinstance(dynamics, Recombined) and forces:
        found, rows = dynamics.forces(state.t, state.x, state.rest_now), dynamics.mode.terms.rows
        for i, name in enumerate(forces):
            for whose, part in rows.slices.items():
                if whose == name or whose.partition(":")[0] == name:
                    lam[i] += found[part.start]
            if name in rows.names and name not in rows.slices:
                lam[i] = found[rows.names.index(name)]
    return udot, lam


def _each(whose: str, what: str, given: Any, known: list[str]) -> Array:
    """A number for each of q, u and sensors: one for all, or by name."""
    if isinstance(given, Mapping):
        values = {name_of(key): float(value) for key, value in given.items()}
        if unknown := [name for name in values if name not in known]:
            raise ModelError(f"the {what} of '{whose}' is given for {', '.join(unknown)}, which it does not read. It "
                             f"reads {', '.join(known)}.")  # fmt: skip
        found = np.array([values.get(name, 0.0) for name in known])
    else:
        found = np.full(len(known), float(given))
    if not (np.isfinite(found).all() and (found >= 0.0).all()):
        raise ModelError(f"the {what} of '{whose}' is {given!r}. Give numbers that are not negative.")
    return found
