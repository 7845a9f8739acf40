"""Narrow phase: two shapes to features, each with gap, normal, material points and domain."""
