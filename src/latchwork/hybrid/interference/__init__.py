"""The watch on interference: whatever its guards saw, a run never goes on with shapes that lie in each other."""
