"""Takes a loop region from source to native code: normal form, control flow, types, C++.

`partition/native_loop.py` asks for a `LoopSource` of each loop statement once, and for a `TypedLoop` for each
combination of types at its entry.
"""

from __future__ import annotations

import ast
import contextlib
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import FunctionType
from typing import Any

import numpy as np

from npcompile.diagnostics.settings import config
from npcompile.frontend.loops import rules
from npcompile.frontend.loops.assumed import Assumed
from npcompile.frontend.loops.callees import Signature, flow_of, objects_given, statements_of
from npcompile.frontend.loops.entry.objects import (
    Objects,
    is_path,
    path_of_module,
    paths_in,
    tables_in,
    variable_of,
)
from npcompile.frontend.loops.inference import Inference
from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.passes.bounds_checks import hoist
from npcompile.frontend.loops.passes.entrances import single
from npcompile.frontend.loops.passes.independence import share
from npcompile.frontend.loops.passes.intervals import bound
from npcompile.frontend.loops.passes.nests import nest
from npcompile.frontend.loops.passes.paired_sines import pair
from npcompile.frontend.loops.passes.partial_unrolling import unroll_partly
from npcompile.frontend.loops.passes.refusal import Refusal, goes_over_items, refusal
from npcompile.frontend.loops.passes.registers import keep
from npcompile.frontend.loops.passes.selects import select
from npcompile.frontend.loops.passes.short_versions import split_by_sign
from npcompile.frontend.loops.passes.signs import prove_roots
from npcompile.frontend.loops.passes.unrolling import unroll
from npcompile.frontend.loops.passes.whole_arrays import arrays_taken_whole
from npcompile.frontend.loops.run.exchange import WORD, Exchange, Memory
from npcompile.frontend.loops.run.frames import Callee, Frame, frames_at
from npcompile.frontend.loops.run.generators import SHARED
from npcompile.frontend.loops.run.scope import Scope
from npcompile.frontend.loops.source.choice import is_held
from npcompile.frontend.loops.source.control_flow import (
    ANSWER,
    ControlFlow,
    Done,
    Return,
    control_flow,
    end_after_trip,
    function_flow,
)
from npcompile.frontend.loops.source.normal_form import normal_form
from npcompile.frontend.loops.source.pure_calls import is_pure_call, named
from npcompile.frontend.rewrite.kept_trees import nodes_of
from npcompile.frontend.rewrite.scopes import stored_names
from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.emit import emit
from npcompile.lower.loops.codegen.emitter import Exit, Source
from npcompile.lower.loops.service.compiler import Job, submit
from npcompile.lower.loops.service.threads import thread_count
from npcompile.lower.loops.types import Type, may_be_number
from npcompile.lower.loops.verifier import Verifier
from npcompile.tiering.overhead import check_time

assert rules  # importing them has registered them


_VERIFIES = config.verify_programs
_DRAWS = frozenset(("rand", "randint", "random_sample"))  # names of functions of `np.random` alone
MAX_LEARNT = 32  # at most, a region is typed anew with the learnt types of its lists' items


@dataclass(frozen=True, eq=False)
class LoopSource:
    """A loop statement, or the body of a function, as a control-flow graph.

    node: the statement, or the first one of the body. reads: the names that it reads or keeps, sorted. paths:
    the attributes that its source names, as `self.x`. tables: `tables_in` it.
    """

    node: ast.stmt
    flow: ControlFlow
    reads: tuple[str, ...]
    paths: tuple[str, ...]
    tables: frozenset[str] = frozenset()


def own_names(function: FunctionType) -> frozenset[str]:
    """Return the names that nothing but a function's own statements binds."""
    code = function.__code__
    return frozenset(code.co_varnames).difference(code.co_cellvars)


def loop_source(node: ast.For | ast.While, own: frozenset[str] = frozenset()) -> LoopSource:
    """Return the control-flow graph of the user's loop statement.

    own: the names that no call in it binds anew. Statements before the loop in its normal form evaluate the
    iterable of a `for` loop; those after it are the `else` of a `while` loop. Raises Outside.
    """
    with _not_too_deep():
        statements = normal_form([node], is_pure_call, named(own.difference(stored_names(node))))
        place = next(place for place, one in enumerate(statements) if isinstance(one, ast.For | ast.While))
        loop, after = statements[place], statements[place + 1 :]
        assert isinstance(loop, ast.For | ast.While)
        flow = control_flow(loop, after)
    return _source(node, flow, [loop, *after])


def trip_source(node: ast.For | ast.While, own: frozenset[str] = frozenset()) -> LoopSource:
    """Return the graph of one trip of a loop: where another one would begin it is done, in its last block."""
    source = loop_source(node, own)
    end_after_trip(source.flow)
    live = source.flow.live[source.flow.blocks[0]]
    return replace(source, reads=tuple([name for name in source.reads if name in live or name == SHARED]))


