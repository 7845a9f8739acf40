"""The words of a model file for contacts, one row each: shapes have those of their classes, laws those of `Contact`."""

from __future__ import annotations

from latchwork.formats.model_file.grammar import Either, Field, Listed, Named, Shape

MOST_CONTACTS = 5_000
MOST_COLLIDERS = 2_000  # shapes of a collision
MOST_COLLISIONS = 100
MOST_MATERIALS = 200
MOST_FEATURES = 20_000  # of all contacts of a file together
MOST_PARTS = 1_000  # corners, pieces, zones
MOST_SQUARES = 4_000_000  # corners are looked at in pairs: of all shapes of a file together
MOST_VERTICES = 2_000
MOST_CORNERS = 4_000  # of solids that meet solids, of all contacts of a file together
MOST_MESHES = 50

AXIS = Field("vector", "about which it goes round; N.z unless given")
BODY = {"body": Field("frame", "what it is fixed in: a frame, joint or body; found from the rest unless given")}
TURNS = {"body": Field("frame", "what it turns with: a frame, joint or body; N for nothing, if its centre moves")}
CENTER = Field("point", "its centre", needed=True)
RADIUS = Field("scalar", "its radius", needed=True)
ENDS = {"p": Field("point", "one end", needed=True), "q": Field("point", "the other end", needed=True)}
NORMAL = Field("vector", "out of the material", needed=True)
BELT = Field("expression", "velocity of its surface on its body: a speed along it, or a vector")
SIDE = Field("number", "1, or -1 to turn its outside around")

LINE = Shape("line", {
    "point": Field("point", "a point on it", needed=True),
    "direction": Field("vector", "along it", needed=True),
    "normal": NORMAL,
    **BODY,
    "belt": BELT,
})  # fmt: skip
HALF_SPACE = Shape("plane in space", {
    "point": Field("point", "a point on it", needed=True),
    "normal": NORMAL,
    **BODY,
    "belt": Field("vector", "velocity of its surface on its body"),
})  # fmt: skip
SEGMENT = Shape("segment", {
    **ENDS,
    "normal": Field("vector", "out of the material; without one it is a thin wire or wall"),
    **BODY,
    "belt": BELT,
    "depth": Field("scalar", "how deep the material is; as its length unless given"),
})  # fmt: skip
POLYLINE = Shape("polyline", {
    "points": Field(Listed("point", most=MOST_PARTS), "its corners; the outside is on the left of travel", needed=True),
    "closed": Field("truth", "true where the last is joined to the first"),
    "axis": AXIS,
    **BODY,
    "belt": BELT,
})  # fmt: skip
ARC = Shape("arc", {
    "center": CENTER,
    "radius": RADIUS,
    "start": Field("vector", "from the centre to where it begins; a whole ring without"),
    "angle": Field("scalar", "how far it goes from there"),
    "axis": AXIS,
    "inside": Field("truth", "true where it is touched from inside"),
    **BODY,
    "belt": BELT,
})  # fmt: skip
PIECE = Shape("piece", {
    "segment": Field(SEGMENT, "a straight piece, with a normal"),
    "arc": Field(ARC, "a round piece"),
}, one_of=("segment", "arc"))  # fmt: skip
BOUNDARY = Shape("boundary", {
    "pieces": Field(Listed(PIECE, most=MOST_PARTS), "each beginning where the one before ends", needed=True),
})  # fmt: skip
CIRCLE = Shape("circle", {"center": CENTER, "radius": RADIUS, **TURNS})
CAPSULE = Shape("capsule", {**ENDS, "radius": RADIUS, **BODY})
RIM = Shape("rim", {
    "center": CENTER,
    "axis": Field("vector", "its axle", needed=True),
    "radius": RADIUS,
    **TURNS,
    "tube": Field("scalar", "radius of the tyre; 0 unless given"),
})  # fmt: skip
BOX = Shape("box", {
    "center": CENTER,
    "sizes": Field(Listed("scalar", most=3), "along x and y, and z in space", needed=True),
    **TURNS,
})  # fmt: skip
HULL = Shape("hull", {
    "points": Field(Listed("point", most=MOST_VERTICES), "its corners, points of its body"),
    "vertices": Field(Listed(Listed("number", most=3), most=MOST_VERTICES), "its corners, as measures in its body"),
    "file": Field("text", "a mesh, STL, OBJ or DAE, inside the folder of this file; its hull, measured in its body"),
    **TURNS,
    "center": Field("point", "what these are measured from; the joint's origin or the mass centre unless given"),
}, one_of=("points", "vertices", "file"))  # fmt: skip
CURVE = Shape("contact curve", {
    "point": Field("point", "a point of its body, from which it is measured", needed=True),
    "shape": Field("vector", "from that point to the curve, in s", needed=True),
    "span": Field(Listed("number", count=2), "where s begins and ends", needed=True),
    **BODY,
    "closed": Field("truth", "true where its end is its beginning"),
    "side": SIDE,
    "up": Field("vector", "across its plane; seen from its tip the outside is on the left; N.z unless given"),
    "ends": Field("truth", "true where its ends are touched too"),
})  # fmt: skip
SURFACE = Shape("surface", {
    "point": Field("point", "a point of its body, from which it is measured", needed=True),
    "shape": Field("vector", "from that point to the surface, in a and b", needed=True),
    "spans": Field(Listed(Listed("number", count=2), count=2), "where a begins and ends, and b", needed=True),
    **BODY,
    "periodic": Field(Listed("truth", count=2), "which of them close on themselves"),
    "side": SIDE,
})  # fmt: skip

