"""Types the users' functions that a loop calls: they become native functions of their own.

Where a function without effects leaves, nothing has happened yet, and Python makes the whole call again; one
that stores something is left half-way, and `frames.py` ends the call. A function that calls itself is typed
anew until the type of its result, and its having effects, stay the same.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from types import FunctionType
from typing import Any, NamedTuple

from npcompile.frontend.loops.assumed import Assumed
from npcompile.frontend.loops.constants import constant
from npcompile.frontend.loops.entry.closures import (
    Closure,
    Reference,
    captured_by_functions,
    defaults_of,
    parameters_of,
    takes_any_number,
)
from npcompile.frontend.loops.entry.objects import Instance, is_path, path_of_module
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.source.choice import is_held
from npcompile.frontend.loops.source.control_flow import ControlFlow, body_flow
from npcompile.frontend.loops.source.normal_form import normal_form
from npcompile.frontend.loops.source.pure_calls import is_pure_call, named
from npcompile.frontend.rewrite.kept_trees import own_nodes
from npcompile.frontend.rewrite.partition import tree_of
from npcompile.frontend.rewrite.source import NotFound, find
from npcompile.lower.loops import ir
from npcompile.lower.loops.types import Array, Either, Known, List, Scalar, Tuple, Type, Unsigned, Word

_CALLED = ".called"  # the name of the value of a call
_PURE = (ir.Bind, ir.BeginRange)
_UNUSUAL = 0x28  # flags of code: `**kwargs`, generators
_RETURNED = (Array, Either, Known, List, Scalar, Tuple, Unsigned, Word)

_Argument = ir.Expression | Instance | Closure

_flows: dict[int, tuple[Any, ControlFlow]] = {}  # of functions' bodies, by identity of their code


@dataclass(frozen=True)
class OuterNames:
    """The names that a function takes from its module, or from functions around it."""

    function: FunctionType
    local: frozenset[str]
    closure: Closure | None
    bound: frozenset[str]  # variables of functions around, and names of its module, that it binds

    def bound_path(self, name: str) -> str | None:
        if name not in self.bound:
            return None
        if name in self.function.__code__.co_freevars and self.closure is not None:
            return self.closure.variable(name)
        return self._global_path(name)

    def _global_path(self, name: str) -> str:
        return f"{path_of_module(self.function.__globals__)}.<{name}>"

    def path(self, name: str) -> str:
        return name if self.closure is None else self.closure.variable(name)

    def read(self, inference: Inference, name: str) -> ir.Expression:
        code = self.function.__code__
        if name in code.co_freevars and self.closure is not None:
            return inference.read(self.closure.variable(name))
        if name in code.co_freevars:
            assert self.function.__closure__ is not None
            cell = self.function.__closure__[code.co_freevars.index(name)]
            try:
                return inference.assume(cell, "cell_contents", cell.cell_contents)
            except ValueError:
                raise Outside(f"`{name}`, which has no value yet") from None
        if (path := self._global_path(name)) in inference.types:
            return inference.read(path)
        known = Assumed(self.function.__globals__, name, None)
        value = known.find()
        if value is known:
            raise Outside(f"`{name}`, which has no value")
        return inference.assume(self.function.__globals__, name, value)


@dataclass(frozen=True)
class ItemFunction:
    """A function whose results become items of arrays: `ir.Function.item`."""

    function: FunctionType
    item: Type


class Signature(NamedTuple):
    """A function that is called, the types of its arguments, and those of attributes if one is an object.

    item: `ir.Function.item`. closure: the function's type, if it is nested.
    """

    function: FunctionType
    closure: Closure | None
    types: tuple[Type, ...]
    fields: tuple[tuple[str, Type], ...]
    item: Type | None


def call(
    inference: Inference,
    called: FunctionType | Closure,
    node: ast.Call,
    item: Type | None = None,
    receiver: Instance | None = None,
) -> ir.Expression:
    """Return the value of the call of a user's function, converted to `item`. Raises Outside where that
    cannot be a native function.

    receiver: the object of which the function is a method.
    """
    closure = called if isinstance(called, Closure) else None
    function = called.bare() if isinstance(called, Closure) else called
    arguments = arguments_of(inference, function, node, receiver, closure)
    types = tuple(one if isinstance(one, Reference) else one.type for one in arguments)
    objects = closure is not None or any(isinstance(kind, Reference) for kind in types)
    paths = sorted(name for name in inference.types if is_path(name))
    fields = paths if objects else [name for name in paths if name.startswith("<")]  # the module's
    known = Signature(function, closure, types, tuple((name, inference.types[name]) for name in fields), item)
    typed = inference.callees.get(known)
    if typed is None:
        typed = _type(inference, function, known)
    _learn(inference, dict(zip(parameters_of(function.__code__), arguments, strict=True)), typed)
    if typed.result is None:
        raise Outside(f"`{function.__name__}`, which calls itself before it is known what it returns")
    operands = [
        one for one in arguments if isinstance(one, ir.Expression) and not isinstance(one.type, Known)
    ]
    given = (*operands, *(inference.read(name) for name, _ in typed.parameters if is_path(name)))
    if not typed.has_effects and not isinstance(typed.result, Known):
        return ir.Call(typed.result, typed, given)
    if is_pure_call(node):  # it stands within a statement that may do more
        raise Outside(f"`{function.__name__}`, which has a pure function's name")
    inference.types[_CALLED] = typed.result
    inference.remember(_CALLED)
    inference.add(ir.CallFunction, _CALLED, typed, given)
    for name, changed in typed.changed.items():
        inference.change(name, changed)
    return inference.read(_CALLED)


def _learn(inference: Inference, arguments: dict[str, _Argument], typed: ir.Function) -> None:
    """Note what a function has learnt of the items of containers that it is given, for the next inference."""
    for name, kind in inference.taught.get(typed, {}).items():
        given = arguments.get(name)
        if is_path(name) and name in inference.types:
            given = ir.Read(inference.types[name], name)
        if isinstance(given, ir.Expression):
            inference.refine(given, kind, now=False)


def arguments_of(
    inference: Inference,
    function: FunctionType,
    node: ast.Call,
    receiver: Instance | None,
    closure: Closure | None,
    unusual: int = _UNUSUAL,
) -> tuple[_Argument, ...]:
    """Return the values of a function's parameters. unusual: flags of code that is outside the language."""
    code = function.__code__
    names, positional = parameters_of(code), code.co_argcount
    bound: dict[str, _Argument] = {}
    if receiver is not None:
        if not code.co_argcount or code.co_posonlyargcount:
            raise Outside(f"the parameters of `{function.__name__}`")
        bound, names, positional = {names[0]: receiver}, names[1:], positional - 1
    rest, names = (names[-1:], names[:-1]) if takes_any_number(code) else ((), names)
    fits = bool(rest) or len(node.args) <= positional
    plain = fits and not any(isinstance(arg, ast.Starred) for arg in node.args)
    keywords = {keyword.arg: keyword.value for keyword in node.keywords}
    given = names[: min(len(node.args), positional)]
    if not plain or code.co_flags & unusual or _makes_functions(function):
        raise Outside(f"the parameters of `{function.__name__}`")
    if not keywords.keys() <= {*names[max(len(given), code.co_posonlyargcount) :]}:
        raise Outside(f"the keywords of a call of `{function.__name__}`")

    def value(arg: ast.expr) -> _Argument:
        return inference.object_at(arg) or inference.value(arg)

    operands = {name: value(arg) for name, arg in zip(given, node.args, strict=False)}
    operands |= {name: value(arg) for name, arg in keywords.items() if name is not None}
    missing = [name for name in names if name not in operands]
    if missing and closure is not None:
        if not {*missing} <= {*closure.defaults}:
            raise Outside(f"`{function.__name__}` without its arguments")
        operands |= {name: _default(inference, closure.variable(name)) for name in missing}
    elif missing:
        for name in ("__defaults__", "__kwdefaults__"):
            inference.assumed.append(Assumed(function, name, getattr(function, name)))
        known = defaults_of(function)
        if not known.keys() >= {*missing}:
            raise Outside(f"`{function.__name__}` without its arguments")
        by_keyword = function.__kwdefaults__ or {}
        inference.assumed += [
            Assumed(by_keyword, name, known[name]) for name in missing if name in by_keyword
        ]
        operands |= {name: constant(known[name]) for name in missing}
    if rest:
        names, further = names + rest, node.args[positional:]
        operands[rest[0]] = ir.tuple_of(tuple([inference.value(arg) for arg in further]))
    return (*bound.values(), *(operands[name] for name in names))


