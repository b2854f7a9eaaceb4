"""Guards on slices whose ends are traced (`x[i : i + 32]`), in shape-generic programs.

A replay checks the shape, or the ends, of a slice as soon as it is made; it has to diverge before any effect.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from torch import fx

from npcompile.frontend.program.dynamic_sizes import sized_by_data
from npcompile.frontend.program.program import Program
from npcompile.lower.plan.attributes import attributes, step_of, value_of
from npcompile.lower.plan.plan import Plan


class Check(NamedTuple):
    """The facts about a slice that a replay checks: its shape, and the numbers that are its ends."""

    shape: bool
    ends: bool


def checkable(program: Program, plan: Plan) -> set[fx.Node]:
    """Return the slices that are made before the first effect, and later ones that are equal to those."""
    slices = _windows(program)
    early = {step.node for step in plan.steps[: plan.effects] if step.node is not None}
    first = {_what(node) for node in slices if node in early}
    return {node for node in slices if _what(node) in first}


def stands_alone(program: Program, plan: Plan) -> bool:
    """Tell whether no length depends on data but those of slices that are checked."""
    checked = checkable(program, plan)
    return all(node in checked for node in program.graph.nodes if depends_on_data(node))


def depends_on_data(node: fx.Node) -> bool:
    """Tell whether data decide a length that a step gives."""
    return node.op == "call_function" and bool(sized_by_data(node) or attributes(node).data_ends)


def unchanged(one: Program, other: Program, plan: Plan) -> dict[fx.Node, Check]:
    """Return the checks of slices that two recordings of one program met alike.

    These facts have to stay as they were: had one become a constant by mistake, it would not show. A slice
    that differed in all of them has no check.
    """
    checked = checkable(one, plan)
    found = {}
    for a, b in zip(_windows(one), _windows(other), strict=True):
        check = Check(
            value_of(a).shape == value_of(b).shape, attributes(a).data_ends == attributes(b).data_ends
        )
        if a in checked and any(check):
            found[a] = check
    return found


def at_once(program: Program, plan: Plan) -> set[fx.Node] | None:
    """Return the slices of a program that stands alone, if all of them follow from the arguments; else None.

    A replay then sees before it computes anything whether they are as recorded.
    """
    known = set(program.inputs)
    for node in program.graph.nodes:
        if step_of(node) in ("view", "number") and known.issuperset(node.all_input_nodes):
            known.add(node)
    slices = set(_windows(program))
    return slices if slices and slices <= known and stands_alone(program, plan) else None


def places_others(program: Program) -> bool:
    """Tell whether a view of the caller's memory lies where a slice decides.

    `out[: len(x[i : i + 8])]` may be all of `out` at one call and not at the next.
    """
    found: set[fx.Node] = set()
    for node in program.graph.nodes:
        if attributes(node).data_ends or not found.isdisjoint(node.all_input_nodes):
            found.add(node)
            if step_of(node) == "view" and value_of(node).region is not None:
                return True
    return False


def ends_of(node: fx.Node) -> list[tuple[fx.Node, int]]:
    """Return the steps that give the ends of a slice, and the numbers that they gave."""
    index: Any = node.args[1] if isinstance(node.args[1], tuple) else (node.args[1],)
    pairs = zip(index, attributes(node).data_ends, strict=False)
    return [((item.start, item.stop)[place], number) for item, ends in pairs for place, number in ends]


def _windows(program: Program) -> list[fx.Node]:
    found = []
    for node in program.graph.nodes:
        known = attributes(node)
        if known.kind == "view" and known.data_ends:
            found.append(node)
    return found


def _what(node: fx.Node) -> Any:
    return repr(node.args)
