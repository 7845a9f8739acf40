"""Design III: every way in which some contacts can stand, counted and prepared before a run.  [Patoglu §3, Fig. 6]

Each place of contact is open, has just opened, is met from behind, sticks, or slides one way or the other; each zone is
entered or not. What is met in a run is one of these, save where several contacts hold each other at the limits of their
cones, or opened deeper than rounding: that is prepared when it is met, as in `Embedded`.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from latchwork.contact.complementarity import State
from latchwork.contact.law import Zones
from latchwork.errors import ConstraintError
from latchwork.hybrid.table import Array
from latchwork.hybrid.touching.standing import Standing, Standings
from latchwork.hybrid.touching.touch import Touch
from latchwork.hybrid.workshop import Holds, Prepared, Workshop

OPEN, GRAZING, BEHIND = "open", "grazing", "behind"
How = Standing | str
RIGHT, LEFT, ANY = Standing(State.SLIDE, (1.0,)), Standing(State.SLIDE, (-1.0,)), Standing(State.SLIDE)
STICKS = Standing(State.STICK)


def ways(touch: Touch, standings: Standings, zones: Mapping[Zones, int], x: Array) -> list[How]:
    """How a place of contact can stand in some zones; friction is what it is at the state x."""
    _, mu_s, mu_d = touch.laws(x, zones)
    if not touch.tangents or mu_s == 0.0:
        closed = [ANY]
    elif len(touch.tangents) > 1:
        raise ConstraintError(
            f"'{touch.name}' of '{touch.equations.name}' slides in space, where the direction of its slip is part of "
            "the mode: there is no list of modes. Use lw.Embedded(), which embeds those that are met."
        )
    else:
        closed = [STICKS, *([RIGHT, LEFT] if mu_d > 0.0 else [ANY])]
    if touch.held:
        return [*closed]
    behind = [BEHIND] if touch.feature.within or touch in standings.behind else []
    return [OPEN, GRAZING, *behind, *closed]


def every_standing(standings: Standings, x: Array, most: int, name: str) -> list[Standings]:
    """All ways in which the contacts can stand; more than ``most`` are refused."""
    lists = [(zones, [ways(touch, standings, zones, x) for touch in standings.touches])
             for zones in _zones(standings)]  # fmt: skip
    count = sum(math.prod(map(len, each)) for _, each in lists)
    if count > most:
        raise ConstraintError(
            f"the {len(standings.touches)} places of contact of '{name}' can stand in {count} ways, and lw.Automaton "
            f"prepares {most} at most. Use lw.Embedded(), which embeds those that are met, or allow more: "
            f"lw.Automaton(most={count})."
        )
    return [_standing(standings, zones, how) for zones, each in lists for how in itertools.product(*each)]


def _standing(standings: Standings, zones: Mapping[Zones, int], hows: tuple[How, ...]) -> Standings:
    pairs = list(zip(standings.touches, hows, strict=True))
    return replace(
        standings, zones=dict(zones), closed={touch: how for touch, how in pairs if isinstance(how, Standing)},
        grazing=dict.fromkeys((touch for touch, how in pairs if how == GRAZING), 0),
        behind={touch for touch, how in pairs if how == BEHIND},
    )  # fmt: skip


def _zones(standings: Standings) -> Iterator[dict[Zones, int]]:
    """Every combination of zones; those along the same expression with the same bounds change together."""
    together: dict[Any, list[Zones]] = {}
    for zone in standings.zones:
        together.setdefault((zone.x, zone.bounds), []).append(zone)
    for indices in itertools.product(*(range(len(same[0].values)) for same in together.values())):
        chosen = {zone: i for same, i in zip(together.values(), indices, strict=True) for zone in same}
        yield {zone: chosen[zone] for zone in standings.zones}


def prepare_all(shop: Workshop, holds: Holds, standings: Standings, stops: Mapping[str, Any], x: Array,
                most: int) -> tuple[tuple[str, ...], ...]:  # fmt: skip
    """Everything that these contacts may need, in machine code; gives what holds in each mode, once."""
    every = every_standing(standings, x, most, shop.driven.equations.name)
    shop.held(holds)
    for touch in standings.touches:
        touch.get_ready()
        touch.gap(x)
    for each in every:
        _compile(shop, shop.prepared(holds, each, stops))
    named = ((*holds, *each.labels) for each in every)
    return tuple(dict.fromkeys(named))


def _compile(shop: Workshop, mode: Prepared) -> None:
    functions = [*(mode.terms.functions if mode.terms is not None else (shop.side.function,)), mode.watch]
    for function in (*functions, None if mode.drag is None else mode.drag.function):
        if function is not None:
            function.compiled(wait=True)
