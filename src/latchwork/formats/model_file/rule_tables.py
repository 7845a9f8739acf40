"""The words of a model file for rules, and for the constraints that rules hold and let go, one row each."""

from __future__ import annotations

from latchwork.formats.model_file.constraint_tables import WORDS
from latchwork.formats.model_file.grammar import Field, Listed, Named, Shape

MOST_RULES = 1_000


def names(about: str) -> Field:
    """One name, or several."""
    return Field(Listed("text", or_one=True, most=MOST_RULES), about)


SWITCHED_WORDS = {**WORDS, "latch": Field("scalar", "what keeps the value that it has when this begins to hold")}
SWITCHED = Shape("switched constraint", SWITCHED_WORDS, one_of=tuple(SWITCHED_WORDS))
RULE = Shape("rule", {
    "when": Field("guard", "where it fires: in t, q, u, parameters, inputs and forces", needed=True),
    "hold": names("what begins to hold: names under `switched`"),
    "release": names("what is let go: names under `switched`"),
    "reset": Field(Named("scalar"), "coordinates and speeds that jump, each to a value of the state before"),
    "inputs": Field(Named("scalar"), "inputs that keep new values from then on"),
    "needs": names("what must hold for it to be armed"),
    "without": names("what must not hold for it to be armed"),
    "once": Field("truth", "true where it fires a single time"),
    "stop": Field("truth", "true where the run stops there"),
})  # fmt: skip
