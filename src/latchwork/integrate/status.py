"""Why a stepper came back; the value is the message."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """In the order of the numbers that the steppers return."""

    END = "the end was reached"
    FULL = "the record is full"
    TOO_MANY = "more steps were needed than allowed"
    TOO_SMALL = "the step became too small for the tolerance: the solution grows without bound, or jumps"
    NOT_FINITE = "the derivative is not finite"
    EVENT = "a guard fell through zero"
    NO_NUMBER = "a guard is not a number"
    REWRITE = "the equations ask to be written in other speeds"
    ELSEWHERE = "a step led past an almost singular position to a circuit that the linkage cannot reach"


ADVICE = {
    Status.TOO_MANY: "That is a limit of the method, not of the model: give it a larger max_steps, or a wider "
    "tolerance; where the motion is stiff, lw.Radau() takes longer steps.",
    Status.NOT_FINITE: "Check the model near that time.",
}
ELSE = "Check the model near that time, or choose another step or tolerance."

END, FULL, TOO_MANY, TOO_SMALL, NOT_FINITE, EVENT, NO_NUMBER, REWRITE, ELSEWHERE = range(9)  # the same, for kernels
STATUS = tuple(Status)
