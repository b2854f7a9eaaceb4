"""`python -m npcompile cache` counts the kernels on disk, and removes them."""

from __future__ import annotations

from pathlib import Path

import pytest

from npcompile.__main__ import main
from npcompile.commands.kernel_cache import size_text
from npcompile.lower.store import cache


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(tmp_path))
    return tmp_path


def store(key: str, size: int) -> None:
    folder = cache.directory()
    library = folder / "made.so"
    library.write_bytes(bytes(size))
    cache.store(folder, key, library, {})


def test_kernels_are_counted_and_removed(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store("one", 100)
    store("two", 1000)
    assert main(["cache", "info"]) == 0
    text = capsys.readouterr().out
    assert str(root) in text and "2 kernels, 1.4" in text and "(this Python and PyTorch)" in text
    assert main(["cache", "clear"]) == 0
    assert "removed 2 kernels" in capsys.readouterr().out
    assert not list(root.rglob("*.so")) + list(root.rglob("*.json"))


def test_an_empty_cache_is_told(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cache", "info"]) == 0
    assert "no kernels yet" in capsys.readouterr().out
    assert main(["cache", "clear"]) == 0


def test_a_wrong_command_ends_with_its_usage(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["cache", "empty"])
    assert ended.value.code == 2
    assert "usage: python -m npcompile" in capsys.readouterr().err


def test_a_program_that_is_missing_is_all_that_run_asks_for(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["run"])
    assert "the following arguments are required: script.py\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("size", "text"), [(0, "0 B"), (999, "999 B"), (1500, "1.5 kB"), (2 << 30, "2.15 GB"), (10**6, "1 MB")]
)
def test_sizes_in_words(size: int, text: str) -> None:
    assert size_text(size) == text
