"""Closest points of curves and surfaces: search, Newton's method, parameters as states."""
