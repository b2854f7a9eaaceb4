"""Threads that parse at once: each gets its tree."""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

import pytest

from npcompile.frontend.rewrite import source
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


@pytest.mark.parametrize("enabled", [True, False])
def test_a_tree_that_is_given_up_is_met_by_no_collection(enabled: bool) -> None:
    collections: list[str] = []

    def note(phase: str, _: object) -> None:
        collections.append(phase)

    lines = [f"def f{number}(x):\n    return [x + {number}, x]\n" for number in range(2000)]
    was_enabled = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    gc.callbacks.append(note)
    try:
        file = source._file("<made for a test>", "".join(lines).splitlines(keepends=True))
        assert not collections and len(file.ends) == 2000 and gc.isenabled() is enabled
    finally:
        gc.callbacks.remove(note)
        (gc.enable if was_enabled else gc.disable)()
