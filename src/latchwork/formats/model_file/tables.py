"""The words of a model file, one row each: the reader, the schema and the reference page follow these tables."""

from __future__ import annotations

from latchwork.formats.model_file.beam_tables import BEAM, DRIVE, MOST_BEAMS, SUPPORT
from latchwork.formats.model_file.constraint_tables import CONSTRAINT
from latchwork.formats.model_file.contact_tables import (
    COLLIDE,
    CONTACT,
    JOINT_FRICTION,
    LIMIT,
    MATERIAL,
    MATERIAL_PAIR,
    MOST_COLLISIONS,
    MOST_CONTACTS,
    MOST_MATERIALS,
    ONE_AXIS,
    ONE_WAY,
    ROPE,
)
from latchwork.formats.model_file.grammar import Field, Listed, Named, Shape
from latchwork.formats.model_file.rule_tables import MOST_RULES, RULE, SWITCHED
from latchwork.formats.model_file.run_tables import RUN
from latchwork.formats.model_file.study_tables import STUDY

ROTATE = Shape("rotate", {
    "angle": Field("scalar", "angle of the turn", needed=True),
    "axis": Field("vector", "axis of the turn, fixed in the parent", needed=True),
})  # fmt: skip
SEQUENCE = Shape("sequence", {
    "sequence": Field("text", "axes of successive turns, e.g. zxz", needed=True),
    "angles": Field(Listed("scalar"), "one angle for each axis", needed=True),
})  # fmt: skip
FRAME = Shape("frame", {
    "parent": Field("frame", "what it is turned from; N unless given"),
    "rotate": Field(ROTATE, "a simple rotation"),
    "body": Field(SEQUENCE, "turns about the new axes"),
    "space": Field(SEQUENCE, "turns about the parent's axes"),
    "quaternion": Field(Listed("scalar", count=4), "Euler parameters, scalar first"),
    "cosines": Field(Listed(Listed("scalar", count=3), count=3), "rows: (axis i of the parent) · (axis j of this)"),
    "spinning": Field(Listed("scalar", count=3), "spin alone: measures of its angular velocity on the parent's axes"),
    "spin": Field("vector", "declared angular velocity in N, checked against the coordinates"),
}, one_of=("rotate", "body", "space", "quaternion", "cosines", "spinning"))  # fmt: skip
POINT = Shape("point", {
    "from": Field("point", "where it is measured from; O unless given"),
    "at": Field("vector", "position relative to that point", needed=True),
    "moves": Field("vector", "declared velocity in N, checked against the coordinates"),
    "located": Field("truth", "false where the coordinates do not tell its place: then nothing is checked"),
})  # fmt: skip
JOINT = Shape("joint", {
    "type": Field("joint type", "which row of the table of joints", needed=True),
    "inboard": Field("frame", "frame or joint it is mounted on; N unless given"),
    "at": Field("point", "a point fixed there; the inboard joint's origin, or O, unless given"),
    "axis": Field("vector", "axis of a revolute, prismatic or cylindrical joint; the inboard z axis unless given"),
    "q": Field(Listed("name", or_one=True), "names of its coordinates"),
    "u": Field(Listed("name", or_one=True), "names of its speeds"),
    "spin": Field("vector", "declared angular velocity of its frame in N, checked against the coordinates"),
    "moves": Field("vector", "declared velocity of its origin in N, checked against the coordinates"),
    "located": Field("truth", "false where the coordinates do not tell the place of its origin"),
})  # fmt: skip
INERTIA = Shape("inertia", {
    **{key: Field("scalar", f"moment of inertia {key}") for key in ("xx", "yy", "zz")},
    **{key: Field("scalar", f"product of inertia {key}, as it stands in the matrix") for key in ("xy", "yz", "zx")},
    "frame": Field("frame", "frame of these scalars; the body's unless given"),
})  # fmt: skip
BODY = Shape("body", {
    "frame": Field("frame", "the frame it is fixed in", needed=True),
    "center": Field("point", "its mass centre", needed=True),
    "mass": Field("scalar", "its mass", needed=True),
    "inertia": Field(Listed(INERTIA, or_one=True), "its inertia; a list is a sum"),
    "about": Field("point", "the point of the body that the inertia is about; the mass centre unless given"),
})  # fmt: skip
PARTICLE = Shape("particle", {
    "point": Field("point", "where it is", needed=True),
    "mass": Field("scalar", "its mass", needed=True),
})  # fmt: skip

