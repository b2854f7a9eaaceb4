"""Kernels for any size are found and made whatever kernels for one size are on disk already."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import npcompile
from tests.checker import same

PROGRAM = """
import sys
import numpy as np
import npcompile

def centred(x):
    return (x - x.mean()) * 2 + 1

jitted = npcompile.jit(centred, wait=True)
for n in map(int, sys.argv[1:]):
    x = np.arange(float(n))
    assert np.array_equal(jitted(x), centred(x)), n
print(jitted.stats.programs, jitted.stats.compilations)
"""


def run(folder: Path, *lengths: int) -> list[int]:
    """How many programs and compilations a process of its own makes for these lengths."""
    file = folder / "program.py"
    file.write_text(PROGRAM)
    where = dict(os.environ, NPCOMPILE_CACHE_DIR=str(folder / "kernels"))
    command = [sys.executable, str(file), *map(str, lengths)]
    done = subprocess.run(command, env=where, capture_output=True, text=True, check=True)
    return [int(number) for number in done.stdout.split()]


def test_processes_that_met_one_size_each_leave_kernels_for_these_alone(tmp_path: Path) -> None:
    for n in (5, 7, 9):
        run(tmp_path, n)
    programs, compilations = run(tmp_path, 5, 7, 9, 12, 13, 14, 15, 16, 17, 18)
    assert programs <= 4 and compilations == 1
    programs, compilations = run(tmp_path, 5, 7, 9, 12, 13, 14, 15, 16, 17, 18)
    assert programs <= 4 and compilations == 0


def centred(m: np.ndarray) -> np.ndarray:
    return (m - m.mean(axis=0)) / (m.std(axis=0) + 1)


def test_one_size_that_a_library_does_not_serve_is_no_reason_to_give_it_up() -> None:
    jitted = npcompile.jit(centred, wait=True)
    for n in (15, 17, 19, 14, 4, 22, 30, 13, 12, 43, 16, 4, 50, 51):  # four rows of four are square
        m = np.arange(4.0 * n).reshape(n, 4) % 11
        same(jitted(m), centred(m), ulp=16, scale=1.0)
    assert jitted.stats.compilations <= 4 and jitted.stats.programs <= 5, jitted.stats
