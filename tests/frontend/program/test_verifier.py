"""The verifier passes programs as they are recorded, and names the rule that a broken program breaks."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from torch import fx

import npcompile
from npcompile.frontend.program.guards import ValueEquals
from npcompile.frontend.program.program import Program
from npcompile.frontend.program.verifier import RULES, STEPS, InvalidProgram, verify
from npcompile.lower.plan.attributes import annotate, attributes, reset, step_of, value_of
from npcompile.lower.plan.values import Value


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NPCOMPILE_BACKEND", "interpreter")


FACTOR = 3.0


def of_many_kinds(a: Any, n: int) -> Any:
    """Make a program with a read, guards, a view, ops, a call of a library, numbers, a print and a write."""
    view = a[1:]
    ordered = np.sort(view * FACTOR)
    print("sorted")
    a[0] = n + 1
    return ordered, view + n


@pytest.fixture
def program(capsys: pytest.CaptureFixture[str]) -> Program:
    jitted = npcompile.jit(of_many_kinds)
    jitted(np.arange(5.0), 2)
    (made,) = jitted.programs
    return made


def node_of(program: Program, kind: str) -> fx.Node:
    return next(node for node in program.graph.nodes if step_of(node) == kind)


def remove_attributes(program: Program) -> None:
    vars(node_of(program, "op")).clear()


def name_no_kind(program: Program) -> None:
    attributes(node_of(program, "op")).kind = "operation"


def call_what_is_no_op(program: Program) -> None:
    node_of(program, "op").target = np.sort


def guard_without_a_guard(program: Program) -> None:
    node_of(program, "guard").target = operator.eq


def guard_of_a_constant(program: Program) -> None:
    node_of(program, "guard").args = (8,)


def use_before_definition(program: Program) -> None:
    node = node_of(program, "view")
    node_of(program, "output").prepend(node)


def leave_out_operands(program: Program) -> None:
    node_of(program, "write").args = node_of(program, "write").args[:1]


def view_of_a_number(program: Program) -> None:
    view = node_of(program, "view")
    view.args = (1, *view.args[1:])


def view_that_gives_a_number(program: Program) -> None:
    attributes(node_of(program, "view")).value = Value("float")


def call_frames_of_an_op(program: Program) -> None:
    attributes(node_of(program, "op")).inert = True


def exact_guard_of_a_view(program: Program) -> None:
    attributes(node_of(program, "view")).exact_guard = ValueEquals(1)


def view_of_other_memory(program: Program) -> None:
    known = attributes(node_of(program, "view"))
    known.value = replace(known.value, root=known.value.root + 100)


def same_view_as_another_step(program: Program) -> None:
    attributes(node_of(program, "view")).same_view = node_of(program, "op")


def write_to_unknown_memory(program: Program) -> None:
    destination: Any = node_of(program, "write").args[0]
    for node in program.graph.nodes:  # its base, too
        if value_of(node).root == value_of(destination).root:
            attributes(node).value = replace(value_of(node), root=-1)


def check_after_an_effect(program: Program) -> None:
    guard = node_of(program, "guard")
    attributes(guard).precedes_effects = True
    node_of(program, "output").prepend(guard)


def forget_an_input(program: Program) -> None:
    program.inputs.pop()


def further_output(program: Program) -> None:
    annotate(program.graph.output(()), "output", Value("object"))


def forget_a_result(program: Program) -> None:
    output = node_of(program, "output")
    output.args = (output.args[0][1:],)  # type: ignore[index]


BREAKS: list[tuple[Callable[[Program], None], str]] = [
    (remove_attributes, "every step has attributes"),
    (name_no_kind, "every step has attributes"),
    (call_what_is_no_op, "the target fits the kind"),
    (guard_without_a_guard, "the target fits the kind"),
    (use_before_definition, "operands are there before they are used"),
    (guard_of_a_constant, "the operands fit the kind"),
    (leave_out_operands, "the operands fit the kind"),
    (view_of_a_number, "the operands fit the kind"),
    (view_that_gives_a_number, "the operands fit the kind"),
    (call_frames_of_an_op, "the attributes fit the kind"),
    (exact_guard_of_a_view, "the attributes fit the kind"),
    (view_of_other_memory, "a view names its base"),
    (same_view_as_another_step, "a view names its base"),
    (write_to_unknown_memory, "a write names its root"),
    (check_after_an_effect, "checks come before effects"),
    (forget_an_input, "the inputs are the placeholders"),
    (further_output, "the output is complete"),
    (forget_a_result, "the output is complete"),
]


def test_a_recorded_program_keeps_all_rules(program: Program) -> None:
    kinds = {step_of(node) for node in program.graph.nodes}
    assert kinds >= {"input", "read", "guard", "view", "op", "library", "number", "opaque", "write", "output"}
    assert kinds <= set(STEPS)
    verify(program)


@pytest.mark.parametrize(("break_it", "rule"), BREAKS, ids=lambda part: getattr(part, "__name__", ""))
def test_the_broken_rule_is_named(program: Program, break_it: Callable[[Program], None], rule: str) -> None:
    break_it(program)
    with pytest.raises(InvalidProgram) as caught:
        verify(program, "a pass")
    assert caught.value.rule == rule
    text = str(caught.value)
    assert text.startswith(f"after a pass, of_many_kinds breaks the rule `{rule}`: ")
    assert (
        caught.value.node is None or f"%{caught.value.node.name}" in text or caught.value.node.op == "output"
    )


def test_each_rule_is_broken_here() -> None:
    assert {rule for _, rule in BREAKS} == set(RULES)


def test_a_copy_of_attributes_is_independent(program: Program) -> None:
    node = node_of(program, "input")
    known = attributes(node)
    known.range_guards, known.items, known.parts_read = {(0, 1)}, {0: node}, {("item", 0): node}
    made = known.copy()
    assert vars(made) == vars(known)
    made.range_guards.add((2, 3))  # type: ignore[union-attr]
    made.items.clear()  # type: ignore[union-attr]
    made.parts_read.clear()  # type: ignore[union-attr]
    made.inspected = True
    assert known.range_guards == {(0, 1)} and known.items and known.parts_read and not known.inspected
    reset(node, made)
    assert attributes(node) is made
