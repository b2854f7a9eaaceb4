"""The environment of test runs, set when this module is imported: before npcompile is, which reads it.

Tests count programs, replays and kernels. Nothing that they count depends on a clock, on how fast the machine
is, or on kernels of earlier runs. A variable that is set already stays.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

# Nobody's own kernels are used or changed, and every run compiles what it tests. A run that names a folder
# keeps its kernels there. Processes that tests start use the header that this run has precompiled.
for name in ("NPCOMPILE_CACHE_DIR", "NPCOMPILE_HEADER_DIR"):
    if name not in os.environ:
        os.environ[name] = tempfile.mkdtemp(prefix="npcompile-tests-")
        atexit.register(shutil.rmtree, os.environ[name], ignore_errors=True)

# Tests of a budget or of contests set its variable.
PINNED = {
    "NPCOMPILE_OVERHEAD": "unlimited",  # a recording goes on however long it takes
    "NPCOMPILE_CONTESTS": "0",  # no clock decides who answers a call
    "NPCOMPILE_SPENDING": "0",  # all that is recorded is compiled
    "NPCOMPILE_COMPILE_SECONDS": "600",  # the compiler has time for many loops at once beside other processes
    "NPCOMPILE_INTERNAL_ERRORS": "raise",  # a fault of npcompile's own fails the test: no fallback hides it
    "NPCOMPILE_VERIFY_PROGRAMS": "1",  # programs keep the rules of their form after each pass
}
for name, value in PINNED.items():
    os.environ.setdefault(name, value)
