"""The pictures in these pages, from the examples themselves: ``python docs/pictures.py`` writes docs/images/."""

from __future__ import annotations

import re
import sys
from contextlib import chdir
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from matplotlib import rc_context

from latchwork.view import gallery
from latchwork.view.svg import INSIDE, compact

HERE = Path(__file__).resolve().parent
IMAGES = HERE / "images"
ON_PAPER = INSIDE | {"figure.facecolor": "white"}
FIRST_EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def main() -> None:
    IMAGES.mkdir(exist_ok=True)
    with rc_context(ON_PAPER), TemporaryDirectory() as folder, chdir(folder):
        _readme(Path("readme.svg"))
        _coupling(Path("coupling.svg"))
        _mechanism("five-minutes.md", IMAGES / "five_minutes.png")
        _plotted("howto/plot.md", Path("howto_plot.svg"))
        _page("flexible.md")
        _study(Path("belt_study.svg"))
        for name in gallery.NAMES:
            example = gallery.load(name)
            example.run(example.models()[0]).draw(*example.draw, view=example.view, path=f"{name}.svg")
            if hasattr(example.module, "picture"):
                example.module.picture(f"{name}_more.svg")
        for path in sorted(Path().glob("*.svg")):
            (IMAGES / path).write_text(compact(path.read_text(encoding="utf-8")), encoding="utf-8")
            print(f"docs/images/{path}: {(IMAGES / path).stat().st_size} bytes")


def _readme(path: Path) -> None:
    """The picture that the first example of the README draws."""
    example = FIRST_EXAMPLE.search((HERE.parent / "README.md").read_text(encoding="utf-8"))
    assert example is not None
    exec(example[1].replace("double_pendulum.svg", str(path)))


def _page(name: str) -> None:
    """The pictures that the examples of a page draw."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (HERE / name).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    exec("\n".join(blocks), {})


def _blocks(name: str) -> list[str]:
    text = (HERE / name).read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


def _mechanism(name: str, path: Path) -> None:
    """The mechanism that a page builds and runs, at a moment, as the player shows it."""
    names: dict[str, Any] = {}
    exec("\n".join(block for block in _blocks(name) if "animate" not in block), names)
    names["run"].animate(str(path), at=0.3, size=(760, 380))


def _plotted(name: str, path: Path) -> None:
    """What the first blocks of a page plot."""
    names: dict[str, Any] = {}
    exec("\n".join(_blocks(name)[:1]), names)
    names["run"].plot("q", "tip", "magnitude(reaction(arm))", path=str(path))


def _coupling(path: Path) -> None:
    """Energy that a sampled coupler generates, against its predicted bound."""
    sys.path.insert(0, str(HERE.parent / "benchmarks"))
    import coupling

    coupling.draw(path)


def _study(path: Path) -> None:
    """Where the pendulum over a belt comes to, over its first angle and its length."""
    import numpy as np

    import latchwork as lw

    model = gallery.load("patoglu_3_belt").module.build("newton")
    axes = {"q1": np.linspace(-0.35, -0.1, 60), "l": np.linspace(0.92, 1.0, 9)}
    asked = {"angle at the end": "q1", "events": events}
    study = lw.Study(model, axes, asked, until=1.2, q={"q2": -1.6}, u={"u1": 3.0})
    study.run().plot("angle at the end", "events", kind="lines", path=str(path))


def events(run: object) -> int:
    """How many there were."""
    return len(run.events)  # type: ignore[attr-defined]


if __name__ == "__main__":
    main()
