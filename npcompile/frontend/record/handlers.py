"""Tables of handlers: a table holds the registry's rows for one operation, and finds those that serve a type.

`registry.py` fills the tables, and the hooks in `recording.py` look handlers up in them. The answer for a
type is kept if the type lives as long as the process: one that is built into Python or NumPy, or that a row
names.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

PASS: Any = object()  # a handler returns this to leave the operation to the next one

Handler = Callable[..., Any]
Where = Callable[[type], bool]
METHOD = types.BuiltinFunctionType  # methods in C: their handlers depend on the type of their object
_HEAP_TYPE = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class that may die


class Row:
    """A handler, and what it serves: every operand, where nothing is named.

    Parameters
    ----------
    handler : callable
        Takes the recording and the operands.
    *types : type
        The types of the operand that it serves. Of two operands, one of these types is enough.
    under : type, optional
        A class whose subclasses it serves, too.
    where : callable, optional
        Returns True for any other class that the row serves, too.
    functions : iterable
        The functions that it serves, by identity, where the operation is a call.
    owners : iterable of type, optional
        Restricts bound methods in C to those of objects of these types.
    owners_under : type, optional
        A class of whose subclasses it serves the methods, too.
    inside : bool
        The row serves only calls within a function of NumPy's that is being recorded.
    """

    def __init__(
        self,
        handler: Handler,
        *types: type,
        under: type | None = None,
        where: Where | None = None,
        functions: Iterable[Any] = (),
        owners: Iterable[type] = (),
        owners_under: type | None = None,
        inside: bool = False,
    ) -> None:
        self.handler = handler
        self.types = frozenset(types)
        self.under = under or ()
        self.where = where
        self.functions = tuple(functions)
        self.owners = frozenset(owners)
        self.owners_under = owners_under or ()
        self.inside = inside
        self.every = not (types or self.functions or under or where)

    def serves(self, kind: type) -> bool:
        """Return True if the handler is asked for objects of this type."""
        if self.every or kind in self.types or issubclass(kind, self.under):
            return True
        return self.where is not None and self.where(kind)

    def serves_methods_of(self, kind: type) -> bool:
        """Return True if the handler is asked for the bound methods in C of objects of this type."""
        return self.serves(METHOD) and (
            not (self.owners or self.owners_under)
            or kind in self.owners
            or issubclass(kind, self.owners_under)
        )


class Table(dict[Any, tuple[Handler, ...]]):
    """The handlers of one operation, in order, by the type of its operand."""

    def __init__(self, *rows: Row, plain: Handler | None = None) -> None:
        super().__init__()
        self.rows = rows
        self.plain: Any = plain  # does the operation where nothing is recorded
        self.named = frozenset().union(*[row.types | row.owners for row in rows])

    def choose(self, kind: Any) -> tuple[Handler, ...]:
        """Return the handlers that serve a type."""
        return tuple(
            [
                row.handler
                for row in self.rows
                if row.every
                or kind in row.types
                or issubclass(kind, row.under)
                or (row.where is not None and row.where(kind))
            ]
        )

    def stays(self, kind: Any) -> bool:
        """Return True if the handlers for a type are kept."""
        return not kind.__flags__ & _HEAP_TYPE or kind in self.named

    def __missing__(self, kind: Any) -> tuple[Handler, ...]:
        found = self.choose(kind)
        if self.stays(kind):
            self[kind] = found
        return found


class PairTable(Table):
    """The handlers of an operation of two operands, by the types of both."""

    def choose(self, kind: tuple[type, type]) -> tuple[Handler, ...]:
        """Return the handlers that serve the type of either operand."""
        one, other = kind
        return tuple(row.handler for row in self.rows if row.serves(one) or row.serves(other))

    def stays(self, kind: tuple[type, type]) -> bool:
        """Return True if the handlers for both types are kept."""
        return all(map(super().stays, kind))


class _OwnerTable(Table):
    """The handlers of bound methods in C, by the type of the object that they are bound to."""

    def choose(self, kind: type) -> tuple[Handler, ...]:
        """Return the handlers that serve the methods of a type."""
        return tuple(row.handler for row in self.rows if row.serves_methods_of(kind))


class CallTable(Table):
    """The handlers of calls: by the function where a row names it, else by the type of its object or its own
    type.

    inside: the table is for calls within a function of NumPy's that is being recorded.
    """

    def __init__(self, *rows: Row, inside: bool, plain: Handler) -> None:
        super().__init__(*(row for row in rows if inside or not row.inside), plain=plain)
        self.by_owner = _OwnerTable(*self.rows)
        self.by_function: dict[int, tuple[Handler, ...]] = {}
        for function in [function for row in self.rows for function in row.functions]:
            self.by_function[id(function)] = tuple(
                row.handler
                for row in self.rows
                if self._is_of(row, function) or any(function is one for one in row.functions)
            )

    def _is_of(self, row: Row, function: Any) -> bool:
        """Return True if a row serves a function by its type."""
        if type(function) is METHOD:
            return row.serves_methods_of(type(function.__self__))
        return row.serves(type(function))


@dataclass(frozen=True)
class Tables:
    """The tables of all operations. Handlers in `attribute` note attributes that `getattr` has read."""

    binary: PairTable
    inplace: PairTable
    unary: Table
    compare: PairTable
    truth: Table
    call: CallTable
    call_inside: CallTable
    getattr: Table
    attribute: Table
    setattr: Table
    getitem: Table
    setitem: Table
    delitem: Table
    iterate: Table
