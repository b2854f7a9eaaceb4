"""Gives the loop language its rules for comprehensions, `sum`, `prod`, `min`, `max`, `any` and `all`.

Each becomes a native function without effects, made of the loops that it stands for. Where that leaves,
nothing has happened, and Python evaluates the expression as it was written.
"""

from __future__ import annotations

import ast
import math
import sys
from typing import NamedTuple

from npcompile.frontend.loops import language
from npcompile.frontend.loops.entry.closures import Reference
from npcompile.frontend.loops.entry.objects import is_path
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.passes.refusal import refusal
from npcompile.frontend.loops.source.control_flow import body_flow
from npcompile.frontend.loops.source.key_functions import KEYED, applied, key_of
from npcompile.frontend.loops.source.normal_form import is_plain_comprehension, normal_form
from npcompile.frontend.loops.source.pure_calls import is_pure_call
from npcompile.frontend.rewrite.ast_builder import position
from npcompile.lower.loops import ir
from npcompile.lower.loops.comprehension_ir import ContainerOfItems
from npcompile.lower.loops.dict_ir import AddItem, StoreKey
from npcompile.lower.loops.iterator_ir import CheckLength
from npcompile.lower.loops.list_ir import Append, CheckListLength, Expected, common
from npcompile.lower.loops.types import (
    BOOL,
    COMPLEX,
    FLOAT,
    UNSIGNED,
    Deque,
    Dict,
    Either,
    Known,
    List,
    Scalar,
    Set,
    Tuple,
    Type,
)

# The names of a function's result, of the item at hand, and of the items of a list or an array.
_MADE, _VALUE, _EACH = ".made", ".value", ".each"
_KEY, _BEST = ".key", ".best"  # the names of the item's key, and of the key of the least item so far
_PLACE = ".place"  # the names of places of deques' items begin with it
_USED = {"range": Known(range), "len": Known(len)}
_PURE = (ir.Bind, ir.BeginRange, CheckLength, CheckListLength)
# `sum` then keeps what rounding loses, of floats or of complex numbers.
_COMPENSATES_FLOATS, _COMPENSATES_COMPLEX = sys.version_info >= (3, 12), sys.version_info >= (3, 14)
_LOAD, _STORE = ast.Load(), ast.Store()
_Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


class Written(NamedTuple):
    """An expression that is done by a native function, and the types of the names that it reads."""

    node: ast.expr
    types: tuple[tuple[str, Type], ...]


@language.expressions(ast.ListComp)
def list_of(inference: Inference, node: ast.ListComp | ast.GeneratorExp) -> ir.Expression:
    """Return the list of a comprehension's items."""
    writer = _Writer(inference, node)
    return _container(inference, node, List(None), writer.method("append", node.elt))


@language.expressions(ast.SetComp)
def _set(inference: Inference, node: ast.SetComp) -> ir.Expression:
    writer = _Writer(inference, node)
    return _container(inference, node, Set(None), writer.method("add", node.elt))


@language.expressions(ast.DictComp)
def _dict(inference: Inference, node: ast.DictComp) -> ir.Expression:
    writer = _Writer(inference, node)
    target = ast.Subscript(writer.read(_MADE), node.key, _STORE, **writer.at)
    return _container(inference, node, Dict(None, None), ast.Assign([target], node.value, **writer.at))


def _container(
    inference: Inference, node: _Comprehension, known: List | Set | Dict, adding: ast.stmt
) -> ir.Expression:
    """Return the container of a comprehension's items, each of which a statement adds."""
    body = _Writer(inference, node).loops(node, [adding])
    while True:
        function, operands = _function(inference, node, body, {_MADE: known})
        found = with_items(known, function)
        if found == known:
            return ContainerOfItems(known, function, operands)
        known = found


def with_items(known: List | Set | Dict, function: ir.Function) -> List | Set | Dict:
    """Return what is known of a container after a function that adds its items. Raises Outside."""
    assert function.body is not None
    for step in (step for block in function.body.blocks for step in block.steps):
        known = _with_item(known, step)
    return known


def _with_item(known: List | Set | Dict, step: ir.Step) -> List | Set | Dict:
    """Return what is known of a container after a step that may add an item. Raises Outside."""
    match step, known:
        case Append(value=value), List(item=item):
            if (found := common(item, value.type)) is None:
                raise Outside(f"a list of items of other types, {value.type} among them")
            return List(found)
        case AddItem(item=added), Set(item=item):
            return Set(item or added.type)
        case StoreKey(key=key, value=value), Dict():
            if (found := common(known.value, value.type)) is None:
                raise Outside(f"a dict of values of other types, {value.type} among them")
            return Dict(known.key or key.type, found)
    return known


