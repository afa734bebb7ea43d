"""What kernels cost: what the simulator counts, and what the compiler makes."""
