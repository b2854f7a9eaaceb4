"""Writes out loops over few constants: the neighbours of a place, a window of 3 by 3, the bits of a byte.

They go over a range, or over a tuple: `for di, dj in ((0, 1), (1, 0))`.

The item is a constant in each copy of the body, and decides tests of it alone. A name that has one type in
the first trip and another one later, as a sum of small integers does, makes no versions of a loop then:
each copy has its own types. Copies begin the iterator anew at the next item, so that Python goes on in the
loop where native code leaves within one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeGuard

from npcompile.frontend.loops.passes.copies import copied, is_plain
from npcompile.frontend.loops.passes.decided_tests import decided, is_silent
from npcompile.frontend.loops.passes.reachability import reached_from
from npcompile.lower.loops import ir
from npcompile.lower.loops.iterator_ir import ItemsIterator, PartsState
from npcompile.lower.loops.types import INT

MOST_TRIPS = 8  # of a loop over a range that is written out: the bits of a byte
MOST_PARTS = 8  # of a tuple that a loop goes over: a place has as many neighbours
MOST_COPIES = 60  # of a loop's blocks, without those in which nothing is done
MOST_STEPS = 240  # of a loop's copies, unless the item decides tests
MOST_BLOCKS = 240  # of a region


def unroll(region: ir.Region) -> None:
    """Write out the short loops of a region, innermost first."""
    refused: set[str] = set()
    while (state := _next_state(region, refused)) is not None:
        refused.add(state)
        if (copies := _Copies.of(region, state)) is not None and len(region.blocks) < MOST_BLOCKS:
            copies.make()


def _next_state(region: ir.Region, refused: set[str]) -> str | None:
    """Return the iterator of a loop without others in it, if there is one that was not refused."""
    states = {
        block.end.state: None
        for block in region.blocks
        if _is_next(block.end) and block.end.state not in refused
    }
    for state in states:
        live = [block for block in region.blocks if state in block.types]
        if all(not one.is_header or getattr(one.end, "state", None) == state for one in live):
            return state
    return None


def _is_next(end: ir.End | None) -> TypeGuard[ir.Next]:
    """Tell if a block takes an item of a range, or of a tuple from its first item on."""
    if isinstance(end, ir.NextOfRange):
        return True
    return isinstance(end, ir.Next) and isinstance(end.kind, PartsState) and end.kind.step == 1


_Path = tuple[int, ...]  # of a part: the place of an item of a tuple, of an item of that, and on


@dataclass
class _Copies:
    """The copies of a loop's blocks.

    live: the blocks in which its iterator is. items: the numbers of its range, or the parts of its tuple.
    names: those that have the value of its item, or of a part of it, wherever they are read in a trip.
    """

    region: ir.Region
    state: str
    live: list[ir.Block]
    begun: ir.BeginRange | ir.Bind
    items: Sequence[int] | tuple[ir.Expression, ...]
    names: dict[str, _Path]

    @classmethod
    def of(cls, region: ir.Region, state: str) -> _Copies | None:
        """Return the copies of a loop; None where it is not to be written out."""
        live = [block for block in region.blocks if state in block.types]
        steps = [step for block in live for step in _steps(block)]
        begins = [step for block in region.blocks for step in block.steps if state in ir.bound_by(step)]
        if state in region.names or not begins or not all(map(is_plain, steps)):
            return None
        tuples = _tuples(region)
        begun, items = begins[0], _items(begins[0], tuples)
        if items is None or not isinstance(begun, ir.BeginRange | ir.Bind) or begun in steps:
            return None
        if any(
            (others := _items(step, tuples)) is None or [*map(str, others)] != [*map(str, items)]
            for step in begins
        ):
            return None
        most = MOST_TRIPS if isinstance(items, range) else MOST_PARTS
        if not 0 < len(items) <= most:
            return None
        return cls(region, state, live, begun, items, _names(live, state))

    def make(self) -> None:
        """Replace the loop's blocks, if their copies are not too many.

        Where the item decides tests there are fewer copies than the loop's blocks let expect.
        """
        self.decides = False
        self.made: dict[tuple[ir.Block, int], ir.Block] = {}
        self.pending: list[tuple[ir.Block, int]] = []
        self.versions: dict[int, int] = {}
        for block in self.region.blocks:
            self.versions[block.source] = max(self.versions.get(block.source, 0), block.version)
        before = [block for block in self.region.blocks if self.state not in block.types]
        ends = [block.end for block in before]
        for block in before:
            if any(self.state in ir.bound_by(step) for step in block.steps):
                block.end = self._led(block.end, 0)
        while self.pending and len(self.made) <= MOST_COPIES:
            block, taken = self.pending.pop()
            self._fill(self.made[block, taken], block, taken)
        times, steps = len(self.items) + 1, sum(len(block.steps) for block in self.live)
        many = times * len(self.live) > MOST_COPIES or times * steps > MOST_STEPS
        if len(self.made) > MOST_COPIES or (many and not self.decides):
            for block, end in zip(before, ends, strict=True):
                block.end = end
            return
        reached = reached_from(self.region.entry)
        self.region.blocks[:] = [block for block in (*before, *self.made.values()) if block in reached]

    def _copy(self, block: ir.Block, taken: int) -> ir.Block:
        """Return the copy of a block where so many items were taken; the block itself outside of the loop."""
        if self.state not in block.types:
            return block
        if (block, taken) not in self.made:
            self.versions[block.source] += 1
            self.made[block, taken] = ir.Block(block.source, self.versions[block.source], block.types)
            self.pending.append((block, taken))
        return self.made[block, taken]

    def _led(self, end: ir.End | None, taken: int) -> ir.End:
        """Return an end that leads to copies."""
        match end:
            case ir.Jump(target=target):
                return replace(end, target=self._copy(self._after(target, taken), taken))
            case ir.Branch(test=test, then=then, otherwise=otherwise):
                ways = [self._after(one, taken) for one in (then, otherwise)]
                if (holds := decided(test)) is not None:
                    self.decides = True
                    ways = [ways[0] if holds else ways[1]]
                if len({*ways}) == 1 and (holds is not None or is_silent(test)):
                    return ir.Jump(end.place, end.line, self._copy(ways[0], taken))
                return replace(end, then=self._copy(ways[0], taken), otherwise=self._copy(ways[1], taken))
            case ir.Next(body=body, exhausted=exhausted):
                return replace(end, body=self._copy(body, taken), exhausted=self._copy(exhausted, taken))
        assert end is not None
        return end

    def _after(self, block: ir.Block, taken: int) -> ir.Block:
        """Return the block that a way leads to, past those of its copies in which nothing is done."""
        names = self._constants(taken)
        while block in self.live and not block.steps and not block.is_header:
            match block.end:
                case ir.Jump(target=target):
                    block = target
                case ir.Branch(test=test, then=then, otherwise=otherwise):
                    holds = decided(copied(test, names, {}))
                    if holds is None:
                        break
                    self.decides = True
                    block = then if holds else otherwise
                case _:
                    break
        return block

    def _constants(self, taken: int) -> dict[str, ir.Constant]:
        """Return the names that have the item's value where so many items were taken."""
        if not taken:
            return {}
        found = {name: _part(self._item(taken - 1), path) for name, path in self.names.items()}
        return {name: one for name, one in found.items() if isinstance(one, ir.Constant)}

    def _item(self, place: int) -> ir.Expression:
        """Return an item of the loop's."""
        item = self.items[place]
        return copied(item, {}, {}) if isinstance(item, ir.Expression) else ir.integer(item)

    def _begin(self, end: ir.Next, taken: int) -> ir.Step:
        """Return the step that begins the iterator where so many items were taken."""
        begun = self.begun
        if isinstance(begun, ir.Bind):
            assert isinstance(begun.value, ItemsIterator) and isinstance(end.kind, PartsState)
            items = tuple(self._item(place) for place in range(len(self.items)))
            value = replace(begun.value, source=ir.MakeTuple(end.kind.source, items), taken=taken)
            return ir.Bind(end.place, end.line, self.state, value)
        assert isinstance(self.items, range)
        step = self.items.step
        ends = (self.items.start + taken * step, self.items.stop, step)
        return ir.BeginRange(end.place, end.line, begun.kind, self.state, *map(ir.integer, ends))

    def _fill(self, copy: ir.Block, block: ir.Block, taken: int) -> None:
        names = self._constants(taken)
        copy.steps += [copied(step, names, {}) for step in block.steps]
        end = block.end
        if not _is_next(end):
            copy.end = self._led(copied(end, names, {}), taken)
        elif taken == len(self.items):
            copy.end = ir.Jump(end.place, end.line, self._copy(end.exhausted, taken))
        else:
            item = ir.Bind(end.place, end.line, end.item, self._item(taken))
            copy.steps += [self._begin(end, taken + 1), item]
            copy.end = ir.Jump(end.place, end.line, self._copy(end.body, taken + 1))


