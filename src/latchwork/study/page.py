"""The page of a study: one file for any browser, without a network. Sliders go through its points."""

from __future__ import annotations

import html
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from latchwork.errors import StudyError
from latchwork.files import write_text
from latchwork.view.files import writable

if TYPE_CHECKING:
    from latchwork.study.study import Study

LARGEST = 4_000_000  # numbers of a page: about 40 MB
DIGITS = 7
STYLE, SCRIPT = "page.css", "page.js"  # beside this file


def write_page(study: Study, path: str, incomplete: bool) -> None:
    """Write the page; refuse what would be too large for one."""
    study.must_be_complete(incomplete)
    write_text(writable(path), page(study))


def page(study: Study) -> str:
    """The page as text: what it shows is in it, and nothing is loaded."""
    shapes, times = study.store.shapes or {}, study.subject.times
    shown = {name: shape for name, shape in shapes.items()
             if shape == () or (times is not None and shape == (len(times),))}  # fmt: skip
    size = len(study) * (len(study.points.names) + sum(int(np.prod(shape)) for shape in shown.values()))
    if size > LARGEST:
        raise StudyError(f"a page of {size} numbers is too large for a browser; {LARGEST} are the most. Ask for fewer "
                         "points or samples.")  # fmt: skip
    if not shown:
        raise StudyError(f"the study of '{study.subject.name}' has no output that a page can show. Ask for numbers, or "
                         "for samples with every=...")  # fmt: skip
    outputs = {name: {"values": _plain(study.store.output(name)),
                      "times": None if shape == () or times is None else _plain(times)}
               for name, shape in shown.items()}  # fmt: skip
    data = {"names": study.points.names, "axes": [_plain(axis) for axis in study.points.axes],
            "points": _plain(study.points.values), "outputs": outputs}  # fmt: skip
    text = json.dumps(data, allow_nan=False).replace("<", "\\u003c")
    name, now = html.escape(study.subject.name), study.progress
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>{name}</title>'
        f'<meta name="viewport" content="width=device-width"><style>{_beside(STYLE)}</style>'
        f"<h1>{name}</h1><p>{html.escape(str(now))} of {html.escape(', '.join(study.points.names))}</p>"
        '<div class="grid"><div><label>output <select id="output"></select></label>'
        '<label>along <select id="along"></select></label><div id="sliders"></div></div>'
        '<div><svg id="picture" role="img" aria-label="the output along a parameter"></svg>'
        '<table id="here"></table></div></div>'
        '<table id="worst"></table>'
        f"<script>const S = {text};\n{_beside(SCRIPT)}</script></html>\n"
    )


def _beside(name: str) -> str:
    return Path(__file__).with_name(name).read_text(encoding="utf-8")


def _plain(values: Any) -> Any:
    """Numbers for JSON, of as many digits as can be seen; null where there is none."""
    if isinstance(values, np.ndarray) and values.ndim:
        return [_plain(each) for each in values]
    number = float(values)
    return float(f"{number:.{DIGITS}g}") if np.isfinite(number) else None
