"""A run as a page that plays."""

from __future__ import annotations

import json
import math
import re
from html.parser import HTMLParser

import numpy as np
import pytest

import latchwork as lw
from hybrid_runs import NASTY, bounced, grasped, pendulum
from latchwork.contact import shapes
from latchwork.contact.curves import Curve, Surface
from latchwork.contact.shapes import (
    Arc,
    Boundary,
    Box,
    Capsule,
    Circle,
    Cone,
    Cylinder,
    Hull,
    Line,
    Plane,
    Polyline,
    Rim,
    Segment,
    Sphere,
)
from latchwork.errors import EvaluationError
from latchwork.realtime.exhibit import Exhibit
from latchwork.view.animate import embedded, page
from latchwork.view.live.picture import picture_of
from latchwork.view.mesh import read
from latchwork.view.outlines import OUTLINES, outline
from latchwork.view.scene import FRAMES, scene
from latchwork.view.sketch import Measured


class Reader(HTMLParser):
    """Tags in their order, and the text of each script."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.scripts: list[str] = []
        self.links: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.links += [value for name, value in attrs if name in ("src", "href", "action")]
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.tags and self.tags[-1] == "script":
            self.scripts[-1] += data


def track(data: dict, number: int, width: int = 3) -> np.ndarray:
    """A track as the page reads it: one row for each frame."""
    rows = np.reshape(data["tracks"][number], (-1, width))
    return np.broadcast_to(rows, (len(data["t"]), width)) if len(rows) == 1 else rows


def test_page_is_one_file_that_asks_no_network(tmp_path):
    """No address, no source, no link: all that the page needs is in it, and a policy forbids the rest."""
    file = tmp_path / "run.html"
    grasped().run.animate(str(file))
    text = file.read_text(encoding="utf-8")
    assert not re.search(r"https?://|//cdn|@import|url\(|fetch\(|XMLHttpRequest|WebSocket", text)
    read = Reader(text)
    assert read.links == []
    assert "default-src 'none'" in text
    assert read.tags.count("canvas") == 2


def test_data_survive_hostile_names(tmp_path):
    """A name that closes a script closes nothing; the data read back as they were written."""
    run = grasped().run
    file = tmp_path / "run.html"
    run.animate(str(file))
    read = Reader(file.read_text(encoding="utf-8"))
    assert len(read.scripts) == 2
    assert json.loads(read.scripts[0]) == scene(run)
    assert "<i>" not in file.read_text(encoding="utf-8")
    assert scene(run)["modes"][1][0] == NASTY
    assert json.loads(embedded(["</script><!--", "\u2028&amp;"])) == ["</script><!--", "\u2028&amp;"]
    assert "<" not in embedded("</script><!--")


def test_tracks_are_where_points_are():
    """The bob of a pendulum, read from the page's numbers, is where the run says, to six digits of the picture."""
    run = pendulum()
    data = scene(run)
    (bob,) = (dot for dot in data["dots"] if dot["name"] == "bob")
    assert np.abs(track(data, bob["at"]) - run.at(data["t"])["tip"]).max() < 6e-6
    assert [(member["kind"], member["body"]) for member in data["members"]] == [("bar", "bob")]


def test_frames_are_sixty_to_a_second_and_not_too_many():
    """Two seconds have 121 frames; a long run has no more than the most, and every event has its own."""
    assert len(scene(pendulum())["t"]) == 121
    model_run = lw.simulate(_slider(), 100.0, q=[0.0], u=[0.1])
    assert len(scene(model_run)["t"]) == FRAMES
    data = scene(bounced())
    assert np.isclose(data["t"], bounced().events[0].t, rtol=0, atol=1e-7).any()


def _slider() -> lw.Model:
    model = lw.Model("slider")
    (x,) = model.coordinates("x")
    model.speeds()
    model.particle("block", model.origin.at("P", x * model.frame.x), 1.0)
    return model


def test_what_stands_still_is_written_once():
    """The origin has one place, not one for every frame; equal tracks are one."""
    data = scene(pendulum())
    lengths = sorted({len(rows) for rows in data["tracks"]})
    assert lengths[0] == 3
    keys = [tuple(rows) for rows in data["tracks"]]
    assert len(keys) == len(set(keys))


def test_modes_and_events_are_told():
    """The page knows what holds when, and every event, as the run does."""
    run = bounced()
    data = scene(run)
    assert [item[2] for item in data["spans"]] == [1, 2]
    assert [(t, kind, name) for t, kind, name in data["events"]] == [(e.t, e.kind, e.name) for e in run.events]


