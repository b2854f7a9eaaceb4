"""A loop whose library cannot be loaded after it was compiled has a reason, and no function."""

from __future__ import annotations

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
