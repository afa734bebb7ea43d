"""Attendees of a room: their names, progress and calls for help."""
