"""Signatures and guards of the native runtime say what Python's say."""

from __future__ import annotations

import copy
import enum
import itertools
import types
import weakref
from collections import OrderedDict, defaultdict, deque, namedtuple
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from npcompile.frontend.program.aliasing import Overlap
from npcompile.frontend.program.array_facts import facts
from npcompile.frontend.program.code_guards import Codes
from npcompile.frontend.program.guards import ArrayMatches, KeysAre, MethodFunctionIs, TextKeysAre
from npcompile.frontend.program.signature import key_of
from npcompile.lower.native import native

pytestmark = pytest.mark.usefixtures("native_runtime")


# -- signatures ----------------------------------------------------------------------------------------------


class Plain:
    pass


class Slotted:
    __slots__ = ("x",)


class Number(float):
    pass


class Passing:
    """Passes for an object of another class."""

    @property
    def __class__(self) -> type:  # type: ignore[override]
        return enum.Enum


class Asked:
    """Says itself what it holds."""

    def __getattribute__(self, name: str) -> Any:
        return enum.Enum if name == "__class__" else object.__getattribute__(self, name)


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


Pair = namedtuple("Pair", "a b")


def made(count: int) -> Callable[[Any], Any]:
    return lambda x: x + count


def function(x: Any) -> Any:
    return x


X_LIST: list[Any] = []
X = np.arange(12.0).reshape(3, 4)
ARGUMENTS: dict[str, Callable[[], Any]] = {
    "array": lambda: X.copy(),
    "another shape": lambda: X.reshape(4, 3).copy(),
    "transposed": lambda: X.T,
    "Fortran": lambda: np.asfortranarray(X),
    "read-only": lambda: np.broadcast_to(X, (3, 4)),
    "float32": lambda: X.astype("f4"),
    "int64": lambda: X.astype(np.int64),
    "long long": lambda: X.astype(np.longlong),
    "swapped": lambda: X.astype(">f8"),
    "swapped integers": lambda: X.astype(">i8"),
    "strings": lambda: np.array(["a", "bc"]),
    "longer strings": lambda: np.array(["a", "bcd"]),
    "bytes of one": lambda: np.array([b"a", b"b"]),
    "objects": lambda: np.array(["a", None]),
    "days": lambda: np.array(["2020-01-01"], "M8[D]"),
    "seconds": lambda: np.array(["2020-01-01"], "M8[s]"),
    "spans": lambda: np.array([3], "m8[D]"),
    "fields": lambda: np.zeros(2, "i4,f8"),
    "other fields": lambda: np.zeros(2, [("a", "i4"), ("f1", "f8")]),
    "fields within": lambda: np.zeros(2, [("a", [("b", "i4"), ("c", "i4")], 2), ("f1", "f8")]),
    "void": lambda: np.zeros(2, "V3"),
    "a day": lambda: np.datetime64("2020-01-01"),
    "a second": lambda: np.datetime64("2020-01-01", "s"),
    "three seconds": lambda: np.timedelta64(1, "3s"),
    "a string": lambda: np.str_("a"),
    "0-d": lambda: np.array(2.0),
    "float": lambda: 1.5,
    "another float": lambda: 2.5,
    "int": lambda: 7,
    "complex": lambda: 1j,
    "True": lambda: True,
    "False": lambda: False,
    "None": lambda: None,
    "np.float64": lambda: np.float64(2),
    "np.float32": lambda: np.float32(2),
    "np.bool": lambda: np.bool_(True),
    "text": lambda: "abc",
    "another text": lambda: "abd",
    "wide text": lambda: "ab\u0441",
    "bytes": lambda: b"abc",
    "empty tuple": tuple,
    "empty list": list,
    "empty dict": dict,
    "list": lambda: [X, 1.5],
    "tuple": lambda: (X, 1.5),
    "nested": lambda: [(X, [1, 2.0]), {"a": {"b": X}}],
    "nested otherwise": lambda: [(X, [1]), 2.0, {"a": {"b": X}}],
    "dict": lambda: {"x": X, "t": 0.5},
    "dict the other way": lambda: {"t": 0.5, "x": X},
    "dict with other keys": lambda: {"x": X, "u": 0.5},
    "dict by numbers": lambda: {1: X, 2: 0.5},
    "object": Plain,
    "slots": Slotted,
    "float of a class": lambda: Number(1.5),
    "named tuple": lambda: Pair(X, 1.0),
    "passing": Passing,
    "asked": Asked,
    "member": lambda: Colour.RED,
    "other member": lambda: Colour.BLUE,
    "class": lambda: Plain,
    "other class": lambda: Slotted,
    "function": lambda: function,
    "made": lambda: made(1),
    "made otherwise": lambda: made(2),
    "method": lambda: X.sum,
    "method of a list": lambda: X_LIST.append,
    "another of a list": lambda: X_LIST.extend,
    "method of another list": lambda: [].append,
    "method of a deque": lambda: deque().append,
    "own method": lambda: Plain().__init__,
    "bound": lambda: types.MethodType(function, X),
    "builtin": lambda: len,
    "ufunc": lambda: np.add,
    "other ufunc": lambda: np.multiply,
    "numpy function": lambda: np.sum,
    "dtype": lambda: np.dtype("f4"),
    "module": lambda: np,
    "slice": lambda: slice(1, 2),
    "range": lambda: range(3),
    "set": lambda: {1, 2},
    "deque": lambda: deque([1]),
    "generator": lambda: np.random.default_rng(0),
    "tensor": lambda: torch.ones(3),
    "Ellipsis": lambda: ...,
    "proxy": lambda: weakref.proxy(KEPT),
}
KEPT = Plain()


