"""The blocks of a slide that run: what they print, and the editor over their code."""
