"""The sources that write machine code, as a short name: while they are unchanged, so is the code they write.

A kernel is translated in some 15 ms; its sources are read and digested in one. So what is in the cache is found by the
name of its sources, and translated only where it is not.
"""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

HERE = Path(__file__).parent


@cache
def digest(folder: Path = HERE) -> str:
    """SHA-256 of every source below a folder; sources that cannot be read get a name that no other process finds."""
    found = hashlib.sha256()
    files = sorted(folder.rglob("*.py"))
    for file in files:
        found.update(f"{file.relative_to(folder)}\0".encode() + file.read_bytes() + b"\0")
    return found.hexdigest() if files else os.urandom(32).hex()
