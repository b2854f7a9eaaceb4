"""The package works with the oldest NumPy that it takes: modules, compiled loops and arrays, debug mode."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """\
import importlib, pkgutil
import numpy
import npcompile
for module in pkgutil.walk_packages(npcompile.__path__, "npcompile."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
import npcompile.numpy

def work(np, x):
    total = np.float32(0)
    for i in range(1, len(x)):
        total += x[i] * 2 - x[i - 1]
    return total, np.clip(np.sort(x)[::2], 0.25, 0.75) ** 2, np.from_dlpack(x), np.finfo(x.dtype).eps

x = numpy.random.default_rng(0).random(999, numpy.float32)
jitted = npcompile.jit(work)
wanted = work(numpy, x)
for np in (numpy, numpy, numpy, npcompile.numpy):
    for one, other in zip(jitted(np, x), wanted, strict=True):
        assert one.dtype == other.dtype and npcompile.numpy.array_equal(one, other)
    jitted.wait()
assert jitted.stats.loop_entries and jitted.stats.replays, jitted.stats
print(numpy.__version__)
"""


@pytest.mark.slow
def test_loops_arrays_and_the_debug_mode_are_right(tmp_path: Path) -> None:
    (oldest,) = re.findall(r'"numpy>=(\d+\.\d+)', (ROOT / "pyproject.toml").read_text())
    target = str(tmp_path / "oldest")
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", target]
    unconstrained = {**os.environ, "PIP_CONSTRAINT": ""}
    subprocess.run([*pip, f"numpy=={oldest}.*"], check=True, capture_output=True, env=unconstrained)
    env = {**os.environ, "PYTHONPATH": f"{target}{os.pathsep}{ROOT}"}
    program = [sys.executable, "-c", PROGRAM]
    ran = subprocess.run(program, cwd=tmp_path, env=env, capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout.startswith(f"{oldest}."), ran.stdout + ran.stderr
