"""Impulses of many contacts over a time step."""
