"""Contacts in model files: every shape read, written and read again; errors with their lines."""

from __future__ import annotations

import dataclasses
import inspect
import math
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import pytest

import latchwork as lw
from latchwork import cos, sin
from latchwork.contact.feature import Feature
from latchwork.formats.model_file import contact_makers
from latchwork.formats.model_file.contact_makers import CLASSES
from latchwork.formats.model_file.contact_tables import CONTACT, MOST_PARTS, SHAPES
from latchwork.formats.model_file.rule_tables import RULE
from latchwork.formats.model_file.yaml_reader import read_model

EXAMPLES = Path(__file__).parents[2] / "examples"


def world(kind: str = "planar") -> lw.Model:
    """A body that moves freely in the plane or in space, with some points of its own and of N."""
    model = lw.Model("world")
    r, L = model.parameters(r=0.5, L=2.0)
    link = model.joint(kind, "part")
    model.body("thing", link, link.origin, 1.0, lw.inertia(link.frame, xx=1.0, yy=2.0, zz=2.5))
    for name, x, y in (("A", -1.0, 0.0), ("B", 1.0, 0.0), ("C", 1.0, 0.4), ("D", -1.0, 0.4)):
        link.origin.at(name, x * r * link.frame.x + y * link.frame.y)
    for name, x, y in (("P", -1.0, -2.0), ("Q", 1.0, -2.0), ("R", 3.0, -1.0)):
        model.origin.at(name, x * L * model.frame.x + y * model.frame.y)
    model.origin.at("M", 2.0 * model.frame.x + 5.0 * model.frame.y)
    return model


TURN = (0.0, 2 * math.pi)
Pair = Callable[[lw.Model], tuple[Any, Any]]


def planar(make: Callable[[lw.Model, Any, Any, Any], tuple[Any, Any]]) -> Pair:
    """A pair of shapes of the planar world, made of the model, its body, its points and N."""
    return lambda m: make(m, m.bodies["thing"], m.points, m.frame)


def fence(m: lw.Model, p: Any, N: Any) -> lw.Boundary:
    """A segment, then an arc that bends up from its end."""
    center = p["Q"].at("center", 3.0 * N.y)
    return lw.Boundary([lw.Segment(p["P"], p["Q"], N.y), lw.Arc(center, 3.0, start=-N.y, angle=0.8, inside=True)])


