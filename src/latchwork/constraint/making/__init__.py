"""Makers of constraints: loops, rolling, guides, couplings, with the force behind every row."""
