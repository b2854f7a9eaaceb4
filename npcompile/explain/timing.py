"""Measures a function under NumPy and replayed, where calling it again changes nothing."""

from __future__ import annotations

import ast
import builtins
import copy
import dataclasses
import time
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from npcompile.explain.blocks import held, statements
from npcompile.explain.programs import duration_text
from npcompile.explain.sampling import ENOUGH, CallTimes, Sampler, clock
from npcompile.frontend.catalog import inlining, purity
from npcompile.frontend.catalog.installed_packages import is_users_file
from npcompile.frontend.eager.dispatch import UPDATING
from npcompile.frontend.ops.table import TABLE
from npcompile.frontend.rewrite.partition import tree_of
from npcompile.frontend.rewrite.scopes import body_of
from npcompile.frontend.rewrite.source import NotFound
from npcompile.lower.plan.attributes import step_of, value_of
from npcompile.partition.partitioned import Block, Callee, PartitionedFunction, cut_of
from npcompile.partition.root_function import RootFunction
from npcompile.runtime.function import Specialization
from npcompile.runtime.recorded_program import RecordedProgram
from npcompile.runtime.tiers import Tier
from npcompile.tiering.overhead import compiling_ahead

_LONG_ENOUGH = 0.2  # seconds that a measurement takes, unless its fewest calls take longer
_FEWEST = 5  # calls of a measurement: some are done plainly, where replays contend with NumPy
_TOO_LONG = 5.0  # seconds after which fewer calls do
# The seconds of calls of which it is seen where their time goes. It takes no longer than _LONGEST.
_PROFILED, _LONGEST = 0.05, 0.2
_TRIES, _LONG_TRIES = 8, 3  # calls until all blocks of a function are replayed; of long ones
# Counts of calls, which timing must not change.
_COUNTED = ("calls", "replays", "plain_calls", "divergences", "host_calls") + (
    "bytes_to_device",
    "bytes_from_device",
    "graph_captures",
    "graph_trips",
    "fused_trips",
    "segment_graphs",
    "loop_entries",
    "loop_leaves",
    "loop_overflows",
    "loop_rests",
    "leave_reasons",
)
_DATA = (np.ndarray, np.generic, int, float, complex, bool, str, bytes, type(None))
_CONSTANT = (int, float, complex, bool, str, type(None), np.generic, types.ModuleType, type)
_FILES = ("tofile", "dump")  # methods of arrays that write files
_HARMLESS: frozenset[Any] = frozenset(
    [range, len, enumerate, zip, reversed, sorted, list, tuple, dict, set, sum, any, all, bool, str]
)
# Packages whose functions change nothing but, at most, their arguments.
_COMPUTING = ("scipy.ndimage.", "scipy.linalg._", "scipy.fft.", "scipy.signal.", "scipy.special.")
_OUTSIDE = object()
# Attributes of a class that `dataclass` makes, or that every class has. Those that Python calls to read,
# to store or to copy are not among them.
_RECORDS_OWN = frozenset(
    ["__init__", "__repr__", "__eq__", "__hash__", "__lt__", "__le__", "__gt__", "__ge__"]
    + ["__dict__", "__weakref__", "__match_args__", "__module__", "__doc__", "__qualname__"]
    + ["__annotations__", "__annotate_func__", "__annotations_cache__", "__dataclass_params__"]
    + ["__dataclass_fields__", "__replace__"]
)


@dataclass(frozen=True)
class Seconds:
    """The fastest call of NumPy and of the replay. None: not timed, for the reason in `why`."""

    numpy: float | None = None
    replay: float | None = None
    why: str = ""

    def __str__(self) -> str:
        if self.numpy is None or self.replay is None:
            return f"not timed: {self.why}"
        times = f"NumPy {duration_text(self.numpy)}, replay {duration_text(self.replay)}"
        return f"{times}: {self.numpy / self.replay:.3g} times NumPy's speed"


