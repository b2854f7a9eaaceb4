"""The kernel cache stays below its limit: what was not used for longest goes, what is in use stays."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from npcompile.lower.store import cache, eviction

SIZE = 1000  # bytes of each library


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("NPCOMPILE_CACHE_BYTES", str(12 * SIZE))
    return cache.directory()


def store(folder: Path, key: str, ago: float = 0.0) -> None:
    library = folder / "made.so"
    library.write_bytes(bytes(SIZE))
    cache.store(folder, key, library, {})
    for path in (folder / f"{key}.json", folder / f"{key}.so"):
        os.utime(path, (time.time() - ago,) * 2)


def keys(folder: Path) -> list[str]:
    return [kernel.key for kernel in eviction.kernels(folder)]


def test_kernels_are_listed_by_their_last_use(folder: Path) -> None:
    for key, ago in (("a", 100), ("b", 300), ("c", 200)):
        store(folder, key, ago)
    assert keys(folder) == ["b", "c", "a"]
    assert cache.load(folder, "b") is not None
    assert keys(folder) == ["c", "a", "b"]


def test_the_least_recently_used_go_first(folder: Path) -> None:
    for number in range(10):
        store(folder, f"k{number}", 1000 - number)
    assert cache.load(folder, "k0") is not None  # used now
    store(folder, "last")  # of some 1,160 bytes each, 8 take less than 0.8 times 12,000
    assert keys(folder) == ["k4", "k5", "k6", "k7", "k8", "k9", "k0", "last"]


def test_what_was_just_used_stays_though_it_is_too_much(folder: Path) -> None:
    for number in range(15):
        store(folder, f"k{number}")
    assert len(keys(folder)) == 15


def test_no_limit(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_CACHE_BYTES", "0")
    for number in range(15):
        store(folder, f"k{number}", 1000)
    assert len(keys(folder)) == 15


def test_a_kernel_that_was_removed_is_not_found(folder: Path) -> None:
    store(folder, "a")
    eviction.remove(folder, "a")
    assert cache.load(folder, "a") is None and not list(folder.iterdir())


@pytest.mark.parametrize(
    ("named", "caches", "root"),
    [
        ("/x/kernels", "/y", "/x/kernels"),
        ("", "/y", "/y/npcompile"),
        ("", "relative", "~/.cache/npcompile"),
        ("", "", "~/.cache/npcompile"),
    ],
)
def test_where_the_kernels_lie(monkeypatch: pytest.MonkeyPatch, named: str, caches: str, root: str) -> None:
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", named)
    monkeypatch.setenv("XDG_CACHE_HOME", caches)
    assert cache.root() == os.path.expanduser(root)
