"""How a file wants its model run: the section ``run``, as arguments of ``simulate`` and a list of what to show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from latchwork.errors import did_you_mean
from latchwork.formats.expressions.evaluate import evaluated
from latchwork.formats.expressions.functions import CONDITION, FUNCTIONS, HELD, POINT, VECTOR
from latchwork.formats.expressions.postfix import Code, compiled
from latchwork.formats.expressions.scope import Scope
from latchwork.formats.model_file.build import Build
from latchwork.formats.model_file.grammar import Named
from latchwork.formats.model_file.run_tables import RUN
from latchwork.formats.model_file.shapes import Entry, Given, read
from latchwork.formats.model_file.yaml_nodes import compose
from latchwork.formats.places import Place, Text, shown
from latchwork.mechanics.point import Point
from latchwork.mechanics.vector import Vector
from latchwork.model import NAME, Model
from latchwork.symbolic.expr import Expr

if TYPE_CHECKING:
    from latchwork.hybrid.table import Table
    from latchwork.integrate.methods import Method
    from latchwork.kane.equations import Equations

Output = Expr | Vector | Point | str  # a text is what only a run can say: meters, forces, reactions
KINDS = {"q": "coordinate", "u": "speed", "inputs": "input", "parameters": "parameter"}
PASSED = ("until", "start", "q", "u", "inputs", "parameters", "stop_when", "every", "keep", "method", "audit")


@dataclass(frozen=True)
class RunSettings:
    """The arguments of ``simulate`` under their own names; outputs by name; what to plot, by its text."""

    until: float | None = None
    start: float = 0.0
    q: dict[str, float] = field(default_factory=dict)
    u: dict[str, float] = field(default_factory=dict)
    inputs: dict[str, Expr | Table] = field(default_factory=dict)
    parameters: dict[str, float] = field(default_factory=dict)
    stop_when: dict[str, Expr] = field(default_factory=dict)
    every: float | None = None
    keep: str = "steps"
    method: Method | None = None
    audit: str = "raise"
    outputs: dict[str, Output] = field(default_factory=dict)
    plot: dict[str, Output] = field(default_factory=dict)

    def arguments(self, equations: Equations) -> dict[str, Any]:
        """What ``simulate`` takes, ``lw.simulate(eq, **settings.arguments(eq))``: coordinates left out start at 0."""
        unturned = {e for four in equations.system.quaternions for e in four}  # simulate knows how these start
        at_rest = {symbol.name: 0.0 for symbol in equations.q if symbol not in unturned}
        return {name: getattr(self, name) for name in PASSED} | {"q": at_rest | self.q}


def run_entry(text: str) -> Entry:
    """The entry that a text such as ``every: 0.01`` gives: what may stand under ``run``."""
    entry: Entry = read(compose(text, "--run"), RUN, "run")
    return entry


def settings(build: Build, entries: Sequence[Entry]) -> RunSettings:
    """The settings of some entries for a model; what a later one says goes before, name by name."""
    run, build = _joined(entries), replace(build, scope=replace(build.scope, held={}))  # forces are for rules
    for key, kind in KINDS.items():
        _check_names(run.get(key, []), kind, build.model)
    given = {key: run[key] for key in ("until", "start", "every", "keep", "audit") if key in run}
    given |= {key: {each.name.value: each.value for each in run.get(key, [])} for key in ("q", "u", "parameters")}
    outputs = {_output_name(each.name, build.model): output(build, each.value) for each in run.get("outputs", [])}
    return RunSettings(
        **given,
        inputs={each.name.value: _input(build, each.value) for each in run.get("inputs", [])},
        stop_when={each.name.value: _guard(build, each.value) for each in run.get("stop_when", [])},
        method=_method(run["method"]) if "method" in run else None,
        outputs=outputs,
        plot={text.value: _plotted(build, text, outputs) for text in run.get("plot", [])},
    )


def output(build: Build, text: Text) -> Output:
    """What a text means as an output: an expression of the model, or a point where no symbol has the name."""
    found = None if text.value in build.scope.symbols else build.scope.find(POINT, text.value)
    if isinstance(found, Point):
        return found
    code = compiled(text)
    if _is_metered(code, build):
        _must_exert(code, build.model)
        return text.value
    value = evaluated(code, build.scope)
    return value.it if value.kind == VECTOR else build.scalar(code)


def _is_metered(code: Code, build: Build) -> bool:
    """Whether an expression asks for something that is known only in a run: an energy, a force, a reaction, a motor."""
    from latchwork.hybrid.meters import NAMES

    meters = {name for name in NAMES if name not in build.scope.symbols}
    return any((step.action == "call" and FUNCTIONS[step.value].takes == (HELD,))
               or (step.action == "symbol" and step.value in meters) for step in code.steps)  # fmt: skip


def _must_exert(code: Code, model: Model) -> None:
    """Refuse forces and reactions of what the model does not have."""
    scope = Scope.of(model)
    holding: tuple[Any, ...] = (*model.constraints, *model.contacts)
    known = [*scope.held, *(each.name for each in holding), *model.links, *(each.name for each in model.loads)]
    for step in code.steps:
        if step.action == HELD and step.value not in known:
            hint = did_you_mean(step.value, filter(None, known))
            message = f"there is no joint, load, constraint or contact '{shown(step.value)}'.{hint}"
            raise code.text.at(step.offset).error(message)


def _plotted(build: Build, text: Text, outputs: dict[str, Output]) -> Output:
    return outputs[text.value] if text.value in outputs else output(build, text)


def _joined(entries: Sequence[Entry]) -> Entry:
    values: dict[str, Any] = {}
    for entry in entries:
        for key, value in entry.values.items():
            named = isinstance(RUN.fields[key].item, Named) and key in values
            values[key] = _by_name([*values[key], *value]) if named else value
    return Entry(Place("run"), values)


def _by_name(given: list[Given]) -> list[Given]:
    return list({each.name.value: each for each in given}.values())


def _check_names(given: list[Given], kind: str, model: Model) -> None:
    known = [name for name, symbol in model.symbols.items() if symbol.kind == kind]
    for each in given:
        if each.name.value not in known:
            hint = did_you_mean(each.name.value, known)
            raise each.name.place.error(f"'{model.name}' has no {kind} '{shown(each.name.value)}'.{hint}")


def _output_name(text: Text, model: Model) -> str:
    """The name of an output, which no symbol has: both are columns of the same table."""
    if not NAME.match(text.value):
        raise text.place.error(
            f"'{shown(text.value)}' cannot name an output: names are letters, digits and _ starting with a letter, "
            "e.g. tip."
        )
    if text.value in model.symbols:
        kind = model.symbols[text.value].kind
        raise text.place.error(f"'{text.value}' is a {kind} of '{model.name}' already. Choose another for the output.")
    return text.value


def _input(build: Build, value: Code | Entry) -> Expr | Table:
    """A law, or a table."""
    from latchwork.hybrid.table import Table

    if isinstance(value, Entry):
        with value.place.blamed():
            return Table(**value.values)
    law: Expr = build.scalar(value)
    return law


def _guard(build: Build, code: Code) -> Expr:
    """A scalar that falls through zero where the run ends."""
    if evaluated(code, build.scope).kind == CONDITION:
        raise code.text.place.error(
            f"a guard is a scalar that falls through zero; '{shown(code.text.value)}' is a condition. Write a "
            "difference instead: q1 - 0.2 where q1 < 0.2 shall end the run."
        )
    guard: Expr = build.scalar(code)
    return guard


def _method(entry: Entry) -> Any:
    from latchwork.integrate.methods import RK4, DormandPrince, Radau
    from latchwork.integrate.stiff import SciPy, Sundials

    ((name, options),) = entry.values.items()
    values = dict(options.values)
    if "atol" in values:
        values["atol"] = values["atol"][0] if len(values["atol"]) == 1 else tuple(values["atol"])
    with entry.place.blamed():
        methods = (DormandPrince, Radau, RK4, SciPy, Sundials)
        return {method.__name__: method for method in methods}[name](**values)
