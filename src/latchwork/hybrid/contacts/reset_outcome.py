"""ResetOutcome: why the reset of the hybrid automaton came back, one enumeration for all kernels it consists of."""

from __future__ import annotations

from enum import IntEnum


class ResetOutcome(IntEnum):
    """DONE where all is decided; what is needed, noted or wrong elsewhere. A step of the reset that is DONE goes on."""

    DONE = 0
    NOT_FINITE = 1  # the gap of a contact
    SKEW = 2  # tangents of a contact have to be made from another axis
    NO_ROOM = 3  # more contacts are near than there is room for
    CAREFUL = 4  # P and u̇₀ have to be given
    NOT_READY = 5  # the rows of a contact have to be compiled
    NOTED = 6  # an impact has something to tell
    UNLAWFUL = 7  # a coefficient of a contact is out of bounds
    BLOCKED = 8  # an impact could not be resolved
    JAMMED = 9  # and one without collision neither
    UNSETTLED = 10  # no states of contacts obey the laws
    PULLED = 11  # an enforced contact is pulled
    UNDECIDED = 12  # enforced contacts neither stick nor slide
    NO_REST = 13  # impact follows impact
    TURNED = 14  # the support triangle of a rim has turned, and contacts are to be decided there