def found(args: tuple[Any, ...]) -> tuple[Any, Any, Any, Any]:
    """What Python and what the native runtime say of arguments: key, leaves, text, leaves."""
    leaves: list[Any] = []
    key = tuple(key_of(arg, leaves) for arg in args)
    said = native.loaded().signature(args)
    return (key, leaves, *(said or (None, None)))


def test_the_native_signature_has_the_leaves_of_pythons_and_tells_no_less_apart() -> None:
    seen = {name: found((make(),)) for name, make in ARGUMENTS.items()}
    again = {name: found((make(),)) for name, make in ARGUMENTS.items()}
    for name, (_, leaves, text, native_leaves) in seen.items():
        if text is not None:
            assert [id(leaf) for leaf in leaves] == [id(leaf) for leaf in native_leaves], name
    every = [*seen.items(), *again.items()]
    for (name, one), (other_name, other) in itertools.combinations(every, 2):
        if one[2] is not None and one[2] == other[2]:
            assert one[0] == other[0], (name, other_name)
    left = {name for name, one in seen.items() if one[2] is None}
    assert left == {
        *("a string", "dict by numbers", "passing", "asked", "slice", "tensor", "proxy"),
    }


def test_fields_that_are_named_anew_in_place_are_others() -> None:
    array = np.zeros(2, [("a", [("b", "i4"), ("c", "f4")]), ("d", "f8")])
    texts = [found((array,))[2]]
    array.dtype.names = ("e", "d")
    texts.append(found((array,))[2])
    array.dtype["e"].names = ("c", "b")
    texts.append(found((array,))[2])
    assert None not in texts and len(set(texts)) == 3


def test_arguments_one_after_the_other_are_not_taken_for_others() -> None:
    makes = [ARGUMENTS[name] for name in ("list", "tuple", "dict", "float", "text", "None", "0-d", "nested")]
    seen: dict[bytes, Any] = {}
    for count in (1, 2, 3):
        for chosen in itertools.product(makes, repeat=count):
            key, leaves, text, native_leaves = found(tuple(make() for make in chosen))
            assert len(leaves) == len(native_leaves)
            assert seen.setdefault(text, key) == key


