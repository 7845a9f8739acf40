"""Files that pictures are written to."""

from __future__ import annotations

import os
from pathlib import Path

from latchwork.errors import FileError, must_be


def writable(path: str | Path, *endings: str) -> Path:
    """The path, if it can be written to: its folder is there, and its name ends as it should."""
    must_be(path, (str, os.PathLike), "where to write to", "Give the name of a file.")
    path = Path(path)
    if not path.name:
        raise FileError(f"'{path}' names no file to write to. Give the name of a file.")
    if endings and path.suffix.lower() not in endings:
        raise FileError(f"'{path}' does not end in {' or '.join(endings)}, the only kind that is written. Name it so.")
    if not path.parent.is_dir():
        raise FileError(f"there is no folder '{path.parent}' to write '{path.name}' to. Make it first.")
    return path
