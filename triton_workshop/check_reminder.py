"""Reminder for a learner who deleted the check of an exercise.

The script would otherwise end silently. The reminder has the lines to put back.
"""

from __future__ import annotations

import ast
import atexit
import sys
from pathlib import Path

from triton_workshop.repository import ROOT

_FOLDERS = ("exercises", "solutions", "solutions/fast")
_CHECK = """\
if __name__ == "__main__":  # the check: keep it
    from triton_workshop.checking import check_this_script

    check_this_script(exercise="{number}")
"""


def register_reminder() -> bool:
    """Return True if the running script is one of our exercises or solutions.

    If it is never checked, it prints a reminder when it ends.
    """
    script = getattr(sys.modules.get("__main__"), "__file__", None)
    if script is None:
        return False
    file = Path(script).resolve()  # now, as the script may change the current folder
    number = _exercise_of(file)
    if number is not None:
        cancel_reminder()  # a script imports several names, and each one calls this
        atexit.register(_print_reminder, file, number)
    return number is not None


def cancel_reminder() -> None:
    """Cancel the reminder, as the script is being checked."""
    atexit.unregister(_print_reminder)


def _exercise_of(file: Path) -> str | None:
    """Return the number of the exercise that a file is for.

    Return None for a file that is no exercise of this repository.
    """
    folders = [ROOT / folder for folder in _FOLDERS]
    if file.parent not in folders or not file.name.startswith("exercise_"):
        return None
    has_solution = (ROOT / "solutions" / file.name).is_file()
    return file.stem.removeprefix("exercise_") if has_solution else None


def _print_reminder(file: Path, number: str) -> None:
    """Print the reminder on standard error.

    An exit handler cannot change the exit status.
    """
    # A traceback or a prompt (`python -i`) on the screen already says why there was no check.
    if getattr(sys, "last_value", None) is not None or hasattr(sys, "ps1"):
        return
    try:
        blocks = _main_blocks(ast.parse(file.read_bytes()))
    except (OSError, SyntaxError, ValueError):
        return
    if any(map(_calls_the_check, blocks)):  # something has ended the script before it
        return
    message = (
        f"{file.name} was not checked: the check at its end is gone. Put it back:\n\n{_CHECK.format(number=number)}"
    )
    if blocks:
        message += '\nAnything else under `if __name__ == "__main__":` can stay, above it.\n'
    print(message, file=sys.stderr, end="")


def _main_blocks(tree: ast.Module) -> list[ast.If]:
    guard = ast.dump(ast.parse('__name__ == "__main__"', mode="eval").body)
    return [node for node in tree.body if isinstance(node, ast.If) and ast.dump(node.test) == guard]


def _calls_the_check(block: ast.If) -> bool:
    calls = (ast.unparse(node.func) for node in ast.walk(block) if isinstance(node, ast.Call))
    return any(function.endswith("check_this_script") for function in calls)
