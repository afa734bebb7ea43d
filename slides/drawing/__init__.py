"""The deck's diagrams: `canvas` is the brush, every other module one group of pictures."""
