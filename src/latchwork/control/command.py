"""Command: what a law asks for at one state, and what gives way there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.algebra.linear import svd
from latchwork.algebra.products import dot, norm
from latchwork.constraint.embedded.mode import Mode
from latchwork.constraint.terms import Array
from latchwork.control.controllability import CUT, judged
from latchwork.control.law_program import LawProgram
from latchwork.errors import ControlError
from latchwork.hybrid.closed_loop import ControlledDynamics
from latchwork.hybrid.controllers import plan_of
from latchwork.hybrid.mode_dynamics import Recombined
from latchwork.hybrid.modes import find_or_lay_out
from latchwork.hybrid.reset import reset
from latchwork.hybrid.simulation import Simulation
from latchwork.integrate.workspace import Memory

GIVES_WAY = 1e-7  # of what cancels in a motion: less is not lost

if TYPE_CHECKING:
    from latchwork.control.projected import _Law


@dataclass(frozen=True, eq=False)
class Command:
    """Inputs by name, and what comes of them: u̇ by speed, and λ by row of what holds.

    ``gives_way`` says in words what cannot be had; nothing where all can. ``coupling`` is ‖(I − P) M P‖ as a part of
    ‖M‖: 0 where forces that move do not reach the constraints, and motion and force are decoupled (Proposition 3).
    """

    inputs: dict[str, float]
    udot: dict[str, float]
    forces: dict[str, float]
    gives_way: tuple[str, ...]
    freedoms: int
    coupling: float
    at_singular: bool

    def __getitem__(self, name: str) -> float:
        return self.inputs[name]


def command_at(law: _Law, model: Any, q: Any, u: Any, t: float, parameters: Mapping[str, float] | None,
               inputs: Mapping[str, Any] | None) -> Command:  # fmt: skip
    """What a law commands at a state of a model, with what holds and is closed there."""
    sim = model if isinstance(model, Simulation) else Simulation(
        model, q, u, controllers=[law], start=t, parameters=parameters, inputs=inputs)  # fmt: skip
    program, mode = bound_to(law, sim), mode_of(sim)
    state, x = sim.state, sim.state.x[mode.kept_states]
    must_be_controllable(program, mode, state.row)
    found, record = program.at(mode, state.t, x, state.rest_now)
    if not np.isfinite(found).all():
        raise ControlError(f"'{sim.equations.name}' at t = {state.t:.6g}: {program.explained(record)}")
    closed = ControlledDynamics(sim.driven, program.controlled(mode), None, memory=Memory())
    held = closed.commanded(state.t, state.x, state.rest_now)
    n = len(sim.equations.u)
    udot = closed.accelerations(np.array([state.t]), x[None], held[None])[0]
    lam = closed.forces(state.t, state.x, held)
    P, M = _projection(mode, state.row)
    return Command(
        dict(zip(program.inputs, found.tolist(), strict=False)),
        dict(zip(sim.equations.u_names, udot.tolist(), strict=True)),
        dict(zip(mode.terms.rows.names, lam.tolist(), strict=True)), _gave_way(program, record, mode, lam),
        round(float(np.trace(P))), float(norm(dot(np.eye(n) - P, M, P)) / norm(M)),
        bool(record.singular),
    )  # fmt: skip


def bound_to(law: _Law, sim: Simulation) -> LawProgram:
    """A law for the equations of a simulation, where it may act already."""
    program: Any = sim.world.shared.plan.law
    if isinstance(program, LawProgram) and program.law is law:
        return program
    contacts = [contact.name for contact in sim.state.contacts.members]
    constraints = [name for name, hold in sim.state.holds.items() if hold.permanent]
    program = law.bound(plan_of((), sim.equations, constraints, contacts))[1]
    program.start(sim.mode_table.base, sim.state.row)
    return program


def mode_of(sim: Simulation) -> Mode:
    """The mode in which a simulation stands, contacts settled."""
    if not sim.state.settled:
        sim.state = reset(sim.world, sim.state, (), {}, False)[0]
    dynamics = find_or_lay_out(sim, {}, sim.state.row)[0]
    return dynamics.mode if isinstance(dynamics, Recombined) else sim.mode_table.free_mode


def _gave_way(program: LawProgram, record: Any, mode: Any, lam: Array) -> tuple[str, ...]:
    """What cannot be had, in words."""
    name, said = program.law.name, []
    if record.at_bound or record.at_edge:
        said.append(_at_limits(program, record, mode, lam))
    if record.lost_force:
        pressed = ", ".join(press.name for press in program.law.forces)
        said.append(f"the inputs of law '{name}' cannot give the force in {pressed} besides its motion")
    targets = np.asarray(record.out)[record.at_targets :]
    for press, wanted, holds in zip(program.law.forces, targets, record.present, strict=False):
        if holds and wanted < 0.0 and press.speed is None and not set(press.factors) & program.bilateral:
            said.append(f"a force of {wanted:.6g} in '{press.name}' would pull on it: it can only be pressed")
    if record.lost_motion:
        said.append(program.explained(record))
    return tuple(said)


def _at_limits(program: LawProgram, record: Any, mode: Any, lam: Array) -> str:
    """Inputs that are at their bounds, cones at whose edge forces are, and the outputs that give way to them."""
    name, reached = program.law.name, []
    if record.at_bound:
        tight = [each for each, side in zip(program.inputs, record.side, strict=False) if side]
        reached.append(f"{', '.join(tight)} of law '{name}' are at their bounds")
    if record.at_edge:
        cones = [each.on for each in program.law.cones if _is_at_edge(program, record, each, mode, lam)]
        reached.append(f"forces in {', '.join(cones)} are at the edge of their cones")
    off = np.asarray(record.b) - np.asarray(record.A).reshape(record.k, record.p) @ np.asarray(record.rho)[: record.p]
    most = float(np.abs(off).max(initial=0.0))
    late = [row.name for row, part in zip(program.rows, off, strict=True) if abs(part) > 1e-9 * most]
    gives_way = most > GIVES_WAY * float(np.max(record.cost, initial=0.0))
    return " and ".join(reached) + (f", and {', '.join(late)} give way" if gives_way else "")


def _is_at_edge(program: LawProgram, record: Any, cone: Any, mode: Any, lam: Array) -> bool:
    """Whether a force comes to the edge of a cone, or leaves it."""
    given = list(program.law.cones).index(cone)
    friction, least = np.asarray(record.out)[record.at_cones + 2 * given :][:2]
    for normal, *across in cone.places(mode.terms.rows, program.bilateral):
        room = lam[normal] - least, friction * lam[normal] - norm(np.array([lam[i] for i in across if i >= 0]))
        scale = 1e-6 * max(abs(lam[normal]), abs(least))
        if min(room if across[0] >= 0 else room[:1]) <= scale:
            return True
    return False


def _projection(mode: Any, row: Array) -> tuple[Array, Array]:
    """P = I − B⁺B of rows that do not vanish, and M."""
    terms = mode.terms
    M, B = terms.motion(row).M, terms.place(row).B
    if not len(B):
        return np.eye(len(M)), M
    usual = np.maximum(terms.typical(row), 1e-300)[:, None]
    _, s, Vt = svd(B / usual)
    Z = Vt[int((s > CUT).sum()) :]
    return np.asarray(dot(Z.T, Z)), M


def must_be_controllable(program: LawProgram, mode: Any, row: Array) -> None:
    """Refuse a state in which motors do no work on some motion that is tracked.  [Aghili Eq. 62]"""
    P, _ = _projection(mode, row)
    n, freedoms = len(program.equations.u), round(float(np.trace(P)))
    if freedoms == n - mode.selection.rank:
        return
    found = judged(program.equations, program.inputs, P, program.actuation(mode.terms.base, row), freedoms)
    if not found:
        raise ControlError(f"{found}, at t = {row[0]:.6g}: this is a singular position. Make more joints active, or "
                           "keep away from it.")  # fmt: skip
