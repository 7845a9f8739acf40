"""The true signed distance of two shapes: what they are made of, how far apart that is, or how deep in each other."""
