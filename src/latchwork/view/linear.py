"""Pictures of linear equations: eigenvalues against what changes them, and frequency responses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from latchwork.constraint.linearization.linear import Linear, finite_numbers
from latchwork.errors import EvaluationError, listed, must_be, spelled
from latchwork.view.plots import COLORS, figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REAL = 1e-6  # imaginary parts below this are drawn as none


@spelled
def plot_eigenvalues(along: ArrayLike, linears: Sequence[Linear], label: str = "", path: str | None = None) -> Figure:
    """Re λ of each system against the number that belongs to it, and Im λ of those that oscillate, as dots."""
    x = np.atleast_1d(finite_numbers(along, "what linear systems are plotted against"))
    linears = listed(linears, "what is plotted", "Give linear systems: [equations.linearize(...), ...].")
    for linear in linears:
        must_be(linear, Linear, "one of what is plotted", "Give linear systems: [equations.linearize(...), ...].")
    if len(x) != len(linears) or not len(x):
        raise EvaluationError(f"{len(linears)} linear systems were given with {len(x)} numbers to plot them against. "
                              "Give one number for each system.")  # fmt: skip
    values = np.array([linear.eigenvalues for linear in linears])
    swings = np.abs(values.imag) > REAL
    made = figure(6.4, 4.2)
    panel = made.add_subplot()
    across = np.broadcast_to(x[:, None], values.shape)
    for where, what, color, name in (
        (~swings, values.real, COLORS[0], "real"),
        (swings, values.real, COLORS[1], "real part"),
        (swings & (values.imag > 0.0), values.imag, COLORS[3], "imaginary part"),
    ):
        if where.any():
            panel.plot(across[where], what[where], ".", color=color, markersize=2.5, label=name)
    stable = (values.real < 0.0).all(axis=1)
    panel.fill_between(x, 0.0, 1.0, where=stable, color=COLORS[2], alpha=0.12, linewidth=0.0,
                       transform=panel.get_xaxis_transform(), label="stable")  # fmt: skip
    panel.axhline(0.0, color="black", linewidth=0.6)
    panel.set_xlabel(label)
    panel.set_ylabel("λ")
    panel.set_title(linears[0].name)
    panel.margins(x=0)
    panel.grid(alpha=0.15)
    panel.spines[["top", "right"]].set_visible(False)
    panel.legend(frameon=False, markerscale=3.0)
    return _saved(made, path)


def plot_response(linear: Linear, omega: ArrayLike, path: str | None = None) -> Figure:
    """|y/r| and its phase against ω for every output and input of a system."""
    w = np.atleast_1d(finite_numbers(omega, f"the frequencies of '{linear.name}'"))
    if not len(w) or not (w > 0.0).all():
        raise EvaluationError(f"the frequencies of '{linear.name}' are {w.tolist()!r:.60}. Give positive numbers.")
    response = linear.frequency_response(w).reshape(len(w), -1)
    names = [f"{y} / {r}" for y in linear.outputs for r in linear.inputs]
    made = figure(6.4, 4.8)
    size, phase = made.subplots(2, 1, sharex=True)
    for k, name in enumerate(names):
        size.loglog(w, np.abs(response[:, k]), color=COLORS[k % len(COLORS)], linewidth=1.5, label=name)
        angle = np.degrees(np.unwrap(np.angle(response[:, k])))
        phase.semilogx(w, angle, color=COLORS[k % len(COLORS)], linewidth=1.5)
    size.set_title(linear.name)
    size.set_ylabel("size")
    phase.set_ylabel("phase in degrees")
    phase.set_xlabel("ω")
    size.legend(frameon=False)
    for panel in (size, phase):
        panel.grid(alpha=0.15)
        panel.spines[["top", "right"]].set_visible(False)
    return _saved(made, path)


def _saved(made: Figure, path: str | None) -> Figure:
    save(made, path)
    return made
