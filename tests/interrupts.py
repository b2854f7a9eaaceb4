"""Interrupts the main thread, as Ctrl-C does, once the process has worked for some time.

A busy machine makes no difference: the time of other processes does not count.
"""

from __future__ import annotations

import _thread
import signal
import threading
import time


def interrupt_main(after: float) -> threading.Thread:
    """Begin to wait until the process has worked for so many seconds more, to interrupt the main thread."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
    end = time.process_time() + after

    def wait() -> None:
        while time.process_time() < end:
            time.sleep(after / 10)
        _thread.interrupt_main()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread
