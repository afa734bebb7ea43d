"""What a script is and does: its text, and its calls on the simulator, which run in a separate process."""
