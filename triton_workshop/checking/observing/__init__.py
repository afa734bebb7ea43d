"""Text of a script, and its calls on the simulator, in a process apart."""
