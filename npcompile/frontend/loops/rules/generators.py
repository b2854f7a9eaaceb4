"""Gives the loop language its rule for `for` loops over calls of the user's generator functions.

The generator becomes a native function without effects that adds its items to a new list, which the loop goes
over. The loop is Python's where that could be told from a generator: one with effects, or that reads what the
trips may change, or that could go on for long after the loop has ended.
"""

from __future__ import annotations

import ast
import builtins
import heapq
from inspect import CO_VARKEYWORDS
from types import FunctionType, GeneratorType
from typing import Any, NamedTuple

import numpy as np

from npcompile.frontend.loops import language
from npcompile.frontend.loops.assumed import Assumed
from npcompile.frontend.loops.callees import OuterNames, arguments_of, statements_of
from npcompile.frontend.loops.entry.closures import Closure, captured_by_functions, parameters_of
from npcompile.frontend.loops.entry.objects import is_path
from npcompile.frontend.loops.entry.values import plain_function
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.rules.comprehensions import check_made, with_items
from npcompile.frontend.loops.source.control_flow import ControlFlow, body_flow
from npcompile.frontend.loops.source.generator_bodies import (
    FEW_TRIPS,
    MADE,
    MOST_TRIPS,
    calls_others,
    may_end_early,
    with_list,
)
from npcompile.frontend.loops.source.normal_form import normal_form
from npcompile.frontend.loops.source.pure_calls import is_pure_call, named
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import CheckApart
from npcompile.lower.loops.comprehension_ir import ContainerOfItems
from npcompile.lower.loops.types import (
    Array,
    Character,
    Dict,
    Known,
    List,
    Scalar,
    Set,
    Text,
    Tuple,
    Type,
    Unsigned,
)

_HEAP_FUNCTIONS = (heapq.heappush, heapq.heappop, heapq.heappushpop, heapq.heapreplace)
_COUNTED = Known(enumerate)
_LASTING = (Scalar, Unsigned, Known, Character)
_MUTABLE = (Array, List, Dict, Set)
# The graphs of generators' bodies, by the identity of their code, and if they are cut short.
_flows: dict[tuple[int, bool], tuple[Any, ControlFlow]] = {}


class Generated(NamedTuple):
    """A generator function, the types that it is given, and the list to which its items are added."""

    function: Any
    closure: Closure | None
    types: tuple[Type, ...]
    fields: tuple[tuple[str, Type], ...]
    made: List
    ends_early: bool


@language.calls(GeneratorType)
def _generated(inference: Inference, node: ast.Call) -> ir.Expression:
    """Return the list of a generator's items, where nothing but a loop goes over them."""
    loop = inference.gone_over
    if loop is None or (isinstance(loop.iter, ast.Call) and inference.value(loop.iter.func).type != _COUNTED):
        raise Outside("a generator that no loop alone goes over")
    closure = inference.object_at(node.func)
    closure = closure if isinstance(closure, Closure) else None
    known = None if closure is not None else inference.value(node.func).type
    function = closure.bare() if closure is not None else plain_function(getattr(known, "value", None))
    assert function is not None
    given = arguments_of(inference, function, node, None, closure, CO_VARKEYWORDS)
    operands = [one for one in given if isinstance(one, ir.Expression)]
    if len(operands) < len(given):
        raise Outside(f"`{function.__name__}`, which is given objects")
    made = _items(inference, function, closure, operands, may_end_early(loop))
    _check_lasting(inference, made, loop)
    return made


def _items(
    inference: Inference,
    function: FunctionType,
    closure: Closure | None,
    given: list[ir.Expression],
    ends_early: bool,
) -> ContainerOfItems:
    """Return the list of the items that a generator yields. Raises Outside."""
    paths = [] if closure is None else [one for one in inference.types.items() if is_path(one[0])]
    types, fields = tuple(one.type for one in given), tuple(sorted(paths))
    made = List(None)
    while True:
        key = Generated(function, closure, types, fields, made, ends_early)
        typed = inference.callees.get(key) or _typed(inference, key)
        if typed.body is None:
            raise Outside(f"`{function.__name__}`, which native loops refused before")
        found = with_items(made, typed)
        if found == made:
            operands = [one for one in given if not isinstance(one.type, Known)]
            operands += [inference.read(name) for name, _ in typed.parameters if is_path(name)]
            return ContainerOfItems(made, typed, tuple(operands))
        assert isinstance(found, List)
        made = found


def _typed(inference: Inference, key: Generated) -> ir.Function:
    """Return the native function that adds a generator's items to a list."""
    function, code = key.function, key.function.__code__
    flow = _flow_of(function, key.ends_early)
    inference.assumed.append(Assumed(function, "__code__", code))
    types = dict(zip(parameters_of(code), key.types, strict=True))
    given = tuple((name, kind) for name, kind in types.items() if not isinstance(kind, Known))
    made = inference.callees[key] = ir.Function(f"items_{len(inference.callees)}", given)
    unsigned: frozenset[str] = frozenset()
    while True:
        before = unsigned
        inner = Inference(
            flow,
            callees=inference.callees,
            assumed=inference.assumed,
            within=made,
            outer=OuterNames(function, frozenset(code.co_varnames), key.closure, frozenset()),
            wanted=inference.wanted,
            unsigned=unsigned,
        )
        made.body = inner.infer(types | dict(key.fields) | {MADE: key.made})
        unsigned |= inner.found_unsigned
        if unsigned == before:
            break
    made.parameters = (*given, *sorted(inner.read_fields.items()), (MADE, key.made))
    try:
        check_made(made, True)
    except Outside:
        made.result = made.body = None
        raise
    return made