def _names(live: list[ir.Block], state: str) -> dict[str, _Path]:
    """Return the names that are bound to the item, or to a part of it, first in each trip, and to nothing
    else in the loop."""
    headers = [block.end for block in live if _is_next(block.end)]
    found: dict[str, _Path] = {end.item: () for end in headers}
    names = {**found}
    for end in headers:
        for step in end.body.steps:
            path = _path(step.value, names) if isinstance(step, ir.Bind) else None
            if path is None:
                break
            assert isinstance(step, ir.Bind)
            names[step.name] = path
    bodies = {end.body for end in headers}  # several headers may have one
    for name in names.keys() - found.keys():
        binds = [step for block in live for step in block.steps if name in ir.bound_by(step)]
        first = [step for body in bodies for step in body.steps if name in ir.bound_by(step)]
        paths = [_path(step.value, names) for step in binds if isinstance(step, ir.Bind)]
        if paths == [names[name]] * len(binds) and len(binds) == len(first):
            if all(any(name in ir.bound_by(step) for step in end.body.steps) for end in headers):
                found[name] = names[name]
    return found


def _path(node: ir.Expression, names: dict[str, _Path]) -> _Path | None:
    """Return the part of the item that an expression is, by the names that have parts; None if it is none."""
    match node:
        case ir.Read(name=name):
            return names.get(name)
        case ir.Part(whole=ir.Read(name=name), index=index) if name in names:
            return *names[name], index
    return None


