"""Commands: whoever sends them is a stranger."""

import math

import pytest

from latchwork.errors import EvaluationError
from latchwork.realtime.commands import COMMANDS, LONGEST, name_of, parsed
from latchwork.realtime.doing import DO

GOOD = [
    {"do": "grab", "body": "lower", "at": [0.0, 1, -2.5]},
    {"do": "move", "to": (1.0, 2.0, 3.0)},
    {"do": "set", "name": "g", "value": 3},
    {"do": "fence", "points": [[0, 0], [1, 2]]},
    {"do": "step", "ticks": 5},
    {"do": "record", "on": True},
    {"do": "pause"},
]
BAD = [
    ("pause", "Send a mapping"),
    ({"do": "pasue"}, "no command 'pasue'.*pause"),
    ({"do": ["pause"]}, "no command 'list'"),
    ({}, "no command 'NoneType'"),
    ({"do": "move", "to": [0, 1]}, "should be 3 numbers"),
    ({"do": "move", "to": [0, 1, math.nan]}, "number from"),
    ({"do": "move", "to": [0, 1, math.inf]}, "number from"),
    ({"do": "move", "to": [0, 1, "2"]}, "number from"),
    ({"do": "move", "to": [0, 1, True]}, "number from"),
    ({"do": "move", "to": 10**400}, "should be 3 numbers"),
    ({"do": "move"}, "'to' of the command 'move' is None"),
    ({"do": "grab", "body": "x" * (LONGEST + 1), "at": [0, 0, 0]}, "a name of 1 to"),
    ({"do": "grab", "body": 3, "at": [0, 0, 0]}, "a name of 1 to"),
    ({"do": "speed", "value": 0.0}, "number from 0.01 to 4"),
    ({"do": "step", "ticks": 1.5}, "whole number"),
    ({"do": "step", "ticks": 10**9}, "whole number"),
    ({"do": "fence", "points": [[0, 0]]}, "2 to 200 points"),
    ({"do": "fence", "points": [[0, 0]] * 201}, "2 to 200 points"),
    ({"do": "fence", "points": "ab"}, "2 to 200 points"),
    ({"do": "record", "on": 1}, "true or false"),
]


@pytest.mark.parametrize("command", GOOD, ids=lambda c: c["do"])
def test_good_commands_keep_their_values(command):
    """What fits its row comes through as it is, but for what no row asks for."""
    made = parsed(command | {"more": "of it"})
    assert made.keys() == command.keys()
    assert parsed(made) == made


@pytest.mark.parametrize(("command", "words"), BAD, ids=lambda c: str(c)[:40])
def test_bad_commands_are_refused_in_words(command, words):
    """What does not fit its row is refused, and the words say which value and what it should be."""
    with pytest.raises(EvaluationError, match=words):
        parsed(command)


def test_every_command_is_done_by_one_function():
    """The table of commands and the table of what they do have the same rows."""
    assert DO.keys() == COMMANDS.keys()


@pytest.mark.parametrize(("given", "kept"), [("a", "a"), (7, 7), (True, None), (2**60, None), ([1], None)])
def test_an_id_is_a_short_text_or_a_number(given, kept):
    """Ids come back with answers; what could not be an id does not."""
    assert name_of({"do": "pause", "id": given}) == kept
