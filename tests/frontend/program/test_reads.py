"""Every kind of read gives one value in both its forms: when it is called, and as text of a replay.

The table has a row for each class; a class without a row fails `test_each_kind_has_a_row`.
"""

from __future__ import annotations

import contextvars
import tempfile
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch

from npcompile.frontend.program import object_steps, reads
from npcompile.frontend.program.object_steps import Append, Store, StoreAttribute, StoreItem
from npcompile.frontend.program.reads import (
    Length,
    Read,
    ReadAttribute,
    ReadCell,
    ReadClassAttribute,
    ReadDefaults,
    ReadGlobal,
    ReadHasAttribute,
    ReadIsSubclass,
    ReadItem,
    ReadKeywordDefaults,
    ReadMemmap,
    ReadMethodResult,
    ReadStatic,
    ReadTensor,
)

VARIABLE = contextvars.ContextVar("VARIABLE", default=3)
SCALE = 2.5


class Held:
    """An object of the user's, with a class method and an attribute of its own."""

    kind = "held"

    def __init__(self) -> None:
        self.own = [1, 2]

    @classmethod
    def made(cls) -> Held:
        return cls()


def scaled(x: float, by: float = 2.0, *, more: float = 1.0) -> float:
    return x * by + more


def cell_of(value: Any) -> Any:
    closure = (lambda: value).__closure__
    assert closure is not None
    return closure[0]


HELD = Held()
TENSOR = torch.arange(3.0)


def mapped() -> np.ndarray[Any, Any]:
    with tempfile.TemporaryFile() as file:
        return np.memmap(file, np.float64, "w+", shape=(3,))


class Row(NamedTuple):
    """A read, the value that it is called with (None: none), the value that it gives, and its words."""

    read: Read
    base: Any
    value: Any
    words: str


ROWS = [
    Row(ReadGlobal("SCALE", globals()), None, SCALE, "SCALE"),
    Row(ReadCell("value", cell_of(7)), None, 7, "value"),
    Row(ReadDefaults("scaled", scaled), None, (2.0,), "scaled.__defaults__"),
    Row(ReadKeywordDefaults("scaled", scaled), None, {"more": 1.0}, "scaled.__kwdefaults__"),
    Row(ReadClassAttribute("kind", Held), None, "held", "Held.kind"),
    Row(ReadStatic("made", Held), None, Held.__dict__["made"], "Held.made"),
    Row(ReadHasAttribute("kind", Held), None, True, "hasattr(Held, 'kind')"),
    Row(ReadHasAttribute("gone", Held), None, False, "hasattr(Held, 'gone')"),
    Row(ReadIsSubclass(bool, int), None, True, "issubclass(bool, int)"),
    Row(ReadAttribute("own"), HELD, HELD.own, "base.own"),
    Row(ReadItem(1), [1, 2], 2, "base[1]"),
    Row(ReadItem((1, "a")), {(1, "a"): 2}, 2, "base[(1, 'a')]"),
    Row(ReadMethodResult("get"), VARIABLE, 3, "base.get()"),
    Row(ReadTensor("numpy"), TENSOR, np.arange(3.0, dtype="f4"), "base.numpy()"),
    Row(ReadMemmap("view"), mapped(), np.zeros(3), "base.view(np.ndarray)"),
]


class Text:
    """Names the objects of one read, as the writer of a replay does."""

    def __init__(self) -> None:
        self.space: dict[str, Any] = {}

    def constant(self, value: Any, name: str = "k") -> str:
        key = f"__{name}{len(self.space)}"
        self.space[key] = value
        return key

    def arg(self, value: Any) -> str:
        return value if value in ("obj", "value") else self.constant(value)

    leaf = arg


def kinds() -> Iterator[type[Read]]:
    for kind in vars(reads).values():
        if isinstance(kind, type) and issubclass(kind, Read) and kind is not Read:
            yield kind


def is_value(found: Any, value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return type(found) is np.ndarray and found.dtype == value.dtype and np.array_equal(found, value)
    return type(found) is type(value) and found == value


def name_of(row: Row) -> str:
    return type(row.read).__name__


@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.__name__)
def test_each_kind_has_a_row(kind: type[Read]) -> None:
    assert any(type(row.read) is kind for row in ROWS)


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_both_forms_give_the_value(row: Row) -> None:
    assert is_value(row.read() if row.base is None else row.read(row.base), row.value)
    text = Text()
    expression = row.read.expression(text, "" if row.base is None else "base")
    assert is_value(eval(expression, {**text.space, "base": row.base}), row.value), expression


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_words(row: Row) -> None:
    assert row.read.words("" if row.base is None else "base") == row.words


def test_a_length_is_an_axis_of_an_array() -> None:
    array = np.zeros((2, 3))
    assert Length(1)(array) == eval(Length(1).words("array")) == 3


# -- stores --------------------------------------------------------------------------------------------------


STORES: list[tuple[Store, Any, Any, str]] = [
    (StoreAttribute("own"), Held, [7], "obj.own = value"),
    (StoreItem((1, "a")), dict, {(1, "a"): 7}, "obj[(1, 'a')] = value"),
    (Append(), list, [7], "obj.append(value)"),
]


@pytest.mark.parametrize(("store", "make", "after", "words"), STORES, ids=lambda one: type(one).__name__)
def test_a_store_does_as_its_text(store: Store, make: Any, after: Any, words: str) -> None:
    value: Any = [7] if make is Held else 7
    called, written = make(), make()
    store(called, value)
    text = Text()
    exec(store.statement(text, "obj", "value"), {**text.space, "obj": written, "value": value})
    for obj in (called, written):
        assert (obj.own if make is Held else obj) == after
    assert store.words("obj", "value") == words


def test_each_kind_of_store_is_tested() -> None:
    found = {one for one in vars(object_steps).values() if isinstance(one, type) and issubclass(one, Store)}
    assert found == {Store, *(type(store) for store, *_ in STORES)}
