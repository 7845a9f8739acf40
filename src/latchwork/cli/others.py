"""``latchwork info``, ``schema``, ``demo`` and ``version``."""

from __future__ import annotations

import argparse
import dataclasses
import json
from typing import TYPE_CHECKING, Any

from latchwork.cli.derive import Derived, derived
from latchwork.cli.terminal import Progress, write

if TYPE_CHECKING:
    from latchwork.mechanics.body import Body
    from latchwork.mechanics.joints import Link


def info(options: argparse.Namespace) -> None:
    """The information report, or the same facts for a program."""
    progress = Progress(options.progress)
    found = derived(options.file, progress)
    progress("writing the report")
    held = [] if not found.constraints else ["", CONSTRAINTS, *_held(found)]
    text = json.dumps(facts(found), indent=2) if options.json else "\n".join([found.equations.report(), *held])
    progress.done()
    write(text, None)


CONSTRAINTS = "Constraints, which the equations above leave out (latchwork derive embeds them)"


def _held(found: Derived) -> list[str]:
    """What must be zero, row by row."""
    rows = [(name, zero) for each in found.constraints for name, zero in zip(each.row_names, each.zero, strict=True)]
    return [f"  {name}: {zero} = 0" for name, zero in rows]


def facts(found: Derived) -> dict[str, Any]:
    """Names, values, tree and counts."""
    equations, system = found.equations, found.equations.system
    return {
        "name": equations.name,
        "coordinates": list(equations.q_names),
        "speeds": list(equations.u_names),
        "parameters": {symbol.name: system.values.get(symbol) for symbol in system.p},
        "inputs": {symbol.name: system.values.get(symbol) for symbol in system.r},
        "bodies": {body.name: _body(body) for body in system.bodies},
        "joints": {link.name: _joint(link) for link in system.links},
        "constraints": {each.name: [str(zero) for zero in each.zero] for each in found.constraints},
        "loads": [load.name or type(load).__name__.lower() for load in system.loads],
        "gravity": None if system.gravity is None else str(system.gravity),
        "operations": dataclasses.asdict(equations.operations),
        "report": equations.report(),
    }


def _body(body: Body) -> dict[str, str | None]:
    return {"frame": body.frame.name if body.frame else None, "center": body.center.name, "mass": str(body.mass)}


def _joint(link: Link) -> dict[str, str]:
    return {"type": link.joint.name, "inboard": link.inboard.name, "at": link.base.name}


def schema(options: argparse.Namespace) -> None:
    """The JSON Schema of model files."""
    from latchwork.formats.schema import schema

    write(json.dumps(schema(), indent=2), options.output)


def demo(options: argparse.Namespace) -> None:
    """The gallery."""
    from latchwork.view.demo import main

    main(options.output, options.quiet)


def version(options: argparse.Namespace) -> None:
    """The version of the package."""
    from importlib.metadata import version

    write(f"latchwork {version('latchwork')}", None)
