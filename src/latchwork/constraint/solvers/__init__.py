"""Designs I and II: null spaces, Aghili's operator, multipliers; and reference integrators."""
