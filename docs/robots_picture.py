"""Twelve robots of example-robot-data in one picture: ``python docs/robots_picture.py`` writes docs/images/robots.png.

Needs the robots (``make peers``). They stand with all joints at zero; floating ones are held where they are drawn.
"""

from __future__ import annotations

import sys
import time
from importlib.metadata import files
from pathlib import Path

import numpy as np
from PIL import Image

import latchwork as lw
from latchwork.view.still import pixels, still

ROBOTS = (
    "panda_description/urdf/panda.urdf", "ur_description/urdf/ur5_robot.urdf", "talos_data/robots/talos_reduced.urdf",
    "tiago_description/robots/tiago.urdf", "anymal_b_simple_description/robots/anymal.urdf",
    "solo_description/robots/solo12.urdf", "hyq_description/robots/hyq_no_sensors.urdf",
    "g1_description/urdf/g1_29dof_rev_1_0.urdf", "baxter_description/urdf/baxter.urdf",
    "kinova_description/robots/kinova.urdf", "go2_description/urdf/go2.urdf",
    "iris_description/robots/iris_simple.urdf",
)  # fmt: skip
CELL, COLUMNS = (420, 400), 4
OUT = Path(__file__).resolve().parent / "images" / "robots.png"


def main(out: Path = OUT) -> None:
    folder = next(Path(str(file.locate())).parents[2] for file in files("example-robot-data") or []
                  if file.name == "panda.urdf")  # fmt: skip
    cells = []
    for name in ROBOTS:
        begin = time.perf_counter()
        model = lw.load(folder / name, floating="iris" in name)
        scene = still(model)
        cells.append(pixels(scene, CELL))
        faces = sum(len(mesh["faces"]) * 3 // 4 // mesh["wide"] // 3 for mesh in scene["meshes"])
        print(f"{Path(name).stem:20} {faces:7} faces, {time.perf_counter() - begin:5.1f} s", flush=True)
    rows = [np.hstack(cells[k : k + COLUMNS]) for k in range(0, len(cells), COLUMNS)]
    whole = Image.fromarray(np.vstack(rows))
    whole.resize((1260, 900), Image.Resampling.LANCZOS).quantize(96).save(out, optimize=True)
    print(f"wrote {out}")


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
