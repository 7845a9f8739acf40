"""Reactions of constraints and joints."""
