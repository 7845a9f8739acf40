"""The page in a browser: what it shows is what the state says, and what the hand does reaches the mechanism."""

from __future__ import annotations

import io
import math
import threading
from concurrent.futures import Executor, Future
from contextlib import suppress
from pathlib import Path
from typing import Any

import matplotlib.image
import numpy as np
import pytest

from latchwork.realtime.devices.device import Reading
from latchwork.realtime.devices.paths import Going
from latchwork.realtime.devices.pointer import Pointer
from latchwork.realtime.devices.scripted import Grasp, Scripted
from latchwork.realtime.exhibit import exhibit_of
from latchwork.realtime.live import Live
from latchwork.realtime.replay import replay
from live_house import SOURCES, House, Ticked, in_a_thread, until
from live_page import Page
from pixels import off


def seen(page: Any) -> np.ndarray:
    """The window as numbers from 0 to 255."""
    picture = matplotlib.image.imread(io.BytesIO(page.tab.screenshot()), format="png")
    return np.round(255 * picture[..., :3])


def near(picture: np.ndarray, at: list[float], color: str, reach: int = 3) -> float:
    """How close any pixel around a place comes to a colour as light shades it."""
    x, y = (round(value) for value in at)
    around = picture[y - reach : y + reach + 1, x - reach : x + reach + 1].reshape(-1, 3)
    return float(off(around, color).min())


def still(page: Any) -> None:
    """Pause, unless it is, and let the last frame be drawn."""
    if page.head("paused") == 0:
        page.tab.click("#play")
    page.wait("app.bench.head.paused === 1")
    page.tab.wait_for_timeout(120)


class Idle(Executor):
    """What draws cards and typesets, and never gets to it."""

    def submit(self, *work: Any, **given: Any) -> Future[Any]:
        return Future()


def go(page: Any) -> None:
    if page.head("paused") == 1:
        page.tab.click("#play")
    page.wait("app.bench.head.paused === 0")


def test_the_gallery_opens(opened):
    """A card for every mechanism, with a picture that is not empty and its name; a click opens it."""
    page = opened()
    page.wait("document.querySelectorAll('#cards li:not(.waiting)').length === 3", 120.0)
    page.tab.wait_for_timeout(300)
    inked = """Array.from(document.querySelectorAll('#cards canvas'), (canvas) =>
               canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data.some((v) => v > 0))"""
    assert page.look(inked) == [True] * 3
    page.tab.click("text=Double pendulum")
    page.wait("app.bench && app.bench.head.t > 0")


@pytest.mark.parametrize("name", SOURCES)
def test_every_mechanism_renders(opened, name):
    """Every solid of a body is drawn where the frame says, in its colour as light shades it, and can be taken there."""
    page = opened(name)
    still(page)
    page.tab.mouse.move(5, 5)
    solids = page.look("""() => { const d = app.bench.drawing, meshes = meshesOf(d.scene), found = [];
        for (const solid of placedSolids(d)) {
          if (!solid.item.body) continue;
          const mesh = meshes[solid.mesh], count = mesh.places.length / 3, middle = [0, 0, 0];
          for (let i = 0; i < count; i++) vertexOf(solid, mesh, i).forEach((x, k) => { middle[k] += x / count; });
          const [x, y] = d.screen(middle), hit = hitSolid(d, x, y);
          found.push([middle, solid.item.color, solid.item.body, hit && hit.body]);
        }
        return found; }""")
    picture = seen(page)
    assert {body for _, _, body, _ in solids} == set(page.look("app.bench.described.bodies"))
    for middle, color, body, hit in solids:
        assert hit is not None
        assert hit != body or near(picture, page.pixel(middle), color) < 12.0
    go(page)


def is_clear(place, q1, q2, own) -> bool:
    """Whether a place beside one rod of a double pendulum of unit lengths is clear of the other, and of its pins."""
    knee = np.array([np.sin(q1), -np.cos(q1), 0.0])
    rods = (np.zeros(3), knee), (knee, np.array([np.sin(q1 + q2), -np.cos(q1 + q2), 0.0]))
    start, along = rods[1 - own]
    ends = np.zeros(3), knee, knee + rods[1][1]
    off = place - start - np.clip((place - start) @ along, 0.0, 1.0) * along
    return min(np.linalg.norm(off), *(np.linalg.norm(place - end) for end in ends)) > 0.24


