"""A launch from beginning to end: what kernels are given, in which groups their programs run, and what is reported."""
