"""Names of what came into a run. Contacts, constraints and equations may share one: a fence is drawn many times."""

from __future__ import annotations

from typing import Any

Ref = tuple[str, int]  # a name, and which of those that have it


class Names:
    """What has come into a run, by name and number: those of one name are numbered as they were first asked about."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], list[Any]] = {}

    def of(self, kind: str, name: str, item: Any) -> Ref:
        """The name and number of something of a kind."""
        same = self._known.setdefault((kind, name), [])
        for number, each in enumerate(same):
            if each is item:
                return name, number
        same.append(item)
        return name, len(same) - 1

    def find(self, kind: str, ref: Ref) -> Any:
        """What has a name and number; none where that is not known."""
        same = self._known.get((kind, ref[0]), [])
        return same[ref[1]] if ref[1] < len(same) else None
