"""What a script is and does: its text, and its calls on the simulator, in a process of their own."""