def timed(
    jitted: RootFunction,
    state: Specialization | None,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    first: tuple[tuple[Any, ...], dict[str, Any]] | None,
    measured: CallTimes,
) -> tuple[Seconds, tuple[int, int] | None]:
    """Measure both on these arguments; also the bytes that a replay copies to a device and back.

    measured: takes the times of lines and kernels.

    A function that was cut is called on copies of the arguments, since its blocks write into arrays that may
    be theirs, as they were before the first call (`first`); blocks that were not recorded yet are recorded
    then. So is a function of which the first call has recorded nothing.
    """
    if state is None:
        return Seconds(why="nothing was compiled"), None
    partitioned = cut_of(state)
    if partitioned is None and not state.entries:
        if state.tier is not Tier.RECORDING or jitted.own_stats.told:
            return Seconds(why="nothing was compiled"), None
        if first is None or not _looks_quiet(jitted.__wrapped__, {}, set(), set()):
            return Seconds(why="nothing is compiled yet; explain it again after some calls"), None
        fresh: Callable[[], Any] = lambda: copy.deepcopy(first)  # noqa: E731
    elif partitioned is None:
        if any(entry.plan.effects is not None for entry in state.entries):
            return Seconds(why="it has effects"), None
        fresh = lambda: (args, kwargs)  # noqa: E731
    else:
        if first is None or not _is_quiet(partitioned):
            return Seconds(why="it has effects, or may have"), None
        fresh = lambda: copy.deepcopy(first)  # noqa: E731
    counts = [
        (stats, replace(stats, leave_reasons=dict(stats.leave_reasons)))
        for stats in (jitted.own_stats, jitted.block_stats)
    ]
    loops = [] if partitioned is None else [one for one in partitioned.natives.values() if one is not None]
    entered = [(loop, loop.entries, loop.leaves, dict(loop.left)) for loop in loops]
    spent = 0.0
    try:
        for number in range(1, _TRIES + 1):
            before = replace(jitted.stats)
            given, named = fresh()
            began = time.perf_counter()
            with compiling_ahead():  # these calls are made for that alone
                jitted(*given, **named)
            spent += time.perf_counter() - began
            jitted.wait()
            after = jitted.stats
            last = number == _TRIES or (number >= _LONG_TRIES and spent > _TOO_LONG)
            if (after.recordings == before.recordings or last) and after.replays > before.replays:
                moved = (
                    after.bytes_to_device - before.bytes_to_device,
                    after.bytes_from_device - before.bytes_from_device,
                )
                seconds = Seconds(_fastest(jitted.__wrapped__, fresh), _fastest(jitted, fresh))
                _profile(jitted, fresh, measured)
                return seconds, moved
            if last:
                break
        return Seconds(why="no replay answered all of it"), None
    finally:
        for stats, old in counts:
            for name in _COUNTED:
                setattr(stats, name, getattr(old, name))
        for loop, entries, leaves, left in entered:
            loop.entries, loop.leaves, loop.left = entries, leaves, left


def _profile(jitted: RootFunction, fresh: Callable[[], Any], measured: CallTimes) -> None:
    """Call a function for a while, and take the times of its lines and kernels, in place of earlier ones.

    Where NumPy answered all these calls, as its turn was in a contest, others are made.
    """
    for _ in range(_TRIES):
        measured.clear()
        sampler, began, before = Sampler(jitted, measured), clock(), jitted.stats.replays
        with sampler.sampling():
            while measured.seconds < _PROFILED or sampler.looks < ENOUGH:
                args, kwargs = fresh()
                sampler.run(args, kwargs)
                if clock() - began >= _LONGEST:
                    break
        if jitted.stats.replays > before:
            return


def kept(args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]] | None:
    """Copies of arguments that are data alone; None where they are not."""
    return copy.deepcopy((args, kwargs)) if _is_data((args, kwargs)) else None


def _fastest(function: Callable[..., Any], fresh: Callable[[], Any]) -> float:
    times: list[float] = []
    while (sum(times) < _LONG_ENOUGH or (len(times) < _FEWEST and sum(times) < _TOO_LONG)) and len(
        times
    ) < 1000:
        args, kwargs = fresh()
        began = time.perf_counter()
        function(*args, **kwargs)
        times.append(time.perf_counter() - began)
    return min(times)


# -- effects of a function that was cut ----------------------------------------------------------------------


def _is_data(value: Any) -> bool:
    """Arrays and numbers, however nested: a copy of them is independent of the caller's."""
    if type(value) in (tuple, list):
        return all(map(_is_data, value))
    if type(value) is dict:
        return all(map(_is_data, value.values()))
    if _is_record(type(value)):
        return all(map(_is_data, vars(value).values()))
    return type(value) in _DATA or isinstance(value, np.generic)


def _is_record(cls: type) -> bool:
    """Tell if a class is a dataclass of fields alone: to read or copy one calls no code of the user's."""
    if not dataclasses.is_dataclass(cls) or "__dict__" not in dir(cls):
        return False
    named = [item for base in cls.__mro__[:-1] for item in vars(base).items()]
    return all(
        name in _RECORDS_OWN or not (callable(value) or hasattr(type(value), "__get__"))
        for name, value in named
    )


def _calls_again(entry: RecordedProgram) -> bool:
    """Tell if a program of a part makes opaque calls."""
    return any(step_of(node) == "opaque" for node in entry.program.graph.nodes)


def _writes_outside(entry: RecordedProgram) -> bool:
    """Tell if a program of a part writes into an array that it found outside."""
    reads = {value_of(node).root for node in entry.program.graph.nodes if step_of(node) == "read"}
    return bool(reads & entry.plan.written)


def _is_quiet(partitioned: PartitionedFunction) -> bool:
    """Tell if a call with copies of data as its arguments is sure to change nothing outside of it.

    What was recorded is known; what Python does between, and blocks that were not recorded or call functions
    again, must look so: no stores to attributes or outer names, calls of listed functions only, no arrays
    from outside.
    """
    fn = partitioned.owner.__wrapped__
    recorded = [
        block for block in _blocks(partitioned) if any(state.entries for state in block.by_signature.values())
    ]
    if any(_writes_outside(entry) for block in recorded for entry in _entries(block)):
        return False
    known = {
        node
        for block in recorded
        if not any(map(_calls_again, _entries(block)))
        for node in block.piece.block.statements
    } & set(held(partitioned))
    return _looks_quiet(fn, partitioned.root.callees, known, set())