def _default(inference: Inference, path: str) -> _Argument:
    """Return the default of a nested function's parameter."""
    kind = inference.types.get(path)
    return kind if isinstance(kind, Instance | Closure) else inference.read(path)


def _type(inference: Inference, function: FunctionType, known: Signature) -> ir.Function:
    types, item = known.types, known.item
    code = function.__code__
    names = parameters_of(code)
    inference.assumed.append(Assumed(function, "__code__", code))
    flow = flow_of(function)
    bound = bound_outside(function)
    if known.closure is None and not bound.isdisjoint(code.co_freevars):
        raise Outside(f"`{function.__name__}`, which binds outer names")
    parameters = tuple(
        (name, kind)
        for name, kind in zip(names, types, strict=True)
        if not isinstance(kind, Known | Reference)
    )
    word = function.__name__ if function.__name__.isidentifier() else "lambda"
    made = ir.Function(f"{word}_{len(inference.callees)}", parameters, item=item)
    inference.callees[known] = made
    others = {*inference.callees}
    unsigned: frozenset[str] = frozenset()
    try:
        while True:
            before = made.result, made.has_effects, made.parameters, made.changed, unsigned
            _forget(inference, others)
            inner = Inference(
                flow,
                callees=inference.callees,
                taught=inference.taught,
                assumed=inference.assumed,
                within=made,
                storable=inference.storable,
                outer=OuterNames(function, frozenset(code.co_varnames), known.closure, bound),
                wanted=inference.wanted,
                unsigned=unsigned,
            )
            made.body = inner.infer(dict(zip(names, types, strict=True)) | dict(known.fields))
            inference.taught.setdefault(made, {}).update(inner.learnt)
            made.parameters = parameters + tuple(sorted(inner.read_fields.items()))
            if not inner.changed <= dict(known.fields).keys():
                raise Outside(f"`{function.__name__}`, which stores attributes of other types")
            left = inner.left_fields
            made.changed = {name: left[name] for name in sorted(inner.changed) if name in left}
            made.has_effects = bool(made.changed) or made.has_effects or any(map(_has_effects, _steps(made)))
            unsigned |= inner.found_unsigned
            if (made.result, made.has_effects, made.parameters, made.changed, unsigned) == before:
                break
        _check(function, made)
    except Outside:
        made.result = made.body = None
        _forget(inference, others)
        raise
    return made


