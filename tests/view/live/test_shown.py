"""What a server knows of a mechanism that runs elsewhere: where all of it is, its forces, modes and equations."""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from latchwork.realtime.exhibit import Exhibit, exhibit_of
from latchwork.view import gallery
from latchwork.view.live.arrows import arrows_of
from latchwork.view.live.frames import HEAD, named
from latchwork.view.live.holding import bare, known_of
from latchwork.view.live.picture import picture_of
from latchwork.view.live.posture import posture, turning
from latchwork.view.live.shown import Shown
from latchwork.view.live.typeset import typeset
from latchwork.view.live.visits import MOST_MODES, Visits
from live_house import FEEDER


@pytest.mark.parametrize("name", seeds(gallery.live_names()[::2], gallery.live_names()))
def test_every_exhibit_has_a_picture(name):
    """All tracks are finite at the start, inside a box with room; what may be held belongs to a body of the model."""
    exhibit = exhibit_of(name)
    still = picture_of(exhibit).still
    assert all(np.isfinite(track).all() for track in still["tracks"])
    assert [len(track) for track in still["tracks"]] == still["widths"]
    assert (np.ptp(still["box"], axis=0) >= 0.0).all()
    owners = {item["body"] for kind in ("dots", "members", "shapes") for item in still[kind]}
    assert owners - {None}
    assert owners - {None} <= set(exhibit.bodies)


def test_frames_follow_state_and_parameters():
    """The tip of the double pendulum, at any angles and any length."""
    exhibit = exhibit_of("double_pendulum")
    shown = Shown(exhibit, picture_of(exhibit))
    scene = shown.picture.scene
    shown.set({"L": 1.7})
    q1, q2 = 0.3, -1.1
    frame = shown.picture.frame(0.0, np.array([q1, q2, 0.0, 0.0]), shown.rest)
    first = sum(scene["widths"][: next(dot["at"] for dot in scene["dots"] if dot["name"] == "tip")])
    tip = 1.7 * np.array([math.sin(q1) + math.sin(q1 + q2), -math.cos(q1) - math.cos(q1 + q2), 0.0])
    assert np.allclose(frame[first : first + 3], tip, atol=1e-12)
    assert {shape["body"] for shape in scene["shapes"]} - {None} == {"upper", "lower"}
    assert scene["flat"]


def test_a_chain_belongs_to_its_bodies():
    """Each bar of a line that was asked for belongs to the body beyond it."""
    members = picture_of(exhibit_of("chain")).scene["members"]
    assert [member["body"] for member in members] == [f"P{k}" for k in range(1, 11)]


def test_angles_are_told_from_lengths():
    """A full turn changes nothing: so for angles that turn frames, and for those that stand in sines only."""
    for name, angles in (("patoglu_3_belt", {0, 1}), ("caster", {2, 3}), ("bouncing_ball", set())):
        exhibit = exhibit_of(name)
        assert turning(posture(exhibit.model, exhibit.q, exhibit.u)) == angles


