"""Broad phase: what holds a shape, and how far apart two of these are."""