def test_the_picture_is_what_the_state_says(opened, house):
    """The rods of the double pendulum, drawn by the browser, lie where q1 and q2 of the loop put them."""
    page = opened("double_pendulum")
    still(page)
    until(lambda: abs(house.server.rooms["double_pendulum"].state.t - page.head("t")) < 1e-12)
    q1, q2 = house.server.rooms["double_pendulum"].state.x[:2]
    picture = seen(page)
    color = "(name) => app.bench.scene.shapes.find((item) => item.body === name).color"
    colors = {name: page.look(color, name) for name in ("upper", "lower")}
    for s in (0.2, 0.35, 0.65, 0.8):
        upper = s * np.array([np.sin(q1), -np.cos(q1), 0.0])
        lower = np.array([np.sin(q1), -np.cos(q1), 0.0]) + s * np.array([np.sin(q1 + q2), -np.cos(q1 + q2), 0.0])
        sides = (colors["upper"], upper, q1), (colors["lower"], lower, q1 + q2)
        for own, (color, place, angle) in enumerate(sides):
            assert near(picture, page.pixel(place.tolist()), color, 1) < 12.0
            across = place + 0.15 * np.array([np.cos(angle), np.sin(angle), 0.0])
            if is_clear(across, q1, q2, own):
                assert near(picture, page.pixel(across.tolist()), color, 1) > 40.0
    go(page)


def test_dragging_the_handle_moves_the_cart(opened):
    """A pull at P1 draws the cart along; the spring's force is told; let go, nothing is held."""
    page = opened("caster")
    page.tab.click("#reset")
    page.wait("app.bench.head.t < 2")
    start = page.dot("P1")
    page.drag([start, *([start[0] - 0.03 * k, start[1], 0.0] for k in range(1, 20))])
    page.wait("app.bench.head.hand >= 0")
    page.wait(f"app.bench.drawing.row(app.bench.scene.dots.find((d) => d.name === 'P1').at, 3)[0] < {start[0] - 0.2}")
    assert "N on basket" in page.look("document.getElementById('m-force').textContent")
    page.tab.mouse.up()
    page.wait("app.bench.head.hand === -1")


def test_a_target_is_dragged(browser):
    """The ring goes where the pointer drags it, its slider with it, and the law brings the crank there; its commands
    are drawn."""
    with House({"aghili_control": "aghili_control"}) as house:
        page = Page(browser, house, "aghili_control")
        page.wait("app.bench.rings && app.bench.rings.length === 1")
        assert page.look("app.bench.arrows.filter((name) => name.endsWith('↻')).length") == 2
        start, angle = page.look("app.bench.rings[0].at"), 0.6
        page.drag([start, [math.cos(0.8), math.sin(0.8), 0.0], [math.cos(angle), math.sin(angle), 0.0]], pause=120)
        page.tab.mouse.up()
        page.wait(f"Math.abs(Number(app.bench.panels.inputs.goal.input.value) - {angle}) < 0.02")
        until(lambda: abs(page.plotted("q1") - angle) < 0.03, 30.0, "the crank")
        assert not page.complaints
        page.close()


def test_sticking_the_caster_changes_mode_and_reaction(opened):
    """The button releases and holds it: another mode is lit in the automaton, other forces hold, other equations."""
    page = opened("caster")
    page.tab.click("#reset")
    held = "document.querySelector('#buttons button').getAttribute('aria-pressed') === '{}'"
    page.wait(held.format("true"))
    mode, forces = page.head("mode"), page.head("forces")
    page.wait("document.querySelectorAll('#equations math').length > 2")
    stuck = page.look("document.getElementById('equations').textContent")
    for _ in range(4):  # its rule may stick it again before a page on a busy machine has looked
        page.tab.click("#buttons button")
        with suppress(AssertionError):
            page.wait(held.format("false"), 8.0)
            break
    page.wait(f"app.bench.head.mode !== {mode}")
    assert page.head("forces") == forces - 1
    page.wait("document.querySelector('#automaton g.lit').dataset.mode === String(app.bench.head.mode)")
    page.wait("document.querySelectorAll('#equations math').length > 2")
    assert page.look("document.getElementById('equations').textContent") != stuck
    page.tab.click("#buttons button")
    page.wait(f"app.bench.head.mode === {mode}")
    assert page.look("document.querySelectorAll('#reactions tr').length") == forces


