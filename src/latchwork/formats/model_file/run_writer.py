"""The section ``run`` of a model file, as nested texts: what ``settings`` reads back."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

from latchwork.errors import FileError
from latchwork.formats.expressions.literal import quoted
from latchwork.formats.expressions.scope import Scope
from latchwork.formats.model_file.build import Build
from latchwork.formats.model_file.grammar import Shape
from latchwork.formats.model_file.run_settings import Output, RunSettings, output
from latchwork.formats.model_file.run_tables import METHOD
from latchwork.formats.places import Place, Text
from latchwork.hybrid.table import Table
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.symbolic.expr import Expr

if TYPE_CHECKING:
    from latchwork.formats.model_file.yaml_writer import Writer

GIVEN = re.compile(r"z[0-9]+\Z")  # names that a file may give to expressions under ``let``


def run_section(w: Writer, run: RunSettings) -> dict[str, Any]:
    """Every setting that is not the usual one."""
    written = {
        "until": _number(w, run.until),
        "start": _number(w, run.start or None),
        **{key: {name: w.scalar(x) for name, x in getattr(run, key).items()} for key in ("q", "u")},
        "inputs": {name: _input(w, law) for name, law in run.inputs.items()},
        **{key: {name: w.scalar(x) for name, x in getattr(run, key).items()} for key in ("parameters", "stop_when")},
        "every": _number(w, run.every),
        "keep": None if run.keep == "steps" else run.keep,
        "method": None if run.method is None else _method(w, run.method),
        "audit": None if run.audit == "raise" else run.audit,
        "outputs": {name: _output(w, what) for name, what in run.outputs.items()},
        "plot": [_plotted(w, run, text, what) for text, what in run.plot.items()],
    }
    return {key: value for key, value in written.items() if value not in (None, {}, [])}


def _number(w: Writer, value: float | None) -> str | None:
    return None if value is None else w.scalar(value)


def _input(w: Writer, law: Expr | float | Table) -> Any:
    if not isinstance(law, Table):
        return w.scalar(law)
    return {"times": [*map(w.scalar, law.times)], "values": [*map(w.scalar, law.values)], "kind": law.kind}


def _method(w: Writer, method: Any) -> dict[str, Any]:
    name = type(method).__name__
    if name not in METHOD.fields:
        known = ", ".join(METHOD.fields)
        raise FileError(f"the method {method!r:.80} has no name in model files. Choose one of {known}.")
    shape = METHOD.fields[name].item
    assert isinstance(shape, Shape)
    values = {key: getattr(method, key) for key in shape.fields}
    return {name: {key: _option(w, value) for key, value in values.items() if value not in (None, math.inf)}}


def _option(w: Writer, value: Any) -> Any:
    if isinstance(value, str):
        return value
    return [*map(w.scalar, value)] if isinstance(value, tuple) else w.scalar(value)


def _output(w: Writer, what: Output) -> str:
    if isinstance(what, str):
        return what
    if isinstance(what, Vector):
        return w.vector(what)
    if not isinstance(what, Point):
        return w.scalar(what)
    hidden = what.name in w.model.symbols or GIVEN.match(what.name)
    return f"position({quoted(what.name)})" if hidden else what.name


def _plotted(w: Writer, run: RunSettings, text: str, what: Output) -> str:
    """The text as it was, where it still says the same: names under ``let`` are not written again."""
    if text in run.outputs:
        return text
    try:
        found = output(Build(w.model, Scope.of(w.model)), Text(text, Place("plot")))
    except FileError:
        return _output(w, what)
    return text if _key(found) == _key(what) else _output(w, what)


def _key(what: Output) -> Any:
    """Equal for equal outputs of a model."""
    if isinstance(what, str):
        return what
    return what.parts if isinstance(what, Vector) else what.name if isinstance(what, Point) else what.node