PLANAR: dict[str, Pair] = {
    "point on line": planar(lambda m, b, p, N: (p["A"], lw.Line(p["P"], N.x + 2 * N.y, 2 * N.x - N.y))),
    "circle on belt": planar(lambda m, b, p, N: (b.circle(m.symbols["r"]), lw.Line(p["P"], N.x, N.y, belt=2.5))),
    "circle on drift": planar(lambda m, b, p, N: (b.circle(0.3, p["A"]), lw.Line(p["P"], N.x, N.y, belt=3.0 * N.x))),
    "circle on segment": planar(lambda m, b, p, N: (b.circle(0.3), lw.Segment(p["P"], p["Q"], N.y, depth=0.7))),
    "circle on wire": planar(lambda m, b, p, N: (b.circle(0.3), lw.Segment(p["P"], p["Q"]))),
    "segment of the body": planar(lambda m, b, p, N: (
        lw.Segment(p["A"], p["B"], -b.frame.y, body=b), lw.Circle(p["M"], 1.0))),
    "circle on polyline": planar(lambda m, b, p, N: (b.circle(0.3), lw.Polyline([p["P"], p["Q"], p["R"]], belt=0.5))),
    "loop": planar(lambda m, b, p, N: (
        lw.Polyline([p["A"], p["D"], p["C"], p["B"]], closed=True, body=b), lw.Circle(p["M"], 1.0))),
    "circle in ring": planar(lambda m, b, p, N: (b.circle(0.3), lw.Arc(m.origin, 9.0, inside=True, belt=1.5))),
    "circle on arc": planar(lambda m, b, p, N: (
        b.circle(0.3), lw.Arc(p["P"], m.symbols["L"], start=N.y, angle=1.0, axis=-N.z))),
    "circle on fence": planar(lambda m, b, p, N: (b.circle(0.3), fence(m, p, N))),
    "capsule on line": planar(lambda m, b, p, N: (b.capsule(p["A"], p["B"], 0.1), lw.Line(p["P"], N.x, N.y))),
    "box on line": planar(lambda m, b, p, N: (b.box([m.symbols["L"], 0.4]), lw.Line(p["P"], N.x, N.y))),
    "hull of points": planar(lambda m, b, p, N: (b.hull([p["A"], p["B"], p["C"]]), lw.Line(p["P"], N.x, N.y))),
    "hull of numbers": planar(lambda m, b, p, N: (
        b.hull([[0, 0], [1, 0], [0.3, 0.8]], p["A"]), lw.Line(p["P"], N.x, N.y))),
    "circle on curve": planar(lambda m, b, p, N: (
        b.circle(0.2),
        lw.Curve(m.origin, lambda s: s * N.x + 0.1 * m.symbols["L"] * sin(3 * s) * N.y, (0.0, 5.0), ends=True))),
    "ellipse on curve": planar(lambda m, b, p, N: (
        lw.Curve(b.center, lambda s: 0.5 * cos(s) * b.frame.x + 0.3 * sin(s) * b.frame.y, TURN, body=b,
                 closed=True, side=-1),
        lw.Curve(m.origin, lambda s: s * N.x - 0.1 * s**2 * N.y, (-5.0, 5.0), up=-N.z))),
}  # fmt: skip
SPATIAL: dict[str, Pair] = {
    "sphere on plane": planar(lambda m, b, p, N: (b.sphere(0.3), lw.Plane(p["P"], N.z + N.y, belt=2 * N.x))),
    "cylinder on plane": planar(lambda m, b, p, N: (b.cylinder(p["A"], p["B"], 0.1), lw.Plane(p["P"], N.z))),
    "cone on plane": planar(lambda m, b, p, N: (b.cone(p["A"], p["B"], 0.1), lw.Plane(p["P"], N.z))),
    "rim on plane": planar(lambda m, b, p, N: (b.rim(b.frame.z, 0.3, tube=0.02), lw.Plane(p["P"], N.z))),
    "box on plane": planar(lambda m, b, p, N: (b.box([1.0, 0.4, 0.2]), lw.Plane(p["P"], N.z))),
    "hull of numbers in space": planar(lambda m, b, p, N: (
        b.hull(np.array([[0, 0, 0], [1, 0, 0.1], [0.3, 0.8, 0], [0.2, 0.2, 1 / 3]])), lw.Plane(p["P"], N.z))),
    "sphere on surface": planar(lambda m, b, p, N: (
        b.sphere(0.1),
        lw.Surface(m.origin, lambda x, y: x * N.x + y * N.y + 0.1 * x**2 * y * N.z, ((-1.0, 1.0), (-2.0, 2.0))))),
    "torus": planar(lambda m, b, p, N: (
        b.sphere(0.1),
        lw.Surface(m.origin, lambda x, y: (2 + cos(y)) * (cos(x) * N.x + sin(x) * N.y) + sin(y) * N.z, (TURN, TURN),
                   periodic=(True, True), side=-1))),
}  # fmt: skip
PAIRS = [*((name, "planar") for name in PLANAR), *((name, "free") for name in SPATIAL)]


def made(name: str, kind: str, **laws: Any) -> lw.Model:
    """The world with one pair in contact."""
    model = world(kind)
    a, b = (PLANAR | SPATIAL)[name](model)
    model.contact("pair", a, b, **laws)
    return model


