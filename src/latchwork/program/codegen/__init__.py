"""The compiler of the kernel language: syntax trees in, LLVM's text out."""
