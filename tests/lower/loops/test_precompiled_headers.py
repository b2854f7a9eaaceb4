"""Native loops read their headers precompiled, where a folder is named for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from npcompile.lower.codegen import cpp
from npcompile.lower.loops.service import compiler
from tests.frontend.loops.native import run_natively


def counted(n):
    total = 0
    for i in range(n):
        total += i
    return total


def scaled(n):
    total = 0.5
    for i in range(n):
        total += i * 0.25
    return total


def test_the_second_loop_includes_what_was_made_beside_the_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    run = compiler._Compiler._run

    def noted(self: compiler._Compiler, command: list[str]) -> None:
        commands.append(command)
        run(self, command)
        for header in self.headers.values():
            assert header.process is None or header.process.wait() == 0

    monkeypatch.setenv("NPCOMPILE_HEADER_DIR", str(tmp_path / "headers"))
    monkeypatch.setenv("NPCOMPILE_CACHE_DIR", str(tmp_path / "kernels"))
    monkeypatch.setattr(compiler._Compiler, "_run", noted)
    monkeypatch.setattr(compiler, "_compiler", compiler._Compiler())
    monkeypatch.setattr(cpp.Header, "MADE_AT", 1)
    assert run_natively(counted, 5).is_done
    assert "-include" not in commands[0]
    assert run_natively(scaled, 5).names["total"] == 3.0
    header = Path(commands[1][commands[1].index("-include") + 1])
    assert header.parent == tmp_path / "headers" and Path(f"{header}.gch").exists()
    before = commands[1][: commands[1].index("-include")]
    assert not [word for word in before if word.endswith(".cpp")]  # g++ takes it only before all else
