"""What `rewrite` promises beside plain semantics: refusals, binding, constants, loops."""

from __future__ import annotations

import importlib.util
import inspect
import linecache
import sys
import threading
import warnings
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest

from npcompile.frontend.rewrite import source
from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.frontend.rewrite.rewriter import Refusal, Rewritten, rewrite
from tests.frontend.rewrite.operation_log import rewritten
from tests.frontend.rewrite.test_hooks import Noting


def module_of(path: Path, text: str) -> ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def reason(fn: Any) -> str:
    made = rewrite(fn)
    assert isinstance(made, Refusal), made
    assert made.line == fn.__code__.co_firstlineno
    return str(made.reason)


# Refusals


async def coroutine() -> None: ...


async def async_generator() -> Any:
    yield 1


def uses_locals(a: Any) -> Any:
    return locals()


def uses_eval(a: Any) -> Any:
    return eval("a")


def uses_dir() -> Any:
    return dir()


def hands_vars_on(objects: Any) -> Any:
    return list(map(vars, objects))


def uses_vars_of(obj: Any) -> Any:
    return vars(obj), dir(obj)


def own_locals(locals: Any) -> Any:
    return locals()


def renames_super(self: Any) -> Any:
    s = super
    return s


@pytest.mark.parametrize(
    ("fn", "expected"),
    [
        (coroutine, "it is a coroutine"),
        (async_generator, "it is a coroutine"),
        (uses_locals, "it uses locals()"),
        (uses_eval, "it uses eval()"),
        (uses_dir, "it uses dir()"),
        (hands_vars_on, "it uses vars()"),
        (renames_super, "it uses super in an unusual way"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_refuses_what_looks_at_its_frame_or_is_suspended(fn: Any, expected: str) -> None:
    assert reason(fn) == expected


def test_does_not_refuse_the_same_names_used_otherwise() -> None:
    thing = type("T", (), {"a": 1})()
    assert rewritten(uses_vars_of)(thing) == uses_vars_of(thing)
    assert rewritten(own_locals)(lambda: 5) == 5


def test_refuses_without_source() -> None:
    space: dict[str, Any] = {}
    exec(compile("def f(): return 1", "<made>", "exec"), space)
    assert reason(space["f"]) == "its source is not available"


def test_refuses_code_from_exec_under_the_name_of_a_file(tmp_path: Path) -> None:
    path = tmp_path / "real.py"
    path.write_text("def f():\n    return 1\n")
    space: dict[str, Any] = {}
    exec(compile("def f():\n    return 2\n", str(path), "exec"), space)
    assert "does not compile to its code" in reason(space["f"])


@pytest.mark.parametrize(
    "edited",
    [
        "def f(x):\n    return x + 2\n",  # a literal
        "def f(x):\n    return  x + 1\n",  # only a column
        "\ndef f(x):\n    return x + 1\n",  # moved
        "def f(y):\n    return y + 1\n",
        "def f(x):\n    return x + True\n",
        "def f(x): return x + 1\n",
        "x = 1\n",
        "def f(x:\n",
        "",
    ],
)
def test_refuses_an_edited_file(tmp_path: Path, edited: str) -> None:
    path = tmp_path / "edited.py"
    module = module_of(path, "def f(x):\n    return x + 1\n")
    path.write_text(edited)
    assert isinstance(rewrite(module.f), Refusal)


def test_zero_is_not_negative_zero_in_an_edited_file(tmp_path: Path) -> None:
    path = tmp_path / "zero.py"
    module = module_of(path, "def f(x):\n    return (x,  0.0)\n")
    path.write_text("def f(x):\n    return (x, -0.0)\n")
    assert isinstance(rewrite(module.f), Refusal)


def test_lambdas_of_one_line_are_told_apart_by_their_columns(tmp_path: Path) -> None:
    module = module_of(tmp_path / "lambdas.py", "fs = [lambda x: x + 1, lambda x: x + 1, lambda x: x + 2]\n")
    assert [rewritten(f)(1) for f in module.fs] == [2, 2, 3]


def test_lambdas_without_columns_are_refused(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(source, "same_code", lambda a, b: a.co_code == b.co_code)  # as without debug ranges
    module = module_of(tmp_path / "ranges.py", "fs = [lambda x: x + 1, lambda x: x + 1]\n")
    assert reason(module.fs[0]) == "two lambdas of the same line cannot be told apart"


def test_definitions_twice_of_a_name(tmp_path: Path) -> None:
    text = "def f():\n    return 1\nfirst = f\nif first() == 1:\n    def f():\n        return 2\n"
    module = module_of(tmp_path / "twice.py", text)
    assert (rewritten(module.first)(), rewritten(module.f)()) == (1, 2)


@pytest.mark.parametrize("between", ["\f", "\f\n", "\r\n", "\ufeff"], ids=repr)
def test_definitions_after_what_is_no_indentation(tmp_path: Path, between: str) -> None:
    text = f"{between}def f():\n    return 1\n\f\nif True:\n\f    def g():\n        return 2\n"
    module = module_of(tmp_path / "feeds.py", text)
    assert (rewritten(module.f)(), rewritten(module.g)()) == (1, 2)


def test_cells_of_a_notebook() -> None:
    text = "def f(x):\n    return [x * i for i in range(3)]\n"
    name = "<ipython-input-1-abc>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    space: dict[str, Any] = {}
    exec(compile(text, name, "exec"), space)
    assert rewritten(space["f"])(2) == [0, 2, 4]


def test_the_compiler_does_not_warn_again(tmp_path: Path) -> None:
    text = 'def f(x):\n    "a \\d docstring"\n    assert (x, "always")\n    return x is 1\n'
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = module_of(tmp_path / "warns.py", text)
    before = list(warnings.filters)
    assert rewritten(module.f)(1) is True  # warnings are errors here
    assert warnings.filters == before


def test_future_annotations_and_other_flags_are_the_function_s_own(tmp_path: Path) -> None:
    text = "def f(x):\n    def g(y: nowhere) -> nowhere: return y\n    return g(x)\n"
    with_future = module_of(tmp_path / "future.py", "from __future__ import annotations\n" + text)
    assert rewritten(with_future.f)(3) == 3
    without = module_of(tmp_path / "plain.py", text)
    with pytest.raises(NameError, match="nowhere"):
        rewritten(without.f)(3)


def test_too_deep_for_the_compiler(tmp_path: Path) -> None:
    depth = 400
    module = module_of(tmp_path / "deep.py", "def f(x):\n    return " + "x + " * depth + "x\n")
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 150)
    try:
        made = rewrite(module.f)
    finally:
        sys.setrecursionlimit(limit)
    assert isinstance(made, Refusal) and "deep" in str(made.reason)


# Binding


def test_bound_function_shares_all_with_the_original() -> None:
    count = 0

    def fn(a: int, b: int = 2, *, c: int = 3) -> int:
        """Its docstring."""
        nonlocal count
        count += 1
        return a + b + c + count

    made = rewrite(fn)
    assert isinstance(made, Rewritten)
    bound = made.bind(fn, Hooks())
    for name in ("__name__", "__qualname__", "__module__", "__doc__", "__defaults__", "__kwdefaults__"):
        assert getattr(bound, name) == getattr(fn, name)
    assert bound.__globals__ is fn.__globals__
    assert {id(cell) for cell in fn.__closure__ or ()} < {id(cell) for cell in bound.__closure__ or ()}
    assert bound.__code__.co_filename == fn.__code__.co_filename
    assert bound.__code__.co_qualname == fn.__code__.co_qualname
    assert inspect.signature(bound).parameters.keys() == inspect.signature(fn).parameters.keys()
    assert [fn(1), bound(1), fn(1), count] == [7, 8, 9, 3]


def test_names_within_are_the_original_s() -> None:
    def fn() -> Any:
        def inner() -> Any:
            return lambda: [x * 2 for x in "a"]

        return inner

    inner = rewritten(fn)()
    assert inner.__qualname__ == fn().__qualname__
    assert inner().__qualname__ == fn()().__qualname__
    assert inner.__code__.co_filename == __file__


def test_each_binding_has_its_own_hooks() -> None:
    def fn(x: int) -> int:
        return (lambda y: y + 1)(x)

    made = rewrite(fn)
    assert isinstance(made, Rewritten)
    first, second = Noting(), Noting()
    names = set(fn.__globals__)
    made.bind(fn, first)(1)
    assert set(fn.__globals__) == names
    assert first.notes and not second.notes
    made.bind(fn, second)(1)
    assert first.notes == second.notes


def test_cached_by_code_object(tmp_path: Path) -> None:
    def make() -> Any:
        return lambda x: x + 1

    assert rewrite(make()) is rewrite(make())
    text = "def f():\n    return __file__\n"
    a, b = module_of(tmp_path / "a.py", text), module_of(tmp_path / "b.py", text)
    assert a.f.__code__ == b.f.__code__  # equal, but of two files
    assert rewritten(a.f).__code__.co_filename != rewritten(b.f).__code__.co_filename


def test_threads_get_one_answer() -> None:
    space = [FunctionType(uses_vars_of.__code__.replace(), globals()) for _ in range(3)]
    start = threading.Barrier(8)
    got: list[list[Any]] = []

    def ask() -> None:
        start.wait()
        got.append([rewrite(fn) for fn in space])

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(made is first for row in got for made, first in zip(row, got[0], strict=True))


# Constants and loops


def literals(x: Any) -> Any:
    y = 1234 + x * -5.5
    z = (77777, (8.25, "no"), True)
    return [y, z, 2j, lambda: 99999], x in {654321, 1}, 10**5


def test_constants_are_the_objects_that_the_code_loads() -> None:
    made = rewrite(literals)
    assert isinstance(made, Rewritten)
    bound = made.bind(literals, Hooks())
    ids = {id(constant) for constant in made.constants}
    (_, z, imaginary, inner), _, power = bound(0)
    assert {id(z[0]), id(z[1][0]), id(imaginary), id(inner()), id(power)} <= ids
    assert {1234, -5.5, 654321} <= set(made.constants)
    assert not any(isinstance(constant, bool) for constant in made.constants)


def looping(n: int, items: Any) -> Any:
    total = start = 0
    for i, item in enumerate(items):
        if item < start:
            continue
        square = item * item
        total += square
        while n:
            n -= 1
            if n == i:
                break
    else:
        last = total
    for x in items:
        del x
        return last
    while True:
        try:
            break
        finally:
            pass

    def inner() -> None:
        for _ in items:
            pass

    return inner


def test_loops() -> None:
    made = rewrite(looping)
    assert isinstance(made, Rewritten)
    base = looping.__code__.co_firstlineno
    shown = [(x.kind, x.line - base, x.end_line - base, set(x.contains)) for x in made.loops]
    assert shown == [
        ("for", 2, 12, {"continue"}),
        ("while", 7, 10, {"break"}),
        ("for", 13, 15, {"del", "return"}),
        ("while", 16, 20, {"break", "try"}),
    ]
    first, second, third, _ = made.loops
    assert set(first.live_in) == {"start", "total", "n"}
    assert set(first.stored) == {"i", "item", "square", "total", "n", "last"}
    assert set(second.live_in) == {"n", "i"} and set(second.stored) == {"n"}
    assert set(third.live_in) == {"last"}
