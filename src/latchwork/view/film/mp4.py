"""Pictures one after the other as an MP4, by ffmpeg."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from latchwork.errors import EvaluationError
from latchwork.files import written

Array = np.ndarray
EVEN = "pad=ceil(iw/2)*2:ceil(ih/2)*2"  # most players want even sides
OUT = ("-vf", EVEN, "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-fflags", "+bitexact", "-flags:v", "+bitexact")


def found_ffmpeg(path: str | Path) -> str:
    """Where ffmpeg is; refused where it is not."""
    found = shutil.which("ffmpeg")
    if found is None:
        raise EvaluationError(
            f"'{path}' needs ffmpeg, and no program of that name is on the path. Install it (https://ffmpeg.org), or "
            "write a .gif or an .html, which need nothing else."
        )
    return found


def write_mp4(path: Path, frames: Iterable[Array], size: tuple[int, int], fps: float) -> None:
    """Hand pictures, each (high, wide, 3), to ffmpeg, one at a time."""
    wide, high = size
    raw = ("-f", "rawvideo", "-pix_fmt", "rgb24", "-s", f"{wide}x{high}", "-r", f"{fps:.10g}", "-i", "-")
    asked = [found_ffmpeg(path), "-y", "-loglevel", "error", *raw, *OUT]
    with written(path) as beside:
        said = _encoded([*asked, f"file:{beside}"], frames)
        if said is not None:
            raise EvaluationError(f"ffmpeg could not write '{path}': {said.replace(str(beside), str(path))}. Try a "
                                  "newer ffmpeg, or write a .gif.")  # fmt: skip


def _encoded(asked: Sequence[str], frames: Iterable[Array]) -> str | None:
    """Hand it the pictures; what it said, where it failed."""
    with subprocess.Popen(asked, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stderr is not None
        try:
            for rows in frames:
                process.stdin.write(rows.tobytes())
            process.stdin.close()
        except BrokenPipeError:  # it gave up, and says why
            pass
        said = process.stderr.read().decode(errors="replace").strip()
    return (said or f"it ended with {process.returncode}") if process.returncode else None
