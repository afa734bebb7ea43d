"""Pictures inside a slide, in whichever way the terminal can show them."""
