"""Pages of the API reference, by subject: every public name of the package, found by the layer that it comes from."""

from __future__ import annotations

import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

import latchwork

PARENTS = "object, tuple, int, str, float, Exception, BaseException, ValueError"
SUBJECTS = {  # the title of a page, and the layers whose names it has; what is in none of them is on the last
    "Describe a model": ("model", "mechanics", "symbolic.quantity"),
    "Expressions": ("symbolic",),
    "Equations": ("kane", "constraint.linearization", "view.linear"),
    "Constraints": ("constraint",),
    "Shapes and contact": ("contact", "formats.remote", "formats.shape_server"),
    "Elastic bodies": ("flexible", "view.beams"),
    "Runs": ("hybrid", "integrate"),
    "Studies and identification": ("study", "identification"),
    "Files and exported code": ("formats", "export"),
    "Live mechanisms": ("realtime", "view.widget"),
    "Others": ("",),
}


def subject_of(item: Any) -> str:
    """The page of a public thing: the one with the longest layer that it is in."""
    home = getattr(item, "__module__", "latchwork.mechanics").removeprefix("latchwork.")
    fitting = [(len(layer), title) for title, layers in SUBJECTS.items() for layer in layers
               if home == layer or home.startswith(f"{layer}.") or not layer]  # fmt: skip
    return max(fitting)[1]


def pages() -> dict[str, list[str]]:
    """The names of each page; modules, and errors, which have a section of their own, are left out."""
    found: dict[str, list[str]] = {title: [] for title in SUBJECTS}
    for name in latchwork.__all__:
        item = getattr(latchwork, name)
        if isinstance(item, ModuleType) or getattr(item, "__module__", "") == "latchwork.errors":
            continue
        found[subject_of(item)].append(name)
    return {title: names for title, names in found.items() if names}


def text(title: str, names: list[str]) -> str:
    """A page in Markdown."""
    lines = [f"# {title}", "", "```{eval-rst}", ".. currentmodule:: latchwork", ""]
    for name in names:
        item = getattr(latchwork, name)
        if inspect.isclass(item):
            lines += [f".. autoclass:: {name}", "   :members:", f"   :inherited-members: {PARENTS}", ""]
        else:
            lines += [f".. {'autofunction' if callable(item) else 'autodata'}:: {name}", ""]
    return "\n".join([*lines, "```", ""])


def write(app: Any) -> None:
    """The pages, beside the others; a page that is as it was is not written again."""
    folder = Path(app.srcdir) / "api"
    folder.mkdir(exist_ok=True)
    for number, (title, names) in enumerate(pages().items()):
        path, made = folder / f"{number:02}_{title.lower().replace(' ', '_')}.md", text(title, names)
        if not path.exists() or path.read_text(encoding="utf-8") != made:
            path.write_text(made, encoding="utf-8")


def setup(app: Any) -> dict[str, bool]:
    app.connect("builder-inited", write)
    return {"parallel_read_safe": True}
