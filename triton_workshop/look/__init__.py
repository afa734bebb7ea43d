"""A look inside a launch: every value of every program, at every line.

- `recording` is what a script launched, with its steps: `child` makes it, in another process if `recorder` asks for it;
  `unfinished` has what runs of a script with open TODOs.
- `timeline` says where one looks in a launch, and what each line has made by then; `verdicts` where a check points.
- `pictures` makes pictures of a value, `coverage` counts who reaches which element, `notices` says what went wrong.
- `values` draws one value in a terminal, and `source` the kernel's lines, with the arguments of `parameters`.
- `screen` puts them on a screen, `grid` is its map of programs; `report` prints them as plain text or JSON. In a page,
  `page.inside.looking` shows the same.
"""
