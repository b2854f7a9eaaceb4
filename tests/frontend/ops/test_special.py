"""The page on SciPy lists the ufuncs of `scipy.special` that are compiled."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from scipy import special

from npcompile.frontend.ops.table import TABLE

PAGE = Path(__file__).parents[3] / "docs/how-to/scipy-and-scikit-learn.md"


def test_the_page_lists_every_op() -> None:
    listed = PAGE.read_text().partition("\n## Compiled functions\n")[2].partition("\n\n#")[0]
    names = {name for name in vars(special) if isinstance(getattr(special, name), np.ufunc)}
    ops = {name for name in names if TABLE.of(getattr(special, name)) is not None}
    assert set(re.findall(r"`(\w+)`", listed.partition(".\n")[0])) == ops
