"""The table in the documentation is that of the code: which shapes meet, how, and which are refused."""

from __future__ import annotations

from pathlib import Path

from shape_table import tables

PAGE = Path(__file__).resolve().parents[2] / "docs" / "contact.md"


def test_the_page_has_the_tables():
    """`python tests/shape_table.py` prints them; each stands behind its name."""
    page = PAGE.read_text(encoding="utf-8")
    for name, text in tables().items():
        assert f"{name}:\n\n{text}\n" in page
