"""Constraints imposed and released while a run goes on, with the plastic impact that makes speeds consistent."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from latchwork.algebra.products import dot
from latchwork.constraint.branch_limit import impact_on_branch
from latchwork.constraint.consistency import EXACT, assemble_q, assemble_u, residual_of
from latchwork.constraint.constraint import Constraint
from latchwork.constraint.joints.closure import latch
from latchwork.constraint.joints.methods import Part, Parts, Place
from latchwork.constraint.plastic_impact import struck
from latchwork.errors import ConstraintError, LatchworkError, did_you_mean
from latchwork.hybrid.constraint_impulses import felt
from latchwork.hybrid.event import RunEvent
from latchwork.hybrid.mode_table import Hold
from latchwork.hybrid.row_inputs import inputs_in_rows, names_at, next_jump
from latchwork.hybrid.running import Running, Switch
from latchwork.hybrid.table import Array

AS_BEFORE = 1e-9  # of the state: what an input changes by less is rounding
APART = 1e-6  # how far from zero Φ may be where a constraint is imposed in the run


class Holding(Running):
    """The part of a simulation that imposes and releases constraints."""

    _rows_with: tuple[Any, tuple[int, ...]] = (None, ())  # what holds and touches, and the inputs in its rows
    _inputs_seen: Mapping[int, float] = MappingProxyType({})  # and their values, which rows follow

    def constrain(self, name: str | Constraint, zero: Any = None, *, limit: float | None = None) -> RunEvent:
        """Impose a constraint now. Speeds become consistent by a plastic impact, whose impulses the event gives.

        A constraint on coordinates must be met already. With ``limit``, it lets go where the size of its multipliers
        passes that.
        """
        began = time.perf_counter()
        constraint = name if isinstance(name, Constraint) else Constraint(name, zero)
        if constraint.name in self._holds:
            raise ConstraintError(f"'{constraint.name}' holds already. Release it, or name the new one otherwise.")
        if constraint.name in self._contact_states.contacts:
            raise ConstraintError(f"'{constraint.name}' is a contact of '{self.equations.name}'. Name the constraint "
                                  "otherwise.")  # fmt: skip
        before, names = (dict(self._holds), self._x), self.active
        try:
            self._holds[constraint.name] = Hold(constraint, False, _limit(constraint.name, limit))
            impulses = self._impact(constraint.name)
            broken = self._limited - {constraint.name}
            if broken:
                terms, x = self._mode_table.held(self._holds), self._state()
                B = terms.place(x).B
                broken &= felt(terms, B, impulses, dot(B.T, np.concatenate([*impulses.values()]))).keys()
            if broken:
                self._x = before[1]
                self._let_go(broken)
                impulses = self._impact(constraint.name)
            if not self._contact_states.members:
                self._mode_table.mode(self._mode_table.held(self._holds), self._state())
        except LatchworkError:
            self._holds, self._x = before
            raise
        self._settled = not self._contact_states.members
        if self.equations.r and self._may_jump:
            self._follow_inputs()
        return self._switched(constraint.name, names, began, impulses, before[1][-1] - self._x[-1])

    def _impact(self, name: str) -> dict[str, Array]:
        """Speeds made consistent with all that holds; the energy it costs is booked as work. The impulses by name."""
        terms, x = self._mode_table.held(self._holds), self._state()
        quick = struck(terms, x)
        if quick is not None and quick.off <= EXACT:
            n_q = terms.sizes[0]
            self._x = np.concatenate([self._x[:n_q], quick.u, self._x[-1:] + quick.gained])
            return {key: quick.impulses[part] for key, part in terms.rows.slices.items()}
        off = residual_of(terms, x)
        if off > APART:
            raise ConstraintError(
                f"'{name}' cannot be imposed at t = {self.t:.6g}: it is off by {off:.3g}. Wait until it is met "
                "(stop_when), or latch what is now (subtract its present value)."
            )
        placed = assemble_q(terms, x) if off > EXACT else x
        others = {key: hold for key, hold in self._holds.items() if key != name}
        held = self._mode_table.held(others) if others else None
        after, impulses = (held and impact_on_branch(held, terms, placed, name)) or assemble_u(terms, placed)
        n_q, n, _ = terms.sizes
        old, new, M = x[1 + n_q : 1 + n_q + n], after[1 + n_q : 1 + n_q + n], terms.motion(after).M
        lost = 0.5 * float(dot(new, M, new) - dot(old, M, old))
        self._x = np.append(after[1 : len(self._x)], self._x[-1] + lost)
        return {key: impulses[part] for key, part in terms.rows.slices.items()}

    def close(self, kind: str, name: str, a: Part, b: Part, at: Place | None = None, to: Place | None = None,
              axis: Any = None, *, limit: float | None = None) -> RunEvent:  # fmt: skip
        """A loop closed now by a joint between a and b, whose points meet there, as ``model.close``."""
        return self.constrain(Parts(self.equations.system).close(kind, name, a, b, at, to, axis), limit=limit)

    def weld(self, name: str, a: Part, b: Part, *, limit: float | None = None) -> RunEvent:
        """b fixed to a in the pose that they have now; what was moving is taken up by an impact."""
        parts = Parts(self.equations.system)
        one, other = parts.side(name, a, None), parts.side(name, b, None)
        cosines = [e for row in one.frame.direction_cosines(other.frame) for e in row]
        way = other.point.position(one.point).measures(one.frame)
        n_q = len(self.equations.q)
        numbers = self.equations.evaluate([*cosines, *way], self._x[:n_q], self._x[n_q:-1], self._inputs(), t=self.t,
                                          p=self._parameters())  # fmt: skip
        return self.constrain(latch(name, one, other, numbers[:9].reshape(3, 3), numbers[9:]), limit=limit)

    def release(self, name: str | Constraint) -> RunEvent:
        """Let a constraint go. Nothing jumps."""
        began = time.perf_counter()
        if isinstance(name, Constraint):
            name = name.name
        if not isinstance(name, str) or name not in self._holds:
            if isinstance(name, str) and name in self._contact_states.contacts:
                raise ConstraintError(f"'{name}' is a contact of '{self.equations.name}', which opens by itself where "
                                      "its force comes to zero. Only constraints are released.")  # fmt: skip
            hint = did_you_mean(str(name), self._holds) or " No constraint does."
            raise ConstraintError(f"'{name}' does not hold now.{hint}")
        if self._holds[name].permanent:
            raise ConstraintError(
                f"'{name}' is a constraint of the model '{self.equations.name}' and holds in every run. Leave it out "
                "of the model and impose it with sim.constrain to be able to release it."
            )
        before = self.active
        del self._holds[name]
        self._settled = not self._contact_states.members
        if self._holds and self._settled:
            self._mode_table.mode(self._mode_table.held(self._holds), self._state())
        return self._switched(name, before, began, {})

    def _let_go(self, names: Iterable[str]) -> None:
        """Release constraints whose force limits an impact would pass, before it acts."""
        for name in [name for name in self._holds if name in names]:
            self.release(name)

    # --- inputs in rows -----------------------------------------------------------------------------------------

    @property
    def _may_jump(self) -> bool:
        """Whether an input stands in a row of what holds or touches."""
        key = self.driven, tuple(self._holds), self._contact_states.members
        if self._rows_with[0] != key:
            self._rows_with = key, inputs_in_rows(self.driven, self._mode_table.held(self._holds).rows, key[2])
        return bool(self._rows_with[1])

    def _follow_inputs(self) -> float:
        """Speeds follow an input of a row that has jumped, by an impact; the time of the next jump that is known."""
        places, rest = self._rows_with[1], self.driven.rest_at(self._rest, self.t)
        now = {i: float(rest[i]) for i in places}
        jumped = [i for i in places if i in self._inputs_seen and self._inputs_seen[i] != now[i]]
        self._inputs_seen = now
        if jumped:
            self._inputs_jumped(names_at(self.driven, jumped), any(i < len(self.equations.r) for i in jumped))
        return next_jump(self.driven, places, self.t)

    def _inputs_jumped(self, names: str, by_itself: bool) -> None:
        """Follow a jump of inputs; of a linear table only the slope jumps, which may change nothing."""
        began, before, was = time.perf_counter(), self.active, self._x
        terms = self._mode_table.held(self._holds)
        off = residual_of(terms, self._state()) if self._holds else 0.0
        if off > APART:
            raise ConstraintError(
                f"{names} of '{self.equations.name}' jumps at t = {self.t:.6g}, and what holds is off by {off:.3g} "
                "then: coordinates cannot jump with it. Let it move steadily: by a law in t, or by a linear lw.Table."
            )
        impulses = self._impact(names) if self._holds else {}
        self._settled = not self._contact_states.members
        moved = float(np.abs(self._x[:-1] - was[:-1]).max(initial=0.0))
        if by_itself or moved > AS_BEFORE * (1.0 + float(np.abs(was[:-1]).max(initial=0.0))):
            self._worked("embed", self.active, self.t, began)
            lost = float(was[-1] - self._x[-1])
            self._events.append(RunEvent(self.t, names, before, before, impulses, "input", lost))

    # --- what is told ---------------------------------------------------------------------------------------------

    def _switched(self, name: str, before: tuple[str, ...], began: float, impulses: dict[str, Array],
                  energy: float = 0.0) -> RunEvent:  # fmt: skip
        took = 1e6 * (time.perf_counter() - began)
        self._worked("embed", self.active, self.t, began)
        self.switches.append(Switch(self.t, before, self.active, took))
        kind = "constrain" if name in self._holds else "release"
        self._events.append(RunEvent(self.t, name, before, self.active, impulses, kind, float(energy)))
        return self._events[-1]


def _limit(name: str, limit: Any) -> float | None:
    """A force limit: none, or a positive number."""
    if limit is None:
        return None
    try:
        value = float(limit)
    except (TypeError, ValueError):
        value = -1.0
    if not 0.0 < value < np.inf or isinstance(limit, str):
        raise ConstraintError(f"the force limit of '{name}' is {limit!r}. Give a positive number, or leave it out.")
    return value
