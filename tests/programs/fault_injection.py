"""Fault injection: each function of npcompile that a corpus of programs enters is made to raise, in turn.

Each time the user's answers, effects, their order and arguments are to be plain Python's. All functions, once
each, in about ten minutes: `python -m tests.programs.fault_injection --all`; one: its name in place of --all.
"""

from __future__ import annotations

import argparse
import contextlib
import copy
import gc
import itertools
import math
import os
import signal
import sys
import time
import traceback
import types
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import npcompile
from npcompile.frontend.boundary.faults import InternalError
from tests.checker import same
from tests.programs import (
    constructs,
    constructs_flow,
    constructs_library,
    constructs_mixed,
    constructs_objects,
    constructs_order,
    copying_device,
    loops,
)

PACKAGE = str(Path(npcompile.__file__).parent) + os.sep
# The boundary itself, what every call passes on its way there and back, reasons, what stands for operations
# and statements of Python's, threads that are no call's, and what the interpreter has in place of kernels.
EXEMPT = (
    "frontend/boundary/faults.py",
    "tiering/deferred_calls.py",
    "tiering/overhead.py",
    "tiering/account.py:Account.charge",
    "tiering/backoff.py:Backoff.",  # of waits that it keeps
    "diagnostics/reason.py",
    "frontend/rewrite/hooks.py",
    "frontend/rewrite/match_statement.py",
    "lower/service/compiler.py",
    "frontend/ops/",
    "lower/plan/interpreter.py",
    "lower/arithmetic/",
    "lower/plan/values.py:tensor_of",
    "lower/plan/graph.py:_callable",
    "lower/plan/graph.py:evaluate",
    "lower/plan/graph.py:_resolved",
    "lower/plan/graph.py:write",
    "lower/plan/segment.py:stored",
    "nep50/",
    "frontend/rewrite/call_sites.py:is_place",  # the boundary tells frames apart by it
    # Assignments and reads of a thread's table, what answers in place of the table, and calls of blocks.
    "frontend/replay/residency.py:_after_one",
    "frontend/replay/residency.py:_begun",
    "frontend/replay/residency.py:Residency.__init__",
    "frontend/replay/residency.py:Residency.__enter__",
    "frontend/replay/residency.py:Residency.__exit__",
    "frontend/replay/residency.py:settle",
    "frontend/replay/residency.py:table",
    "partition/resident_block.py:ResidentBlock.__call__",
    "partition/resident_block.py:ResidentCalls.by_private_replay",
)
EXEMPT_NAMES = (
    *(
        "Handle.__call__",
        "RecordedFunction.__call__",
        "PlainCalls._passed",
        "CalleeSubstitution.enter",
        "ShapeSharing.answer_despite",
        "guard",
        "State.faulted",
    ),
    "RootFunction.<lambda>",  # asked of it at every call
)
# On a device: within a replay, after its first effect (a lock that it has acquired, arrays that it gives
# back), nothing can be undone or gone on with. `InternalError` says so, once for a signature: nothing is done
# twice, locks are released, and later calls are Python's.
MAY_BE_TORN = (
    *(
        "copying_device.py:Lane.",
        "frontend/replay/device_lane.py:",
        "frontend/replay/residency.py:",
        "frontend/replay/resident_loop.py:",
        "partition/resident_block.py:ResidentBlock.counted",
        "partition/resident_block.py:ResidentCalls.counted",
        "frontend/eager/ndarray.py:",
        "frontend/eager/strided.py:",
    ),
    *(
        "frontend/eager/convert.py:",
        "frontend/eager/fp_errors.py:of_cast",
        "lower/device/transfers.py:crosses",
        "lower/device/transfers.py:into_host",
        "lower/device/transfers.py:to_host",
    ),
)
TORN = object()
CALLS = 6
SKIPS = (0, 3)  # it raises from its first entry on, and after so many
LONGEST = 600.0  # seconds for a function: an answer that never comes is the fault, and a busy machine is none


class Injected(Exception):
    """The fault that is injected."""


# -- the corpus


def _of_constructs(fn: Callable[..., Any], call: int) -> Any:
    constructs.LOG.clear()
    rng = np.random.default_rng(call)
    size = 6 + call % 3  # one program for many lengths is made on the way
    box = constructs.Box(rng.random(size), call + 0.5)
    x = rng.random(size) + 0.1
    result = _answer(fn, x, 1 + call % 2, box)
    return {"result": result, "left": [x, box.y, box.t, box.log], "log": list(constructs.LOG)}


def _of_loops(fn: Callable[..., Any], call: int) -> Any:
    x = np.random.default_rng(call).integers(1, 9, 8 + call % 3) / 4
    return {"result": _answer(fn, x, 3 + call), "left": [x]}


def _answer(fn: Callable[..., Any], *args: Any) -> Any:
    try:
        return fn(*args)
    except Exception as error:
        if isinstance(error, Injected):
            raise
        return "raised", type(error), str(error)


