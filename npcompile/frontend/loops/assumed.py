"""Holds what inference takes to stay the same object: attributes of modules, and global names."""

from __future__ import annotations

import builtins
from typing import Any, NamedTuple


class Assumed(NamedTuple):
    """An attribute of an object, or a global name, that was known while compiling, and its value then."""

    owner: Any  # the globals, for a name
    name: str
    value: Any

    @property
    def holds(self) -> bool:
        """Tell if it is still the same object."""
        return self.find() is self.value

    def find(self) -> Any:
        """Return its value now; this object itself where it has none."""
        if isinstance(self.owner, dict):
            return self.owner.get(self.name, getattr(builtins, self.name, self))
        return getattr(self.owner, self.name, self)
