"""Draws slides: frozen state in, lines and places of pictures out."""
