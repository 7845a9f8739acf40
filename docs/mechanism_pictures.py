"""Mechanisms as they are drawn, for these pages: ``python docs/mechanism_pictures.py [name ...]`` writes docs/images/.

Six of them in one picture at the head of the README (its robots need ``make peers``), eight that move at the head of
the gallery, and one for a page each.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Mapping
from contextlib import chdir
from importlib.metadata import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from PIL import Image

import latchwork as lw
from latchwork.formats import read_file
from latchwork.realtime.exhibit import exhibit_of
from latchwork.view import gallery
from latchwork.view.film.drawing import draw
from latchwork.view.film.moment import Reel
from latchwork.view.film.pen import Pen
from latchwork.view.film.renderer import Renderer
from latchwork.view.film.sight import Room, sight
from latchwork.view.live.picture import picture_of
from latchwork.view.scene import scene
from latchwork.view.still import MARGIN, NOTHING, pixels, still

HERE = Path(__file__).resolve().parent
IMAGES = HERE / "images"
CELL, SHOWN = (840, 600), (1260, 600)  # pixels of one of six, drawn twice as large as it is shown, and of all
TALOS, ANYMAL = "talos_data/robots/talos_reduced.urdf", "anymal_b_simple_description/robots/anymal.urdf"
COLORS = 128
MOVING = ("four_bar", "spinning_top", "andrews_squeezer", "geneva_drive", "double_pendulum", "rolling_coin",
          "piano_action", "iftomm_a05_governor")  # fmt: skip
FRAMES, PACE, SMALL = 30, 100, (220, 165)  # of what moves: frames, ms of each, pixels of one mechanism
SIZE = (760, 360)
# Pictures of pages: an example, at a time, with what is drawn besides.
MOMENTS: dict[str, tuple[str, float, dict[str, Any]]] = {
    "constraints.png": ("iftomm_a04_bricard", 0.3, {}),
    "contact.png": ("grasp", 0.2, {"forces": True}),
    "small_motions.png": ("whipple_bicycle", 0.1, {}),
}
# What the blocks of a page write, under the name that its picture has.
WRITTEN = {
    "howto_animation.gif": ("howto/animation.md", "swing.gif"),
    "howto_pd.png": ("howto/pd-control.md", "pd.png"),
    "howto_reactions.png": ("howto/reaction-forces.md", "hinge.png"),
    "howto_study.png": ("howto/parameter-study.md", "throw.png"),
    "robot_standing.png": ("howto/robot-on-the-floor.md", "a1.png"),
}


def main(names: list[str]) -> None:
    makers: dict[str, Callable[[Path], None]] = {"mechanisms.png": _six, "crane.png": _crane}
    makers |= {"identification.png": _arm, "gallery.gif": _eight}
    makers |= {name: _moment(*row) for name, row in MOMENTS.items()}
    makers |= {name: _written(*row) for name, row in WRITTEN.items()}
    for name in names or makers:
        makers[name](IMAGES / name)
        print(f"docs/images/{name}: {(IMAGES / name).stat().st_size} bytes", flush=True)


def _six(path: Path) -> None:
    """Bicycle, humanoid, berthing; piano action, quadruped, top."""
    robots = _robots()
    scenes = [_start("whipple_bicycle"), still(lw.load(robots / TALOS)), _start("kelly_berthing"),
              _start("piano_action"), still(lw.load(robots / ANYMAL)), _start("spinning_top")]  # fmt: skip
    cells = [pixels(scene, CELL) for scene in scenes]
    whole = Image.fromarray(np.vstack([np.hstack(cells[:3]), np.hstack(cells[3:])]))
    whole.resize(SHOWN, Image.Resampling.LANCZOS).quantize(COLORS).save(path, optimize=True)


def _eight(path: Path) -> None:
    """Eight runs beside each other, each in the same time."""
    films = [_film(name) for name in MOVING]
    sheets = [Image.fromarray(np.vstack([np.hstack(row[:4]), np.hstack(row[4:])])) for row in zip(*films, strict=True)]
    sheets = [sheet.resize((4 * SMALL[0], 2 * SMALL[1]), Image.Resampling.LANCZOS) for sheet in sheets]
    some = Image.fromarray(np.vstack([np.asarray(sheet) for sheet in sheets[:: FRAMES // 3]]))
    colors = some.quantize(COLORS)  # one palette, so that what stands still is not written again
    frames = [sheet.quantize(palette=colors, dither=Image.Dither.NONE) for sheet in sheets]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=PACE, loop=0, optimize=True)


def _film(name: str) -> list[np.ndarray]:
    """Moments of a run, evenly, drawn twice as large as they are shown."""
    example = gallery.load(name)
    model = example.models()[0]
    shapes = example.shapes(model)
    view, size = getattr(example.module, "VIEW", None), (2 * SMALL[0], 2 * SMALL[1])
    seen = scene(example.run(model), view, () if shapes else example.draw, shapes)
    reel, sheet, room = Reel(seen), Renderer(*size), Room(0, 0, *size)
    found = []
    for t in np.linspace(reel.t[0], reel.t[-1], FRAMES, endpoint=False):
        pen, moment = Pen(*size), reel.at(float(t))
        draw(pen, moment, sight(moment.scene, room, MARGIN), sheet, scaled=False, turned=False)
        found.append(pen.pixels.copy())
    return found


def _robots() -> Path:
    """Where example-robot-data keeps its robots."""
    found = files("example-robot-data") or []
    return next(Path(str(file.locate())).parents[2] for file in found if file.name == "panda.urdf")


def _arm(path: Path) -> None:
    """The Panda, bent a little."""
    robot = lw.load(_robots() / "panda_description/urdf/panda.urdf")
    bent = dict(zip(robot.equations().q_names, (0.4, -0.6, 0.2, -2.2, 0.0, 1.8, 0.8), strict=False))
    large = Image.fromarray(pixels(still(robot, bent), (2 * SIZE[0], 2 * SIZE[1])))
    large.resize(SIZE, Image.Resampling.LANCZOS).save(path)
    _small(path)


def _start(name: str) -> Mapping[str, Any]:
    """The scene of an exhibit as it starts."""
    return picture_of(exhibit_of(name)).still | NOTHING | {"trail": {"t": [0.0], "track": 0}}


def _moment(name: str, at: float, options: Mapping[str, Any]) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        example = gallery.load(name)
        model = example.models()[0]
        shapes = example.shapes(model)
        run, view = example.run(model), getattr(example.module, "VIEW", None)
        run.animate(path, at=at, size=SIZE, view=view, draw=() if shapes else example.draw, shapes=shapes, **options)
        _small(path)

    return make


def _written(page: str, file: str) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        text = (HERE / page).read_text(encoding="utf-8")
        blocks = re.findall(r"^```py(?:thon)?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
        with TemporaryDirectory() as folder, chdir(folder):
            exec("\n".join(blocks), {})
            path.write_bytes(Path(file).read_bytes())
        if path.suffix == ".png":
            _small(path)

    return make


def _crane(path: Path) -> None:
    """The gantry crane of examples/gantry_crane.yaml."""
    model, settings = read_file(HERE.parent / "examples" / "gantry_crane.yaml")
    run = lw.simulate(model, **settings.arguments(model.equations()))
    run.animate(path, at=1.2, size=SIZE)
    _small(path)


def _small(path: Path) -> None:
    Image.open(path).convert("RGB").quantize(COLORS).save(path, optimize=True)


if __name__ == "__main__":
    main(sys.argv[1:])
