"""Server of a room, which follows the slides in its browsers."""
