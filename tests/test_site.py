"""The documentation builds into a site without a warning, and its snippets do what stands below them."""

from __future__ import annotations

import doctest
import io
import operator
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import npcompile
from benchmarks import bars
from tests.site_pages import DOCS, PAGES, snippets

ROOT = DOCS.parent
# What pages import beside npcompile's own requirements.
NEEDS = {
    "joblib-and-dask": ("joblib", "dask.array"),
    "pandas": ("pandas", "xarray"),
    "scipy-and-scikit-learn": ("scipy",),
}
BETWEEN = "-" * 20 + "npcompile" + "-" * 20


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    pytest.importorskip("mkdocs")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path)]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    page = (tmp_path / "reference" / "index.html").read_text()
    assert ":::" not in page and "npcompile.jit" in page and "Parameters" in page
    assert "../../CONTRIBUTING" not in (tmp_path / "architecture" / "index.html").read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_snippets_print_what_stands_below_them(page: Path, tmp_path: Path) -> None:
    """The snippets of a page are one program, in a file, as functions need their source."""
    for module in NEEDS.get(page.stem, ()):
        pytest.importorskip(module)
    parts = snippets(page.read_text())
    for part in parts:
        compile(part.code, page.name, "exec")
    run = [part for part in parts if part.runs]
    if not run:
        return
    program = tmp_path / "program.py"
    program.write_text(f"\nprint({BETWEEN!r})\n".join(part.code for part in run))
    environment = {**os.environ, "NPCOMPILE_BACKEND": "interpreter", "PYTHONPATH": str(ROOT)}
    ran = subprocess.run(
        [sys.executable, "-W", "error::SyntaxWarning", str(program)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert ran.returncode == 0, ran.stderr
    for part, printed in zip(run, ran.stdout.split(BETWEEN + "\n"), strict=True):
        if part.output is not None:
            assert printed == part.output, part.code


def test_the_readme_shows_all_counts() -> None:
    shown = next(line for line in (ROOT / "README.md").read_text().splitlines() if line.startswith("Stats("))
    assert re.sub(r"=\d+", "=0", shown) == repr(npcompile.Stats())


def test_the_picture_shows_the_table() -> None:
    assert bars.PICTURE.read_text() == bars.picture(), "python -m benchmarks.bars draws it anew"


PUBLIC = [name for name in npcompile.__all__ if getattr(npcompile, name).__doc__ and name != "__version__"]
METHODS = ["Jitted.compile", "Jitted.wait", "Explanation.save", "Explanation.text"]


@pytest.mark.parametrize("name", [*PUBLIC, *METHODS])
def test_examples_in_docstrings_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    value = operator.attrgetter(name)(npcompile)
    tests = doctest.DocTestFinder(recurse=False).find(value, name, globs={"npcompile": npcompile, "np": np})
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for test in tests:
        said = io.StringIO()
        runner.run(test, out=said.write)
        assert runner.summarize(verbose=False).failed == 0, said.getvalue()
