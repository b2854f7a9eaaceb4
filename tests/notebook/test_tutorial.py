"""The tutorial's notebook has the cells of its page, and runs as Jupyter runs it."""

from __future__ import annotations

import nbclient
import nbformat
import pytest

from tests.notebook.tutorial import NOTEBOOK, PAGE, written
from tests.site_pages import snippets


def test_the_notebook_is_that_of_the_page() -> None:
    assert NOTEBOOK.read_text() == written(), "python -m tests.notebook writes it anew"


def test_the_notebook_runs(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Each cell prints what stands below its snippet on the page."""
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    monkeypatch.setenv("PYTHONPATH", str(PAGE.parent.parent))
    book = nbformat.reads(NOTEBOOK.read_text(), as_version=4)
    folder = tmp_path_factory.mktemp("notebook")
    client = nbclient.NotebookClient(book, resources={"metadata": {"path": str(folder)}})
    client.execute()
    cells = [cell for cell in book.cells if cell.cell_type == "code"]
    for snippet, cell in zip(snippets(PAGE.read_text()), cells, strict=True):
        printed = "".join(
            out.text for out in cell.outputs if out.output_type == "stream" and out.name == "stdout"
        )
        if snippet.output is not None:
            assert printed == snippet.output
    assert (folder / "report.html").exists()
