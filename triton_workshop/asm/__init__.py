"""Compiled kernels: instructions beside the source, and a summary.

`requests` says which script is meant, `launches` and `build` have what it launches compiled, `assembly` reads what the
compiler prints, and `summary` puts it together. What is read is plain data, and needs no compiler.
"""
