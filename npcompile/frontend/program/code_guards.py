"""What a program takes to be as it was, of what may change while it stays the same object."""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

from npcompile.frontend.program.object_steps import class_attribute


@dataclass(frozen=True)
class Codes:
    """Whether functions that a recording went into still have the code that they had."""

    pairs: tuple[tuple[Any, types.CodeType], ...]

    def __call__(self) -> bool:
        return all(function.__code__ is code for function, code in self.pairs)


@dataclass(frozen=True)
class Classes:
    """Whether classes hold what they held under these names, themselves or by a base (`...`: nothing)."""

    held: tuple[tuple[type, str, Any], ...]

    def __call__(self) -> bool:
        return all(class_attribute(kind, name, ...) is held for kind, name, held in self.held)
