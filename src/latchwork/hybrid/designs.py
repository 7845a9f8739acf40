"""The four designs of a simulator, as objects passed to `simulate`.  [Patoglu §3]

    IV   Embedded          constraints embedded on line, n − m speeds integrated; the default
    III  Automaton         constraints embedded and compiled before the run, in every mode that contacts may lead to
    II   NullSpace         u̇ projected onto a basis of the null space of B; all n speeds integrated
         Operator          Aghili's projection operator with one of his constraint inertia matrices
    I    Multipliers       u̇ and λ together, at index 1, with Baumgarte's α and β
         AugmentedLagrangian, Penalty
         with method=lw.BackwardDifferences(step, form): the differential-algebraic equations themselves

`Projected` wraps a design of kind I or II: coordinates and speeds return to the constraints after each step.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from latchwork.constraint.designs.table import DESIGNS, Design
from latchwork.constraint.embedded.all_speeds import all_speeds_mode
from latchwork.constraint.embedded.mode import Mode
from latchwork.constraint.embedded.mode_block import Watch
from latchwork.errors import ConstraintError, did_you_mean, listed, must_be, must_measure
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.mode_dynamics import ByAcceleration, Recombined, Written, embedded
from latchwork.hybrid.path import ModeDynamics
from latchwork.integrate.workspace import Memory


@runtime_checkable
class Simulating(Protocol):
    """A design: the dynamics of a mode, by what it is called and on which memory. ``known``: it was, before the run."""

    def dynamics(self, driven: Driven, mode: Mode, watch: Watch | None, known: bool, label: tuple[str, ...],
                 memory: Memory) -> ModeDynamics:  # fmt: skip
        """How to step a mode."""
        ...


@dataclass(frozen=True)
class Embedded:
    """Coordinate partitioning, the default: constraints are embedded while the run goes on, and an ordinary
    differential equation in as many independent speeds as there are degrees of freedom is integrated in every mode.
    [Patoglu and Gillespie, §3, design IV]
    """

    def dynamics(self, driven: Driven, mode: Mode, watch: Watch | None, known: bool, label: tuple[str, ...],
                 memory: Memory) -> ModeDynamics:  # fmt: skip
        if known:
            return embedded(driven, mode, watch, label, memory)
        return Recombined(driven, mode, watch, label=label, memory=memory)


@dataclass(frozen=True)
class Automaton:
    """A hybrid automaton that is compiled beforehand: the same equations as `Embedded`, with constraints embedded in
    symbols and compiled to machine code before the run goes on. [Patoglu and Gillespie, §3, design III]

    Of contacts, all combinations of open, sliding and sticking are laid out and compiled before the first step, at most
    ``most`` of them.
    """

    most: int = 200

    def __post_init__(self) -> None:
        must_measure(self.most, "most of lw.Automaton", "Give a whole number, 1 or more.", 1, whole=True)

    def dynamics(self, driven: Driven, mode: Mode, watch: Watch | None, known: bool, label: tuple[str, ...],
                 memory: Memory) -> ModeDynamics:  # fmt: skip
        dynamics = Embedded().dynamics(driven, mode, watch, known, label, memory)
        for function in (dynamics.program,) if isinstance(dynamics, Written) else mode.programs:
            function.compiled(wait=True)
        return dynamics


@dataclass(frozen=True)
class _ByAcceleration(ABC):
    """What designs I and II have in common: a row of DESIGNS, its settings, and Baumgarte's α and β."""

    alpha: float = 0.0
    beta: float = 0.0
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        least = {"alpha": 0.0, "beta": 0.0, "iterations": 1.0, "zeta": 0.0}
        for name, value in self.changes.items():
            must_measure(value, f"{name} of lw.{type(self).__name__}", "Give a number, none below zero.",
                         least.get(name, -math.inf), -math.inf if name in least else 0.0,
                         kind=ConstraintError)  # fmt: skip
        if self.weights is not None:
            what = f"weights of lw.{type(self).__name__}"
            for weight in listed(self.weights, what, "Give a positive number for each speed."):
                must_measure(weight, f"one of the {what}", "Give positive numbers.", above=0.0, kind=ConstraintError)
        self.row.settings(1, None, **self.changes)  # refuses a row that there is not

    @property
    @abstractmethod
    def row(self) -> Design:
        """The row of DESIGNS."""

    @property
    def changes(self) -> dict[str, float]:
        return {"alpha": self.alpha, "beta": self.beta}

    def dynamics(self, driven: Driven, mode: Mode, watch: Watch | None, known: bool, label: tuple[str, ...],
                 memory: Memory) -> ModeDynamics:  # fmt: skip
        if watch is not None:
            raise ConstraintError(
                f"{self} watches no guards. Leave out stop_when, rules and force limits, or use lw.Embedded() or "
                "lw.Projected."
            )
        return ByAcceleration(driven, self.mode(mode), None, label=label, memory=memory)

    def mode(self, mode: Mode) -> Mode:
        settings = self.row.settings(mode.terms.sizes[1], self.weights, **self.changes)
        return all_speeds_mode(mode, self.row, settings)


