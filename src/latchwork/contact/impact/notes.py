"""Notes of an impact: kernels write codes, Python makes sentences of them."""

from __future__ import annotations

from collections.abc import Sequence

from latchwork.contact.impact.problem import GROUPS, ImpactLaw, ImpactNote, ImpactProblem, NoteCode
from latchwork.program.kernel import f64, i64, kernel


@kernel
def add_note(problem: ImpactProblem, code: i64, contact: i64, law: i64, value: f64) -> None:
    """Of notes that differ only in a number, the first."""
    for i in range(problem.notes):
        known = problem.note[i]
        if known.code == code and known.contact == contact and known.law == law:
            return
    made = problem.note[problem.notes]
    made.code, made.contact, made.law, made.value = code, contact, law, value
    problem.notes += 1


@kernel
def group_noted(problem: ImpactProblem) -> i64:
    """Which one of ``note_groups`` the ``members`` are; −1 where there is no room for more."""
    k, marked = problem.contacts, problem.joined
    for i in range(k):
        marked[i] = 0
    for c in range(problem.members):
        marked[problem.member[c]] = 1
    for g in range(problem.groups):
        same = True
        for i in range(k):
            if problem.note_groups[g * k + i] != marked[i]:
                same = False
        if same:
            return g
    if problem.groups == GROUPS:
        return -1
    for i in range(k):
        problem.note_groups[problem.groups * k + i] = marked[i]
    problem.groups += 1
    return problem.groups - 1


@kernel
def note_group(problem: ImpactProblem, code: i64, law: i64, value: f64) -> None:
    """A note of the ``members``; of more groups than there is room for, none."""
    group = group_noted(problem)
    if group >= 0:
        add_note(problem, code, group, law, value)


def sentence(made: ImpactNote, problem: ImpactProblem, names: Sequence[str]) -> str:
    """A note in words."""
    code, law = NoteCode(made.code), ImpactLaw(made.law).name.capitalize()
    k = problem.contacts
    if code is NoteCode.UNENDING:
        left = f"{made.value:.3g} m/s"
        return f"a sequence of impacts did not end: the rest of it ({left}) was taken up at once with e = 0"
    if code is NoteCode.TURNS:
        return (f"friction that resists turns is lawful, but not that of the least energy: velocities at the contacts "
                f"still changed by {made.value:.3g} when its sweeps ended")  # fmt: skip
    if code in (NoteCode.GAINS, NoteCode.NO_SLIP, NoteCode.WEDGED):
        named = f"'{names[made.contact]}'"
    else:
        among = problem.note_groups[made.contact * k : made.contact * k + k]
        named = ", ".join(repr(name) for name, is_one in zip(names, among, strict=True) if is_one)
    return {
        NoteCode.GAINS: f"{law}'s law with friction would have gained {made.value:.3g} J at {named}: "
                        "the energetic law acted instead",
        NoteCode.NO_SLIP: f"{law}'s law with friction finds no consistent slip at {named}: "
                          "the energetic law acted instead",
        NoteCode.WEDGED: f"friction would hold {named} wedged while it approaches: it acted without friction",
        NoteCode.GAINS_AT_ONCE: f"{law}'s law at once would have gained {made.value:.3g} J at {named}: "
                                "impulses in proportion to those of compression acted instead",
        NoteCode.NO_SLIP_AT_ONCE: f"{law}'s law at once finds no impulses with friction at {named}: "
                                  "impulses in proportion to those of compression acted instead",
        NoteCode.SMOOTH_AT_ONCE: f"no impulses with friction were found for {named} at once: "
                                 "they acted without friction",
    }[code]  # fmt: skip
