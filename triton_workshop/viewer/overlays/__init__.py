"""What lies over a slide: lists, search, and the whole output of a block."""