@dataclass(frozen=True)
class NullSpace(_ByAcceleration):
    """Projection onto the null space of the constraints: u̇ = N (Nᵀ M N)⁻¹ Nᵀ (f − M γ) + γ with a basis N of the null
    space of B, for all speeds, to compare with. [Patoglu and Gillespie, §3, design II]
    """

    basis: str = "SVD"  # or QR, Gauss, zero eigenvalues

    @property
    def row(self) -> Design:
        return _row("null space by ", self.basis)


@dataclass(frozen=True)
class Operator(_ByAcceleration):
    """Projection by Aghili's operator P = I − B⁺B: M_c u̇ = P f − C_c u, with his constraint inertia matrix M_c, M_c' or
    M_c'' and Ṗ by SVD or pseudoinverse; for all speeds, to compare with. [Aghili, §IV; Patoglu's design II]
    """

    inertia: str = "Mc"
    rate: str = "SVD"

    @property
    def row(self) -> Design:
        return _row("operator ", f"{self.inertia} by {self.rate}")


@dataclass(frozen=True)
class Multipliers(_ByAcceleration):
    """Lagrange multipliers, solved together with the accelerations, and Baumgarte's stabilization by α and β:
    M u̇ = f + Bᵀ λ,  B u̇ + c = −2α ψ − β² Φ; for all speeds, to compare with. [Patoglu and Gillespie, §3, design I]
    """

    @property
    def row(self) -> Design:
        return DESIGNS["multipliers"]


@dataclass(frozen=True)
class AugmentedLagrangian(_ByAcceleration):
    """Multipliers found by iterating penalty forces (Bayo's augmented Lagrangian); for all speeds, to compare with."""

    penalty: float = 1e7
    iterations: float = 30.0

    @property
    def row(self) -> Design:
        return DESIGNS["augmented Lagrangian"]

    @property
    def changes(self) -> dict[str, float]:
        return super().changes | {"penalty": self.penalty, "iterations": self.iterations}


@dataclass(frozen=True)
class Penalty(_ByAcceleration):
    """Constraints replaced by springs and dampers of frequency ω and damping ratio ζ, to compare with: their error is
    proportional to 1/ω², and no constraint holds exactly.
    """

    omega: float = 1e3
    zeta: float = 1.0

    @property
    def row(self) -> Design:
        return DESIGNS["penalty forces"]

    @property
    def changes(self) -> dict[str, float]:
        return super().changes | {"omega": self.omega, "zeta": self.zeta}


@dataclass(frozen=True)
class Projected:
    """Multipliers or a null space with a projection after each step: coordinates go onto Φ = 0 and speeds onto
    B u + C = 0, by the least change in the kinetic metric. ``lw.Projected(lw.Multipliers())``.
    """

    design: _ByAcceleration

    def __post_init__(self) -> None:
        if not isinstance(self.design, _ByAcceleration):
            raise ConstraintError(
                f"{self.design!r} cannot be projected: lw.Projected wraps a design that integrates all speeds. Give "
                "lw.Multipliers(), lw.NullSpace() or another one of kind I or II; lw.Embedded() needs no projection."
            )

    def dynamics(self, driven: Driven, mode: Mode, watch: Watch | None, known: bool, label: tuple[str, ...],
                 memory: Memory) -> ModeDynamics:  # fmt: skip
        return ByAcceleration(driven, self.design.mode(mode), watch, label=label, memory=memory, onto=mode)


def design_of(design: Any) -> Simulating:
    """The design asked for, or the usual one."""
    if design is None:
        return Embedded()
    if isinstance(design, type) or not isinstance(design, Simulating):
        raise ConstraintError(
            f"{design!r} is no design of a simulator. Give an object such as lw.Embedded(), lw.NullSpace(basis=\"QR\") "
            "or lw.Multipliers(alpha=..., beta=...), or leave it out."
        )
    return design


def must_watch(design: Simulating, contact: str) -> None:
    """Refuse contacts under a design that watches no guards."""
    if isinstance(design, _ByAcceleration):
        raise ConstraintError(f"{design} watches no guards, and contact '{contact}' needs some: gaps that close, "
                              "forces that turn. Use lw.Embedded(), or leave design out.")  # fmt: skip


def _row(prefix: str, name: str) -> Design:
    must_be(name, str, "the kind of design", "Give its name as text.")
    if prefix + name not in DESIGNS:
        known = [row.removeprefix(prefix) for row in DESIGNS if row.startswith(prefix)]
        raise ConstraintError(f"there is no design '{prefix}{name}'.{did_you_mean(name, known)}")
    return DESIGNS[prefix + name]
