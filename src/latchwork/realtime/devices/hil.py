"""Hardware in the loop: a device made of exported equations, in C, that talks to a running loop by packets.

The exported model is the device: its handle is a point of it, the felt force drives inputs of it. ``hil.c`` beside this
file is the program; what a model has is filled in where it says ``@name@``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from latchwork.control.c_export import commanded
from latchwork.control.c_export import export_c as export_law
from latchwork.errors import EvaluationError, undeclared
from latchwork.export.equations import export_c
from latchwork.files import write_text
from latchwork.hybrid.symbol_lookup import look_up
from latchwork.kane.equations import Equations
from latchwork.kane.values import read
from latchwork.mechanics.point import Point
from latchwork.program.codegen.c_expressions import literal
from latchwork.realtime.devices.device import NULL, Triple

TEMPLATE = Path(__file__).with_name("hil.c")
HOLE = re.compile(r"@(\w+)@")
PLACE, VELOCITY = "hil_place", "hil_velocity"
RULE = """
hil: hil.c {name}.c {name}.h{law}
\t$(CC) $(CFLAGS) $(STRICT) -o $@ hil.c {name}.c{law} -lm
"""
NO_LAW = "    (void)d;\n    return 0;"
PROJECTED = """    static {law} *law;
    double command[{LAW}_COMMANDS];
    static const int place[{LAW}_COMMANDS] = {{{places}}};
    int i, none;
    if (law == NULL && (law = malloc({law}_size())) != NULL)
        law = {law}_start(law);
    none = law == NULL || {law}_command(law, d->t, d->x, d->x + {NAME}_NQ, d->r, p, command);
    for (i = 0; i < {LAW}_COMMANDS && !none; i++)
        d->r[place[i]] = command[i];
    return none;"""


def export_hil(equations: Equations, directory: str | Path, *, handle: Point | str, force: Sequence[str | None],
               q: Any = None, u: Any = None, step: float = 1e-3, body: int = 0, arm: Triple = NULL,
               outputs: Mapping[str, Any] | None = None, stop_when: Mapping[str, Any] | None = None,
               law: Any = None) -> list[Path]:  # fmt: skip
    """Write what `export_c` writes, and ``hil.c``: the model as a device whose ``handle`` is a point of it.

    ``force`` names the inputs that the felt force drives along x, y and z of N, None where none does; ``body`` is the
    number of the body that is held in the loop's mechanism, ``arm`` where. It begins at q and u. A ``law`` commands
    other inputs of it, once in every step.
    """
    point = _point(equations, handle)
    inputs = _inputs(equations, force)
    start = [*_start(equations, q, equations.q, "coordinates q"), *_start(equations, u, equations.u, "speeds u")]
    more = {**(outputs or {}), PLACE: point, VELOCITY: equations.velocity(point)}
    if law is None:
        paths = export_c(equations, directory, outputs=more, stop_when=stop_when)
    else:
        paths = export_law(law, equations, directory, outputs=more, stop_when=stop_when)
    name = paths[0].stem
    filled = {
        "title": equations.name.replace("*/", "* /"), "name": name, "NAME": name.upper(), "step": literal(float(step)),
        "force": ", ".join(map(str, inputs)), "arm": _numbers(arm), "body": str(int(body)),
        "place": PLACE, "velocity": VELOCITY, "x": _numbers(start), "p": f"{name}_p0" if equations.p else "NULL",
        "r": _numbers([float(equations.system.values.get(symbol, 0.0)) for symbol in equations.r]),
        **_law(law, equations, name, paths),
    }  # fmt: skip
    text = HOLE.sub(lambda found: filled[found[1]], TEMPLATE.read_text(encoding="utf-8"))
    target = Path(directory) / "hil.c"
    write_text(target, text)
    rule = RULE.format(name=name, law=f" {paths[-1].stem}.o" if len(paths) > 4 else "")
    write_text(paths[3], paths[3].read_text(encoding="utf-8") + rule)
    return [*paths, target]


def _law(law: Any, equations: Equations, name: str, paths: Sequence[Path]) -> dict[str, str]:
    """What a law adds to the program: its header, and what is commanded in a step."""
    if law is None:
        return {"law_include": "", "law_command": NO_LAW}
    names, inputs = [symbol.name for symbol in equations.r], commanded(law, equations)
    places = [names.index(each) for each in inputs]
    if len(paths) > 4:
        own = paths[-1].stem
        text = PROJECTED.format(law=own, LAW=own.upper(), NAME=name.upper(), places=", ".join(map(str, places)))
        return {"law_include": f'#include "{own}.h"\n', "law_command": text}
    lines = [f"    double command[{len(inputs)}];"]
    lines += [f"    {name}_command_{each}(d->t, d->x, d->x + {name.upper()}_NQ, d->r, p, command + {i});"
              for i, each in enumerate(inputs)]  # fmt: skip
    lines += [f"    d->r[{place}] = command[{i}];" for i, place in enumerate(places)]
    return {"law_include": "", "law_command": "\n".join([*lines, "    return 0;"])}


def _point(equations: Equations, handle: Point | str) -> Point:
    found = look_up(equations, handle) if isinstance(handle, str) else handle
    if not isinstance(found, Point):
        raise EvaluationError(f"the handle of '{equations.name}' is {handle!r}, which is no point. Name a point.")
    return found


def _inputs(equations: Equations, force: Sequence[str | None]) -> list[int]:
    """The numbers of the inputs by their names."""
    names = [symbol.name for symbol in equations.r]
    wanted = [*force, None, None, None][:3]
    for name in wanted:
        if name is not None and name not in names:
            raise EvaluationError(f"'{name}' is not an input of '{equations.name}'.{undeclared(name, names)}")
    if len(force) > 3 or not any(wanted):
        raise EvaluationError(f"the felt force drives {list(force)!r}. Name an input for x, y or z at least.")
    return [-1 if name is None else names.index(name) for name in wanted]


def _start(equations: Equations, given: Any, symbols: Sequence[Any], what: str) -> list[float]:
    """Numbers to begin with; zero, or no rotation, where none are given."""
    first = {group[0] for group in equations.system.quaternions}
    rest = {symbol: float(symbol in first) for symbol in symbols}
    return [float(value) for value in read(given, symbols, what, equations.name, rest)]


def _numbers(values: Sequence[float]) -> str:
    return ", ".join(literal(float(value)) for value in values)
