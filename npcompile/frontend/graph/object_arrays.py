"""Arrays whose elements are Python objects: a recording hands them on, and computes nothing with them.

The objects decide what an operation on such an array does: their own code runs, with effects and in an order
that Python fixes; elements are the objects themselves, which others hold, too; an array that is stored in one
element stays an array there. No step of a program says that, so the recording ends at each such operation,
and the statement is Python's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.frontend.program.object_steps import Build
from npcompile.frontend.program.reads import Length
from npcompile.lower.plan.attributes import StepKind, value_of
from npcompile.lower.plan.segment import nodes_in
from npcompile.lower.plan.values import Value

# The steps that compute with their operands, or lay them out anew. The others read, look at or hand on the
# array itself.
_COMPUTING = frozenset({"op", "view", "write", "library", "host", "number"})


def refuse_objects(step: StepKind, target: Any, args: Any, value: Value) -> None:
    """Raise Unfollowed for a step that computes with an array of objects, makes one, or decides by its
    elements."""
    if step == "guard":
        if target.about_array_itself:
            return
    elif step not in _COMPUTING or isinstance(target, Build | Length) or target is len:
        return
    for one in (value, *map(value_of, nodes_in(args))):
        if one.holds_objects:
            raise Unfollowed(Cause.OBJECT_ARRAY())


def is_numpys(function: Any) -> bool:
    """Tell if a function is a ufunc in C. Those of `np.frompyfunc` call a function of Python's, which may do
    anything."""
    return isinstance(function, np.ufunc) and any("O" not in kinds for kinds in function.types)
