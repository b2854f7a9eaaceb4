"""The verifier passes typed regions as they are made, and names the rule that a broken region breaks."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from npcompile.frontend.loop_pipeline import loop_source, typed_loop
from npcompile.frontend.loops.entry.values import type_of
from npcompile.frontend.loops.passes.independence import share
from npcompile.lower.loops import ir
from npcompile.lower.loops.array_ir import Lane, StoreMap
from npcompile.lower.loops.nest_ir import LoopNest
from npcompile.lower.loops.parallel_ir import SharedLoop
from npcompile.lower.loops.register_ir import Registers
from npcompile.lower.loops.types import BOOL, FLOAT, INT, Array, Scalar
from npcompile.lower.loops.verifier import RULES, InvalidRegion, Verifier
from npcompile.lower.loops.view_ir import View


def half(value: Any) -> Any:
    return value * 0.5 if value > 1.0 else value


def of_many_kinds(x: Any, out: Any, n: int, m: int) -> Any:
    total = 0
    for i in range(n):
        for j in range(m):
            out[i, j] = half(x[j]) if x[j] > 0.0 else 1.5
        for j in range(m):
            out[i, 0] = out[i, 0] + x[j]
        for j in range(1, m):
            out[i, j] = out[i, j - 1] + x[j]
        if out[i, 0] > x[i]:
            out[i, :] = x[:3] + 1.0
        total += i * n
    return total


@pytest.fixture
def region() -> ir.Region:
    tree = ast.parse(textwrap.dedent(inspect.getsource(of_many_kinds))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    loop = tree.body[1]
    assert isinstance(loop, ast.For)
    source = loop_source(loop)
    assert source is not None and source.flow.state is not None
    values = {
        "x": np.ones(5),
        "out": np.ones((5, 3)),
        "n": 5,
        "m": 3,
        "total": 0,
        "half": half,
        "range": range,
    }
    given = {name: values[name] for name in source.reads} | {source.flow.state: range(5)}
    types = {name: kind for name, value in given.items() if (kind := type_of(value)) is not None}
    made = typed_loop(source.flow, types, frozenset()).region
    share(made)
    return made


def change(region: ir.Region, kind: type[Any], change: Callable[[Any], Any]) -> None:
    """Replace the first step or end of a kind."""
    for block in region.blocks:
        for number, step in enumerate(block.steps):
            if isinstance(step, kind):
                block.steps[number] = change(step)
                return
        if isinstance(block.end, kind):
            block.end = change(block.end)
            return
    raise AssertionError(f"no {kind.__name__} in\n{region}")


def expression(region: ir.Region, kind: type[Any]) -> Any:
    """Return the first expression of a kind."""
    for block in region.blocks:
        for step in (*block.steps, block.end):
            pending = list(ir.expressions_of(step))
            while pending:
                node = pending.pop()
                if isinstance(node, kind):
                    return node
                pending += ir.parts_of(node)
    raise AssertionError(f"no {kind.__name__} in\n{region}")


def bind(region: ir.Region, value: ir.Expression) -> None:
    """Bind `total` to another value."""
    change(region, ir.Bind, lambda step: replace(step, name="total", value=value))


def break_block_end(region: ir.Region) -> None:
    region.blocks[-1].end = None


def break_label(region: ir.Region) -> None:
    region.blocks[1].source, region.blocks[1].version = region.blocks[0].source, region.blocks[0].version


def go_elsewhere(region: ir.Region) -> None:
    other = ir.Block(99, 1, {})
    change(region, ir.Branch, lambda end: replace(end, then=other))


def forget_function(region: ir.Region) -> None:
    region.functions.clear()


def branch_on_a_number(region: ir.Region) -> None:
    change(region, ir.Branch, lambda end: replace(end, test=ir.integer(1)))


def index_by_a_float(region: ir.Region) -> None:
    item = expression(region, ir.Item)
    bind(region, replace(item, indices=(ir.Constant(FLOAT, 1.0),)))


def leave_out_an_index(region: ir.Region) -> None:
    change(region, ir.StoreItem, lambda step: replace(step, indices=step.indices[:1]))


def store_another_dtype(region: ir.Region) -> None:
    change(region, ir.StoreItem, lambda step: replace(step, value=ir.Constant(Scalar("f4"), 1.0)))


def store_to_read_only(region: ir.Region) -> None:
    def changed(step: ir.StoreItem) -> ir.StoreItem:
        assert isinstance(step.array.type, Array)
        return replace(step, array=replace(step.array, type=replace(step.array.type, writeable=False)))

    change(region, ir.StoreItem, changed)


def leave_out_an_operand(region: ir.Region) -> None:
    node = expression(region, ir.Apply)
    bind(region, replace(node, operands=node.operands[1:]))


def give_another_type(region: ir.Region) -> None:
    bind(region, replace(expression(region, ir.Apply), type=Scalar("i1")))


def number_beyond_its_type(region: ir.Region) -> None:
    bind(region, ir.Constant(Scalar("i1"), 300))


def choose_of_two_types(region: ir.Region) -> None:
    bind(region, ir.Choose(INT, ir.truth(True), ir.integer(1), ir.Constant(FLOAT, 1.0)))


def length_of_no_axis(region: ir.Region) -> None:
    item = expression(region, ir.Item)
    bind(region, ir.length(item.array, item.array.type.ndim))


def view_of_fewer_axes(region: ir.Region) -> None:
    view = expression(region, View)
    bind(region, replace(view, parts=()))


def lane_of_no_operand(region: ir.Region) -> None:
    def changed(step: StoreMap) -> StoreMap:
        return replace(step, value=replace(step.value, operands=(), body=Lane(step.value.body.type, 0)))

    change(region, StoreMap, changed)


def call_with_another_type(region: ir.Region) -> None:
    call = expression(region, ir.Call)
    bind(region, replace(call, operands=(ir.integer(1),)))


def read_as_another_type(region: ir.Region) -> None:
    bind(region, ir.Read(FLOAT, "n"))


def read_what_is_not_there(region: ir.Region) -> None:
    bind(region, ir.Read(INT, "nothing"))


def next_of_another_iterator(region: ir.Region) -> None:
    change(region, ir.NextOfRange, lambda end: replace(end, kind=ir.RangeState(-1)))


def come_with_another_type(region: ir.Region) -> None:
    header = next(block for block in region.blocks if block.is_header)
    header.types["n"] = BOOL


def forget_a_type(region: ir.Region) -> None:
    region.stored["total"].clear()


def return_from_a_region(region: ir.Region) -> None:
    change(region, ir.Jump, lambda end: ir.Return(end.place, end.line, None))


def return_another_type(region: ir.Region) -> None:
    (function,) = region.functions
    assert function.body is not None
    change(function.body, ir.Return, lambda end: replace(end, value=ir.integer(1)))


def widen_what_is_not_given(region: ir.Region) -> None:
    region.wide = frozenset(("nothing",))


def bound_a_float(region: ir.Region) -> None:
    region.nonnegative.add(ir.Constant(FLOAT, 1.0))


def prove_what_has_no_other_form(region: ir.Region) -> None:
    region.certain.add(expression(region, ir.Item))


def leave_out_a_check(region: ir.Region) -> None:
    for loop in region.fast_loops.values():
        loop.accesses.clear()


def check_no_header(region: ir.Region) -> None:
    loop = region.fast_loops.popitem()[1]
    region.fast_loops[next(block for block in region.blocks if not block.is_header)] = loop


def sum_floats(region: ir.Region) -> None:
    (header, loop) = next(iter(region.shared.items()))
    assert isinstance(loop, SharedLoop)
    region.shared[header] = replace(loop, sums=(("total", FLOAT),))


def store_to_one_place(region: ir.Region) -> None:
    (header, loop) = next(iter(region.shared.items()))
    assert isinstance(loop, SharedLoop)
    region.shared[header] = replace(loop, rows=tuple(replace(rows, factor=0) for rows in loop.rows))


def leave_out_checks_of_a_nest(region: ir.Region) -> None:
    (header, nest) = next(iter(region.nests.items()))
    assert isinstance(nest, LoopNest)
    region.nests[header] = replace(nest, accesses=())


def compare_less(region: ir.Region) -> None:
    for loop in region.fast_loops.values():
        if isinstance(loop.kept, Registers):
            loop.kept = replace(
                loop.kept, items=tuple(replace(one, apart=(), arrays=()) for one in loop.kept.items)
            )


def carry_another(region: ir.Region) -> None:
    for loop in region.fast_loops.values():
        if isinstance(loop.kept, Registers):
            carried = tuple(replace(one, loads=one.stores) for one in loop.kept.carried)
            loop.kept = replace(loop.kept, carried=carried)


def keep_less(region: ir.Region) -> None:
    for loop in region.fast_loops.values():
        if isinstance(loop.kept, Registers):
            loop.kept = replace(
                loop.kept, items=tuple(replace(one, is_stored=False) for one in loop.kept.items)
            )


# By the change: the rule that it breaks.
BROKEN: dict[Callable[[ir.Region], None], str] = {
    break_block_end: "each block has an end",
    break_label: "each block has an end",
    go_elsewhere: "ends lead to blocks",
    forget_function: "functions that are called are known",
    branch_on_a_number: "the types of parts fit",
    index_by_a_float: "the types of parts fit",
    leave_out_an_index: "types agree with parts",
    store_another_dtype: "types agree with parts",
    store_to_read_only: "types agree with parts",
    leave_out_an_operand: "types agree with parts",
    give_another_type: "types agree with parts",
    number_beyond_its_type: "types agree with parts",
    choose_of_two_types: "types agree with parts",
    length_of_no_axis: "types agree with parts",
    view_of_fewer_axes: "types agree with parts",
    lane_of_no_operand: "types agree with parts",
    call_with_another_type: "types agree with parts",
    read_as_another_type: "names keep their types within a block",
    read_what_is_not_there: "names keep their types within a block",
    next_of_another_iterator: "names keep their types within a block",
    come_with_another_type: "names have the types that a block expects",
    forget_a_type: "names are stored by the types that they take",
    return_from_a_region: "functions return their type",
    return_another_type: "functions return their type",
    widen_what_is_not_given: "wide names are given",
    bound_a_float: "ints are bounded",
    prove_what_has_no_other_form: "what is certain could leave",
    leave_out_a_check: "loops without checks are checked before",
    check_no_header: "loops without checks are checked before",
    leave_out_checks_of_a_nest: "nests without checks are checked before",
    compare_less: "items that loops keep are apart from others",
    keep_less: "items that loops keep are apart from others",
    carry_another: "items that trips read are those stored before",
    sum_floats: "shared trips are independent",
    store_to_one_place: "shared trips are independent",
}


def test_regions_keep_the_rules(region: ir.Region) -> None:
    Verifier(region).verify()


@pytest.mark.parametrize("broken", BROKEN, ids=lambda broken: broken.__name__)
def test_a_broken_region_is_named(broken: Callable[[ir.Region], None], region: ir.Region) -> None:
    verifier = Verifier(region)
    verifier.verify()
    broken(region)
    with pytest.raises(InvalidRegion, match="after the test") as caught:
        verifier.verify("the test")
    assert caught.value.rule == BROKEN[broken], caught.value


def test_each_rule_is_broken_once() -> None:
    assert set(BROKEN.values()) == set(RULES)
