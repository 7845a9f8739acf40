"""The pages load nothing from a network: every built page and style sheet is searched, and a find is a warning."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.util import logging

logger = logging.getLogger(__name__)

ELSEWHERE = r"""\s*["']?(?:https?:)?//[^"')>\s]+"""
LOADS = {
    ".html": re.compile(r"<(?:script|img|iframe|source|embed|link)\b[^>]*?\b(?:src|href)=" + ELSEWHERE),
    ".css": re.compile(r"(?:@import|url\()" + ELSEWHERE),
}


def search(app: Sphinx, exception: Exception | None) -> None:
    for path in sorted(Path(app.outdir).rglob("*")) if exception is None else []:
        pattern = LOADS.get(path.suffix)
        for load in pattern.finditer(path.read_text(encoding="utf-8")) if pattern else []:
            logger.warning("%s loads from a network: %s", path.name, load.group())


def setup(app: Sphinx) -> dict[str, bool]:
    app.connect("build-finished", search)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
