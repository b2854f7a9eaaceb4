"""Makes the notebook of the tutorial from its page: the text, and a cell for each snippet."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat

from tests.site_pages import DOCS

PAGE = DOCS / "tutorial.md"
NOTEBOOK = DOCS / "tutorial.ipynb"
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)


def notebook(text: str) -> nbformat.NotebookNode:
    """Return the notebook of a page. Printed output is left out: cells make it."""
    cells: list[nbformat.NotebookNode] = []
    text = text.replace("](how-to/", "](https://github.com/npcompile/npcompile/blob/main/docs/how-to/")
    end = 0

    def add(part: str) -> None:
        if part.strip():
            cells.append(nbformat.v4.new_markdown_cell(part.strip()))

    for fence in _FENCE.finditer(text):
        add(text[end : fence.start()])
        if fence[1] == "python":
            cells.append(nbformat.v4.new_code_cell(fence[2].strip()))
        end = fence.end()
    add(text[end:])
    for number, cell in enumerate(cells):
        cell["id"] = f"cell-{number}"
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return nbformat.v4.new_notebook(cells=cells, metadata={"kernelspec": kernel})


def written() -> str:
    """Return the text of the notebook's file."""
    return nbformat.writes(notebook(Path(PAGE).read_text())) + "\n"
