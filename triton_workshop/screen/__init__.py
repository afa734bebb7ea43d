"""What the terminal apps share: colours, boxes, lines of text and code, and what a terminal shows and can show."""
