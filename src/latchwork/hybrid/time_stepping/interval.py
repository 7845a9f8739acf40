"""From events to time stepping and back: the scene of a run, and a stretch through what is too thick."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from latchwork.constraint.terms import Array, Base, Terms
from latchwork.errors import IntegrationError
from latchwork.hybrid.contacts.contact_state import ContactStates
from latchwork.hybrid.input_laws import Driven
from latchwork.hybrid.stops import expressions_of
from latchwork.hybrid.time_stepping.scene import Scene
from latchwork.hybrid.time_stepping.settings import Thicket
from latchwork.hybrid.time_stepping.steps import Stretch, stretch
from latchwork.program.function import Function
from latchwork.program.lower import lower
from latchwork.symbolic.traverse import rebuild

STEPPING = "time stepping"


def scene_of(driven: Driven, base: Base, held: Terms, contact_states: ContactStates, rest: Array) -> Scene:
    """What time stepping works with; contacts that the coordinates hold are refused."""
    within = [contact_point.name for contact_point in contact_states.contact_points if contact_point.held]
    if within:
        raise IntegrationError(
            f"'{within[0]}' of '{base.equations.name}' is held by the coordinates themselves and cannot be time-"
            "stepped. Give the body coordinates that let it leave, or leave lw.TimeStepping out."
        )
    return Scene(driven, base, held, tuple(contact_states.contact_points), contact_states.zones, rest)


def through(scene: Scene, x: Array, work: float, until: float, thicket: Thicket, stops: Mapping[str, Any],
            progress: Callable[[float], Any] | None) -> Stretch:  # fmt: skip
    """The stretch that follows, at the step and with the calm that the settings ask for."""
    settings = thicket.settings
    assert settings is not None, "only a run that may be stepped is"
    calm = np.inf if settings.always else thicket.least
    return stretch(scene, x, work, until, settings.step, calm, _watched(scene, stops), progress)


def _watched(scene: Scene, stops: Mapping[str, Any]) -> Callable[[Array], dict[str, float]]:
    """The values of stops at a state, by name."""
    if not stops:
        return lambda x: {}
    g = scene.base.equations.system.graph
    nodes = rebuild(g, expressions_of(scene.base.equations, stops), scene.base.laws)
    function = Function(lower(g, nodes, scene.base.arguments))
    return lambda x: dict(zip(stops, function(x).tolist(), strict=True))
