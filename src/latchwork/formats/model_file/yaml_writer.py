"""Models to model files: what ``read_model`` reads back gives the same equations, operation for operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from latchwork.errors import FileError
from latchwork.formats.expressions.literal import Literal
from latchwork.formats.expressions.vector_text import vector_text
from latchwork.formats.model_file.beam_makers import beam_text, support_text
from latchwork.formats.model_file.collision_writer import collision_text, laws_text
from latchwork.formats.model_file.constraint_writer import constraint_text
from latchwork.formats.model_file.contact_writer import contact_text, limit_text, without_shapes
from latchwork.formats.model_file.makers import usual_names
from latchwork.formats.model_file.rule_writer import rule_text, switched_text
from latchwork.formats.model_file.run_settings import RunSettings
from latchwork.formats.model_file.run_writer import run_section
from latchwork.formats.model_file.yaml_text import document
from latchwork.mechanics.algebra import Square
from latchwork.mechanics.body import Body
from latchwork.mechanics.frame import Frame
from latchwork.mechanics.joints import Link
from latchwork.mechanics.loads import Force, GeneralizedForce, Load, Spring, Torque, Torsion
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.model import Model
from latchwork.symbolic.expr import Expr
from latchwork.symbolic.ops import ZERO

INERTIA = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "yz": (1, 2), "zx": (2, 0)}


def dump(model: Model, run: RunSettings | None = None) -> str:
    """A model as the text of a model file."""
    return document(Writer(model).sections(run))


class Writer:
    """The sections of a model, as nested texts."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self.literal = Literal(model.graph)
        self.scalar = self.literal.scalar

    def sections(self, run: RunSettings | None) -> dict[str, Any]:
        self._must_be_beams()
        model, kinds = self.model, self._by_kind()
        links, bodies = model.links, [body for body in model.bodies.values() if not body.is_particle]
        particles = [body for body in model.bodies.values() if body.is_particle]
        of_joints = [*(q for link in links.values() for q in link.q), *self._bending("q")]
        touching = [each for each in model.contacts if not each.bounds and not each.recipe]
        written = {
            "latchwork": "1",
            "name": model.name,
            "parameters": {s.name: self._value(s) for s in kinds["parameter"] if s not in model.integrals},
            "inputs": {s.name: self._value(s) for s in kinds["input"]},
            "coordinates": [q.name for q in self._listed(kinds["coordinate"], of_joints)],
            "speeds": self._speeds(kinds["speed"]),
            "zero": [self.scalar(e) for e in model.zero],
            "let": {},
            "joints": {name: self._joint(link) for name, link in links.items()},
            "frames": {frame.name: self._frame(frame) for frame in self._own_frames()},
            "points": {point.name: self._point(point) for point in self._own_points()},
            "bodies": {body.name: self._body(body) for body in bodies},
            "particles": {body.name: {"point": body.center.name, "mass": self.scalar(body.mass)} for body in particles},
            "beams": {name: beam_text(self.scalar, model, name) for name in model.beams},
            "supports": {name: support_text(each) for name, each in model.supports.items()},
            "loads": self._loads(),
            "constraints": {each.name: constraint_text(self, each) for each in model.constraints
                            if each.name not in model.supports},
            "contacts": {each.name: contact_text(self, model, each) for each in touching},
            "materials": {name: laws_text(self, each.laws) for name, each in model.materials.known.items()},
            "material_pairs": [{"a": a, "b": b, **laws_text(self, laws)}
                               for (a, b), laws in model.materials.pairs.items()],
            "collide": {each.name: collision_text(self, model, each) for each in model.collisions},
            "limits": {each.name: limit_text(self, model, each) for each in model.contacts if each.bounds},
            "friction": without_shapes(self, model.contacts, "friction"),
            "ropes": without_shapes(self, model.contacts, "rope"),
            "one_way": without_shapes(self, model.contacts, "one_way"),
            "switched": switched_text(self, model.rules),
            "rules": {rule.name: rule_text(self, rule) for rule in model.rules if rule.name not in self._leaving()},
            "quantities": self._quantities(),
            "run": {} if run is None else run_section(self, run),
        }
        return written | {"let": self.literal.let}

    # --- symbols ------------------------------------------------------------------------------------------------

    def _by_kind(self) -> dict[str, list[Expr]]:
        kinds: dict[str, list[Expr]] = {"parameter": [], "input": [], "coordinate": [], "speed": [], "time": []}
        for symbol in self.model.symbols.values():
            kinds[symbol.kind].append(symbol)
        return kinds

    def _quantities(self) -> dict[str, dict[str, str]]:
        """Units and descriptions, where there are any."""
        given = {name: {"unit": s.unit, "description": s.description} for name, s in self.model.symbols.items()}
        return {name: {key: text for key, text in each.items() if text} for name, each in given.items()
                if any(each.values())}  # fmt: skip

    def _value(self, symbol: Expr) -> str | None:
        value = self.model.graph.symbols[symbol.node].value
        return None if value is None else self.scalar(value)

    def _listed(self, symbols: list[Expr], theirs: Iterable[Expr]) -> list[Expr]:
        """The symbols that belong to no joint or beam; all of them where there are several kinds, for their order."""
        belonging = set(theirs)
        own = [symbol for symbol in symbols if symbol not in belonging]
        return symbols if (own and belonging) or (self.model.beams and self.model.links) else own

    def _speeds(self, speeds: list[Expr]) -> dict[str, str | None]:
        definitions = self.model.definitions
        theirs = [*(u for link in self.model.links.values() for u in link.u), *self._bending("u")]
        for u in set(speeds) - set(theirs) - set(definitions):
            raise FileError(
                f"speed '{u}' of '{self.model.name}' has no definition u = Y q̇ + Z that a file could hold. Define it "
                "with model.speeds(...)."
            )
        return {u.name: self.scalar(definitions[u]) if u in definitions else None for u in self._listed(speeds, theirs)}

    def _must_be_beams(self) -> None:
        """Refuse bodies by arrays."""
        of_beams = {part.name for beam in self.model.beams.values() for part in beam.segments}
        for name in self.model.elastic_bodies.keys() - of_beams:
            raise FileError(f"flexible body '{name}' is made of arrays, which a model file does not hold. Keep this "
                            "model in Python.")  # fmt: skip

    # --- beams --------------------------------------------------------------------------------------------------

    def _bending(self, letter: str) -> list[Expr]:
        """The coordinates or speeds of beams and of what they slide over."""
        model = self.model
        own = [q for beam in model.beams.values() for q in beam.q] + [each.s for each in model.supports.values()]
        return own if letter == "q" else [model.speed_of(q) for q in own]

    def _leaving(self) -> set[str]:
        """The rules that came with supports."""
        return {f"{each.beam.name} leaves {name}" for name, each in self.model.supports.items()}

    def _along_beams(self, which: int) -> set[str]:
        """Names of the points (0) or frames (1) that came with beams and supports."""
        model = self.model
        found = {name for beam in model.beams.values() for part in beam.segments for name in part.stations[which]}
        parts = [part for beam in model.beams.values() for part in beam.segments]
        return found | {f"{part.name}_own" if which else part.root.name for part in parts}

    # --- geometry -----------------------------------------------------------------------------------------------

    def vector(self, v: Vector) -> str:
        """Measure numbers times unit vectors, in the order they stand in."""
        return vector_text(self.literal, v)

    def _own_frames(self) -> list[Frame]:
        carried = {link.frame for link in self.model.links.values()}
        along = self._along_beams(1)
        named = [f for f in self.model.frames.values() if f.parent and f not in carried and f.name not in along]
        return [f for f in named if "within" not in f.recipe]

    def _frame(self, frame: Frame) -> dict[str, Any]:
        assert frame.parent is not None
        home = frame.parent
        while "within" in home.recipe and home.recipe["within"] == frame.name and home.parent:
            home = home.parent
        ((kind, how),) = frame.recipe.items()
        written = {"parent": home.name, kind: RECIPES[kind](self, how)}
        return written if frame.spun is None else {**written, "spin": self.vector(frame.spun)}

    def _own_points(self) -> list[Point]:
        carried = {link.origin for link in self.model.links.values()}
        along = self._along_beams(0)
        named = [point for point in self.model.points.values() if point.parent and point not in carried]
        return [point for point in named if point.name not in along]

    def _point(self, point: Point) -> dict[str, Any]:
        assert point.parent is not None
        return {"from": point.parent.name, "at": self.vector(point.offset)} | self._moves(point)

    def _moves(self, point: Point) -> dict[str, Any]:
        moves = {} if point.moved is None else {"moves": self.vector(point.moved)}
        return moves if point.located else {**moves, "located": "false"}

    def _joint(self, link: Link) -> dict[str, Any]:
        written: dict[str, Any] = {"type": link.joint.name, "inboard": link.inboard.name, "at": link.base.name}
        if link.axis is not None:
            written["axis"] = self.vector(link.axis)
        for letter, symbols in (("q", link.q), ("u", link.u)):
            names = [symbol.name for symbol in symbols]
            if names != usual_names(link.joint.name, link.name, letter):
                written[letter] = names
        if link.frame.spun is not None:
            written["spin"] = self.vector(link.frame.spun)
        return written | self._moves(link.origin)

    # --- bodies and loads ---------------------------------------------------------------------------------------

    def _body(self, body: Body) -> dict[str, Any]:
        assert body.frame is not None
        written: dict[str, Any] = {"frame": body.frame.name, "center": body.center.name, "mass": self.scalar(body.mass)}
        parts = body.inertia.parts if body.inertia is not None else {}
        inertia = [self._inertia(body, frame, square) for (frame, _), square in parts.items()]
        if body.inertia is not None:
            written["inertia"] = inertia if len(inertia) > 1 else {} if not inertia else inertia[0]
        return written

    def _inertia(self, body: Body, frame: Frame, square: Square) -> dict[str, str]:
        if any(square[i][j] != square[j][i] for i, j in INERTIA.values()):
            raise FileError(f"the inertia of '{body.name}' is not symmetric: it cannot be written. Give one that is.")
        scalars = {key: square[i][j] for key, (i, j) in INERTIA.items() if square[i][j] != ZERO}
        written = {key: self.scalar(Expr(self.model.graph, node)) for key, node in scalars.items()}
        return written if frame is body.frame else {**written, "frame": frame.name}

    def _loads(self) -> list[dict[str, Any]]:
        gravity = self.model.uniform_gravity
        written: list[dict[str, Any]] = [] if gravity is None else [{"gravity": self.vector(gravity)}]
        elastic = {part.elasticity for beam in self.model.beams.values() for part in beam.segments}
        for load in (each for each in self.model.loads if each not in elastic):
            key, fields = LOADS[type(load)]
            entry = {name: value for name, value in fields(self, load).items() if value is not None}
            written.append({key: entry | ({"name": load.name} if load.name else {})})
        return written