def test_contacts_are_drawn_where_bodies_are():
    """A circle is a disk that turns with its body: a mark on its rim is at the radius, at the angle of the body and its
    own; the floor is a line with strokes, and stands."""
    run = bounced()
    data = scene(run)
    ball, floor = data["shapes"]
    disk = read(data["meshes"][ball["mesh"]])
    mark = disk.places[np.argmax(disk.places[:, 0])]
    axes = track(data, ball["turn"], 6)
    z = np.cross(axes[:, :3], axes[:, 3:])
    place = track(data, ball["at"]) + axes[:, :3] * mark[0] + axes[:, 3:] * mark[1] + z * mark[2]
    at = run.at(data["t"])
    angle = at["a"] + math.atan2(mark[1], mark[0])
    expected = at["P"] + 0.1 * np.column_stack([np.cos(angle), np.sin(angle), 0 * angle]) + [0.0, 0.0, mark[2]]
    assert np.abs(place - expected).max() < 1e-5
    assert floor["color"] == ""
    assert [kind for kind, _ in floor["parts"]] == ["edge", "hatch"]
    assert ball["color"].startswith("#")
    assert ball["body"] == "ball"


def test_forces_stand_where_bodies_touch():
    """At rest the floor carries the weight, at the lowest place of the ball."""
    run = bounced()
    data = scene(run, forces=True)
    (force,) = data["forces"]
    assert track(data, force["force"])[-1] == pytest.approx([0.0, 9.81, 0.0], abs=1e-6)
    assert track(data, force["at"])[-1] == pytest.approx([run["x"][-1], 0.0, 0.0], abs=1e-5)


def test_forces_can_be_given():
    """Anything of the run, or a row for each sample, as arrows."""
    run = pendulum()
    rows = np.column_stack([run["q"], 0 * run.t, 0 * run.t])
    weight = run.equations.system.tree.newtonian.y * -19.62
    data = scene(run, forces={"weight": ("tip", weight), "push": (run["tip"], rows)})
    assert track(data, data["forces"][0]["force"])[0].tolist() == [0.0, -19.62, 0.0]
    assert track(data, data["forces"][1]["force"])[0].tolist() == [1.0, 0.0, 0.0]


def test_a_view_is_two_axes():
    """An animation cannot be seen along three axes, or one."""
    with pytest.raises(EvaluationError, match="two of the axes"):
        scene(pendulum(), view="xx")
    with pytest.raises(EvaluationError, match="joins points"):
        scene(pendulum(), draw=["q"])


def test_a_line_through_chosen_points():
    """``draw`` joins the points given by bars, and the path is that of the last."""
    data = scene(pendulum(), draw=["O", "tip"])
    (member,) = data["members"]
    assert np.abs(track(data, member["b"]) - pendulum().at(data["t"])["tip"]).max() < 6e-6
    assert np.abs(np.reshape(data["tracks"][data["trail"]["track"]], (-1, 3))[-1] - pendulum()["tip"][-1]).max() < 6e-6


def closed() -> lw.Model:
    """Two rods on pins, their ends closed by a third."""
    model = lw.Model("linkage")
    N, O = model.frame, model.origin

    def rod(name, length, at, inboard=None):
        joint = model.revolute(name, inboard, at=at)
        center = joint.origin.at(f"{name}_c", length / 2 * joint.frame.x)
        model.body(f"{name} rod", joint, center, length, lw.inertia(joint.frame, zz=length**3 / 12))
        return joint, joint.origin.at(f"end of {name}", length * joint.frame.x)

    crank, B = rod("crank", 0.35, O)
    coupler, C = rod("coupler", 0.9, B, crank)
    rocker, E = rod("rocker", 0.7, O.at("D", 1.0 * N.x))
    model.close("revolute", "pin", coupler, rocker, at=C, to=E)
    return model


def test_points_that_are_chosen_leave_other_bodies_as_they_are():
    """One point says whose path is drawn; two say how one body is: the others keep their bars, and become no boxes."""
    run = lw.simulate(closed(), 0.2, u={"u_crank": 3.0})
    usual = scene(run)
    for chosen in (["end of coupler"], ["O", "end of crank"]):
        drawn = scene(run, draw=chosen)
        assert {each["body"] for each in drawn["members"]} == {"coupler rod", "crank rod", "rocker rod"}
        assert len(drawn["shapes"]) == len(usual["shapes"])


def test_a_mechanism_that_stands_shows_the_pins_of_its_loops():
    """Before it runs, where a loop is open in some of the states that are looked at, and in a run at rest, it has the
    bars and the symbols of one that moves."""
    model = closed()
    moving, resting = (scene(lw.simulate(model, 0.2, u={"u_crank": speed})) for speed in (3.0, 0.0))
    for other in (resting, picture_of(Exhibit(model)).scene):
        for what in ("shapes", "members"):
            assert len(other[what]) == len(moving[what])


