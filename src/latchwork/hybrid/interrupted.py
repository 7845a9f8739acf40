"""What was computed is kept where Ctrl-C ends a run: the interrupt carries it, and the simulation stands there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from latchwork.errors import Interrupted
from latchwork.program.interrupt import listening

if TYPE_CHECKING:
    from latchwork.hybrid.simulation import Simulation

Advance = TypeVar("Advance", bound=Callable[..., Any])


def interruptible(advance: Advance) -> Advance:
    """A function that runs a simulation, and stops early where ``interrupted()`` says so, as at a time given to it.

    An interrupt that came where it could not stop leaves the simulation at its last whole state, and the run up to it.
    """

    @functools.wraps(advance)
    def call(sim: Simulation, *args: Any, **options: Any) -> Any:
        try:
            with listening():
                return advance(sim, *args, **options)
        except KeyboardInterrupt:
            sim.record.cut(sim.state.t)
            at = f"'{sim.equations.name}' was interrupted at t = {sim.t:.6g}"
            raise Interrupted(f"{at}. What was computed until then is in .run; sim.advance(until) goes on from there.",
                              sim.known) from None  # fmt: skip

    return call  # type: ignore[return-value]