def _looks_quiet(fn: Any, callees: Mapping[Any, Any], known: set[ast.AST], seen: set[Any]) -> bool:
    """Tell if the source of a function shows that it changes nothing but, at most, its arguments.

    known: statements of which that is known. seen: functions that are being looked at.
    """
    if not isinstance(fn, types.FunctionType):
        return False
    if not all(isinstance(value, _CONSTANT) for value in _defaults(fn)):
        return False
    try:
        tree, _ = tree_of(fn)
    except NotFound:
        return False
    every = [part for node in (tree.args, *tree.body) for part in ast.walk(node)]  # not the decorators
    never = (
        ast.Global,
        ast.Nonlocal,
        ast.Yield,
        ast.YieldFrom,
        ast.Await,
        ast.Lambda,
        ast.With,
        ast.ClassDef,
        ast.Import,
        ast.ImportFrom,
    )
    if any(
        isinstance(node, never) or (isinstance(node, ast.FunctionDef) and node is not tree) for node in every
    ):
        return False
    names = _Names(fn, every, callees, {*seen, fn})
    return all(names.is_quiet(node) for node in _parts(body_of(tree)) if node not in known)


def _defaults(fn: types.FunctionType) -> list[Any]:
    return [*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]


def _blocks(partitioned: PartitionedFunction) -> Iterator[Block]:
    for block in partitioned.blocks.values():
        yield block
        if block.inside is not None:
            yield from _blocks(block.inside)


def _entries(recorded: Any) -> set[RecordedProgram]:
    return {entry for state in recorded.by_signature.values() for entry in state.entries}


def _parts(body: list[ast.stmt]) -> Iterator[ast.AST]:
    """Yield the simple statements of a body, and the expressions that the others evaluate themselves."""
    yield from statements(body)
    for node in (part for statement in body for part in ast.walk(statement)):
        if isinstance(node, ast.If | ast.While):
            yield node.test
        elif isinstance(node, ast.For):
            yield node.iter


class _Names:
    """Finds the values of a function's names."""

    def __init__(
        self, fn: types.FunctionType, nodes: list[ast.AST], callees: Mapping[Any, Any], seen: set[Any]
    ) -> None:
        self.fn = fn
        self.callees = callees
        self.seen = seen
        self.own = {n.id for n in nodes if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        self.own |= {n.arg for n in nodes if isinstance(n, ast.arg)}
        self.cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))

    def value(self, node: ast.AST) -> Any:
        """Return the value of a name, or of a module's attribute; `_OUTSIDE` where it is not known."""
        if isinstance(node, ast.Attribute):
            base = self.value(node.value)
            return getattr(base, node.attr, _OUTSIDE) if isinstance(base, types.ModuleType) else _OUTSIDE
        if not isinstance(node, ast.Name) or node.id in self.own:
            return _OUTSIDE
        if node.id in self.cells:
            return self.cells[node.id].cell_contents
        return self.fn.__globals__.get(node.id, getattr(builtins, node.id, _OUTSIDE))

    def is_quiet(self, node: ast.AST) -> bool:
        called: set[int] = set()
        for part in ast.walk(node):
            if isinstance(part, ast.Attribute) and not isinstance(part.ctx, ast.Load):
                return False
            if isinstance(part, ast.Call):
                if not self.is_harmless(part):
                    return False
                called |= set(map(id, ast.walk(part.func)))
        return all(
            id(part) in called or isinstance(self.value(part), _CONSTANT)
            for part in ast.walk(node)
            if isinstance(part, ast.Name) and part.id not in self.own
        )

    def is_harmless(self, call: ast.Call) -> bool:
        """Tell if a call changes nothing but, at most, its arguments."""
        function = self.value(call.func)
        if function is _OUTSIDE:
            root: ast.AST = call.func
            while isinstance(root, ast.Attribute | ast.Subscript):
                root = root.value
            data = not isinstance(root, ast.Name) or root.id in self.own
            return data and isinstance(call.func, ast.Attribute) and call.func.attr not in _FILES
        callee = (
            self.callees.get(inlining.key_of(function)) if isinstance(function, types.FunctionType) else None
        )
        if isinstance(callee, Callee):
            cut = any(state.partitioned is not None for state in callee.by_signature.values())
            if bool(_entries(callee)) and not cut:
                return not any(_calls_again(entry) or _writes_outside(entry) for entry in _entries(callee))
        try:
            if function in _HARMLESS or function in purity.NUMBER_FUNCTIONS or function in purity.STRUCTURE:
                return True
            if function in purity.HOST_FUNCTIONS:
                return True
        except TypeError:  # it has no hash
            return False
        if isinstance(function, types.FunctionType):
            if function.__module__.startswith(_COMPUTING):
                return True
            if is_users_file(function.__code__.co_filename):
                return function not in self.seen and _looks_quiet(function, self.callees, set(), self.seen)
        return TABLE.of(function) is not None or function in (np.copyto, *UPDATING)
