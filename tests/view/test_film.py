"""A run as a picture or a film, by the name of the file."""

from __future__ import annotations

import dataclasses
import re
import shutil
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import latchwork as lw
from campaign import seeds
from hybrid_runs import bounced, grasped, pendulum
from latchwork.errors import EvaluationError
from latchwork.view.animate import KINDS
from latchwork.view.film import shading
from latchwork.view.film.asked import SPEEDS, film_times, usual_speed
from latchwork.view.film.gif import cells, durations, nearest, shades
from latchwork.view.film.moment import Reel
from latchwork.view.film.pages import MARGIN, panels
from latchwork.view.film.palette import palette
from latchwork.view.film.pen import Pen, fitted, width
from latchwork.view.film.sight import Room, sight
from latchwork.view.marks import tint
from latchwork.view.scene import scene
from pixels import off

SMALL = (240, 200)
HEAD, FOOT = 32, 46  # pixels above and below a scene
SCRIPT = """#!/bin/sh
exec "{python}" "{script}" "$@"
"""
FFMPEG = """import sys
data = sys.stdin.buffer.read()
open(sys.argv[-1].removeprefix("file:"), "w").write(" ".join([*sys.argv[1:-1], str(len(data))]))
"""


def pixels(path: Path) -> np.ndarray:
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB"))


def frames(path: Path) -> list[tuple[np.ndarray, int]]:
    """The pictures of a GIF, and how many milliseconds each is shown."""
    with Image.open(path) as film:
        found = []
        for k in range(film.n_frames):
            film.seek(k)
            found.append((np.asarray(film.convert("RGB")), film.info["duration"]))
    return found


def color(name: str) -> list[int]:
    return [int(palette()[name][k : k + 2], 16) for k in (1, 3, 5)]


def place_of(run: lw.Trajectory, place: np.ndarray, size: tuple[int, int]) -> tuple[int, int]:
    """Row and column of a place in the xy plane: the box in the middle, 45 and 40 pixels from the edges of its room."""
    low, high = np.array(scene(run)["box"])[:, :2]
    wide, tall = size[0], size[1] - HEAD - FOOT
    scale = min((np.array([wide, tall]) - [90, 80]) / (high - low))
    x, y = (place[:2] - (low + high) / 2) * scale
    return round(HEAD + tall / 2 - y - 0.5), round(wide / 2 + x - 0.5)


@pytest.mark.parametrize("t", [0.0, 0.4, 0.777, 2.0])
def test_a_picture_shows_the_state_at_its_time(tmp_path, t):
    """The bob is drawn where the run has it at that time, in its colour as the light shades it."""
    run, file = pendulum(), tmp_path / "run.png"
    run.animate(str(file), at=t)
    found = pixels(file)
    row, column = place_of(run, run.at(t)["tip"], (640, 480))
    assert found.shape == (480, 640, 3)
    assert off(found[row - 2 : row + 3, column - 2 : column + 3], tint(1)).max() < 12.0
    assert 0.8 < (found == color("paper")).all(axis=2).mean() < 0.98


def test_a_strip_shows_six_moments(tmp_path):
    """Without a time, six moments at even times stand beside each other, the bob in each where the run has it."""
    run, file = pendulum(), tmp_path / "run.png"
    run.animate(str(file), size=(600, 400))
    found, data = pixels(file), scene(run)
    rooms = panels(data, Room(0, HEAD, 600, 400 - HEAD), 6)
    assert len({(room.x, room.y) for room in rooms}) == 6
    for t, room in zip(np.linspace(0.0, 2.0, 6), rooms, strict=True):
        seen = sight(data, Room(room.x, room.y + 24, room.wide, room.high - 24), MARGIN)
        column, row = np.floor(seen.screen(run.at(t)["tip"])).astype(int)
        assert off(found[row - 1 : row + 2, column - 1 : column + 2], tint(1)).max() < 12.0