def _part(node: ir.Expression, path: _Path) -> ir.Expression:
    """Return a part of an item."""
    for place in path:
        assert isinstance(node, ir.MakeTuple)
        node = node.items[place]
    return node


def _tuples(region: ir.Region) -> dict[str, ir.MakeTuple]:
    """Return the names that have a tuple of constants wherever they are read."""
    bound: dict[str, list[ir.Step | ir.End]] = {}
    for block in region.blocks:
        for step in _steps(block):
            for name in ir.bound_by(step):
                bound.setdefault(name, []).append(step)
    return {
        name: binds[0].value
        for name, binds in bound.items()
        if len(binds) == 1
        and name not in region.names
        and isinstance(binds[0], ir.Bind)
        and isinstance(binds[0].value, ir.MakeTuple)
        and _is_known(binds[0].value)
    }


def _items(
    step: ir.Step, tuples: dict[str, ir.MakeTuple]
) -> Sequence[int] | tuple[ir.Expression, ...] | None:
    """Return the items of an iterator that begins, if they are constants. tuples: those that names have."""
    match step:
        case ir.Bind(value=ItemsIterator(source=source)):
            made = tuples.get(source.name) if isinstance(source, ir.Read) else source
            return made.items if isinstance(made, ir.MakeTuple) and _is_known(made) else None
    return _numbers(step)


def _is_known(node: ir.Expression) -> bool:
    """Tell if an expression is a constant, or a tuple of constants."""
    if isinstance(node, ir.MakeTuple):
        return all(map(_is_known, node.items))
    return isinstance(node, ir.Constant)


def _numbers(step: ir.Step) -> range | None:
    """Return the numbers of a range that begins, if they are constants."""
    if not isinstance(step, ir.BeginRange):
        return None
    ends = (step.start, step.stop, step.stride)
    values = [_constant(one) for one in ends]
    if None in values or values[2] == 0:
        return None
    return range(*values)  # type: ignore[arg-type]


def _constant(node: ir.Expression) -> int | None:
    return int(node.value) if isinstance(node, ir.Constant) and node.type == INT else None


def _steps(block: ir.Block) -> list[ir.Step | ir.End]:
    return [*block.steps, *([] if block.end is None else [block.end])]
