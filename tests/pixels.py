"""Colours of pixels, for tests."""

from __future__ import annotations

import numpy as np

DARKEST, SHINE = 0.3, 0.25


def off(pixels: np.ndarray, color: str) -> np.ndarray:
    """How far pixels (..., 3) are from a colour as light shades it: base · b + shine, b from 0.3 on, shine to 0.25."""
    base = np.array([int(color[k : k + 2], 16) for k in (1, 3, 5)], dtype=float)
    tried = [b * base + 255.0 * s for b in np.linspace(DARKEST, 1.15, 60) for s in np.linspace(0.0, SHINE, 12)]
    seen = np.asarray(pixels, dtype=float)
    return np.min([np.abs(seen - np.minimum(each, 255.0)).max(axis=-1) for each in tried], axis=0)
