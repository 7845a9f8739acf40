"""Exhibit: a mechanism as it is put on the table, to be grabbed and looked at."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import ModuleType
from typing import Any

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.given_state import rest_coordinates
from latchwork.constraint.rule import Latch
from latchwork.errors import FileError, ModelError, answering, did_you_mean, listed, must_be, must_measure, spelled
from latchwork.hybrid.contacts.broad_phase import every_contact
from latchwork.hybrid.start import nearest_stops
from latchwork.hybrid.time_stepping.settings import TimeStepping
from latchwork.model import Model
from latchwork.realtime.coupler import Coupler
from latchwork.realtime.scripts import folder, module_at

AXES = "xyz"
FEW_SLIDERS, FEW_LATCHES = 8, 6  # that a model gets which says nothing of them
ROBOTS = (".urdf", ".mjcf", ".xml")
MODEL_FILES = (".yaml", ".yml", *ROBOTS)
OPTIONS = ("floating", "ground", "limits", "losses")  # of a robot, that a source may carry
FLOOR_STEP = 2e-3  # s: of a robot that lies on a floor


@answering
@spelled
@dataclass(frozen=True, eq=False)
class Exhibit:
    """A model, the state it starts from, how it is looked at, and what a visitor may do with it.

    ``sliders`` are parameters or inputs by name, with their ranges; ``constraints`` may be held and released;
    ``hold`` is the body that a scripted hand takes (the last one); the shapes of bodies in ``fence`` must not pass a
    fence that is drawn while it runs, whose laws (restitution, friction) are ``fence_laws``. ``view`` names the two
    axes of N that lie in the picture, to the right and upwards; ``draw`` the points that a line joins. ``grip`` is the
    stiffness and damping (N/m, N s/m) of the hand that takes hold; without it, the hand is as firm as fits the mass
    there. ``thick`` says how to go on where events come too thick; ``controllers`` command inputs (`lw.control`), and
    know nothing of a hand. ``targets`` are points that sliders move, such as where a law is to bring something: they
    are drawn as rings, and dragged.
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
    grip: tuple[float, float] | None = None
    fence: tuple[Any, ...] = ()
    fence_laws: Mapping[str, Any] = field(default_factory=dict)
    plots: tuple[str, ...] = ()
    step: float = 1e-3
    thick: TimeStepping | None = None
    controllers: tuple[Any, ...] = ()
    targets: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        must_be(self.model, Model, "the model of an exhibit", "Give an lw.Model.")
        name = self.model.name
        kinds: tuple[tuple[str, Any, Any, str], ...] = (
            ("q", self.q, Mapping, "Give numbers by name."), ("u", self.u, Mapping, "Give numbers by name."),
            ("inputs", self.inputs, Mapping, "Give them by name."),
            ("sliders", self.sliders, Mapping, "Give ranges by name: {\"F\": (-1.0, 1.0)}."),
            ("view", self.view, str, "Give two axes of N, such as 'xy' or 'xz'."),
            ("hold", self.hold, str | None, "Give the name of a body."),
        )  # fmt: skip
        for what, given, kind, advice in kinds:
            must_be(given, kind, f"{what} of the exhibit '{name}'", advice)
        for what in ("draw", "targets", "plots"):
            for each in listed(getattr(self, what), f"{what} of the exhibit '{name}'", "Give names in a tuple."):
                must_be(each, str, f"one of {what} of the exhibit '{name}'", "Give a name as text.")
        must_measure(self.step, f"the step of the exhibit '{name}'", "Give 1e-5 to 0.1 s.")
        if len(self.view) != 2 or len(set(self.view)) != 2 or not set(self.view) <= set(AXES):
            raise ModelError(f"'{name}' is looked at along {self.view!r}. Give two axes of N, such as 'xy' or 'xz'.")
        if not 1e-5 <= self.step <= 0.1:
            raise ModelError(f"'{name}' is stepped by {self.step!r} s. Give 1e-5 to 0.1 s.")
        for slider, ends in self.sliders.items():
            self._must_slide(slider, ends)
        known: list[tuple[str, Mapping[str, Any], Any]] = [
            ("point", self.model.points, (*self.draw, *self.targets)),
            ("body", self.model.bodies, [self.hold] if self.hold else []),
        ]  # fmt: skip
        for kind, found, asked in known:
            for each in asked:
                if each not in found:
                    raise ModelError(f"'{name}' has no {kind} '{each}'.{did_you_mean(each, found)}")

    def _must_slide(self, name: str, ends: Any) -> None:
        symbol = self.model.symbols.get(name)
        if symbol is None or symbol.kind not in ("parameter", "input"):
            known = [key for key, other in self.model.symbols.items() if other.kind in ("parameter", "input")]
            raise ModelError(f"'{name}' is no parameter or input of '{self.model.name}'.{did_you_mean(name, known)}")
        advice = "Give two finite numbers in order."
        low, high, *others = [*listed(ends, f"the range of the slider of '{name}'", advice), math.nan, math.nan]
        for end in (low, high):
            must_measure(end, f"the slider of '{name}' has an end that", advice)
        if not low < high or len(others) != 2:
            raise ModelError(f"the slider of '{name}' goes from {low} to {high}. {advice}")

    @property
    def bodies(self) -> tuple[str, ...]:
        """The bodies by name, in the order in which they are numbered."""
        return tuple(self.model.bodies)

    @property
    def taken(self) -> str:
        """The body that a scripted hand takes."""
        return self.hold or self.bodies[-1]

    @property
    def coupler(self) -> Coupler | None:
        """What is between the hand and the body that it takes, if the exhibit says so."""
        return None if self.grip is None else Coupler(*self.grip)

    @property
    def width(self) -> int:
        """How many coordinates and speeds the model has by itself."""
        system = self.model.system()
        return len(system.q) + len(system.u)


