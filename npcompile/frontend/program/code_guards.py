"""Guards of a program as a whole: functions and classes may change while they stay the same objects.

A recording goes into functions and looks names up in classes. A replay checks once, before its first step,
that the functions still have their code and that the classes still hold what they held.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from typing import Any

from npcompile.frontend.program.object_steps import class_attribute
from npcompile.frontend.program.replay_interface import ReplayCheck


@dataclass(frozen=True)
class Codes(ReplayCheck):
    """Functions that a recording went into still have the code that they had."""

    pairs: tuple[tuple[Any, types.CodeType], ...]

    def __call__(self) -> bool:
        return all(function.__code__ is code for function, code in self.pairs)

    def native(self, module: Any) -> Any:
        return module.CodesGuard(self, self.pairs)


@dataclass(frozen=True)
class Classes(ReplayCheck):
    """Classes hold what they held under some names, themselves or by a base; `...` stands for nothing."""

    held: tuple[tuple[type, str, Any], ...]

    def __call__(self) -> bool:
        return all(class_attribute(kind, name, ...) is held for kind, name, held in self.held)

    def native(self, module: Any) -> Any:
        return module.ClassesGuard(self, self.held)
