"""What commands do to a running mechanism, one function each; what they give back is part of the answer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from latchwork.constraint.rule import Latch
from latchwork.errors import EvaluationError, did_you_mean
from latchwork.realtime import fencing
from latchwork.realtime.commands import COMMANDS
from latchwork.realtime.posture import pose
from latchwork.realtime.targets import slider_values

if TYPE_CHECKING:
    from latchwork.realtime.live import Live

Answer = dict[str, Any]


def grab(live: Live, c: Answer) -> Answer:
    """A body is taken at a point of N; the device is there."""
    body = c["body"]
    _must_be_movable(live, body)
    live.pointer().grab(live.tick_count, body, live.grip.arm_to(body, c["at"], live.x), c["at"])
    return {}


def _must_be_movable(live: Live, body: str) -> None:
    if body not in live.exhibit.model.bodies:
        raise EvaluationError(f"'{live.exhibit.model.name}' has no body '{body}'."
                              f"{did_you_mean(body, live.exhibit.model.bodies)}")  # fmt: skip
    if not live.grip.hands.acts_on(body):
        raise EvaluationError(f"'{body}' cannot be moved by any force. Take another body.")


def move(live: Live, c: Answer) -> Answer:
    live.pointer().move(live.tick_count, c["to"])
    return {}


def drop(live: Live, c: Answer) -> Answer:
    live.drop()
    return {}


def set_value(live: Live, c: Answer) -> Answer:
    """A parameter or input is given another value, within the range of its slider."""
    name, value, sliders = c["name"], c["value"], live.exhibit.sliders
    if name not in sliders:
        raise EvaluationError(f"'{name}' has no slider.{did_you_mean(name, sliders)}")
    low, high = sliders[name]
    if not low <= value <= high:
        raise EvaluationError(f"{name} = {value:g} is out of the range of its slider, {low:g} to {high:g}.")
    live.set(name, value)
    return {"values": {name: value}}


def aim(live: Live, c: Answer) -> Answer:
    """A target is brought to a place, as near as its sliders let it."""
    if c["name"] not in live.exhibit.targets:
        raise EvaluationError(f"'{live.exhibit.model.name}' has no target '{c['name']}'."
                              f"{did_you_mean(c['name'], live.exhibit.targets)}")  # fmt: skip
    values = slider_values(live, c["name"], c["to"])
    for name, value in values.items():
        live.set(name, value)
    return {"values": values}


def hold(live: Live, c: Answer) -> Answer:
    """A constraint begins to hold: as it is, or with the value that its expression has now."""
    item = live.constraint(c["name"])
    if isinstance(item, Latch):
        item = item.at(float(live.value(item.value)))
    live.sim.constrain(item)
    return {}


def release(live: Live, c: Answer) -> Answer:
    live.sim.release(live.constraint(c["name"]).name)
    return {}


def fence(live: Live, c: Answer) -> Answer:
    """A fence is drawn; one that stood before gives way to it, unless it is refused."""
    corners = fencing.simplified(c["points"])
    fencing.take_down(live.sim)
    live.fences += 1
    fencing.put_up(live.sim, live.exhibit, corners, live.fences)
    return {"points": corners}


def unfence(live: Live, c: Answer) -> Answer:
    fencing.take_down(live.sim)
    return {}


def coupler(live: Live, c: Answer) -> Answer:
    why = live.couple(c["stiffness"], c["damping"])
    return {"stiffness": live.grip.coupler.stiffness, "damping": live.grip.coupler.damping, "why": why}


def pause(live: Live, c: Answer) -> Answer:
    live.paused, live.steps = True, 0
    return {}


def go(live: Live, c: Answer) -> Answer:
    live.paused, live.steps = False, 0
    return {}


def step(live: Live, c: Answer) -> Answer:
    """So many ticks, then paused."""
    live.paused, live.steps = True, live.steps + c["ticks"]
    return {}


def speed(live: Live, c: Answer) -> Answer:
    live.speed = c["value"]
    return {"speed": live.speed}


def rewind(live: Live, c: Answer) -> Answer:
    """Back in time, as far as is remembered; the hand lets go."""
    seconds = live.rewind(c["seconds"])
    return {"seconds": seconds, "values": live.values()}


def reset(live: Live, c: Answer) -> Answer:
    live.reset()
    return {"values": live.values()}


def posed(live: Live, c: Answer) -> Answer:
    """A body is brought to a place while the run is paused, as far as constraints let it; gives where it came."""
    _must_be_movable(live, c["body"])
    return {"at": list(pose(live, c["body"], c["at"], c["to"]))}


def record(live: Live, c: Answer) -> Answer:
    return {"path": live.record(c["on"]), "recording": live.recording}


DO: dict[str, Callable[[Live, Answer], Answer]] = {
    "grab": grab, "move": move, "drop": drop, "set": set_value, "aim": aim, "hold": hold, "release": release,
    "fence": fence, "unfence": unfence, "coupler": coupler, "pause": pause, "go": go, "step": step, "speed": speed,
    "rewind": rewind, "reset": reset, "record": record, "pose": posed,
}  # fmt: skip
assert DO.keys() == COMMANDS.keys()
CHANGING = {"hold", "release", "fence", "unfence", "pose"}  # what holds, or may touch
