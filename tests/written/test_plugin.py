"""`python -m tests.written` on a small test: two runs of one version are equal, and a change is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.written.__main__ import main, write

TEST = """
import numpy as np
import npcompile


def test_scaled():
    scaled = npcompile.jit(lambda x: x * 2 + 1)
    for _ in range(3):
        scaled(np.ones(4))
"""


def test_equal_runs_are_equal_and_a_change_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    path = tmp_path / "test_one.py"
    folders = [tmp_path / name for name in ("first", "second", "changed")]
    for folder in folders:
        path.write_text(TEST.replace("+ 1", "- 1") if folder.name == "changed" else TEST)
        assert write(folder, [str(path), "-p", "no:cacheprovider", "--rootdir", str(tmp_path)]) == 0
    first, second, changed = map(str, folders)

    (written,) = folders[0].iterdir()
    assert "multiply" in written.read_text() and '"recordings": 1' in written.read_text()
    monkeypatch.setattr("sys.argv", ["written", "--compare", first, second])
    assert main() == 0
    monkeypatch.setattr("sys.argv", ["written", "--compare", first, changed])
    assert main() == 1
    assert "test_scaled" in capsys.readouterr().out
