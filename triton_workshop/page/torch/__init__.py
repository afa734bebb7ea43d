"""Stands in for PyTorch, on the CPU and over numpy: `install` lists its names, `absent` speaks of all others."""
