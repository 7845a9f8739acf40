"""Elementary functions in the kernel language: one for every executor, the same bits on every machine."""
