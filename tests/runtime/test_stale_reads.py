"""Never a stale answer: what a function reads from outside, changed between two calls, changes the next.

One row of `OUTSIDE` is one kind of read: the function that reads, and the change. To add a kind, add a row.
"""

from __future__ import annotations

import math
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import npcompile
from tests.checker import same

X = np.arange(1.0, 7.0).reshape(2, 3)


@pytest.fixture(autouse=True)
def interpreter(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    yield


# The functions below read these. `restore` brings them all back.
module = types.ModuleType("settings_of_test_stale")
G_ARRAY: Any = None
G_NUMBER: Any = None
G_FLAG: Any = None
G_FUNCTION: Any = None
G_LIST: Any = None
G_DICT: Any = None
G_TUPLE: Any = None
G_OBJECT: Any = None
G_TEXT: Any = None
G_DTYPE: Any = None
G_NONE: Any = None
G_SCALAR: Any = None


def doubled(a):
    return a * 2


def tripled(a):
    return a * 3


def calls_global(a):
    return G_FUNCTION(a)


def with_default(a, k=2.0):
    return a * k


def with_keyword(a, *, k=2.0):
    return a * k


class Base:
    factor = 2.0
    mode = "sum"

    def __init__(self) -> None:
        self.weight = 3.0
        self.table = np.ones(3)
        self.inner = types.SimpleNamespace(bias=1.0, items=[1.0, 2.0])
        self.items = {"k": np.ones(3), "n": 4}

    def method(self, a):
        return a * self.weight

    @property
    def half(self):
        return self.weight / 2

    def __call__(self, a):
        return a + self.weight

    def __bool__(self):
        return self.weight > 2

    def __len__(self):
        return int(self.weight)

    def __getitem__(self, index):
        return self.weight + index

    @classmethod
    def scaled(cls, a):
        return a * cls.factor


class Other(Base):
    def method(self, a):
        return a - self.weight


class Scaled(Base):
    factor = 7.0


def restore() -> None:
    space = globals()
    space.update(G_ARRAY=np.ones(3), G_NUMBER=2.0, G_FLAG=True, G_FUNCTION=doubled, G_LIST=[1.0, np.ones(3)])
    space.update(G_DICT={"a": np.ones(3), "n": 2}, G_TUPLE=(1.0, 2.0), G_OBJECT=Base(), G_TEXT="sum")
    space.update(G_DTYPE=np.dtype("f4"), G_NONE=None, G_SCALAR=np.float64(2.0))
    module.scale, module.fn, module.table = 2.0, doubled, np.ones(3)  # type: ignore[attr-defined]
    with_default.__defaults__ = (2.0,)
    with_keyword.__kwdefaults__ = {"k": 2.0}
    Base.factor, Base.mode = 2.0, "sum"
    if hasattr(Base, "extra"):
        del Base.extra


restore()


def change(name: str, value: Any) -> Callable[[], None]:
    def run() -> None:
        globals()[name] = value

    return run


def closure() -> tuple[Callable[..., Any], Callable[[], None]]:
    k = 2.0
    table = np.ones(3)
    helper = doubled

    def fn(x):
        return helper(x) * k + table

    def later() -> None:
        nonlocal k, table, helper
        k, table, helper = 5.0, np.zeros(3), tripled

    return fn, later


def in_place(name: str) -> Callable[[], None]:
    def run() -> None:
        globals()[name][...] = 7.0

    return run


def attribute(name: str, value: Any) -> Callable[[], None]:
    return lambda: setattr(G_OBJECT, name, value)


def attribute_gone(name: str) -> Callable[[], None]:
    return lambda: delattr(G_OBJECT, name)


def defaults() -> None:
    with_default.__defaults__ = (5.0,)


def keyword_defaults() -> None:
    with_keyword.__kwdefaults__ = {"k": 5.0}


def in_a_loop(x):
    for i in range(5):
        x = x * 0.5 + G_NUMBER * i
    return x


def attribute_in_a_loop(x):
    for _ in range(5):
        x = x + G_OBJECT.table
        if G_FLAG:
            x = x * G_OBJECT.weight
    return x


def function_in_a_loop(x):
    for _ in range(5):
        x = G_FUNCTION(x) - with_default(x)
    return x


def caught(x):
    try:
        return x * G_OBJECT.extra
    except AttributeError:
        return x


def call(name: str, *args: Any) -> Callable[[], None]:
    """Do something to a global, found by name when the time has come: `call("G_LIST.append", 3.0)`."""

    def run() -> None:
        first, *rest = name.split(".")
        found = globals()[first]
        for part in rest:
            found = getattr(found, part)
        found(*args)

    return run


def _ufunc_loop(x):
    return np.add.reduce(x) * G_NUMBER


OUTSIDE: dict[str, tuple[Callable[..., Any], Callable[[], None]]] = {
    "global array": (lambda x: x + G_ARRAY, change("G_ARRAY", np.zeros(3))),
    "global array, in place": (lambda x: x + G_ARRAY, in_place("G_ARRAY")),
    "global array, other dtype": (lambda x: x + G_ARRAY, change("G_ARRAY", np.ones(3, "c16"))),
    "global array, other shape": (lambda x: x + G_ARRAY, change("G_ARRAY", np.ones((4, 1, 3)))),
    "global array, other strides": (lambda x: x + G_ARRAY, change("G_ARRAY", np.arange(6.0)[::-2])),
    "global array becomes a number": (lambda x: x + G_ARRAY, change("G_ARRAY", 3.0)),
    "global number": (lambda x: x * G_NUMBER, change("G_NUMBER", 3.0)),
    "global number, its type": (lambda x: x.astype(int) * G_NUMBER, change("G_NUMBER", 3)),
    "global number, its sign of zero": (lambda x: x / (0 * G_NUMBER), change("G_NUMBER", -2.0)),
    "global number that decides": (lambda x: x if G_NUMBER > 1 else -x, change("G_NUMBER", 0.5)),
    "global NumPy scalar": (lambda x: x * G_SCALAR, change("G_SCALAR", np.float64(3))),
    "global NumPy scalar, its dtype": (
        lambda x: x.astype("f4") * G_SCALAR,
        change("G_SCALAR", np.float32(2)),
    ),
    "global flag": (lambda x: x if G_FLAG else -x, change("G_FLAG", False)),
    "global text": (lambda x: getattr(x, G_TEXT)(), change("G_TEXT", "max")),
    "global text compared": (lambda x: x if G_TEXT == "sum" else -x, change("G_TEXT", "max")),
    "global dtype": (lambda x: x.astype(G_DTYPE), change("G_DTYPE", np.dtype("f8"))),
    "global None": (lambda x: x if G_NONE is None else x + G_NONE, change("G_NONE", 2.0)),
    "global function": (lambda x: G_FUNCTION(x), change("G_FUNCTION", tripled)),
    "global function of NumPy": (lambda x: G_FUNCTION(x), change("G_FUNCTION", np.sin)),
    "global function, two deep": (lambda x: calls_global(x), change("G_FUNCTION", tripled)),
    "global function as an argument": (
        lambda x: np.apply_along_axis(G_FUNCTION, 0, x),
        change("G_FUNCTION", tripled),
    ),
    "global class": (lambda x: G_OBJECT.method(x), change("G_OBJECT", Other())),
    "list, an item": (lambda x: x * G_LIST[0], call("G_LIST.__setitem__", 0, 5.0)),
    "list, an array in it": (lambda x: x * G_LIST[1], call("G_LIST.__setitem__", 1, np.zeros(3))),
    "list, its length": (lambda x: x * len(G_LIST), call("G_LIST.append", 1.0)),
    "list, walked": (lambda x: [x * item for item in G_LIST], call("G_LIST.append", 1.0)),
    "list, as an array": (lambda x: x * np.array(G_LIST[:1]), call("G_LIST.__setitem__", 0, 5.0)),
    "list, unpacked": (lambda x: np.add(x, *G_LIST[:1]), call("G_LIST.__setitem__", 0, 5.0)),
    "list, replaced": (lambda x: x * G_LIST[0], change("G_LIST", [5.0, np.ones(3)])),
    "list, asked": (lambda x: x if 5.0 in G_LIST[:1] else -x, call("G_LIST.insert", 0, 5.0)),
    "dict, an item": (lambda x: x * G_DICT["n"], call("G_DICT.__setitem__", "n", 5)),
    "dict, an array in it": (lambda x: x * G_DICT["a"], call("G_DICT.__setitem__", "a", np.zeros(3))),
    "dict, get": (lambda x: x * G_DICT.get("m", 1.0), call("G_DICT.__setitem__", "m", 5.0)),
    "dict, asked": (lambda x: x if "m" in G_DICT else -x, call("G_DICT.__setitem__", "m", 5.0)),
    "dict, walked": (lambda x: [x * item for item in G_DICT.values()], call("G_DICT.__setitem__", "m", 5.0)),
    "dict, get of what is there": (
        lambda x: x * G_DICT.get("n", 1.0),
        call("G_DICT.__setitem__", "n", 5),
    ),
    "dict, get of an array": (
        lambda x: x * G_DICT.get("a", 1.0),
        call("G_DICT.__setitem__", "a", np.zeros(3)),
    ),
    "dict, get of what goes": (lambda x: x * G_DICT.get("n", 7.0), call("G_DICT.pop", "n")),
    "dict, an item walked": (lambda x: [x * i for i in G_DICT.values()], call("G_DICT.__setitem__", "n", 5)),
    "dict, its keys": (lambda x: (x, [*G_DICT.keys()]), call("G_DICT.__setitem__", "m", 5.0)),
    "dict, the order of its keys": (
        lambda x: [x * item for item in G_DICT.values()],
        lambda: G_DICT.__setitem__("a", G_DICT.pop("a")),
    ),
    "dict, items": (
        lambda x: {key: x * item for key, item in G_DICT.items()},
        call("G_DICT.__setitem__", "n", 5),
    ),
    "dict, a copy": (lambda x: x * {**G_DICT.copy()}["n"], call("G_DICT.__setitem__", "n", 5)),
    "dict, its length": (lambda x: x * len(G_DICT), call("G_DICT.__setitem__", "m", 5.0)),
    "tuple": (lambda x: x * G_TUPLE[0], change("G_TUPLE", (5.0, 2.0))),
    "tuple, sum": (lambda x: x * sum(G_TUPLE), change("G_TUPLE", (5.0, 2.0))),
    "module, a number": (lambda x: x * module.scale, lambda: setattr(module, "scale", 5.0)),
    "module, a function": (lambda x: module.fn(x), lambda: setattr(module, "fn", tripled)),
    "module, an array": (lambda x: x * module.table, lambda: setattr(module, "table", np.zeros(3))),
    "module, an array in place": (lambda x: x * module.table, lambda: module.table.fill(0)),
    "default argument": (lambda x: with_default(x), defaults),
    "default of a keyword": (lambda x: with_keyword(x), keyword_defaults),
    "a number in a loop": (in_a_loop, change("G_NUMBER", 3.0)),
    "an attribute in a loop": (attribute_in_a_loop, attribute("table", np.zeros(3))),
    "a number's attribute in a loop": (attribute_in_a_loop, attribute("weight", 5.0)),
    "a flag in a loop": (attribute_in_a_loop, change("G_FLAG", False)),
    "a function in a loop": (function_in_a_loop, change("G_FUNCTION", tripled)),
    "a default in a loop": (function_in_a_loop, defaults),
    "an attribute that was missing": (caught, attribute("extra", 5.0)),
    "truth of an object": (lambda x: x if G_OBJECT else -x, attribute("weight", 1.0)),
    "length of an object": (lambda x: x * len(G_OBJECT), attribute("weight", 5.0)),
    "item of an object": (lambda x: x * G_OBJECT[1], attribute("weight", 5.0)),
    "class method": (lambda x: G_OBJECT.scaled(x), lambda: setattr(Base, "factor", 5.0)),
    "attribute, a number": (lambda x: x * G_OBJECT.weight, attribute("weight", 5.0)),
    "attribute, an array": (lambda x: x * G_OBJECT.table, attribute("table", np.zeros(3))),
    "attribute of an attribute": (
        lambda x: x * G_OBJECT.inner.bias,
        call("G_OBJECT.inner.__setattr__", "bias", 5.0),
    ),
    "item of an attribute": (lambda x: x * G_OBJECT.items["n"], call("G_OBJECT.items.__setitem__", "n", 5)),
    "items of an attribute of an attribute": (
        lambda x: x * G_OBJECT.inner.items[1],
        call("G_OBJECT.inner.items.__setitem__", 1, 5.0),
    ),
    "attribute read by a method": (lambda x: G_OBJECT.method(x), attribute("weight", 5.0)),
    "attribute read by __call__": (lambda x: G_OBJECT(x), attribute("weight", 5.0)),
    "property": (lambda x: x * G_OBJECT.half, attribute("weight", 5.0)),
    "attribute of the class": (lambda x: x * G_OBJECT.factor, lambda: setattr(Base, "factor", 5.0)),
    "attribute of the class, shadowed": (lambda x: x * G_OBJECT.factor, attribute("factor", 5.0)),
    "attribute of the class itself": (lambda x: x * Base.factor, lambda: setattr(Base, "factor", 5.0)),
    "text of the class": (lambda x: getattr(x, G_OBJECT.mode)(), lambda: setattr(Base, "mode", "max")),
    "method replaced on the object": (lambda x: G_OBJECT.method(x), attribute("method", doubled)),
    "hasattr": (lambda x: x if hasattr(G_OBJECT, "extra") else -x, attribute("extra", 1)),
    "getattr with a default": (lambda x: x * getattr(G_OBJECT, "extra", 1.0), attribute("extra", 5.0)),
    "hasattr of what goes": (lambda x: x if hasattr(G_OBJECT, "weight") else -x, attribute_gone("weight")),
    "hasattr of what the class has": (
        lambda x: x if hasattr(G_OBJECT, "extra") else -x,
        lambda: setattr(Base, "extra", 1),
    ),
    "getattr with a default, of what goes": (
        lambda x: x * getattr(G_OBJECT, "weight", 1.0),
        attribute_gone("weight"),
    ),
    "getattr with a default, of an array": (
        lambda x: x * getattr(G_OBJECT, "table", 2.0),
        attribute("table", np.zeros(3)),
    ),
    "getattr with a default, of a namespace": (
        lambda x: x * getattr(G_OBJECT.inner, "extra", 2.0),
        lambda: setattr(G_OBJECT.inner, "extra", 5.0),
    ),
    "class method of the object's class": (lambda x: G_OBJECT.scaled(x), change("G_OBJECT", Scaled())),
    "class method put on the object": (
        lambda x: G_OBJECT.scaled(x),
        lambda: setattr(G_OBJECT, "scaled", Scaled().scaled),
    ),
    "isinstance": (lambda x: x if isinstance(G_OBJECT, Other) else -x, change("G_OBJECT", Other())),
    "type of a number": (lambda x: x if isinstance(G_NUMBER, int) else -x, change("G_NUMBER", 2)),
    "a number by way of math": (lambda x: x * math.sqrt(G_NUMBER), change("G_NUMBER", 3.0)),
    "a number as an axis": (lambda x: x.sum(axis=int(G_NUMBER) - 2), change("G_NUMBER", 3.0)),
    "a number as text": (lambda x: (x, f"{G_NUMBER}"), change("G_NUMBER", 3.0)),
    "a ufunc's method": (_ufunc_loop, change("G_NUMBER", 3.0)),
    "the shape of an array": (lambda x: x * G_ARRAY.shape[-1], change("G_ARRAY", np.ones((3, 5)))),
    "the length of an array": (lambda x: x * len(G_ARRAY), change("G_ARRAY", np.ones((5, 3)))),
    "the dtype of an array": (lambda x: x.astype(G_ARRAY.dtype), change("G_ARRAY", np.ones(3, "f4"))),
    "a shape to make": (lambda x: np.zeros(G_ARRAY.shape), change("G_ARRAY", np.ones(4))),
    "the types in a list": (
        lambda x: [isinstance(i, float) for i in G_LIST],
        call("G_LIST.__setitem__", 0, 3),
    ),
    "a comprehension": (lambda x: [x * G_NUMBER for _ in range(2)], change("G_NUMBER", 3.0)),
    "a function made inside": (lambda x: (lambda a: a * G_NUMBER)(x), change("G_NUMBER", 3.0)),
}


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
@pytest.mark.parametrize("kind", OUTSIDE)
def test_what_changes_outside_changes_the_answer(kind: str) -> None:
    fn, later = OUTSIDE[kind]
    restore()
    with np.errstate(all="ignore"):
        before = fn(X)
        jitted = npcompile.jit(fn)
        for _ in range(2):
            same(jitted(X), before, where="before")
        later()
        after = fn(X)
        with pytest.raises(AssertionError):
            same(after, before)  # or the row tests nothing
        for _ in range(3):
            same(jitted(X), after, where="after")
        restore()
        for _ in range(2):
            same(jitted(X), before, where="restored")
    restore()


@pytest.mark.filterwarnings("ignore::npcompile.jit.NotCompiledWarning")
def test_closure_cells() -> None:
    fn, later = closure()
    jitted = npcompile.jit(fn)
    for _ in range(2):
        same(jitted(X), fn(X))
    later()
    for _ in range(2):
        same(jitted(X), X * 15.0)


def test_most_kinds_are_replayed() -> None:
    """Reading from outside is ordinary: it must not cost the compilation."""
    plain = set()
    for kind, (fn, _) in OUTSIDE.items():
        restore()
        jitted = npcompile.jit(fn)
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for _ in range(2):
                jitted(X)
        if not jitted.stats.replays:
            plain.add(kind)
    assert len(plain) <= 2, plain


def test_np_errstate_around_the_call() -> None:
    jitted = npcompile.jit(lambda x: x / 0.0)
    with np.errstate(all="ignore"):
        for _ in range(2):
            same(jitted(X), np.full(X.shape, np.inf))
    for _ in range(2):
        with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
            jitted(X)
    with np.errstate(all="ignore"):
        same(jitted(X), np.full(X.shape, np.inf))


def test_an_outside_array_that_is_also_an_argument() -> None:
    """What is written through one name is read through the other."""

    def fn(x):
        x += 1
        return x + G_ARRAY

    jitted = npcompile.jit(fn)
    for arg in ("own", "own", "global", "global", "own", "view", "global"):
        restore()
        x = {"own": np.ones(3), "global": G_ARRAY, "view": G_ARRAY[::-1]}[arg]
        got = jitted(x)
        same(got, np.full(3, 3.0) if arg == "own" else np.full(3, 4.0), where=arg)
        assert np.array_equal(G_ARRAY, np.full(3, 1.0 if arg == "own" else 2.0))
    restore()


def test_one_object_by_two_paths() -> None:
    """Two names of one array are two arrays later."""

    def fn(x):
        return x + G_ARRAY * 2 + G_OBJECT.table

    restore()
    jitted = npcompile.jit(fn)
    G_OBJECT.table = G_ARRAY
    for _ in range(2):
        same(jitted(X), fn(X))
    G_OBJECT.table = np.zeros(3)
    for _ in range(2):
        same(jitted(X), fn(X))
    restore()
