"""Linear: δẋ = A δx + B δr and δy = C δx + D δr, by name; eigenvalues, modes, frequency response."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.constraint.terms import Array
from latchwork.errors import EvaluationError, answering, did_you_mean, spelled_methods
from latchwork.kane.table import Table
from latchwork.symbolic.expr import Expr

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NOTHING = 1e-9  # rates and couplings below this, relative to the largest, are rounding
UNSEEN = 1e-13  # entries of a matrix below this part of the largest are printed as zero

Complex = NDArray[np.complex128]


@answering
@dataclass(frozen=True)
class Eigenmode:
    """An eigenvalue λ with Im λ ≥ 0, and its eigenvector by the names of states, the largest component 1."""

    eigenvalue: complex
    shape: dict[str, complex]

    @property
    def frequency(self) -> float:
        """|λ|, in radians per unit of time: the undamped frequency of an oscillation."""
        return abs(self.eigenvalue)

    @property
    def damping(self) -> float:
        """ζ = −Re λ / |λ|: 1 for pure decay, 0 for oscillation without loss, negative where it grows."""
        return (0.0 - self.eigenvalue.real) / self.frequency if self.frequency > 0.0 else 0.0

    @property
    def oscillates(self) -> bool:
        return self.eigenvalue.imag != 0.0

    def __str__(self) -> str:
        s = self.eigenvalue
        real = 0.0 if abs(s.real) <= UNSEEN * abs(s) else s.real
        value = f"{real:.6g} ± {s.imag:.6g}i" if self.oscillates else f"{real:.6g}"
        large = sorted(self.shape.items(), key=lambda item: -abs(item[1]))
        parts = (f"{name} {abs(a):.3g} at {np.degrees(np.angle(a)):.0f}°" if self.oscillates else f"{name} {a.real:.3g}"
                 for name, a in large if abs(a) > 1e-3)  # fmt: skip
        return f"{value:28} damping {self.damping:8.4f}   {', '.join(parts)}"


def finite_numbers(values: ArrayLike, what: str) -> Array:
    """One finite number, or an array of them."""
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        found = np.array(np.nan)
    if values is None or not np.isfinite(found).all():
        raise EvaluationError(f"{what} are {reprlib.repr(values)}. Give finite numbers.")
    return found


@answering
@spelled_methods
@dataclass(frozen=True, eq=False)
class Linear:
    """Linear equations about an operating point ``at``:  ẋ = rates + A x + B r,  y = C x + D r.

    x are deviations of ``states``, the independent coordinates and then the independent speeds, r those of ``inputs``,
    y those of ``outputs``; ``rates`` are the rates of the states at the operating point, zero in an equilibrium.
    """

    name: str
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    A: Array
    B: Array
    C: Array
    D: Array
    rates: Array
    at: Mapping[str, float]

    # --- motions ------------------------------------------------------------------------------------------------

    @cached_property
    def eigenvalues(self) -> Complex:
        """λ of A v = λ v, by real and then imaginary part."""
        values = np.linalg.eigvals(self.A).astype(complex)
        return values[np.lexsort((values.imag, values.real))]

    def modes(self) -> tuple[Eigenmode, ...]:
        """Eigenvalues with their shapes, the least stable first; of a conjugate pair the one with Im λ > 0."""
        values, vectors = np.linalg.eig(self.A)
        found = []
        for value, vector in zip(values, vectors.T, strict=True):
            if value.imag >= 0.0:
                shape = vector / vector[np.argmax(np.abs(vector))]
                shapes = dict(zip(self.states, shape.astype(complex).tolist(), strict=True))
                found.append(Eigenmode(complex(value), shapes))
        return tuple(sorted(found, key=lambda mode: (-mode.eigenvalue.real, mode.eigenvalue.imag)))

    @property
    def stable(self) -> bool:
        """No motion grows: Re λ ≤ 0, rounding allowed for."""
        return bool((self.eigenvalues.real <= NOTHING * max(1.0, float(np.abs(self.A).max(initial=0.0)))).all())

    def frequency_response(self, omega: ArrayLike) -> Complex:
        """C (iω − A)⁻¹ B + D for each ω in radians per unit of time: outputs by inputs, or a stack of them."""
        s = 1j * finite_numbers(omega, f"the frequencies of '{self.name}'")[..., None, None] * np.eye(len(self.states))
        B = np.broadcast_to(self.B, (*s.shape[:-1], len(self.inputs)))
        try:
            return np.asarray(self.C @ np.linalg.solve(s - self.A, B) + self.D)
        except np.linalg.LinAlgError:
            poles = ", ".join(f"{value.imag:.6g}" for value in self.eigenvalues if value.real == 0.0 <= value.imag)
            raise EvaluationError(
                f"'{self.name}' answers without bound at a frequency that was asked for (ω among {poles}): it has no "
                "damping there. Leave that frequency out, or leave out the states that nothing holds (part)."
            ) from None

    def plot(self, omega: ArrayLike, path: str | None = None) -> Figure:
        """|y/r| and phase of the frequency response against ω."""
        from latchwork.view.linear import plot_response

        return plot_response(self, omega, path)

    # --- parts --------------------------------------------------------------------------------------------------

    @cached_property
    def drifting(self) -> tuple[str, ...]:
        """States that do not stay at the operating point, and those that depend on them.

        Where a motion is steady these are coordinates that grow with time and on which no other state depends.
        """
        size = max(1.0, float(np.abs(self.rates).max(initial=0.0)))
        moving = np.abs(self.rates) > NOTHING * size
        coupled = np.abs(self.A) > NOTHING * max(1.0, float(np.abs(self.A).max(initial=0.0)))
        for _ in self.states:
            moving = moving | (coupled @ moving)
        return tuple(name for name, moves in zip(self.states, moving, strict=True) if moves)

    def steady(self) -> Linear:
        """The states that stay where they are, without those that drift: equations with constant coefficients."""
        return self.part(*(name for name in self.states if name not in self.drifting))

    def part(self, *names: Any) -> Linear:
        """Some states by themselves; refused where they depend on others. Outputs that depend on others are dropped."""
        kept = [self._place(name) for name in names]
        others = [i for i in range(len(self.states)) if i not in kept]
        size = NOTHING * max(1.0, float(np.abs(self.A).max(initial=0.0)))
        for i in kept:
            for j in others:
                if abs(self.A[i, j]) > size:
                    raise EvaluationError(
                        f"'{self.states[i]}' of '{self.name}' depends on '{self.states[j]}' (A = {self.A[i, j]:.6g}), "
                        "which was left out. Keep both, or neither."
                    )
        rows = [k for k in range(len(self.outputs)) if (np.abs(self.C[k, others]) <= size).all()]
        if self.outputs == self.states:
            rows = kept
        return replace(self, states=tuple(self.states[i] for i in kept), outputs=tuple(self.outputs[k] for k in rows),
                       A=self.A[np.ix_(kept, kept)], B=self.B[kept], C=self.C[np.ix_(rows, kept)], D=self.D[rows],
                       rates=self.rates[kept])  # fmt: skip

    def _place(self, name: Any) -> int:
        text = name.name if isinstance(name, Expr) and name.is_symbol else str(name)
        if text not in self.states:
            raise EvaluationError(f"'{text}' is no state of '{self.name}'.{did_you_mean(text, self.states)}")
        return self.states.index(text)

    # --- to read ------------------------------------------------------------------------------------------------

    def __repr__(self) -> str:
        return f"<'{self.name}' linearized: {', '.join(self.states)}>"

    def _repr_html_(self) -> str:
        """The matrices and the modes, as a notebook shows them."""
        named = [("A", self.states, self.states, self.A), ("B", self.states, self.inputs, self.B)]
        if self.outputs != self.states:
            named += [("C", self.outputs, self.states, self.C), ("D", self.outputs, self.inputs, self.D)]
        tables = [Table("", (title, *columns), rows, _cells(values)).html()
                  for title, rows, columns, values in named if values.size]  # fmt: skip
        modes = Table("", ("modes",), tuple(map(str, self.modes())), ((),) * len(self.modes())).html()
        return "".join([f"<p><b>{escape(self.name)}</b>, linearized</p>", *tables, modes])

    def __str__(self) -> str:
        lines = [f"'{self.name}' linearized", _table("A", self.states, self.states, self.A)]
        if self.inputs:
            lines.append(_table("B", self.states, self.inputs, self.B))
        if self.outputs != self.states:
            lines.append(_table("C", self.outputs, self.states, self.C))
            if self.inputs:
                lines.append(_table("D", self.outputs, self.inputs, self.D))
        if self.drifting:
            lines.append(f"not at rest at the operating point, or moved by what is not: {', '.join(self.drifting)}")
        return "\n".join([*lines, "modes", *(f"  {mode}" for mode in self.modes())])


def _cells(values: Array) -> tuple[tuple[str, ...], ...]:
    """Numbers as texts; 0 for what is rounding beside the others."""
    shown = np.where(np.abs(values) > UNSEEN * np.abs(values).max(initial=0.0), values, 0.0)
    return tuple(tuple(f"{v:.6g}" for v in row) for row in shown)


def _table(title: str, rows: Sequence[str], columns: Sequence[str], values: Array) -> str:
    cells = [[title, *columns], *([name, *row] for name, row in zip(rows, _cells(values), strict=True))]
    widths = [max(len(row[k]) for row in cells) for k in range(len(cells[0]))]
    return "\n".join("  ".join(text.rjust(w) for text, w in zip(row, widths, strict=True)) for row in cells)
