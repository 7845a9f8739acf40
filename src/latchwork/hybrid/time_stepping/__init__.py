"""Time stepping through events that come too thick."""
