"""Shapes that another process describes."""
