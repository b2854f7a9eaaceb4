"""Jobs of loops end with a function or a reason, tell those that wait once, and forget them."""

from __future__ import annotations

import gc
import time
import weakref
from typing import Any

import pytest

from npcompile.lower.loops.codegen.emitter import ENTRY
from npcompile.lower.loops.service.compiler import submit
from npcompile.lower.store import cache


def test_a_library_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: Any) -> None:
        return None

    monkeypatch.setattr(cache, "load", gone)
    job = submit(f"{ENTRY} {{ return words[0]; }}\n", "a test")
    assert job.wait()
    assert job.function is None
    assert job.error is not None and "no longer on disk" in str(job.error)


class Waiting:
    """It is told that a loop is compiled."""

    def __init__(self) -> None:
        self.told = 0

    def tell(self) -> None:
        self.told += 1


def test_those_that_wait_are_told_once_and_forgotten() -> None:
    job = submit(f"{ENTRY} {{ return words[1]; }}\n", "a test")
    first, second = Waiting(), Waiting()
    job.tell(first.tell)
    assert job.wait()
    job.tell(second.tell)
    end = time.monotonic() + 60
    while not first.told and time.monotonic() < end:
        time.sleep(0.001)
    assert (first.told, second.told) == (1, 1)
    forgotten = [weakref.ref(first), weakref.ref(second)]
    del first, second
    gc.collect()
    assert [one() for one in forgotten] == [None, None]
