"""Command `workshop`.

Each subcommand makes one call into a layer below, imported when it is needed.
"""

from __future__ import annotations

from triton_workshop.startup_interrupts import raise_on_interrupt  # before all that takes time

# isort: split
import sys

import typer

from triton_workshop.cli import exercises, kernels, machines, room, slides
from triton_workshop.errors import SHOWN_WITHOUT_TRACEBACK, flushed_output, print_error
from triton_workshop.interruption import INTERRUPTED

app = typer.Typer(
    help="Learn GPU programming with Triton in three hours.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for commands in (slides, exercises, kernels, room, machines):
    app.add_typer(commands.app)


@app.callback()
def workshop() -> None:
    """Learn GPU programming with Triton in three hours.

    Slides run their code, and exercises check themselves.
    """


def main() -> None:
    """Run `workshop`.

    Typer puts a hook of its own in the place of ours, so errors are caught here.
    """
    try:
        with flushed_output():
            app(slides.with_share_value(sys.argv[1:]))
    except KeyboardInterrupt:  # while Typer builds the commands: later, it says so itself
        sys.exit(INTERRUPTED)
    except RuntimeError as error:
        # As Python 3.11 wraps it where a command's own imports make a class.
        if not isinstance(error.__cause__, KeyboardInterrupt):
            raise
        sys.exit(INTERRUPTED)
    except SHOWN_WITHOUT_TRACEBACK as error:
        print_error(error)
    except OSError as error:  # a full disk, or a folder that nobody may write to
        texts = (error.filename, error.strerror or error)
        print_error(": ".join(str(text) for text in texts if text is not None))
    sys.exit(1)


raise_on_interrupt()
