"""Reactions: what every constraint and joint exerts."""
