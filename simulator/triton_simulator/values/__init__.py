"""What a block holds for all programs at once, and how numbers of every format are computed."""
