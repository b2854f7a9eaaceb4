"""Records one call of a function and makes of it a residual program with its plan.

`runtime/function.py` calls `trace`, for whole functions and for blocks. `trace` always gives the call's own
answer, or raises the call's own exception; where no program can be made, it says why.
"""

from __future__ import annotations

import hashlib
import math
import types
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from torch import fx

import npcompile.frontend.ops  # noqa: F401  (registers every op)
from npcompile.diagnostics.paths import sources_of_ops
from npcompile.diagnostics.reason import Cause, Reason
from npcompile.frontend.boundary.faults import Fault, noting, performs
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.ops.table import WEAK
from npcompile.frontend.passes.order import run_passes
from npcompile.frontend.program.array_facts import with_copied, with_items
from npcompile.frontend.program.bound_methods import After
from npcompile.frontend.program.equality import DICTS
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.signature import MADE_ANEW, NUMBERS, by_value
from npcompile.frontend.record.recorder import Recorder
from npcompile.frontend.replay.replay import Replay
from npcompile.frontend.rewrite.rewriter import Rewritten
from npcompile.frontend.rewrite.source import FunctionNode, find, given, is_given
from npcompile.lower.mesh.mesh import mesh_of
from npcompile.lower.plan.attributes import attributes, source_place, step_of, value_of
from npcompile.lower.plan.plan import Plan, Unplannable, plan


@dataclass
class Traced:
    """A recorded call: its answer, and the program with its plan, or the reason why there is none."""

    result: Any
    program: Program | None = None
    plan: Plan | None = None
    # `source.find` returns it for the code of the replay, where functions of the code were cut out.
    tree: tuple[FunctionNode, frozenset[str]] | None = None
    reason: Reason | None = None
    line: int | None = None
    top: int | None = None  # the line of the function itself that led to `line`
    late: bool = False  # there would be a program if the function were cut before that line
    host_calls: int = 0
    exceeded: bool = False  # the recording was given up because it took too long
    fault: Fault | None = None  # npcompile's own fault, where that is why there is no program
    # The arguments that are foreign arrays, where nothing was recorded because of them.
    foreign: frozenset[str] = frozenset()


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
    """Call a function and record the call. Exceptions of the function are raised, and then nothing is kept.

    Parameters
    ----------
    fn : function
        The function as the user wrote it.
    rewritten : Rewritten
        The function with every operation going through a hook.
    args, kwargs : tuple, dict
        The arguments of the call.
    names : list of str
        The names of the parameters that `args` are for.
    default_float : dtype or None
        The dtype of arrays that the function makes without naming one; None for NumPy's.
    device : str
        The device that the program is to run on. Device arrays among the arguments take precedence.
    hooks : callable
        Makes the recorder: `Recorder`, or a subclass that does more than record.
    own : tuple
        The function itself, where the program takes it as its first input, in order to be valid for other
        functions of the same code; else empty.
    fast_random : bool
        Draws with a size are computed as array work, not taken from NumPy's stream.
    general : bool
        The program is to be shape-generic, if it can be.
    grow : frozenset of int
        The positions of arguments that are containers of which the signature holds the type alone.
    counting : frozenset of str or bool
        With `general`, integers that are sizes are generic, too: those of these names, or (True) all that are
        arguments or are read.
    uncompiled : dict, optional
        The ops that are left to NumPy, by name, with the reason of each.
    limit : float
        The recording is given up once the running call has spent this many seconds on npcompile's own work.

    Returns
    -------
    Traced
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
            [
                arguments.grown(value, name) if place in grow else arguments.take(value, name)
                for place, (value, name) in places
            ]
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
        if device != "cpu" and program.device is None:
            program.device = device
        elif device != "cpu" and (mesh := mesh_of(device)) and program.device == str(mesh.home):
            program.device = device
        try:
            run_passes(program)
            traced.host_calls = program.host_calls
            planned = plan(program.graph, program.inputs, WEAK, program.device or "cpu")
            _movable(program, planned)
            traced.tree = find(fn) if is_given(fn.__code__) else None
            traced.plan = planned
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
        if traced.plan is None:
            traced.line, traced.program = traced.line or fn.__code__.co_firstlineno, None
    traced.fault = recorder.fault
    return traced


def write_replay(program: Program, plan: Plan, tree: tuple[FunctionNode, frozenset[str]] | None) -> Replay:
    """Write the replay function of a recorded call. tree: as in `Traced`."""
    replay = Replay(program, plan)
    if tree is not None:
        for code in replay.codes:
            given(code, *tree)
    return replay


def _movable(program: Program, plan: Plan) -> None:
    """Check that the arrays of a program for a device can be moved there one by one.

    Raises Unplannable if two NumPy arrays share memory and the program writes to it, and if NumPy is to read
    from an array while it writes to it.
    """
    if program.device in (None, "cpu"):
        return
    if any(map(_reads_while_writing, program.graph.nodes)):
        raise Unplannable(Cause.SHARED_ON_DEVICE())
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


def _reads_while_writing(node: fx.Node) -> bool:
    """Tell if a step has NumPy write into its first argument, of which another one shows the memory."""
    target = node.target
    if step_of(node) != "host" or not (isinstance(target, After) or target in (with_items, with_copied)):
        return False
    written = value_of(node.all_input_nodes[0])
    read = [value_of(arg) for arg in node.all_input_nodes[1:] if value_of(arg).kind == "array"]
    return any(value.root == written.root for value in read)


class _Arguments:
    """Gives each leaf of the arguments a placeholder, in the order of the signature's leaves."""

    def __init__(self, recorder: Recorder) -> None:
        self.builder = recorder.builder
        self.taken: set[str] = set()

    def take(self, value: Any, name: str, renew: bool = True) -> Any:
        """Note an argument, or a part of one; return the object to call the function with.

        A number gets a stand-in if `renew` is true, and a tuple of numbers becomes a tuple of their
        stand-ins. Everything else is returned as it is: items of lists and dicts keep their identity.
        """
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
                # Names are made of text keys alone: the text of another key may run the user's code.
                named = type(key) is str and key.isidentifier()
                self.take(item, f"{name}_{key}" if named else f"{name}_item", False)
            return value
        if renew and (kind in NUMBERS or isinstance(value, np.generic)):
            value = self.builder.tracked.stand(value)
        self.builder.placeholder(self._unique(name), value)
        return value

    def grown(self, value: Any, name: str) -> Any:
        """Note a container of which the signature holds the type alone; its items are read where needed.

        Raises Unfollowed for a set and for a text.
        """
        if type(value) in (str, bytes):
            raise Unfollowed(Cause.VARYING_TEXT())
        if type(value) is set:
            raise Unfollowed(Cause.GROWING_SET())
        self.container(name, value)
        if self.builder.tracked.get(value) is None:
            self.builder.opened(value, self.builder.containers[id(value)])
        return value

    def container(self, name: str, value: Any) -> None:
        """Give a list or dict a placeholder of its own; its items are noted apart from it."""
        self.builder.container(self._unique(name), value)

    def _unique(self, name: str) -> str:
        """Return a name for a placeholder that no other one has."""
        while name in self.taken:
            name += "_"
        self.taken.add(name)
        return name


@cache
def ops_version() -> str:
    """Return a hash of the source of all ops. Every kernel's key contains it: a changed op is compiled
    again."""
    digest = hashlib.sha256()
    for file in sources_of_ops():
        digest.update(file.read_bytes())
    return digest.hexdigest()
