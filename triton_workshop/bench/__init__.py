"""Cost of a kernel: times on a GPU, and counts from the simulator."""
