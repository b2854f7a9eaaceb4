"""`python -m npcompile doctor` names what is missing; `tests/packaging/` runs it where nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest

from npcompile.__main__ import main
from npcompile.commands import doctor


def test_a_missing_compiler_is_told_with_a_way_to_install_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CXX", "no-such-compiler")
    assert main(["doctor"]) == 1
    text = capsys.readouterr().out
    assert "MISSING  C++ compiler: no C++ compiler found: no-such-compiler" in text
    assert "apt install g++" in text and "programs run on NumPy here" in text


def test_a_folder_that_cannot_be_used_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "file"
    file.touch()
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(file))
    monkeypatch.setattr(doctor, "_programs", lambda: iter(()))
    (found,) = (one for one in doctor.findings("1") if one.name == "kernels on disk")
    assert found.works and "for one process alone" in found.text


def test_a_wrong_answer_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = 'print(\'{"arrays": {"seconds": 1, "compiled": true, "right": false, "reasons": []}}\')'
    monkeypatch.setattr(doctor, "PROGRAM", wrong)
    (found,) = (one for one in doctor.findings("1") if one.name == "an array program")
    assert not found.works and found.text == "the compiled answer is not NumPy's"


def test_a_program_that_fails_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PROGRAM", "raise RuntimeError('no disk')")
    (found,) = (one for one in doctor.findings("1") if one.name == "test programs")
    assert not found.works and found.text == "RuntimeError: no disk"