def _named(item: Frame | Point | None) -> str | None:
    return None if item is None else item.name


RECIPES: dict[str, Callable[[Writer, Any], Any]] = {
    "rotate": lambda w, how: {"angle": w.scalar(how["angle"]), "axis": w.vector(how["axis"])},
    "body": lambda w, how: {"sequence": how["sequence"], "angles": [*map(w.scalar, how["angles"])]},
    "space": lambda w, how: {"sequence": how["sequence"], "angles": [*map(w.scalar, how["angles"])]},
    "quaternion": lambda w, how: [*map(w.scalar, how)],
    "cosines": lambda w, how: [[*map(w.scalar, row)] for row in how],
    "spinning": lambda w, how: [*map(w.scalar, how)],
}


def _elastic(w: Writer, load: Any, rest: str) -> dict[str, str]:
    written = {key: w.scalar(getattr(load, key)) for key in ("stiffness", rest, "damping")}
    return {key: value for key, value in written.items() if value != "0"}


def _paired(w: Writer, load: Any) -> dict[str, Any]:
    potential = None if load.potential is None else w.scalar(load.potential)
    return {"vector": w.vector(load.vector), "reaction": _named(load.reaction), "potential": potential}


def _drive(w: Writer, load: GeneralizedForce) -> dict[str, Any]:
    """A force of a support; others on coordinates have no word in files."""
    by_s = {each.s: name for name, each in w.model.supports.items()}
    if len(load.efforts) != 1 or load.efforts[0][0] not in by_s:
        raise FileError(f"the generalized force '{load.name}' has no place in a model file. Give forces and torques.")
    q, effort = load.efforts[0]
    return {"support": by_s[q], "force": w.scalar(-effort)}


LOADS: dict[type[Load], tuple[str, Callable[[Writer, Any], dict[str, Any]]]] = {
    Force: ("force", lambda w, f: {"at": f.point.name, **_paired(w, f)}),
    Torque: ("torque", lambda w, f: {"on": f.frame.name, **_paired(w, f)}),
    Spring: ("spring", lambda w, f: {"between": [f.p.name, f.q.name], **_elastic(w, f, "length")}),
    Torsion: ("torsion", lambda w, f: {
        "on": f.frame.name, "reaction": _named(f.reaction), "axis": w.vector(f.axis), "angle": w.scalar(f.angle),
        **_elastic(w, f, "rest"),
    }),
    GeneralizedForce: ("drive", _drive),
}  # fmt: skip
