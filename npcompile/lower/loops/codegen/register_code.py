"""Writes the C++ of items that a loop keeps in local variables (`register_ir.py`), for the emitter.

A loop that keeps items has a version for it. That version loads the items before its first trip, after the
checks that they are apart from other items, and stores them back wherever it is left.
"""

from __future__ import annotations

from typing import Any, Protocol

from npcompile.lower.loops import ir
from npcompile.lower.loops.register_ir import Carried, Register, Registers
from npcompile.lower.loops.types import Array


class Writer(Protocol):
    """The emitter, as this file uses it."""

    region: ir.Region
    declared: list[str]
    first: list[str]
    lines: list[str]
    instead: dict[str, str]
    held: dict[ir.Expression | str, str]
    count: int

    def value(self, expression: ir.Expression) -> str: ...

    def index(self, array: ir.Expression, axis: int, index: ir.Expression) -> str: ...


class KeptItems:
    """The variables of a loop's items.

    Parameters
    ----------
    names
        The variable of each expression or step that reads or stores a kept item.
    ended
        The statements that store items back after the last trip.
    left
        Those where the loop is left within a trip: an item that has no new bits is not stored.
    copies
        Of each store whose value the next trip reads, the variable that it goes to besides.
    next
        The statements between two trips.
    """

    def __init__(self, writer: Writer, loop: ir.FastLoop, registers: Registers) -> None:
        self.writer, self.loop, self.registers = writer, loop, registers
        self.names: dict[Any, str] = {}
        ended, left = [], []
        for one in registers.items:
            array = one.place.array.type
            assert isinstance(array, Array)
            writer.count += 1
            name, kind = f"register_{writer.count}", array.item.c_type
            writer.declared.append(f"{kind} {name}{{}}, {name}_was{{}}, *{name}_at = nullptr;")
            self.names |= dict.fromkeys(one.uses, name)
            if one.is_stored:
                left.append(f"npl::put_back({name}_at, {name}, {name}_was);")
                ended.append(f"*{name}_at = {name};" if one.is_always_stored else left[-1])
        self.ended, self.left = " ".join(ended), " ".join(left)
        self.copies: dict[Any, str] = {}
        turned = []
        for carried in registers.carried:
            array = carried.loads[0].array.type
            assert isinstance(array, Array)
            writer.count += 1
            name = f"carried_{writer.count}"
            writer.declared.append(f"{array.item.c_type} {name}{{}}, {name}_next{{}};")
            self.names |= dict.fromkeys(carried.loads, name)
            self.copies |= dict.fromkeys(carried.stores, f"{name}_next")
            turned.append(f"{name} = {name}_next;")
        self.next = " ".join(turned)

    def begin(self, label: str) -> None:
        """Write the checks that the items are apart, and their loads, before the version with a label."""
        tests = [test for one in self.registers.items for test in self._tests(one)]
        tests += [test for one in self.registers.carried for test in self._tests_of_carried(one)]
        lines = self.writer.lines
        lines.append(f"if ({' && '.join(tests) or 'true'}) {{")
        for one in self.registers.items:
            name = self.names[one.place]
            lines.append(f"{name}_at = &{self._place(one.place, 'first')};")
            lines.append(f"{name} = {name}_was = *{name}_at;")
        for carried in self.registers.carried:
            name, first = self.names[carried.loads[0]], self._place(carried.loads[0], "first")
            lines.append(f"{name} = {name}_next = {first};")
        lines += [f"goto {label};", "}"]

    def _tests(self, one: Register) -> list[str]:
        item = self._place(one.place, "first")
        array, tests = one.place.array, []
        for other in one.apart:
            ends = f"{self._place(other, 'first')}, {self._place(other, 'last')}"
            tests.append(self._test(array, other.array, f"npl::apart({item}, {ends})"))
        for other_array in one.arrays:
            test = f"npl::all_apart({item}, {item}, {self.writer.value(other_array)})"
            tests.append(self._test(array, other_array, test))
        return tests

    def _tests_of_carried(self, one: Carried) -> list[str]:
        load = one.loads[0]
        item, last = self._place(load, "first"), self._place(load, "last")
        store = self._place(one.stores[0], "first")
        tests = [f"npl::apart({item}, {store}, {store})"]
        for other in one.apart:
            ends = f"{self._place(other, 'first')}, {self._place(other, 'last')}"
            test = f"npl::ranges_apart({item}, {last}, {ends})"
            tests.append(self._test(load.array, other.array, test))
        for array in one.arrays:
            test = f"npl::all_apart({item}, {last}, {self.writer.value(array)})"
            tests.append(self._test(load.array, array, test))
        return tests

    def _test(self, array: ir.Expression, other: ir.Expression, test: str) -> str:
        """Return a test of two arrays' items, after one of all their memory where that is made once."""
        writer = self.writer
        for one in (array, other):
            if not isinstance(one, ir.Read) or one.name in writer.region.stored:
                return test
        names = sorted((writer.value(array), writer.value(other)))
        flag = f"apart_{'_'.join(names)}"
        if names[0] == names[1]:
            return test
        line = f"const bool {flag} = !npl::overlap({', '.join(names)});"
        if line not in writer.first:
            writer.first.append(line)
        return f"({flag} || {test})"

    def _place(self, node: ir.Item | ir.StoreItem, trip: str) -> str:
        """Return the C++ of an item's place in the first or the last trip."""
        writer = self.writer
        writer.instead, writer.held = dict.fromkeys(self.loop.items, trip), {}
        places = [writer.index(node.array, axis, index) for axis, index in enumerate(node.indices)]
        writer.instead, writer.held = {}, {}
        return f"{writer.value(node.array)}.at({', '.join(places)})"
