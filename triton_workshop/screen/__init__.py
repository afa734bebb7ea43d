"""Parts of the terminal apps: colours, boxes, lines and printed output."""