def objects_given(known: Signature) -> tuple[tuple[str, str], ...]:
    """Return the parameters that are objects, and these objects' paths."""
    names = known.function.__code__.co_varnames
    return tuple(
        (name, kind.path)
        for name, kind in zip(names, known.types, strict=False)
        if isinstance(kind, Instance | Closure)
    )


def _forget(inference: Inference, others: set[Any]) -> None:
    """Forget functions whose types rely on an earlier typing of one that they call."""
    for known in [known for known in inference.callees if known not in others]:
        del inference.callees[known]


def _steps(made: ir.Function) -> list[ir.Step]:
    return [] if made.body is None else [step for block in made.body.blocks for step in block.steps]


def _has_effects(step: ir.Step) -> bool:
    return step.function.has_effects if isinstance(step, ir.CallFunction) else not isinstance(step, _PURE)


def _check(function: FunctionType, made: ir.Function) -> None:
    """Raise Outside for a function that never returns natively, or returns a value of another kind."""
    assert made.body is not None
    if made.result is None:
        reasons = [block.end.why for block in made.body.blocks if isinstance(block.end, ir.Leave)]
        raise Outside(f"`{function.__name__}`: {next(filter(None, reasons), 'it does not return')}")
    if not isinstance(made.result, _RETURNED):
        raise Outside(f"`{function.__name__}`, which returns {made.result}")


def _makes_functions(function: FunctionType) -> bool:
    """Tell if functions that a function makes capture its variables: keys are within the very call."""
    captured = captured_by_functions(function.__code__)
    return bool(captured) and not all(map(is_held, statements_of(function)))


def flow_of(function: FunctionType) -> ControlFlow:
    """Return the control-flow graph of a function's body. Raises Outside where it has none."""
    code = function.__code__
    if id(code) not in _flows:
        given = frozenset(parameters_of(code)).difference(captured_by_functions(code))
        _flows[id(code)] = code, body_flow(normal_form(statements_of(function), is_pure_call, named(given)))
    return _flows[id(code)][1]


def statements_of(function: FunctionType) -> list[ast.stmt]:
    """Return the statements of a function's body.

    Raises Outside where they are not found.
    """
    try:
        node = find(function)[0]
        if not isinstance(node, ast.Lambda):
            node = tree_of(function)[0]
    except NotFound as error:
        raise Outside(f"`{function.__name__}`: {error}") from None
    if isinstance(node, ast.Lambda):
        return [ast.copy_location(ast.Return(node.body), node.body)]
    return [one for one in node.body if not _is_text(one)]


def bound_outside(function: FunctionType) -> frozenset[str]:
    """Return the variables of functions around, and the names of its module, that a function declares."""
    parts = own_nodes(statements_of(function))
    declared = [part.names for part in parts if isinstance(part, ast.Nonlocal | ast.Global)]
    return frozenset(name for names in declared for name in names)


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
