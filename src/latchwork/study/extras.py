"""Libraries that studies use where they are there, imported when asked for."""

from __future__ import annotations

import importlib
from typing import Any

from latchwork.errors import StudyError


def extra(module: str, name: str) -> Any:
    """A module of an extra; how to get it, where it is not there."""
    try:
        return importlib.import_module(module)
    except ImportError:
        package = module.partition(".")[0]
        raise StudyError(f"this needs {package}, which is not installed. Get it with: pip install "
                         f"latchwork[{name}]") from None  # fmt: skip
