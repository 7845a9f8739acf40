"""Model files: YAML read by tables into models, and models written back."""