FACE = Shape("face of a beam", {
    "beam": Field("text", "the beam, which bends in a plane", needed=True),
    "side": Field("number", "1 where deflections are positive, or -1; 1 unless given"),
    "height": Field("scalar", "over its axis; 0 unless given"),
    "ends": Field("truth", "false where its ends are not touched"),
})  # fmt: skip

# A word for each class of shapes: in small letters.
SHAPES = {
    "line": Field(LINE, "a line in the plane, without end"),
    "plane": Field(HALF_SPACE, "a plane in space, without end"),
    "segment": Field(SEGMENT, "from one point to another"),
    "polyline": Field(POLYLINE, "points joined by straight edges"),
    "arc": Field(ARC, "part of a circle, or a ring"),
    "boundary": Field(BOUNDARY, "segments and arcs, one after the other"),
    "circle": Field(CIRCLE, "a disk in the plane"),
    "sphere": Field(CIRCLE, "a ball"),
    "capsule": Field(CAPSULE, "a rod with round ends"),
    "cylinder": Field(CAPSULE, "a rod with flat ends, on all in space but cones, rims and surfaces"),
    "cone": Field(CAPSULE, "its base about p, its tip at q; on all but cylinders, cones, rims and surfaces"),
    "rim": Field(RIM, "the edge of a coin or wheel"),
    "box": Field(BOX, "a box along the axes of its body"),
    "hull": Field(HULL, "the convex hull of points"),
    "curve": Field(CURVE, "a curve in a plane, given by an expression"),
    "surface": Field(SURFACE, "a surface, given by an expression"),
    "face": Field(FACE, "a side of a beam, which bends with it"),
}
SHAPE = Shape("shape", SHAPES, one_of=tuple(SHAPES))

ZONES = Shape("zones", {
    "along": Field("scalar", "what the zones lie along", needed=True),
    "bounds": Field(Listed("scalar", most=MOST_PARTS), "where one ends and the next begins, growing", needed=True),
    "values": Field(Listed("scalar", most=MOST_PARTS), "the value of each, one more than bounds", needed=True),
})  # fmt: skip
BY_ZONE = Either("scalar", Shape("by zone", {"zones": Field(ZONES, "a value for each zone", needed=True)}))