def test_a_fence_drawn_in_the_run_changes_the_path(opened):
    """Without it the disk goes on down the ramp; with a fence across, it never gets beyond."""
    page = opened("feeder")
    page.tab.click("#reset")
    page.wait("app.bench.head.t < 1")
    page.tab.click("#fence")
    page.drag([[7.0, -0.3, 0.0], [7.2, 0.5, 0.0], [7.3, 1.5, 0.0], [7.4, 3.0, 0.0]])
    page.tab.mouse.up()
    page.wait("app.bench.fence.length >= 2")
    corner = page.look("app.bench.fence[app.bench.fence.length - 1]")
    assert np.abs(np.array(corner) - [7.4, 3.0, 0.0]).max() < 0.1
    page.wait("app.bench.panels.mode.names.some((name) => name.startsWith('fence'))")
    page.wait("app.bench.arrows.length >= 1")
    page.tab.wait_for_timeout(300)
    assert page.plotted("q1") < 7.0
    page.tab.click("#unfence")
    page.wait("app.bench.fence.length === 0")
    page.wait("app.bench.frame[app.bench.plotsAt] > 7.0")


def test_sliders_plots_and_time(opened):
    """A slider sets its parameter; time is stepped, slowed and taken back; a chip adds a curve."""
    page = opened("double_pendulum")
    page.look("""() => { const input = document.querySelector('#sliders input'); input.value = 3;
                 input.dispatchEvent(new Event('input')); input.dispatchEvent(new Event('change')); }""")
    page.wait("document.querySelector('#sliders output').value === '3.00'")
    assert page.look("document.querySelector('#sliders label').title") != ""
    assert page.look("document.querySelector('#sliders span').textContent").endswith("]")
    page.wait("app.bench.head.t > 0.5")
    still(page)
    tick = page.head("tick")
    page.tab.click("#step")
    page.wait(f"app.bench.head.tick === {tick + 1}")
    t = page.head("t")
    page.look("""() => { const input = document.getElementById('rewind'); input.value = -0.3;
                 input.dispatchEvent(new Event('change')); }""")
    page.wait(f"Math.abs(app.bench.head.t - {t - 0.3}) < 1e-6")
    page.tab.select_option("#speed", "0.1")
    page.wait("app.bench.head.speed === 0.1")
    page.tab.select_option("#speed", "1")
    page.tab.click("#plots button:has-text('u1')")
    assert "u1" in page.look("app.bench.panels.plot.chosen")
    page.tab.click("#reset")
    page.wait("app.bench.head.t < 0.3")
    go(page)


def test_the_whole_run_is_plotted_and_can_be_had(opened):
    """The plot keeps all that was shown, reads it under the pointer, and gives it as a table."""
    page = opened("double_pendulum")
    page.wait("app.bench.head.t > 0.4 && app.bench.panels.plot.t.length > 5")
    page.tab.click("#plot-all")
    assert page.look("document.getElementById('plot-title').textContent") == "Whole run"
    with page.tab.expect_download() as waiting:
        page.tab.click("#plot-csv")
    head, *rows = Path(waiting.value.path()).read_text(encoding="utf-8").splitlines()
    assert head.split(",") == ["t", *page.look("app.bench.described.plots")]
    assert len(rows) >= 5
    assert all(len(row.split(",")) == len(head.split(",")) for row in rows)
    page.tab.hover("#plot")
    assert page.look("app.bench.panels.plot.cursor") > 0
    page.tab.click("#plot-all")


def test_a_look_back_shows_how_it_was(opened):
    """While the slider of the past is moved, the picture is that of then; the run itself has not gone back yet."""
    page = opened("double_pendulum")
    page.wait("app.bench.past.length > 8")
    still(page)
    t = page.head("t")
    page.look("""() => { const input = document.getElementById('rewind'); input.value = -0.2;
                 input.dispatchEvent(new Event('input')); }""")
    assert page.look("app.bench.back !== null && app.bench.back[app.bench.index.t] < app.bench.head.t")
    assert page.head("t") == t
    page.look("() => app.bench.preview(0)")
    go(page)


