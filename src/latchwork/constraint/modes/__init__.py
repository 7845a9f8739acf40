"""Modes: constraints embedded by recombination, in machine code, as data."""
