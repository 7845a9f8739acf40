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

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from latchwork.constraint.designs.table import DESIGNS, Design
from latchwork.constraint.embedded.all_speeds import all_speeds_mode
from latchwork.constraint.embedded.layout import Watch
from latchwork.constraint.embedded.mode import Mode
from latchwork.errors import ConstraintError, did_you_mean
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
    """Design IV: constraints embedded on line; a minimal ODE in independent speeds in every mode."""

    def dynamics(self, driven: Driven, mode: Mode, watch: Watch | None, known: bool, label: tuple[str, ...],
                 memory: Memory) -> ModeDynamics:  # fmt: skip
        if known:
            return embedded(driven, mode, watch, label, memory)
        return Recombined(driven, mode, watch, label=label, memory=memory)


@dataclass(frozen=True)
class Automaton:
    """Design III: constraints embedded in symbols and compiled to machine code before the run goes on.

    Where there are contacts, every way in which they can stand is prepared and compiled before the first step, up to
    ``most``; the same numbers as on line come out.
    """

    most: int = 200

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
    """Design II: u̇ = N (Nᵀ M N)⁻¹ Nᵀ (f − M γ) + γ with a basis N of the null space of B."""

    basis: str = "SVD"  # or QR, Gauss, zero eigenvalues

    @property
    def row(self) -> Design:
        return _row("null space by ", self.basis)


@dataclass(frozen=True)
class Operator(_ByAcceleration):
    """Design II by Aghili's operator: M_c u̇ = P f − C_c u, with M_c, M_c' or M_c'' and Ṗ by SVD or pseudoinverse."""

    inertia: str = "Mc"
    rate: str = "SVD"

    @property
    def row(self) -> Design:
        return _row("operator ", f"{self.inertia} by {self.rate}")


@dataclass(frozen=True)
class Multipliers(_ByAcceleration):
    """Design I: M u̇ = f + Bᵀ λ and B u̇ + c = −2α ψ − β² Φ, solved together."""

    @property
    def row(self) -> Design:
        return DESIGNS["multipliers"]


@dataclass(frozen=True)
class AugmentedLagrangian(_ByAcceleration):
    """Design I with penalties that are iterated until they are multipliers (Bayo)."""

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
    """Constraints as stiff springs and dampers: what other engines do. Nothing holds exactly."""

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
    """A design of kind I or II, with coordinates and speeds brought back onto the constraints after each step."""

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
    if prefix + name not in DESIGNS:
        known = [row.removeprefix(prefix) for row in DESIGNS if row.startswith(prefix)]
        raise ConstraintError(f"there is no design '{prefix}{name}'.{did_you_mean(name, known)}")
    return DESIGNS[prefix + name]
