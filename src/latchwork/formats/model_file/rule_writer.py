"""Rules to model files, and the constraints that they hold and let go."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from latchwork.constraint.constraint import Constraint
from latchwork.constraint.rule import Latch, Rule
from latchwork.errors import FileError
from latchwork.formats.model_file.constraint_writer import Texts, constraint_text


def switched_text(texts: Texts, rules: Iterable[Rule]) -> dict[str, Any]:
    """All that some rule holds, by name; two things of one name are refused."""
    items: dict[str, Constraint | Latch] = {}
    for rule in rules:
        for item in rule.held:
            if items.setdefault(item.name, item) is not item:
                raise FileError(
                    f"rule '{rule.name}' holds '{item.name}', which is something else for another rule: they cannot be "
                    "written. Give both the same constraint, or other names."
                )
    return {name: {"latch": texts.scalar(item.value)} if isinstance(item, Latch) else constraint_text(texts, item)
            for name, item in items.items()}  # fmt: skip


def rule_text(texts: Texts, rule: Rule) -> dict[str, Any]:
    """The entry of a rule, without what is as usual."""
    written = {
        "when": _scalar(texts, rule.when),
        "hold": _names(item.name for item in rule.held),
        "release": _names(rule.release),
        "reset": _values(texts, rule.reset),
        "inputs": _values(texts, rule.inputs),
        "needs": _names(rule.needs),
        "without": _names(rule.without),
        "once": "true" if rule.once else None,
        "stop": "true" if rule.stop else None,
    }
    return {key: value for key, value in written.items() if value not in (None, [], {})}


def _names(names: Iterable[str]) -> list[str] | str:
    found = list(names)
    return found[0] if len(found) == 1 else found


def _values(texts: Texts, values: Mapping[str, Any]) -> dict[str, str]:
    return {name: _scalar(texts, value) for name, value in values.items()}


def _scalar(texts: Texts, value: Any) -> str:
    """An expression, or the text that stands for one: both speak the language of model files."""
    return value if isinstance(value, str) else texts.scalar(value)
