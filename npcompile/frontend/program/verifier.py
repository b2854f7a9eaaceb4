"""The verifier checks that a residual program keeps the rules of its form, and names the rule and the step.

`STEPS` has the rules for each kind of step, as data; the functions below them are rules about several steps.
`passes/order.py` calls `verify` before and after each pass where NPCOMPILE_VERIFY_PROGRAMS is 1, as in tests.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from torch import fx

from npcompile.frontend.ops.masked import Extreme, put_where
from npcompile.frontend.ops.table import Op
from npcompile.frontend.program.call_steps import Call
from npcompile.frontend.program.guards import Guard
from npcompile.frontend.program.object_steps import Store
from npcompile.frontend.program.program import Program
from npcompile.lower.plan.attributes import StepAttributes, StepKind, attributes, has_attributes
from npcompile.lower.plan.graph import write


class InvalidProgram(Exception):
    """A residual program breaks a rule. rule: the name of the rule; node: the step that breaks it."""

    def __init__(self, rule: str, node: fx.Node | None, message: str, after: str, program: Program) -> None:
        where = "" if node is None else f"\n  step: {node.format_node()}"
        if node is not None and has_attributes(node):
            where += f"\n  attributes: {attributes(node)!r}"
        super().__init__(f"after {after}, {program.name} breaks the rule `{rule}`: {message}{where}")
        self.rule = rule
        self.node = node


# Attributes that any step with a value may have.
_OF_VALUES = frozenset(
    """
    wrapped inspected broadcast layout_decides range_guards parts_read called mask_form recorded_size is_size
    container_type result_count items keys given_epoch contents_epoch members_epoch incidental looked_up
    data_ends same_view last_call
    """.split()
)
_OF_OPS = _OF_VALUES | {"unchecked", "returns_view", "dynamic_view"}


def _is_function(target: Any) -> bool:
    """Tell whether a target is a function of NumPy's or Python's, or stands for one."""
    return callable(target) and not isinstance(target, Guard | Store) and target is not write


def _is_op(target: Any) -> bool:
    """Tell whether a target is an op, or one that only passes use."""
    return isinstance(target, Op | Extreme) or target is put_where


@dataclass(frozen=True)
class StepRules:
    """The rules for one kind of step.

    opcode: torch's name for what the node does. target: tells whether a node of this kind may call this.
    least, most: how many positional arguments. of: the first argument is a step with a value of this kind.
    gives: the kinds of value, any if empty. may_have: the attributes, beside kind, value and place.
    """

    target: Callable[[Any], bool]
    least: float = 0
    most: float = math.inf
    of: str = ""
    gives: tuple[str, ...] = ()
    may_have: frozenset[str] = _OF_VALUES
    opcode: str = "call_function"


# By kind of step.
STEPS: dict[StepKind, StepRules] = {
    "input": StepRules(lambda target: type(target) is str, most=0, opcode="placeholder"),
    "read": StepRules(_is_function),
    "op": StepRules(_is_op, may_have=_OF_OPS),
    "view": StepRules(_is_op, least=1, of="array", gives=("array",), may_have=_OF_OPS),
    "library": StepRules(_is_op, may_have=_OF_OPS),
    "host": StepRules(_is_function, may_have=_OF_VALUES | {"reason"}),
    "number": StepRules(_is_function, least=1),
    "part": StepRules(_is_function, least=2, most=2),
    "opaque": StepRules(
        lambda target: isinstance(target, Call | Store),
        may_have=_OF_VALUES | {"inert", "call_frames"},
    ),
    "write": StepRules(lambda target: target is write, least=2, most=2, of="array"),
    "guard": StepRules(
        lambda target: isinstance(target, Guard),
        least=1,
        most=2,
        gives=("object",),
        may_have=frozenset(("exact_guard", "is_collision", "mask_form", "precedes_effects")),
    ),
    "output": StepRules(lambda target: True, least=1, most=1, may_have=frozenset(), opcode="output"),
}

# A rule yields these: the step that breaks it, and in which way.
Broken = Iterator[tuple[fx.Node | None, str]]


def _attributes_are_there(program: Program) -> Broken:
    for node in program.graph.nodes:
        if not has_attributes(node):
            yield node, "it has no attributes"
        elif attributes(node).kind not in STEPS:
            yield node, f"there is no step of the kind {attributes(node).kind!r}"


def _targets_fit(program: Program) -> Broken:
    for node in program.graph.nodes:
        rules = STEPS[attributes(node).kind]
        if node.op != rules.opcode or not rules.target(node.target):
            yield node, f"a step of the kind {attributes(node).kind!r} cannot be {node.op} of {node.target!r}"


def _operands_fit(program: Program) -> Broken:
    for node in program.graph.nodes:
        known = attributes(node)
        rules = STEPS[known.kind]
        if not rules.least <= len(node.args) <= rules.most:
            yield node, f"it has {len(node.args)} arguments, not {rules.least} to {rules.most}"
        elif known.kind == "guard" and not node.all_input_nodes:
            yield node, "it tests constants alone"
        elif rules.of:
            first = node.args[0]
            if not isinstance(first, fx.Node) or attributes(first).value.kind != rules.of:
                yield node, f"its first argument is no step that gives an {rules.of}"
        if rules.gives and known.value.kind not in rules.gives:
            yield node, f"it gives a value of the kind {known.value.kind!r}"


def _attributes_fit(program: Program) -> Broken:
    for node in program.graph.nodes:
        known = attributes(node)
        allowed = STEPS[known.kind].may_have
        for name, value in vars(known).items():
            if name not in ("kind", "value", "place") and value is not getattr(StepAttributes, name):
                if name not in allowed:
                    yield node, f"a step of the kind {known.kind!r} has no attribute {name!r}"


def _defined_before_use(program: Program) -> Broken:
    seen: set[fx.Node] = set()
    for node in program.graph.nodes:
        for arg in node.all_input_nodes:
            if arg not in seen:
                yield node, f"{arg} is used before it is there"
        seen.add(node)


def _views_name_their_base(program: Program) -> Broken:
    for node in program.graph.nodes:
        if attributes(node).kind == "view":
            (base, *_), value = node.all_input_nodes, attributes(node).value
            if value.region is not None and value.root != attributes(base).value.root:
                yield node, f"it shows other memory than {base}"
        same = attributes(node).same_view
        if same is not None and (same.graph is not program.graph or same.target != node.target):
            yield node, f"it is not the same view as {same}"


def _writes_name_their_root(program: Program) -> Broken:
    for node in program.graph.nodes:
        if attributes(node).kind == "write":
            destination: Any = node.args[0]
            if attributes(destination).value.root < 0:
                yield node, f"it is not known in which memory {destination} lies"


def _inputs_are_placeholders(program: Program) -> Broken:
    placeholders = [node for node in program.graph.nodes if node.op == "placeholder"]
    if placeholders != program.inputs:
        yield None, f"the inputs are {program.inputs}, the graph's placeholders {placeholders}"


def _output_is_complete(program: Program) -> Broken:
    *_, last = program.graph.nodes
    outputs = [node for node in program.graph.nodes if node.op == "output"]
    if outputs != [last]:
        yield last, "the program does not end with its one output"
    elif list(last.args[0]) != list(program.result.leaves()):
        yield last, "the output does not have what the result is made of"


def _checks_come_before_effects(program: Program) -> Broken:
    """Guards that a pass has added: they hold before anything is done that others could see."""
    effect = None
    for node in program.graph.nodes:
        known = attributes(node)
        if effect is None and known.kind in ("opaque", "write"):
            effect = node
        elif effect is not None and known.kind == "guard" and known.precedes_effects:
            yield node, f"it is to come before {effect}, the first effect"


# By name, in the order in which they are checked: later rules rely on earlier ones.
RULES: dict[str, Callable[[Program], Broken]] = {
    "every step has attributes": _attributes_are_there,
    "the target fits the kind": _targets_fit,
    "operands are there before they are used": _defined_before_use,
    "the operands fit the kind": _operands_fit,
    "the attributes fit the kind": _attributes_fit,
    "a view names its base": _views_name_their_base,
    "a write names its root": _writes_name_their_root,
    "checks come before effects": _checks_come_before_effects,
    "the inputs are the placeholders": _inputs_are_placeholders,
    "the output is complete": _output_is_complete,
}


def verify(program: Program, after: str = "recording") -> None:
    """Raise InvalidProgram where a program breaks a rule. after: what was done to it last."""
    for name, rule in RULES.items():
        for node, message in rule(program):
            raise InvalidProgram(name, node, message, after, program)
