"""What each hook is told, and when; and that what hooks answer is what the function goes on with."""

from __future__ import annotations

import ast
from pathlib import Path
from types import ModuleType
from typing import Any

from npcompile.frontend.rewrite import source
from npcompile.frontend.rewrite.hooks import Hooks
from tests.frontend.rewrite.operation_log import rewritten


class Noting(Hooks):
    """Writes down each hook that is called, with the arguments that are text or numbers."""

    def __init__(self) -> None:
        self.notes: list[tuple[Any, ...]] = []


def _noting(name: str) -> Any:
    plain = getattr(Hooks, name)

    def hook(self: Noting, *args: Any, **kwargs: Any) -> Any:
        simple = [a for a in (*args, *kwargs.values()) if isinstance(a, str | int | float | tuple)]
        self.notes.append((name, *simple))
        return plain(self, *args, **kwargs)

    return hook


BUILT_ON = ("keep_true", "keep_false", "catching", "spread", "link", "linked", "attribute", "item")
NAMES = [
    name
    for name, hook in vars(Hooks).items()
    if callable(hook) and not name.startswith("_") and name not in BUILT_ON
]
for _name in NAMES:
    setattr(Noting, _name, _noting(_name))


def notes(fn: Any, *args: Any) -> list[tuple[Any, ...]]:
    hooks = Noting()
    rewritten(fn, hooks)(*args)
    return hooks.notes


def test_names_from_outside_and_inside() -> None:
    outer = shared = 1

    def fn(arg: int) -> Any:
        nonlocal shared
        global _written
        inner_name = outer + arg
        _written = inner_name
        shared = 3
        shared += 1

        def nested() -> int:
            return inner_name + outer + len("ab")

        return nested(), [inner_name for _ in "a"], np_like.path

    got = [note for note in notes(fn, 1) if note[0].startswith(("load", "store"))]
    assert got == [
        ("load_free", "outer", 1),
        ("store_global", "_written", 2),
        ("store_free", "shared", 3),
        ("load_free", "shared", 3),
        ("store_free", "shared", 4),
        ("load_free", "outer", 1),
        ("load_global", "len"),
        ("load_global", "np_like"),
    ]


np_like = ModuleType("np_like")
np_like.path = "p"  # type: ignore[attr-defined]


def test_operations_in_order() -> None:
    def fn(a: list[float], n: int) -> Any:
        a[0] += n * 2
        if n < 2 and not a:
            return 1
        for i, (x, *_) in enumerate([(1, 2)]):
            a[i] = x
        try:
            with open("/nowhere/at/all"):
                pass
        except OSError:
            pass
        return f"{n:>3}"

    got = [note[0] for note in notes(fn, [1.0], 1)]
    assert (
        got
        == (
            "getitem binary inplace setitem compare truth truth "
            "load_global build call loop iterate unpack unpack_star setitem "
            "trying load_global call load_global caught trying format text"
        ).split()
    )


def test_statements_left_alone_are_announced() -> None:
    def fn(x: Any) -> Any:
        class A:
            pass

        match x:
            case 1:
                pass

        import os

        def gen() -> Any:
            yield x

        return A, os, list(gen())

    line = fn.__code__.co_firstlineno
    got = [note for note in notes(fn, 1) if note[0] in ("unsupported", "imported", "define")]
    assert got == [
        ("unsupported", "CLASS_STATEMENT", line + 1),
        ("imported", "os"),
        ("define",),
    ]


def test_hooks_may_change_values() -> None:
    class Doubling(Hooks):
        def binary(self, op: str, a: Any, b: Any) -> Any:
            return super().binary(op, a, b) * 2

        def load_global(self, name: str, value: Any) -> Any:
            return (lambda v: [*v, 100]) if name == "list" else value

        def iterate(self, obj: Any) -> Any:
            return iter([*obj, 7])

        def entered(self, value: Any) -> Any:
            return "entered"

        def unpack(self, value: Any, count: int) -> Any:
            return reversed(value)

        def define(self, function: Any) -> Any:
            return lambda *args: ("defined", function(*args))

    def fn(x: int) -> Any:
        a, b = x, 5
        with memoryview(b"ab") as m:
            pass
        return a, b, x + 1, list({1}), [v * 1.5 for v in (1, 2)], m, (lambda: 3)()

    assert rewritten(fn, Doubling())(10) == (5, 10, 22, [1, 100], [3.0, 6.0, 21.0], "entered", ("defined", 3))


def test_every_hook_is_documented_and_every_emitted_hook_exists() -> None:
    folder = Path(source.__file__).parent
    used = set()
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "hook"
            ):
                name = node.args[1]
                if isinstance(name, ast.Constant):
                    used.add(name.value)
    assert used <= set(vars(Hooks))
    assert all(getattr(Hooks, name).__doc__ for name in NAMES)
