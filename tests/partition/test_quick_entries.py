"""A process that compiles loops alone builds the native runtime, which enters them without Python."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.environment import PINNED

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import sys
import time
import warnings
import numpy as np
import npcompile
from npcompile.lower.native import native

warnings.simplefilter("ignore")

def total(x):
    found = 0
    for item in x:
        found = (found * 3 + item) % 1000
    return found + 0

def plain(x):
    return total.__wrapped__(x)

total = npcompile.jit(total)
x = np.arange(1000)
if sys.argv[1] == "often":
    while native.loaded() is None:
        assert total(x) == plain(x)
        time.sleep(0.05)
else:
    for _ in range(3):
        assert total(x) == plain(x)
        total.wait()
assert (native.loaded() is None) == (sys.argv[1] == "broken")
for _ in range(20):
    assert total(x) == plain(x)
assert total.stats.native_loops
"""


def run(folder: Path, way: str, **variables: str) -> None:
    folder.chmod(0o700)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("NPCOMPILE_")}
    env = {**kept, **PINNED, "NPCOMPILE_CACHE_DIR": str(folder), "PYTHONPATH": str(ROOT), **variables}
    program = folder / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, str(program), way]
    ran = subprocess.run(command, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_waiting_for_a_loop_waits_for_what_enters_it(tmp_path: Path) -> None:
    run(tmp_path, "waits")


def test_a_loop_that_is_often_entered_has_it_built(tmp_path: Path) -> None:
    run(tmp_path, "often")


def test_a_loop_is_right_where_it_cannot_be_built(tmp_path: Path) -> None:
    compiler = tmp_path / "compiler"
    compiler.write_text('#!/bin/sh\ncase "$*" in *native.cpp*) exit 1 ;; esac\nexec g++ "$@"\n')
    compiler.chmod(0o700)
    run(tmp_path, "broken", CXX=str(compiler))
