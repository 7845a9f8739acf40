"""Small motions about an operating point, and operating points."""
