"""The command line: ``latchwork derive``, ``run``, ``study``, ``serve``, ``info``, ``export``, ``schema``, ``demo``,
``bench``.

Results go to stdout, progress and errors to stderr. Exit codes:

    0    done
    1    an error of this program
    2    wrong usage
    3    a file that cannot be read as a model
    4    a model without equations
    5    a run that failed, or points of a study
    6    a study that cannot be: its store is another's, full, or not to be written
    130  interrupted
    141  the reader of stdout went away
"""

from __future__ import annotations

import os
import sys
from argparse import Namespace
from collections.abc import Sequence

from latchwork.cli.options import parser
from latchwork.cli.terminal import Usage, excerpt, say
from latchwork.errors import (
    EvaluationError,
    FileError,
    Incomplete,
    IntegrationError,
    LatchworkError,
    StudyError,
    did_you_mean,
)

CODES: tuple[tuple[type[Exception], int], ...] = (  # the first that fits
    (Usage, 2),
    (FileError, 3),
    (IntegrationError, 5),
    (EvaluationError, 5),
    (Incomplete, 5),
    (StudyError, 6),
    (LatchworkError, 4),
    (OSError, 2),
    (Exception, 1),
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; the exit code."""
    try:
        options = _parsed(arguments)
    except SystemExit as stop:  # argparse has said why
        return int(stop.code or 0)
    try:
        options.command(options)
        sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing is left to flush at exit
        return 141
    except KeyboardInterrupt:
        say("latchwork: interrupted")
        return 130
    except Exception as problem:
        if options.debug:
            raise
        return _explained(problem)
    return 0


def _parsed(arguments: Sequence[str] | None) -> Namespace:
    """The options; one that a command does not have ends it there, with the nearest that it has."""
    options, unknown = parser().parse_known_args(arguments)
    if unknown:
        words = options.parser
        known = sorted(word for action in words._actions for word in action.option_strings if word.startswith("--"))
        said = unknown[0].partition("=")[0]
        advice = did_you_mean(said, known) if said.startswith("-") else f" Options: {', '.join(known)}."
        words.error(f"unrecognized arguments: {' '.join(unknown)}.{advice}")
    return options


def _explained(problem: Exception) -> int:
    code = next(code for kind, code in CODES if isinstance(problem, kind))
    if isinstance(problem, OSError) and problem.strerror and problem.filename:
        what = problem.filename2 or problem.filename
        say(f"latchwork: error: {what}: {problem.strerror.lower()}. Check the name, and that you may write there.")
    elif code == 1:
        say(f"latchwork: error: {type(problem).__name__}: {problem}. This is a bug; --debug shows where.")
    else:
        say(f"latchwork: error: {problem}")
    if isinstance(problem, FileError):
        say(excerpt(problem))
    return code