def test_a_view_chooses_the_axes(tmp_path):
    """Seen along other axes, what hangs down hangs to the left."""
    seen = sight(scene(pendulum(), view="yx"), Room(0, 0, 400, 300))
    down, right = seen.screen(np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0]])) - seen.screen(np.zeros(3))
    assert down == pytest.approx([-seen.scale, 0.0])
    assert right == pytest.approx([0.0, -seen.scale])


def test_forces_are_arrows_in_pictures(tmp_path):
    """The weight of the ball at rest, carried by the floor: an arrow upwards from where they touch, if asked for."""
    run = bounced()
    touched = run.at(4.5)["P"] - [0.0, 0.06, 0.0]
    row, column = place_of(run, touched, (640, 480))
    for forces in (False, True):
        run.animate(str(tmp_path / "run.png"), at=4.5, forces=forces)
        near = pixels(tmp_path / "run.png")[row, column - 1 : column + 2]
        assert (near == color("force")).all(axis=1).any() == forces


def test_modes_are_told_by_their_colours(tmp_path):
    """The square beside the name of the mode has the colour of the mode that holds, as the bar below has."""
    run = bounced()
    for t, (_, mode) in zip((1.0, 4.5), scene(run)["modes"], strict=True):
        run.animate(str(tmp_path / "run.png"), at=t)
        shown = [int(mode[k : k + 2], 16) for k in (1, 3, 5)]
        assert (pixels(tmp_path / "run.png")[:HEAD].reshape(-1, 3) == shown).all(axis=1).sum() > 60


def test_a_gif_has_its_pictures_and_lasts_as_long_as_the_run(tmp_path):
    """Two seconds at ten pictures a second are 21 pictures, a tenth of a second each, played over and over."""
    run, file, heard = pendulum(), tmp_path / "run.gif", []
    run.animate(str(file), fps=10, speed=1.0, size=SMALL, progress=heard.append)
    shown = frames(file)
    assert [milliseconds for _, milliseconds in shown] == [100] * 21
    assert heard == pytest.approx(np.linspace(0.0, 2.0, 21))
    for t, (found, _) in zip(heard, shown, strict=True):
        row, column = place_of(run, run.at(t)["tip"], SMALL)
        assert off(found[row, column], tint(1)) < 24.0
    with Image.open(file) as film:
        assert film.info["loop"] == 0


def test_a_gif_is_as_fast_as_asked(tmp_path):
    """At twice the speed there are half as many pictures, and the clock says so."""
    pendulum().animate(str(tmp_path / "run.gif"), fps=5, speed=2.0, size=SMALL)
    assert len(frames(tmp_path / "run.gif")) == 6


def test_a_gif_is_small(tmp_path):
    """Thirty pictures a second for five seconds stay below three megabytes, by the size of one in six of them."""
    file = tmp_path / "run.gif"
    bounced().animate(str(file), fps=5, speed=1.0, forces=True)
    assert len(frames(file)) == 23
    assert file.stat().st_size < 3e6 * 23 / 150


@pytest.mark.parametrize("fps", [7.0, 24.0, 29.97, 30.0, 50.0])
def test_durations_add_up(fps):
    """A GIF counts in hundredths of a second; its pictures never run ahead or behind by more than half of one."""
    ends = np.cumsum(durations(100, fps))
    assert np.abs(ends - 1000.0 * np.arange(1, 101) / fps).max() <= 5.0 + 1e-9


def test_colours_of_a_gif_are_those_of_its_pictures(tmp_path):
    """Each of the few colours stays what it is, or goes to one that differs by less than four steps of 256; those of
    lines and words are among them, and shaded solids keep their colour."""
    run = bounced()
    run.animate(str(tmp_path / "run.png"), at=1.0)
    picture = pixels(tmp_path / "run.png")
    few = shades(scene(run), [picture])
    assert len(few) <= 254
    kept = few[nearest(few)[cells(few)]].astype(int)
    assert np.abs(kept - few).max() < 4
    for name in ("paper", "grid", "ink", "soft", "force"):
        assert color(name) in kept.tolist()
    assert np.abs(few[nearest(few)[cells(picture)]].astype(int) - picture).mean() < 1.0


