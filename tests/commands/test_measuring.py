"""The import of the engine is measured once, by a process that is no child of the program that runs."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from npcompile.commands import history, measuring
from npcompile.commands.measuring import ImportTime

WRITES = "import sys, pathlib; pathlib.Path(sys.argv[1], 'import_seconds').write_text('1.5')"


@pytest.fixture(autouse=True)
def room(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two processors, and a program that imports nothing in place of the one that imports the engine."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    monkeypatch.setattr(measuring, "_PROGRAM", WRITES)
    yield


def waited(folder: Path) -> bool:
    end = time.monotonic() + 60
    while not history.is_import_measured(str(folder)) and time.monotonic() < end:
        time.sleep(0.01)
    return history.is_import_measured(str(folder))


def test_it_is_measured_after_some_work(tmp_path: Path) -> None:
    found = ImportTime(str(tmp_path), 0.1)
    first = found.after(0.0)
    assert first == history.import_seconds(str(tmp_path)) / 0.1
    assert found.after(4.9) == first and not list(tmp_path.iterdir())
    assert found.after(5.0) == first
    with pytest.raises(ChildProcessError):  # the program has no child
        os.waitpid(-1, os.WNOHANG)
    assert waited(tmp_path)
    assert found.after(5.1) == 15.0
    assert ImportTime(str(tmp_path), 0.1).after(0.0) == 15.0


def test_it_is_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = []
    monkeypatch.setattr(ImportTime, "_begin", lambda self: begun.append(self))
    unknown = ImportTime(str(tmp_path / "other"), 0.1)
    history.remember_import(str(tmp_path), 2.0)
    known = ImportTime(str(tmp_path), 0.1)
    for work in (0.0, 6.0, 7.0, 8.0):
        assert known.after(work) == 20.0
        unknown.after(work)
    assert begun == [unknown]


def test_it_is_not_measured_where_the_program_would_notice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[int] = []
    before = signal.signal(signal.SIGCHLD, lambda number, _: told.append(number))
    try:
        ImportTime(str(tmp_path), 0.1).after(6.0)
    finally:
        signal.signal(signal.SIGCHLD, before)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    ImportTime(str(tmp_path), 0.1).after(6.0)
    time.sleep(0.2)
    assert not told and not list(tmp_path.iterdir())
