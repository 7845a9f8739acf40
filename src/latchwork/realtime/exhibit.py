"""Exhibit: a mechanism as it is put on the table, to be grabbed and looked at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.rule import Latch
from latchwork.errors import FileError, ModelError, did_you_mean
from latchwork.hybrid.stepping.settings import TimeStepping
from latchwork.model import Model
from latchwork.realtime.scripts import folder, module_at

AXES = "xyz"
MODEL_FILES = (".yaml", ".yml", ".urdf", ".mjcf", ".xml")


@dataclass(frozen=True, eq=False)
class Exhibit:
    """A model, the state it starts from, how it is looked at, and what a visitor may do with it.

    ``sliders`` are parameters or inputs by name, with their ranges; ``constraints`` may be held and released;
    ``hold`` is the body that a scripted hand takes (the last one); the shapes of bodies in ``fence`` must not pass a
    fence that is drawn while it runs, whose laws (restitution, friction) are ``fence_laws``. ``view`` names the two
    axes of N that lie in the picture, to the right and upwards; ``draw`` the points that a line joins. ``thick`` says
    how to go on where events come too thick.
    """

    model: Model
    q: Mapping[str, float] = field(default_factory=dict)
    u: Mapping[str, float] = field(default_factory=dict)
    inputs: Mapping[str, Any] = field(default_factory=dict)
    title: str = ""
    story: str = ""
    view: str = "xy"
    draw: tuple[str, ...] = ()
    shapes: tuple[Any, ...] = ()
    sliders: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    constraints: tuple[Constraint | Latch, ...] = ()
    hold: str | None = None
    fence: tuple[Any, ...] = ()
    fence_laws: Mapping[str, Any] = field(default_factory=dict)
    plots: tuple[str, ...] = ()
    step: float = 1e-3
    thick: TimeStepping | None = None

    def __post_init__(self) -> None:
        name = self.model.name
        if len(self.view) != 2 or len(set(self.view)) != 2 or not set(self.view) <= set(AXES):
            raise ModelError(f"'{name}' is looked at along {self.view!r}. Give two axes of N, such as 'xy' or 'xz'.")
        if not 1e-5 <= self.step <= 0.1:
            raise ModelError(f"'{name}' is stepped by {self.step!r} s. Give 1e-5 to 0.1 s.")
        for slider, (low, high) in self.sliders.items():
            self._must_slide(slider, low, high)
        known: list[tuple[str, Mapping[str, Any], Any]] = [
            ("point", self.model.points, self.draw), ("body", self.model.bodies, [self.hold] if self.hold else [])
        ]  # fmt: skip
        for kind, found, asked in known:
            for each in asked:
                if each not in found:
                    raise ModelError(f"'{name}' has no {kind} '{each}'.{did_you_mean(each, found)}")

    def _must_slide(self, name: str, low: float, high: float) -> None:
        symbol = self.model.symbols.get(name)
        if symbol is None or symbol.kind not in ("parameter", "input"):
            known = [key for key, other in self.model.symbols.items() if other.kind in ("parameter", "input")]
            raise ModelError(f"'{name}' is no parameter or input of '{self.model.name}'.{did_you_mean(name, known)}")
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise ModelError(f"the slider of '{name}' goes from {low} to {high}. Give two finite numbers in order.")

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies by name, in the order in which they are numbered."""
        return tuple(self.model.bodies)

    @property
    def taken(self) -> str:
        """The body that a scripted hand takes."""
        return self.hold or self.bodies[-1]

    @property
    def width(self) -> int:
        """How many coordinates and speeds the model has by itself."""
        system = self.model.system()
        return len(system.q) + len(system.u)


def exhibit_of(source: str) -> Exhibit:
    """The exhibit of an example's name, a model file, or a Python script with ``live()`` or ``build()``."""
    path = script_of(source)
    if path.suffix in MODEL_FILES:
        return _of_file(path)
    kind = "example" if source.isidentifier() else "script"
    return _of_module(module_at(path, f"latchwork_{kind}_{path.stem}"))


def script_of(source: str) -> Path:
    """The file that a source names."""
    path = Path(source)
    if path.suffix in (*MODEL_FILES, ".py"):
        if not path.is_file():
            raise FileError(f"there is no file {source}. Check its name.")
        return path
    script = folder() / f"{source}.py"
    if not source.isidentifier() or not script.is_file():
        known = sorted(each.stem for each in folder().glob("*.py"))
        raise FileError(f"there is no example '{source}'.{did_you_mean(source, known)} A model of your own is given as "
                        f"the path of a file ({', '.join(MODEL_FILES)} or .py).")  # fmt: skip
    return script


def _of_module(module: ModuleType) -> Exhibit:
    """What a script shows: its ``live()``, or the model that it builds, at rest; told by its docstring."""
    if hasattr(module, "live"):
        made = module.live()
    elif hasattr(module, "build"):
        model = module.build()
        made = Exhibit(model, draw=tuple(getattr(module, "DRAW", ())), view=getattr(module, "VIEW", "xy"))
    else:
        raise FileError(f"{module.__file__} has neither live() nor build(). Give it live() -> lw.Exhibit, or "
                        "build() -> lw.Model.")  # fmt: skip
    if not isinstance(made, Exhibit):
        raise FileError(f"live() of {module.__file__} gives {type(made).__name__}. Let it give a lw.Exhibit.")
    title, _, story = " ".join((module.__doc__ or made.model.name).split()).partition(". ")
    shown = tuple(name for name in getattr(module, "SHOW", ()) if name != "mode")
    return replace(made, title=made.title or title.rstrip("."), story=made.story or story, plots=made.plots or shown)


def _of_file(path: Path) -> Exhibit:
    """What a model file shows: its model, from where its run starts."""
    from latchwork.formats import read_file

    model, settings = read_file(path)
    for name, value in settings.parameters.items():
        raise FileError(f"{path} runs with {name} = {value}. Give the parameter this value where it is declared.")
    view = "xy" if path.suffix in (".yaml", ".yml") else "xz"
    return Exhibit(model, settings.q, settings.u, settings.inputs, title=model.name, view=view,
                   plots=tuple(settings.plot))  # fmt: skip
