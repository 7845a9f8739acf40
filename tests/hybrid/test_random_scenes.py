"""Random short scenarios of contact: nothing sinks, gains energy, pulls or creeps, however thrown together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import latchwork as lw
from campaign import seeds
from golden_events import unlike_golden
from random_scenes import SUITE, Scene, scene
from scene_laws import broken

SEEDS = seeds(SUITE, range(10_000))
SHORTEST = (lw.RK4(5e-4), lw.DormandPrince(rtol=1e-11, atol=1e-14, max_steps=60_000))
REFUSED: dict[str, Callable[[Scene], bool]] = {  # what rigid bodies cannot do, and of which scenes it may be said
    "neither stay closed nor open": lambda s: s.driven,  # a belt pulls a contact in that cannot give way
    "cannot be held": lambda s: s.kind == "coin",  # it falls flat
    "no set of open, sliding and sticking": lambda s: s.kind == "swinging",  # an arm is straight where slip ends: A has
    # rank one, b is not in its range, and friction of either direction would turn the slip around (2970)
}


def played(s: Scene) -> lw.Trajectory | None:
    """The run; none where rigid bodies have no motion, and it is refused as such."""
    try:
        return s.play()
    except lw.IntegrationError as error:
        if not any(words in str(error) and may(s) for words, may in REFUSED.items()):
            raise
        return None


def wrong_with(s: Scene) -> list[str]:
    """The laws that a scenario breaks, also where steps are shorter: truncation vanishes with them.

    Steps that are chosen by tolerance are short enough for all but the momentum, which is judged as finely as they are.
    """
    run = played(s)
    wrong = [] if run is None else broken(s, run)
    if not wrong or s.method in SHORTEST or (isinstance(s.method, lw.DormandPrince) and "momentum" not in wrong[0]):
        return wrong
    return wrong_with(shorter(s))


def shorter(s: Scene) -> Scene:
    """The same scenario with steps of a fourth, at least, or with a tolerance of a hundredth."""
    again = scene(s.seed)
    again.method = lw.RK4(max(s.method.step / 4.0, 5e-4)) if isinstance(s.method, lw.RK4) else SHORTEST[1]
    return again


@pytest.mark.parametrize("seed", SEEDS)
def test_laws_hold_in_random_scenes(seed):
    """All finite; nothing sinks; energy balances and never grows by itself; contacts push within cones; no creep.

    Of scenes that broke a law once, the golden events happen.
    """
    s = scene(seed)
    assert wrong_with(s) == []
    assert unlike_golden(str(seed), s.sim.events) == ""


def test_scenes_are_the_same_again():
    """A seed gives the same run, bit by bit."""
    one, two = (scene(1475).play() for _ in range(2))
    assert np.array_equal(one.path.x, two.path.x)
