"""Lists of warnings that users keep hold none of ours: those are told when the list is no longer kept."""

from __future__ import annotations

import logging
import subprocess
import sys
import unittest
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.diagnostics import not_compiled, warning_recorders

X = np.ones(3)


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield
    not_compiled.owed.clear()


def uncompiled() -> Any:
    """A jitted function that runs uncompiled, and says so at its first call."""
    return npcompile.jit(np.float32)


def test_a_list_of_warnings_holds_the_users_own() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        uncompiled()(2.0)
        warnings.warn("one of the user's", stacklevel=1)
    assert [str(one.message) for one in found] == ["one of the user's"]


def test_lists_are_looked_into_for_a_bounded_time(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    monkeypatch.setattr(warning_recorders, "is_unlimited", lambda: False)
    monkeypatch.setattr(warning_recorders, "_spent", 0.0)
    monkeypatch.setattr(warning_recorders, "_FREE", 0.0)
    monkeypatch.setattr(warning_recorders, "_PART", 0.0)
    monkeypatch.setattr(warning_recorders.gc, "get_referrers", lambda kept: looks.append(kept) or [])
    for _ in range(20):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            uncompiled()(2.0)
        assert found == []
    assert len(looks) == 1


@pytest.mark.parametrize("expected", [(), (UserWarning,), (Warning,)], ids=str)
def test_tests_count_their_own(expected: tuple[Any, ...]) -> None:
    with pytest.warns(*expected) as found:
        uncompiled()(2.0)
        warnings.warn("first", stacklevel=1)
        warnings.warn("second", stacklevel=1)
    assert len(found) == 2


def test_a_fixture_and_unittest_count_their_own(recwarn: pytest.WarningsRecorder) -> None:
    warnings.simplefilter("always")
    uncompiled()(2.0)
    assert len(recwarn) == 0
    with unittest.TestCase().assertWarns(UserWarning) as found:
        uncompiled()(2.0)
        warnings.warn("first", stacklevel=1)
    assert len(found.warnings) == 1


def test_a_jitted_function_that_keeps_a_list_finds_its_own() -> None:
    inner = uncompiled()

    def counts(x):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            y = inner(2.0) / x
        return y, len(found)

    jitted = npcompile.jit(counts)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", npcompile.NotCompiledWarning)
        for _ in range(3):
            assert jitted(np.zeros(1))[1] == 1


def test_who_asks_for_ours_by_name_gets_them() -> None:
    with pytest.warns(npcompile.NotCompiledWarning, match="not a Python function"):
        uncompiled()(2.0)
    with pytest.warns((RuntimeWarning, npcompile.NotCompiledWarning)):
        uncompiled()(2.0)
    with unittest.TestCase().assertWarns(npcompile.NotCompiledWarning):
        uncompiled()(2.0)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", npcompile.NotCompiledWarning)
        uncompiled()(2.0)
    assert [one.category for one in found] == [npcompile.NotCompiledWarning]


def test_filters_mean_what_they_meant() -> None:
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("error", npcompile.NotCompiledWarning)
        with pytest.raises(npcompile.NotCompiledWarning):
            uncompiled()(2.0)
        warnings.simplefilter("ignore", npcompile.NotCompiledWarning)
        uncompiled()(2.0)
    assert not found and not not_compiled.owed


def test_the_next_call_outside_tells_what_is_owed() -> None:
    other = npcompile.jit(lambda x: x + 1)
    with warnings.catch_warnings():
        warnings.simplefilter("always")
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            uncompiled()(2.0)
            other(X)
        assert len(not_compiled.owed) == 1
        with pytest.warns(npcompile.NotCompiledWarning, match="not a Python function") as told:
            other(X)
    assert len(told) == 1 and told[0].filename == __file__ and not not_compiled.owed


def test_what_is_owed_never_raises_in_another_call(caplog: pytest.LogCaptureFixture) -> None:
    """The call that it belongs to is long done: where warnings are errors, it is logged."""
    other = npcompile.jit(lambda x: x + 1)
    with pytest.warns(UserWarning):
        uncompiled()(2.0)
        warnings.warn("one of the user's", stacklevel=1)
    with caplog.at_level(logging.WARNING, "npcompile"):
        assert np.array_equal(other(X), X + 1)
    assert len(caplog.records) == 1 and "not a Python function" in caplog.text


UNDER_PYTEST = """
import warnings
import numpy as np, npcompile, pytest

def test_counts():
    with pytest.warns() as record:
        npcompile.jit(np.float32)(2.0)
        warnings.warn("first")
        warnings.warn("second")
    assert len(record) == 2

def test_shows():
    assert npcompile.jit(np.int32)(2.0) == 2
"""
AT_EXIT = """
import warnings
import numpy as np, npcompile
with warnings.catch_warnings(record=True) as record:
    warnings.simplefilter("always")
    npcompile.jit(np.float32)(2.0)
assert not record
"""


def test_pytest_shows_them_in_its_summary(tmp_path: Path) -> None:
    (tmp_path / "test_counts.py").write_text(UNDER_PYTEST)
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--rootdir",
            str(tmp_path),
            str(tmp_path),
        ],
        capture_output=True,
        text=True,
    )
    assert "2 passed" in done.stdout and done.stdout.count("runs uncompiled") == 2, done.stdout


def test_the_end_of_the_process_tells_what_is_still_owed() -> None:
    done = subprocess.run([sys.executable, "-c", AT_EXIT], capture_output=True, text=True, check=True)
    assert done.stderr.count("runs uncompiled") == 1, done.stderr