@pytest.mark.parametrize("name", seeds(["run.png"], ["run.gif"]))
def test_pictures_are_the_same_every_time(tmp_path, name):
    """The same run gives the same bytes, also where names mean something to matplotlib."""
    written = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        options = {"fps": 2, "size": SMALL} if name.endswith("gif") else {}
        grasped().run.animate(str(tmp_path / folder / name), **options)
        written.append((tmp_path / folder / name).read_bytes())
    assert written[0] == written[1]


def test_there_is_one_description_of_how_things_look():
    """Light, speeds and colours are those of the scripts and the style of the page."""
    inside = files("latchwork.view")
    solids, play = (inside.joinpath(name).read_text(encoding="utf-8") for name in ("gl.js", "player.js"))
    look = dict(re.findall(r"(\w+): ([\d.]+)", re.search(r"const LOOK = \{(.*?)\}", solids)[1]))
    assert {name: float(x) for name, x in look.items()} == {name: getattr(shading, name.upper()) for name in look}
    assert len(look) == 7
    assert tuple(float(x) for x in re.search(r"const SPEEDS = \[(.*?)\]", play)[1].split(",")) == SPEEDS
    assert palette()["paper"] == "#fdfdfb"
    assert palette()["grid"] == "#edeff2"


@pytest.mark.parametrize("length", [0.02, 0.14, 1.0, 3.0, 45.0, 500.0])
def test_a_film_lasts_from_two_to_thirty_seconds(length):
    """Without a speed, one is chosen: 1 where that fits, else the nearest that does."""
    speed = usual_speed(length)
    assert 2.0 <= length / speed <= 30.0
    assert speed == 1.0 or not 2.0 <= length <= 30.0
    times = film_times(np.array([1.0, 1.0 + length]), 30.0, speed)
    assert np.diff(times) == pytest.approx(speed / 30.0)
    assert 1.0 + length - times[-1] < speed / 30.0


def test_moments_are_between_frames():
    """Tracks are read as straight lines between frames, the path up to now, and the mode that has begun."""
    reel = Reel(scene(bounced()))
    k = 40
    half = reel.at(float(reel.t[k : k + 2].mean()))
    (ball, *_) = (dot for dot in reel.scene["dots"] if dot["name"] == "ball")
    assert half.row(ball["at"]) == pytest.approx(reel.tracks[ball["at"]].reshape(-1, 3)[k : k + 2].mean(axis=0))
    assert len(reel.at(0.0).passed) == 1
    assert len(reel.at(4.5).passed) == len(reel.trail)
    first = bounced().events[0]
    assert reel.at(first.t - 1e-6).event is None
    assert reel.at(first.t).event == [first.t, first.kind, first.name]
    assert [reel.at(t).mode for t in (0.0, 4.5)] == [1, 2]


def test_a_run_of_no_length_has_a_picture(tmp_path):
    """What has only begun can be shown as it stands."""
    run = pendulum()
    run = dataclasses.replace(run, t=run.t[:1], x=run.x[:1])
    run.animate(str(tmp_path / "run.png"), at=0.0)
    run.animate(str(tmp_path / "run.gif"), size=SMALL)
    assert len(frames(tmp_path / "run.gif")) == 1


def test_words_are_cut_to_their_room():
    """A name that is too long ends in dots, and a room too small for them has no words."""
    long = "a name that goes on and on"
    assert fitted(long, 1000.0) == long
    assert fitted(long, 80.0).endswith("…")
    assert width(fitted(long, 80.0)) <= 80.0
    assert fitted(long, 1.0) == ""


