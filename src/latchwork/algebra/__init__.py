"""Dense algebra of small systems as kernels: the same bits on every machine, which BLAS and LAPACK do not promise."""
