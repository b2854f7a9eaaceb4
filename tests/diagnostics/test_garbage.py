"""Garbage collections leave out the import's objects alone, and none comes while large trees are made."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from pathlib import Path

import pytest

from npcompile.diagnostics import garbage
from npcompile.frontend.rewrite import source

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
import gc
import weakref

import numpy


class Node:
    pass


def in_a_cycle():
    node = Node()
    node.kept = [{1: (node,)}]
    return node


first, second = in_a_cycle(), in_a_cycle()
gone, kept = weakref.ref(first), weakref.ref(second)
count = len(gc.get_objects())
weakref.finalize(second, print, "at the end").atexit = False
COLLECTING
import npcompile

print(gc.isenabled(), gc.get_freeze_count() > 100_000, abs(len(gc.get_objects()) - count) < 5000)
del first
gc.collect()
print(gone() is None, kept() is second)
"""


@pytest.mark.parametrize("collecting", [True, False])
def test_objects_from_before_the_import_are_collected(collecting: bool) -> None:
    text = PROGRAM.replace("COLLECTING", "" if collecting else "gc.disable()")
    run = subprocess.run([sys.executable, "-c", text], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout == f"{collecting} True True\nTrue True\n", run.stderr


class _Node:
    node: _Node


@pytest.mark.parametrize("most", [0, 10**9], ids=["too many", "few"])
def test_what_the_block_makes_stays_unless_too_much_was_there(
    most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(garbage, "_MOST", most)
    before = _Node()
    before.node = before
    frozen = gc.get_freeze_count()
    try:
        with garbage.made_permanent():
            assert not gc.isenabled()
            within = _Node()
            within.node = within
        assert gc.isenabled() and (gc.get_freeze_count() > frozen) == (most > 0)
        was_before, was_within = weakref.ref(before), weakref.ref(within)
        del before, within
        gc.collect()
        assert was_before() is None and (was_within() is None) == (most == 0)
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("enabled", [True, False])
def test_a_tree_that_is_given_up_is_met_by_no_collection(enabled: bool) -> None:
    collections: list[str] = []

    def note(phase: str, _: object) -> None:
        collections.append(phase)

    lines = [f"def f{number}(x):\n    return [x + {number}, x]\n" for number in range(2000)]
    was_enabled = gc.isenabled()
    (gc.enable if enabled else gc.disable)()
    gc.callbacks.append(note)
    try:
        file = source._file("<made for a test>", "".join(lines).splitlines(keepends=True))
        assert not collections and len(file.ends) == 2000 and gc.isenabled() is enabled
    finally:
        gc.callbacks.remove(note)
        (gc.enable if was_enabled else gc.disable)()
