"""Points of a study: grids, quasi-random samples and tables of parameters.

A low-discrepancy sequence fills a box more evenly than random numbers: for a mean over n points its error falls nearly
as 1/n instead of 1/√n.  [Niederreiter, Random Number Generation and Quasi-Monte Carlo Methods, 1992]
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from latchwork.errors import StudyError, did_you_mean, must_be, must_measure

Array = NDArray[np.float64]
SEQUENCES = {"sobol": "Sobol", "halton": "Halton", "latin": "LatinHypercube"}
LARGEST = 100_000_000


@dataclass(frozen=True, eq=False)
class Points:
    """Rows of parameters by name; a grid has axes besides, the last of which changes fastest."""

    names: tuple[str, ...]
    values: Array  # (points, names)
    axes: tuple[Array, ...] = ()
    kind: str = "table"

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<{len(self)} points of {', '.join(self.names)} ({self.kind})>"

    @property
    def shape(self) -> tuple[int, ...]:
        """How many along each axis of a grid; all in one where there is none."""
        return tuple(map(len, self.axes)) if self.axes else (len(self),)

    def at(self, index: int) -> dict[str, float]:
        """One point, by name."""
        if isinstance(index, bool) or not isinstance(index, (int, np.integer)) or not -len(self) <= index < len(self):
            raise StudyError(f"there is no point {index!r} in a study of {len(self)}. Give a number from 0 to "
                             f"{len(self) - 1}.")  # fmt: skip
        return dict(zip(self.names, self.values[index].tolist(), strict=True))


def grid(axes: Mapping[str, ArrayLike] | None = None, **more: ArrayLike) -> Points:
    """Every combination of values: ``lw.grid(mass=[1, 2], angle=np.linspace(0, 1, 11))``."""
    if axes is not None:
        must_be(axes, Mapping, "the axes of a grid", 'Give values by name: {"mass": [1.0, 2.0]}.')
    columns = {str(name): _column(str(name), values) for name, values in {**(axes or {}), **more}.items()}
    _must_have(columns)
    count = int(np.prod([float(len(column)) for column in columns.values()]))
    if count > LARGEST:
        sizes = " × ".join(f"{len(column)} {name}" for name, column in columns.items())
        raise StudyError(f"a grid of {sizes} has {count} points; {LARGEST} are the most. Give fewer, or lw.sampled.")
    for name, column in columns.items():
        if len(np.unique(column)) < len(column):
            raise StudyError(f"'{name}' has a value twice along its axis: {column.tolist()!r:.80}. Give each once.")
    mesh = np.meshgrid(*columns.values(), indexing="ij")
    values = np.column_stack([part.ravel() for part in mesh])
    return Points(tuple(columns), values, tuple(columns.values()), "grid")


def sampled(count: int, bounds: Mapping[str, Any] | None = None, *, sequence: str = "sobol", seed: int = 0,
            **more: Any) -> Points:  # fmt: skip
    """Points of a low-discrepancy sequence within bounds: ``lw.sampled(256, mass=(1, 2), angle=(0, 1))``.

    ``sequence`` is "sobol", scrambled by the seed; "halton"; "latin", a Latin hypercube; or "saltelli" by SALib
    (``pip install latchwork[salib]``), which makes count × (names + 2) points for Sobol's indices.
    """
    if bounds is not None:
        must_be(bounds, Mapping, "the bounds of points", 'Give ranges by name: {"mass": (1.0, 2.0)}.')
    must_be(sequence, str, "the sequence of points", f"Give one of {', '.join([*SEQUENCES, 'saltelli'])}.")
    must_measure(seed, "the seed of points", "Give a whole number, 0 or more.", 0, whole=True)
    box = {name: bounds_of(name, given) for name, given in {**(bounds or {}), **more}.items()}
    _must_have({name: np.zeros(2) for name in box})
    if isinstance(count, bool) or not isinstance(count, int) or not 0 < count <= LARGEST:
        raise StudyError(f"{count!r} points cannot be drawn. Give a whole number, 1 or more.")
    low, high = np.array([*box.values()], dtype=float).T
    if sequence == "saltelli":
        return Points(tuple(box), _saltelli(count, box, seed), kind="saltelli")
    if sequence not in SEQUENCES:
        raise StudyError(f"there is no sequence '{sequence}'.{did_you_mean(str(sequence), [*SEQUENCES, 'saltelli'])}")
    from scipy.stats import qmc

    made = getattr(qmc, SEQUENCES[sequence])(len(box), **{_seed_name(qmc): seed})
    if sequence == "sobol":  # drawn in a power of two, whose balance it has, and cut
        unit = made.random_base2(max(count - 1, 0).bit_length())[:count]
    else:
        unit = made.random(count)
    return Points(tuple(box), low + (high - low) * unit, kind=sequence)


def points(table: Mapping[str, ArrayLike] | Any) -> Points:
    """The points of a table, one in each row: columns by name, or a data frame."""
    given = table if isinstance(table, Mapping) else _frame(table)
    columns = {str(name): _column(str(name), values) for name, values in given.items()}
    _must_have(columns)
    if len({len(column) for column in columns.values()}) > 1:
        sizes = ", ".join(f"{name} {len(column)}" for name, column in columns.items())
        raise StudyError(f"columns of a table are of one length; these have {sizes}. Give each one number per point.")
    return Points(tuple(columns), np.column_stack([*columns.values()]))


def points_of(parameters: Any) -> Points:
    """Points as they were given: as such, or axes of a grid by name."""
    if isinstance(parameters, Points):
        return parameters
    if isinstance(parameters, Mapping):
        return grid(parameters)
    if hasattr(parameters, "columns"):
        return points(parameters)
    raise StudyError(f"the parameters of a study are {parameters!r:.60}. Give values by name for a grid, or lw.grid, "
                     "lw.sampled or lw.points.")  # fmt: skip


def _column(name: str, values: Any) -> Array:
    try:
        column = np.atleast_1d(np.asarray(values, dtype=float))
    except (TypeError, ValueError):
        raise StudyError(f"'{name}' is {values!r:.60}, which are no numbers. Give a list of numbers.") from None
    if column.ndim != 1 or not len(column):
        raise StudyError(f"'{name}' has the shape {column.shape}: no values. Give one number or more, in a list.")
    if not np.isfinite(column).all():
        raise StudyError(f"'{name}' is not finite at place {int(np.argmin(np.isfinite(column)))}. Give finite numbers.")
    return column


def bounds_of(name: str, given: Any) -> tuple[float, float]:
    """The lowest and the highest value of a parameter."""
    try:
        low, high = map(float, given)
    except (TypeError, ValueError):
        raise StudyError(f"the bounds of '{name}' are {given!r:.60}. Give two numbers: {name}=(0, 1).") from None
    if not (np.isfinite([low, high]).all() and low < high):
        raise StudyError(f"the bounds of '{name}' are {low:g} and {high:g}. Give a lower one, then a higher one.")
    return low, high


def _must_have(columns: Mapping[str, Array]) -> None:
    if not columns:
        raise StudyError("a study without parameters has no points. Give values by name: lw.grid(mass=[1.0, 2.0]).")


def _frame(table: Any) -> dict[str, Any]:
    if hasattr(table, "columns") and hasattr(table, "__getitem__"):
        return {str(name): np.asarray(table[name]) for name in table.columns}
    raise StudyError(f"the table is {table!r:.60}. Give columns by name, or a data frame.")


def _seed_name(qmc: Any) -> str:
    """SciPy renamed the seed of its sequences to ``rng``."""
    import inspect

    return "rng" if "rng" in inspect.signature(qmc.Halton).parameters else "seed"


def _saltelli(count: int, box: Mapping[str, tuple[float, float]], seed: int) -> Array:
    from latchwork.study.extras import extra

    problem = {"num_vars": len(box), "names": [*box], "bounds": [*box.values()]}
    found = extra("SALib.sample.sobol", "salib").sample(problem, count, calc_second_order=False, seed=seed)
    return np.asarray(found, dtype=float)
