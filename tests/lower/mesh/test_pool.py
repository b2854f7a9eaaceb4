"""The processes of a mesh: what is told of their end."""

from __future__ import annotations

import pytest

from npcompile.lower.mesh.pool import last_words


@pytest.mark.parametrize(
    ("printed", "told"),
    [
        ("", "it said nothing"),
        ("a warning\nKilled\n", "Killed"),
        ("Traceback:\n  File\ntorch.OutOfMemoryError: of 2 GiB\n", "torch.OutOfMemoryError: of 2 GiB"),
        (
            "terminate called after throwing\n  what():  [Rank 1] an illegal address\n"
            "Exception raised from watch at it.cpp:2:\nframe #0: main\nframe #1: _start + 0x25\n",
            "what():  [Rank 1] an illegal address",
        ),
    ],
)
def test_the_last_error_is_told(printed: str, told: str) -> None:
    assert last_words(printed) == told
