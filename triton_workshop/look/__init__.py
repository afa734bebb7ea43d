"""A look inside a launch: every value of every program, at every line.

- `recording` runs a script in another process, which is `child`, and gets its launches with their steps.
- `timeline` says where one looks in a launch, and what each line has made by then; `verdicts` where a check points.
- `values` draws one value, `coverage` counts who reaches which element, `source` draws the kernel's lines.
- `screen` puts them on a screen, `grid` is its map of programs; `report` prints them as plain text or JSON.
"""
