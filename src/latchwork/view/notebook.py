"""What a notebook shows: a player inside a cell, which needs neither a kernel nor a network."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from os import PathLike

from latchwork.errors import answering
from latchwork.files import write_text
from latchwork.view.files import writable

HEIGHT = 440  # pixels


@answering
@dataclass(frozen=True, repr=False)
class Player:
    """A motion that plays where it is displayed: a whole page in a frame, so that it is kept with the notebook."""

    name: str
    page: str
    height: int = HEIGHT

    def __repr__(self) -> str:
        return f"<Player of '{self.name}': a notebook shows it; save('motion.html') writes it to a file>"

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:1px solid #8884;border-radius:6px"
        return (f'<iframe srcdoc="{escape(self.page)}" style="{style}" sandbox="allow-scripts" '
                f'title="{escape(self.name)}"></iframe>')  # fmt: skip

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page to a file that plays in any browser."""
        write_text(writable(str(path), ".html"), self.page)
