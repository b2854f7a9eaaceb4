"""One recording of one call, from the arguments to the plan: what `jit` asks the front end for."""

from __future__ import annotations

import hashlib
import math
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

import npcompile.frontend.ops  # noqa: F401  (registers every op)
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.boundary.faults import Fault, noting, performs
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.ops.table import WEAK
from npcompile.frontend.passes.order import run_passes
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.signature import MADE_ANEW, NUMBERS, by_value
from npcompile.frontend.record.recorder import Recorder
from npcompile.frontend.replay.replay import Replay
from npcompile.frontend.rewrite.rewriter import Rewritten
from npcompile.frontend.rewrite.source import find, given, is_given
from npcompile.lower.plan.attributes import attributes, source_place, step_of, value_of
from npcompile.lower.plan.plan import Plan, Unplannable, plan
from npcompile.paths import sources_of_ops


@dataclass
class Traced:
    """A recorded call: NumPy's own answer, and the program with its plan, or the reason why there is none."""

    result: Any
    program: Program | None = None
    plan: Plan | None = None
    replay: Replay | None = None
    reason: Reason | None = None
    line: int | None = None
    top: int | None = None  # the function's own line that led there
    late: bool = False  # it would do if the function were cut before that line
    host_calls: int = 0
    exceeded: bool = False  # to record it takes too long
    fault: Fault | None = None  # it is a fault of npcompile's own that there is none


@performs
def trace(
    fn: types.FunctionType,
    rewritten: Rewritten,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    names: list[str],
    default_float: np.dtype[Any] | None,
    device: str,
    hooks: Callable[[str, np.dtype[Any] | None, bool], Recorder] = Recorder,
    own: tuple[Any, ...] = (),
    fast_random: bool = False,
    general: bool = False,
    grow: frozenset[int] = frozenset(),
    counting: frozenset[str] | bool = False,
    uncompiled: dict[str, Reason] | None = None,
    limit: float = math.inf,
) -> Traced:
    """Call a function, recording it. Its own exceptions are raised; the recording then counts for nothing.

    device: where the program is to run. Device arrays among the arguments decide that themselves.
    hooks: what makes the recorder, where it is to do more than record.
    general: the program is to be valid for arguments of other lengths, if it can be.
    grow: the places of containers among the arguments of which the signature says the type alone.
    counting: as `general`, and for other whole numbers that are sizes: these arguments, or (True) all that
    are given or read.
    uncompiled: ops that are left to NumPy, by name, and why.
    limit: the seconds of machinery of the call at hand at which the recording is given up.
    own: the function, where the program takes it as its first input, to be valid for others of its code.
    """
    recorder = hooks(fn.__code__.co_filename, default_float, device == "cpu")
    recorder.fast_random = fast_random
    recorder.limit = limit
    recorder.uncompiled = uncompiled or {}
    recorder.builder.code = rewritten.code
    recorder.builder.general = general
    recorder.builder.counting = general and counting is True
    recorder.builder.steady = counting if general and isinstance(counting, frozenset) else frozenset()
    arguments = _Arguments(recorder)
    try:
        for function in own:
            arguments.take(function, fn.__name__ if fn.__name__.isidentifier() else "function")
        places = enumerate(zip(args, names, strict=False))
        taken = tuple(
            arguments.grown(value, name) if place in grow else arguments.take(value, name)
            for place, (value, name) in places
        )
        if kwargs:
            arguments.container("named", kwargs)
        args, kwargs = taken, {key: arguments.take(value, key) for key, value in kwargs.items()}
    except Unfollowed as unfollowed:
        recorder.stop(unfollowed.reason)
    try:
        result = recorder.run(rewritten, fn, args, kwargs)
    except BaseException as error:
        recorder.escaped(error)
        recorder.unhook()
        raise
    name = fn.__name__ if fn.__name__.isidentifier() else "function"
    program = recorder.finish(name, result)
    result = recorder.shown(result)
    recorder.unhook()
    recorder.let_go()
    traced = Traced(
        result, program, host_calls=recorder.builder.host_calls, reason=recorder.reason, line=recorder.at
    )
    traced.top, traced.exceeded = recorder.top, recorder.exceeded
    if program is not None:
        program.line, program.own = fn.__code__.co_firstlineno, len(own)
        if program.device is None and device != "cpu":
            program.device = device
        try:
            run_passes(program)
            traced.host_calls = program.host_calls
            traced.plan = plan(program.graph, program.inputs, WEAK, program.device or "cpu")
            _movable(program, traced.plan)
            traced.replay = Replay(program, traced.plan)
            if is_given(fn.__code__):
                for code in traced.replay.codes:
                    given(code, *find(fn))
        except Unplannable as unplannable:
            traced.reason = unplannable.reason
            if unplannable.node is not None:
                traced.line, traced.top, elsewhere = source_place(unplannable.node)
                if elsewhere:
                    traced.reason = traced.reason.at(None, elsewhere)
                traced.late = True
        except Exception as error:
            recorder.faulted(noting(error))
            traced.reason = recorder.reason
        if traced.replay is None:
            traced.line, traced.program = traced.line or fn.__code__.co_firstlineno, None
    traced.fault = recorder.fault
    return traced


