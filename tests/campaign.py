"""Seeds for laws on random systems: some in every run, many more in a campaign."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pytest

asked = False  # said by conftest.py: thousands of cases that are only left out again take seconds to collect


def seeds(suite: Iterable[Any], campaign: Iterable[Any]) -> Sequence[Any]:
    """Those of every run, and, where a campaign is asked for, its own, which carry its mark."""
    always = list(suite)
    more = [seed for seed in campaign if seed not in always] if asked else []
    return [*always, *(pytest.param(seed, marks=pytest.mark.campaign) for seed in more)]


def rows(suite: Iterable[tuple[Any, ...]], campaign: Iterable[tuple[Any, ...]]) -> Sequence[Any]:
    """The same for tests of several arguments, a tuple of them for each case."""
    always = list(suite)
    more = [row for row in campaign if row not in always] if asked else []
    return [*always, *(pytest.param(*row, marks=pytest.mark.campaign) for row in more)]