def restitution(where: str = "") -> Field:
    """A coefficient of restitution of impacts."""
    return Field(BY_ZONE, f"0 to 1, of an impact{where}; 0 unless given")


FRICTION = Shape("friction", {
    "static": Field(BY_ZONE, "coefficient while it sticks", needed=True),
    "dynamic": Field(BY_ZONE, "coefficient while it slides; as static unless given"),
    "rolling": Field(BY_ZONE, "a length: the largest torque across the normal over the normal force; 0 unless given"),
    "pivoting": Field(BY_ZONE, "a length: the largest torque about the normal over the normal force; 0 unless given"),
})  # fmt: skip
ONE_AXIS = Field("joint", "a revolute or prismatic joint", needed=True)
LIMIT = Shape("limit", {
    "joint": ONE_AXIS,
    "low": Field("scalar", "the least value of its coordinate; none unless given"),
    "high": Field("scalar", "the greatest value of its coordinate; none unless given"),
    "restitution": restitution(" on a stop"),
})  # fmt: skip
RATE = {
    "joint": Field("joint", "a joint that moves"),
    "rate": Field("scalar", "or a speed: an expression such as dt(q1) - dt(q2)"),
}
JOINT_FRICTION = Shape("friction of a joint", {
    **RATE,
    "static": Field(BY_ZONE, "the largest force or torque while it sticks", needed=True),
    "dynamic": Field(BY_ZONE, "the force or torque while it slides; as static unless given"),
}, one_of=("joint", "rate"))  # fmt: skip
ROPE = Shape("rope", {
    "a": Field("point", "one end", needed=True),
    "b": Field("point", "the other end", needed=True),
    "length": Field("scalar", "a number, or an expression in t and parameters", needed=True),
    "restitution": restitution(" where it goes taut"),
})  # fmt: skip
ONE_WAY = Shape("one-way clutch", {
    **RATE,
    "restitution": restitution(" that would turn it back"),
}, one_of=("joint", "rate"))  # fmt: skip
LAWS = {
    "restitution": restitution(),
    "friction": Field(Either("scalar", FRICTION), "a coefficient, or two; none unless given"),
    "adhesion": Field(BY_ZONE, "the largest force by which each place pulls; 0 unless given"),
}
IMPACT = Field("law of impact", "newton unless given")
MATERIAL = Shape("material", LAWS)
MATERIAL_PAIR = Shape("pair of materials", {
    "a": Field("text", "the name of a material", needed=True),
    "b": Field("text", "the name of another", needed=True),
    **LAWS,
})  # fmt: skip
COLLIDING = {word: field for word, field in SHAPES.items() if word not in ("curve", "surface", "face")}
COLLIDER = Shape("shape that collides", {
    **COLLIDING,
    "point": Field("point", "a point, or a particle by its name"),
    "material": Field("text", "the name of its material"),
    "contype": Field("bits", "what it is, as in MuJoCo; 1 unless given"),
    "conaffinity": Field("bits", "what it meets, as in MuJoCo; 1 unless given"),
}, one_of=(*COLLIDING, "point"))  # fmt: skip
COLLIDE = Shape("collision", {
    "shapes": Field(Named(COLLIDER, most=MOST_COLLIDERS), "what collides, each by a name", needed=True),
    **LAWS,
    "impact": IMPACT,
    "without": Field(Listed(Listed("text", count=2), most=MOST_CONTACTS), "pairs of names that never touch"),
    "neighbours": Field("truth", "true where bodies that a joint joins collide too"),
    "sides": Field("count", "of the prisms in the place of cylinders and cones, where no plane meets them"),
})  # fmt: skip
CONTACT = Shape("contact", {
    "a": Field(Either("point", SHAPE), "one side: a point, or a shape", needed=True),
    "b": Field(Either("point", SHAPE), "the other side", needed=True),
    **LAWS,
    "impact": IMPACT,
})  # fmt: skip
