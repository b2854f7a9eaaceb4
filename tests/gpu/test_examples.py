"""The examples on a CUDA device: NumPy's answers, call by call, and what they leave in their arguments."""

from __future__ import annotations

import pytest
import torch

import npcompile
from tests.test_examples import CALLS, TABLE, Row, beside_each_other, load, matches, name_of

__all__ = ["beside_each_other"]  # a fixture

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device"),
    pytest.mark.usefixtures("quiet", "beside_each_other"),
    pytest.mark.filterwarnings("ignore::npcompile.NotCompiledWarning"),
]

# Sums are added in another order there, and what is chaotic follows the last digit.
LOOSER = 1e4


@pytest.mark.parametrize("backend", ["interpreter", "triton"])
@pytest.mark.parametrize("row", TABLE, ids=name_of)
def test_an_example_gives_numpys_answers(row: Row, backend: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if backend == "interpreter":
        monkeypatch.setenv("NPCOMPILE_BACKEND", backend)
    entry = getattr(load(row.module), row.entry)
    for seed in range(CALLS):
        jitted, args = entry(seed=seed, **row.size)
        _, plain = entry(seed=seed, **row.size)
        want = jitted.__wrapped__(*plain)
        with npcompile.device("cuda"):
            got = jitted(*args)
            jitted.wait()
        at = f"{row.module}.{row.entry}, call {seed + 1}"
        matches(got, want, row.tolerance * LOOSER, at)
        matches(args, plain, row.tolerance * LOOSER, f"{at}: arguments")
