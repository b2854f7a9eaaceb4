"""The scope of a loop region: the function around it gives each name its meaning.

`resume.py` compiles parts of the region as if they stood in that function.
"""

from __future__ import annotations

import dis
from dataclasses import dataclass, field
from functools import cached_property
from types import CellType, CodeType, FunctionType
from typing import Any

from npcompile.frontend.rewrite.scopes import mangle
from npcompile.frontend.rewrite.source import enclosing_class


@dataclass(eq=False)
class Scope:
    """The function around a region, with the code that the user wrote.

    own: the cells of its own variables that functions which it has made bind.
    """

    function: FunctionType
    own: dict[str, CellType] = field(default_factory=dict)

    @property
    def code(self) -> CodeType:
        return self.function.__code__

    @property
    def globals(self) -> dict[str, Any]:
        return self.function.__globals__

    @cached_property
    def cells(self) -> dict[str, CellType]:
        """The cells of the names that the function takes from the functions around it, and of its own."""
        return dict(zip(self.code.co_freevars, self.function.__closure__ or (), strict=True)) | self.own

    @cached_property
    def cls(self) -> str | None:
        """The class whose private names are mangled."""
        return enclosing_class(self.code)

    def mangled(self, name: str) -> str:
        return mangle(name, self.cls)

    def is_free(self, name: str) -> bool:
        """Tell if a name is that of a variable of a function around this one."""
        return self.mangled(name) in self.code.co_freevars or self.mangled(name) in self.own

    def is_global(self, name: str) -> bool:
        """Tell if the function takes a name from its module or from the builtins."""
        name = self.mangled(name)
        return name in self.code.co_names and name in self._globals

    def is_local(self, name: str) -> bool:
        """Tell if a name is that of a variable of the function's own."""
        mangled = self.mangled(name)
        return mangled in self._locals and not self.is_global(name) and mangled not in self.own

    @cached_property
    def _locals(self) -> frozenset[str]:
        return frozenset((*self.code.co_varnames, *self.code.co_cellvars))

    @cached_property
    def _globals(self) -> frozenset[str]:
        # `co_varnames` is not enough: it has the variables of inlined comprehensions, too.
        found = dis.get_instructions(self.code)
        return frozenset(one.argval for one in found if one.opname.endswith("_GLOBAL"))
