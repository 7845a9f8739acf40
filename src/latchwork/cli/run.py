"""``latchwork run``: a model file simulated; numbers, plots and the audit."""

from __future__ import annotations

import argparse
import csv
import dataclasses
import io
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latchwork.cli.derive import Derived, derived, robot_options
from latchwork.cli.terminal import Progress, Usage, write, wrote
from latchwork.errors import FileError, Interrupted, did_you_mean

if TYPE_CHECKING:
    from latchwork.formats.model_file.run_settings import RunSettings
    from latchwork.hybrid.columns import Column
    from latchwork.hybrid.event import RunEvent
    from latchwork.hybrid.trajectory import Trajectory
    from latchwork.kane.equations import Equations

ROUNDING = 1e-14  # of the largest value that a state had: told as 0
SHOWN = 40  # events told one by one
SETTING = {"coordinate": "q", "speed": "u", "input": "inputs", "parameter": "parameters"}


def run(options: argparse.Namespace) -> None:
    """Simulate, and write what was asked for."""
    progress = Progress(options.progress)
    found = derived(options.file, progress, options.run, **robot_options(options))
    settings = changed(found.settings, found.equations, options.set, options.until)
    settings = dataclasses.replace(settings, plot=settings.plot | {text: text for text in options.show})
    if settings.until is None:
        raise Usage(f"{options.file} does not say how long to run. Give --until T, or 'until' under 'run' in the file.")
    if options.animate:
        must_be_shown(options)
    try:
        trajectory = simulated(found, settings, progress)
    except Interrupted as stop:
        if stop.run is not None:
            progress.done()
            _give(stop.run, settings, options, progress)
        raise
    _give(trajectory, settings, options, progress)


def _give(trajectory: Trajectory, settings: RunSettings, options: argparse.Namespace, progress: Progress) -> None:
    """Write what was asked for of a run, as far as it came."""
    if options.plot:
        plotted(trajectory, settings, options.plot)
        wrote(options.plot)
    if options.animate:
        animated(trajectory, options, progress)
        wrote(options.animate)
    if options.output:
        _to_folder(trajectory, settings, Path(options.output))
    if options.json or options.csv:
        write((as_json if options.json else as_csv)(trajectory, settings), None)
    elif not options.output:
        write(summary(trajectory), None)


def changed(settings: RunSettings, equations: Equations, sets: list[str], until: float | None) -> RunSettings:
    """The file's settings with those of the command line."""
    symbols = {symbol.name: symbol for symbol in equations.arguments[1:]}
    for text in sets:
        name, value = _setting(text)
        if name not in symbols:
            raise Usage(f"--set {text}: '{equations.name}' has no '{name}'.{did_you_mean(name, symbols)}")
        key = SETTING[symbols[name].kind]
        change: dict[str, Any] = {key: {**getattr(settings, key), name: value}}
        settings = dataclasses.replace(settings, **change)
    return settings if until is None else dataclasses.replace(settings, until=until)


def _setting(text: str) -> tuple[str, float]:
    from latchwork.formats.expressions.parser import constant
    from latchwork.formats.expressions.postfix import compiled
    from latchwork.formats.places import Place, Text

    name, equals, value = text.partition("=")
    try:
        return name.strip(), constant(compiled(Text(value, Place("--set"))))
    except FileError as problem:
        found = problem.message if equals else "there is no '='."
        raise Usage(f"--set takes NAME=VALUE, such as q1=pi/6; got '{text}': {found}") from None


def simulated(found: Derived, settings: RunSettings, progress: Progress) -> Trajectory:
    """The run that the settings describe."""
    from latchwork.hybrid.simulate import simulate

    assert settings.until is not None
    changes = found.model.contacts or found.model.collisions or found.model.rules
    trajectory = simulate(
        found.model if changes else found.equations,  # derived once where nothing changes in the run
        constraints=() if changes else found.constraints,
        **settings.arguments(found.equations),
        progress=lambda t: progress(f"simulating: t = {t:.6g} of {settings.until:.6g}", now=False),
    )
    progress.done()
    return trajectory


def plotted(trajectory: Trajectory, settings: RunSettings, path: str) -> None:
    """A picture of what the file plots, or else of its outputs, or else of the coordinates."""
    from latchwork.view.plots import plot_run

    names = {name: name for name in trajectory.equations.q_names}
    plot_run(trajectory, settings.plot or settings.outputs or names, path)


SHOWING = ("at", "size", "fps", "speed")