def function_source(function: FunctionType) -> LoopSource | None:
    """Return the control-flow graph of a function's whole body; None where it has none."""
    try:
        statements = statements_of(function)
    except Outside:
        return None
    if not statements or not all(map(is_held, statements)):
        return None
    try:
        with _not_too_deep():
            flow = function_flow(normal_form(statements, is_pure_call))
    except Outside:
        return None
    return _source(statements[0], flow, statements)


@contextlib.contextmanager
def _not_too_deep() -> Iterator[None]:
    """Raise Outside where statements are so deep within one another, as in hundreds of `elif`, that functions
    that go through them exceed Python's limit of recursion."""
    try:
        yield
    except RecursionError:
        raise Outside("statements are nested too deeply") from None


def _source(node: ast.stmt, flow: ControlFlow, statements: list[ast.stmt]) -> LoopSource:
    names = flow.live[flow.blocks[0]] | ({SHARED} if any(map(_draws, statements)) else set())
    reads = tuple(sorted(name for name in names if name != flow.state))
    whole = ast.Module(statements, [])
    return LoopSource(node, flow, reads, tuple(paths_in(whole)), tables_in(whole))


def _draws(statement: ast.stmt) -> bool:
    """Tell if a statement may call one of the functions of `np.random`."""
    return any(
        (
            isinstance(part, ast.Attribute)
            and isinstance(part.value, ast.Attribute)
            and part.value.attr == "random"
        )
        or (isinstance(part, ast.Name | ast.Attribute) and _name_of(part) in _DRAWS)
        for part in nodes_of(statement)
    )


def _name_of(node: ast.Name | ast.Attribute) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr


@dataclass(eq=False)
class TypedLoop:
    """A region for one combination of types at its entry, and its native code once `job` is done."""

    region: ir.Region
    assumed: tuple[Assumed, ...]
    source: Source
    exchange: Exchange
    callees: tuple[Callee | None, ...]  # those with effects, by the functions' numbers
    finishes: tuple[bool, ...]  # of each exit: if the region is done there
    returns: tuple[str | None, ...]  # of each exit: the name whose value is returned there
    keeps: frozenset[str]  # the user's names, and the attributes of objects, that it may change
    wanted: frozenset[str]  # attributes that it was not given, and that it would read
    unsigned: frozenset[str]  # names that take ints of unsigned 64 bits
    wanted_by: str  # the function, file and line of the loop, for the log
    refused: Refusal | None  # the reason why it is not to be done natively, whether it pays or not

    @property
    def exits(self) -> tuple[Exit, ...]:
        return self.source.exits

    def unpack(
        self,
        words: bytearray,
        owners: Sequence[np.ndarray[Any, Any]],
        objects: Objects | None = None,
    ) -> tuple[dict[str, Any], list[Frame]]:
        """Return the values of the names, and the frames of the calls that were left half-way."""
        memory = Memory(owners)
        names = self.exchange.read(words, memory)
        frames: list[Frame] = []
        if (place := self.exchange.layout.frames) is not None:
            address, size = struct.unpack_from("=qq", words, place * WORD)
            frames = frames_at(address, size, self.callees, memory, {} if objects is None else objects.owners)
        memory.free()
        return names, frames

    @property
    def refusal(self) -> Refusal | None:
        """The reason why native code would not pay, or is not to be; None: it may."""
        return self.refused or refusal(self.region)

    def may_be_number(self, place: str) -> bool:
        """Tell if a name, or the items of what it holds (`name[]`), may be numbers, as far as is known."""
        name = place.removesuffix("[]")
        kinds = [*self.region.stored.get(name, ()), self.region.names.get(name)]
        known = [kind for kind in kinds if kind is not None]
        return not known or any(may_be_number(kind, name != place) for kind in known)

    @property
    def goes_over_items(self) -> bool:
        """Tell if trips work on numbers alone, or on items or parts of arrays that each chooses."""
        return goes_over_items(self.region)

    @cached_property
    def takes_whole(self) -> frozenset[str]:
        """The arrays given to it on all of whose items an expression works."""
        return arrays_taken_whole(self.region)

    @cached_property
    def job(self) -> Job:
        """The compilation, which begins as it is asked for: a loop that is refused is not compiled."""
        return submit(self.source.text, self.wanted_by)

    def holds(self) -> bool:
        """Tell if attributes of modules, and global names, are the objects of the compilation."""
        return all(one.holds for one in self.assumed)


