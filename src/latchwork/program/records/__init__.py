"""Records of the kernel language: named fields over 8-byte words, the same in Python, LLVM and C."""