def test_what_is_too_deep_or_too_long_is_left_to_python() -> None:
    deep: Any = X
    for _ in range(40):
        deep = [deep]
    assert native.loaded().signature((deep,)) is None
    endless: list[Any] = []
    endless.append(endless)
    assert native.loaded().signature((endless,)) is None
    many = {f"layer {k}": X for k in range(300)}
    _, leaves = native.loaded().signature((many,))
    assert len(leaves) == 301 and leaves[0] is many
    assert native.loaded().signature(([X] * 5000,)) is None
    with pytest.raises(TypeError):
        native.loaded().signature([X])


# -- guards --------------------------------------------------------------------------------------------------


def test_native_guards_on_arrays_decide_as_pythons_do() -> None:
    arrays = [make() for name, make in ARGUMENTS.items() if isinstance(make(), np.ndarray)]
    others = [1.5, None, [X], np.float64(1), torch.ones(3)]
    for array in arrays:
        guard = ArrayMatches(facts(array))
        quick = guard.native(native.loaded())
        for value in (*arrays, *others):
            assert quick(value) is guard(value)


def test_native_guards_on_memory_decide_as_pythons_do() -> None:
    base = np.zeros(100)
    views = [
        base,
        base[:50],
        base[50:],
        base[10:60],
        base[::-1],
        base[::2],
        base[1::2],
        base[:0],
        base[60:70][::-1],
    ]
    views += [
        np.zeros(4),
        base.reshape(10, 10)[:, 3:5],
        base[3:4].reshape(()),
        np.broadcast_to(base[99:], (5,)),
    ]
    for distance in (None, 0, 80, 400, -400):
        overlap = Overlap(((0, 1, distance),))
        quick = native.loaded().OverlapGuard(overlap, overlap.pairs)
        for one, other in itertools.product(views, repeat=2):
            assert quick(one, other) is Overlap(overlap.pairs)(one, other), (distance, one, other)


def test_native_guards_on_dicts_decide_as_pythons_do() -> None:
    dicts: list[Any] = [
        {"a": 1, "b": 2},
        {"b": 2, "a": 1},
        {"a": 1},
        {},
        {1: 0},
        {1.0: 0},
        {True: 0},
        {(1, "a"): 0},
    ]
    dicts += [{"".join(("long ", "key")): 0}, OrderedDict(a=1, b=2), defaultdict(int, {"a": 1, "b": 2})]
    dicts += [{float("nan"): 0}, {1.5: 0}, {(1, True): 0}, {(1, 1): 0}, {(1, "a"): 0}]
    others = [1.5, None, [X], X, ("a", "b")]
    for one, kind in itertools.product(dicts, (TextKeysAre, KeysAre)):
        guard = kind(tuple(one))
        quick = guard.native(native.loaded())
        for value in (*dicts, *map(copy.copy, dicts), *({f"{key}": 0} for key in ("a", "long key")), *others):
            assert quick(value) is guard(value), (kind, one, value)


def test_native_guards_on_methods_and_codes_decide_as_pythons_do() -> None:
    methods = [
        Plain().__init__,
        X.sum,
        types.MethodType(function, X),
        types.MethodType(made(1), X),
        function,
        1,
    ]
    for method in methods:
        guard = MethodFunctionIs(getattr(method, "__func__", None))
        quick = guard.native(native.loaded())
        for value in methods:
            assert quick(value) is guard(value), (method, value)
    one, other = made(1), function
    codes = Codes(((one, one.__code__), (other, other.__code__)))
    quick = native.loaded().CodesGuard(codes, codes.pairs)
    assert quick() is codes() is True
    before, one.__code__ = one.__code__, made(2).__code__.replace(co_name="another")
    assert quick() is codes() is False
    one.__code__ = before
    assert quick() is codes() is True
    for kind, bad in (("CodesGuard", (1, 2)), ("CodesGuard", [()]), ("KeysGuard", ["a"])):
        with pytest.raises(TypeError):
            getattr(native.loaded(), kind)(codes, bad)