def typed_loop(
    flow: ControlFlow,
    names: dict[str, Type],
    wide: frozenset[str],
    objects: Objects | None = None,
    wanted_by: str = "",
) -> TypedLoop:
    """Return a region for types at its entry, with its C++. wide: names of ints of any 64 bits.

    objects: the users' objects at the entry, whose attributes are among the names. wanted_by: the function,
    file and line of the loop, for the log.
    """
    storable = frozenset() if objects is None else frozenset(objects.storable)
    variables = {} if objects is None else objects.variables
    given = names if objects is None else names | objects.names
    inference, region = _inferred(flow, given, storable, variables)
    used = inference.read_fields.keys() | region.stored.keys()
    region.names = {name: kind for name, kind in region.names.items() if name in used or not is_path(name)}
    bodies = [function.body for function in region.functions if function.body is not None]
    region.wide = wide & region.names.keys()
    if flow.kept == {ANSWER}:
        ends = [(number, block) for number, block in enumerate(flow.blocks) if isinstance(block.end, Done)]
        region.ended = {ir.Place(number, len(block.steps)): ANSWER for number, block in ends}
    for body in bodies:
        body.wide = frozenset(body.names)
    verifier = Verifier(region) if _VERIFIES else None
    if verifier is not None:
        verifier.verify("inference")
    _run_passes(region, bodies, verifier)
    source = emit(region)
    return TypedLoop(
        region,
        tuple(inference.assumed),
        source,
        Exchange(source.layout),
        _callees(inference, region, source),
        tuple(_is_end(flow, exit_.place) for exit_ in source.exits),
        tuple(_returned(flow, exit_.place) for exit_ in source.exits),
        flow.kept | inference.changed,
        frozenset(inference.wanted),
        inference.unsigned,
        wanted_by,
        None if objects is None else _changed_meanwhile(inference, objects),
    )


def _changed_meanwhile(inference: Inference, objects: Objects) -> Refusal | None:
    """Return a refusal where a function takes a variable to stay the same object which another one binds, or
    two modules have one name."""
    bound = {cell for cell, path in objects.cells.items() if path in inference.changed}
    names = {variable_of(path) for path in inference.changed if path.startswith("<")}  # the module's
    changed = any(id(one.owner) in bound or one.name in names for one in inference.assumed)
    functions: list[Any] = [known.function for known in inference.callees if isinstance(known, Signature)]
    for module in (function.__globals__ for function in functions):
        changed |= objects.owners.get(path_of_module(module), module) is not module
    return (
        Refusal("a variable that one function binds and another one, of the module's, reads")
        if changed
        else None
    )


def _inferred(
    flow: ControlFlow, given: dict[str, Type], storable: frozenset[str], variables: dict[str, str]
) -> tuple[Inference, ir.Region]:
    """Return the inference of a region, made anew while it learns of lists' items, and the region."""
    inference = Inference(flow, storable=storable, variables=variables)
    region = inference.infer(given)
    for _ in range(MAX_LEARNT):
        expected = inference.expected | inference.learnt
        if expected == inference.expected and not inference.has_found_unsigned:
            break
        inference = Inference(
            flow,
            storable=storable,
            variables=variables,
            expected=expected,
            unsigned=inference.unsigned | inference.found_unsigned,
        )
        region = inference.infer(given)
    return inference, region


def _run_passes(region: ir.Region, bodies: list[ir.Region], verifier: Verifier | None) -> None:
    """Run each pass over a region, and over the bodies of the functions that it calls.

    verifier: raises where a pass breaks a rule of the region's form; in tests.
    """
    shared = [region] if thread_count() > 1 else []  # functions have one thread
    everything = [region, *bodies]
    passes = (
        (unroll, everything),
        (single, everything),
        (bound, everything),
        (split_by_sign, everything),
        (prove_roots, everything),
        (share, shared),
        (select, everything),
        (pair, everything),
        (hoist, everything),
        (keep, everything),
        (nest, everything),
        (unroll_partly, everything),
    )
    for pass_, regions in passes:
        for one in regions:
            check_time()
            pass_(one)
        if verifier is not None:
            verifier.verify(pass_.__name__)


def _callees(inference: Inference, region: ir.Region, source: Source) -> tuple[Callee | None, ...]:
    """Return the functions that a region calls and that have effects, by their numbers."""
    return tuple(
        Callee(
            flow_of(known.function),
            Scope(known.function),
            code.exits,
            Exchange(code.layout),
            objects_given(known),
            None if known.closure is None else known.closure.path,
        )
        if typed.has_effects and typed.body is not None
        else None
        for known, typed, code in zip(inference.callees, region.functions, source.functions, strict=True)
    )


def _returned(flow: ControlFlow, place: ir.Place) -> str | None:
    """Return the name that the region returns next; None where it does not, or returns something else."""
    block = flow.blocks[place.block]
    match block.end:
        case Return(value=ast.Name(id=name)) if place.step == len(block.steps) and block.guard is None:
            return name
    return None


def _is_end(flow: ControlFlow, place: ir.Place) -> bool:
    """Tell if the statement after the region comes next."""
    block = flow.blocks[place.block]
    return isinstance(block.end, Done) and place.step == len(block.steps)