@language.calls(sum)
def _sum(inference: Inference, node: ast.Call) -> ir.Expression:
    made = _accumulated(inference, node, 0, _PLUS)
    assert made.function.body is not None
    stored = made.function.body.stored
    if _COMPENSATES_COMPLEX and COMPLEX in stored[_MADE]:
        raise Outside("`sum` of complex numbers, by this version of Python")
    if not _COMPENSATES_FLOATS or FLOAT not in stored[_MADE]:
        return made
    if BOOL in stored[_MADE] or UNSIGNED in stored[_VALUE]:  # Python then adds one item after the other
        raise Outside("`sum` of floats from a bool on, or with large ints")
    inference.types |= _CLASSES
    return _accumulated(inference, node, 0, _COMPENSATED)


@language.calls(math.prod)
def _prod(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) != 1:
        raise Outside("a `math.prod` that Python refuses")
    return _accumulated(inference, node, 1, _TIMES)


class _Accumulation(NamedTuple):
    """The statements before the loops, for each item, and after the loops."""

    before: str
    each: str
    after: str


_PLUS = _Accumulation("", "made = made + value", "")
_TIMES = _Accumulation("", "made = made * value", "")
# Python's own algorithm (Neumaier's, in `bltinmodule.c`): floats are added with what rounding loses kept
# apart, ints beside them without it; anything else ends it.
_COMPENSATED = _Accumulation(
    "lost = 0.0",
    """
if class_of(made) is float:
    if class_of(value) is float:
        after = made + value
        if (-made if made < 0 else made) >= (-value if value < 0 else value):
            lost = lost + (made - after + value)
        else:
            lost = lost + (value - after + made)
        made = after
    elif is_a(value, int):
        made = made + value
    else:
        if lost != 0 and lost - lost == 0:
            made = made + lost
        made = made + value
else:
    made = made + value
""",
    """
if class_of(made) is float and lost != 0 and lost - lost == 0:
    made = made + lost
""",
)
_CLASSES = {".is_a": Known(isinstance), ".class_of": Known(type), ".float": Known(float), ".int": Known(int)}


def _accumulated(inference: Inference, node: ast.Call, start: int, way: _Accumulation) -> ir.Call:
    """Return the sum or product of the items of a call's argument, from its `start` on, or from `start`."""
    starts = [one.value for one in node.keywords if one.arg == "start"]
    if not 1 <= len(node.args) <= 2 or len(node.keywords) != len(starts) or len(node.args) + len(starts) > 2:
        raise Outside(f"a `{ast.unparse(node.func)}` that Python refuses")
    starts += node.args[1:]
    writer = _Writer(inference, node)
    first = starts[0] if starts else ast.Constant(start, **writer.at)
    items, value = writer.items(node.args[0])
    body = [
        writer.bind(_MADE, first),
        *writer.parsed(way.before),
        *writer.loops(items, [writer.bind(_VALUE, value), *writer.parsed(way.each)]),
        *writer.parsed(way.after),
        ast.Return(writer.read(_MADE), **writer.at),
    ]
    return _reduced(inference, node, body)


def extreme(inference: Inference, node: ast.Call, operator: ast.cmpop) -> ir.Expression:
    """Return the least or greatest item of what `min` or `max` is given, by a comparison of two items, or of
    their keys."""
    key = key_of(node)
    if len(node.args) != 1 or len(node.keywords) != (key is not None):
        raise Outside("`min` or `max` with these arguments")
    writer = _Writer(inference, node)
    items, value = writer.items(node.args[0])
    at = writer.at
    none = ast.Constant(None, **at)
    first = ast.Compare(writer.read(_MADE), [ast.Is()], [none], **at)
    one, other = (_VALUE, _MADE) if key is None else (_KEY, _BEST)
    better = ast.Compare(writer.read(one), [operator], [writer.read(other)], **at)
    trip = [writer.bind(_VALUE, value)]
    take = [writer.bind(_MADE, writer.read(_VALUE))]
    if key is not None:
        trip.append(writer.bind(KEYED, writer.read(_VALUE)))
        trip.append(writer.bind(_KEY, key_expression(inference, key, node.args[0])))
        take.append(writer.bind(_BEST, writer.read(_KEY)))
    trip.append(ast.If(first, take, [ast.If(better, take, [], **at)], **at))
    body = [
        writer.bind(_MADE, none),
        *writer.loops(items, trip),
        ast.If(first, [ast.Raise(None, None, **at)], [], **at),
        ast.Return(writer.read(_MADE), **at),
    ]
    return _reduced(inference, node, body)


