"""Every kind of guard decides alike in all its forms: its check, its text in a replay, its native form.

The table has one row or more for each class; a class without a row fails `test_each_kind_has_a_row`.
"""

from __future__ import annotations

import types
from collections import OrderedDict, defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest

from npcompile.frontend.program import guards
from npcompile.frontend.program.array_facts import facts, outline
from npcompile.frontend.program.guards import (
    ArrayMatches,
    AttributeAbsent,
    CodeIs,
    ContentsEqual,
    DifferentObjects,
    Guard,
    InRange,
    IsNotObject,
    IsObject,
    KeysAre,
    LengthIs,
    MembersAre,
    MethodFunctionIs,
    OutlineMatches,
    PropertyIs,
    Resizable,
    SameObject,
    ShapeIs,
    SizeEquals,
    TextKeysAre,
    TruthIs,
    TypeIs,
    ValueEquals,
    ValuesEqual,
    keys_are,
)
from npcompile.lower.native import native

pytestmark = pytest.mark.usefixtures("native_runtime")


class Held:
    """An object of the user's: with an attribute, a property and methods."""

    kind = "held"

    def __init__(self) -> None:
        self.own = 1

    @property
    def scale(self) -> float:
        return 2.0

    def doubled(self) -> int:
        return 2 * self.own


class Other(Held):
    @property
    def scale(self) -> float:
        return 3.0

    def doubled(self) -> int:
        return 4


def made(k: int) -> types.FunctionType:
    def inner() -> int:
        return k

    return inner


def another() -> int:
    return 0


X = np.arange(6.0).reshape(2, 3)
LONG = np.arange(600.0).reshape(200, 3)
READ_ONLY = np.arange(6.0).reshape(2, 3)
READ_ONLY.flags.writeable = False
NAN = float("nan")
ONE, TWO = Held(), Other()
SOME: list[Any] = [1]


class Row(NamedTuple):
    """A guard, and tuples of values for which it holds and for which it fails."""

    guard: Guard
    holds: list[tuple[Any, ...]]
    fails: list[tuple[Any, ...]]


