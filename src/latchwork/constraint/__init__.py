"""Constraints: rows, rank and selection, embedding, projection, multipliers, reactions."""
