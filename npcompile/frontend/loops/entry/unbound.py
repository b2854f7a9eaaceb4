"""Stands for the value of a name that has none where a region is entered.

The cut function cannot read a name that may have no value. It gives native code this class in its place,
which is part of the entry's types: a region is typed without the name, and leaves where it would read it.
"""

from __future__ import annotations

from typing import Any

from npcompile.lower.loops.types import Known


class Unbound:
    """The value of a name that has none."""


UNBOUND = Known(Unbound)


def with_values(names: dict[str, Any]) -> dict[str, Any]:
    """Return the names that have values, with them."""
    return {name: value for name, value in names.items() if value is not Unbound}
