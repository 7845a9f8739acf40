"""Contacts of a run: which are closed, slide or stick, what watches them, and what happens where that changes."""
