"""Results of a study as tables: an xarray Dataset, statistics, Sobol's indices, and what it will cost."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.errors import StudyError
from latchwork.study.extras import extra
from latchwork.study.store import DONE, FAILED, MISSING

if TYPE_CHECKING:
    from latchwork.kane.units import Label
    from latchwork.study.study import Study

STATUS = f"{DONE}: done, {FAILED}: failed, {MISSING}: missing"


def dataset(study: Study, incomplete: bool) -> Any:
    """An xarray Dataset: outputs over the axes of a grid, or over points; samples have the dimension ``time``."""
    xarray = extra("xarray", "study")
    study.must_be_complete(incomplete)
    points = study.points
    dims = points.names if points.axes else ("point",)
    coords: dict[str, Any] = {name: (dims, axis) if len(dims) == 1 else (name, axis)
                              for name, axis in zip(points.names, points.axes, strict=False)}  # fmt: skip
    if not points.axes:
        coords = {name: ("point", points.values[:, k]) for k, name in enumerate(points.names)}
        coords["point"] = ("point", np.arange(len(points)))
    times = study.subject.times
    if times is not None:
        coords["time"] = ("time", times)
    made: dict[str, Any] = {}
    for name, shape in (study.store.shapes or {}).items():
        sampled = times is not None and shape[:1] == (len(times),)
        own = [("time" if sampled and k == 0 else f"{name}_{k}") for k in range(len(shape))]
        made[name] = ((*dims, *own), study.store.output(name).reshape(*points.shape, *shape))
    made["status"] = (dims, study.store.status.reshape(points.shape))
    told = {"study": study.subject.name, "identity": study.identity}
    found = xarray.Dataset(made, coords, told)
    for name, label in study.subject.labels().items():
        if name in found.variables:
            found[name].attrs.update(_attributes(label))
    found["status"].attrs["description"] = STATUS
    return found


def _attributes(label: Label) -> dict[str, str]:
    """A unit and a description as attributes, by the names that xarray and CF conventions know: its axes show them."""
    long = {"long_name": label.description, "description": label.description} if label.description else {}
    return {"units": label.unit, **long} if label.unit else long


def statistics(study: Study, incomplete: bool) -> dict[str, dict[str, float]]:
    """Count, mean, deviation, least, median and largest of outputs that are one number."""
    study.must_be_complete(incomplete)
    found = {}
    for name, shape in (study.store.shapes or {}).items():
        if shape == ():
            values = study.store.output(name)
            values = values[np.isfinite(values)]
            found[name] = {"count": float(len(values)), "mean": float(values.mean()), "std": float(values.std()),
                           "min": float(values.min()), "median": float(np.median(values)),
                           "max": float(values.max())}  # fmt: skip
    return found


def sensitivity(study: Study, output: str) -> dict[str, dict[str, float]]:
    """Sobol's indices: the part of the variance of an output that a parameter makes alone (S1), and in all it takes
    part in (ST).  [Saltelli et al., Computer Physics Communications 181 (2010) 259]"""
    if study.points.kind != "saltelli":
        raise StudyError(f"Sobol's indices need Saltelli's points, and these are a {study.points.kind}. Give "
                         "lw.sampled(512, ..., sequence=\"saltelli\").")  # fmt: skip
    values = study.values(output)
    names, low, high = study.points.names, study.points.values.min(axis=0), study.points.values.max(axis=0)
    problem = {"num_vars": len(names), "names": [*names], "bounds": np.column_stack([low, high]).tolist()}
    found = extra("SALib.analyze.sobol", "salib").analyze(problem, values, calc_second_order=False, seed=0)
    return {name: {key: float(found[key][k]) for key in ("S1", "S1_conf", "ST", "ST_conf")}
            for k, name in enumerate(names)}  # fmt: skip


def explained(study: Study, workers: int, duration: Callable[[float], str]) -> str:
    """A study in words: its points, outputs and tasks, what is there, and what the rest will take."""
    points, store, now = study.points, study.store, study.progress
    sides = f" of {' × '.join(map(str, points.shape))}" if points.axes else ""
    lines = [f"study of '{study.subject.name}', {study.identity}", f"points    {len(points)} ({points.kind}{sides})"]
    for k, name in enumerate(points.names):
        column = points.values[:, k]
        lines.append(f"  {name:8}{column.min():.6g} to {column.max():.6g}, {len(np.unique(column))} values")
    lines.append(f"outputs   {', '.join(study.outputs) or 'told by the first point'}")
    lines.append(f"tasks     {-(-len(points) // store.chunk)} of up to {store.chunk} points, in "
                 f"{'memory' if store.path is None else store.path}")  # fmt: skip
    lines.append(f"there     {now.done} done, {now.failed} failed, {now.missing} missing")
    left = now.failed + now.missing
    if left:
        taken = store.seconds[store.status == DONE]
        if len(taken):
            each, how = float(taken.mean()), f"measured at {len(taken)} points"
        else:
            each, how = _tried(study), "measured at the first point"
        lines.append(f"a point   {duration(each)}, {how}")
        lines.append(f"the rest  about {duration(each * left / workers)} on {workers} cores")
    numbers = sum(int(np.prod(shape)) for shape in (store.shapes or {}).values()) + 1
    lines.append(f"size      up to {8e-6 * numbers * len(points):.3g} MB")
    return "\n".join(lines)


def _tried(study: Study) -> float:
    """Seconds that the first missing point takes, once what all share is made."""
    i = int(np.argmax(study.store.status == MISSING))
    outcomes = [next(iter(study.subject.outcomes([study.points.at(i)]))) for _ in range(2)]
    return outcomes[-1].seconds