def numbers(feature: Feature) -> list[float]:
    """Gap, normal, slip, ranges and what vanishes, where each symbol has a number that goes with its name."""
    tracked, N = feature.tracked, feature.normal.tree.newtonian
    scalars = [feature.gap, *feature.normal.measures(N), *feature.slip.measures(N), *feature.within]
    scalars += [] if tracked is None else [*tracked.conditions, tracked.minimum]
    return [float(e.subs({s: 0.3 + crc32(s.name.encode()) / 2**33 for s in e.free_symbols})) for e in scalars]


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_what_is_written_reads_back(name, kind):
    """A contact of any two shapes, written and read, has the same features, and is written the same again."""
    model = made(name, kind)
    text = lw.dump(model)
    again = lw.loads(text)
    (before,), (after,) = model.contacts, again.contacts
    assert lw.dump(again) == text
    assert [feature.name for feature in after.features] == [feature.name for feature in before.features]
    assert [str(feature.gap) for feature in after.features] == [str(feature.gap) for feature in before.features]
    for here, there in zip(before.features, after.features, strict=True):
        assert numbers(there) == pytest.approx(numbers(here), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(("name", "kind"), PAIRS)
def test_writing_adds_nothing(name, kind):
    """A model with a contact is not changed by writing it."""
    model = made(name, kind)
    size = len(model.graph.nodes), len(model.graph.symbols)
    lw.dump(model)
    assert (len(model.graph.nodes), len(model.graph.symbols)) == size


def test_every_shape_is_written():
    """The pairs of the tests between them use every word for a shape."""
    words = set()
    for name, kind in PAIRS:
        for shape in made(name, kind).contacts[0].shapes:
            words |= {type(shape).__name__.lower()}
    assert words - {"point"} == SHAPES.keys() - {"face"} == CLASSES.keys()  # faces of beams: test_model_files


@pytest.mark.parametrize("word", CLASSES)
def test_the_keys_of_a_shape_are_the_arguments_of_its_class(word):
    """A file and a script say the same by the same words; a hull may be numbers too, a curve that bends is a face."""
    needed = {f.name for f in dataclasses.fields(CLASSES[word]) if f.init}
    if word == "curve":
        needed -= {"bends", "depth", "recipe"}
    assert SHAPES[word].item.fields.keys() - {"vertices", "file"} == needed


def test_the_keys_of_contacts_and_rules_are_the_arguments_of_a_model():
    """The same for the laws of a contact, and for rules."""
    assert CONTACT.fields.keys() == inspect.signature(lw.Model.contact).parameters.keys() - {"self", "name"}
    assert RULE.fields.keys() == inspect.signature(lw.Model.rule).parameters.keys() - {"self", "name"}


def test_laws_survive():
    """Restitution, friction and the law of impact, also by zone, and what is left out as usual."""
    model = world()
    y, r = model.symbols["q_part_py"], model.symbols["r"]
    floor = lw.Line(model.origin, model.frame.x, model.frame.y)
    zoned = lw.zones(y, [0.5, r + 1.0], [0.1, 0.2, r])
    model.contact("plain", model.points["A"], floor)
    model.contact("given", model.points["B"], floor, restitution=0.5, friction=r, impact="poisson")
    model.contact("zoned", model.points["C"], floor, restitution=zoned, friction=lw.Coulomb(zoned, 0.1))
    plain, given, by_zone = lw.loads(lw.dump(model)).contacts
    assert (plain.restitution, plain.friction, plain.impact) == (0.0, None, "newton")
    assert (given.restitution, given.friction.dynamic, given.impact) == (0.5, None, "poisson")
    assert str(given.friction.mu) == "r"
    assert (str(by_zone.restitution.x), [*map(str, by_zone.restitution.bounds)]) == ("q_part_py", ["0.5", "1 + r"])
    assert [*map(str, by_zone.friction.mu.values)] == ["0.1", "0.2", "r"]
    assert by_zone.friction.dynamic == 0.1


def events(model: lw.Model, **run: Any) -> list[tuple[str, str, float]]:
    return [(event.kind, event.name, event.t) for event in lw.simulate(model, **run).events]


def test_a_file_runs_as_a_script_does():
    """A ball that bounces, slides and rolls: the same events at the same times, from a file and from its script."""
    script = world()
    thing, N = script.bodies["thing"], script.frame
    script.gravity(-9.8 * N.y)
    ground = lw.Polyline([script.points[name] for name in "PQR"])
    script.contact("ball", thing.circle(0.5), ground, restitution=0.4, friction=0.3)
    text = lw.dump(script)
    start = {"until": 2.5, "q": [0.0, 1.0, 0.0], "u": [1.0, 0.0, -2.0]}
    found = events(lw.loads(text), **start)
    assert len(found) > 3
    assert found == events(script, **start)


@pytest.mark.parametrize("name", ["disk_that_rolls", "double_pendulum_on_belt"])
def test_a_file_that_is_written_again_runs_the_same(name):
    """The papers' examples as files: written with their run and read again, the same events to the last bit."""
    model, run = read_model((EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8"))
    again, same = read_model(lw.dump(model, run))
    assert events(again, **same.arguments(again.equations())) == events(model, **run.arguments(model.equations()))


@pytest.mark.parametrize(
    ("name", "script", "expected"),
    [
        ("disk_that_rolls", "patoglu_1_disk_on_ramp", lambda example: example.closed_form()),
        ("double_pendulum_on_belt", "patoglu_3_belt", lambda example: example.INTEGRATED),
    ],
)
def test_the_examples_have_the_times_of_their_scripts(monkeypatch, name, script, expected):
    """Patoglu's examples 1 and 3 as files: events at the closed-form and independently integrated times, to 1e-9."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    model, run = read_model((EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8"))
    found = [t for _, _, t in events(model, **run.arguments(model.equations()))]
    assert found == pytest.approx(expected(import_module(script)), abs=1e-9)


# --- what cannot be written ---------------------------------------------------------------------------------------


def test_a_shape_of_ones_own_is_refused():
    """What is of no known kind is refused by the name of its contact, and not taken for another."""

    class Own(lw.Circle):
        """A circle of the user's own."""

    model = world()
    link, floor = model.links["part"], lw.Curve(model.origin, lambda s: s * model.frame.x, (0.0, 5.0))
    with pytest.raises(lw.ModelError, match=r"contact 'odd' is given Own.*, which is no shape"):
        model.contact("odd", Own(link.origin, 1.0, link), floor)


def test_a_curve_that_needs_another_s_is_refused():
    """The parameter of a curve is called s in a file: a symbol of that name cannot stand beside it."""
    model = world()
    s = model.parameter("s", 2.0)
    N = model.frame
    model.contact("bump", model.points["A"], lw.Curve(model.origin, lambda x: x * N.x + s * x**2 * N.y, (0.0, 5.0)))
    with pytest.raises(lw.FileError, match="the curve of contact 'bump' cannot be written: another symbol is called s"):
        lw.dump(model)


def test_a_particle_is_its_point():
    """A particle as a shape is written as its point, and a circle about it turns with nothing."""
    model = lw.Model("pair")
    x, y = model.coordinates("x", "y")
    P = model.origin.at("P", x * model.frame.x + y * model.frame.y)
    ball = model.particle("ball", P, 1.0)
    floor = lw.Line(model.origin, model.frame.x, model.frame.y)
    model.contact("point", ball, floor)
    model.contact("round", ball.circle(0.1), floor)
    again = lw.loads(lw.dump(model))
    assert [str(c.features[0].gap) for c in again.contacts] == [str(c.features[0].gap) for c in model.contacts]
    assert again.contacts[1].shapes[0].frame is again.frame


# --- errors -------------------------------------------------------------------------------------------------------

HEAD = """latchwork: 1
name: x
parameters: {r: 0.5}
joints: {j: {type: planar}}
bodies: {b: {frame: j, center: j, mass: 1, inertia: {zz: 1}}}
points: {P: {from: j, at: r*j.x}, Q: {at: 2*N.x}}
contacts:
"""
FLOOR = "b: {line: {point: O, direction: N.x, normal: N.y}}"


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("{}", "8:6", "contacts.k needs the key 'a': one side: a point, or a shape"),
        ("{a: P}", "8:6", "contacts.k needs the key 'b'"),
        ("[P, O]", "8:6", "contacts.k is a mapping with the keys a, b, .*; found a list"),
        (f"{{a: P, {FLOOR}, bounce: 1}}", "8:65", "contacts.k has no key 'bounce'"),
        (f"{{a: S, {FLOOR}}}", "8:10", "there is no point 'S'"),
        (f"{{a: [P], {FLOOR}}}", "8:10", "contacts.k.a is the name of a point.*; found a list"),
        (f"{{a: {{cirle: {{}}}}, {FLOOR}}}", "8:11", "contacts.k.a has no key 'cirle'. Did you mean 'circle'"),
        (f"{{a: {{circle: {{center: P}}}}, {FLOOR}}}", "8:19", "contacts.k.a.circle needs the key 'radius'"),
        (f"{{a: {{circle: {{center: P, radius: 1}}}}, {FLOOR}}}", "8:19", "lw.Circle at 'P' moves, and with"),
        (f"{{a: {{circle: {{center: P, radius: -r, body: b}}}}, {FLOOR}}}", "8:19", "radius of lw.Circle is -0.5"),
        (f"{{a: {{circle: {{center: P, radius: q_j_px, body: b}}}}, {FLOOR}}}", "8:19", "changes with q_j_px"),
        (f"{{a: {{circle: {{center: P, radius: nan, body: b}}}}, {FLOOR}}}", "8:39", "unknown name 'nan'"),
        (f"{{a: {{circle: {{center: P, radius: 0/0, body: b}}}}, {FLOOR}}}", "8:40", "division by zero"),
        (f"{{a: {{circle: {{center: P, radius: 1e999, body: b}}}}, {FLOOR}}}", "8:39", "out of range"),
        (f"{{a: {{circle: {{center: P, radius: 1, body: wheel}}}}, {FLOOR}}}", "8:48", "there is no frame 'wheel'"),
        ("{a: P, b: {line: {point: O, direction: 3, normal: N.y}}}", "8:45", "a vector is needed here"),
        ("{a: P, b: {line: {point: O, direction: N.x, normal: N.x}}}", "8:23", "make the cosine 1"),
        ("{a: P, b: {segment: {p: O, q: O}}}", "8:26", "which are one place"),
        ("{a: P, b: {polyline: {points: [O]}}}", "8:27", "Give two, or three where it is closed"),
        ("{a: P, b: {polyline: {points: O}}}", "8:36", "points is a list; found 'O'"),
        ("{a: P, b: {boundary: {pieces: [{line: {}}]}}}", "8:38", "pieces.1 has no key 'line'"),
        ("{a: P, b: {boundary: {pieces: []}}}", "8:27", "the pieces of lw.Boundary are fixed in nothing"),
        ("{a: P, b: {box: {center: O, sizes: [1]}}}", "8:22", "Give two in the plane, three in space"),
        ("{a: P, b: {box: {center: O, sizes: [1, 1, 1, 1]}}}", "8:41", "has 4 entries; the limit is 3"),
        ("{a: P, b: {hull: {center: O}}}", "8:23", "needs exactly one of points, vertices, file; found none"),
        ("{a: P, b: {hull: {center: O, vertices: [[0, 0], [1], [0, 1]]}}}", "8:23", "Give points of the body"),
        ("{a: P, b: {hull: {center: O, vertices: [[0, 0], [1, x], [0, 1]]}}}", "8:58", "vertices.2.2 must be"),
        ("{a: P, b: {curve: {point: O, shape: s*N.x + w*N.y, span: [0, 1]}}}", "8:50", "unknown name 'w'"),
        ("{a: P, b: {curve: {point: O, shape: 2*s, span: [0, 1]}}}", "8:42", "a vector is needed here"),
        ("{a: P, b: {curve: {point: O, shape: s*N.x, span: [1, 0]}}}", "8:3", "curve of 'k' goes from"),
        ("{a: P, b: {curve: {point: O, shape: s*N.x, span: [0]}}}", "8:55", "span is a list of 2; found 1"),
        ("{a: P, b: {curve: {point: O, shape: s*N.x + log(s)*N.y, span: [-1, 1]}}}", "8:3", "of 'k'"),
        ("{a: P, b: {curve: {point: O, shape: s*N.x, span: [0, 1], side: 2}}}", "8:3", "curve of 'k' is 2"),
        (f"{{a: P, {FLOOR}, restitution: 1.5}}", "8:3", "the restitution of 'k' is 1.5"),
        (f"{{a: P, {FLOOR}, friction: -0.1}}", "8:3", "a coefficient of friction is -0.1"),
        (f"{{a: P, {FLOOR}, friction: {{static: 0.1, dynamic: 0.2}}}}", "8:75", "above static friction 0.1"),
        (f"{{a: P, {FLOOR}, friction: {{zones: {{}}}}}}", "8:76", "contacts.k.friction has no key 'zones'"),
        (f"{{a: P, {FLOOR}, restitution: {{zones: {{along: q_j_px, bounds: [1], values: []}}}}}}", "8:86", "1 bounds"),
        (f"{{a: P, {FLOOR}, impact: hertz}}", "8:73", "there is no law of impact 'hertz'"),
        (f"{{a: P, {FLOOR}}}\n  k: {{a: P, {FLOOR}}}", "9:3", "k"),
        (f"{{a: P, {FLOOR}}}\nconstraints: {{k: {{zero: q_j_px}}}}", "8:3", "named 'k' already"),
    ],
)  # fmt: skip
def test_errors_say_where(text, where, message):
    """A contact that has no meaning is an error at its line and column."""
    with pytest.raises(lw.FileError, match=f"file:{where}: .*{message}"):
        lw.loads(f"{HEAD}  k: {text}", "file")


def test_lists_are_bounded():
    """Absurdly long lists are refused before any work is done on them."""
    many = ", ".join(["O", "Q"] * MOST_PARTS)
    with pytest.raises(lw.FileError, match=f"points has {2 * MOST_PARTS} entries; the limit is {MOST_PARTS}"):
        lw.loads(f"{HEAD}  k: {{a: P, b: {{polyline: {{points: [{many}]}}}}}}", "file")


def test_the_work_of_a_file_is_bounded(monkeypatch):
    """Many shapes of many corners are refused by the name of the contact that is too much."""
    monkeypatch.setattr("latchwork.formats.model_file.contact_makers.MOST_SQUARES", 10)
    wall = "{polyline: {points: [O, Q, O]}}"
    with pytest.raises(lw.FileError, match="file:9:3: the contacts up to 'l' have more than 10 pairs of corners"):
        lw.loads(f"{HEAD}  k: {{a: P, b: {wall}}}\n  l: {{a: P, b: {wall}}}", "file")


CUBE = [(x, y, z) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
MESHED = """\
latchwork: 1
name: meshed
joints: {{j: {{type: free}}}}
bodies: {{b: {{frame: j, center: j, mass: 1, inertia: {{xx: 1, yy: 1, zz: 1}}}}}}
contacts:
  k:
    a: {{hull: {{file: {file}, body: b}}}}
    b: {{plane: {{point: O, normal: N.z}}}}
"""


def meshed(folder: Path, file: str, corners: Any = CUBE) -> Path:
    """A model file beside a mesh with some vertices, one of them inside."""
    (folder / "parts").mkdir(exist_ok=True)
    lines = [f"v {x} {y} {z}" for x, y, z in (*corners, (0.0, 0.1, 0.0))]
    (folder / "parts" / "cube.obj").write_text("\n".join(lines), encoding="utf-8")
    (folder / "model.yaml").write_text(MESHED.format(file=file), encoding="utf-8")
    return folder / "model.yaml"


def test_a_hull_may_name_a_mesh(tmp_path):
    """The corners of the hull of a mesh beside the file, without what lies inside; it is written as numbers."""
    model = lw.load(meshed(tmp_path, "parts/cube.obj"))
    hull = model.contacts[0].shapes[0]
    assert sorted(map(tuple, hull.vertices.tolist())) == sorted(CUBE)
    again = lw.loads(lw.dump(model)).contacts[0].shapes[0]
    assert (again.vertices == hull.vertices).all()


def test_meshes_stay_in_the_folder_of_their_file(tmp_path):
    """Paths that lead out of it, also by a link, and what is no file or too large, are refused at their place."""
    inner = tmp_path / "inner"
    inner.mkdir()
    outside = meshed(tmp_path, "parts/cube.obj").parent / "parts" / "cube.obj"
    (inner / "link.obj").symlink_to(outside)
    for file in ("../parts/cube.obj", str(outside), "link.obj"):
        with pytest.raises(lw.FileError, match=r"7:22: .*lies outside the folder of this file. Only meshes inside it"):
            lw.load(meshed(inner, file))
    for file in ("parts", "none.obj", '"nul\\0"'):
        with pytest.raises(lw.FileError, match=r"7:22: .*is no file. Give an STL, OBJ or DAE file"):
            lw.load(meshed(inner, file))
    with (inner / "big.stl").open("wb") as big:
        big.truncate(20_000_001)
    with pytest.raises(lw.FileError, match="has 20000001 bytes; the limit is 20000000"):
        lw.load(meshed(inner, "big.stl"))
    with pytest.raises(lw.FileError, match="cannot be found from a text that has no folder"):
        lw.loads(MESHED.format(file="parts/cube.obj"))


def test_hulls_of_meshes_are_bounded(tmp_path):
    """A round mesh of too many corners is refused; one of many vertices and few corners is not."""
    x = np.random.default_rng(1).normal(size=(2500, 3))
    with pytest.raises(lw.FileError, match=r"the hull of 'parts/cube.obj' has 2500 corners; the limit is 2000"):
        lw.load(meshed(tmp_path, "parts/cube.obj", x / np.linalg.norm(x, axis=1)[:, None]))
    many = lw.load(meshed(tmp_path, "parts/cube.obj", [*CUBE, *(0.2 * x).clip(-0.4, 0.4)]))
    assert len(many.contacts[0].shapes[0].vertices) == 8


def test_files_of_many_solids_are_refused_before_they_take_minutes(monkeypatch):
    """Solids that meet solids are counted by their corners, over all contacts of a file."""
    monkeypatch.setattr(contact_makers, "MOST_CORNERS", 100)
    x = np.random.default_rng(2).normal(size=(10, 3))
    rows = (x / np.linalg.norm(x, axis=1)[:, None]).round(6).tolist()
    hull = f"{{hull: {{vertices: {rows}, body: b}}}}"
    text = MESHED.format(file="x").split("  k:")[0]
    text += "".join(f"  k{i}: {{a: {hull}, b: {{box: {{center: O, sizes: [1, 1, 1]}}}}}}\n" for i in range(8))
    with pytest.raises(lw.FileError, match=r"the contacts up to 'k6' have 0 meshes, and solids of 108 corners"):
        lw.loads(text)


# --- what has no shapes ---------------------------------------------------------------------------------------------


SHAPELESS = """\
latchwork: 1
name: shapeless
parameters: {k: 0.3}
inputs: {F: 2}
joints:
  a: {type: revolute, inboard: N, at: O, axis: N.z, q: [qa], u: [ua]}
  b: {type: revolute, inboard: N, at: O, axis: N.z, q: [qb], u: [ub]}
points:
  C: {from: b_o, at: b.x}
  X: {from: O, at: 3*N.x}
bodies:
  A: {frame: a, center: a_o, mass: 1, inertia: {zz: 1}}
  B: {frame: b, center: C, mass: 1, inertia: {zz: 2}}
loads:
- gravity: -9.81*N.y
friction:
  bearing: {joint: a, static: 2*k, dynamic: k}
  brake: {joint: b, static: F}
  clutch: {rate: dt(qa) - dt(qb), static: {zones: {along: qa, bounds: [1], values: [0.2, 0.1]}}, dynamic: 0.05}
ropes:
  tether: {a: C, b: X, length: 3 - 0.1*t, restitution: 0.5}
one_way:
  ratchet: {joint: a, restitution: 0.1}
  freewheel: {rate: 1 + dt(qb)}
"""


def test_friction_ropes_and_clutches_are_written_as_they_are_read():
    """Read, written and read again: the same text, the same recipes, and the same run."""
    one = read_model(SHAPELESS)[0]
    text = lw.dump(one)
    two = read_model(text)[0]
    assert lw.dump(two) == text
    assert [next(iter(contact.recipe)) for contact in two.contacts] == ["friction"] * 3 + ["rope"] + ["one_way"] * 2
    runs = [lw.simulate(model, until=1.0, q=[0.0, 0.2], u=[0.5, 0.0]) for model in (one, two)]
    assert [(event.t, event.name, event.kind) for event in runs[0].events] == [
        (event.t, event.name, event.kind) for event in runs[1].events]  # fmt: skip
    assert runs[0].events


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("joint: a, static: 2*k, dynamic: k", "joint: a, static: -2", "static friction of 'bearing' is -2.0"),
        ("joint: b, static: F", "joint: b, rate: ub, static: F", "joint.*rate"),
        ("joint: b, static: F", "joint: b", "static"),
        ("length: 3 - 0.1*t", "length: qb", "length of rope 'tether', qb, contains 'qb'"),
        ("{joint: a, restitution: 0.1}", "{joint: c}", "no joint"),
        ("{rate: 1 + dt(qb)}", "{rate: qb*k + F}", "'freewheel' lets run one way a joint that moves, or a speed"),
    ],
)
def test_what_has_no_shapes_is_refused_with_its_line(old, new, said):
    """Errors of files say where."""
    assert old in SHAPELESS
    with pytest.raises(lw.FileError, match=said):
        read_model(SHAPELESS.replace(old, new))
