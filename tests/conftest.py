"""Every test run shares these: the pinned environment, fixtures, tiers, and Hypothesis without a clock."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator

import pytest
from hypothesis import settings

import tests.environment  # noqa: F401  (before npcompile is imported)

pytest_plugins = ("tests.fixtures", "tests.tiers")

# A test's first example may compile, so no deadline; CI sees the same examples at every run.
settings.register_profile("npcompile", deadline=None, print_blob=True, derandomize="CI" in os.environ)
settings.load_profile("npcompile")


@pytest.fixture(autouse=True)
def _by_themselves() -> Iterator[None]:
    """Tests count recordings: none finds what another has recorded of the same inner function."""
    from npcompile.runtime import recording_families

    recording_families.forget()
    yield


def pytest_collection_finish() -> None:
    """Keep what was imported out of garbage collections, which take a tenth of the time else."""
    gc.collect()
    gc.freeze()
