"""The tour prints every stage of one call: each heading, and of each stage what a reader looks for."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

TOUR = Path(__file__).resolve().parent.parent / "examples" / "tour.py"

# By heading: texts that are in the stage, in this order.
STAGES = {
    "The user's source": ["def lloyd_step(X, means):", "X[nearest == 0]", "first.mean(axis=0)"],
    "The rewritten source": [
        ".hooks.call(",
        ".hooks.load_global('np', np)",
        ".hooks.compare('==', nearest, 0)",
    ],
    "The residual program, recorded": ["guard(np is numpy)", "np.argmin(norm, axis=0)", "(X, equal)", "host"],
    "The program after each pass": ["after 'lower masks'", "where=mask", "(nothing changed)"],
    "The plan": ["early guard", "segment of 10 ops: subtract, norm, argmin", "gives argmin, stack"],
    "The C++ of the kernel": ["const double* in_ptr0", "more lines", "npc_run(void** in, void** out"],
    "The replay function": ["raise __Diverged", "__segment0(X, means)", "return (argmin, stack)"],
    "A replayed call": [
        "labels: 1000, all equal to NumPy's",
        "replays before: 0, now: 1",
        "NumPy's speed",
    ],
}


@pytest.mark.slow
def test_the_tour_shows_every_stage() -> None:
    done = subprocess.run([sys.executable, str(TOUR)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    _, *parts = re.split(r"^== \d+\. (.+)$", done.stdout, flags=re.MULTILINE)
    shown = dict(zip(parts[::2], parts[1::2], strict=True))
    assert list(shown) == list(STAGES)
    for heading, texts in STAGES.items():
        place = 0
        for text in texts:
            place = shown[heading].find(text, place)
            assert place >= 0, f"{text!r} is not in stage {heading!r}:\n{shown[heading]}"
