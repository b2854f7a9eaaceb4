"""Runs the first loop of a function natively, from its source and its arguments, and compares it with Python.

The statements before the loop are Python's; what stands after the loop is left out.
"""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import textwrap
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from npcompile.frontend.loop_pipeline import TypedLoop, loop_source, typed_loop
from npcompile.frontend.loops.entry.values import type_of
from npcompile.frontend.loops.run.exchange import arrays_in
from npcompile.frontend.loops.run.iterators import state_of
from npcompile.frontend.loops.source.control_flow import ControlFlow, Done
from npcompile.lower.loops.codegen.emitter import Exit


@dataclass
class Run:
    """A native run: where it left, and the values of the function's names then."""

    loop: TypedLoop
    flow: ControlFlow
    exit: Exit
    names: dict[str, Any]

    @property
    def is_done(self) -> bool:
        """Tell if the loop was done to its end."""
        return isinstance(self.flow.blocks[self.exit.place.block].end, Done) and self.exit.place.step == 0


@dataclass
class Begun:
    """A function's first loop, of which native code is being compiled, and the names that it is given."""

    loop: TypedLoop
    flow: ControlFlow
    names: dict[str, Any]
    given: dict[str, Any]

    def run(self) -> Run:
        typed = self.loop
        typed.job.wait()
        assert typed.job.error is None, typed.job.error
        words = typed.exchange.pack(self.given)
        exit_ = typed.exits[typed.job.function(typed.exchange.address(words))]
        bound = typed.exchange.unpack(words, arrays_in(self.given.values()))
        users = {name: value for name, value in bound.items() if name[0] != "."}
        return Run(typed, self.flow, exit_, self.names | users)


def run_natively(function: Callable[..., Any], *args: Any) -> Run:
    """Return the native run of a function's first loop."""
    return begin(function, *args).run()


def begin(function: Callable[..., Any], *args: Any) -> Begun:
    """Do what comes before a function's first loop, and begin to compile that."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    place = next(place for place, node in enumerate(tree.body) if isinstance(node, ast.For | ast.While))
    loop = tree.body[place]
    assert isinstance(loop, ast.For | ast.While)
    names = dict(zip((arg.arg for arg in tree.args.args), args, strict=True))
    outer: Any = function.__globals__  # type: ignore[attr-defined]
    exec(compile(ast.Module(tree.body[:place], []), "before", "exec"), outer, names)
    source = loop_source(loop)
    assert source is not None
    given = {name: names.get(name, outer.get(name, getattr(builtins, name, None))) for name in source.reads}
    if isinstance(loop, ast.For):
        assert source.flow.state is not None
        iterable = eval(compile(ast.Expression(loop.iter), "iterable", "eval"), outer, names)
        given[source.flow.state] = iterable if type(iterable) is range else state_of(iter(iterable))
    types = {name: type_of(value) for name, value in given.items()}
    typed = typed_loop(source.flow, types, frozenset())  # type: ignore[arg-type]
    assert typed.job is not None  # asking for it has begun the compilation
    return Begun(typed, source.flow, names, given)


def run_in_python(function: Callable[..., Any], *args: Any) -> dict[str, Any]:
    """Return the names of a function after its first loop."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    node = tree.body[0]
    assert isinstance(node, ast.FunctionDef)
    node.decorator_list = []
    place = next(place for place, one in enumerate(node.body) if isinstance(one, ast.For | ast.While))
    node.body[place + 1 :] = ast.parse("return locals()").body
    names: dict[str, Any] = dict(function.__globals__)  # type: ignore[attr-defined]
    exec(compile(ast.fix_missing_locations(tree), "plain", "exec"), names)
    with np.errstate(all="ignore"):
        found: dict[str, Any] = names[node.name](*args)
    return found


def check(function: Callable[..., Any], *args: Any) -> Run:
    """Assert that a function's first loop does natively what Python does; return the native run."""
    mine, plain = copies(args), copies(args)
    run = run_natively(function, *mine)
    want = run_in_python(function, *plain)
    assert run.is_done, f"left at {run.exit}\n{run.loop.region}"
    assert run.names.keys() == want.keys()
    for name, value in want.items():
        assert_same(run.names[name], value, name)
    for one, other in (("x", "y"), ("a", "b")):
        if one in want and other in want:
            assert (run.names[one] is run.names[other]) == (want[one] is want[other])
    return run


def copies(args: tuple[Any, ...]) -> list[Any]:
    """Return arguments whose arrays and lists have memory of their own, with the strides that they had."""
    made = []
    for value in args:
        if isinstance(value, np.ndarray) and value.base is not None:
            base = value.base.copy(order="K")
            offset = value.ctypes.data - value.base.ctypes.data
            made.append(np.ndarray(value.shape, value.dtype, base.data, offset, value.strides))
        else:
            made.append(copy.deepcopy(value) if isinstance(value, np.ndarray | list | deque) else value)
    return made


def assert_same(got: Any, want: Any, name: str) -> None:
    """Assert that two values are equal in type, dtype, shape, layout and value."""
    assert type(got) is type(want), f"{name}: {type(got)} for {type(want)}"
    if isinstance(want, np.ndarray):
        assert got.dtype == want.dtype and got.shape == want.shape, name
        assert got.strides == want.strides or want.size < 2, f"{name}: {got.strides} for {want.strides}"
        assert (got.base is None) == (want.base is None), f"{name}: {got.base is None}"
        assert got.flags.writeable == want.flags.writeable, name
    if isinstance(want, np.ndarray | np.number | float | complex):
        with np.errstate(all="ignore"):
            np.testing.assert_array_equal(got, want, err_msg=name)
            if np.asarray(want).dtype.kind == "f":
                np.testing.assert_array_equal(np.signbit(got), np.signbit(want), err_msg=name)
    elif not isinstance(want, type(np)) and not callable(want):
        assert got == want, name
