"""Pictures of beams: modes of vibration, deflected shapes along a run, Campbell diagrams."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from latchwork.constraint.linearization.linear import Linear, finite_numbers
from latchwork.errors import EvaluationError, listed, must_be, spelled
from latchwork.flexible.beam import Beam
from latchwork.view.plots import COLORS, figure, save

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from latchwork.hybrid.trajectory import Trajectory

FLAT = 1e-9  # of the largest frequency: an eigenvalue that does not swing
PLACES = 61


@spelled
def plot_beam_modes(beam: Beam, path: str | None = None, count: int = 4) -> Figure:
    """The slowest modes of a beam by itself, with their frequencies."""
    must_be(beam, Beam, "what modes are plotted of", "Give a beam.")
    made, x = figure(6.4, 3.6), np.linspace(0.0, 1.0, 201)
    panel = made.add_subplot()
    for k, mode in enumerate(beam.modes()[:count]):
        panel.plot(x, mode(x), color=COLORS[k % len(COLORS)], label=f"{mode.direction}, {mode.frequency:.4g} rad/s")
    return _finished(made, panel, "s / L", "shape", beam.name, path)


@spelled
def plot_deflection(run: Trajectory, beam: Beam, times: Sequence[float], path: str | None = None, factor: float = 1.0,
                    direction: str = "y") -> Figure:  # fmt: skip
    """Deflection of a beam in its frame at some instants of a run, ``factor`` times as large."""
    must_be(beam, Beam, "what deflection is plotted of", "Give a beam.")
    field = beam.deflection.field(direction)
    if not field.q:
        raise EvaluationError(f"beam '{beam.name}' has no modes along '{direction}'. It has "
                              f"{', '.join(beam.deflection.fields)}.")  # fmt: skip
    x = np.linspace(0.0, 1.0, PLACES)
    shapes = np.array([shape(x) for shape in field.shapes])
    amplitudes = np.array([np.interp(times, run.t, run[q]) for q in field.q])
    made = figure(6.4, 3.6)
    panel = made.add_subplot()
    for k, t in enumerate(times):
        panel.plot(x, factor * (amplitudes[:, k] @ shapes), color=COLORS[k % len(COLORS)], label=f"t = {t:.4g}")
    more = "" if factor == 1.0 else f", {factor:g} times"
    return _finished(made, panel, "s / L", f"deflection along {direction}{more}", beam.name, path)


@spelled
def plot_campbell(spins: ArrayLike, linears: Sequence[Linear], orders: Sequence[int] = (1, 2, 3), label: str = "spin",
                  path: str | None = None) -> Figure:  # fmt: skip
    """Campbell diagram: frequencies of vibration against the speed of rotation, with the lines of its multiples."""
    x = np.atleast_1d(finite_numbers(spins, "speeds of rotation"))
    linears = listed(linears, "what is plotted", "Give linear systems: [equations.linearize(...), ...].")
    for linear in linears:
        must_be(linear, Linear, "one of what is plotted", "Give linear systems: [equations.linearize(...), ...].")
    if len(x) != len(linears) or not len(x):
        raise EvaluationError(f"{len(linears)} linear systems were given with {len(x)} speeds of rotation. Give one "
                              "speed for each system.")  # fmt: skip
    made = figure(6.4, 4.2)
    panel = made.add_subplot()
    for speed, linear in zip(x, linears, strict=True):
        w = np.sort(linear.eigenvalues.imag[linear.eigenvalues.imag > FLAT * np.abs(linear.eigenvalues).max()])
        panel.plot(np.full(len(w), speed), w, ".", color=COLORS[0], markersize=4.0)
    for order in orders:
        panel.plot(x, order * x, color="black", linewidth=0.6, alpha=0.6)
        panel.annotate(f"{order}x", (x[-1], order * x[-1]), fontsize=8, va="center")
    return _finished(made, panel, label, "frequency [rad/s]", linears[0].name, path, legend=False)


def _finished(made: Figure, panel: Any, across: str, up: str, title: str, path: str | None,
              legend: bool = True) -> Figure:  # fmt: skip
    panel.axhline(0.0, color="black", linewidth=0.6)
    panel.set_xlabel(across)
    panel.set_ylabel(up)
    panel.set_title(title)
    panel.grid(alpha=0.15)
    panel.spines[["top", "right"]].set_visible(False)
    if legend:
        panel.legend(frameon=False)
    if path is not None:
        save(made, path)
    return made
