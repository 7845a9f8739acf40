"""What was computed is kept where Ctrl-C ends a run: the interrupt carries it, and the simulation stands there."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

from latchwork.errors import EvaluationError, Interrupted
from latchwork.program.interrupt import listening

if TYPE_CHECKING:
    from latchwork.hybrid.running import Running

Advance = TypeVar("Advance", bound=Callable[..., Any])


def interruptible(advance: Advance) -> Advance:
    """A method that runs a simulation, and stops early where ``interrupted()`` says so, as at a time given to it.

    An interrupt that came where it could not stop leaves the run up to the last change whole, but not the state.
    """

    @functools.wraps(advance)
    def call(sim: Running, *args: Any, **options: Any) -> Any:
        if sim.is_cut:
            raise EvaluationError(f"{sim!r} was interrupted in the middle of a change, and cannot go on from there. "
                                  "Its run so far is sim.run; begin anew from a state of it.")  # fmt: skip
        sim.is_cut = True
        try:
            with listening():
                result = advance(sim, *args, **options)
                sim.is_cut = False
        except KeyboardInterrupt:
            at = f"'{sim.equations.name}' was interrupted at t = {sim.t:.6g}"
            goes_on = "" if sim.is_cut else "; sim.advance(until) goes on from there"
            raise Interrupted(f"{at}. What was computed until then is in .run{goes_on}.", sim.known) from None
        except BaseException:
            sim.is_cut = False
            raise
        return result

    return call  # type: ignore[return-value]
