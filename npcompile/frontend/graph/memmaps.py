"""Memory-mapped arrays (`np.memmap`): programs take them as the plain arrays on their memory.

NumPy answers most operations on a memmap with plain arrays and scalars, others (views, copies, sorting) with
memmaps. The first call is NumPy's own, on the memmap itself. A program is made of it only if no memmap shows:
none is answered, handed to a call, stored, or told from another object by identity. Everything else is the
same on a plain array: values, writes to the file, what cannot be written to.

Two memmaps may be of one file, which their addresses do not tell: where one of several is written to, Python
does the work. Of two plain arrays on the memory of two memmaps nothing of the kind is known, as little as
`np.shares_memory` knows of it.
"""

from __future__ import annotations

import types
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.unfollowed import Unfollowed
from npcompile.lower.plan.attributes import StepKind, value_of
from npcompile.lower.plan.segment import nodes_in
from npcompile.lower.plan.values import Value

_OWN = frozenset(vars(np.memmap))  # attributes that arrays do not have, or have otherwise


def of_memmaps(obj: Any, name: str) -> bool:
    """Tell if an attribute is a memmap's own, or its class's, rather than one that arrays have."""
    return type(obj) is np.memmap and (name in _OWN or name not in np.ndarray.__dict__)


def refuse_text(refs: Any, result: Any) -> None:
    """Raise Unfollowed for a text made of a memmap: it may name the class."""
    if isinstance(result, str) and any(value_of(node).mapped for node in nodes_in(refs)):
        raise Unfollowed(Cause.MEMMAP_TO_TEXT())


@dataclass(eq=False)
class Mapped:
    """The memory of files that one recording meets, and which of it was written to."""

    roots: set[int] = field(default_factory=set)
    written: bool = False

    def of(self, obj: Any, name: str, result: Any) -> None:
        """Raise Unfollowed for an attribute that a plain array lacks, or that is bound to the memmap."""
        if of_memmaps(obj, name) or (type(obj) is np.memmap and type(result) is types.MethodWrapperType):
            raise Unfollowed(Cause.MEMMAP_MEMBER(name))

    def check(self, step: StepKind, target: Any, args: Any, value: Value) -> None:
        """Raise Unfollowed for a step by which a memmap would show, or by which two may be one file."""
        if step == "read" and value.mapped:
            self.met(value.root)
        if not self.roots:
            return
        given = [value_of(node) for node in nodes_in(args)]
        shows = step == "opaque" or (step == "host" and hasattr(target, "needless"))
        shows |= step == "guard" and target.tells_memmaps_apart
        # A list of memmaps that a step gave may be handed on as a whole.
        if (step == "part" and value.mapped) or (shows and any(one.mapped for one in given)):
            raise Unfollowed(Cause.MEMMAP_HANDED_ON())
        if step == "write" and given[0].root in self.roots:
            self.written = True
            self.met(given[0].root)

    def met(self, root: int) -> None:
        """Note a memmap. Two memmaps may be of one file, at other addresses: none of several is written
        to."""
        self.roots.add(root)
        if self.written and len(self.roots) > 1:
            raise Unfollowed(Cause.MEMMAPS_WRITTEN())