def must_be_shown(options: argparse.Namespace) -> None:
    """What cannot be written is refused before the run, not after it."""
    from latchwork.view.animate import kind_of

    kind_of(options.animate, [name for name in SHOWING if getattr(options, name) is not None])


def animated(trajectory: Trajectory, options: argparse.Namespace, progress: Progress) -> None:
    """A page, a picture or a film."""
    end = trajectory.t[-1]
    trajectory.animate(
        options.animate, options.view, forces=options.forces,
        progress=lambda t: progress(f"drawing: t = {t:.6g} of {end:.6g}", now=False),
        **{name: getattr(options, name) for name in SHOWING},
    )  # fmt: skip
    progress.done()


def columns(trajectory: Trajectory, settings: RunSettings) -> dict[str, Column]:
    """Time, coordinates, speeds, outputs, and what the file plots besides; a vector has three columns."""
    from latchwork.hybrid.columns import Column, columns_of, scalars

    names = (*trajectory.equations.q_names, *trajectory.equations.u_names)
    found = scalars(columns_of(trajectory, *names, settings.outputs, settings.plot))
    return {"t": Column(trajectory.t, trajectory.label("t"))} | found


def units(trajectory: Trajectory, table: Mapping[str, Column]) -> dict[str, str]:
    """The units of columns, where the model was given any."""
    if not any(symbol.unit for symbol in trajectory.equations.arguments):
        return {}
    return {name: column.label.unit for name, column in table.items() if column.label.unit}


def as_json(trajectory: Trajectory, settings: RunSettings) -> str:
    """Columns by name, the events and the audit."""
    table = columns(trajectory, settings)
    facts: dict[str, Any] = {
        "name": trajectory.equations.name,
        "columns": {name: column.values.tolist() for name, column in table.items()},
        "units": units(trajectory, table),
        "events": [_event(event) for event in trajectory.events],
        "audit": dataclasses.asdict(trajectory.audit),
    }
    return json.dumps(facts)


def _event(event: RunEvent) -> dict[str, Any]:
    return dataclasses.asdict(event) | {"impulses": {name: v.tolist() for name, v in event.impulses.items()}}


def as_csv(trajectory: Trajectory, settings: RunSettings) -> str:
    """A line of names with their units, then one line for each sample; numbers read back exactly."""
    table = columns(trajectory, settings)
    known = units(trajectory, table)
    text = io.StringIO()
    lines = csv.writer(text, lineterminator="\n")
    lines.writerow([f"{name} [{known[name]}]" if name in known else name for name in table])
    lines.writerows(zip(*(column.values.tolist() for column in table.values()), strict=True))
    return text.getvalue()


def summary(trajectory: Trajectory) -> str:
    """Where the run ended, and why; its audit."""
    equations = trajectory.equations
    names = (*equations.q_names, *equations.u_names)
    largest = abs(trajectory.x).max(axis=0)
    states = {name: 0.0 if abs(x) <= ROUNDING * most else x for name, x, most in zip(names, trajectory.x[-1], largest,
              strict=False)}  # fmt: skip
    width = max(len(name) for name in states)
    lines = [f"{equations.name}: t = {trajectory.t[0]:.6g} to {trajectory.t[-1]:.6g}, {len(trajectory.t)} samples", ""]
    lines += [f"{name:<{width}}  {value: .12g}" for name, value in states.items()]
    if trajectory.start is not None and trajectory.start.changes:
        changes = str(trajectory.start).splitlines()
        lines += ["", "to meet the constraints at the start", *(f"  {line}" for line in changes)]
    if trajectory.events:
        lines += ["", *happened(trajectory.events)]
    return "\n".join([*lines, "", str(trajectory.audit)])


def happened(events: Sequence[RunEvent]) -> list[str]:
    """What happened and when, or how often where that is too long to read; then where the run was stopped."""
    others = [event for event in events if event.kind != "stop"]
    if len(others) <= SHOWN:
        return [_said(event) for event in events]
    counts = Counter((event.kind, event.name) for event in others)
    stops = [_said(event) for event in events if event.kind == "stop"]
    return [*(f"{kind}: {name}, {count} ×" for (kind, name), count in counts.items()), *stops]


def _said(event: RunEvent) -> str:
    return f"{'stopped' if event.kind == 'stop' else event.kind} at t = {event.t:.12g}: {event.name}"


def _to_folder(trajectory: Trajectory, settings: RunSettings, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write(as_csv(trajectory, settings), str(folder / "run.csv"))
    write(as_json(trajectory, settings), str(folder / "run.json"))
    plotted(trajectory, settings, str(folder / "run.png"))
    wrote(str(folder / "run.png"))
