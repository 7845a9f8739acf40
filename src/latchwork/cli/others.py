"""``latchwork info``, ``schema``, ``demo`` and ``version``."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from typing import TYPE_CHECKING, Any

from latchwork.cli.derive import Derived, derived, robot_options
from latchwork.cli.terminal import Progress, write

if TYPE_CHECKING:
    from latchwork.contact.law import Contact, Coulomb
    from latchwork.mechanics.body import Body
    from latchwork.mechanics.joints import Link


def info(options: argparse.Namespace) -> None:
    """The information report, or the same facts for a program."""
    progress = Progress(options.progress)
    found = derived(options.file, progress, **robot_options(options))
    progress("writing the report")
    besides = [] if options.json else _besides(found)
    text = json.dumps(facts(found), indent=2) if options.json else "\n".join([found.equations.report(), *besides])
    progress.done()
    write(text, None)


CONSTRAINTS = "Constraints, which the equations above leave out (latchwork derive embeds them)"
CONTACTS = "Contacts, which the equations above leave out (latchwork run has them)"
RULES = "Rules, which the equations above leave out (latchwork run has them)"


def _besides(found: Derived) -> list[str]:
    """What the equations leave out, by kind."""
    contacts = [f"  {each.name}: {_between(each)}" for each in found.model.contacts]
    contacts += [f"  {each.name}: any two of {', '.join(each.places)}" for each in found.model.collisions]
    rules = [f"  {rule.name}: where {rule.when} falls through zero" for rule in found.model.rules]
    kinds = ((CONSTRAINTS, _held(found)), (CONTACTS, contacts), (RULES, rules))
    return [line for head, lines in kinds if lines for line in ("", head, *lines)]


def _between(contact: Contact) -> str:
    """The kinds of the two shapes, and the law of impact."""
    between = " and ".join(type(shape).__name__.lower() for shape in contact.shapes) or _without_shapes(contact)
    friction = "" if contact.friction is None else f", friction {_coefficients(contact.friction)}"
    bounces = "" if contact.restitution == 0.0 else f", restitution {contact.restitution}"
    return f"{between}, {contact.impact}{friction}{bounces}"


def _without_shapes(contact: Contact) -> str:
    """What a contact is that has no shapes."""
    words = {"friction": "dry friction of a joint", "rope": "a rope", "one_way": "a one-way clutch"}
    return next((words[word] for word in contact.recipe), "limits of a joint")


def _coefficients(friction: Coulomb) -> str:
    """Static friction, and dynamic where it differs."""
    return f"{friction.mu}" if friction.dynamic is None else f"{friction.mu} and {friction.dynamic}"


def _held(found: Derived) -> list[str]:
    """What must be zero, row by row."""
    rows = [(name, zero) for each in found.constraints for name, zero in zip(each.row_names, each.zero, strict=True)]
    return [f"  {name}: {zero} = 0" for name, zero in rows]


def facts(found: Derived) -> dict[str, Any]:
    """Names, values, units, tree and counts."""
    from latchwork.kane.units import label_of

    equations, system = found.equations, found.equations.system
    links = {link.name: link for link in system.links}
    labels = [(symbol, label_of(system, symbol)) for symbol in equations.arguments]
    return {
        "name": equations.name,
        "coordinates": list(equations.q_names),
        "speeds": list(equations.u_names),
        "quantities": {symbol.name: {"unit": label.unit, "description": label.description} for symbol, label in labels},
        "parameters": {symbol.name: system.values.get(symbol) for symbol in system.p},
        "inputs": {symbol.name: system.values.get(symbol) for symbol in system.r},
        "bodies": {body.name: _body(body) for body in system.bodies},
        "joints": {name: _joint(links[name]) if name in links else {} for name in system.joints},
        "constraints": {each.name: [str(zero) for zero in each.zero] for each in found.constraints},
        "contacts": {each.name: _contact(each) for each in found.model.contacts},
        "collide": {each.name: list(each.places) for each in found.model.collisions},
        "rules": {rule.name: str(rule.when) for rule in found.model.rules},
        "loads": [load.name or type(load).__name__.lower() for load in system.loads],
        "gravity": None if system.gravity is None else str(system.gravity),
        "operations": dataclasses.asdict(equations.operations),
        "report": equations.report(),
    }


def _contact(contact: Contact) -> dict[str, Any]:
    sides = dict(zip("ab", (type(shape).__name__.lower() for shape in contact.shapes), strict=False))
    return {**sides, "impact": contact.impact, "features": len(contact.features)}


def _body(body: Body) -> dict[str, str | None]:
    return {"frame": body.frame.name if body.frame else None, "center": body.center.name, "mass": str(body.mass)}


def _joint(link: Link) -> dict[str, str]:
    return {"type": link.joint.name, "inboard": link.inboard.name, "at": link.base.name}


def schema(options: argparse.Namespace) -> None:
    """The JSON Schema of model files."""
    from latchwork.formats.model_file.schema import schema

    write(json.dumps(schema(), indent=2), options.output)


def demo(options: argparse.Namespace) -> None:
    """The gallery."""
    from latchwork.view import demo

    if options.serve or options.host:
        demo.serve(options.port, opened=False, host=options.host, copies=options.copies)
    elif options.serve is None:
        demo.demo(options.output, options.equations, options.port)
    else:
        demo.main(options.output, options.equations)


def serve(options: argparse.Namespace) -> None:
    """A model or a script as a page where it runs and is grabbed."""
    from latchwork.view.live.serving import has_screen, serve_until_interrupted, source_of

    sources = source_of(options.file, robot_options(options))
    opened = has_screen() and sys.stdout.isatty() if options.open is None else options.open
    serve_until_interrupted(sources, lambda text: print(text, flush=True), host=options.host, port=options.port,
                            opened=opened)  # fmt: skip


def version(options: argparse.Namespace) -> None:
    """The version of the package."""
    write(version_text(), None)


def version_text() -> str:
    """The program and its version."""
    from importlib.metadata import version

    return f"latchwork {version('latchwork')}"