def corpus() -> dict[str, tuple[types.FunctionType, Callable[..., Any]]]:
    """60 programs, with what makes a call of each and gives all that is seen of it."""
    found = constructs.programs_of(
        constructs_flow, constructs_library, constructs_objects, constructs_mixed, constructs_order
    )
    plain = {name: fn for name, fn in found.items() if type(fn) is types.FunctionType}
    every = max(1, len(plain) // 36)
    chosen: dict[str, Any] = {name: (plain[name], _of_constructs) for name in [*plain][::every][:36]}
    chosen |= {fn.__name__: (fn, _of_loops) for fn in loops.LOOPS[:24]}
    return chosen


def fresh(fn: types.FunctionType) -> types.FunctionType:
    """The same function, of which nothing is known yet."""
    made = types.FunctionType(
        fn.__code__.replace(), fn.__globals__, fn.__name__, fn.__defaults__, fn.__closure__
    )
    made.__kwdefaults__ = fn.__kwdefaults__
    made.__qualname__, made.__module__ = fn.__qualname__, fn.__module__
    return made


# -- what is entered


def entered(fn: types.FunctionType, call: Callable[..., Any]) -> set[types.CodeType]:
    """The functions of npcompile that calls of a function enter."""
    found: set[types.CodeType] = set()

    def look(frame: types.FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(PACKAGE):
            found.add(frame.f_code)

    jitted = npcompile.jit(fresh(fn))
    sys.setprofile(look)
    try:
        for number in range(CALLS):
            call(jitted, number)
    finally:
        sys.setprofile(None)
    return found


def functions() -> dict[types.CodeType, types.FunctionType]:
    """The functions of npcompile, by their code."""
    gc.unfreeze()  # the import has set them apart
    return {
        made.__code__: made
        for made in gc.get_objects()
        if type(made) is types.FunctionType and made.__code__.co_filename.startswith(PACKAGE)
    }


def name_of(code: types.CodeType) -> str:
    return f"{code.co_filename.removeprefix(PACKAGE)}:{code.co_qualname}"


def is_exempt(code: types.CodeType) -> bool:
    named = code.co_qualname.startswith("<") or code.co_qualname.rpartition("<locals>.")[2].startswith("<")
    return name_of(code).startswith(EXEMPT) or named or code.co_qualname.endswith(EXEMPT_NAMES)


def places(programs: dict[str, Any]) -> dict[str, tuple[types.FunctionType, str]]:
    """Each function that can be made to raise, by its name, with a program that enters it: not always the
    first one that does."""
    known = functions()
    by_code: dict[types.CodeType, list[str]] = {}
    for name, (fn, call) in programs.items():
        for code in entered(fn, call):
            by_code.setdefault(code, []).append(name)
    found = {}
    for code, names in sorted(by_code.items(), key=lambda item: name_of(item[0])):
        if code in known and not is_exempt(code):
            found[name_of(code)] = known[code], names[len(found) % len(names)]
    return found


# -- the fault


@contextlib.contextmanager
def raising(function: types.FunctionType, skip: int) -> Iterator[list[int]]:
    """Have a function raise where it is entered, after so many entries; how many there were."""
    code, count = function.__code__, [0]
    whole = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, function.__closure__
    )
    whole.__kwdefaults__ = function.__kwdefaults__

    def fault(args: Any, kwargs: Any) -> Any:
        count[0] += 1
        if count[0] > skip:
            raise Injected("on purpose")
        return whole(*args, **kwargs)

    cells = ", ".join(code.co_freevars)
    body = f"def stub(*args, **kwargs):\n  if 0: {cells or 'pass'}\n  return 'FAULT'(args, kwargs)"
    text = f"def outer():\n {' = '.join(code.co_freevars)}{' = None' if cells else 'pass'}\n"
    text += "\n".join(" " + line for line in body.splitlines())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made = compile(text, code.co_filename, "exec")
    outer = next(const for const in made.co_consts if isinstance(const, types.CodeType))
    stub = next(const for const in outer.co_consts if isinstance(const, types.CodeType))
    here = fault.__code__.replace(co_filename=code.co_filename)
    fault = types.FunctionType(here, globals(), "fault", None, fault.__closure__)
    constants = tuple(fault if const == "FAULT" else const for const in stub.co_consts)
    function.__code__ = stub.replace(co_consts=constants, co_name=code.co_name)
    defaults, function.__defaults__ = function.__defaults__, None
    named, function.__kwdefaults__ = function.__kwdefaults__, None
    try:
        yield count
    finally:
        function.__code__, function.__defaults__, function.__kwdefaults__ = code, defaults, named


def judge(program: tuple[types.FunctionType, Any], function: types.FunctionType, skip: int) -> bool:
    """Calls of a program while a function raises, against plain Python. Whether it was entered that often."""
    fn, call = program
    jitted = npcompile.jit(fresh(fn))
    wanted = [copy.deepcopy(call(fn, number)) for number in range(CALLS)]
    may_be_torn = name_of(function.__code__).startswith(MAY_BE_TORN)
    with raising(function, skip) as count:
        got = [_unless_torn(jitted, call, number, may_be_torn) for number in range(CALLS)]
    for number, (one, other) in enumerate(zip(got, wanted, strict=True)):
        if one is not TORN:
            same(one, other, ulp=16, scale=8.0, where=f"call {number}")
    assert got.count(TORN) <= len({len(other["left"][0]) for other in wanted}), "it is torn again and again"
    return count[0] > skip


def _unless_torn(jitted: Any, call: Any, number: int, may_be: bool) -> Any:
    """A call's answer and effects; `TORN` where a replay on a device was torn, and says so."""
    try:
        return copy.deepcopy(call(jitted, number))
    except InternalError as error:
        if not may_be or not str(error).endswith("what was done until then stays"):
            raise
        fault = str(error).partition(";")[0]
        assert any(reason.endswith(fault) for reason in jitted.stats.reasons), "it is not told"
        return TORN


def as_of_the_package(module: types.ModuleType) -> None:
    """Have a module's functions taken for npcompile's own: what they stand for is."""
    for kind in (module, *(one for one in vars(module).values() if isinstance(one, type))):
        for made in vars(kind).values():
            if type(made) is types.FunctionType and made.__module__ == module.__name__:
                made.__code__ = made.__code__.replace(co_filename=PACKAGE + "frontend/replay/device_lane.py")


def prepared(patch: pytest.MonkeyPatch) -> None:
    patch.setenv("NPCOMPILE_BACKEND", "interpreter")
    patch.setenv("NPCOMPILE_OVERHEAD", "unlimited")
    patch.delenv("NPCOMPILE_INTERNAL_ERRORS", raising=False)
    warnings.simplefilter("ignore", npcompile.NotCompiledWarning)


def in_child(work: Callable[[], list[str]]) -> tuple[int, int]:
    """Have a forked child do some work: its process, and the file from which the lines that it gives are
    read. Nothing that a fault leaves behind is there for the next, and one that has a call wait for ever ends
    with the child."""
    read, write = os.pipe()
    pid = os.fork()
    if pid:
        os.close(write)
        return pid, read
    os.close(read)
    lines = ["it did not come to its end"]
    try:
        lines = work()
    finally:
        with os.fdopen(write, "w") as file:
            file.write("\n".join(lines))
        os._exit(0)


def wrongs(name: str, place: tuple[types.FunctionType, str], programs: dict[str, Any]) -> list[str]:
    """What comes of a function that raises, at once and later, where that is not plain Python's."""
    function, program = place
    found = []
    for skip in SKIPS:
        try:
            judge(programs[program], function, skip)
        except BaseException as error:
            lines = str(error).splitlines() or [""]
            found.append(f"{name} after {skip} in {program}: {type(error).__name__}: {lines[0]}")
            if "--trace" in sys.argv:
                traceback.print_exception(error)
    return found


def judged(found: dict[str, Any], programs: dict[str, Any]) -> Iterator[str]:
    """All that is wrong, of these functions: each in a process of its own, one for each core at once."""
    left = list(found.items())
    running: dict[int, tuple[str, str, int, float]] = {}
    while left or running:
        while left and len(running) < (os.cpu_count() or 1):
            name, place = left.pop(0)
            pid, file = in_child(lambda name=name, place=place: wrongs(name, place, programs))  # type: ignore[misc]
            running[pid] = name, place[1], file, time.monotonic() + LONGEST
        ended, _ = os.waitpid(-1, os.WNOHANG)
        if not ended:
            time.sleep(0.002)
            late = [pid for pid, (*_, deadline) in running.items() if time.monotonic() > deadline]
            for pid in late:
                os.kill(pid, signal.SIGKILL)
                running[pid] = (*running[pid][:3], math.inf)
                yield f"{running[pid][0]} in {running[pid][1]}: it has not ended in {LONGEST:.0f} s"
            continue
        *_, file, deadline = running.pop(ended)
        with os.fdopen(file) as lines:
            told = lines.read()
        if deadline < math.inf:
            yield from told.splitlines()


def main() -> int:
    asked = argparse.ArgumentParser(description=__doc__)
    asked.add_argument("names", nargs="*", help="parts of the names of the functions that are to raise")
    asked.add_argument("--all", action="store_true", help="on the host, and on a device that copies")
    asked.add_argument("--device", action="store_true", help="on a device that copies alone")
    asked.add_argument("--sampled", type=int, help="so many functions, of every third program")
    asked.add_argument("--trace", action="store_true", help="show where each fault came from")
    given = asked.parse_args()
    patch = pytest.MonkeyPatch()
    prepared(patch)
    wrong = 0
    for device in (False, True) if given.all else (given.device,):
        if device:
            copying_device.use(patch)
            as_of_the_package(copying_device)
        programs = corpus()
        assert len(programs) == 60
        found = places(dict(itertools.islice(programs.items(), 0, None, 3)) if given.sampled else programs)
        assert len(found) > 500
        if given.names:
            found = {name: at for name, at in found.items() if any(part in name for part in given.names)}
        if given.sampled:
            found = dict(itertools.islice(found.items(), 0, None, len(found) // given.sampled))
        for line in judged(found, programs):
            wrong += 1
            print(line, flush=True)
        print(f"{len(found)} functions{' on a device that copies' * device}, {wrong} wrong", flush=True)
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
