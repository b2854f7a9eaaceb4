"""Objects that write down everything done to them, and the comparison of two functions by what they did."""

from __future__ import annotations

import operator
import sys
import traceback
from collections.abc import Callable, Iterator
from types import FrameType, FunctionType, GeneratorType
from typing import Any

from npcompile.frontend.rewrite.hooks import Hooks
from npcompile.frontend.rewrite.rewriter import Rewritten, rewrite


class Loud:
    """A value with a name; each operation on it is a line in the log and gives a new such value."""

    def __init__(self, log: list[str], name: str, value: Any = 0) -> None:
        object.__setattr__(self, "_", (log, name, value))

    def __repr__(self) -> str:
        return f"<{self._[1]}={self._[2]!r}>"

    def _note(self, text: str) -> None:
        self._[0].append(f"{self._[1]} {text}")

    def __getattr__(self, name: str) -> Any:
        self._note(f".{name}")
        if name == "missing" or name.startswith("__"):
            raise AttributeError(name)
        return Loud(self._[0], f"{self._[1]}.{name}", self._[2])

    def __setattr__(self, name: str, value: Any) -> None:
        self._note(f".{name} = {value!r}")

    def __delattr__(self, name: str) -> None:
        self._note(f"del .{name}")

    def __getitem__(self, index: Any) -> Any:
        self._note(f"[{index!r}]")
        return Loud(self._[0], f"{self._[1]}[]", self._[2])

    def __setitem__(self, index: Any, value: Any) -> None:
        self._note(f"[{index!r}] = {value!r}")

    def __delitem__(self, index: Any) -> None:
        self._note(f"del [{index!r}]")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self._note(f"({args!r}, {kwargs!r})")
        return args[0] if args else self

    def __bool__(self) -> bool:
        self._note("bool")
        return bool(self._[2])

    def __iter__(self) -> Iterator[Any]:
        self._note("iter")
        return iter([Loud(self._[0], f"{self._[1]}{i}", i) for i in range(self._[2])])

    def __contains__(self, item: Any) -> bool:
        self._note(f"contains {item!r}")
        return bool(self._[2])

    def __format__(self, spec: str) -> str:
        self._note(f"format {spec}")
        return f"{self._[1]}:{spec}"

    def __enter__(self) -> Any:
        self._note("enter")
        return Loud(self._[0], f"in {self._[1]}", self._[2])

    def __exit__(self, kind: Any, *rest: Any) -> bool:
        self._note(f"exit {kind}")
        return bool(self._[2])

    __hash__ = None  # type: ignore[assignment]


def _add_operators() -> None:
    def plain(name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        def method(self: Loud, *others: Any) -> Any:
            self._note(f"{name} {others!r}")
            values = [other._[2] if isinstance(other, Loud) else other for other in others]
            return Loud(self._[0], f"({self._[1]})", function(self._[2], *values))

        return method

    both = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and", "or", "xor")
    for name in both:
        function = getattr(operator, name + "_" if name in ("and", "or") else name)
        setattr(Loud, f"__{name}__", plain(f"__{name}__", function))
        setattr(Loud, f"__i{name}__", plain(f"__i{name}__", function))
        setattr(Loud, f"__r{name}__", plain(f"__r{name}__", lambda a, b, f=function: f(b, a)))
    for name in ("lt", "le", "gt", "ge", "eq", "ne", "neg", "pos", "invert"):
        setattr(Loud, f"__{name}__", plain(f"__{name}__", getattr(operator, name)))
    Loud.__matmul__ = plain("__matmul__", operator.mul)  # type: ignore[attr-defined]


_add_operators()


class Maker:
    """`t("a", 1)` makes a loud value; the making is logged too, which shows the order of evaluation."""

    def __init__(self) -> None:
        self.log: list[str] = []

    def __call__(self, name: str, value: Any = 1) -> Loud:
        self.log.append(f"make {name}")
        return Loud(self.log, name, value)


def shown(value: Any, depth: int = 0) -> Any:
    """A result so that two of them can be compared: generators run out, functions by name."""
    if isinstance(value, GeneratorType):
        return ["generator", *map(shown, value)]
    if isinstance(value, FunctionType):
        return value.__name__, value.__qualname__, value.__doc__, value.__defaults__
    if isinstance(value, list | tuple):
        return [type(value).__name__, *map(shown, value)]
    return type(value).__name__, repr(value)


def own_frames(error: BaseException, filename: str) -> list[Any]:
    """What a traceback shows of the user's file: lines, functions, and the columns underlined."""
    summary = traceback.TracebackException.from_exception(error).stack
    return [(f.lineno, f.name, f.line, f.colno, f.end_colno) for f in summary if f.filename == filename]


def raised(error: BaseException | None, filename: str) -> Any:
    if error is None:
        return None
    parts = getattr(error, "exceptions", ())
    return (
        type(error).__name__,
        str(error),
        own_frames(error, filename),
        raised(error.__cause__, filename),
        raised(error.__context__, filename),
        [raised(part, filename) for part in parts],
    )


def outcome(run: Callable[[Maker], Any], filename: str) -> tuple[dict[str, Any], set[Any], set[int]]:
    """Return what a function did (result or exception, log), through which lines of the file it went, and the
    lines on which exceptions were raised."""
    lines: set[Any] = set()
    raising: set[int] = set()

    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        if frame.f_code.co_filename != filename:
            return None
        if event == "line":
            lines.add((frame.f_code.co_name, frame.f_lineno))
        elif event == "exception":
            raising.add(frame.f_lineno)
        return trace

    make = Maker()
    did: dict[str, Any] = {"value": None, "error": None}
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        did["value"] = shown(run(make))
    except BaseException as error:
        did["error"] = raised(error, filename)
    finally:
        sys.settrace(before)
    did["log"] = make.log
    return did, lines, raising


def rewritten(fn: Any, hooks: Hooks | None = None) -> Any:
    made = rewrite(fn)
    assert isinstance(made, Rewritten), made
    return made.bind(fn, hooks or Hooks())
