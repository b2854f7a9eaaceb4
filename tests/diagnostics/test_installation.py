"""Importing npcompile says in one sentence where it cannot run, and warns where it has not been tested."""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import Path

import pytest
import torch

import npcompile
from npcompile.diagnostics import installation

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(("system", "instead"), [("win32", "WSL"), ("darwin", "Linux container")])
def test_other_systems_are_refused(monkeypatch: pytest.MonkeyPatch, system: str, instead: str) -> None:
    monkeypatch.setattr(sys, "platform", system)
    with pytest.raises(ImportError, match=f"^npcompile runs on Linux only.*{system}; instead: .*{instead}$"):
        installation.check()


def test_an_old_pytorch_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.10.1+cu130")
    with pytest.raises(ImportError, match=r"needs PyTorch 2\.11 or newer.*pip install 'torch>=2\.11,<2\.14'"):
        installation.check()


def test_a_new_pytorch_is_warned_of(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch, "__version__", "2.14.0a0+git1234")
    with pytest.warns(UserWarning, match=r"tested with PyTorch 2\.11 to 2\.13, and this is 2\.14"):
        installation.check()


@pytest.mark.parametrize("version", ["2.11.0", "2.12.1+cpu", "2.13.0+cu130"])
def test_tested_versions_are_silent(monkeypatch: pytest.MonkeyPatch, version: str) -> None:
    monkeypatch.setattr(torch, "__version__", version)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        installation.check()


def test_the_package_asks_for_the_versions_that_are_checked() -> None:
    (asked,) = re.findall(r'"torch(>=.*?)"', (ROOT / "pyproject.toml").read_text())
    (oldest, newest) = installation.OLDEST, installation.NEWEST
    assert asked == f">={oldest[0]}.{oldest[1]},<{newest[0]}.{newest[1] + 1}"


def test_the_package_shows_its_public_names_alone() -> None:
    assert dir(npcompile) == npcompile.__all__
    assert npcompile.__version__ in (ROOT / "CHANGELOG.md").read_text()


def test_a_jitted_function_shows_its_public_names_alone() -> None:
    def plain(x: int) -> int:
        return x

    plain.note = "kept"  # type: ignore[attr-defined]
    shown = {name for name in dir(npcompile.jit(plain)) if not name.startswith("__")}
    assert shown == {"note", "compile", "programs", "stats", "wait"}
