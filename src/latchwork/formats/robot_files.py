"""Robot files by their kind: URDF or MJCF, as the name or the first element says."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from latchwork.errors import FileError, did_you_mean
from latchwork.formats.mjcf import from_mjcf
from latchwork.formats.robot import Robot
from latchwork.formats.urdf import from_urdf
from latchwork.formats.xml_tree import parse

READERS: dict[str, Callable[..., Robot]] = {"robot": from_urdf, "mujoco": from_mjcf}
TAGS = {".urdf": "robot", ".mjcf": "mujoco"}


def read_robot(text: str, source: str, **options: Any) -> Robot:
    """The robot of a file's text, with the options of its kind."""
    root = TAGS.get(Path(source).suffix.lower()) or parse(text, source).tag
    if root not in READERS:
        raise FileError(f"<{root}> is neither a <robot> (URDF) nor a <mujoco> (MJCF). Give one of these.", source, 1)
    reader = READERS[root]
    known = [name for name, it in inspect.signature(reader).parameters.items() if it.kind is it.KEYWORD_ONLY]
    for name in options:
        if name not in known or name == "folder":
            hint = did_you_mean(name, [key for key in known if key != "folder"])
            raise FileError(f"a robot of this kind has no option '{name}'.{hint}", source)
    if reader is from_mjcf:
        options["folder"] = Path(source).parent
    return reader(text, source, **options)
