"""A run as columns of numbers with names and units: for files, data frames and labelled arrays."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from latchwork.errors import EvaluationError
from latchwork.kane.units import Label

if TYPE_CHECKING:
    from latchwork.hybrid.trajectory import Trajectory


class Column(NamedTuple):
    """One number for each sample, or a row of three."""

    values: NDArray[np.float64]
    label: Label


def columns_of(run: Trajectory, *what: Any) -> dict[str, Column]:
    """Coordinates and speeds, or what is asked for, by name: texts, symbols, points, or mappings from names."""
    asked: dict[str, Any] = {}
    for item in what or (*run.equations.q_names, *run.equations.u_names):
        asked.update(item if isinstance(item, Mapping) else {str(item): item})
    found = dict(zip(asked, run.each(*(each for each in asked.values())), strict=True))
    for name, values in found.items():
        if np.ndim(values) > 2:
            raise EvaluationError(f"'{name}' is a frame, nine numbers at a time, and no column. Ask for its unit "
                                  "vectors: frame.x, frame.y, frame.z.")  # fmt: skip
    return {name: Column(np.asarray(values), run.label(asked[name])) for name, values in found.items()}


def scalars(columns: Mapping[str, Column]) -> dict[str, Column]:
    """The same with x, y and z of vectors apart."""
    single: dict[str, Column] = {}
    for name, column in columns.items():
        if column.values.ndim == 1:
            single[name] = column
        else:
            parts = zip("xyz", column.values.T, strict=True)
            single |= {f"{name}.{axis}": Column(part, column.label) for axis, part in parts}
    return single


def data_frame(run: Trajectory, what: Iterable[Any]) -> Any:
    """A pandas DataFrame over time; units and descriptions are in its ``attrs``."""
    pandas = _imported("pandas", "run.to_dataframe()")
    columns = scalars(columns_of(run, *what))
    frame = pandas.DataFrame({name: column.values for name, column in columns.items()},
                             index=pandas.Index(run.t, name="t"))  # fmt: skip
    frame.attrs["name"] = run.equations.name
    frame.attrs["units"] = {name: column.label.unit for name, column in columns.items() if column.label.unit}
    frame.attrs["descriptions"] = {
        name: column.label.description for name, column in columns.items() if column.label.description
    }
    return frame


def dataset(run: Trajectory, what: Iterable[Any]) -> Any:
    """An xarray Dataset over time, vectors with a dimension of their own; units and descriptions as attributes."""
    xarray = _imported("xarray", "run.to_xarray()")
    variables = {}
    for name, column in columns_of(run, *what).items():
        attributes = {"units": column.label.unit, "long_name": column.label.description}
        dims = ("t",) if column.values.ndim == 1 else ("t", "axis")
        variables[name] = (dims, column.values, {key: text for key, text in attributes.items() if text})
    coordinates: dict[str, Any] = {"t": ("t", run.t, {"units": run.label("t").unit} if run.label("t").unit else {})}
    if any(len(dims) > 1 for dims, _, _ in variables.values()):
        coordinates["axis"] = list("xyz")
    return xarray.Dataset(variables, coordinates, {"name": run.equations.name})


def _imported(library: str, asked: str) -> Any:
    from importlib import import_module

    try:
        return import_module(library)
    except ImportError:
        raise EvaluationError(f"{asked} needs {library}, which is not installed. Install it: pip install {library}, or "
                              "latchwork[notebook].") from None  # fmt: skip
