"""``latchwork export``: the equations of a model file as C99, or as plain Python; or its run, with contacts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latchwork.cli.derive import Derived, derived, left_out, robot_options
from latchwork.cli.terminal import Progress, Usage, say, write

if TYPE_CHECKING:
    from latchwork.kane.equations import Equations


def export(options: argparse.Namespace) -> None:
    """Derive, write the files with the outputs and guards of the run, and name them."""
    if options.c is None and options.python is None and options.fmu is None:
        raise Usage(f"{options.file} can be exported to C, to Python or as an FMU. Give --c DIR, --python FILE or "
                    "--fmu FILE.")  # fmt: skip
    if options.contacts and options.c is None:
        raise Usage("--contacts writes a run in C. Give --c DIR as well.")
    if options.contacts and (options.hil or options.python):
        raise Usage("--contacts exports a run, --hil and --python equations. Give them in two calls.")
    if options.hil is not None and options.c is None:
        raise Usage(f"--hil {options.hil} writes a program in C. Give --c DIR as well.")
    from latchwork.export.equations import export_python

    progress = Progress(options.progress)
    found = derived(options.file, progress, options.run, **robot_options(options))
    paths = _runs(options, found, progress)
    if options.python is None and (options.c is None or options.contacts):
        progress.done()
        write("\n".join(map(str, paths)), None)
        return
    equations, settings = found.embedded_equations(), found.settings
    progress("writing")
    outputs = {name: what for name, what in settings.outputs.items() if not isinstance(what, str)}
    more: dict[str, Any] = {"outputs": outputs, "stop_when": settings.stop_when}
    paths += [] if options.c is None else _in_c(options, found, equations, more)
    if options.python is not None:
        paths.append(export_python(equations, options.python, **more))
    progress.done()
    say(left_out(found.model))
    if metered := sorted(settings.outputs.keys() - outputs.keys()):
        say(f"latchwork: note: the outputs {', '.join(metered)} are known only in runs, and left out.")
    write("\n".join(map(str, paths)), None)


def _runs(options: argparse.Namespace, found: Derived, progress: Progress) -> list[Path]:
    """The run of the file, with its contacts, in the forms asked for."""
    if not options.contacts and options.fmu is None:
        return []
    from latchwork.export.fmu import export_fmu
    from latchwork.export.runs import export_run
    from latchwork.hybrid.simulation import Simulation

    given = found.settings.arguments(found.equations)
    taken = ("q", "u", "inputs", "parameters", "start", "method")
    sim = Simulation(found.model, **{name: given[name] for name in taken if given.get(name) is not None})
    progress("writing")
    paths = export_run(sim, Path(options.c)) if options.contacts else []
    return paths if options.fmu is None else [*paths, export_fmu(sim, options.fmu)]


def _in_c(options: argparse.Namespace, found: Derived, equations: Equations, more: dict[str, Any]) -> list[Path]:
    """The files in C; with a handle also the model as a device, which begins as the file's run does."""
    if options.hil is None:
        from latchwork.export.equations import export_c

        return export_c(equations, options.c, **more)
    from latchwork.realtime.devices.hil import export_hil

    start = found.settings.arguments(found.equations)
    names = [None if name.strip() in ("", "-") else name.strip() for name in options.hil_force.split(",")]
    u = {name: value for name, value in (start.get("u") or {}).items() if str(name) in equations.u_names}
    return export_hil(equations, options.c, handle=options.hil, force=names, q=start.get("q"), u=u, **more)
