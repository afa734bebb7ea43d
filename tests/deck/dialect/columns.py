"""Columns."""

from .case import Cases, refuses, shows

TWO = "<!-- column_layout: [1, 1] -->\n"
FIRST, SECOND, RESET = "<!-- column: 0 -->\n", "<!-- column: 1 -->\n", "<!-- reset_layout -->\n"

COLUMNS: Cases = {
    "column_layout": [
        shows("columns stand side by side", TWO + FIRST + "a\n\n" + SECOND + "b\n", "a b"),
        shows("of any relative widths", "<!-- column_layout: [255, 1, 3] -->\n" + FIRST + "a\n", "a"),
        shows("a new layout starts below", TWO + FIRST + "a\n\n" + TWO + SECOND + "b\n", "a b"),
        shows("pauses may stand before the first column", TWO + "<!-- pause -->\n" + FIRST + "a\n", ["", "a"]),
        shows("notes may, too", TWO + "<!-- speaker_note: x -->\n<!-- // x -->\n" + FIRST + "a\n", "a"),
        shows("nothing in it is no error", TWO, ""),
        refuses("no columns", "<!-- column_layout: [] -->\n", 1, "at least one column"),
        refuses("a column of no width", "<!-- column_layout: [1, 0] -->\n", 1, "from 1 to 255"),
        refuses("a column of width 256", "<!-- column_layout: [256] -->\n", 1, "from 1 to 255"),
        refuses("a number for a list", "<!-- column_layout: 2 -->\n", 1, "expected a list"),
        refuses("it needs a list", "<!-- column_layout -->\n", 1, "'column_layout' needs a value"),
        refuses("text in no column", TWO + "<!-- pause -->\n\ntext\n", 4, "put 'column: 0' after line 1"),
        refuses("an empty line in no column", TWO + "<!-- new_line -->\n", 2, "outside any column"),
        refuses("a title in no column", TWO + "\ntitle\n===\n", 3, "outside any column"),
    ],
    "column": [
        shows("going back goes on where it stopped",
              TWO + FIRST + "a\n\n" + SECOND + "b\n\n" + FIRST + "c\n\n" + RESET + "d\n", "a b c d"),
        shows("each may have pauses",
              TWO + FIRST + "a\n<!-- pause -->\n" + SECOND + "c\n<!-- pause -->\n" + FIRST + "b\n\n" + RESET + "d\n",
              ["a", "a c", "a c b d"]),
        shows("the last may be filled first", TWO + SECOND + "b\n\n" + FIRST + "a\n", "a b"),
        shows("lists in it come one by one", TWO + "<!-- incremental_lists: true -->\n" + FIRST + "* a\n", ["", "• a"]),
        refuses("without a layout", FIRST, 1, "needs a 'column_layout'"),
        refuses("one too many", TWO + "<!-- column: 2 -->\n", 2, "the layout has 2"),
        refuses("the same again", TWO + FIRST + "a\n" + FIRST, 4, "already in column 0"),
        refuses("after the layout", TWO + FIRST + RESET + SECOND, 4, "needs a 'column_layout'"),
        refuses("on the next slide", TWO + FIRST + "<!-- end_slide -->\n" + FIRST, 4, "needs a 'column_layout'"),
        refuses("it needs a number", TWO + "<!-- column -->\n", 2, "'column' needs a value"),
        refuses("less than none", TWO + "<!-- column: -1 -->\n", 2, "expected a whole number"),
        refuses("a quoted number", TWO + "<!-- column: '0' -->\n", 2, "expected a whole number"),
    ],
    "reset_layout": [
        shows("what follows has the whole width", TWO + FIRST + "a\n\n" + RESET + "b\n", "a b"),
        shows("without a layout it does nothing", RESET + "a\n", "a"),
        shows("a layout without a column", TWO + RESET, "", warning=(2, "0.16.1 refuses"),
              unlike="0.16.1 asks for a column there, which its documentation does not"),
        refuses("it takes no value", "<!-- reset_layout: 1 -->\n", 1, "'reset_layout' takes no value"),
    ],
}  # fmt: skip
