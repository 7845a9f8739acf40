"""Robots from URDF and MJCF: files read into numbers, numbers built into models."""
