"""Expressions of model files: read against a whitelist into postfix steps, never handed to Python.

Operators wait on a stack until what binds tighter is done (Dijkstra's shunting yard), so nothing here recurses and the
depth of an expression costs nothing but its own limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from latchwork.errors import FileError, did_you_mean
from latchwork.formats.expressions.functions import (
    BINDS,
    BINDS_PREFIX,
    COMPARISONS,
    CONSTANTS,
    FRAME,
    FROM_THE_RIGHT,
    FUNCTIONS,
    NAMED,
    SCALAR,
)  # fmt: skip
from latchwork.formats.expressions.tokens import Token, number, tokens
from latchwork.formats.places import Text, shown

DEEPEST = 200  # parentheses inside parentheses
AXES = ("x", "y", "z")


class Step(NamedTuple):
    """One step on a stack of values: push a number or something named, or apply an operator or function."""

    action: str  # number, symbol, axis, frame, point; infix, prefix, call
    value: Any
    offset: int
    arity: int = 0


@dataclass(frozen=True)
class Code:
    """An expression as postfix steps, with the text it came from."""

    text: Text
    steps: tuple[Step, ...]

    def names(self) -> Iterator[tuple[str, str]]:
        """Everything named: its kind (scalar, frame, point) and the name."""
        for step in self.steps:
            if step.action == "symbol":
                yield SCALAR, step.value
            elif step.action == "axis":
                yield FRAME, step.value[0]
            elif step.action in NAMED:
                yield step.action, step.value


@dataclass
class Waiting:
    """An operator, an opened parenthesis or a call, until what belongs to it is complete."""

    action: str  # infix, prefix, open, call
    value: str
    offset: int
    binds: int = 0
    count: int = 0  # arguments complete
    start: int = 0  # first step of the current argument


@dataclass
class Yard:
    """The state of reading one expression."""

    text: Text
    steps: list[Step] = field(default_factory=list)
    stack: list[Waiting] = field(default_factory=list)
    depth: int = 0
    operand_next: bool = True

    def error(self, offset: int, message: str) -> FileError:
        return self.text.at(offset).error(message)

    # --- where a value is expected ------------------------------------------------------------------------------

    def operand(self, token: Token, rest: Iterator[Token]) -> Token:
        """A number, a name, a sign in front, an opening parenthesis; returns the token after it."""
        if token.kind == "number":
            self._push(Step("number", number(token, self.text), token.offset))
        elif token.kind == "name":
            return self._named(token, next(rest), rest)
        elif token.value in BINDS_PREFIX:
            self.stack.append(Waiting("prefix", token.value, token.offset, BINDS_PREFIX[token.value]))
        elif token.value == "(":
            self._open(Waiting("open", "(", token.offset))
        else:
            raise self._misplaced(token)
        return next(rest)

    def _named(self, name: Token, after: Token, rest: Iterator[Token]) -> Token:
        if after.value == "(":
            self._call(name)
            return next(rest)
        if after.value == ".":
            return self._axis(name, next(rest), rest)
        if name.value in CONSTANTS:
            self._push(Step("number", CONSTANTS[name.value], name.offset))
        else:
            self._push(Step("symbol", name.value, name.offset))
        return after

    def _axis(self, name: Token, axis: Token, rest: Iterator[Token]) -> Token:
        if axis.value not in AXES:
            raise self.error(
                axis.offset,
                f"'{shown(name.value)}.{shown(axis.value)}' means nothing: the only attributes are unit vectors of "
                "frames. Write A.x, A.y or A.z.",
            )
        self._push(Step("axis", (name.value, axis.value), name.offset))
        return next(rest)

    def _call(self, name: Token) -> None:
        if name.value not in FUNCTIONS:
            raise self.error(
                name.offset, f"there is no function '{shown(name.value)}'.{did_you_mean(name.value, FUNCTIONS)}"
            )
        self._open(Waiting("call", name.value, name.offset, start=len(self.steps)))

    def _open(self, waiting: Waiting) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.error(
                waiting.offset,
                f"parentheses are nested more than {DEEPEST} deep. Split the expression with names in 'let'.",
            )
        self.stack.append(waiting)

    def _push(self, step: Step) -> None:
        self.steps.append(step)
        self.operand_next = False

    def _misplaced(self, token: Token) -> FileError:
        inside = self.stack[-1] if self.stack else None
        if token.value == ")" and inside and inside.action == "call" and inside.count == 0:
            return self._wrong_count(inside, 0)
        found = f"'{shown(token.value)}'" if token.value else "the end"
        return self.error(
            token.offset, f"a value is missing before {found} in an expression. Write a number, a name or (...) there."
        )

    # --- where an operator is expected --------------------------------------------------------------------------

    def operator(self, token: Token) -> None:
        """An operator between values, a comma, a closing parenthesis."""
        if token.value in BINDS:
            self._infix(token)
        elif token.value == ",":
            self._comma(token)
        elif token.value == ")":
            self._close(token)
        elif token.value == ".":
            raise self.error(
                token.offset, "only the name of a frame can be followed by '.'. Write A.x, A.y or A.z for unit vectors."
            )
        else:
            raise self.error(
                token.offset,
                f"an operator is missing before '{shown(token.value)}' in an expression. Write e.g. 2*x for 2 x.",
            )

    def _infix(self, token: Token) -> None:
        binds = BINDS[token.value]
        limit = binds + (token.value in FROM_THE_RIGHT)
        if token.value in COMPARISONS and any(w.value in COMPARISONS for w in self._loose()):
            raise self.error(
                token.offset,
                f"comparisons cannot be chained at '{token.value}'. Write (a < b) & (b < c) for a < b < c.",
            )
        self._settle(limit)
        self.stack.append(Waiting("infix", token.value, token.offset, binds))
        self.operand_next = True

    def _loose(self) -> Iterator[Waiting]:
        """Operators that wait since the last opened parenthesis."""
        for waiting in reversed(self.stack):
            if waiting.action in ("open", "call"):
                return
            yield waiting

    def _settle(self, limit: int = 0) -> None:
        """Operators that bind at least this tightly become steps."""
        while self.stack and self.stack[-1].action in ("infix", "prefix") and self.stack[-1].binds >= limit:
            done = self.stack.pop()
            self.steps.append(Step(done.action, done.value, done.offset))

    def _comma(self, token: Token) -> None:
        self._settle()
        if not self.stack or self.stack[-1].action != "call":
            raise self.error(token.offset, "a comma stands outside of a function's arguments. Remove it.")
        self._argument(self.stack[-1])
        self.stack[-1].start = len(self.steps)
        self.operand_next = True

    def _argument(self, call: Waiting) -> None:
        """The argument just completed counts; where a frame or point is asked for, it must be a name."""
        takes = FUNCTIONS[call.value].takes
        kind = takes[call.count] if call.count < len(takes) else ""
        if kind in NAMED:
            *others, last = self.steps[call.start :]
            if others or last.action != "symbol":
                raise self.error(
                    last.offset,
                    f"{call.value}(...) takes the name of a {kind} here, not an expression. Write the name alone.",
                )
            self.steps[-1] = Step(kind, last.value, last.offset)
        call.count += 1

    def _close(self, token: Token) -> None:
        self._settle()
        if not self.stack:
            raise self.error(token.offset, "')' closes nothing that was opened. Remove it, or write the missing '('.")
        opened = self.stack.pop()
        self.depth -= 1
        if opened.action == "call":
            self._argument(opened)
            if not FUNCTIONS[opened.value].accepts(opened.count):
                raise self._wrong_count(opened, opened.count)
            self.steps.append(Step("call", opened.value, opened.offset, opened.count))

    def _wrong_count(self, call: Waiting, count: int) -> FileError:
        return self.error(
            call.offset,
            f"{call.value}(...) takes {FUNCTIONS[call.value].arity}; got {count}. Give it as many as it takes.",
        )

    def finish(self, end: Token) -> Code:
        """All is read: nothing may be missing and nothing left open."""
        if self.operand_next:
            raise self._misplaced(end)
        self._settle()
        if self.stack:
            raise self.error(self.stack[-1].offset, "'(' is never closed. Write the missing ')'.")
        return Code(self.text, tuple(self.steps))


def compiled(text: Text) -> Code:
    """The postfix steps of an expression; every error names its line and column."""
    yard, rest = Yard(text), tokens(text)
    token = next(rest)
    while token.kind != "end":
        if yard.operand_next:
            token = yard.operand(token, rest)
        else:
            yard.operator(token)
            token = next(rest)
    return yard.finish(token)
