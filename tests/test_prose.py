"""Docstrings hold to what can be counted of plain English: how they begin, and that a module's has a verb.

The tests read the source of every file in `npcompile/`. They cannot tell good sentences from bad ones: a verb
is a word of a list here, wherever it stands, and a subject is taken to be there when the sentence
does not begin with a word that stands in for one.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent / "npcompile"
MODULES = sorted(ROOT.rglob("*.py"))

# No docstring begins with one of these: its subject would be a clause, or something that was said elsewhere.
OPENERS = frozenset(("what", "whether", "how", "that", "so", "such"))
OPENING_PHRASES = ("the same",)
# Nor does a module's with one of these: it would have no subject.
MODULE_OPENERS = frozenset(
    """
    after as at before between by for from if in on since through to when where which while who whose why with
    without
    """.split()
)
LONGEST_PARAGRAPH = 3  # lines of a module docstring's first paragraph

# Verbs that can carry a sentence. Some are nouns as well ("list", "copies"); those that mostly are nouns in
# this project ("calls", "steps", "guards", "names") are left out.
AUXILIARIES = frozenset(
    """
    is are was were has have had does do did can cannot could may might must shall should will would
    """.split()
)
VERBS = frozenset(
    """
    accept add agree allow answer appear apply ask assert assume become begin belong bind bound bring build
    carry catch check choose clone collect combine come compare compile compute connect consist contain
    convert copy count create decide defer define depend describe differ divide draw emit end enter estimate
    evaluate exclude execute explain express feed fill find fold follow forget gather generate get give go
    guarantee handle happen hold import include install keep know lay leave let lie list load look lower make
    match mean measure need notice observe order own parse pass pay perform plan prepare print produce prove
    provide put raise reach read receive recognise recompute record reduce refuse register reject release rely
    remember remove render repeat replace replay report require restore return rewrite run save say see select
    send serve set share show shrink skip solve split stand start stay stop store supply support switch take
    tell test trace track translate try turn understand unpack update use verify wait walk want warn work wrap
    write
    """.split()
)


def third_person(verb: str) -> str:
    if verb.endswith(("s", "sh", "ch", "x", "z", "o")):
        return verb + "es"
    if verb.endswith("y") and verb[-2] not in "aeou":
        return verb[:-1] + "ies"
    return verb + "s"


FINITE = frozenset((*AUXILIARIES, *VERBS, *map(third_person, VERBS)))


def docstrings(tree: ast.Module) -> list[tuple[ast.AST, str]]:
    """Return the modules, classes and functions of a file that have a docstring, with it."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    found = [(node, ast.get_docstring(node)) for node in ast.walk(tree) if isinstance(node, kinds)]
    return [(node, text) for node, text in found if text]


def faults_of_opening(text: str, openers: frozenset[str]) -> list[str]:
    words = re.findall(r"[\w']+", text.lower())
    phrase = " ".join(words[:2])
    if words and words[0] in openers:
        return [f"begins with {words[0]!r}"]
    return [f"begins with {phrase!r}"] if phrase in OPENING_PHRASES else []


def faults_of_module(text: str) -> list[str]:
    """Return what a module docstring lacks: a short first paragraph that has a verb, and a subject first."""
    paragraph = text.split("\n\n")[0]
    plain = re.sub(r"`[^`]*`", " ", paragraph).lower()
    found = faults_of_opening(text, MODULE_OPENERS)
    if len(paragraph.splitlines()) > LONGEST_PARAGRAPH:
        found.append(f"has a first paragraph of more than {LONGEST_PARAGRAPH} lines")
    if FINITE.isdisjoint(re.findall(r"[a-z]+", plain)):
        found.append("has no verb in its first paragraph")
    return found


def faults(source: str) -> list[str]:
    """Return each docstring of a file that does not hold to the rules, as its line and what is wrong."""
    tree = ast.parse(source)
    found = []
    if not ast.get_docstring(tree):
        found.append("1: the module has no docstring")
    for node, text in docstrings(tree):
        line = getattr(node, "lineno", 1)
        wrong = faults_of_opening(text, OPENERS)
        if isinstance(node, ast.Module):
            wrong += faults_of_module(text)
        found += [f"{line}: the docstring {fault}" for fault in wrong]
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_docstrings_are_plain(path: Path) -> None:
    assert faults(path.read_text()) == []


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        '"""What a file does."""',
        '"""Where a file lies."""',
        '"""The same file does this again."""',
        '"""Texts and numbers."""',
        '"""`is` and numbers."""',
        '"""A file\nthat is\ndescribed at\ngreat length."""',
        '"""A file does this."""\ndef f():\n    """Whether it does."""',
        '"""A file does this."""\nclass C:\n    def f(self):\n        """Such objects are returned."""',
    ],
)
def test_faults_are_seen(source: str) -> None:
    assert len(faults(source)) >= 1


@pytest.mark.parametrize(
    "source",
    [
        '"""Constant folding: a call whose inputs are constants becomes its value.\n\nWhat else."""',
        '"""Reads files: it tries several."""\ndef f():\n    """Return what a file holds."""\n    "How"',
    ],
)
def test_plain_docstrings_pass(source: str) -> None:
    assert faults(source) == []