def keys_of(inference: Inference, key: ast.expr, name: str) -> ast.ListComp:
    """Return the comprehension of the keys of a named list's items."""
    at = position(key)
    items = ast.Name(name, _LOAD, **at)
    each = ast.comprehension(ast.Name(KEYED, _STORE, **at), items, [], 0)
    return ast.ListComp(key_expression(inference, key, items), [each], **at)


def key_expression(inference: Inference, key: ast.expr, items: ast.expr) -> ast.expr:
    """Return the expression of an item's key. Raises Outside where it is none that changes nothing."""
    if isinstance(key, ast.Attribute) and key.attr == "get" and ast.dump(key.value) == ast.dump(items):
        if isinstance(inference.value(items).type, Dict):  # each of its keys is there
            at = position(key)
            return ast.Subscript(key.value, ast.Name(KEYED, _LOAD, **at), _LOAD, **at)
    made = applied(key)
    parts = [] if made is None else [*ast.walk(made)]
    is_pure = all(is_pure_call(part) for part in parts if isinstance(part, ast.Call))
    if made is None or not is_pure or any(isinstance(part, ast.NamedExpr | ast.Lambda) for part in parts):
        raise Outside("a key with effects")
    return made


@language.calls(any, all)
def _any_all(inference: Inference, node: ast.Call) -> ir.Expression:
    if len(node.args) != 1 or node.keywords:
        raise Outside("an `any` or `all` that Python refuses")
    ends_with = inference.value(node.func).type == Known(any)
    writer = _Writer(inference, node)
    # A list comprehension is evaluated to its end first.
    items, value = writer.items(node.args[0], lazily=True)
    test = value if ends_with else ast.UnaryOp(ast.Not(), value, **writer.at)
    answers = [
        ast.Return(ast.Constant(answer, **writer.at), **writer.at) for answer in (ends_with, not ends_with)
    ]
    body = writer.loops(items, [ast.If(test, [answers[0]], [], **writer.at)])
    return _reduced(inference, node, [*body, answers[1]])


