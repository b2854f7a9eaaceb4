"""Native loops read their headers precompiled, where a folder is named for them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from npcompile.lower.codegen import cpp
from npcompile.lower.loops.service import compiler
from tests.frontend.loops.native import run_natively

ROOT = Path(__file__).parents[3]


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


ENDS = """
from npcompile.lower.codegen import cpp
from npcompile.lower.loops.service import compiler
from tests.frontend.loops.native import run_natively
from tests.lower.loops.test_precompiled_headers import counted
cpp.Header.MADE_AT = 1
assert run_natively(counted, 5).is_done
(header,) = compiler._compiler.headers.values()
print(header.process.pid)
"""


def test_a_header_that_is_being_made_ends_with_the_process(tmp_path: Path) -> None:
    """Python warns of processes that are left to themselves."""
    script = tmp_path / "g++"
    script.write_text('#!/bin/sh\ncase "$*" in *c++-header*) exec sleep 1000 ;; esac\nexec g++ "$@"\n')
    script.chmod(0o700)
    folders = {f"NPCOMPILE_{name}_DIR": str(tmp_path / name) for name in ("CACHE", "HEADER")}
    environment = {**os.environ, **folders, "CXX": str(script), "PYTHONWARNINGS": "always::ResourceWarning"}
    done = subprocess.run(
        [sys.executable, "-c", ENDS], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    assert done.returncode == 0 and done.stderr == ""
    with pytest.raises(ProcessLookupError):
        os.kill(int(done.stdout), 0)
