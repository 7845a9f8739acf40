"""What holds for all tests: the same examples every time, new ones in a campaign; tests of the page come first."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator

import pytest
from hypothesis import settings

import campaign

# Some hundred processes of the tests import the package: what one has compiled is kept for the others.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

settings.register_profile("suite", deadline=None, derandomize=True, max_examples=60)
settings.register_profile("campaign", deadline=None, max_examples=5_000)
settings.load_profile("suite")


def pytest_configure(config: pytest.Config) -> None:
    """Seeds of a campaign are there unless they are to be left out, as they are by default."""
    campaign.asked = config.getoption("markexpr") != "not campaign"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """What is collected lives to the end: the garbage collector does not go through it, and seldom through the rest."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()
        gc.set_threshold(10_000, 20, 20)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One worker takes the tests of the page, with one browser and one set of loops; the last is not kept waiting."""
    items.sort(key=lambda item: item.path.name != "test_page.py")
