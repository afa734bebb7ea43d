"""The terminal app that presents a deck, and the deck as plain text for where there is no terminal.

`viewer.present.present(path)` shows a deck; `viewer.plain.plain_text(deck)` prints one. They are apart so that printing
does not wait for the app's libraries.
"""
