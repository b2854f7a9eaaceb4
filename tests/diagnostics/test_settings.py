"""The settings: attributes of `npcompile.config`, the environment variables beside them, and their page."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
import torch

import npcompile
from npcompile.diagnostics import settings
from npcompile.diagnostics.settings import Config, Setting
from npcompile.lower.native import native, pool
from tests.environment import PINNED

ROOT = Path(__file__).resolve().parent.parent.parent
VARIABLE = re.compile(r"NPCOMPILE_[A-Z_]+\b")
TABLE: dict[str, Setting[object]] = dict(settings.settings())


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for one in TABLE.values():  # what a test assigns is taken back after it
        if (text := os.environ.get(one.variable)) is not None:
            monkeypatch.setenv(one.variable, text)
        else:
            monkeypatch.setenv(one.variable, "")


def test_every_variable_is_in_the_table() -> None:
    named = {
        name for path in (ROOT / "npcompile").rglob("*.py") for name in VARIABLE.findall(path.read_text())
    }
    assert named == {one.variable for one in TABLE.values()}


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "docs/settings.md"])
def test_pages_name_variables_of_the_table_alone(page: str) -> None:
    assert set(VARIABLE.findall((ROOT / page).read_text())) <= {one.variable for one in TABLE.values()}


def test_the_page_has_the_table() -> None:
    assert settings.table() in (ROOT / "docs/settings.md").read_text()


def test_doctests() -> None:
    threads = torch.get_num_threads()
    try:
        for one in (Config, settings.set_num_threads):
            for test in doctest.DocTestFinder().find(one, one.__name__):
                assert doctest.DocTestRunner().run(test).failed == 0
    finally:
        torch.set_num_threads(threads)


@pytest.mark.parametrize(
    "name, text, value, other",
    [
        ("wait", "1", True, False),
        ("wait", "no", False, True),
        ("backend", "interpreter", "interpreter", "inductor"),
        ("compile_seconds", "2.5", 2.5, 90.0),
        ("pool_bytes", "1000", 1000, 4096),
        ("cache_dir", "/tmp/kernels", "/tmp/kernels", "/tmp/others"),
        ("internal_errors", "raise", "raise", "report"),
    ],
)
def test_a_setting_is_its_variable(
    name: str, text: str, value: object, other: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TABLE[name].variable, text)
    assert getattr(npcompile.config, name) == value
    setattr(npcompile.config, name, other)
    assert getattr(npcompile.config, name) == other
    setattr(npcompile.config, name, None)
    assert TABLE[name].variable not in os.environ
    assert getattr(npcompile.config, name) == TABLE[name].default


@pytest.mark.parametrize(
    "name, value",
    [("wait", 2), ("wait", "perhaps"), ("backend", "gcc"), ("compile_seconds", 0), ("pool_bytes", -1)],
)
def test_a_wrong_value_is_refused_and_changes_nothing(name: str, value: object) -> None:
    before = getattr(npcompile.config, name)
    with pytest.raises(ValueError, match="expected"):
        setattr(npcompile.config, name, value)
    assert getattr(npcompile.config, name) == before


def test_other_names_are_refused() -> None:
    with pytest.raises(AttributeError):
        npcompile.config.threads = 2  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match="NPCOMPILE_OVERHEAD in the environment"):
        npcompile.config.overhead = "bounded"
    assert set(dir(npcompile.config)) == {*TABLE, "num_threads"}
    assert all(name in repr(npcompile.config) for name in dir(npcompile.config))


@pytest.mark.parametrize(
    ("name", "text", "default"),
    [
        ("compile_seconds", "soon", 60.0),
        ("cache_bytes", "2 GiB", 2 << 30),
        ("cache_bytes", "-1", 2 << 30),
        ("backend", "numba", "inductor"),
    ],
)
def test_a_variable_that_cannot_be_read_is_told_and_counts_as_not_set(
    name: str, text: str, default: object
) -> None:
    variable = TABLE[name].variable
    program = f"import npcompile; print(npcompile.config.{name})"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {variable: text},
        capture_output=True,
        text=True,
        check=True,
    )
    assert ran.stdout == f"{default}\n"
    assert f"{variable} is ignored: " in ran.stderr


def test_the_pool_follows_its_setting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NPCOMPILE_BACKEND", raising=False)
    npcompile.jit(lambda x: x + 1.0, wait=True)(np.ones(100_000))
    assert native.load_if_built() is not None
    before = pool.stats()["limit"]
    npcompile.config.pool_bytes = 12345
    assert pool.stats()["limit"] == 12345
    npcompile.config.pool_bytes = None
    assert pool.stats()["limit"] == before


def test_pinned_variables_of_tests_are_settings() -> None:
    assert set(PINNED) <= {one.variable for one in TABLE.values()}


def test_set_num_threads() -> None:
    before = torch.get_num_threads()
    seen = []
    try:
        npcompile.set_num_threads(np.int64(1))
        assert torch.get_num_threads() == npcompile.config.num_threads == 1
        npcompile.config.num_threads = 2
        thread = threading.Thread(target=lambda: seen.append(torch.get_num_threads()))
        thread.start()
        thread.join()
        assert seen == [2]
        for wrong, kind in ((0, ValueError), (-1, ValueError), (1.5, TypeError), (True, TypeError)):
            with pytest.raises(kind, match="number of threads"):
                npcompile.set_num_threads(wrong)  # type: ignore[arg-type]
    finally:
        torch.set_num_threads(before)


def test_a_value_that_is_refused_is_told_with_its_setting() -> None:
    with pytest.raises(
        ValueError, match="NPCOMPILE_COMPILE_SECONDS: expected a number of seconds above 0, not 'x'"
    ):
        npcompile.config.compile_seconds = "x"  # type: ignore[assignment]
