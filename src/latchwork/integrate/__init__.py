"""Integration of ẋ = f(t, x): methods as data, steps as machine code, solutions that can be asked between samples."""
