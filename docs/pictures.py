"""The pictures in these pages, from the gallery itself: ``python docs/pictures.py`` writes docs/images/."""

from __future__ import annotations

import io
import re
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from latchwork.view import gallery
from latchwork.view.motion import draw_motion
from latchwork.view.svg import DROPPED, INSIDE, LONG_NUMBER

IMAGES = Path(__file__).resolve().parent / "images"
ON_PAPER = INSIDE | {"savefig.facecolor": "white", "savefig.edgecolor": "white"}


def write(figure: Figure, path: Path) -> None:
    """The figure as a small SVG file on white."""
    text = io.StringIO()
    figure.savefig(text, format="svg", facecolor="white", metadata={"Date": None, "Creator": None})
    body = LONG_NUMBER.sub(r"\1", DROPPED.sub("", text.getvalue()))
    path.write_text(re.sub(r"\n\s*", "\n", body).strip() + "\n", encoding="utf-8")


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    for name in gallery.NAMES:
        example = gallery.load(name)
        run = example.run(example.models()[0])
        with rc_context(ON_PAPER):
            write(draw_motion(run, example.draw, example.view), IMAGES / f"{name}.svg")
        print(f"{name}.svg", (IMAGES / f"{name}.svg").stat().st_size)


if __name__ == "__main__":
    main()