def test_a_run_is_downloaded_and_made_again_bit_for_bit(browser, tmp_path):
    """What a hand did in the browser, as a file: replayed, it ends in the same state to the last bit."""
    with House({"double_pendulum": "double_pendulum"}, looping=Ticked, workers=in_a_thread) as house:
        page = Page(browser, house, "double_pendulum")
        page.tab.focus("#picture")
        page.tab.keyboard.press("g")
        page.wait("app.bench.head.hand >= 0")
        for _ in range(4):
            page.tab.keyboard.press("ArrowRight")
        page.tab.keyboard.press("Escape")
        page.wait("app.bench.head.hand === -1")
        still(page)
        with page.tab.expect_download() as waiting:
            page.tab.click("#download")
        waiting.value.save_as(tmp_path / "run.jsonl")
        live = house.server.rooms["double_pendulum"].desk.loop.live
        ended, ticks = live.x.copy(), live.tick_count
        page.close()
    again = replay(tmp_path / "run.jsonl")
    assert len(again.t) == ticks + 1
    assert np.array_equal(again.x[-1], ended)


def test_an_address_without_a_mechanism_says_so(browser, house):
    """A name that is not there is told in words, with the nearest that is, and not tried again and again."""
    page = Page(browser, house)
    page.tab.goto(f"{house.origin}/#double_pendulm")
    page.wait("!document.getElementById('banner').hidden")
    words = page.look("document.getElementById('banner').textContent")
    assert "no mechanism 'double_pendulm'" in words
    assert "double_pendulum" in words
    page.tab.wait_for_timeout(700)
    assert page.look("app.bench.wire.closed && document.getElementById('banner').textContent") == words
    page.close()


def test_every_visitor_has_a_copy(browser):
    """Where copies are asked for, what one does is not seen by the other."""
    sources = {"double_pendulum": "double_pendulum"}
    with House(sources, looping=Ticked, workers=in_a_thread, copies=True) as house:
        one, other = (Page(browser, house, "double_pendulum") for _ in range(2))
        still(one)
        other.wait(f"app.bench.head.t > {one.head('t')} + 0.2")
        assert one.head("paused") == 1
        assert other.head("paused") == 0
        assert len(house.server.rooms) == 2
        one.close()
        other.close()


def test_there_is_something_to_see_at_once(opened):
    """A mechanism whose card was drawn shows a picture as soon as it is asked for."""
    page = opened()
    page.wait("document.querySelectorAll('#cards li:not(.waiting)').length === 3", 120.0)
    page.look("() => app.gallery.cards.get('caster').item.querySelector('a').click()")
    page.wait("performance.getEntriesByName('first picture').length")
    assert page.look("""() => new Promise((done) => requestAnimationFrame(() => {  // fitted anew, drawn anew
        const c = document.getElementById('picture');
        done(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.some((v) => v > 0)); }))""")


@pytest.mark.parametrize("name", ["whipple_bicycle", "pile"])
def test_a_cold_address_shows_the_start_before_its_loop_has_begun(browser, name):
    """An address opened first of all, without a card and while its loop still waits, is a picture."""
    begins = threading.Event()

    class Waiting(Ticked):
        def __init__(self, source: str) -> None:
            begins.wait(60.0)
            super().__init__(source)

    with House({name: name, "caster": "caster"}, looping=Waiting, workers=Idle) as house:
        page = Page(browser, house)
        page.look(f"() => {{ location.hash = '#{name}'; }}")
        page.wait("performance.getEntriesByName('first picture').length")
        page.tab.set_viewport_size({"width": 900, "height": 600})  # a page that is fitted anew keeps it
        page.tab.wait_for_timeout(200)
        assert page.look("app.bench.frame") is None
        picture = seen(page)[60:400, 40:500]
        assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 50
        begins.set()
        page.wait("app.bench.head.t > 0")
        assert not page.complaints
        page.close()


@pytest.mark.parametrize("name", ["double_pendulum", "four_bar"])
def test_a_mechanism_is_posed_while_it_is_paused(browser, name):
    """Dragged while time stands still, the tip goes where the pointer goes as far as the rods let it, at rest, and a
    loop stays closed."""
    with House({name: name}, looping=Ticked, workers=in_a_thread) as house:
        page = Page(browser, house, name)
        still(page)
        page.tab.click("#reset")
        page.wait("app.bench.head.t === 0")
        body, dot = {"double_pendulum": ("lower", "tip"), "four_bar": ("rocker", "C")}[name]
        t, start = page.head("t"), page.dot(dot)
        page.drag([start, *([start[0] - 0.01 * k, start[1] + 0.003 * k, 0.0] for k in range(1, 11))], 40)
        asked = page.look("app.bench.held.to")
        page.wait("app.bench.held && !app.bench.held.waits")
        page.tab.wait_for_timeout(300)
        live = house.server.rooms[name].desk.loop.live
        assert page.head("t") == t == live.sim.t
        assert page.look("app.bench.held.body") == body
        assert math.dist(page.dot(dot), start) > 0.05
        came, first = page.look("[app.bench.held.at, app.bench.held.through]")
        assert math.dist(came, asked) < 0.9 * math.dist(first, asked)
        own = live.exhibit.model.equations()
        for constraint in live.exhibit.model.constraints:
            zero = [live.value(each) for each in constraint.zero]
            assert max(map(abs, zero)) < 1e-9
        assert not live.x[len(own.q) :].any()
        page.tab.mouse.up()
        go(page)
        page.wait(f"app.bench.head.t > {t + 0.05}")
        page.close()


