"""Splits a block where a value within a statement has one type or another: `max(0.0, x[i])`, `a if c else b`.

A rule raises `Split`, and inference ends the block there with a branch: on either way the statement is done
again with the expression replaced by the one that counts there. Nothing has happened yet, as a statement's
effect comes last, and Python goes on at the statement as it was written.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
from collections.abc import Callable
from typing import Any

from npcompile.frontend.loops.language import Outside
from npcompile.frontend.loops.source import control_flow as cf
from npcompile.lower.loops import ir


class Split(Exception):
    """An expression whose value has another type where a test holds than where it does not.

    node: the expression, or the statement. ways: those that stand for it where the test holds, and where it
    does not. kept: names that the ways read, and their values.
    """

    def __init__(
        self,
        node: ast.AST,
        test: ir.Expression,
        ways: tuple[ast.AST, ast.AST],
        kept: tuple[tuple[str, ir.Expression], ...] = (),
    ) -> None:
        super().__init__(ast.dump(node))
        self.node, self.test, self.ways, self.kept = node, test, ways, kept


def split_of_either(
    continued: Continuations,
    node: ast.expr,
    value: ir.Expression,
    way: Callable[[ast.expr], ast.stmt] | None = None,
    statement: ast.stmt | None = None,
    before: tuple[tuple[str, ir.Expression], ...] = (),
) -> Split:
    """Return the split of an expression by the one of two types that its value has.

    way: makes of a name with the value what stands for the statement, if that is replaced as a whole. before:
    names that the value and the ways read, and their values.
    """
    whole = continued.name(node)
    read = ir.Read(value.type, whole.id)
    names = [ast.copy_location(ast.Name(f"{whole.id}_{place}", ast.Load()), node) for place in (1, 2)]
    kept = (
        *before,
        (whole.id, value),
        *((one.id, ir.part_of(read, place)) for place, one in enumerate(names, 1)),
    )
    first, second = names if way is None else map(way, names)
    return Split(statement or node, ir.part_of(read, 0), (second, first), kept)


def loaded(target: ast.expr) -> ast.expr:
    """Return the expression that reads an assignment's target."""
    match target:
        case ast.Name(id=name):
            return ast.copy_location(ast.Name(name, ast.Load()), target)
        case ast.Subscript(value=value, slice=index):
            return ast.copy_location(ast.Subscript(value, index, ast.Load()), target)
        case ast.Attribute(value=value, attr=attribute):
            return ast.copy_location(ast.Attribute(value, attribute, ast.Load()), target)
    raise Outside(f"assignment to `{ast.unparse(target)}`")


class Continuations:
    """The rests of a graph's blocks, from statements on in which an expression was replaced."""

    def __init__(self, flow: cf.ControlFlow) -> None:
        self.flow = flow
        self._made: dict[tuple[cf.Block, int, ast.AST, str], cf.Block] = {}
        self._rests: dict[tuple[cf.Block, int], cf.Block] = {}
        self._count = 0
        self._names: dict[ast.expr, str] = {}
        self._first: dict[cf.Block, ir.Place] = {}  # the places of their first steps
        self._live: dict[cf.Block, frozenset[str]] = {}

    def place(self, block: cf.Block, number: int) -> ir.Place:
        """Return the place of a block's step, where Python may go on."""
        first = self._first.get(block)
        return ir.Place(block.number, number) if first is None else ir.Place(first[0], first[1] + number)

    def live(self, block: cf.Block) -> frozenset[str]:
        """Return the names that are read later, where a block begins."""
        return self.flow.live[block] if block in self.flow.live else self._live[block]

    def name(self, node: ast.expr) -> ast.Name:
        """Return the name that keeps an expression's value for both ways of a split."""
        name = self._names.setdefault(node, f".split{len(self._names)}")
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def find(self, block: cf.Block, number: int, node: ast.AST, instead: ast.AST) -> cf.Block | None:
        """Return the rest of a block, from a step on, with an expression or the step replaced there.

        None where the step does not have the expression itself.
        """
        key = block, number, node, ast.dump(instead)
        if key in self._made:
            return self._made[key]
        replacing = _Replacing(node, instead)
        if number < len(block.steps):
            made = self._begin(block, number, [replacing.step(block.steps[number])])
            made.end = cf.Jump(self._rest(block, number + 1))
        else:
            made = self._begin(block, number, [])
            made.end = replacing.end(block.end)
        if not replacing.done:
            return None
        self._end(made)
        self._made[key] = made
        return made

    def _rest(self, block: cf.Block, number: int) -> cf.Block:
        """Return the rest of a block, from a step on: all ways of splits before it lead there."""
        if (block, number) not in self._rests:
            made = self._rests[block, number] = self._begin(block, number, block.steps[number:])
            made.end = block.end
            self._end(made)
        return self._rests[block, number]

    def _begin(self, block: cf.Block, number: int, steps: list[cf.Step]) -> cf.Block:
        made = cf.Block(len(self.flow.blocks) + self._count, steps)
        self._count += 1
        self._first[made] = self.place(block, number)
        return made

    def _end(self, made: cf.Block) -> None:
        after: frozenset[str] = frozenset().union(*map(self.live, made.targets))
        self._live[made] = cf.live_before(made, after)


class _Replacing:
    """Copies a step or an end with one expression replaced. done: it was there."""

    def __init__(self, node: ast.AST, instead: ast.AST) -> None:
        self.node, self.instead = node, instead
        self.done = False

    def step(self, step: cf.Step) -> cf.Step:
        if isinstance(step, cf.Iterate):
            return dataclasses.replace(step, iterable=self.copied(step.iterable))
        made: cf.Step = self.copied(step)
        return made

    def end(self, end: cf.End | None) -> cf.End | None:
        match end:
            case cf.Branch(test=test):
                return dataclasses.replace(end, test=self.copied(test))
            case cf.Return(value=value) if value is not None:
                return cf.Return(self.copied(value))
        return end

    def copied(self, part: Any) -> Any:
        """Return a copy of the nodes above the expression; all others stay."""
        if part is self.node:
            self.done = True
            return self.instead
        if isinstance(part, list):
            return [self.copied(one) for one in part]
        if not isinstance(part, ast.AST):
            return part
        fields = {name: self.copied(value) for name, value in ast.iter_fields(part)}
        if all(_is_same(value, getattr(part, name)) for name, value in fields.items()):
            return part
        made = copy.copy(part)
        for name, value in fields.items():
            setattr(made, name, value)
        return made


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, list) and isinstance(other, list):
        return all(a is b for a, b in zip(one, other, strict=True))
    return one is other
