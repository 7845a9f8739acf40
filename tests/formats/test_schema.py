"""The schema says what the reader does, and the reference page names every word."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest
import yaml

import latchwork as lw
from latchwork.errors import FileError
from latchwork.formats.expressions.functions import FUNCTIONS
from latchwork.formats.model_file import contact_tables, rule_tables, run_tables, tables
from latchwork.formats.model_file.grammar import CHOICES, KINDS, Either, Item, Listed, Named, Shape
from latchwork.formats.model_file.schema import SINGLES, schema
from latchwork.formats.model_file.shapes import SINGLES as READERS
from latchwork.formats.model_file.tables import MODEL
from latchwork.formats.model_file.yaml_reader import read_model
from latchwork.hybrid.table import KINDS as TABLES
from latchwork.integrate.stiff import METHODS

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "model-files.md").read_text(encoding="utf-8")


def shapes(item: Item = MODEL) -> Iterator[Shape]:
    """Every shape below an item."""
    if isinstance(item, Shape):
        yield item
        for field in item.fields.values():
            yield from shapes(field.item)
    elif isinstance(item, Named | Listed):
        yield from shapes(item.item)
    elif isinstance(item, Either):
        yield from shapes(item.shape)


def test_every_kind_has_a_reader_and_a_schema():
    """No kind of value is known to one table only."""
    assert SINGLES.keys() == READERS.keys() == KINDS.keys()


def test_the_schema_is_json():
    """The schema survives being written and read."""
    assert json.loads(json.dumps(schema())) == schema()


def misfits(value: Any, rule: dict[str, Any], path: str = "") -> Iterator[str]:
    """Where a value breaks a schema, as far as ours go: types, keys, items, choices."""
    if "anyOf" in rule:
        found = [list(misfits(value, choice, path)) for choice in rule["anyOf"]]
        yield from min(found, key=len)
        return
    if not isinstance(value, JSON[str(rule.get("type"))]):
        yield f"{path}: {value!r} is no {rule['type']}"
    elif isinstance(value, dict):
        known, rest = rule.get("properties", {}), rule.get("additionalProperties")
        yield from (f"{path} lacks {key}" for key in rule.get("required", []) if key not in value)
        for key, item in value.items():
            if key in known or rest:
                yield from misfits(item, known.get(key, rest), f"{path}.{key}")
            else:
                yield f"{path} has {key}"
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from misfits(item, rule["items"], f"{path}.{i}")


JSON: dict[str, Any] = {
    "object": dict, "array": list, "string": str, "boolean": bool, "None": object,
    "['number', 'string']": (int, float, str),
    "['number', 'string', 'null']": (int, float, str, type(None)),
    "['string', 'number', 'boolean']": (str, float, bool),
}  # fmt: skip


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.yaml")), ids=lambda path: path.stem)
def test_examples_fit_the_schema(path):
    """What the reader takes, the schema takes."""
    assert list(misfits(yaml.safe_load(path.read_text(encoding="utf-8")), schema())) == []


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("{latchwork: 1}", " lacks name"),
        ("{latchwork: 1, name: x, frame: {}}", " has frame"),
        ("{latchwork: 1, name: x, points: {P: {at: [1]}}}", ".points.P.at: [1] is no ['number', 'string']"),
        ("{latchwork: 1, name: x, loads: {}}", ".loads: {} is no array"),
    ],
)
def test_what_the_reader_refuses_the_schema_refuses(text, where):
    """Unknown and missing keys and wrong types do not fit."""
    assert list(misfits(yaml.safe_load(text), schema())) == [where]
    with pytest.raises(FileError, match=r"needs the key|has no key|found"):
        read_model(text)


@pytest.mark.parametrize("shape", sorted(shapes(), key=lambda shape: shape.name), ids=lambda shape: shape.name)
def test_the_page_names_every_key(shape):
    """Every key of every mapping is on the reference page, with what it means."""
    missing = [key for key, field in shape.fields.items() if f"| `{key}` | {field.about} |" not in PAGE]
    assert missing == []


def test_the_page_names_every_function():
    """Every function of expressions is on the reference page."""
    assert [name for name in FUNCTIONS if f"`{name}(" not in PAGE] == []


def test_the_example_of_the_page_is_a_file():
    """The full example of the page is a file that runs as an example."""
    text = PAGE.partition("```yaml\n")[2].partition("```")[0]
    assert text == (ROOT / "examples" / "double_pendulum.yaml").read_text(encoding="utf-8")


def test_the_contacts_and_rules_of_the_page_are_read():
    """What the page shows of contacts and rules is a file, together with what it mentions."""
    contacts, rules = (PAGE.partition(f"## {head}\n")[2].partition("```yaml\n")[2].partition("```")[0]
                       for head in ("Contacts", "Rules"))  # fmt: skip
    disk = (ROOT / "examples" / "disk_that_rolls.yaml").read_text(encoding="utf-8").partition("contacts:")[0]
    more = disk.replace("L: 22.0}", "L: 22.0, c: 1}").replace("q1, q2]", "q1, q2, q4]")
    more = more.replace("u2: r*dt(q2)", "u2: r*dt(q2), u4: dt(q4)").replace("points:", "points:\n  P: {at: q4*N.y}")
    found = read_model(more + contacts + rules)[0]
    assert [contact.name for contact in found.contacts] == ["disk on ramp", "tip on hill"]
    assert [rule.name for rule in found.rules] == ["stuck at first", "comes free", "sticks", "shoots"]


def test_the_tables_are_reached():
    """Every shape that is defined is part of the format."""
    modules = (tables, run_tables, contact_tables, rule_tables)
    defined = [value for module in modules for value in vars(module).values() if isinstance(value, Shape)]
    reached = list(shapes())
    assert [shape.name for shape in defined if shape not in reached] == []


def test_the_words_of_the_tables_are_those_of_the_program():
    """Choices and methods have the names that Python has for them, and each option of a method is a word."""
    assert CHOICES["stiff method"] == METHODS
    assert CHOICES["kind of table"] == TABLES
    for name in run_tables.METHOD.one_of:
        assert [*run_tables.METHOD.fields[name].item.fields] == [f.name for f in fields(getattr(lw, name))]


def test_the_words_of_a_run_are_the_arguments_of_simulate():
    """What stands under run are arguments of simulate, by the same names, and what to show."""
    assert run_tables.RUN.fields.keys() - {"outputs", "plot"} <= inspect.signature(lw.simulate).parameters.keys()
