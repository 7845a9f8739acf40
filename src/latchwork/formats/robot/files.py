"""Robot files by their kind: URDF or MJCF, as the name or the first element says."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

from latchwork.errors import FileError, did_you_mean
from latchwork.formats.robot.robot import Robot
from latchwork.formats.robot.xml_tree import parse

TAGS = {".urdf": "robot", ".mjcf": "mujoco"}


def read_robot(text: str, source: str, **options: Any) -> Robot:
    """The robot of a file's text, with the options of its kind."""
    root = TAGS.get(Path(source).suffix.lower()) or parse(text, source).tag
    reader = _reader(root)
    if reader is None:
        raise FileError(f"<{root}> is neither a <robot> (URDF) nor a <mujoco> (MJCF). Give one of these.", source, 1)
    known = [name for name, it in inspect.signature(reader).parameters.items() if it.kind is it.KEYWORD_ONLY]
    for name in options:
        if name not in known or name == "folder":
            hint = did_you_mean(name, [key for key in known if key != "folder"])
            raise FileError(f"a robot of this kind has no option '{name}'.{hint}", source)
    if "folder" in known:
        options["folder"] = Path(source).parent
    return reader(text, source, **options)


def _reader(root: str) -> Callable[..., Robot] | None:
    """What reads files with this first element; only that is imported."""
    if root == "robot":
        from latchwork.formats.robot.urdf import from_urdf

        return from_urdf
    if root == "mujoco":
        from latchwork.formats.robot.mjcf import from_mjcf

        return from_mjcf
    return None