class _Writer:
    """Writes the statements that an expression stands for."""

    def __init__(self, inference: Inference, node: ast.expr) -> None:
        self.inference, self.places = inference, list[str]()
        self.at = position(node)

    def read(self, name: str) -> ast.Name:
        return ast.Name(name, _LOAD, **self.at)

    def bind(self, name: str, value: ast.expr) -> ast.stmt:
        return ast.Assign([ast.Name(name, _STORE, **self.at)], value, **self.at)

    def parsed(self, text: str) -> list[ast.stmt]:
        """Return the statements of a text, whose names are none of the user's: each begins with a dot."""
        body = ast.parse(text).body
        for part in (part for statement in body for part in ast.walk(statement)):
            if isinstance(part, ast.Name):
                part.id = f".{part.id}"
            if isinstance(part, ast.stmt | ast.expr):
                vars(part).update(self.at)
        return body

    def method(self, name: str, item: ast.expr) -> ast.stmt:
        """Return the call of a method of what is made."""
        method = ast.Attribute(self.read(_MADE), name, _LOAD, **self.at)
        return ast.Expr(ast.Call(method, [item], [], **self.at), **self.at)

    def items(self, node: ast.expr, lazily: bool = False) -> tuple[ast.ListComp | ast.GeneratorExp, ast.expr]:
        """Return the iterable of a call as a comprehension, and its item. lazily: items are to be made one by
        one."""
        if isinstance(node, ast.GeneratorExp) or (isinstance(node, ast.ListComp) and not lazily):
            return node, node.elt
        each = ast.comprehension(ast.Name(_EACH, _STORE, **self.at), node, [], 0)
        return ast.GeneratorExp(self.read(_EACH), [each], **self.at), self.read(_EACH)

    def loops(self, node: _Comprehension, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the loops of a comprehension around the statements of each trip. Raises Outside."""
        if not is_plain_comprehension(node, is_pure_call):
            raise Outside("a comprehension with effects")
        own = {
            part.id for one in node.generators for part in ast.walk(one.target) if isinstance(part, ast.Name)
        }
        outermost = {part.id for part in ast.walk(node.generators[0].iter) if isinstance(part, ast.Name)}
        if own & outermost:
            raise Outside("a comprehension whose item has a name of its iterable")
        for generator in reversed(node.generators):
            for test in reversed(generator.ifs):
                body = [ast.If(test, body, [], **self.at)]
            body = [self.loop(generator.target, generator.iter, body)]
        return body

    def loop(self, target: ast.expr, iterable: ast.expr, body: list[ast.stmt]) -> ast.stmt:
        """Return a loop over an iterable. The items of a deque are read by their places, as nothing changes
        it."""
        inference = self.inference
        name = iterable.id if isinstance(iterable, ast.Name) else None
        if isinstance(iterable, ast.Attribute):
            name = inference.attribute_name(iterable)
        kind = inference.types.get(name or "")
        if not isinstance(kind, Deque):
            return ast.For(target, iterable, body, [], **self.at)
        for used, meant in _USED.items():
            is_read = used in inference.types or inference.outer is not None
            if is_read and inference.read(used).type != meant:
                raise Outside(f"items of {kind} beside another `{used}` than Python's")
        inference.types |= _USED
        place = f"{_PLACE}{len(self.places)}"
        self.places.append(place)
        length = ast.Call(self.read("len"), [iterable], [], **self.at)
        places = ast.Call(self.read("range"), [length], [], **self.at)
        item = ast.Subscript(iterable, self.read(place), _LOAD, **self.at)
        bound = ast.Assign([target], item, **self.at)
        return ast.For(ast.Name(place, _STORE, **self.at), places, [bound, *body], [], **self.at)


def _reduced(inference: Inference, node: ast.expr, body: list[ast.stmt]) -> ir.Call:
    function, operands = _function(inference, node, body, {})
    assert function.result is not None
    return ir.Call(function.result, function, operands)


def _function(
    inference: Inference, node: ast.expr, body: list[ast.stmt], made: dict[str, Type]
) -> tuple[ir.Function, tuple[ir.Expression, ...]]:
    """Return the native function of an expression's statements, and its arguments. Raises Outside.

    made: the container that it adds to, its last parameter, if there is one.
    """
    flow = body_flow(normal_form(body, is_pure_call))
    read = flow.live[flow.blocks[0]]
    outer = inference.outer
    read |= frozenset(map(outer.path, read - outer.local)) if outer is not None else frozenset()
    types = {name: kind for name, kind in inference.types.items() if name in read and name not in made}
    types |= {name: inference.types[path] for name, path in inference.variables.items() if name in types}
    if any(isinstance(kind, Reference) for kind in types.values()):
        types |= {name: kind for name, kind in inference.types.items() if is_path(name)}
    known = Written(node, tuple(sorted((types | made).items())))
    function = inference.callees.get(known)
    if function is None:
        given = tuple(
            (name, kind)
            for name, kind in types.items()
            if not isinstance(kind, Known | Reference) and not is_path(name)
        )
        function = ir.Function(f"items_{len(inference.callees)}", given)
        inference.callees[known] = function
        unsigned: frozenset[str] = frozenset()
        while True:
            before = function.result, unsigned
            inner = Inference(
                flow,
                callees=inference.callees,
                assumed=inference.assumed,
                within=function,
                outer=inference.outer,
                wanted=inference.wanted,
                unsigned=unsigned,
            )
            function.body = inner.infer(types | made)
            unsigned |= inner.found_unsigned
            if (function.result, unsigned) == before:
                break  # a return of another type than those before changes all of them
        function.parameters = (*given, *sorted(inner.read_fields.items()), *made.items())
        try:
            check_made(function, bool(made))
        except Outside:
            function.result = function.body = None
            raise
    if function.body is None:
        raise Outside("a comprehension that native loops refused before")
    return function, tuple(inference.read(name) for name, _ in function.parameters if name != _MADE)


def check_made(function: ir.Function, makes_container: bool) -> None:
    """Raise Outside for a function that never returns natively, or that has effects."""
    assert function.body is not None
    refused = refusal(function.body)
    reason = None if refused is None else refused.why
    if reason is None and function.result is None:
        reasons = [block.end.why for block in function.body.blocks if isinstance(block.end, ir.Leave)]
        reason = next(filter(None, reasons), "")
    if reason is not None:
        raise Outside(reason)
    if not makes_container and not isinstance(function.result, Scalar | Either | Tuple):
        raise Outside(f"`sum`, `min` or `max` that is {function.result}")
    for step in (step for block in function.body.blocks for step in block.steps):
        is_call = isinstance(step, ir.CallFunction) and not step.function.has_effects
        adds = isinstance(step, Append | AddItem | StoreKey) and _is_made(step.target)
        if not (is_call or adds or isinstance(step, _PURE)):
            raise Outside("a comprehension with effects")


def _is_made(target: ir.Expression) -> bool:
    """Tell if a container is the one that a function is to add to."""
    while isinstance(target, Expected):
        target = target.source
    return isinstance(target, ir.Read) and target.name == _MADE
