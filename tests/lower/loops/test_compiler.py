"""Jobs of the loop compiler: libraries that cannot be loaded, and sources compiled by other flags."""

from __future__ import annotations

from typing import Any

import pytest

from npcompile.lower.loops.codegen.emitter import ENTRY
from npcompile.lower.loops.service.compiler import compilations, submit
from npcompile.lower.store import cache


def test_a_library_that_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    def gone(*_: Any) -> None:
        return None

    monkeypatch.setattr(cache, "load", gone)
    job = submit(f"{ENTRY} {{ return words[0]; }}\n", "a test")
    assert job.wait(60)
    assert job.function is None
    assert job.error is not None and "no longer on disk" in str(job.error)


def test_a_source_is_compiled_anew_by_other_flags(monkeypatch: pytest.MonkeyPatch) -> None:
    source = f"{ENTRY} {{ return words[0] + 7; }}\n"
    before, jobs = compilations(), []
    for optimized in ("0", "1", "0"):
        monkeypatch.setenv("NPCOMPILE_OPTIMIZE_LOOPS", optimized)
        jobs.append(submit(source, "a test"))
        assert jobs[-1].wait(60)
    assert compilations() == before + 2
    assert jobs[0] is jobs[2] is not jobs[1]
