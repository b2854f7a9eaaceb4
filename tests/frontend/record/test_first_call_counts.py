"""The first call of a jitted k-means: the files of ours it goes through, and the Python calls it makes.

Counted in a process of its own, so that nothing has been rewritten, read or cached by other tests.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
# Files of npcompile, Python calls of functions in them, calls from one of these files into another, and
# garbage collections that count towards a full one once npcompile is imported. The numbers may only fall.
MOST = (80, 1190, 404, 0)

PROGRAM = """
import gc
import sys
import time

time.perf_counter = lambda: 0.0  # or what is done at once would depend on the time that it takes
import numpy as np
import npcompile
collections = gc.get_count()[2]
from examples.kmeans import assign
from npcompile.diagnostics.paths import PACKAGE

files, calls, switches = set(), 0, 0

def count(frame, event, _):
    global calls, switches
    if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
        calls += 1
        files.add(frame.f_code.co_filename)
        caller = frame.f_back.f_code.co_filename
        switches += caller != frame.f_code.co_filename and caller.startswith(PACKAGE)

numbers = np.random.default_rng(0)
jitted = npcompile.jit(assign)
arrays = numbers.standard_normal((100, 2)), numbers.standard_normal((2, 2))
sys.setprofile(count)
jitted(*arrays)
sys.setprofile(None)
assert jitted.stats.recordings == 1, jitted.stats
print(len(files), calls, switches, collections)
"""


def test_the_first_call_of_kmeans_makes_no_more_python_calls_than_it_did() -> None:
    # As users run it: without what the tests set, but for the folder of kernels.
    tests_own = [name for name in os.environ if name.startswith("NPCOMPILE_")]
    env = {name: value for name, value in os.environ.items() if name not in tests_own}
    env["NPCOMPILE_CACHE_DIR"] = os.environ["NPCOMPILE_CACHE_DIR"]
    ran = subprocess.run([sys.executable, "-c", PROGRAM], cwd=ROOT, env=env, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    found = tuple(map(int, ran.stdout.split()))
    assert all(one <= most for one, most in zip(found, MOST, strict=True)), found
