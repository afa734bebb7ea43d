"""The terminal app that checks an exercise at every save of its file."""
