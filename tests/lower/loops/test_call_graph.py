"""Calls count how deep they are where a function may call itself, and small functions are inlined."""

from __future__ import annotations

from npcompile.lower.loops import ir
from npcompile.lower.loops.codegen.call_graph import MOST_INLINED, CallGraph
from npcompile.lower.loops.types import BOOL, INT

PLACE = ir.Place(0, 0)


def functions(**calls: str) -> dict[str, ir.Function]:
    """Return functions that call those whose letters are given, in expressions and in steps by turns."""
    made = {name: ir.Function(name, (), INT) for name in calls}
    for name, called in calls.items():
        block = ir.Block(0, 1, {})
        for number, one in enumerate(called):
            if number % 2:
                block.steps.append(ir.CallFunction(PLACE, 1, ".called", made[one], ()))
            else:
                choice = ir.Choose(INT, ir.Constant(BOOL, True), ir.integer(1), ir.integer(2))
                call = ir.Call(INT, made[one], (choice,))
                block.steps.append(ir.Bind(PLACE, 1, "x", ir.tuple_of((ir.integer(0), call))))
        block.end = ir.Return(PLACE, 1, ir.integer(0))
        made[name].body = ir.Region(block, {}, [block], {})
    return made


def test_functions_that_may_call_themselves() -> None:
    made = functions(a="b", b="cd", c="", d="efe", e="d", f="f", g="ch", h="c")
    graph = CallGraph([*made.values()])
    assert {one.name for one in graph.recursive} == {*"def"}
    assert {one.name for one in graph.counted} == {*"abdef"}


def test_small_functions_are_inlined_where_they_are_called_from_few_places() -> None:
    made = functions(a="bc", b="c", c="", d="d", e="c" * MOST_INLINED)
    assert {one.name for one in CallGraph([made[name] for name in "abc"]).inlined} == {*"abc"}
    assert {one.name for one in CallGraph([*made.values()]).inlined} == {*"abe"}
