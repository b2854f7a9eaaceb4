"""Holds the documentation to the code: paths and names exist, links lead somewhere, lines are short.

Pages are all Markdown files of the project; `docs/design/` and `docs/decisions/` have an index each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "npcompile"
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "benchmarks").glob("*.md"), *DOCS.rglob("*.md")])
LONGEST = 120
TWO_PAGES = 120  # lines

FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`([^`\n]+)`")
# A path within the project or the package: folders with a slash at the end, files by their suffix.
A_PATH = re.compile(r"(?:[\w.-]+/)*[\w.-]+(?:/|\.(?:py|h|cpp|md|toml|txt|ipynb))")
NAME_IN_FILE = re.compile(r"`([A-Za-z_]\w*)` in\s+`([\w./-]+\.(?:py|h|cpp))`")
LINK = re.compile(r"\[[^\]]*\](?:\(|: )([^)\s]+)")
# The README is shown on package indexes, where links are absolute.
OF_THE_REPOSITORY = re.compile(
    r"https://(?:github\.com/npcompile/npcompile/blob/main|raw\.githubusercontent\.com/npcompile/npcompile/main)/(.+)"
)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
# Paths that lie in no checkout: environments, folders beside it, files of packages whose tests are run.
ELSEWHERE = (".venv", "../", "path/", "control/")

GLOSSARY = (
    *("specialisation", "guard", "guard failure", "fallback", "block", "callee", "residual program"),
    *("recording", "replay", "segment", "kernel", "alias", "view", "escape", "live-in", "live-out"),
    *("effect", "back-off", "contest", "host call", "opaque call", "shape-generic"),
)


def name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def prose(page: Path) -> str:
    """Return a page without its code blocks."""
    return FENCE.sub("", page.read_text())


def found(path: str) -> Path | None:
    """Return the file or folder that a page names, in the project or in the package."""
    return next((base / path for base in (ROOT, PACKAGE) if (base / path).exists()), None)


def paths(text: str) -> Iterator[str]:
    """Yield the paths with a folder in them that stand in code spans, commands' arguments among them."""
    for span in CODE.findall(text):
        for word in span.split():
            word = word.partition(":")[0]
            if "/" in word and A_PATH.fullmatch(word) and not word.startswith(ELSEWHERE):
                yield word


def anchor(heading: str) -> str:
    """Return what a link to a heading ends with."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_paths_that_a_page_names_exist(page: Path) -> None:
    missing = sorted({path for path in paths(prose(page)) if found(path) is None})
    assert not missing


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_names_that_a_page_gives_of_a_file_are_in_it(page: Path) -> None:
    for word, path in NAME_IN_FILE.findall(prose(page)):
        file = found(path)
        assert file is not None
        assert re.search(rf"\b{word}\b", file.read_text()), f"{word} is not in {path}"


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(prose(page)):
        path, _, part = link.partition("#")
        to = page.parent / path if path else page
        if own := OF_THE_REPOSITORY.fullmatch(path):
            to = ROOT / own[1]
        elif "://" in link:
            continue
        assert to.exists(), link
        if part:
            assert part in map(anchor, HEADING.findall(prose(to))), link


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_lines_are_short_but_for_tables(page: Path) -> None:
    lines = prose(page).splitlines()
    assert not [line for line in lines if len(line) > LONGEST and not line.startswith("|")]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_headings_name_their_subject(page: Path) -> None:
    assert not [head for head in HEADING.findall(prose(page)) if re.match(r"(What|Whether|How|That)\b", head)]


@pytest.mark.parametrize("folder", ["design", "decisions"])
def test_an_index_links_every_page(folder: str) -> None:
    index = DOCS / folder / "README.md"
    pages = {page.name for page in index.parent.glob("*.md")} - {index.name}
    assert pages <= set(LINK.findall(prose(index)))


def test_each_decision_has_its_four_parts() -> None:
    for page in sorted((DOCS / "decisions").glob("*.md")):
        if page.name != "README.md":
            parts = re.findall(r"^\*\*(Question|Options|Measured|Choice)\b", page.read_text(), re.MULTILINE)
            assert parts == ["Question", "Options", "Measured", "Choice"], page.name


def test_the_architecture_is_two_pages_with_every_word_of_the_glossary() -> None:
    text = (DOCS / "architecture.md").read_text()
    assert text.count("\n") <= TWO_PAGES
    defined = {word.lower() for word in re.findall(r"\*\*([^*]+)\*\*:", text)}
    assert set(GLOSSARY) <= defined


def test_a_change_names_at_most_three_files() -> None:
    text = (DOCS / "architecture.md").read_text()
    rows = text.partition("Where do I change")[2].partition("\n## ")[0].splitlines()
    changes = [row for row in rows if row.startswith("|")][2:]
    assert changes
    for change in changes:
        assert 1 <= len(list(paths(change))) <= 3, change


def test_links_of_the_readme_work_on_a_package_index() -> None:
    links = LINK.findall(prose(ROOT / "README.md"))
    assert links and all(link.startswith(("https://", "#")) for link in links)