def test_arrows_are_what_reactions_say():
    """The force of a contact from λ, and where it acts, equal the reaction along a run that was made otherwise."""
    exhibit = exhibit_of(FEEDER)
    start = posture(exhibit.model, exhibit.q, exhibit.u)
    run = lw.simulate(exhibit.model, 1.0, exhibit.q, exhibit.u)
    found = run.reactions()["ramp: edge"]
    arrows = arrows_of(known_of(exhibit, start), [("ramp: edge", 1)])
    for k in (len(run.t) // 2, len(run.t) - 1):
        place, force = np.split(arrows.numbers(run.t[k], run.x[k, :-1], start.rest, found.lam[k]), 2)
        assert np.allclose(force, found.force[k], atol=1e-9)
        center, phi = run["Bo"][k], -math.pi / 36
        assert np.allclose(place, center - [-math.sin(phi), math.cos(phi), 0.0], atol=1e-9)


def test_arrows_of_sticking_have_friction_in_them():
    """Normal and tangents add up: a part that sticks to the belt is held by both."""
    exhibit = exhibit_of("patoglu_3_belt")
    start = posture(exhibit.model, exhibit.q, exhibit.u)
    arrows = arrows_of(known_of(exhibit, start), [("part", 2)])
    force = arrows.numbers(0.0, start.start, start.rest, np.array([3.0, 4.0]))[3:]
    assert np.linalg.norm(force) == pytest.approx(5.0)
    assert abs(force[1]) == pytest.approx(3.0)
    assert arrows.numbers(0.0, start.start, start.rest, np.zeros(5)).tolist() == [0.0] * 6


def test_arrows_of_a_tracked_contact_are_where_it_touches():
    """A ball in a parabolic bowl: the place on the curve is found anew from the state."""
    model = lw.Model("bowl")
    x, y = model.coordinates("x", "y")
    model.speeds()
    N, P = model.frame, model.origin.at("P", x * model.frame.x + y * model.frame.y)
    model.particle("ball", P, 1.0)
    model.gravity(-9.81 * N.y)
    bowl = lw.Curve(model.origin, lambda s: s * N.x + s * s * N.y, (-2.0, 2.0))
    model.contact("bowl", lw.Circle(P, 0.1, body=N), bowl)
    normal = np.array([-1.0, 1.0, 0.0]) / math.sqrt(2.0)
    x0, y0, _ = np.array([0.5, 0.25, 0.0]) + 0.1 * normal
    exhibit = Exhibit(model, {"x": x0, "y": y0}, {})
    start = posture(model, exhibit.q, exhibit.u)
    known = known_of(exhibit, start)
    name = "bowl"
    arrows = arrows_of(known, [(name, 1)])
    place, force = np.split(arrows.numbers(0.0, start.start, start.rest, np.array([2.0])), 2)
    assert np.allclose(place, [0.5, 0.25, 0.0], atol=1e-9)
    assert np.allclose(force, 2.0 * normal, atol=1e-9)


def test_a_fence_is_drawn_and_has_arrows():
    """Corners in the plane of the view; a contact of the fence has its arrow, as others have."""
    exhibit = exhibit_of(FEEDER)
    shown = Shown(exhibit, picture_of(exhibit))
    shown.put_fence([[5.0, -1.0], [5.0, 2.0]])
    assert shown.fenced()["points"] == [[5.0, -1.0, 0.0], [5.0, 2.0, 0.0]]
    assert shown._known is not None
    names = [name for name in shown._known.touches if name.startswith("fence 1")]
    assert names
    assert shown.enter([(names[0], 1)]) == [names[0]]
    shown.put_fence([], 2.0)
    assert shown.enter([(names[0], 1)]) == []
    assert shown.redrawn().scene["widths"] == shown.picture.scene["widths"]
    assert shown.back_to(1.0)
    assert len(shown.fence) == 2
    assert not shown.back_to(0.5)
    shown.put_fence([[0.0, 5.0], [1.0, 5.0]], 3.0)
    assert shown.back_to(-1.0)
    assert shown.fence == []


def test_a_frame_says_what_the_state_says():
    """Head of a frame by name, whatever else is in it."""
    from live_house import Ticked

    exhibit = exhibit_of("double_pendulum")
    shown, loop = Shown(exhibit, picture_of(exhibit)), Ticked("double_pendulum")
    state = loop.state()
    frame = shown.frame(state, 7)
    head = named(frame)
    assert (head["tick"], head["t"], head["mode"], head["hand"]) == (state.tick, state.t, 7.0, -1.0)
    assert head["stiffness"] == state.hand.stiffness
    drawn = sum(shown.picture.scene["widths"]) + len(shown.picture.plots)
    assert len(frame) == 8 * (len(HEAD) + drawn + len(state.lam))


# --- modes ------------------------------------------------------------------------------------------------------


def mode(number: int, *names: str, t: float = 0.0) -> dict:
    return {"kind": "mode", "number": number, "names": list(names), "rows": [], "t": t}


def event(what: str, name: str, before: int, after: int) -> dict:
    return {"kind": "event", "what": what, "name": name, "before": before, "after": after, "t": 0.0}


def test_visits_count_what_led_where():
    """Two impacts that lead back, one that leads on; the same names in another order are the same mode."""
    visits = Visits("test")
    rows = [mode(1, t=0.0), event("impact", "a", 1, 1), event("impact", "a", 1, 1), event("close", "a", 1, 2),
            mode(2, "a: slide", "b", t=1.0), event("open", "a", 2, 1), mode(1, t=3.0), event("close", "a", 1, 3),
            mode(3, "b", "a: slide", t=4.0)]  # fmt: skip
    for row in rows:
        visits.take(row)
    assert visits.numbers == {1: 1, 2: 2, 3: 2}
    assert visits.arrows == {(1, 1): {"impact: a": 2}, (1, 2): {"close: a": 2}, (2, 1): {"open: a": 1}}
    assert visits.seconds == {1: 2.0, 2: 2.0}
    picture = ElementTree.fromstring(visits.svg())
    assert {node.get("data-mode") for node in picture.iter() if node.get("data-mode")} == {"1", "2"}
    assert not visits.changed


def test_what_held_for_no_time_is_no_visit():
    """Before the first step nothing is closed yet: the mode after it is the first."""
    visits = Visits("test")
    visits.take(mode(1, t=0.0))
    visits.take(mode(2, "floor: stick", t=0.001))
    assert visits.numbers == {2: 1}


def test_visits_stay_bounded():
    """Modes and labels beyond the most are not remembered; hostile names are text."""
    visits = Visits("<b>")
    for k in range(2 * MOST_MODES):
        visits.take(event("impact", f"<script>{k}", 1, 1))
        visits.take(mode(k + 1, f"c{k % (MOST_MODES + 50)}", t=float(k + 1)))
    assert len(visits.modes) == MOST_MODES
    assert "<script>" not in visits.svg()
    visits.again(0.0)
    assert visits.here is None


# --- equations --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "labels", "words"),
    [
        ("double_pendulum", [], "Dynamical differential equations"),
        ("double_pendulum", ["elbow is locked"], "as it was"),
        ("double_pendulum", ["elbow is locked", "shoulder is locked"], "No speed is left"),
        ("patoglu_3_belt", ["part: slide"], "friction leans against the slip"),
        ("patoglu_3_belt", ["part: stick"], "What holds"),
        ("caster", ["caster rolls", "caster is stuck"], "Dependent speeds"),
        ("chain", [], "operations in"),
        ("caster", ["caster rolls", "fence 1: slide"], "came in the run"),
    ],
)
def test_equations_of_a_mode_are_typeset(name, labels, words):
    """MathML that is well formed, with what it is about; sizes where it would be long."""
    exhibit = exhibit_of(name)
    html = typeset(exhibit, posture(exhibit.model, exhibit.q, exhibit.u), labels)
    assert words in html
    assert " style=" not in html
    ElementTree.fromstring(f"<div>{html}</div>")


def test_labels_are_read_back():
    """A contact is told with how it stands, which may itself have colons in its name."""
    assert [bare(label) for label in ("a: b: stick", "a: b", "caster rolls", "x: slide")] == [
        ("a: b", "stick"), ("a: b", ""), ("caster rolls", ""), ("x", "slide")]  # fmt: skip


@pytest.mark.parametrize(("name", "follows", "ground"), [
    ("whipple_bicycle", True, True), ("gillespie_3_cart", True, False), ("robot_on_floor", True, True),
    ("double_pendulum", False, False), ("billiard", False, False), ("kelly_berthing", False, False),
    ("spinning_top", False, True),
])  # fmt: skip
def test_how_an_exhibit_is_framed(name, follows, ground):
    """What can go anywhere is followed, and fills its picture; what floats without weight has no ground below it."""
    scene = picture_of(exhibit_of(name)).scene
    assert scene["follows"] is follows
    assert (scene["ground"] is not None) is ground
    size, snug = (float(np.linalg.norm(np.subtract(*scene[key]))) for key in ("box", "snug"))
    assert snug <= size < (2.5 if follows else 5.0) * snug