def _flow_of(function: FunctionType, ends_early: bool) -> ControlFlow:
    """Return the control-flow graph of the function that adds a generator's items. Raises Outside."""
    code = function.__code__
    if (id(code), ends_early) not in _flows:
        body = with_list(statements_of(function), FEW_TRIPS if ends_early else MOST_TRIPS)
        if body is None or (ends_early and calls_others(body)):
            raise Outside(f"the generator `{function.__name__}` in a loop that may end before it")
        given = frozenset(parameters_of(code)).difference(captured_by_functions(code))
        _flows[id(code), ends_early] = code, body_flow(normal_form(body, is_pure_call, named(given)))
    return _flows[id(code), ends_early][1]


# -- changes while a generator waits -----------------------------------------------------------------------


def _check_lasting(inference: Inference, made: ContainerOfItems, loop: ast.For) -> None:
    """Add the checks that no trip of a loop changes what a generator reads. Raises Outside."""
    read = _read_by(made.function)
    pairs = [
        (operand, is_path(name))
        for (name, _), operand in zip(made.function.parameters, made.operands, strict=False)
        if name in read
    ]
    held = [operand for operand, _ in pairs if not _lasts(operand.type)]
    if not held and not any(is_path for _, is_path in pairs):
        return
    changed = _changed(inference, loop)
    for one, other in ((one, other) for one in held for other in changed):
        if isinstance(one.type, Array) and isinstance(other.type, Array):
            inference.add(CheckApart, one, other)
        elif not _are_apart(one.type, other.type):
            raise Outside(f"a generator that reads {one.type} while {other.type} changes")


def _lasts(kind: Type) -> bool:
    """Tell if nothing changes a value of a type."""
    if isinstance(kind, Tuple):
        return all(map(_lasts, kind.items))
    return isinstance(kind, _LASTING) or (isinstance(kind, Text) and kind.name != "bytearray")


def _are_apart(one: Type, other: Type) -> bool:
    """Tell if a change of an object of a type is none of an object of another type, or of those in it."""
    if isinstance(one, Array) or isinstance(other, Array):
        return isinstance(one, _MUTABLE) and isinstance(other, _MUTABLE)
    return type(one) is List and type(other) is not List and not isinstance(one.item, List | Dict | Set)


def _read_by(function: ir.Function) -> set[str]:
    """Return the parameters of which a function reads more than the lengths of axes."""
    assert function.body is not None
    found: set[str] = set()
    for block in function.body.blocks:
        for step in (*block.steps, block.end):
            pending = [*ir.expressions_of(step)]
            while pending:
                node = pending.pop()
                if isinstance(node, ir.Read):
                    found.add(node.name)
                if not (isinstance(node, ir.Length) and isinstance(node.array, ir.Read)):
                    pending += ir.parts_of(node)
    return found


def _changed(inference: Inference, loop: ast.For) -> list[ir.Expression]:
    """Return the objects that trips of a loop change. Raises Outside where that is not known."""
    parts = own_nodes(loop.body)
    added = [part.target for part in parts if isinstance(part, ast.AugAssign)]
    stores = [part for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    bound = {part.id for part in stores if part not in added}
    found: set[str] = set()
    for part in parts:
        match part:
            case ast.AugAssign(target=ast.Name(id=name)):
                found.add(name)
            case ast.Subscript(value=ast.Name(id=name), ctx=ast.Store() | ast.Del()):
                found.add(name)
            case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
                raise Outside("a generator in a loop that changes what it does not name")
            case ast.Call():
                found |= _changed_by_call(inference, part)
    if found & bound:
        raise Outside("a generator in a loop that changes what it binds")
    made = [inference.read(name) for name in sorted(found)]
    return [one for one in made if not _lasts(one.type)]


def _changed_by_call(inference: Inference, node: ast.Call) -> set[str]:
    """Return the names of the objects that a call changes. Raises Outside."""
    if not node.keywords and not any(isinstance(arg, ast.Starred) for arg in node.args):
        match node.func:
            case ast.Attribute(value=ast.Name(id=name)) if isinstance(inference.types.get(name), _MUTABLE):
                return set() if is_pure_call(node) else {name}
        known = inference.value(node.func).type
        function = known.value if isinstance(known, Known) else None
        if function in _HEAP_FUNCTIONS and node.args and isinstance(node.args[0], ast.Name):
            return {node.args[0].id}
        if isinstance(function, np.ufunc) and len(node.args) <= function.nin:
            return set()
        if (
            isinstance(node.func, ast.Name)
            and is_pure_call(node)
            and function is getattr(builtins, node.func.id)
        ):
            return set()
        if getattr(function, "__module__", None) == "math":
            return set()
    raise Outside(f"a generator in a loop that calls `{ast.unparse(node.func)}`")