ROWS = [
    Row(ValueEquals(3), [(3,)], [(4,), (3.0,), (True,), (np.int64(3),), ("3",), (None,)]),
    Row(ValueEquals(2**3000), [(2**3000,)], [(2**3000 + 1,), (3,)]),
    Row(ValueEquals(2.5), [(2.5,)], [(2.0,), (np.float64(2.5),), (NAN,)]),
    Row(ValueEquals(0.0), [(0.0,)], [(-0.0,), (0,), (False,), (1.0,)]),
    Row(ValueEquals(-0.0), [(-0.0,)], [(0.0,)]),
    Row(ValueEquals(NAN), [(float("nan"),)], [(1.0,), (None,)]),
    Row(ValueEquals(np.float64(0.5)), [(np.float64(0.5),)], [(0.5,), (np.float32(0.5),)]),
    Row(ValueEquals(1j), [(1j,)], [(1.0,), (-1j,)]),
    Row(ValueEquals(True), [(True,)], [(False,), (1,), (np.True_,)]),
    Row(ValueEquals(None), [(None,)], [(0,), (False,)]),
    Row(ValueEquals("a'b"), [("a'b",)], [("a",), (b"a'b",), (None,)]),
    Row(ValueEquals(b"a"), [(b"a",)], [("a",), (b"b",)]),
    Row(ValuesEqual(), [(3, 3), (2**70, 2**70)], [(3, 4), (3, 3.0), (1, True)]),
    Row(
        ContentsEqual((1, "a", (2, None))),
        [((1, "a", (2, None)),)],
        [((1, "a", (2.0, None)),), ((1, "a"),), ([1, "a", (2, None)],), ((True, "a", (2, None)),)],
    ),
    Row(
        ContentsEqual(slice(0, 3)), [(slice(0, 3),)], [(slice(0, 4),), (slice(0, 3, 1),), (slice(False, 3),)]
    ),
    Row(TruthIs(True), [(1,), ([0],), (np.True_,)], [(0,), ([],), (None,)]),
    Row(TruthIs(False), [(0.0,), ("",)], [(2,), (np.True_,)]),
    Row(InRange(2, 2**63 - 1), [(2,), (2**63 - 1,), (np.int64(7),)], [(1,), (2**63,), (-5,)]),
    Row(InRange(-1.5, 1.5), [(0,), (-1.5,)], [(1.6,), (NAN,)]),
    Row(IsObject(SOME), [(SOME,)], [([1],), (None,)]),
    Row(IsObject(globals()), [(globals(),)], [({},)]),
    Row(IsNotObject(SOME), [([1],)], [(SOME,)]),
    Row(SameObject(), [(SOME, SOME), (X, X)], [(SOME, [1]), (X, X[:])]),
    Row(DifferentObjects(), [(SOME, [1]), (X, X[:])], [(SOME, SOME)]),
    Row(TypeIs(float), [(2.0,)], [(2,), (np.float64(2),), (None,)]),
    Row(TypeIs(Held), [(ONE,)], [(TWO,)]),
    Row(
        MethodFunctionIs(Held.doubled),
        [(ONE.doubled,), (types.MethodType(Held.doubled, X),)],
        [(TWO.doubled,), (Held.doubled,), (X.sum,), (1,)],
    ),
    Row(CodeIs(made(1).__code__), [(made(1),), (made(2),)], [(another,), (len,), (ONE.doubled,)]),
    Row(PropertyIs("scale", Held.__dict__["scale"]), [(ONE,)], [(TWO,), (1,)]),
    Row(PropertyIs("kind", "held"), [(ONE,), (TWO,)], [(1,)]),
    Row(AttributeAbsent("gone"), [(ONE,), (1,)], [(types.SimpleNamespace(gone=1),)]),
    Row(AttributeAbsent("own"), [(Held,)], [(ONE,)]),
    Row(SizeEquals(7), [(7,)], [(8,), (7.0,), (np.int64(7),)]),
    Row(
        ArrayMatches(facts(X)),
        [(X,), (X.copy(),)],
        [(X.T,), (X.astype("f4"),), (READ_ONLY,), (X[:1],), (LONG[:2, ::-1],), (6.0,), ([1.0],), (None,)],
    ),
    Row(ArrayMatches(facts(LONG[::-1])), [(LONG[::-1],)], [(LONG,), (LONG[::2],)]),
    Row(OutlineMatches(outline(X)), [(X,), (LONG,)], [(X[0],), (X.astype("f4"),), (READ_ONLY,), (1,)]),
    Row(ShapeIs((2, 3)), [(X,), (X.astype("f4"),)], [(X.T,), (X[:1],), (X[0],)]),
    Row(LengthIs(2), [([1, 2],), ({1: 2, 3: 4},), (X,)], [([],), ((1, 2, 3),), (LONG,)]),
    Row(
        TextKeysAre(("a", "b")),
        [({"a": 1, "b": 2},), (OrderedDict(a=1, b=2),), ({"".join(["a"]): 1, "b": 0},)],
        [({"b": 1, "a": 2},), ({"a": 1},), ({},), (("a", "b"),), ({1: 2, 3: 4},)],
    ),
    Row(
        KeysAre((1, ("a", True))),
        [({1: 0, ("a", True): 0},), (defaultdict(int, {1: 0, ("a", True): 0}),)],
        [({1.0: 0, ("a", True): 0},), ({1: 0, ("a", 1): 0},), ({("a", True): 0, 1: 0},), ([1],)],
    ),
    Row(MembersAre(set, (1, 2)), [({1, 2},)], [({1},), (frozenset({1, 2}),), ({1.0, 2},), ([1, 2],)]),
]
NAMES = ("value", "other")


class Text:
    """Names the objects of one condition, as the writer of a replay does."""

    def __init__(self) -> None:
        self.space: dict[str, Any] = {}

    def constant(self, value: Any, name: str = "k") -> str:
        key = f"__{name}{len(self.space)}"
        self.space[key] = value
        return key

    def arg(self, value: Any) -> str:
        return repr(value) if type(value) in (float, str) else self.constant(value)