LABEL = Field("text", "a name to find it by")
POTENTIAL = Field("scalar", "its potential energy, where it has one: counted in V instead of in work")
STIFFNESS = {"stiffness": Field("scalar", "k; 0 unless given"), "damping": Field("scalar", "c; 0 unless given")}
LOAD = Shape("load", {
    "gravity": Field("vector", "acceleration of gravity, on every body"),
    "force": Field(Shape("force", {
        "at": Field("point", "where it acts", needed=True),
        "vector": Field("vector", "the force", needed=True),
        "reaction": Field("point", "where the opposite force acts"),
        "potential": POTENTIAL,
        "name": LABEL,
    }), "a force at a point"),
    "torque": Field(Shape("torque", {
        "on": Field("frame", "what it acts on", needed=True),
        "vector": Field("vector", "the torque", needed=True),
        "reaction": Field("frame", "what the opposite torque acts on"),
        "potential": POTENTIAL,
        "name": LABEL,
    }), "a torque on a frame or body"),
    "spring": Field(Shape("spring", {
        "between": Field(Listed("point", count=2), "its two ends", needed=True),
        **STIFFNESS,
        "length": Field("scalar", "natural length; 0 unless given"),
        "name": LABEL,
    }), "a linear spring and damper between two points"),
    "torsion": Field(Shape("torsion", {
        "on": Field("frame", "what it acts on", needed=True),
        "reaction": Field("frame", "what the opposite torque acts on"),
        "axis": Field("vector", "the axis of the torque", needed=True),
        "angle": Field("scalar", "the angle it resists", needed=True),
        **STIFFNESS,
        "rest": Field("scalar", "angle at rest; 0 unless given"),
        "name": LABEL,
    }), "a torsional spring and damper: -k (angle - rest) - c dt(angle)"),
    "actuate": Field(Shape("actuate", {
        "joint": ONE_AXIS,
        "effort": Field("scalar", "torque or force along its axis", needed=True),
        "name": LABEL,
    }), "a motor or ram in a joint"),
    "resist": Field(Shape("resist", {
        "joint": ONE_AXIS,
        **STIFFNESS,
        "rest": Field("scalar", "coordinate at rest; 0 unless given"),
        "name": LABEL,
    }), "a spring and damper in a joint"),
    "drive": Field(DRIVE, "a force of a support along the beam that slides over it"),
}, one_of=("gravity", "force", "torque", "spring", "torsion", "actuate", "resist", "drive"))  # fmt: skip
QUANTITY = Shape("quantity", {
    "unit": Field("text", "unit, such as kg m^2/s; a label, nothing is converted"),
    "description": Field("text", "what it is, in a few words"),
})  # fmt: skip


def contacts(kind: Shape, about: str) -> Field:
    """What may touch, or stop, by names; not more than a file may have."""
    return Field(Named(kind, most=MOST_CONTACTS), about)


MODEL = Shape("model", {
    "latchwork": Field("version", "version of this format", needed=True),
    "name": Field("text", "name of the model", needed=True),
    "parameters": Field(Named("value"), "constants, each with its value"),
    "inputs": Field(Named("number"), "quantities given from outside during a run, each with its value at rest"),
    "coordinates": Field(Listed("name"), "generalized coordinates q, besides those of the joints"),
    "speeds": Field(Named("definition"), "generalized speeds u, besides those of the joints; u = dt(q) unless given"),
    "zero": Field(Listed("scalar"), "motion constraints built into the speeds: expressions linear in dt(q), to vanish"),
    "let": Field(Named("expression"), "names for expressions that are used elsewhere in the file"),
    "frames": Field(Named(FRAME), "reference frames"),
    "points": Field(Named(POINT), "points"),
    "joints": Field(Named(JOINT), "joints; each carries a frame of its own name and a point NAME_o"),
    "bodies": Field(Named(BODY), "rigid bodies"),
    "particles": Field(Named(PARTICLE), "particles"),
    "beams": Field(Named(BEAM, most=MOST_BEAMS), "beams that bend"),
    "supports": Field(Named(SUPPORT, most=MOST_BEAMS), "points that beams slide over"),
    "loads": Field(Listed(LOAD), "forces and torques, and elements made of them"),
    "constraints": Field(Named(CONSTRAINT), "what must hold in every run, each by its name"),
    "contacts": contacts(CONTACT, "what may touch in a run, each pair of shapes by a name"),
    "materials": Field(Named(MATERIAL, most=MOST_MATERIALS), "surfaces by name, and what each obeys on its own kind"),
    "material_pairs": Field(Listed(MATERIAL_PAIR, most=MOST_CONTACTS), "what surfaces of two materials obey"),
    "collide": Field(Named(COLLIDE, most=MOST_COLLISIONS), "shapes of which any two may touch, without a list"),
    "limits": contacts(LIMIT, "stops of joints, each by its name"),
    "friction": contacts(JOINT_FRICTION, "dry friction of joints, each by its name"),
    "ropes": contacts(ROPE, "ropes between two points, each by its name"),
    "one_way": contacts(ONE_WAY, "one-way clutches, each by its name"),
    "switched": Field(Named(SWITCHED, most=MOST_RULES), "constraints that rules hold and let go, each by its name"),
    "rules": Field(Named(RULE, most=MOST_RULES), "what happens in a run where a condition falls through zero"),
    "quantities": Field(Named(QUANTITY), "units and descriptions of symbols, each by its name"),
    "run": Field(RUN, "how to run it, for `latchwork run`"),
    "study": Field(STUDY, "at which points to study it, for `latchwork study`"),
})  # fmt: skip
