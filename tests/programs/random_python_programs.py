"""Random whole Python programs: every call of the jitted program is what plain Python makes of it.

Compared: value, dtype, shape, type and sharing of the result, the arguments' arrays and objects after the
call, the module's globals, random streams, printed text, and of an exception its type, text, cause and the
user's lines in the traceback.

From Python 3.12 on `contextlib` leaves a frame that swallowed an exception to the garbage collector: what
such a frame holds ends at no certain time in plain Python either (some "closed" in LOG, one program in 1000).

`python -m tests.fuzz python --seed 0 --programs 20000` runs so many.
"""

from __future__ import annotations

import contextlib
import importlib.util
import inspect
import io
import random
import sys
import types
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import npcompile
from tests.checker import same
from tests.programs.jit_lane import sharing

# Call by call: the length of the first axis, and which values (some again, so that they are replayed).
CALLS = ((4, 0), (4, 1), (4, 0), (5, 2), (4, 1), (5, 2))


def module_of(source: str, folder: Path, name: str) -> types.ModuleType:
    """The source as a module of its own, from a file (so that its functions have a source)."""
    path = folder / f"{name}.py"
    path.write_text(source)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def arguments(module: Any, rng: random.Random, length: int, kind: int) -> tuple[Any, ...]:
    """Fresh arguments: two arrays (in some kinds one is a view of the other), an int, an object, a dict."""
    shape = (length, 2) if kind % 2 else (length,)

    def array() -> np.ndarray:
        return np.array([rng.randrange(16) / 4 for _ in range(int(np.prod(shape)))]).reshape(shape)

    a = array()
    b = a[::-1] if kind == 2 else a if kind == 3 else array()
    thing = (module.Heavy if kind >= 4 else module.Thing)(array())
    return a, b, rng.randrange(4), thing, {"z": array()} if rng.random() < 0.5 else {"n": 1}


def lines(error: BaseException, module: types.ModuleType) -> list[tuple[str, int]]:
    """The user's lines in a traceback.

    Of a generator the last alone: a block that raises in it stands beside the generator's own frame.
    """
    found = []
    program = getattr(module, "program", None)  # of a random program's module
    is_generator = program is not None and bool(program.__code__.co_flags & inspect.CO_GENERATOR)
    traceback = error.__traceback__
    while traceback is not None:
        code = traceback.tb_frame.f_code
        if code.co_filename == module.__file__:
            if is_generator and found:
                found.pop()
            found.append((code.co_name, traceback.tb_lineno))
        traceback = traceback.tb_next
    return found


def data(value: Any, depth: int = 0) -> Any:
    """A value with objects opened, to be compared."""
    if depth > 6:
        return "deep"
    if isinstance(value, types.FunctionType):
        return value.__name__
    if isinstance(value, list | tuple):
        return type(value)(data(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return {key: data(item, depth + 1) for key, item in value.items()}
    if isinstance(value, set):
        return sorted(value)
    if isinstance(value, np.random.Generator):
        return value.bit_generator.state["state"]
    if hasattr(value, "__dict__") and not isinstance(value, type | np.ndarray):
        return {"": type(value).__name__, **data(vars(value), depth + 1)}
    return value


def outcome(module: Any, fn: Callable[..., Any], args: tuple[Any, ...]) -> dict[str, Any]:
    """What a call gives, and all that it leaves behind."""
    printed = io.StringIO()
    with np.errstate(all="ignore"), warnings.catch_warnings(), contextlib.redirect_stdout(printed):
        warnings.simplefilter("ignore")
        np.random.seed(3)
        try:
            result = fn(*args)
            if isinstance(result, types.GeneratorType):
                result = [item.copy() if isinstance(item, np.ndarray) else item for item in result]
        except Exception as error:
            result = "raised", type(error), str(error), type(error.__cause__), lines(error, module)
    outside = {name: vars(module)[name] for name in ("K", "G", "D", "LOG", "SET", "STREAM")}
    left = [*args, outside, np.random.get_state()[1:3]]  # type: ignore[index]
    return {"result": data(result), "printed": printed.getvalue(), "left": data(left)}


def check(source: str, folder: Path, seed: int, name: str = "program") -> Any:
    """Run a program on several arguments, plain and jitted; raises AssertionError at the first difference."""
    plain = module_of(source, folder, f"plain_{name}")
    ours = module_of(source, folder, f"plain_{name}_again")
    jitted = npcompile.jit(ours.program, wait=True)
    kind = random.Random(seed).randrange(6)
    for call, (length, values) in enumerate(CALLS):
        want_args = arguments(plain, random.Random(seed + values), length, kind)
        got_args = arguments(ours, random.Random(seed + values), length, kind)
        want = outcome(plain, plain.program, want_args)
        got = outcome(ours, jitted, got_args)
        for part in want:
            same(got[part], want[part], ulp=16, scale=4.0, where=f"call {call}, {part}")
        arrays = [want_args[0], want_args[1], want_args[3].x, want_args[3].y]
        mine = [got_args[0], got_args[1], got_args[3].x, got_args[3].y]
        if isinstance(want["result"], tuple):
            shared = sharing(got["result"], mine), sharing(want["result"], arrays)
            assert shared[0] == shared[1], f"call {call}: what shares memory"
    return jitted
