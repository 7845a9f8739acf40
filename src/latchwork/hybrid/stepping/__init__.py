"""Time stepping where events come too thick: the same rows, velocities and impulses instead of forces and events."""