def source_with(path: Path, options: Mapping[str, bool]) -> str:
    """The source of a robot's file with options of `lw.load`: ``robot.urdf?floating=True&ground=True``."""
    if options and path.suffix not in ROBOTS:
        raise FileError(f"{', '.join(options)}: only robots ({', '.join(ROBOTS)}) take options; {path.name} is none. "
                        "Leave them out.")  # fmt: skip
    return f"{path}{'?' * bool(options)}{'&'.join(f'{name}={bool(value)}' for name, value in options.items())}"


def _parted(source: str) -> tuple[str, dict[str, bool]]:
    """The file that a source names, and options behind it; a question mark elsewhere is part of the name."""
    file, _, said = source.rpartition("?")
    parts = [each.partition("=") for each in said.split("&")]
    if not file or any(name not in OPTIONS or value not in ("True", "False") for name, _, value in parts):
        return source, {}
    return file, {name: value == "True" for name, _, value in parts}


def exhibit_of(source: str) -> Exhibit:
    """The exhibit of an example's name, a model file, or a Python script with ``live()`` or ``build()``."""
    must_be(source, str, "what is to be shown", "Give the name of an example, or the path of a model or script.")
    path = script_of(source)
    if path.suffix in MODEL_FILES:
        return _of_file(path, _parted(source)[1])
    kind = "example" if source.isidentifier() else "script"
    return _of_module(module_at(path, f"latchwork_{kind}_{path.stem}"))


def is_script(source: str) -> bool:
    """Whether a source is executed, and is none of our examples."""
    return Path(source).suffix == ".py"


def script_of(source: str) -> Path:
    """The file that a source names."""
    path = Path(_parted(source)[0])
    if path.suffix in MODEL_FILES or is_script(source):
        if not path.is_file():
            raise FileError(f"there is no file {path}. Check its name.")
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
        made = Exhibit(model, at_rest(model, {}), draw=tuple(getattr(module, "DRAW", ())),
                       view=getattr(module, "VIEW", "xy"), sliders=usual_sliders(model, {}),
                       constraints=usual_latches(model))  # fmt: skip
    else:
        raise FileError(f"{module.__file__} has neither live() nor build(). Give it live() -> lw.Exhibit, or "
                        "build() -> lw.Model.")  # fmt: skip
    if not isinstance(made, Exhibit):
        raise FileError(f"live() of {module.__file__} gives {type(made).__name__}. Let it give a lw.Exhibit.")
    title, _, story = " ".join((module.__doc__ or made.model.name).split()).partition(". ")
    shown = tuple(name for name in getattr(module, "SHOW", ()) if name != "mode")
    return replace(made, title=made.title or title.rstrip("."), story=made.story or story, plots=made.plots or shown)


def _of_file(path: Path, options: Mapping[str, Any]) -> Exhibit:
    """What a model file shows: its model, from where its run starts; a robot on the floor is stepped."""
    from latchwork.formats import read_file

    model, settings = read_file(path, **options)
    stepped: dict[str, Any] = {}
    if options.get("ground"):
        stepped = {"step": FLOOR_STEP, "thick": TimeStepping(FLOOR_STEP, always=True)}
    for name, value in settings.parameters.items():
        raise FileError(f"{path} runs with {name} = {value}. Give the parameter this value where it is declared.")
    view = "xy" if path.suffix in (".yaml", ".yml") else "xz"
    return Exhibit(model, at_rest(model, settings.q), settings.u, settings.inputs, title=model.name, view=view,
                   sliders=usual_sliders(model, settings.inputs), constraints=usual_latches(model),
                   plots=tuple(settings.plot), **stepped)  # fmt: skip


def at_rest(model: Model, q: Mapping[str, float]) -> dict[str, float]:
    """Coordinates that are not given start at zero, or at the nearest stop; with constraints, where these lead them."""
    if model.constraints:
        return dict(q)
    equations = model.equations()
    return rest_coordinates(equations) | nearest_stops(equations, model.contacts) | dict(q)


def usual_sliders(model: Model, inputs: Mapping[str, Any]) -> dict[str, tuple[float, float]]:
    """For a model that says nothing of sliders: inputs that are held, and parameters around their values.

    What constraints and gaps are made of stays as it is: a loop whose lengths change in the run comes apart.
    """
    system, found = model.system(), dict[str, tuple[float, float]]()
    gaps = [feature.gap for contact in every_contact(model) for feature in contact.features]
    zeros = [zero for constraint in model.constraints for zero in constraint.zero]
    fixed = {symbol.name for e in (*gaps, *zeros) for symbol in e.free_symbols}
    for symbol in system.r:
        value = inputs.get(symbol.name, system.values.get(symbol, 0.0))
        if isinstance(value, (int, float)):
            reach = 10.0 * max(1.0, abs(value))
            found[symbol.name] = (value - reach, value + reach)
    for symbol in system.p:
        value = system.values.get(symbol, 0.0)
        if value and symbol.name not in fixed:
            found[symbol.name] = (min(0.2 * value, 3.0 * value), max(0.2 * value, 3.0 * value))
    return dict(list(found.items())[:FEW_SLIDERS])


def usual_latches(model: Model) -> tuple[Latch, ...]:
    """For a model that says nothing of constraints: every coordinate may be held where it is, if they are few."""
    system = model.system()
    turned = {e.name for four in system.quaternions for e in four}
    free = [symbol for symbol in system.q if symbol.name not in turned]
    return tuple(Latch(f"hold {symbol.name}", symbol) for symbol in free) if len(free) <= FEW_LATCHES else ()
