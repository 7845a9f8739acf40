"""How beams of a model file are made, and written."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from latchwork.errors import FileError, did_you_mean
from latchwork.flexible.end_conditions import MAX_MODES
from latchwork.flexible.segments import MAX_SEGMENTS
from latchwork.flexible.support import Support
from latchwork.formats.expressions.functions import FRAME, POINT, SCALAR
from latchwork.formats.model_file.build import Build
from latchwork.formats.model_file.shapes import Entry, Given
from latchwork.model import Model
from latchwork.symbolic.expr import Expr

SCALARS = ("GJ", "rho_J", "EA", "damping")
DEFAULTS = {"modes": None, "shapes": "clamped-free", "stiffening": True, "segments": 1}


def beam(build: Build, given: Given) -> None:
    """A beam with the points and frames along it."""
    entry, model = given.value, build.model
    more: dict[str, Any] = {key: build.scalar(entry[key]) for key in SCALARS if key in entry}
    more |= {key: entry[key] for key in ("stiffening", "segments") if key in entry}
    if "shapes" in entry:
        more["shapes"] = entry["shapes"].value
    if "modes" in entry:
        modes = entry["modes"]
        more["modes"] = dict(modes.values) if isinstance(modes, Entry) else modes
    EI = entry["EI"]
    made = model.beam(given.name.value, build.found(entry.get("frame")) or model.frame,
                      build.found(entry.get("root")) or model.origin, build.scalar(entry["length"]),
                      EI={key: build.scalar(each) for key, each in EI.values.items()} if isinstance(EI, Entry)
                      else build.scalar(EI), rho_A=build.scalar(entry["rho_A"]), **more)  # fmt: skip
    build.add(*(symbol for name, symbol in model.symbols.items() if name not in build.scope.symbols))
    for station in entry.get("points", []):
        made.at(build.scalar(station.value), station.name.value)
    for station in entry.get("frames", []):
        made.frame_at(build.scalar(station.value), station.name.value)


def provided(given: Given) -> Iterator[tuple[str, str]]:
    """What the entry of a beam provides besides its name: coordinates, speeds, points and frames."""
    entry, name = given.value, given.name.value
    yield POINT, f"{name}_root"
    yield from ((POINT, station.name.value) for station in entry.get("points", []))
    yield from ((FRAME, station.name.value) for station in entry.get("frames", []))
    yield from ((SCALAR, symbol) for letter in "qu" for symbol in names(given, letter))


def names(given: Given, letter: str) -> list[str]:
    """Coordinates or speeds of a beam, by the names that a model gives them."""
    entry = given.value
    parts = min(int(entry.get("segments", 1)), MAX_SEGMENTS + 1)  # what is more is refused when it is made
    modes = entry.get("modes", 3 if parts == 1 else 2)
    stem = re.sub(r"[^A-Za-z0-9_]+", "_", given.name.value)
    stems = [stem] if parts == 1 else [f"{stem}_{k + 1}" for k in range(parts)]
    bends = list(entry["EI"].values) if isinstance(entry["EI"], Entry) else ["y"]
    axial = [d for d, key in (("twist", "GJ"), ("stretch", "EA")) if key in entry]
    if isinstance(modes, Entry):
        counts = {d: int(modes.get(d, 0)) for d in (*bends, *axial)}
    else:
        counts = dict.fromkeys(bends, int(modes)) | dict.fromkeys(axial, (int(modes) + 1) // 2)
    counts = {d: min(count, MAX_MODES + 1) for d, count in counts.items()}
    ordered = [d for d in ("y", "z", "twist", "stretch") if d in counts]
    return [f"{letter}_{each}_{d}{i + 1}" for each in stems for d in ordered for i in range(counts[d])]


def support(build: Build, given: Given) -> None:
    """A support that a beam of the file slides over."""
    name, beams = given.value["beam"].value, build.model.beams
    if name not in beams:
        raise given.name.place.error(f"there is no beam '{name}'.{did_you_mean(name, beams)}")
    made = build.model.support(given.name.value, beams[name], build.found(given.value["point"]))
    build.add(made.s, build.model.symbols[f"u_{given.name.value}"])
    build.scope.hold(made.constraint)


def drive(build: Build, entry: Entry) -> None:
    """A force of a support along its beam."""
    name, supports = entry["support"].value, build.model.supports
    if name not in supports:
        raise entry.place.error(f"there is no support '{name}'.{did_you_mean(name, supports)}")
    label = entry["name"].value if "name" in entry else ""
    build.model.drive(supports[name], build.scalar(entry["force"]), label)


# --- written ------------------------------------------------------------------------------------------------------


def beam_text(scalar: Callable[[Any], str], model: Model, name: str) -> dict[str, Any]:
    """The entry of a beam."""
    made = model.beams[name]
    recipe = dict(made.recipe)
    EI = recipe.pop("EI")
    written: dict[str, Any] = {"frame": made.frame.name, "root": made.root.parent.name,
                               "length": _scalar(name, "length", recipe.pop("length"), scalar)}  # fmt: skip
    written["EI"] = ({key: _scalar(name, "EI", each, scalar) for key, each in EI.items()} if isinstance(EI, dict)
                     else _scalar(name, "EI", EI, scalar))  # fmt: skip
    for key in ("rho_A", *SCALARS):
        if recipe[key] is not None and not (key == "damping" and recipe[key] == 0.0):
            written[key] = _scalar(name, key, recipe[key], scalar)
    for key, usual in DEFAULTS.items():
        if recipe[key] != usual:
            written[key] = _word(name, key, recipe[key])
    for key, stations in zip(("points", "frames"), made.stations, strict=True):
        sliding = {f"{name}_at_{each}" for each in model.supports}
        if own := {place: scalar(s) for place, s in stations.items() if place not in sliding}:
            written[key] = own
    return written


def _scalar(name: str, what: str, value: Any, scalar: Callable[[Any], str]) -> str:
    if callable(value) and not isinstance(value, Expr):
        raise FileError(f"{what} of beam '{name}' is a Python function of s, which a model file cannot hold. Give a "
                        "number or an expression, or keep this model in Python.")  # fmt: skip
    return scalar(value)


def _word(name: str, what: str, value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict):
        return {key: str(each) for key, each in value.items()}
    if not isinstance(value, str | int):
        raise FileError(f"the {what} of beam '{name}' are Python functions, which a model file cannot hold. Name the "
                        "ends of the beam, or keep this model in Python.")  # fmt: skip
    return str(value)


def support_text(made: Support) -> dict[str, str]:
    """The entry of a support."""
    return {"beam": made.beam.name, "point": made.point.name}
