"""Live: a mechanism that is ticked. There is no clock in it: the same commands at the same ticks give the same bits.

    reading of the device → force of the coupler → one step of the simulation → force to the device
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.rule import Latch
from latchwork.errors import EvaluationError, LatchworkError, UnknownName, did_you_mean, must_be, must_measure
from latchwork.hybrid.fixed_stepper import stand_ready
from latchwork.hybrid.mode_table import compile_for
from latchwork.program.elementary import scalars
from latchwork.realtime.board import Array, Beat, State
from latchwork.realtime.commands import name_of, parsed
from latchwork.realtime.coupler import Coupler
from latchwork.realtime.devices.device import Device
from latchwork.realtime.devices.pointer import Pointer
from latchwork.realtime.doing import CHANGING, DO
from latchwork.realtime.exhibit import Exhibit
from latchwork.realtime.grip import Grip
from latchwork.realtime.holding import forces_of, rows_of
from latchwork.realtime.look_ahead import Scout
from latchwork.realtime.past import Past, mark_of, put_back
from latchwork.realtime.session import Log, recording_path
from latchwork.realtime.stepped import stepped
from latchwork.realtime.telling import Modes, Row, answer_row, event_row, mode_row

MOST_NEWS = 1000


class Live:
    """A mechanism that runs step by step in this process, with a hand on it: ``tick()`` makes one step, ``do(command)``
    changes something, ``state`` is a message with where everything is, ``news`` what has happened since.
    """

    def __init__(self, exhibit: Exhibit, *, device: Device | None = None, step: float | None = None,
                 coupler: Coupler | None = None, record: bool = False, source: str = "",
                 display: str | None = None) -> None:  # fmt: skip
        must_be(exhibit, Exhibit, "what is to run live", "Give an lw.Exhibit of a model.")
        if step is not None:
            must_measure(step, f"the step of '{exhibit.model.name}'", "Give a number of seconds above 0.", above=0.0)
        self.exhibit, self.step = exhibit, float(exhibit.step if step is None else step)
        self.device = Pointer(self.step) if device is None else device
        self.sim = stepped(exhibit, self.step)
        self._own = self.sim.equations
        self.display = display or str(getattr(self.device, "display", "impedance"))
        self.grip = Grip(self.sim, self._own, self.device, self.step, coupler or exhibit.coupler, self.display)
        self.past = Past(self.sim, self.step)
        self.scout = Scout(self.sim, self.grip, self.step)
        self._get_ready()
        self.modes, self._mode = Modes(), 0
        self._news: deque[Row] = deque(maxlen=MOST_NEWS)
        self.tick_count = 0
        self.paused, self.steps, self.speed = False, 0, 1.0
        self.source, self.log, self.recording = source, Log(), record
        self.fences = 0
        self.switches = 0
        self.switch_times: deque[float] = deque(maxlen=MOST_NEWS)  # µs, the last ones
        self._hear()
        self._tell_mode()

    def _get_ready(self) -> None:
        """Make now what the first tick, and the first grasp, would have to wait for; nothing has happened then."""
        scalars.get_ready()
        for body in self.exhibit.bodies:
            self.grip.get_ready(body, self.x)
        with suppress(LatchworkError):
            self.sim.on(self.step)
        self.past.reset(self.sim)
        with suppress(LatchworkError):
            stand_ready(self.sim, self.step)
            self.past.begin(self.sim)
        _ = self.sim.mode_table.energy

    def compile(self) -> None:
        """Ask for machine code of all that ticks run: a loop that has no end evaluates it often enough."""
        compile_for(self.sim.mode_table, self.sim.state.contacts.contact_points)

    # --- commands -----------------------------------------------------------------------------------------------

    def do(self, command: Any) -> Row:
        """Do what a command asks for, or say why not; where it is refused, all is as it was."""
        try:
            asked = parsed(command)
            self.log.command(asked)
            answer: Row = {"ok": True, **self._done(asked)}
        except LatchworkError as error:
            answer = {"ok": False, "why": str(error)}
        except Exception as error:  # nothing that a stranger sends may end the loop
            answer = {"ok": False, "why": f"this could not be done: {type(error).__name__}: {error}"}
        if name_of(command) is not None or not answer["ok"]:
            self._news.append(answer_row(answer, name_of(command)))
        return answer

    def _done(self, asked: Row) -> Row:
        do = DO[asked["do"]]
        if asked["do"] not in CHANGING:
            return do(self, asked)
        self.sim.world.ahead.wait()
        before = mark_of(self.sim)
        try:
            answer = do(self, asked)
            self._after()
        except Exception:
            put_back(self.sim, before)
            raise
        finally:
            self.past.changed(self.sim)
        return answer

    def pointer(self) -> Pointer:
        """The device, where commands may move it."""
        if not isinstance(self.device, Pointer):
            raise EvaluationError("another device holds the mechanism. Start without it to use the pointer.")
        return self.device

    def drop(self) -> None:
        """The pointer lets go."""
        self.pointer().drop()
        self.grip.let_go()

    def constraint(self, name: str) -> Constraint | Latch:
        """One of those that may be held and released."""
        found = {item.name: item for item in self.exhibit.constraints}
        must_be(name, str, "the name of a button", "Give it as text.")
        if name not in found:
            raise EvaluationError(f"there is no button for '{name}'.{did_you_mean(name, found)}")
        return found[name]

    def set(self, name: str, value: float) -> None:
        """Give a parameter or input another value."""
        sim, e = self.sim, self.sim.equations
        places = {symbol.name: i for i, symbol in enumerate((*e.r, *e.p))}
        must_be(name, str, f"what is to be set of '{e.name}'", "Give the name of a parameter or an input.")
        if name not in places:
            raise UnknownName(f"'{name}' is no parameter or input of '{e.name}'.{did_you_mean(name, places)}")
        must_measure(value, f"the value of '{name}'", "Give a finite number.")
        place = places[name]
        if any(place in column.places for column in sim.driven.columns) or any(
            symbol.name == name and symbol.node in sim.driven.laws for symbol in e.r
        ):
            raise EvaluationError(f"'{name}' follows a law or a table in this run, and cannot be set.")
        rest = sim.state.rest.copy()
        rest[place] = value
        sim.state = sim.state.but(rest=rest)
        self.past.nudged(unsettled=True)

    def prepare_first(self, began: Callable[[], None]) -> None:
        """What the thread that prepares modes does first: whoever waits for it must not wait for others."""
        self.sim.world.ahead.began = began

    def values(self) -> dict[str, float]:
        """What the sliders stand at."""
        e, rest = self.sim.equations, self.sim.state.rest_now
        now = dict(zip((symbol.name for symbol in (*e.r, *e.p)), rest.tolist(), strict=False))
        return {name: now[name] for name in self.exhibit.sliders}

    def value(self, expression: Any) -> float:
        """An expression of the model, now."""
        e, state = self.sim.equations, self.sim.state
        n_q, n_r, x, rest = len(e.q), len(e.r), state.x, state.rest_now
        return float(e.evaluate([expression], x[:n_q], x[n_q:-1], rest[:n_r], t=state.t, p=rest[n_r:][: len(e.p)])[0])

    def couple(self, stiffness: float, damping: float) -> str:
        """Another spring and damper between device and handle; gives why it is not quite what was asked for, if so."""
        return self.grip.ask(stiffness, damping, self.x)

    def rewind(self, seconds: float) -> float:
        """Back by some seconds, or as far as is remembered; gives by how many."""
        must_measure(seconds, "how far to go back", "Give a number of seconds.")
        self._let_go()
        gone = self.past.back(self.sim, round(seconds / self.step))
        self.grip.interrupt()
        self._after()
        return gone * self.step

    def reset(self) -> None:
        """Back to the start."""
        self._let_go()
        self.past.reset(self.sim)
        self.grip.reset()
        self._after()
        self.log.begin(self.tick_count)
        self._hear()

    def record(self, on: bool) -> str | None:
        """Begin to record, or end it; then gives the path of the file. It has all since the start or the last reset."""
        if on or not self.recording:
            self.recording = on
            return None
        path = self.save(recording_path(self.source))
        self.recording = False
        return str(path)

    def _hear(self) -> None:
        """Write down what other devices than the pointer do, from the start on, where a recording is asked for."""
        other = not isinstance(self.device, Pointer)
        self.grip.heard = self.log.reading if other and self.recording else None
        self.log.partial = other and not self.recording

    def save(self, path: str | Path) -> Path:
        """Write the session since the start, or the last reset."""
        device = "pointer" if isinstance(self.device, Pointer) else "hand"
        damping = self.device.damping, getattr(self.device, "damping_turn", None)
        return self.log.save(path, self.source, self.step, device, self.display, damping)

    def _let_go(self) -> None:
        if isinstance(self.device, Pointer):
            self.drop()

    # --- going on -----------------------------------------------------------------------------------------------

    def tick(self) -> None:
        """One step; where it cannot be made, the mechanism stays as it was, is paused, and says why."""
        self.grip.pull(self.tick_count, self.x)
        try:
            self.past.make(self.sim)
        except Exception as error:  # no model may end the loop
            self._trouble(error)
        else:
            self._after()
        self.grip.feel(self.tick_count, self.x)
        self.tick_count += 1
        state = self.sim.state
        self.log.state(state.t, state.x)

    def _trouble(self, error: Exception) -> None:
        self.past.back(self.sim, 0)
        self.grip.interrupt()
        self.paused, self.steps = True, 0
        what = str(error) if isinstance(error, LatchworkError) else f"{type(error).__name__}: {error}."
        self._news.append({"kind": "trouble", "t": self.sim.t, "why": f"{what} Reset, or rewind."})

    def _after(self) -> None:
        """Tell what has happened."""
        events, switches = self.sim.drained()
        if switches:
            self.switches += len(switches)
            self.switch_times += [switch.microseconds for switch in switches]
        if events:
            self.scout.happened(events)
            constraints = {item.name for item in self.exhibit.constraints} | self.sim.state.rules.held
            self._news.extend(event_row(event, self.modes, constraints) for event in events)
        self._tell_mode()

    def _tell_mode(self) -> None:
        names = self.sim.active
        number = self.modes.number(names)
        if number != self._mode:
            self._mode = number
            self._news.append(mode_row(self.sim.t, number, names, rows_of(self.sim)))

    # --- looking ------------------------------------------------------------------------------------------------

    @property
    def switch(self) -> float:
        """What the last change of mode took, in µs."""
        return self.switch_times[-1] if self.switch_times else 0.0

    @property
    def x(self) -> Array:
        """q and u of the exhibit's own model."""
        x, n_q, n = self.sim.state.x, len(self._own.q), len(self._own.u)
        return x[:-1] if len(x) == n_q + n + 1 else np.concatenate([x[:n_q], x[-1 - n : -1]])

    def state(self, beat: Beat | None = None) -> State:
        """What is to be seen now."""
        sim = self.sim
        energy = float(sim.mode_table.energy(sim.state.row)[0])
        return State(self.tick_count, sim.t, self.x, self._mode, forces_of(sim), self.grip.hand, energy,
                     self.grip.observer.generated, self.paused, self.speed, self.recording, beat or Beat())  # fmt: skip

    def news(self) -> list[Row]:
        """What has happened since last asked, oldest first; of very much, the last."""
        found = list(self._news)
        self._news.clear()
        return found