def test_what_travels_is_followed(browser):
    """A bicycle that rides away stays in the picture, and its ground goes by under it."""
    with House({"whipple_bicycle": "whipple_bicycle"}, looping=Ticked, workers=Idle) as house:
        page = Page(browser, house, "whipple_bicycle")
        page.wait("app.bench.head.t > 3", 60.0)
        still(page)
        for _ in range(8):
            page.look("() => { app.bench.draw(); }")
            page.tab.wait_for_timeout(60)
        x, y = page.look("app.bench.drawing.screen(app.bench.middle())")
        wide, high = page.look("[app.bench.drawing.wide, app.bench.drawing.high]")
        assert page.look("app.bench.middle()")[0] > 5.0
        assert abs(x / wide - 0.5) < 0.2
        assert abs(y / high - 0.5) < 0.3
        page.close()


def test_numbers_below_rounding_are_zero(opened):
    """1e-15 beside others is 0; components of one force have the decimals of the largest."""
    page = opened("double_pendulum")
    shown = page.look("[brief(1.7e-14), brief(-1e-16), brief(2e-12, 3, 1), brief(0.25)]")
    assert shown == ["0.00", "0.00", "0.00", "0.25"]
    assert page.look("[alike([34.7, -5e-5, -18.2]), alike([1.75, 1.7e-14]), alike([0, 0])]") == [
        "34.7, 0.0, −18.2", "1.75, 0.00", "0.00, 0.00"]  # fmt: skip


def test_gauges_are_behind_a_button(opened):
    """How the loop keeps time is for those who ask."""
    page = opened("double_pendulum")
    hidden = "getComputedStyle(document.getElementById('budget')).display === 'none'"
    assert page.look(hidden)
    page.tab.click("#gauges")
    assert not page.look(hidden)
    page.tab.click("#gauges")


def test_a_phone_on_its_side(opened):
    """In landscape the picture and the controls stand beside each other, and nothing has to be scrolled sideways."""
    phone = opened("double_pendulum", viewport={"width": 844, "height": 390}, has_touch=True)
    boxes = phone.look("""['stage', 'panels'].map((id) => {
                       const b = document.getElementById(id).getBoundingClientRect();
                       return [b.left, b.right, b.height]; })""")
    assert boxes[0][1] <= boxes[1][0] + 1
    assert boxes[0][2] > 180
    assert phone.look("document.documentElement.scrollWidth <= 844")


def test_the_keys_take_hold(opened):
    """G takes the exhibit's own body, arrows pull it, Escape lets go; space pauses."""
    page = opened("double_pendulum")
    page.tab.focus("#picture")
    page.tab.keyboard.press("g")
    page.wait("app.bench.head.hand === 1")
    before = page.head("device x")
    page.tab.keyboard.press("ArrowRight")
    page.wait(f"app.bench.head['device x'] > {before}")
    page.tab.keyboard.press("Escape")
    page.wait("app.bench.head.hand === -1")
    page.tab.keyboard.press(" ")
    page.wait("app.bench.head.paused === 1")
    page.tab.keyboard.press(" ")
    page.wait("app.bench.head.paused === 0")


def test_two_pages_see_the_same(opened):
    """What one does, the other shows; a phone beside a laptop, by night."""
    laptop = opened("caster")
    phone = opened("caster", viewport={"width": 390, "height": 844}, has_touch=True, color_scheme="dark")
    assert phone.look("document.documentElement.scrollWidth <= 390")
    laptop.tab.click("#reset")
    phone.wait("app.bench.head.t < 3")
    start = laptop.dot("P1")
    laptop.drag([start, [start[0] - 0.1, start[1] + 0.05, 0.0]])
    phone.wait("app.bench.head.hand >= 0")
    laptop.tab.mouse.up()
    phone.wait("app.bench.head.hand === -1")


