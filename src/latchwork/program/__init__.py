"""Straight-line programs: their form, their meaning, and the machine code that runs them."""
