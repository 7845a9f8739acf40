"""Where a mode is laid out in machine code: what it is made of, its equations, its guards, and its integration."""
