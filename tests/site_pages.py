"""Takes the code of the documentation's pages apart: snippets, and the output that stands below them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"
PAGES = [
    DOCS / "index.md",
    DOCS / "tutorial.md",
    DOCS / "check-answers.md",
    DOCS / "pandas.md",
    *sorted((DOCS / "how-to").glob("*.md")),
]
# Snippets that begin so are compiled, and not run.
_ELSEWHERE = "# on a machine with a GPU"
_FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass
class Snippet:
    """The code of one block. output: what stands below it, None where nothing does. runs: it needs no GPU."""

    code: str
    output: str | None = None

    @property
    def runs(self) -> bool:
        return not self.code.startswith(_ELSEWHERE)


def snippets(text: str) -> list[Snippet]:
    """Return the Python blocks of a page, in order."""
    found: list[Snippet] = []
    end = 0
    for fence in _FENCE.finditer(text):
        if fence[1] == "python":
            found.append(Snippet(fence[2]))
        elif fence[1] == "text" and found and not text[end : fence.start()].strip():
            found[-1].output = fence[2]
        end = fence.end()
    return found
