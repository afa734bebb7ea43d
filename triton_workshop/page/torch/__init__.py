"""Stand-in for PyTorch in a page, over numpy."""
