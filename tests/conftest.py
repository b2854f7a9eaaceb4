"""What every test run shares: a kernel cache of its own, and Hypothesis without a clock."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from collections.abc import Iterator

import pytest
from hypothesis import settings

# Before npcompile is imported, by a test or in a process that a test starts: nobody's own kernels are used or
# changed, and every run compiles what it tests. A run that names a folder keeps its kernels there.
if "NPCOMPILE_CACHE_DIR" not in os.environ:
    os.environ["NPCOMPILE_CACHE_DIR"] = tempfile.mkdtemp(prefix="npcompile-tests-")
    atexit.register(shutil.rmtree, os.environ["NPCOMPILE_CACHE_DIR"], ignore_errors=True)

# How much of a call goes into npcompile's own machinery is a matter of time, and tests count: what is
# recorded does not depend on how fast the machine is. Tests of the budget itself set it.
os.environ.setdefault("NPCOMPILE_OVERHEAD", "unlimited")
# Tests count replays and kernels: no clock decides who answers a call, and what else a function has done does
# not decide what is compiled. Tests of that set it.
os.environ.setdefault("NPCOMPILE_CONTESTS", "0")
os.environ.setdefault("NPCOMPILE_SPENDING", "0")

# Each residual program is checked against the rules of its form, when it is recorded and after each pass.
os.environ.setdefault("NPCOMPILE_VERIFY_PROGRAMS", "1")

# A fault of npcompile's own fails the test: elsewhere the call would go on by Python.
os.environ.setdefault("NPCOMPILE_INTERNAL_ERRORS", "raise")

# A test's first example may compile, so no deadline; CI sees the same examples at every run.
settings.register_profile("npcompile", deadline=None, print_blob=True, derandomize="CI" in os.environ)
settings.load_profile("npcompile")


@pytest.fixture(autouse=True)
def _by_themselves() -> Iterator[None]:
    """Tests count recordings: none finds what another has recorded of the same inner function."""
    from npcompile.runtime import recording_families

    recording_families.forget()
    yield
