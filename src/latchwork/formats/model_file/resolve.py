"""The order in which the entries of a file can be made: each after what it mentions, otherwise as the file has them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from latchwork.errors import FileError
from latchwork.formats.places import Text, shown


@dataclass(eq=False)
class Task:
    """One entry: its name and place, what makes it, and the entries that must be made before."""

    name: Text
    make: Callable[[], object]
    needs: list[Task] = field(default_factory=list)

    def run(self) -> None:
        """Make it; whatever the model refuses is an error of this entry."""
        with self.name.place.blamed():
            self.make()


def in_order(sections: Iterable[Iterable[Task]]) -> list[Task]:
    """Each section in its own order while what comes next has what it needs; where none has, what it needs first."""
    done: dict[Task, None] = {}
    waiting = [deque(section) for section in sections]
    while any(waiting):
        before = len(done)
        for queue in waiting:
            while queue and all(need in done for need in queue[0].needs):
                done.setdefault(queue.popleft())
        if len(done) == before and any(waiting):
            _with_needs(next(queue[0] for queue in waiting if queue), done)
    return list(done)


def _with_needs(root: Task, done: dict[Task, None]) -> None:
    """A task after all that it needs, depth first, without recursion."""
    path: dict[Task, Iterator[Task]] = {root: iter(root.needs)}
    while path:
        task, rest = next(reversed(path.items()))
        following = next((need for need in rest if need not in done), None)
        if following is None:
            done.setdefault(task)
            del path[task]
        elif following in path:
            raise _circle([*path], following)
        else:
            path[following] = iter(following.needs)


def _circle(path: list[Task], start: Task) -> FileError:
    names = [shown(task.name.value) for task in (*path[path.index(start) :], start)]
    if len(names) > 8:
        names = [*names[:4], "...", *names[-3:]]
    return start.name.place.error(
        f"'{names[0]}' depends on itself: {' needs '.join(names)}. Break the circle: an entry may only use entries "
        "that do not need it."
    )
