"""Who has joined the room, how far everyone is, and who asks for help."""
