"""Small motions about an operating point."""
