"""Who is in the room: who has joined, how far everyone is, and who asked for help."""
