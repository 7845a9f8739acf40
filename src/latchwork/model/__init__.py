"""Model: what the analyst writes into."""

from latchwork.model.model import Model
from latchwork.model.naming import NAME, RESERVED

__all__ = ["NAME", "RESERVED", "Model"]
