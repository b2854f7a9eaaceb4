"""The logger "npcompile" tells of compilations and fallbacks at INFO, of further recordings at DEBUG.

Calls that are answered by replays log nothing. `not_compiled.py` warns of what a user should act upon, and
INFO repeats it for log files alone. A terminal shows waits of more than two seconds as they last.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import threading
import time
from collections.abc import Iterator

from npcompile.diagnostics.reason import Cause, Place, Reason

LOGGER = logging.getLogger("npcompile")
LOGGER.addHandler(logging.NullHandler())  # nothing is shown unless the program asks for it

# Seconds of a wait without a progress line, and between its updates.
QUIET, EVERY = 2.0, 0.25
_ERASE = "\r\x1b[K"


def function_at(name: str, file: str, line: int | None) -> str:
    """Return the name of a function with its file and line, as far as it has them."""
    return f"{name} ({file}:{line})" if file and line else name


def compilation_began(wanted_by: str) -> None:
    """Log that something is being compiled for a function, which is given with its file and line."""
    LOGGER.info("%s: compilation begins", wanted_by)


def compilation_ended(wanted_by: str, seconds: float, error: Reason | None) -> None:
    """Log how a compilation ended, and the seconds that it took."""
    if error is None:
        LOGGER.info("%s: compiled in %.2f s", wanted_by, seconds)
    elif error.code is Cause.PROCESS_ENDS:  # nothing has failed
        LOGGER.info("%s: %s", wanted_by, error)
    else:
        LOGGER.info("%s: not compiled after %.2f s: %s", wanted_by, seconds, error)


def fell_back(name: str, reason: Reason) -> None:
    """Log why a function, or a part of it, is left to Python."""
    LOGGER.info("%s: left to Python: %s", name, reason.located)


def explains_recordings() -> bool:
    """Tell if somebody listens to the causes of further recordings."""
    return LOGGER.isEnabledFor(logging.DEBUG)


def recorded_again(name: str, place: Place | None, cause: object) -> None:
    """Log why a function was recorded again."""
    LOGGER.debug("%s: recorded again: %s", name if place is None else f"{name} ({place})", cause)


@contextlib.contextmanager
def waiting(name: str) -> Iterator[None]:
    """Show on a terminal which function is compiled, from two seconds on, and erase the line at the end."""
    if not _is_terminal():
        yield
        return
    ended = threading.Event()
    thread = threading.Thread(target=_show, args=(name, ended), name="npcompile-progress", daemon=True)
    try:
        thread.start()
    except RuntimeError:  # the system has no more threads: the wait goes on without a line
        yield
        return
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _is_terminal() -> bool:
    try:
        return sys.stderr.isatty()
    except (AttributeError, ValueError):  # there is none, or it is closed
        return False


def _show(name: str, ended: threading.Event) -> None:
    began, stream = time.monotonic(), sys.stderr
    if ended.wait(QUIET):
        return
    with contextlib.suppress(OSError, ValueError):  # the terminal is gone
        while True:
            stream.write(f"{_ERASE}npcompile: compiling {name}, {time.monotonic() - began:.0f} s")
            stream.flush()
            if ended.wait(EVERY):
                break
        stream.write(_ERASE)
        stream.flush()
