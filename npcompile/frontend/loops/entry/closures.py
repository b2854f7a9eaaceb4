"""Types functions that are made anew at each call of the function around them: nested `def`s and lambdas.

A native loop is compiled for such a function's code. The values of its free variables and its defaults, read
where the loop is entered, are names of their own, as attributes of objects are (`objects.py`). A loop that
binds a variable that nested functions read is never native (`frontend/rewrite/cutter.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from inspect import CO_VARARGS
from types import CellType, CodeType, FunctionType
from typing import Any

from npcompile.lower.loops.types import Known, Type

_COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")  # the names of their code
_LOCAL = "<"  # in the qualified names of nested functions and of lambdas


class Reference(Type):
    """The type of an object that native code does not hold."""


@dataclass(frozen=True)
class Closure(Reference):
    """A function whose free variables and defaults are names: each is that of `variable`.

    defaults: the parameters that have one. item: the type to which its results are converted, if any
    (`ir.Function.item`). shared: the free variables that another function has, too, and their names there.
    """

    path: str
    code: Known
    outer: Known  # its globals
    defaults: tuple[str, ...]
    item: Type | None = None
    shared: tuple[tuple[str, str], ...] = ()

    def bare(self) -> FunctionType:
        """Return a function of this code, without values of free variables and defaults."""
        code, outer = self.code.value, self.outer.value
        made = _bare.get((id(code), id(outer)))
        if made is None:
            cells = tuple([CellType() for _ in code.co_freevars])
            made = _bare[id(code), id(outer)] = FunctionType(code, outer, code.co_name, None, cells)
        return made

    def variable(self, name: str) -> str:
        """Return the name of a free variable, or of a parameter's default."""
        return dict(self.shared).get(name, f"{self.path}.<{name}>")

    def __str__(self) -> str:
        return self.code.value.co_name


_codes: dict[tuple[CodeType, str], CodeType] = {}
_bare: dict[tuple[int, int], FunctionType] = {}  # they keep the code and the globals alive


def is_nested(value: Any) -> bool:
    """Tell if a value is a function that the function around it has made."""
    return type(value) is FunctionType and _LOCAL in value.__qualname__


def closure_of(path: str, function: FunctionType, cells: dict[int, str]) -> Closure:
    """Return the type of a function that has a path. cells: the names of variables by their cells, to which
    those of the function's own are added.

    A function that is cut anew makes equal code of its nested functions.
    """
    code = function.__code__
    code = _codes.setdefault((code, code.co_filename), code)
    made = Closure(path, Known(code), Known(function.__globals__), tuple(defaults_of(function)))
    shared = []
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        known = cells.setdefault(id(cell), made.variable(name))
        if known != made.variable(name):
            shared.append((name, known))
    return replace(made, shared=tuple(shared))


def variables_of(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Yield the free variables that have a value, and the parameters that have a default, with these."""
    code: CodeType = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        try:
            yield name, cell.cell_contents
        except ValueError:  # it has no value yet
            continue
    yield from defaults_of(function).items()


def cell_of(function: FunctionType, name: str) -> CellType:
    """Return the cell of a function's free variable."""
    assert function.__closure__ is not None
    return function.__closure__[function.__code__.co_freevars.index(name)]


def parameters_of(code: CodeType) -> tuple[str, ...]:
    """Return a function's parameters: after the others those that are given by keyword alone, and `*args`."""
    count = code.co_argcount + code.co_kwonlyargcount
    return code.co_varnames[: count + takes_any_number(code)]


def captured_by_functions(code: CodeType) -> frozenset[str]:
    """Return the variables that nested functions capture: comprehensions are within the very statement."""
    return frozenset(_captured_in(code).intersection(code.co_cellvars)) if code.co_cellvars else frozenset()


def _captured_in(code: CodeType) -> set[str]:
    """Return the outer variables of functions within code, and of those within its comprehensions."""
    found: set[str] = set()
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            found |= _captured_in(inner) if inner.co_name in _COMPREHENSIONS else {*inner.co_freevars}
    return found


def takes_any_number(code: CodeType) -> bool:
    """Tell if a function has `*args`."""
    return bool(code.co_flags & CO_VARARGS)


def defaults_of(function: FunctionType) -> dict[str, Any]:
    """Return the defaults of a function's parameters."""
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[code.co_argcount - len(defaults) : code.co_argcount]
    return dict(zip(names, defaults, strict=True)) | (function.__kwdefaults__ or {})
