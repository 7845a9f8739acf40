"""``latchwork export``: the equations of a model file as C99, or as plain Python."""

from __future__ import annotations

import argparse
from typing import Any

from latchwork.cli.derive import derived, left_out
from latchwork.cli.terminal import Progress, Usage, say, write


def export(options: argparse.Namespace) -> None:
    """Derive, write the files with the outputs and guards of the run, and name them."""
    if options.c is None and options.python is None:
        raise Usage(f"{options.file} can be exported to C or to Python. Give --c DIR, --python FILE, or both.")
    from latchwork.export import export_c, export_python

    progress = Progress(options.progress)
    robot: dict[str, Any] = {"floating": True} if options.floating else {}
    found = derived(options.file, progress, options.run, **robot)
    equations, settings = found.embedded_equations(), found.settings
    progress("writing")
    more: dict[str, Any] = {"outputs": settings.outputs, "stop_when": settings.stop_when}
    paths = [] if options.c is None else export_c(equations, options.c, **more)
    if options.python is not None:
        paths.append(export_python(equations, options.python, **more))
    progress.done()
    say(left_out(found.model))
    write("\n".join(map(str, paths)), None)
