"""The terminal app that presents a deck, and decks as plain text.

`viewer.present.present(path)` shows a deck; `viewer.plain.plain_text(deck)` prints one. They are apart so that printing
does not wait for the app's libraries.
"""