def kinds() -> Iterator[type[Guard]]:
    """Yield the classes of guards that a recording makes."""
    for kind in vars(guards).values():
        if isinstance(kind, type) and issubclass(kind, Guard) and kind not in (Guard, Resizable):
            yield kind


def name_of(row: Row) -> str:
    return type(row.guard).__name__


def cases(row: Row) -> Iterator[tuple[tuple[Any, ...], bool]]:
    """Yield the values of a row, and the answer for each."""
    for values in row.holds:
        yield values, True
    for values in row.fails:
        yield values, False


@pytest.mark.parametrize("kind", list(kinds()), ids=lambda kind: kind.__name__)
def test_each_kind_has_a_row(kind: type[Guard]) -> None:
    rows = [row for row in ROWS if type(row.guard) is kind]
    assert any(row.holds for row in rows) and any(row.fails for row in rows)


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_the_check_decides(row: Row) -> None:
    for values, holds in cases(row):
        assert row.guard(*values) is holds, values


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_the_text_of_a_replay_decides_alike(row: Row) -> None:
    for values, holds in cases(row):
        other = "other" if len(values) == 2 else ""
        text = Text()
        condition = row.guard.failure(text, "value", other, False)
        space = {**text.space, **dict(zip(NAMES, values, strict=False))}
        assert bool(eval(condition, space)) is not holds, (condition, values)


@pytest.mark.parametrize("row", [row for row in ROWS if type(row.guard) is ValueEquals], ids=name_of)
def test_of_an_argument_the_type_is_known(row: Row) -> None:
    expected = row.guard.expected  # type: ignore[attr-defined]
    for (value,), holds in cases(row):
        if type(value) is type(expected):
            text = Text()
            condition = row.guard.failure(text, "value", "", True)
            assert bool(eval(condition, {**text.space, "value": value})) is not holds, (condition, value)


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_the_native_form_decides_alike(row: Row) -> None:
    form = row.guard.native(native.loaded())
    for values, holds in cases(row):
        assert form(*values) is holds, values


def test_some_kinds_have_a_native_form() -> None:
    module = native.loaded()
    have = {type(row.guard) for row in ROWS if row.guard.native(module) is not row.guard}
    assert have == {ArrayMatches, MethodFunctionIs, TextKeysAre, KeysAre}


@pytest.mark.parametrize("row", ROWS, ids=name_of)
def test_the_words_name_the_values(row: Row) -> None:
    words = row.guard.words("a_value", "another")
    assert "a_value" in words
    assert ("another" in words) is (len(row.holds[0]) == 2)


def test_keys_are_known_by_their_text_where_all_are_text() -> None:
    assert type(keys_are(("a", "b"))) is TextKeysAre
    assert type(keys_are(())) is TextKeysAre
    assert type(keys_are(("a", 1))) is KeysAre


# -- lengths that may differ ---------------------------------------------------------------------------------


def test_a_guard_on_a_length_takes_others() -> None:
    guard = SizeEquals(7)
    assert guard.is_resizable and guard.lengths() == (7,) and SizeEquals(1).lengths() == ()
    found = guard.renewed(9)
    assert type(found) is SizeEquals and found(9) and guard.differs_in_lengths_alone(found)
    assert guard.renewed(7.0) is None
    assert not guard.differs_in_lengths_alone(SizeEquals(1))  # 0 and 1 are never as other lengths


def test_a_guard_on_an_array_takes_other_lengths() -> None:
    guard = ArrayMatches(facts(X))
    assert guard.is_resizable and guard.lengths() == (2, 3)
    found = guard.renewed(LONG)
    assert type(found) is ArrayMatches and found(LONG) and guard.differs_in_lengths_alone(found)
    assert guard.renewed(1.0) is None
    for unlike in (X.astype("f4"), X[:1], X.T, READ_ONLY, X[0]):
        assert not guard.differs_in_lengths_alone(ArrayMatches(facts(unlike))), unlike
    assert not ArrayMatches(facts(LONG[::2])).is_resizable  # in neither order
