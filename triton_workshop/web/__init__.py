"""The deck as a page for browsers: one HTML file that needs no network."""
