"""Law: inputs that follow expressions in t, q, u and parameters; compiled with the equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from latchwork.control.tracks import name_of
from latchwork.errors import ModelError, spelled
from latchwork.hybrid.controllers import Plan


@spelled
@dataclass(frozen=True, eq=False)
class Law:
    """``Law({"F": -k * q - c * u})``: a continuous law, closed in machine code. ``Sampled`` holds it between looks."""

    inputs: Mapping[Any, Any]
    name: str = "law"

    def __post_init__(self) -> None:
        if not isinstance(self.inputs, Mapping) or not self.inputs:
            raise ModelError(f"law '{self.name}' commands {self.inputs!r}. Give expressions by input: "
                             "lw.control.Law({\"F\": -k * q}).")  # fmt: skip

    @property
    def expressions(self) -> dict[str, Any]:
        """By the names of inputs."""
        return {name_of(key): value for key, value in self.inputs.items()}

    def prepared(self, plan: Plan) -> Plan:
        """The plan of a run in which this law acts continuously."""
        plan = plan.owning(self.name, tuple(self.expressions))
        return replace(plan, expressions={**plan.expressions, **self.expressions})
