"""Mechanisms as they are drawn, for these pages: ``python docs/mechanism_pictures.py [name ...]`` writes docs/images/.

Six of them in one picture at the head of the README (its robots need ``make peers``), and one for a page each.
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
from latchwork.view.live.picture import picture_of
from latchwork.view.still import NOTHING, pixels, still

HERE = Path(__file__).resolve().parent
IMAGES = HERE / "images"
CELL, SHOWN = (840, 600), (1260, 600)  # pixels of one of six, drawn twice as large as it is shown, and of all
TALOS, ANYMAL = "talos_data/robots/talos_reduced.urdf", "anymal_b_simple_description/robots/anymal.urdf"
COLORS = 128
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
    makers |= {"identification.png": _arm}
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
