"""The gallery: the scripts in examples/, which an installed package carries along.

An example is a module with ``build()`` (a model), ``run(model)`` (a trajectory), ``SHOW`` (what to plot against time)
and ``DRAW`` (points to join by a line). Some have ``variants()``, the models they derive, and ``VIEW``, the plane to
look at, and ``outline(model)``, the shapes that its bodies are drawn as.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import ModuleType
from typing import Any

from latchwork.errors import FileError
from latchwork.hybrid.trajectory import Trajectory
from latchwork.model import Model
from latchwork.realtime.scripts import folder, module_at

NAMES = (
    "gillespie_1_disk",
    "gillespie_2_wrist",
    "gillespie_3_cart",
    "patoglu_1_disk_on_ramp",
    "patoglu_2_fence",
    "patoglu_3_belt",
    "buffinton_3_two_revolute",
    "buffinton_4_revolute_prismatic",
    "buffinton_5_grasp",
    "buffinton_6_beam",
    "double_pendulum",
    "spinning_top",
    "chain",
    "aghili_slider_crank",
    "aghili_control",
    "aghili_arm",
    "one_law",
    "two_arms",
    "grasp",
    "kelly_berthing",
    "andrews_squeezer",
    "iftomm_a01_pendulum",
    "iftomm_a02_four_bars",
    "iftomm_a04_bricard",
    "iftomm_a05_governor",
    "four_bar",
    "coupler_path",
    "geneva_drive",
    "rolling_disk",
    "rattleback",
    "whipple_bicycle",
    "bouncing_ball",
    "throw",
    "block_on_incline",
    "stick_slip",
    "rocking_block",
    "sphere_slip",
    "billiard",
    "pile",
    "chain_on_stairs",
    "robot_on_floor",
    "woodpecker",
    "rolling_coin",
    "caster",
    "escapement",
    "piano_action",
    "latch",
    "clutch",
    "wrecking_ball",
    "gripper",
    "spin_up",
    "flexible_four_bar",
)


@dataclass(frozen=True)
class Example:
    """One script of the gallery."""

    name: str
    module: ModuleType

    @property
    def title(self) -> str:
        """The first sentence of the script, without its full stop."""
        return self._paragraphs[0].rstrip(".")

    @property
    def story(self) -> str:
        """What else the script says about itself."""
        return " ".join(self._paragraphs[1:])

    @property
    def _paragraphs(self) -> list[str]:
        first, _, rest = " ".join((self.module.__doc__ or self.name).split()).partition(". ")
        return [first, rest] if rest else [first]

    @property
    def show(self) -> tuple[str, ...]:
        return tuple(self.module.SHOW)

    @property
    def draw(self) -> tuple[str, ...]:
        return tuple(self.module.DRAW)

    @property
    def view(self) -> str:
        """The two axes of N that lie in the picture, to the right and upwards."""
        return getattr(self.module, "VIEW", "xy")

    def shapes(self, model: Model) -> tuple[Any, ...]:
        """What its bodies look like, where the script says so: ``outline(model)``."""
        found = self.module.outline(model) if hasattr(self.module, "outline") else ()
        return found if isinstance(found, tuple) else (found,)

    def models(self) -> list[Model]:
        """The models that the example derives; the first is the one that runs."""
        found: list[Model] = self.module.variants() if hasattr(self.module, "variants") else [self.module.build()]
        return found

    def run(self, model: Model) -> Trajectory:
        moved: Trajectory = self.module.run(model)
        return moved

    def main(self) -> None:
        """Print the equations, and compare them with the published ones."""
        self.module.main()


def live_names() -> list[str]:
    """The examples that can be put on the table: those with ``live()``."""
    return [name for name in NAMES if hasattr(load(name).module, "live")]


def load(name: str) -> Example:
    """An example by the name of its script."""
    path = folder() / f"{name}.py"
    if not path.is_file():
        raise FileError(f"there is no example '{name}'. The gallery has {', '.join(NAMES)}.")
    return Example(name, module_at(path, f"latchwork_example_{name}"))
