"""`a.resize(...)` in a recording ends it: NumPy counts references, and a recording's are not to count."""

from __future__ import annotations

from typing import Any

from npcompile.diagnostics.reason import Cause
from npcompile.frontend.graph.resize_refcount import counted, counting
from npcompile.frontend.record.flat_iterators import Flats


class Resizing(Flats):
    """Bound or not: before it is called, nothing is followed any more."""

    def getattr(self, obj: Any, name: str) -> Any:
        if (resize := counted(obj, name)) is not None:
            self._end()
            return resize
        return super().getattr(obj, name)

    def call(self, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        if (resize := counting(fn)) is not None:
            self._end()
            return resize(*args, **kwargs)
        return super().call(fn, *args, **kwargs)

    def _end(self) -> None:
        self.stop(Cause.RESIZE())
        self.let_go()
