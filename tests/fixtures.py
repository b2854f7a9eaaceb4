"""Fixtures that tests of several folders use: the native runtime, and kernels in a folder of their own."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import npcompile
from tests.programs.native_runtime_faults import in_time, kernel_folder, program_kernels

__all__ = ["in_time", "kernel_folder", "native_runtime", "program_kernels"]


@pytest.fixture(scope="module")
def native_runtime() -> Iterator[None]:
    """One function compiled: with that the native runtime is there."""
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("NPCOMPILE_BACKEND", raising=False)
        jitted = npcompile.jit(lambda x: np.sqrt(x) + 1, wait=True)
        jitted(np.ones(3))
        yield
