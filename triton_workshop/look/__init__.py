"""A look inside a launch: every value of every program, at every line, in a terminal or as text.

- `recording` runs a script in another process, which `child` is, and gets its launches with their steps.
- `timeline` says where one is in a launch, and what each line has made by then.
- `values` draws one value, and `source` the kernel's lines with what they made.
- `screen` puts them on a screen with keys; `report` prints them as plain text or JSON.
"""
