"""The server from which a room follows the slides, in browsers."""
