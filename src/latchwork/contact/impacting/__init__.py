"""Impacting: laws for one contact, impulses of several at once, and the order in which they act."""
