"""How each entry of a model file is made, one function or row each."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from latchwork.formats.expressions.evaluate import evaluated
from latchwork.formats.expressions.functions import FUNCTIONS
from latchwork.formats.model_file.beam_makers import drive
from latchwork.formats.model_file.build import Build
from latchwork.formats.model_file.shapes import Entry, Given
from latchwork.formats.places import Text, shown
from latchwork.mechanics.body import inertia
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import JOINTS
from latchwork.mechanics.vector import Dyadic
from latchwork.model import NAME, RESERVED
from latchwork.symbolic.quantity import quantity

# --- symbols ------------------------------------------------------------------------------------------------------


def parameter(build: Build, given: Given) -> None:
    build.add(build.model.parameter(given.name.value, given.value))


def an_input(build: Build, given: Given) -> None:
    build.add(build.model.input(given.name.value, given.value))


def coordinate(build: Build, name: Text) -> None:
    build.add(build.model.coordinate(name.value))


def speed(build: Build, given: Given) -> None:
    build.add(*build.model.speeds(**{given.name.value: build.scalar(given.value)}))


def described(build: Build, given: Given) -> None:
    texts = {key: text.value for key, text in given.value.values.items()}
    build.model.describe(**{given.name.value: quantity(**texts)})


def let(build: Build, given: Given) -> None:
    name = given.name.value
    if not NAME.match(name) or name in RESERVED or name in FUNCTIONS:
        raise given.name.place.error(f"'{shown(name)}' cannot be a name under 'let'. Use letters and digits, e.g. z1.")
    if name in build.scope.symbols:
        raise given.name.place.error(f"'{name}' is the name of something else already. Choose another under 'let'.")
    build.scope.symbols[name] = evaluated(given.value, build.scope)


# --- geometry -----------------------------------------------------------------------------------------------------


def frame(build: Build, given: Given) -> None:
    parent = build.found(given.value.get("parent")) or build.model.frame
    for key, make in FRAMES.items():
        if key in given.value:
            make(build, parent, given.name.value, given.value[key])


FRAMES: dict[str, Callable[[Build, Frame, str, Any], Frame]] = {
    "rotate": lambda b, a, name, e: a.rotated(name, b.scalar(e["angle"]), b.vector(e["axis"])),
    "body": lambda b, a, name, e: a.body_fixed(name, e["sequence"].value, *map(b.scalar, e["angles"])),
    "space": lambda b, a, name, e: a.space_fixed(name, e["sequence"].value, *map(b.scalar, e["angles"])),
    "quaternion": lambda b, a, name, e: a.quaternion(name, *map(b.scalar, e)),
    "cosines": lambda b, a, name, e: a.cosines(name, [[b.scalar(code) for code in row] for row in e]),
    "spinning": lambda b, a, name, e: a.spinning(name, *map(b.scalar, e)),
}


def point(build: Build, given: Given) -> None:
    start = build.found(given.value.get("from")) or build.model.origin
    made = start.at(given.name.value, build.vector(given.value["at"]))
    made.located = _located(given)


def joint(build: Build, given: Given) -> None:
    name, entry = given.name.value, given.value
    inboard = entry.get("inboard")
    link = build.model.joint(
        entry["type"],
        name,
        build.model.links.get(inboard.text.value, build.found(inboard)) if inboard else None,
        at=build.found(entry.get("at")),
        axis=build.vector(entry["axis"]) if "axis" in entry else None,
        q=joint_names(given, "q"),
        u=joint_names(given, "u"),
    )
    link.origin.located = _located(given)
    build.add(*link.q, *link.u)
    build.scope.alias(link)


def _located(given: Given) -> bool:
    """Whether the coordinates tell where a point is; if not, its velocity must be declared."""
    located: bool = given.value.get("located", True)
    if not located and "moves" not in given.value:
        raise given.name.place.error(f"'{given.name.value}' is not located: declare its velocity with 'moves'.")
    return located


def joint_names(given: Given, letter: str) -> list[str]:
    """The names of a joint's coordinates or speeds: those given, else the usual ones."""
    if letter in given.value:
        return [text.value for text in given.value[letter]]
    return usual_names(given.value["type"], given.name.value, letter)


def usual_names(kind: str, name: str, letter: str) -> list[str]:
    """What Model calls the coordinates or speeds of a joint unless told otherwise."""
    suffixes = JOINTS[kind].q_suffixes if letter == "q" else JOINTS[kind].u_suffixes
    stem = f"{letter}_{name}"
    return [stem if len(suffixes) == 1 else f"{stem}_{suffix}" for suffix in suffixes]


def spin(build: Build, given: Given) -> None:
    build.model.frames[given.name.value].spin(build.model.frame, build.vector(given.value["spin"]))


def moves(build: Build, given: Given) -> None:
    name = given.name.value
    moving = build.model.links[name].origin if "type" in given.value else build.model.points[name]
    moving.moves(build.model.frame, build.vector(given.value["moves"]), located=moving.located)


# --- bodies and loads ---------------------------------------------------------------------------------------------


def body(build: Build, given: Given) -> None:
    entry = given.value
    home = build.found(entry["frame"])
    parts = [_inertia(build, home, part) for part in entry.get("inertia", [])]
    made = build.model.body(
        given.name.value,
        home,
        build.found(entry["center"]),
        build.scalar(entry["mass"]),
        sum(parts[1:], start=parts[0]) if parts else None,
        about=build.found(entry.get("about")),
    )
    build.scope.alias(made)


def _inertia(build: Build, home: Frame, entry: Entry) -> Dyadic:
    scalars = {key: build.scalar(code) for key, code in entry.values.items() if key != "frame"}
    return inertia(build.found(entry.get("frame")) or home, **scalars)


def particle(build: Build, given: Given) -> None:
    made = build.model.particle(given.name.value, build.found(given.value["point"]), build.scalar(given.value["mass"]))
    build.scope.alias(made)


def load(build: Build, entry: Entry) -> None:
    ((key, given),) = entry.values.items()
    LOADS[key](build, given)


def _paired(build: Build, e: Entry) -> dict[str, Any]:
    potential = build.scalar(e["potential"]) if "potential" in e else None
    return {"reaction": build.found(e.get("reaction")), "potential": potential, "name": _label(e)}


def _elastic(build: Build, e: Entry, rest: str) -> dict[str, Any]:
    return {key: build.scalar(e.get(key)) for key in ("stiffness", rest, "damping")} | {"name": _label(e)}


def _label(e: Entry) -> str:
    return e["name"].value if "name" in e else ""


LOADS: dict[str, Callable[[Build, Any], Any]] = {
    "drive": drive,
    "gravity": lambda b, e: b.model.gravity(b.vector(e)),
    "force": lambda b, e: b.model.force(b.found(e["at"]), b.vector(e["vector"]), **_paired(b, e)),
    "torque": lambda b, e: b.model.torque(b.found(e["on"]), b.vector(e["vector"]), **_paired(b, e)),
    "spring": lambda b, e: b.model.spring(*map(b.found, e["between"]), **_elastic(b, e, "length")),
    "torsion": lambda b, e: b.model.torsion(
        b.found(e["on"]), b.found(e.get("reaction")), b.vector(e["axis"]), b.scalar(e["angle"]),
        **_elastic(b, e, "rest"),
    ),
    "actuate": lambda b, e: b.model.actuate(b.found(e["joint"]), b.scalar(e["effort"]), _label(e)),
    "resist": lambda b, e: b.model.resist(b.found(e["joint"]), **_elastic(b, e, "rest")),
}  # fmt: skip
