"""Embedded modes: rows, recombination, projection, friction rows and redundant forces, as kernels."""