def test_nothing_is_drawn_outside_of_a_room():
    """What reaches out of a panel is cut off at its edge."""
    pen = Pen(100, 100)
    pen.within(20, 30, 40, 50)
    pen.line(np.array([[0.0, 40.0], [100.0, 40.0]]), palette()["rod"], 3)
    inked = (pen.pixels != color("paper")).any(axis=2).nonzero()
    assert (inked[1].min(), inked[1].max()) == (20, 59)
    assert set(inked[0]) <= {38, 39, 40, 41}


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("run.avi", {}, r"cannot be written as '.*run.avi'.*\.html.*\.png.*\.gif.*\.mp4"),
        ("run", {}, "cannot be written as"),
        ("run.html", {"fps": 10}, r"is a page, for which fps= means nothing\. Leave it out, or write \.gif or \.mp4"),
        ("run.gif", {"at": 0.5}, r"at= means nothing\. Leave it out, or write \.png"),
        ("run.png", {"at": 2.5}, "no picture at 2.5: it lasts from t = 0 to 2"),
        ("run.png", {"at": "now"}, "no picture at 'now'"),
        ("run.png", {"size": (20, 480)}, r"got size=\(20, 480\).*For example size=\(1200, 680\)"),
        ("run.gif", {"size": "640x480"}, "got size='640x480'"),
        ("run.gif", {"fps": 0}, "fps of a film is a number above zero; got 0"),
        ("run.gif", {"speed": float("nan")}, "speed of a film is a number above zero; got nan"),
        ("run.gif", {"fps": 60}, "at most 50 pictures a second; got fps=60"),
        ("run.gif", {"speed": 0.001}, "60001 pictures are too many"),
        ("run.gif", {"view": "xx"}, "two of the axes"),
    ],
)
def test_what_cannot_be_shown_is_refused(tmp_path, name, options, message):
    """Names, options and numbers that mean nothing are refused with words, and no file is written."""
    with pytest.raises(EvaluationError, match=message):
        pendulum().animate(str(tmp_path / name), **options)
    assert list(tmp_path.iterdir()) == []


def test_the_name_of_a_file_may_be_in_capitals(tmp_path):
    """A suffix means the same in capitals."""
    pendulum().animate(str(tmp_path / "RUN.PNG"), at=1.0, size=SMALL)
    assert pixels(tmp_path / "RUN.PNG").shape == (200, 240, 3)
    assert list(KINDS) == [".html", ".png", ".gif", ".mp4"]


def test_a_film_needs_ffmpeg(tmp_path, monkeypatch):
    """Where there is none, the error says what to do."""
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EvaluationError, match=r"needs ffmpeg, and no program.*Install it.*write a \.gif"):
        pendulum().animate(str(tmp_path / "run.mp4"))


@pytest.mark.skipif(sys.platform == "win32", reason="a script is no program there")
def test_ffmpeg_is_handed_every_picture(tmp_path, monkeypatch):
    """A program in its place gets size and rate, and 3 bytes for every pixel of every picture; its failure is told."""
    program, script = tmp_path / "ffmpeg", tmp_path / "ffmpeg.py"
    program.write_text(SCRIPT.format(python=sys.executable, script=script), encoding="utf-8")
    program.chmod(0o755)
    script.write_text(FFMPEG, encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    pendulum().animate(str(tmp_path / "run.mp4"), fps=4, speed=1.0, size=SMALL)
    words = (tmp_path / "run.mp4").read_text(encoding="utf-8")
    assert words.endswith(f" {9 * 240 * 200 * 3}")
    assert "-s 240x200 -r 4 -i -" in words
    script.write_text("import sys\nsys.exit('no such codec')\n", encoding="utf-8")
    with pytest.raises(EvaluationError, match=r"ffmpeg could not write '.*run.mp4': no such codec\. Try"):
        pendulum().animate(str(tmp_path / "run.mp4"), fps=4)


@pytest.mark.skipif(shutil.which("ffmpeg") is None, reason="there is no ffmpeg")
def test_a_film_is_written_by_ffmpeg(tmp_path):
    """Read back, it has as many pictures as were drawn, of even size."""
    file = tmp_path / "run.mp4"
    pendulum().animate(str(file), fps=5, speed=1.0, size=(241, 201))
    raw = ["ffmpeg", "-loglevel", "error", "-i", str(file), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    made = subprocess.run(raw, check=True, capture_output=True).stdout
    assert len(made) == 11 * 242 * 202 * 3
