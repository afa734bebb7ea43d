"""What kernels cost: counts by the simulator, and figures by the compiler."""
