"""The words that the command line understands."""

from __future__ import annotations

import argparse
from typing import Any

from latchwork.cli import commands


class Usage(Exception):
    """A command line that cannot be carried out."""


def parser() -> argparse.ArgumentParser:
    """All commands with their options."""
    main = argparse.ArgumentParser(prog="latchwork", description="Kane's equations from a model file, to read and to run.")
    main.add_argument("--debug", action="store_true", help="show where an error arose")
    main.set_defaults(debug=False)
    words = main.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _derive(words)
    _run(words)
    _info(words)
    _add(words, "schema", commands.schema, "the JSON Schema of model files").add_argument(
        "-o", "--output", metavar="FILE", help="write to a file"
    )
    _add(words, "demo", commands.demo, "derive and simulate the gallery: equations, plots, one page")
    _add(words, "version", commands.version, "the version of this program")
    return main
