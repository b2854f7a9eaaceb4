"""Declares the fields of what a recording knows: which of them a checkpoint restores, and which survive it.

The classes whose state a checkpoint goes over are dataclasses, and each of their fields is declared here, by
`restored` or by `survives`: `record/checkpoint.py` reads the declarations, and a test fails for a field that
has none.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

# The key of a field's metadata under which its declaration stands.
DECLARED = "checkpoint"


@dataclasses.dataclass(frozen=True)
class Declared:
    """The declaration of one field.

    Parameters
    ----------
    survives : str
        Why a checkpoint leaves the field as it is; empty where it restores the field.
    nested : bool
        The field is a dict of containers that are the recording's own, and not the user's.
    holds : callable, optional
        Tells of a value of the field, a dict, whether it may be put back.
    """

    survives: str = ""
    nested: bool = False
    holds: Callable[[Any], bool] | None = None


def restored(
    make: Callable[[], Any], *, nested: bool = False, holds: Callable[[Any], bool] | None = None
) -> Any:
    """Declare a field that a checkpoint restores; `make` gives its first value."""
    return _field(make, Declared("", nested, holds))


def survives(reason: str, make: Callable[[], Any] | None = None) -> Any:
    """Declare a field that a checkpoint leaves as it is, and why.

    Without `make` the field is an argument of the class, or is set as soon as an object is made.
    """
    return (
        dataclasses.field(metadata={DECLARED: Declared(reason)})
        if make is None
        else _field(make, Declared(reason))
    )


def nothing() -> None:
    """Make the first value of a field that is None until it is known."""


def _field(make: Callable[[], Any], declared: Declared) -> Any:
    metadata = {DECLARED: declared}
    if make is nothing:  # a plain default: many fields are None, and each recording makes all of them
        return dataclasses.field(default=None, init=False, metadata=metadata)
    return dataclasses.field(default_factory=make, init=False, metadata=metadata)
