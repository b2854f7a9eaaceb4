"""Guards cost next to nothing: none of them runs a function of Python's, and each is one."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.program import guards
from tests.runtime.test_fast_path import frames

pytestmark = pytest.mark.usefixtures("native_runtime")


# The checks of guards, as they stand in Python.
PYTHON_CHECKS = {
    f"{kind.__name__}.__call__"
    for kind in vars(guards).values()
    if isinstance(kind, type) and issubclass(kind, guards.Guard)
}

A, B, C, D, E, F, G, H, J, K = (0.5 + k for k in range(10))


class Guarded:
    """Ten arrays and ten numbers, of which each call of `mixed` reads all, beside ten globals."""

    def __init__(self) -> None:
        for k in range(10):
            setattr(self, f"a{k}", np.full(4, 1.0 + k))
            setattr(self, f"n{k}", 0.25 + k)

    @property
    def scale(self) -> float:
        return 2.0

    def mixed(self, x: Any) -> Any:
        x = A * x + B * self.a0 * self.n0 + C * self.a1 * self.n1 + self.scale
        x = D * x + E * self.a2 * self.n2 + F * self.a3 * self.n3 + self.a4 * self.n4
        x = G * x + H * self.a5 * self.n5 + J * self.a6 * self.n6 + self.a7 * self.n7
        return K * x + self.a8 * self.n8 + self.a9 * self.n9


def test_thirty_guards_run_no_python_and_each_is_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    jitted = npcompile.jit(Guarded.mixed, wait=True)
    one = Guarded()
    x = np.ones(4)
    for _ in range(5):
        np.testing.assert_allclose(jitted(one, x), one.mixed(x))
    text = str(jitted.programs[0])
    assert text.count("guard(") >= 30, text
    assert frames(lambda: jitted(one, x)) == ["mixed"]
    changes: list[tuple[Any, str, Any]] = [(one, f"a{k}", np.full(4, -1.0)) for k in range(10)]
    changes += [(one, f"a{k}", np.full(4, -1.0, "f4")) for k in range(0, 10, 3)]
    changes += [(one, f"n{k}", -1.0) for k in range(10)] + [(one, "n3", 7)]
    changes += [(sys.modules[__name__], name, -3.0) for name in "ABCDEFGHJK"]
    changes += [(Guarded, "scale", property(lambda self: 5.0))]
    for where, name, value in changes:
        with monkeypatch.context() as patch:
            patch.setattr(where, name, value)
            np.testing.assert_allclose(jitted(one, x), one.mixed(x), rtol=1e-6)
        np.testing.assert_allclose(jitted(one, x), one.mixed(x))


# -- each kind ---------------------------------------------------------------------------------------------


def maker() -> Callable[[Any], Any]:
    def made(x: Any) -> Any:
        return x + 1

    return made


def plus(x: Any) -> Any:
    return x + 1


class Things:
    kind = "a"

    def __init__(self) -> None:
        self.flag, self.inner, self.made = True, Guarded(), maker()

    @property
    def scale(self) -> float:
        return self.inner.n0

    def scaled(self, x: Any) -> Any:
        return x * self.inner.n1


FLAG, NAME, NOTHING, ONE, COUNT = True, "sum", None, 1, 3
PAIR, SHAPE = (1, "a", None), (3, 1)
TABLE, NUMBERED, LISTED = {"w": 0.5}, {1: 0.5, 2: np.ones(3)}, [0.5, np.ones(3), {"w": 2.0}]
DTYPE, ARRAY, THINGS = np.dtype("f4"), np.ones(3), Things()

# An expression of x that reads outside, and a change by which it becomes another.
KINDS: dict[str, tuple[Callable[[Any], Any], Callable[[], Any]]] = {
    "flag": (lambda x: x if FLAG else -x, lambda: put("FLAG", False)),
    "text": (lambda x: x if NAME == "sum" else -x, lambda: put("NAME", "mean")),
    "nothing": (lambda x: x if NOTHING is None else -x, lambda: put("NOTHING", 1)),
    "count": (lambda x: x if COUNT == 3 else -x, lambda: put("COUNT", 4)),
    "a flag for a number": (lambda x: (x, type(ONE).__name__) if ONE == 1 else x, lambda: put("ONE", True)),
    "fixed tuple": (lambda x: x if PAIR[0] == 1 else -x, lambda: put("PAIR", (2, "a", None))),
    "tuple of another type": (lambda x: x * (PAIR[0] + 0.5), lambda: put("PAIR", (2.0, "a", None))),
    "shape": (lambda x: x.reshape(SHAPE), lambda: put("SHAPE", (1, 3))),
    "dict": (lambda x: x * TABLE["w"], lambda: TABLE.update(w=5.0)),
    "dict with one more": (lambda x: x * len(TABLE), lambda: TABLE.update(v=5.0)),
    "dict by numbers": (lambda x: x * NUMBERED[1] + NUMBERED[2], lambda: NUMBERED.update({1: 5.0})),
    "dict by flags": (lambda x: (x, *NUMBERED), lambda: (NUMBERED.clear(), NUMBERED.update({True: 1, 2: 2}))),
    "list": (lambda x: x * LISTED[0] + LISTED[1], lambda: LISTED.__setitem__(0, 5.0)),
    "dict in a list": (lambda x: x * LISTED[2]["w"], lambda: LISTED[2].update(w=5.0)),
    "dtype": (lambda x: x.astype(DTYPE), lambda: put("DTYPE", np.dtype("f8"))),
    "dtype of an array": (lambda x: x.astype(ARRAY.dtype), lambda: put("ARRAY", np.ones(3, "f4"))),
    "shape of an array": (lambda x: x * ARRAY.shape[0], lambda: put("ARRAY", np.ones(4))),
    "function": (lambda x: plus(x), lambda: put("plus", lambda x: x - 1)),
    "function made inside": (lambda x: THINGS.made(x), lambda: put_in("made", lambda x: x - 1)),
    "property": (lambda x: x * THINGS.scale, lambda: put_on("scale", property(lambda self: 7.0))),
    "method": (lambda x: THINGS.scaled(x), lambda: put_on("scaled", lambda self, x: x * 7)),
    "attribute of attribute": (lambda x: x * THINGS.inner.n2, lambda: setattr(THINGS.inner, "n2", 9.0)),
    "attribute of the class": (lambda x: x if THINGS.kind == "a" else -x, lambda: put_on("kind", "b")),
    "flag of an object": (lambda x: x if THINGS.flag else -x, lambda: put_in("flag", False)),
}


def put(name: str, value: Any) -> None:
    globals()[name] = value


def put_in(name: str, value: Any) -> None:
    setattr(THINGS, name, value)


def put_on(name: str, value: Any) -> None:
    setattr(Things, name, value)


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_runs_no_python_and_sees_a_change(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")
    for name in ("FLAG", "NAME", "NOTHING", "ONE", "COUNT", "PAIR", "SHAPE", "DTYPE", "ARRAY", "plus"):
        monkeypatch.setitem(globals(), name, globals()[name])
    for name, value in {"TABLE": {"w": 0.5}, "NUMBERED": {1: 0.5, 2: np.ones(3)}, "THINGS": Things()}.items():
        monkeypatch.setitem(globals(), name, value)
    monkeypatch.setitem(globals(), "LISTED", [0.5, np.ones(3), {"w": 2.0}])
    for name in ("scale", "scaled", "kind"):
        monkeypatch.setattr(Things, name, vars(Things)[name])
    function, change = KINDS[kind]
    jitted = npcompile.jit(function)
    x = np.arange(1.0, 4.0)
    before = function(x)
    for _ in range(4):
        assert repr(jitted(x)) == repr(before)
    stats = jitted.stats
    assert stats.recordings == 1 and stats.replays == 3, stats
    asked = {*PYTHON_CHECKS, "same_value", "are_alike", "facts"}.intersection(frames(lambda: jitted(x)))
    assert not asked, next(iter(jitted.npcompile_root().by_signature.values())).entries[0].replay.text
    change()
    after = function(x)
    assert repr(after) != repr(before)  # or the row tests nothing
    for _ in range(3):
        assert repr(jitted(x)) == repr(after)