def test_a_finger_pulls(opened):
    """On a phone, touching a body takes hold of it, and lifting the finger lets go."""
    phone = opened("double_pendulum", viewport={"width": 390, "height": 844}, has_touch=True)
    still(phone)
    x, y = phone.pixel(phone.dot("lower"))
    hand = phone.context.new_cdp_session(phone.tab)
    touch = lambda kind, points: hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})  # noqa: E731
    touch("touchStart", [{"x": x, "y": y}])
    phone.wait("app.bench.held !== null")
    touch("touchMove", [{"x": x + 40, "y": y - 30}])
    go_on = "document.getElementById('play').click()"
    phone.look(f"() => {{ {go_on}; }}")
    phone.wait("app.bench.head.hand === 1")
    touch("touchEnd", [])
    phone.wait("app.bench.head.hand === -1")


def test_a_fast_screen_says_no_more_than_is_heard(opened):
    """Of a thousand places of the pointer in a second some hundred are told, the last always."""
    page = opened("double_pendulum")
    page.tab.focus("#picture")
    page.tab.keyboard.press("g")
    page.wait("app.bench.head.hand >= 0")
    told = page.look("""async () => { const b = app.bench, say = b.say.bind(b), told = [], began = performance.now();
        b.say = (command) => { told.push(command.to); return say(command); };
        for (let k = 0; k < 200; k++) {
          b.pull([1e-3 * k, -1, 0]);
          await new Promise((done) => setTimeout(done, 1));
        }
        await new Promise((done) => setTimeout(done, 50));
        b.say = say;
        return [told, performance.now() - began]; }""")
    places, took = told
    assert places[-1][0] == 1e-3 * 199
    assert len(places) <= took / 10.0 + 1
    page.tab.keyboard.press("Escape")
    page.wait("app.bench.head.hand === -1")


def test_the_page_comes_back_when_the_server_does(browser):
    """It says that the connection is lost, tries again by itself, and takes up the same mechanism."""
    first = House({"double_pendulum": "double_pendulum"}, workers=in_a_thread)
    page = Page(browser, first, "double_pendulum")
    first.stop()
    page.wait("!document.getElementById('banner').hidden")
    assert "connection" in page.look("document.getElementById('banner').textContent")
    with House({"double_pendulum": "double_pendulum"}, port=first.port, workers=in_a_thread):
        page.wait("document.getElementById('status').dataset.state === 'open'")
        page.wait("document.getElementById('banner').hidden && app.bench.head.t > 0 && app.bench.head.t < 20")
    page.close()


class Noted(Pointer):
    """A pointer that keeps what it was read as, by time."""

    def __init__(self, step: float) -> None:
        super().__init__(step)
        self.readings: dict[float, Reading] = {}

    def read(self, tick: int, t: float) -> Reading:
        reading = super().read(tick, t)
        if reading.body is not None:
            self.readings[t] = reading
        return reading


def test_browser_and_script_agree(browser):
    """A scripted hand that goes where the browser's pointer went gives the same motion, to the last bit."""

    def noted(source: str) -> Ticked:
        return Ticked(source, Noted(exhibit_of(source).step))

    with House({"caster": "caster"}, looping=noted, workers=in_a_thread) as house:
        page = Page(browser, house, "caster")
        start = page.dot("P1")
        page.drag([start, *([start[0] - 0.02 * k, start[1] + 0.004 * k, 0.0] for k in range(1, 25))])
        page.wait("app.bench.head.hand >= 0")
        page.wait(f"app.bench.drawing.row(app.bench.scene.dots.find((d) => d.name === 'P1').at, 3)[0]"
                  f" < {start[0] - 0.2}")  # fmt: skip
        page.tab.mouse.up()
        page.wait("app.bench.head.hand === -1")
        live = house.server.rooms["caster"].desk.loop.live
        page.close()
    seen, last = live.device.readings, max(live.device.readings)
    first = seen[min(seen)]
    grasp = Grasp("basket", lambda t: Going(*seen[t][2:6]), first.arm, min(seen), np.nextafter(last, np.inf))
    other = Live(exhibit_of("caster"), device=Scripted(grasp))
    while other.tick_count < live.tick_count:
        other.tick()
    assert other.sim.t == live.sim.t
    assert np.array_equal(other.x, live.x)
    assert other.sim.active == live.sim.active
    assert math.dist(first.place, seen[last].place) > 0.2
