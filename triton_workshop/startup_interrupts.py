"""Immediate end of a program if Ctrl+C comes while it is still loading.

This holds from the import of this module until `raise_on_interrupt`. Python would raise an exception in whatever module
is being imported, which may show a traceback, or swallow it, or abort where a library written in C++ imports another.
"""

# Built in: `signal` needs some milliseconds, in which Ctrl+C would show a traceback.
import _signal  # type: ignore[import-not-found]
import sys

_raises = False
"""True if Ctrl+C raised KeyboardInterrupt before.

It does not where `COMMAND &` in a script ignores it.
"""


def exit_on_interrupt() -> None:
    """Let Ctrl+C end this program at once.

    Nothing changes unless it would raise KeyboardInterrupt, which it does in the main thread.
    """
    global _raises
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler and _is_main_thread():
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
        _raises = True


def raise_on_interrupt() -> None:
    """Let Ctrl+C raise KeyboardInterrupt from now on."""
    global _raises
    if _raises and _is_main_thread():
        _signal.signal(_signal.SIGINT, _signal.default_int_handler)
        _raises = False


def _is_main_thread() -> bool:
    threading = sys.modules.get("threading")  # without it there is one thread
    return threading is None or threading.current_thread() is threading.main_thread()


exit_on_interrupt()
