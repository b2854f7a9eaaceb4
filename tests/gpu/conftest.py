"""What tests on a CUDA device share."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture
def quiet() -> Iterator[None]:
    with warnings.catch_warnings():  # torch's own deprecations are not these tests' subject
        warnings.simplefilter("ignore")
        yield