def _movable(program: Program, plan: Plan) -> None:
    """NumPy arrays that share memory and are written to cannot move to a device one by one. Raises
    Unplannable."""
    if program.device in (None, "cpu"):
        return
    entering = [
        node
        for node in program.graph.nodes
        if node.op != "output"
        and step_of(node) in ("input", "read", "opaque")
        and value_of(node).kind == "array"
        and not attributes(node).wrapped
    ]
    places = {(value_of(node).root, value_of(node).region) for node in entering}
    roots = [root for root, _ in places]
    if any(roots.count(root) > 1 for root in plan.written):
        raise Unplannable(Cause.SHARED_ON_DEVICE())


class _Arguments:
    """Gives each leaf of the arguments its placeholder, in the order of the signature's leaves."""

    def __init__(self, recorder: Recorder) -> None:
        self.builder = recorder.builder
        self.taken: set[str] = set()

    def take(self, value: Any, name: str, renew: bool = True) -> Any:
        """The value to call with: numbers as objects of their own (where `renew`), everything else as it
        is."""
        kind = type(value)
        if by_value(value):
            if kind in MADE_ANEW:
                self.builder.whole(self._unique(name), value)
            return value
        if kind is slice:
            for part in (value.start, value.stop, value.step):
                self.builder.constant(part)
            return value
        if kind in (tuple, list):
            self.builder.tracked.keep(value, None)
            if kind is list:
                self.container(name, value)
            else:
                self.builder.whole(self._unique(name), value)
            renew = renew and kind is tuple
            items = [self.take(item, f"{name}_{position}", renew) for position, item in enumerate(value)]
            return (
                self.builder.tracked.stands(tuple(items), value)
                if renew and any(a is not b for a, b in zip(items, value, strict=True))
                else value
            )
        if kind in DICTS and kind is not dict:
            return self.grown(value, name)
        if kind is dict:
            self.builder.tracked.keep(value, None)
            self.container(name, value)
            for key, item in value.items():
                named = type(key) is str and key.isidentifier()  # a key may be an object of the user's
                self.take(item, f"{name}_{key}" if named else f"{name}_item", False)
            return value
        if renew and (kind in NUMBERS or isinstance(value, np.generic)):
            value = self.builder.tracked.stand(value)
        self.builder.placeholder(self._unique(name), value)
        return value

    def grown(self, value: Any, name: str) -> Any:
        """A container of which the signature says the type alone: what is needed of it is read."""
        if type(value) is set:
            raise Unfollowed(Cause.GROWING_SET())
        self.container(name, value)
        if self.builder.tracked.get(value) is None:
            self.builder.opened(value, self.builder.containers[id(value)])
        return value

    def container(self, name: str, value: Any) -> None:
        """A list or dict itself."""
        self.builder.container(self._unique(name), value)

    def _unique(self, name: str) -> str:
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


@cache
def ops_version() -> str:
    """What the meaning of op nodes depends on, as part of every kernel's key: the source of the ops."""
    digest = hashlib.sha256()
    for file in sources_of_ops():
        digest.update(file.read_bytes())
    return digest.hexdigest()
