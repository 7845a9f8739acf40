"""Why a stepper came back, as kernels and Python know it, and what is said of it."""

from __future__ import annotations

from enum import IntEnum


class Status(IntEnum):
    """The numbers that steppers return."""

    END = 0
    FULL = 1
    TOO_MANY = 2
    TOO_SMALL = 3
    NOT_FINITE = 4
    EVENT = 5
    NO_NUMBER = 6
    REWRITE = 7
    ELSEWHERE = 8

    @property
    def message(self) -> str:
        """What it says."""
        return MESSAGES[self]


MESSAGES = {
    Status.END: "the end was reached",
    Status.FULL: "the record is full",
    Status.TOO_MANY: "more steps were needed than allowed",
    Status.TOO_SMALL: "the step became too small for the tolerance: the solution grows without bound, or jumps",
    Status.NOT_FINITE: "the derivative is not finite",
    Status.EVENT: "a guard fell through zero",
    Status.NO_NUMBER: "a guard is not a number",
    Status.REWRITE: "the equations ask to be written in other speeds",
    Status.ELSEWHERE: "a step led past an almost singular position to a circuit that the linkage cannot reach",
}
ADVICE = {
    Status.TOO_MANY: "That is a limit of the method, not of the model: give it a larger max_steps, or a wider "
    "tolerance; where the motion is stiff, lw.Radau() takes longer steps.",
    Status.NOT_FINITE: "Check the model near that time.",
}
ELSE = "Check the model near that time, or choose another step or tolerance."
