"""Runs: modes, events and trajectories."""