SHAPES = {
    "circle": (lambda O, N: Circle(O, 2.0), "face", lambda p: np.linalg.norm(p, axis=1) - 2.0),
    "sphere": (lambda O, N: Sphere(O, 2.0), "edge", lambda p: np.linalg.norm(p, axis=1) - 2.0),
    "rim": (lambda O, N: Rim(O, N.x, 2.0), "face", lambda p: np.hypot(p[:, 1], p[:, 2]) - 2.0),
    "arc": (lambda O, N: Arc(O, 2.0, start=N.y, angle=-1.0), "edge",
            lambda p: np.abs(np.arctan2(p[:, 0], p[:, 1]) - 0.5).max(keepdims=True) - 0.5),
    "line": (lambda O, N: Line(O, N.x + N.y, N.y - N.x), "edge", lambda p: p[:, 0] - p[:, 1]),
    "plane": (lambda O, N: Plane(O, N.x + N.z), "net", lambda p: p[:, 0] + p[:, 2]),
    "segment": (lambda O, N: Segment(O, O.at("end", 3.0 * N.x)), "edge", lambda p: np.ptp(p[:, 0]) - 3.0 + 0 * p[:, 0]),
    "capsule": (lambda O, N: Capsule(O, O.at("far", 3.0 * N.x), 0.5), "face",
                lambda p: np.hypot(p[:, 0] - np.clip(p[:, 0], 0, 3), p[:, 1]) - 0.5),
    "polyline": (lambda O, N: Polyline([O, O.at("b", N.x), O.at("c", N.x + N.y)]), "edge",
                 lambda p: (p - [[0, 0, 0], [1, 0, 0], [1, 1, 0]]).ravel()),
    "boundary": (lambda O, N: Boundary([Segment(O.at("s", -N.x - N.y), O.at("t", -N.y), normal=-N.y),
                                        Arc(O, 1.0, start=-N.y, angle=1.5)]), "edge",
                 lambda p: np.where(p[:, 0] <= 1.0, p[:, 1], np.hypot(p[:, 0] - 1.0, p[:, 1] - 1.0) - 1.0)),
    "box": (lambda O, N: Box(O, (2.0, 4.0, 6.0)), "face", lambda p: np.abs(p / [1.0, 2.0, 3.0]).max(axis=1) - 1.0),
    "flat box": (lambda O, N: Box(O, (2.0, 4.0)), "face", lambda p: np.abs(p) - [1.0, 2.0, 0.0]),
    "hull": (lambda O, N: Hull([[1, 0, 0], [-1, 0, 0], [0, 1, 0], [0, -1, 0], [0, 0, 1], [0, 0, -1]], center=O), "edge",
             lambda p: np.abs(p).sum(axis=1) - 1.0),
    "flat hull": (lambda O, N: Hull([[1, 0], [0, 1], [-1, 0], [0, 0], [0, -1]], center=O), "face",
                  lambda p: np.abs(p).sum(axis=1) - 1.0),
    "curve": (lambda O, N: Curve(O, lambda s: s * N.x + s**2 * N.y, (-1.0, 2.0)), "edge",
              lambda p: p[:, 1] - p[:, 0] ** 2),
    "surface": (lambda O, N: Surface(O, lambda a, b: a * N.x + b * N.y + a * b * N.z, ((-1.0, 1.0), (0.0, 1.0))),
                "edge", lambda p: p[:, 2] - p[:, 0] * p[:, 1]),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_outlines_lie_on_their_shapes(name):
    """Every place of an outline meets the equation of its shape."""
    make, kind, residual = SHAPES[name]
    model = _slider()
    run = lw.simulate(model, 0.1, q=[0.0])
    N = model.frame
    found = outline(make(model.origin, N), Measured(run.at(0.0), 10.0, N.z))
    assert found is not None
    places = np.vstack([part.places for part in found.parts if part.kind == kind])
    assert np.abs(residual(places)).max() < 1e-12


def test_every_shape_has_an_outline():
    """A new kind of shape has to say how it is drawn."""
    kinds = {getattr(shapes, name) for name in shapes.__all__} - {shapes.Shape}
    assert kinds | {Curve, Surface} == OUTLINES.keys()


@pytest.mark.parametrize("kind", [Cone, Cylinder])
def test_round_bodies_are_solids(kind):
    """The volume within the faces: π r² h, a third of it for a cone, a little less for the sides of a polygon."""
    model = _slider()
    run, O = lw.simulate(model, 0.1, q=[0.0]), model.origin
    found = outline(kind(O, O.at("end", 0.4 * model.frame.x), 0.1), Measured(run.at(0.0), 1.0, model.frame.z))
    assert found is not None
    assert found.solid is not None
    a, b, c = (found.solid.places[found.solid.faces[:, k]] for k in range(3))
    volume = float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6.0)
    assert volume == pytest.approx(np.pi * 0.1**2 * 0.4 / (3.0 if kind is Cone else 1.0), rel=0.02)


def test_shapes_of_several_contacts_are_drawn_once():
    """The same circle, made twice, is one."""
    run = bounced()
    ball = run.equations.system.bodies[0]
    assert len(scene(run, shapes=[Circle(ball.center, 0.1, body=ball)])["shapes"]) == 2


def test_what_is_no_shape_is_not_drawn():
    """Shapes of other makers are left out."""
    run = pendulum()
    assert outline(object(), Measured(run.at(0.0), 1.0, run.equations.system.tree.newtonian.z)) is None
    assert "<title>pendulum</title>" in page(scene(run, shapes=[object()]))
