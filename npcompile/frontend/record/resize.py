"""`a.resize(...)` in a recording ends it: NumPy counts references, and a recording's are not to count."""

from __future__ import annotations

from typing import Any

from npcompile.frontend.graph.resize_refcount import counted, counting
from npcompile.frontend.record.flat_iterators import Flats
from npcompile.frontend.record.handlers import PASS


class Resizing(Flats):
    """Bound or not: before it is called, nothing is followed any more."""

    def resize_attribute(self, obj: Any, name: str) -> Any:
        if (resize := counted(obj, name)) is None:
            return PASS
        self.end_for_resize()
        return resize

    def plain_attribute(self, obj: Any, name: str) -> Any:
        """An attribute where nothing is recorded."""
        found = self.resize_attribute(obj, name)
        return getattr(obj, name) if found is PASS else found

    def call_resize(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if (resize := counting(fn)) is None:
            return PASS
        self.end_for_resize()
        return resize(*args, **kwargs)
