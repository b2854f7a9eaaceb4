"""Threads that parse at once: each gets its tree."""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

from npcompile.lower.codegen.parsing import parse

TEXT = "def f(x):\n" + "".join(f"    y{i} = (x[{i}] + {i}) * (x[{i}] - {i})\n" for i in range(60))


def test_a_collection_lets_another_thread_in() -> None:
    errors: list[BaseException] = []

    def work() -> None:
        for _ in range(20):
            try:
                parse(TEXT)
            except BaseException as error:
                errors.append(error)

    def collecting(phase: str, info: dict[str, Any]) -> None:
        time.sleep(1e-5)

    threshold = gc.get_threshold()
    gc.callbacks.append(collecting)
    gc.set_threshold(20)
    try:
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        gc.set_threshold(*threshold)
        gc.callbacks.remove(collecting)
    assert errors == []
