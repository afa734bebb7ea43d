"""Ends a command at once if Ctrl+C comes while it is still loading: from the import of this until `loaded`.

Python would raise an exception in whatever module is being imported, which may show a traceback, or swallow it.
"""

# Built in: `signal` needs some milliseconds, in which Ctrl+C would show a traceback.
import _signal  # type: ignore[import-not-found]

_raises = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler  # `COMMAND &` in a script ignores it
if _raises:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)


def loaded() -> None:
    """Let Ctrl+C raise KeyboardInterrupt from now on."""
    if _raises:
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
